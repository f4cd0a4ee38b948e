//===- UnstoredSums.cpp - sums that are only looked at --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/UnstoredSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// What \p Phi, of the header of \p L, is after an iteration, if that may be a
/// sum that is used behind the loop.
static Instruction *sumUsedBehind(const PHINode &Phi, const Loop &L) {
  auto *Sum =
      dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (!Sum || !L.contains(Sum) || Phi.getType()->isPointerTy())
    return nullptr;
  bool IsCounter = Sum->getOpcode() == Instruction::Add &&
                   any_of(Sum->operands(), [&](const Value *Op) {
                     return Op != &Phi && L.isLoopInvariant(Op);
                   });
  bool IsUsed = any_of(Sum->users(), [&](const User *U) {
    return !L.contains(cast<Instruction>(U));
  });
  return IsUsed && !IsCounter ? Sum : nullptr;
}

/// Whether \p Phi goes on from what the loop around \p L carries.
static bool goesOn(const PHINode &Phi, const Loop &L) {
  const BasicBlock *Header = L.getParentLoop()->getHeader();
  return any_of(Phi.incoming_values(), [&](const Value *V) {
    auto *Outer = dyn_cast<PHINode>(V);
    return Outer && Outer->getParent() == Header;
  });
}

UnstoredSums unstoredSums(const Loop &L) {
  const Loop *Around = L.getParentLoop();
  auto Writes = [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return I.mayWriteToMemory() && !I.isLifetimeStartOrEnd();
    });
  };
  if (!L.isInnermost() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      !Around || any_of(Around->blocks(), Writes))
    return {};
  UnstoredSums Sums;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (Instruction *Sum = sumUsedBehind(Phi, L); Sum && !goesOn(Phi, L))
      Sums.push_back(Sum);
  return Sums;
}

} // namespace tilesmith
