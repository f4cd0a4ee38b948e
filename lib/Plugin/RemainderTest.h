//===- RemainderTest.h - tests of remainders --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How programs test whether a number can be divided without a rest, how they divide
// it then, and what a loop does where it cannot be.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_REMAINDERTEST_H
#define TILESMITH_LIB_PLUGIN_REMAINDERTEST_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace llvm {
class Loop;
}

namespace tilesmith {

/// `x % d == 0`, or that of two numbers at once: `((x | y) & 1) == 0`.
struct RemainderTest {
  llvm::ICmpInst *Compare;
  llvm::SmallVector<llvm::Value *, 2> Of;
  llvm::Value *By = nullptr; ///< if not set:
  uint64_t Constant = 0;
  /// Whether it is not true, either, where the number is less than zero: the mask has
  /// the uppermost bit.
  bool HasSign = false;

  bool isTrueIfZero() const {
    return Compare->getPredicate() == llvm::ICmpInst::ICMP_EQ;
  }
};

/// \p I as such a test.
std::optional<RemainderTest> remainderTest(llvm::Instruction &I);

/// A division of a number, rounded in some way, by By or a constant.
struct Division {
  llvm::Value *Of = nullptr, *By = nullptr;
  uint64_t Constant = 0;
  bool IsUnsigned = false;
};

/// \p I as one.
std::optional<Division> division(llvm::Instruction &I);

/// What an iteration of \p L does in which no remainder is zero.
class OtherIteration {
public:
  OtherIteration(const llvm::Loop &L, llvm::ArrayRef<RemainderTest> Tests);

  /// Whether that is nothing but to count on, as \p IsCounter says which do.
  bool isIdle(llvm::function_ref<bool(llvm::PHINode &)> IsCounter);

private:
  std::optional<bool> known(llvm::Value *Condition) const;
  bool isTaken(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  llvm::Value *resolve(llvm::Value *V);

  const llvm::Loop &L;
  llvm::ArrayRef<RemainderTest> Tests;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> Live;
  llvm::SmallPtrSet<const llvm::PHINode *, 8> Visited;
};

} // namespace tilesmith

#endif
