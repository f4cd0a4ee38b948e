//===- Lift.h - expressions out of instructions -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_LIFT_H
#define TILESMITH_LIB_IDIOM_LIFT_H

#include "Patterns.h"

namespace tilesmith {

/// Finds out which multiplications in the tree of \p E are not fused with their
/// users (see Expression::Rounded).
Refused findRounded(Expression &E, const LoopNest &In);

/// Says what a value stands for; nothing if the tree goes on through it.
using LeafOf = llvm::function_ref<std::optional<Leaf>(const llvm::Value &)>;

/// Lifts the tree of \p V into \p Into. It ends at what \p Known names, and at
/// invariants; everything else \p May be part of it.
Refused lift(llvm::Value *V, const LoopNest &In, LeafOf Known, Expression &Into,
             bool (*May)(const llvm::Instruction &) = isElementwise);

} // namespace tilesmith

#endif
