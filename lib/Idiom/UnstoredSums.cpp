//===- UnstoredSums.cpp - sums that are only looked at --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/UnstoredSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
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

/// Whether anything that is computed of \p Sum may be stored in \p Around.
static bool isStored(const Instruction &Sum, const Loop &Around) {
  constexpr unsigned MaxSeen = 256;
  SmallVector<const Instruction *, 8> Work{&Sum};
  SmallPtrSet<const Instruction *, 16> Seen;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!Around.contains(I) || !Seen.insert(I).second)
      continue;
    if (I->mayWriteToMemory() || Seen.size() > MaxSeen)
      return true;
    for (const User *U : I->users())
      Work.push_back(cast<Instruction>(U));
  }
  return false;
}

UnstoredSums unstoredSums(const Loop &L) {
  if (!L.isInnermost() || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      !L.getParentLoop())
    return {};
  UnstoredSums Sums;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (Instruction *Sum = sumUsedBehind(Phi, L);
        Sum && !goesOn(Phi, L) && !isStored(*Sum, *L.getParentLoop()))
      Sums.push_back(Sum);
  return Sums;
}

} // namespace tilesmith
