//===- Witness.h - sizes for which tests hold -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_WITNESS_H
#define TILESMITH_LIB_IDIOM_WITNESS_H

#include "tilesmith/Idiom/Conditions.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Finds sizes for which the tests of a guard hold at once. Some tests
/// contradict each other, or what can be known of sizes, in ways that no range
/// shows; a nest behind such tests would never be replaced when it runs.
///
/// Sizes are tried out: extents of a few elements, and other numbers large, as
/// distances between rows are; then small ones, too.
class Witness {
public:
  /// \p Counts: expressions of whose parameters extents are made; or null.
  Witness(llvm::ArrayRef<const llvm::SCEV *> Counts, llvm::ScalarEvolution &SE);

  /// Whether there are sizes for which both \p New and all of \p Tests hold, of
  /// which a former call has said so. Equality among \p Tests, which few sizes
  /// meet, and what depends on more than numbers, is taken to hold.
  bool allows(const Requirement &New, llvm::ArrayRef<Requirement> Tests = {});

private:
  bool holds(const Requirement &Test);
  const llvm::SCEV *evaluate(const llvm::SCEV *S);
  uint64_t valueOf(const llvm::Value *V);

  llvm::ScalarEvolution &SE;
  /// Each number that tests depend on: its place among them, and whether an
  /// extent is made of it.
  struct Number {
    unsigned Index;
    bool IsExtent;
  };
  llvm::DenseMap<const llvm::Value *, Number> Numbers;
  unsigned Attempt = 0;
};

} // namespace tilesmith

#endif
