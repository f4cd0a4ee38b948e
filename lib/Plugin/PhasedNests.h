//===- PhasedNests.h - nests by the remainders of their counters -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gradient of a convolution with a distance between its windows scatters
// products that far apart, and neighbours in C come from different taps
// (ScatteredPhases.cpp):
//
//   for y, r:                            for p < 2:
//     C[2 * y + r] += dy[y] * w[r]  =>     for y, for r from p by 2:
//                                            C[2 * y + r] += dy[y] * w[r]
//
// Or it gathers them, and leaves out what has a remainder (GatheredPhases.cpp):
//
//   for y, r:                            for p < 2:
//     if ((y - r) % 2 == 0)         =>     for y from p by 2, for r from p by 2:
//       C[y] += dy[(y - r) / 2]              C[y] += dy[y' - r']
//               * w[r]                               * w[r]
//
// An element of C belongs to one phase p. Its steps come in the same order, so the
// sums are the same. In a phase, places and taps are equally far apart: the room
// Idiom knows such nests.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PHASEDNESTS_H
#define TILESMITH_LIB_PLUGIN_PHASEDNESTS_H

#include "PhaseLoops.h"
#include "ShapeTrial.h"
#include "tilesmith/Planning/Options.h"
#include <memory>

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
phaseNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
           const Options &Opts, Judge Ask);

/// A nest that may be made phase by phase.
class PhasedNest {
public:
  virtual ~PhasedNest() = default;
  virtual bool prepare() = 0;
  /// Makes the copy. The loops are others then. The source's are a fall-back, unless
  /// they are a product, too. Small ones are phased if \p OfAnySize.
  virtual Phases run(bool IsProduct, bool OfAnySize) = 0;
};

/// The nest that ends in \p Inner, as far as it scatters products.
std::unique_ptr<PhasedNest>
scatteredPhases(llvm::Loop &Inner, llvm::AAResults &AA, llvm::LoopInfo &LI,
                llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);
/// As far as it gathers them.
std::unique_ptr<PhasedNest>
gatheredPhases(llvm::Loop &Inner, llvm::AAResults &AA, llvm::LoopInfo &LI,
               llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

/// Whether it may gather: there is a test of a remainder.
bool mayGather(const llvm::Loop &Inner);

/// Whether the nest that ends in \p Inner may be one, as far as can be told before
/// LLVM has made all counters as wide as addresses.
bool isLikelyScattered(llvm::Loop &Inner, llvm::AAResults &AA,
                       llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                       llvm::ScalarEvolution &SE);
bool isLikelyGathered(llvm::Loop &Inner, llvm::AAResults &AA,
                      llvm::LoopInfo &LI, llvm::DominatorTree &DT,
                      llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
