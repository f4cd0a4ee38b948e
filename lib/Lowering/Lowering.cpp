//===- Lowering.cpp - llvm.matrix.* to register tiles ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Lowering/Lowering.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"

using namespace llvm;

bool tilesmith::lowerMatrixIntrinsics(Function &F,
                                      FunctionAnalysisManager &FAM) {
  return !LowerMatrixIntrinsicsPass().run(F, FAM).areAllPreserved();
}
