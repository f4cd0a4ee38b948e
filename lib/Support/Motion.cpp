//===- Motion.cpp - computing values earlier ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Motion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

bool canComputeBefore(const Value &V, const Instruction &At,
                      const DominatorTree &DT) {
  if (DT.dominates(&V, &At))
    return true;
  const auto &I = cast<Instruction>(V);
  return !isa<PHINode>(I) && !I.mayReadFromMemory() &&
         isSafeToSpeculativelyExecute(&I) &&
         all_of(I.operands(),
                [&](const Value *Of) { return canComputeBefore(*Of, At, DT); });
}

Value *computeBefore(Value &V, Instruction &At, const DominatorTree &DT) {
  if (DT.dominates(&V, &At))
    return &V;
  Instruction *Copy = cast<Instruction>(V).clone();
  for (Use &Of : Copy->operands())
    Of = computeBefore(*Of, At, DT);
  Copy->insertBefore(At.getIterator());
  return Copy;
}

} // namespace tilesmith
