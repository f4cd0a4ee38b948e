//===- Movers.cpp - which loops a number changes with ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Movers.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

SmallPtrSet<const Loop *, 4> moversOf(const SCEV *S) {
  SmallPtrSet<const Loop *, 4> Result;
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Counter = dyn_cast<SCEVAddRecExpr>(Part))
      Result.insert(Counter->getLoop());
    return false;
  });
  return Result;
}

bool isMovedBy(const SCEV *S, const Loop &L) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    return Counter && Counter->getLoop() == &L;
  });
}

} // namespace tilesmith
