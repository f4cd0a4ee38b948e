//===- FusionParts.h - what is fused in which iterations --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An innermost loop becomes vectors, of several lengths maybe, and what these leave
// over. Where additions are fused otherwise in one of these parts, it has to be known
// which iterations are made by which part. So the nest is run twice, as it was and as
// LLVM has finished it, for a hundred and more lengths of that loop, with the same
// numbers (NestRun.h):
//
//   as it was     which iteration of how many stores to an element of C
//   finished      by which additions what is stored there is made
//
// If the first n - n mod Step iterations of all n are of one kind, and the others of
// another one, that is the answer. Each branch of the finished nest must have gone both
// ways: one that never does might lead to loops that are not seen, as if arrays
// overlapped. It does not matter where all ways meet again, with no addition between,
// or where the other way makes nothing in this iteration of its loop.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUSIONPARTS_H
#define TILESMITH_LIB_PLUGIN_FUSIONPARTS_H

#include "FusionReader.h"
#include "llvm/Analysis/LoopInfo.h"
#include <map>
#include <optional>

namespace tilesmith {

/// An addition of the nest as it was: what is added, and which operands are products.
struct SourceAddition {
  uint64_t Key;
  std::optional<uint64_t> Products[2];
};
using SourceAdditions =
    llvm::DenseMap<const llvm::Instruction *, SourceAddition>;

/// The lanes of additions of a finished function, with what is fused.
using FinishedLanes =
    std::map<std::pair<const llvm::Instruction *, unsigned>, LaneOfAddition>;

/// What is fused in each of two parts of innermost loops.
struct FusionParts {
  struct Fused {
    std::optional<uint64_t> InVectors, InRest; ///< the product, if one is
    unsigned Step;

    bool operator==(const Fused &O) const {
      return InVectors == O.InVectors && InRest == O.InRest && Step == O.Step;
    }
  };
  llvm::DenseMap<uint64_t, Fused> Of; ///< by key
};

/// Loops of a function.
struct LoopsToRun {
  llvm::SmallVector<const llvm::Loop *, 2> Roots;
  const llvm::LoopInfo &LI;
};

/// The parts of the loops of \p Source with \p Additions, whose fate differs; nothing
/// if a loop has no such parts.
std::optional<FusionParts> findFusionParts(const LoopsToRun &Source,
                                           const SourceAdditions &Additions,
                                           const LoopsToRun &Finished,
                                           const FinishedLanes &Lanes);

} // namespace tilesmith

#endif
