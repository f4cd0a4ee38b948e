//===- FirstLook.cpp - whether a loop is worth a closer look --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/SkippedSteps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p I serves to find an element, and for nothing else.
static bool isSubscript(const Instruction &I, unsigned Depth = 0) {
  return I.getType()->isIntegerTy() && Depth < 4 && !I.use_empty() &&
         all_of(
             I.users(),
             [&](const User *U) {
               return isa<GetElementPtrInst>(U) ||
                      (isa<BinaryOperator, CastInst>(U) &&
                       isSubscript(*cast<Instruction>(U), Depth + 1));
             });
}

static bool hasOpcode(const Instruction &I, ArrayRef<unsigned> Opcodes) {
  return is_contained(Opcodes, I.getOpcode());
}

static bool isPair(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  // A truth value is cut off where others are compared.
  return I &&
         (mayPair(*I) || (isa<TruncInst>(I) && I->getType()->isIntegerTy(1)));
}

/// Whether \p V is made of a pair by functions of one value, or of two that are.
static bool isOfPair(const Value *V, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 3;
  auto *I = dyn_cast<Instruction>(V);
  return I && Depth < MaxDepth &&
         (isa<CastInst, IntrinsicInst, SelectInst>(I) ||
          hasOpcode(*I,
                    {Instruction::AShr, Instruction::LShr, Instruction::Sub,
                     Instruction::Mul, Instruction::SDiv, Instruction::UDiv,
                     Instruction::SRem, Instruction::URem, Instruction::FSub,
                     Instruction::FMul, Instruction::FDiv})) &&
         any_of(
             I->operands(),
             [&](const Value *Op) {
               return isPair(Op) || isOfPair(Op, Depth + 1);
             });
}

/// Whether \p I may make a sum, or a minimum, of what two elements make that is no
/// product.
static bool isPairwiseUpdate(const Instruction &I) {
  if (isConditionalStore(I)) {
    auto *Stored = dyn_cast<Instruction>(I.getOperand(0));
    return Stored &&
           (isPair(Stored) || isOfPair(Stored) || isMinOrMax(*Stored));
  }
  auto Updates = drop_begin(I.operands(), isa<SelectInst>(I));
  auto IsOfPair = [](const Value *V) { return isOfPair(V); };
  if (isMinOrMax(I) || isa<SelectInst, SaturatingInst>(I) ||
      hasOpcode(I, {Instruction::Or, Instruction::And, Instruction::Xor}))
    return any_of(Updates, isPair) || any_of(Updates, IsOfPair);
  return !addends(I).empty() && any_of(Updates, IsOfPair) && !isSubscript(I);
}

/// What \p V is where it is not zero, if it is zero on some way: a product, for
/// instance, of which the windows that leave an image have none.
static const Value *orZero(const Value *V) {
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || Phi->getNumIncomingValues() != 2)
    return V;
  for (unsigned I : {0, 1})
    if (auto *C = dyn_cast<Constant>(Phi->getIncomingValue(I));
        C && C->isNullValue())
      return Phi->getIncomingValue(1 - I);
  return V;
}

/// Such as one of a product to an element that is atomic: it is left alone, and
/// told.
static bool isAtomicAddition(const Instruction &I) {
  auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  return Atomic && is_contained({AtomicRMWInst::Add, AtomicRMWInst::FAdd,
                                 AtomicRMWInst::Sub, AtomicRMWInst::FSub},
                                Atomic->getOperation());
}

/// Whether a test of an element in front of \p Innermost leaves out all its steps.
static bool isTestedInFront(const Loop &Innermost) {
  const BasicBlock *Before = Innermost.getLoopPredecessor();
  if (Before && Before->getSingleSuccessor())
    Before = Before->getSinglePredecessor();
  auto *Test = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  if (!Test || !Test->isConditional() ||
      !Innermost.getParentLoop()->contains(Before))
    return false;
  auto *Asked = dyn_cast<Instruction>(Test->getCondition());
  return Asked && (isa<CmpInst, TruncInst>(Asked)) &&
         isa<LoadInst>(Asked->getOperand(0));
}

/// Whether \p I joins two elements, or stores what has been chosen of two: where a
/// third one is tested in front, if (a[i][k]) for j c[i][j] |= b[k][j].
static bool mayJoinElements(const Instruction &I) {
  auto IsElement = [](const Value *V) {
    while (isa<CastInst, CmpInst>(V))
      V = cast<Instruction>(V)->getOperand(0);
    return isa<LoadInst>(V);
  };
  if (isa<PHINode>(I))
    return any_of(I.operands(), IsElement) &&
           any_of(I.users(),
                  [](const User *U) { return isa<StoreInst, CastInst>(U); });
  return (isMinOrMax(I) || isa<SelectInst>(I) ||
          hasOpcode(I, {Instruction::Or, Instruction::And, Instruction::Xor,
                        Instruction::Add, Instruction::FAdd})) &&
         all_of(drop_begin(I.operands(), isa<SelectInst>(I)), IsElement);
}

/// Whether \p Innermost loads something, and adds what it multiplies, or pairs.
static bool addsProducts(const Loop &Innermost) {
  // Not 10 * s, as in 10 * s + digit.
  auto IsScaledCarried = [&](const Instruction &I) {
    auto *Phi = dyn_cast<PHINode>(I.getOperand(0));
    return Phi && Phi->getParent() == Innermost.getHeader() &&
           isa<Constant>(I.getOperand(1));
  };
  auto IsProduct = [&](const Value *V) {
    auto *I = dyn_cast<Instruction>(orZero(V));
    if (isa_and_nonnull<CastInst>(I))
      I = dyn_cast<Instruction>(I->getOperand(0));
    // A shift counts if it multiplies by a constant, or is one of a product.
    if (I && I->getOpcode() == Instruction::Shl &&
        !isa<Constant>(I->getOperand(1)))
      I = dyn_cast<Instruction>(I->getOperand(0));
    return I &&
           (I->getOpcode() == Instruction::Mul ||
            I->getOpcode() == Instruction::FMul ||
            I->getOpcode() == Instruction::Shl) &&
           !IsScaledCarried(*I);
  };
  bool HasLoad = false, HasMultiplyAdd = false;
  bool IsTested = isTestedInFront(Innermost);
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB) {
      HasLoad |= isa<LoadInst>(I);
      if (isFusedMultiplyAdd(I) || isPairwiseUpdate(I) || mayConjoin(I) ||
          (IsTested && mayJoinElements(I)))
        HasMultiplyAdd = true;
      else if ((!addends(I).empty() || isAtomicAddition(I)) &&
               any_of(I.operands(), IsProduct) && !isSubscript(I))
        HasMultiplyAdd = true;
    }
  return HasLoad && HasMultiplyAdd;
}

bool looksLikeProduct(const Loop &Innermost) {
  return Innermost.isInnermost() && Innermost.getParentLoop() &&
         addsProducts(Innermost);
}

bool skipsSteps(const Loop &Skip) {
  const Loop *Steps = Skip.getParentLoop();
  if (!Steps || !Skip.isInnermost() ||
      Skip.getLoopPredecessor() != Steps->getHeader() ||
      Skip.getHeader()->phis().empty())
    return false;
  auto GoesOn = [&](const PHINode &Phi) {
    auto *First =
        dyn_cast<PHINode>(Phi.getIncomingValueForBlock(Steps->getHeader()));
    return First && First->getParent() == Steps->getHeader();
  };
  return all_of(Skip.getHeader()->phis(), GoesOn) &&
         none_of(Skip.blocks(), [](const BasicBlock *BB) {
           return any_of(*BB, [](const Instruction &I) {
             return I.mayReadOrWriteMemory();
           });
         });
}

bool looksLikeSkippingProduct(const Loop &Steps) {
  return Steps.getParentLoop() && Steps.getSubLoops().size() == 1 &&
         skipsSteps(*Steps.getSubLoops().front()) && addsProducts(Steps);
}

} // namespace tilesmith
