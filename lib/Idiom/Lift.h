//===- Lift.h - expressions out of instructions -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_LIFT_H
#define TILESMITH_LIB_IDIOM_LIFT_H

#include "LoopNest.h"

namespace tilesmith {

/// Whether \p I is llvm.fmuladd or llvm.fma.
bool isFusedMultiplyAdd(const llvm::Instruction &I);

/// Whether \p I may be part of an Expression: it can be cloned on vectors, and
/// then gives the same bits in every lane.
bool isElementwise(const llvm::Instruction &I);

/// The operands of \p I that a running sum may come in by.
llvm::ArrayRef<unsigned> addends(const llvm::Instruction &I);

/// The element that the update writes, wherever in the nest it is read.
struct ElementOfC {
  const llvm::SCEV *Address = nullptr;
  llvm::Type *Ty = nullptr;

  bool isReadBy(const llvm::Value &V, const LoopNest &In) const;
};

/// Finds out which multiplications in the tree of \p E are not fused with their
/// users (see Expression::Rounded).
Refused findRounded(Expression &E, const LoopNest &In);

/// Says what a value stands for; nothing if the tree goes on through it.
using LeafOf = llvm::function_ref<std::optional<Leaf>(const llvm::Value &)>;

/// Lifts the tree of \p V into \p Into. It ends at what \p Known names, and at
/// invariants.
Refused lift(llvm::Value *V, const LoopNest &In, LeafOf Known,
             Expression &Into);

} // namespace tilesmith

#endif
