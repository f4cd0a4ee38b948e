//===- PhasedNests.h - scatters a distance apart -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a convolution with a distance between its windows scatters
// products that far apart, and neighbours in C come from different taps:
//
//   for y, r:                            for p < 2:
//     C[2 * y + r] += dy[y] * w[r]  =>     for y, for r from p by 2:
//                                            C[2 * y + r] += dy[y] * w[r]
//
// An element of C belongs to one phase p. Its steps come in the same order, so the
// sums are the same. In a phase, places and taps are equally far apart: the room
// Idiom knows such a scatter.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PHASEDNESTS_H
#define TILESMITH_LIB_PLUGIN_PHASEDNESTS_H

#include "ShapeTrial.h"
#include "tilesmith/Planning/Options.h"

namespace llvm {
class AAResults;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Puts loops over phases in front of nests of \p F, with a copy of the nest
/// inside, if \p Ask says that it will be replaced. The source's loops run where C
/// overlaps what they read, or is small, unless \p Opts say from which size on. Returns where phases begin, in a block that
/// dominates the others; if there are any, the loops of \p F are others now.
llvm::SmallVector<llvm::BasicBlock *, 2>
phaseScatters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
              const Options &Opts, Judge Ask);

/// Whether the nest that ends in \p Inner may be such a scatter.
bool isScatteredApart(llvm::Loop &Inner, llvm::AAResults &AA,
                      llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                      llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
