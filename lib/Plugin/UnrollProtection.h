//===- UnrollProtection.h - keep small nests whole --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM unrolls short loops of constant length before the module pass sees them,
// and of an M x N x 32 product no loop over k would be left:
//
//   loop-unroll-full     <- a loop pass just before it protects the nests that
//   ...                     will be rewritten, and only those
//   Tilesmith's pass     <- rewrites them, then releases every protected loop
//   loop-vectorize ...
//
// A released loop (the fall-back of a product, or a nest which was declined
// after all) is unrolled and cleaned up as it would have been.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_UNROLLPROTECTION_H
#define TILESMITH_LIB_PLUGIN_UNROLLPROTECTION_H

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class LPMUpdater;
} // namespace llvm

namespace tilesmith {

/// Protects the products that will be rewritten and of which LLVM is about to
/// unroll a loop in full. Changes metadata only, and nothing at all for other
/// loops.
struct ProtectFromUnrollingPass
    : llvm::PassInfoMixin<ProtectFromUnrollingPass> {
  unsigned SpeedupLevel; ///< 2 for -O2
  ProtectFromUnrollingPass(unsigned SpeedupLevel)
      : SpeedupLevel(SpeedupLevel) {}

  llvm::PreservedAnalyses run(llvm::Loop &L, llvm::LoopAnalysisManager &AM,
                              llvm::LoopStandardAnalysisResults &Results,
                              llvm::LPMUpdater &Updater);
};

/// Has \p L, of known length, unrolled and cleaned up where protection ends.
void protectUntilRelease(llvm::Loop &L);

/// Ends the protection of all loops of \p F, and unrolls those which are worth
/// it at -O<SpeedupLevel>. Returns whether there were any; analyses of \p F are
/// up to date afterwards.
bool releaseProtectedLoops(llvm::Function &F,
                           llvm::FunctionAnalysisManager &FAM,
                           unsigned SpeedupLevel);

} // namespace tilesmith

#endif
