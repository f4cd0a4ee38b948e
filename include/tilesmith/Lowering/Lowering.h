//===- Lowering.h - llvm.matrix.* to register tiles -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LOWERING_LOWERING_H
#define TILESMITH_LOWERING_LOWERING_H

#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Replaces every llvm.matrix.* call of \p F, whoever wrote it, by vector code
/// for the target of \p F. Multiplications, and the phis and element-wise
/// operations around them, become register tiles; what no target claims goes
/// through LLVM's stock LowerMatrixIntrinsics. Returns whether \p F changed;
/// afterwards no llvm.matrix.* call is left in it.
bool lowerMatrixIntrinsics(llvm::Function &F,
                           llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
