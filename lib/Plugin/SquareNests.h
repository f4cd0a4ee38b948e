//===- SquareNests.h - steps over one matrix ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k, i, j: D[i][j] = f(D[i][j], D[i][k], D[k][j])
//
// Each step reads what other elements have become, so the nest is no sum. The
// room Rewrite makes the steps in blocks (BlockedSteps.h), most of which are sums.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SQUARENESTS_H
#define TILESMITH_LIB_PLUGIN_SQUARENESTS_H

#include "ShapeTrial.h"

namespace tilesmith {

/// Puts such blocks in front of nests of \p F if \p Ask says that sums in them
/// will be replaced. Returns where they begin; if there are any, the loops of \p F
/// are others now. What is no sum pays earlier if LLVM \p MakesVectors of loops. Nests
/// with a second matrix, in which nothing is left to be replaced, are told to \p Tell.
llvm::SmallVector<llvm::BasicBlock *, 2> blockSquareNests(
    llvm::Function &F, llvm::FunctionAnalysisManager &FAM, bool MakesVectors,
    Judge Ask,
    llvm::function_ref<void(const llvm::Loop &Root, const llvm::Loop &Inner)>
        Tell);

} // namespace tilesmith

#endif
