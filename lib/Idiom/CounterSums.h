//===- CounterSums.h - addresses that are sums of counters ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is plain to see of a nest's counters, without ScalarEvolution: most
// addresses are sums of their multiples, and most loops go from one number that
// does not vary to another. Where that is not plain to see, there is no answer.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_COUNTERSUMS_H
#define TILESMITH_LIB_IDIOM_COUNTERSUMS_H

#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace llvm {
class BasicBlock;
class Instruction;
class LoadInst;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace tilesmith {

/// How far a step goes; nothing if that is not known.
using StepLength = std::optional<int64_t>;

/// A sum of multiples of counters, of which each loop has one at most: the
/// headers of their loops, and how far a step of each goes.
using CounterSum = llvm::SmallDenseMap<const llvm::BasicBlock *, StepLength, 4>;

class CounterSums {
public:
  /// Of the nest of all loops from \p Root to \p Innermost.
  CounterSums(const llvm::Loop &Innermost, const llvm::Loop &Root)
      : Innermost(Innermost), Root(Root) {}

  /// The address of \p Load, in bytes, if it is such a sum; all loops that may
  /// move it do, then.
  const std::optional<CounterSum> &sumOf(const llvm::LoadInst &Load);

  /// Whether all loops begin and end at places that do not vary.
  bool isRectangle();
  /// How often the inner loop runs at most, if that is written there; or 0.
  uint64_t mostSteps() const;

private:
  /// A value that the same step, which does not vary in the nest, is added to
  /// in each iteration of a loop.
  struct Counter {
    const llvm::PHINode *Phi;
    const llvm::Value *Start, *Step;
    int64_t BytesOfStep; ///< of one, if it is a pointer
  };
  std::optional<Counter> counterOf(const llvm::Value &V) const;
  bool isStep(const llvm::Instruction &I) const;
  bool hasFixedEnds(const llvm::Loop &L) const;
  bool addToSum(const llvm::Value &V, StepLength Length, CounterSum &Sum,
                unsigned Depth = 0) const;

  const llvm::Loop &Innermost, &Root;
  std::optional<bool> Rectangle;
  llvm::DenseMap<const llvm::LoadInst *, std::optional<CounterSum>> Sums;
};

} // namespace tilesmith

#endif
