//===- OuterProducts.cpp - SME --------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/OuterProducts.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

bool hasOuterProducts(const Function &F, const Type *Ty) {
  const Triple &Target = F.getParent()->getTargetTriple();
  // With the mode or the array of a caller, it is the user's.
  bool IsOrdinary = none_of(F.getAttributes().getFnAttrs(), [](Attribute A) {
    return A.isStringAttribute() && A.getKindAsString().starts_with("aarch64_");
  });
  return Target.isAArch64() && Target.isLittleEndian() && IsOrdinary &&
         hasFeature(F, "sme") &&
         (Ty->isFloatTy() || (Ty->isDoubleTy() && hasFeature(F, "sme-f64f64")));
}

} // namespace tilesmith
