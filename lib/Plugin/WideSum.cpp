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
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// The bits of the widest integers that \p L loads.
static unsigned bitsOfElements(const Loop &L) {
  unsigned Most = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (isa<LoadInst>(I) && I.getType()->isIntegerTy())
        Most = std::max(Most, I.getType()->getIntegerBitWidth());
  return Most;
}

namespace {

/// A sum of \p L that \p Phi carries, as it is and as wide as elements are.
class NarrowSum {
public:
  NarrowSum(PHINode &Phi, const Loop &L)
      : Phi(Phi), L(L), WideBits(bitsOfElements(L)) {}

  bool canBeWide();
  void widen();

private:
  bool isTruth() const { return Phi.getType()->isIntegerTy(1); }
  bool collect(Value &V);
  bool collectTruth(Instruction &I);
  Value *addedTruth(Instruction &I) const;
  Value *wide(Value &V);
  Value *makeWide(Instruction &I);
  Value &last() const {
    return *Phi.getIncomingValueForBlock(L.getLoopLatch());
  }

  PHINode &Phi;
  const Loop &L;
  const unsigned WideBits;
  SmallPtrSet<Value *, 8> Made;   ///< of which the lower bits suffice
  SmallPtrSet<Value *, 4> Truths; ///< that are joined
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
  if (isTruth())
    return collectTruth(*I);
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

/// What \p I joins the sum with, `(sum | V) != 0`, as bits are before they become a
/// truth value. Null if it does something else.
Value *NarrowSum::addedTruth(Instruction &I) const {
  Value *V;
  return match(&I, m_SpecificICmp(ICmpInst::ICMP_NE,
                                  m_c_Or(m_ZExt(m_Specific(&Phi)), m_Value(V)),
                                  m_Zero()))
             ? V
             : nullptr;
}

/// The same of a truth value \p I, which is zero or one.
bool NarrowSum::collectTruth(Instruction &I) {
  if (addedTruth(I)) {
    for (Value *Op : cast<Instruction>(I.getOperand(0))->operands())
      if (isa<ZExtInst>(Op))
        Made.insert(Op);
    Made.insert(&Phi);
    return HasElements = true;
  }
  if (isa<CmpInst, TruncInst, SelectInst>(I)) {
    // Nothing of it is a sum, or that would have users that are not made wide.
    Made.erase(&I);
    Truths.insert(&I);
    return HasElements = !is_contained(I.operands(), &Phi);
  }
  return I.isBitwiseLogicOp() && collect(*I.getOperand(0)) &&
         collect(*I.getOperand(1));
}

bool NarrowSum::canBeWide() {
  Type *Ty = Phi.getType();
  if (!Ty->isIntegerTy() || Ty->getIntegerBitWidth() >= WideBits ||
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
  IRBuilder<> B(Truths.contains(&I) ? I.getNextNode() : &I);
  Type *Ty = B.getIntNTy(WideBits);
  if (Truths.contains(&I))
    return B.CreateZExt(&I, Ty);
  if (Value *Added = isTruth() ? addedTruth(I) : nullptr)
    return B.CreateOr(WidePhi, B.CreateZExt(B.CreateIsNotNull(Added), Ty));
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

/// A wide value of which the lower bits are \p V.
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
  // What becomes of a truth value behind the loop is the wide one, cut to size.
  if (isTruth())
    for (User *U : make_early_inc_range(Narrow->users()))
      if (auto *Cast = dyn_cast<ZExtInst>(U)) {
        B.SetInsertPoint(Cast);
        Cast->replaceAllUsesWith(B.CreateZExtOrTrunc(Wide, Cast->getType()));
        Cast->eraseFromParent();
      }
  RecursivelyDeleteDeadPHINode(&Phi);
}

static SmallVector<PHINode *, 1> narrowSums(const Loop &L) {
  SmallVector<PHINode *, 1> Sums;
  const BasicBlock *Exit = L.getUniqueExitBlock();
  if (L.isInnermost() && L.getParentLoop() && L.getLoopPredecessor() &&
      L.getLoopLatch() && Exit &&
      Exit->getSinglePredecessor() == L.getExitingBlock())
    for (PHINode &Phi : L.getHeader()->phis())
      if ((Phi.getType()->isIntegerTy(1) || bitsOfElements(L) == 64) &&
          NarrowSum(Phi, L).canBeWide())
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
