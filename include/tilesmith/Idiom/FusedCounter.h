//===- FusedCounter.h - one counter for two loops --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_FUSEDCOUNTER_H
#define TILESMITH_IDIOM_FUSEDCOUNTER_H

#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {
class Instruction;
class Loop;
class PHINode;
class Value;
} // namespace llvm

namespace tilesmith {

/// A counter t that stands for two: t / n or t % n is computed, for an n that
/// does not change in its loop. (LLVM makes t - t % n of t / n * n.) The divisor may be narrower.
struct FusedCounter {
  llvm::PHINode *Phi;
  llvm::Value *Divisor;
};
std::optional<FusedCounter> fusedCounter(const llvm::Loop &L);

/// A quotient of a counter, or else a remainder, perhaps in a narrower type.
struct CounterPart {
  llvm::Instruction *Inst;
  llvm::Value *Divisor;
  bool IsQuotient;
  bool IsUnsigned = false; ///< if it is narrower
};
llvm::SmallVector<CounterPart, 4> counterParts(llvm::Instruction &Counter);

} // namespace tilesmith

#endif
