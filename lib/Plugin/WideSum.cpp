//===- WideSum.cpp - counts of what wider elements make -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WideSum.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tilesmith {

/// Of the sums that are made, and of elements.
static constexpr unsigned WideBits = 64;

namespace {

/// A sum of \p L that \p Phi carries, as it is and in 64 bits.
class NarrowSum {
public:
  NarrowSum(PHINode &Phi, const Loop &L) : Phi(Phi), L(L) {}

  bool canBeWide();
  void widen();

private:
  bool collect(Value &V);
  Value *wide(Value &V);
  Value *makeWide(Instruction &I);
  Value &last() const {
    return *Phi.getIncomingValueForBlock(L.getLoopLatch());
  }

  PHINode &Phi;
  const Loop &L;
  SmallPtrSet<Value *, 8> Made; ///< of which the lower bits suffice
  bool HasElements = false;
  PHINode *WidePhi = nullptr;
};

} // namespace

/// Adds what \p V is made of to what will be made in 64 bits.
bool NarrowSum::collect(Value &V) {
  if (isa<ConstantInt>(V) || L.isLoopInvariant(&V) || !Made.insert(&V).second)
    return true;
  if (&V == &Phi)
    return true;
  auto *I = cast<Instruction>(&V);
  switch (I->getOpcode()) {
  case Instruction::Trunc:
    HasElements = true;
    return I->getOperand(0)->getType()->isIntegerTy(WideBits);
  case Instruction::ZExt:
  case Instruction::SExt:
    HasElements = true;
    return true;
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return collect(*I->getOperand(0)) && collect(*I->getOperand(1));
  case Instruction::Shl:
    return isa<ConstantInt>(I->getOperand(1)) && collect(*I->getOperand(0));
  case Instruction::Select:
    return collect(*I->getOperand(1)) && collect(*I->getOperand(2));
  default:
    return false;
  }
}

bool NarrowSum::canBeWide() {
  Type *Ty = Phi.getType();
  if (!Ty->isIntegerTy() || Ty->getScalarSizeInBits() >= WideBits ||
      &last() == &Phi || !collect(last()) || !Made.contains(&Phi) ||
      !HasElements)
    return false;
  // Nothing else goes on with it within the loop, as a counter does.
  return all_of(Phi.users(),
                [&](const User *U) {
                  return Made.contains(const_cast<User *>(U));
                }) &&
         all_of(last().users(), [&](const User *U) {
           return U == &Phi || Made.contains(const_cast<User *>(U)) ||
                  !L.contains(cast<Instruction>(U));
         });
}

Value *NarrowSum::makeWide(Instruction &I) {
  IRBuilder<> B(&I);
  Type *Ty = B.getIntNTy(WideBits);
  switch (I.getOpcode()) {
  case Instruction::Trunc:
    return I.getOperand(0);
  case Instruction::ZExt:
  case Instruction::SExt:
    return B.CreateCast(cast<CastInst>(I).getOpcode(), I.getOperand(0), Ty);
  case Instruction::Select:
    return B.CreateSelect(I.getOperand(0), wide(*I.getOperand(1)),
                          wide(*I.getOperand(2)));
  default:
    return B.CreateBinOp(cast<BinaryOperator>(I).getOpcode(),
                         wide(*I.getOperand(0)), wide(*I.getOperand(1)));
  }
}

/// A value of 64 bits of which the lower ones are \p V.
Value *NarrowSum::wide(Value &V) {
  if (&V == &Phi)
    return WidePhi;
  if (!isa<ConstantInt>(V) && !L.isLoopInvariant(&V))
    return makeWide(cast<Instruction>(V));
  IRBuilder<> B(L.getLoopPredecessor()->getTerminator());
  return B.CreateZExt(&V, B.getIntNTy(WideBits));
}

void NarrowSum::widen() {
  BasicBlock *Before = L.getLoopPredecessor(), *Exit = L.getUniqueExitBlock();
  IRBuilder<> B(&Phi);
  WidePhi = B.CreatePHI(B.getIntNTy(WideBits), 2);
  auto *Old = cast<Instruction>(&last());
  WidePhi->addIncoming(wide(*Phi.getIncomingValueForBlock(Before)), Before);
  Value *Wide = wide(*Old);
  WidePhi->addIncoming(Wide, L.getLoopLatch());
  B.SetInsertPoint(Exit, Exit->getFirstInsertionPt());
  B.SetCurrentDebugLocation(Old->getDebugLoc());
  Value *Narrow = B.CreateTrunc(Wide, Phi.getType());
  for (PHINode &AtExit : make_early_inc_range(Exit->phis()))
    if (AtExit.getIncomingValue(0) == Old) {
      AtExit.replaceAllUsesWith(Narrow);
      AtExit.eraseFromParent();
    }
  Old->replaceUsesWithIf(Narrow, [&](const Use &U) {
    return !L.contains(cast<Instruction>(U.getUser()));
  });
  RecursivelyDeleteDeadPHINode(&Phi);
}

/// Whether \p L loads numbers of 64 bits.
static bool hasWideElements(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return isa<LoadInst>(I) && I.getType()->getPrimitiveSizeInBits() ==
                                     TypeSize::getFixed(WideBits);
    });
  });
}

static SmallVector<PHINode *, 1> narrowSums(const Loop &L) {
  SmallVector<PHINode *, 1> Sums;
  const BasicBlock *Exit = L.getUniqueExitBlock();
  if (L.isInnermost() && L.getParentLoop() && L.getLoopPredecessor() &&
      L.getLoopLatch() && Exit &&
      Exit->getSinglePredecessor() == L.getExitingBlock() && hasWideElements(L))
    for (PHINode &Phi : L.getHeader()->phis())
      if (NarrowSum(Phi, L).canBeWide())
        Sums.push_back(&Phi);
  return Sums;
}

bool hasNarrowSum(const Loop &L) { return !narrowSums(L).empty(); }

void widenSums(Loop &L) {
  for (PHINode *Phi : narrowSums(L)) {
    NarrowSum Sum(*Phi, L);
    if (Sum.canBeWide())
      Sum.widen();
  }
}

} // namespace tilesmith
