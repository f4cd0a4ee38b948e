//===- MatrixUnit.cpp - which one a target has ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/MatrixUnit.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

const MatrixUnit *findMatrixUnit(const Function &F) {
  const Triple &Target = F.getParent()->getTargetTriple();
  auto Has = [&](StringRef Name) { return hasFeature(F, Name); };
  if (Target.isPPC64() && Has("mma") && Has("vsx") &&
      Has("paired-vector-memops"))
    return &getMMA();
  if (Target.isAArch64() && Target.isLittleEndian() && !isStreaming(F) &&
      Has("neon") && (Has("i8mm") || Has("bf16")))
    return &getMMLA();
  return nullptr;
}

std::pair<Value *, Value *> MatrixUnit::loadPair(IRBuilderBase &, Value *,
                                                 Type *,
                                                 const AAMDNodes &) const {
  llvm_unreachable("there are no pairs");
}

} // namespace tilesmith
