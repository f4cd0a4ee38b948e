//===- IntegerStart.cpp - integer sums that start from elements -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerStart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include <optional>

using namespace llvm;

namespace tilesmith {

namespace {

/// Phi = Start, then Sum = Phi + … in each step.
struct SumWithStart {
  PHINode *Phi;
  BinaryOperator *Sum;
  Instruction *Start;
};

} // namespace

/// What \p Phi, of the header of \p L, carries, if nothing else in the loop uses it.
static std::optional<SumWithStart> sumWithStart(PHINode &Phi, const Loop &L) {
  const BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
  if (!Before || !Latch || !Phi.getType()->isIntegerTy() || !Phi.hasOneUse())
    return std::nullopt;
  auto *Start = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Before));
  auto *Sum = dyn_cast<BinaryOperator>(Phi.getIncomingValueForBlock(Latch));
  bool IsUsedInside = Sum && any_of(Sum->users(), [&](const User *U) {
                        return U != &Phi && L.contains(cast<Instruction>(U));
                      });
  if (!Start || isa<PHINode>(Start) || !L.getParentLoop()->contains(Start) ||
      !Sum || Sum->getOpcode() != Instruction::Add ||
      !is_contained(Sum->operands(), &Phi) || IsUsedInside)
    return std::nullopt;
  // Not a counter that begins somewhere else each time.
  const Value *Added = Sum->getOperand(Sum->getOperand(0) == &Phi ? 1 : 0);
  if (L.isLoopInvariant(Added))
    return std::nullopt;
  return SumWithStart{&Phi, Sum, Start};
}

static SmallVector<SumWithStart, 1> sumsWithStart(const Loop &L) {
  SmallVector<SumWithStart, 1> Sums;
  if (L.isInnermost() && L.getParentLoop())
    for (PHINode &Phi : L.getHeader()->phis())
      if (auto Sum = sumWithStart(Phi, L))
        Sums.push_back(*Sum);
  return Sums;
}

bool hasIntegerStart(const Loop &L) { return !sumsWithStart(L).empty(); }

void addStartsBehind(Loop &L) {
  BasicBlock *Exit = L.getUniqueExitBlock();
  if (!Exit || Exit->getSinglePredecessor() != L.getExitingBlock())
    return;
  for (const SumWithStart &S : sumsWithStart(L)) {
    IRBuilder<> B(Exit, Exit->getFirstInsertionPt());
    B.SetCurrentDebugLocation(S.Sum->getDebugLoc());
    SmallVector<Instruction *, 2> Last{S.Sum};
    for (PHINode &Phi : Exit->phis())
      if (Phi.getIncomingValue(0) == S.Sum)
        Last.push_back(&Phi);
    for (Instruction *Sum : Last) {
      auto *All = cast<Instruction>(B.CreateAdd(Sum, S.Start));
      Sum->replaceUsesWithIf(All, [&](const Use &U) {
        auto *User = cast<Instruction>(U.getUser());
        return User != All && !L.contains(User) && !is_contained(Last, User);
      });
      if (All->use_empty())
        All->eraseFromParent();
    }
    // What the partial sums are now is another matter.
    S.Sum->dropPoisonGeneratingFlags();
    S.Phi->setIncomingValueForBlock(L.getLoopPredecessor(),
                                    Constant::getNullValue(S.Phi->getType()));
  }
}

} // namespace tilesmith
