//===- Borders.h - comparisons of counters with borders ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_BORDERS_H
#define TILESMITH_IDIOM_BORDERS_H

#include "LoopNest.h"

namespace tilesmith {

/// `Low Predicate High` holds; the predicate is none of "greater".
struct Order {
  llvm::CmpInst::Predicate Predicate;
  const llvm::SCEV *Low, *High;
};

/// What \p Of says of two numbers, as LLVM writes it: `(X & 0xfffffff0) == 0` says
/// that the lower 32 bits of X are below 16, with 0x80000000 that they are not
/// negative; so does `X - 16 >= -16`, unsigned, if X has so many.
Order orderOf(BorderGuard::Comparison Of, llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif // TILESMITH_IDIOM_BORDERS_H
