//===- KinReasons.cpp - sums that are a kin of products -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KinReasons.h"
#include "Movers.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

using LoopsOf = SmallPtrSet<const Loop *, 4>;

static constexpr unsigned MaxValues = 32;

/// The address of the element that \p Access loads or stores.
static const SCEV *addressOf(const Instruction &Access, ScalarEvolution &SE) {
  return SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&Access)));
}

//===-- Convolutions ------------------------------------------------------===//

/// Whether a part of \p S, maybe the remainder of one, is the sum of the counters of
/// \p Steps and \p Rows; or their difference.
static bool hasSumOfCounters(const SCEV *S, const Loop &Steps, const Loop &Rows,
                             bool IsDifference, ScalarEvolution &SE) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part)) {
      Value *Sum;
      return match(Unknown->getValue(),
                   m_CombineOr(m_SRem(m_Value(Sum), m_Value()),
                               m_URem(m_Value(Sum), m_Value()))) &&
             hasSumOfCounters(SE.getSCEV(Sum), Steps, Rows, IsDifference, SE);
    }
    auto *OfStep = dyn_cast<SCEVAddRecExpr>(Part);
    auto *OfRow =
        OfStep ? dyn_cast<SCEVAddRecExpr>(OfStep->getStart()) : nullptr;
    if (!OfRow || OfStep->getLoop() != &Steps || OfRow->getLoop() != &Rows)
      return false;
    const SCEV *Step = OfStep->getStepRecurrence(SE);
    return OfRow->getStepRecurrence(SE) ==
           (IsDifference ? SE.getNegativeSCEV(Step) : Step);
  });
}

static bool multiplies(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return I.getOpcode() == Instruction::Mul ||
             I.getOpcode() == Instruction::FMul || isFusedMultiplyAdd(I);
    });
  });
}

const Instruction *fullConvolution(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop *Rows = Innermost.getParentLoop();
  if (!Rows || !multiplies(Innermost))
    return nullptr;
  bool HasRow = false, HasStep = false, HasDifference = false;
  const Instruction *Scatter = nullptr, *Test = nullptr;
  for (const BasicBlock *BB : Rows->blocks()) {
    for (const Instruction &I : *BB) {
      if (!isa<LoadInst, StoreInst>(I))
        continue;
      const SCEV *Address = addressOf(I, SE);
      bool OfSteps = isMovedBy(Address, Innermost),
           OfRows = isMovedBy(Address, *Rows);
      if (isa<StoreInst>(I) && Innermost.contains(&I) &&
          hasSumOfCounters(Address, Innermost, *Rows, false, SE))
        Scatter = &I;
      HasRow |= isa<LoadInst>(I) && OfRows && !OfSteps;
      HasStep |= isa<LoadInst>(I) && OfSteps && !OfRows;
      HasDifference |= isa<LoadInst>(I) && Innermost.contains(&I) &&
                       hasSumOfCounters(Address, Innermost, *Rows, true, SE);
    }
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (Branch && Branch->isConditional() && Innermost.contains(BB) &&
        !Innermost.isLoopExiting(BB))
      Test = Branch;
  }
  if (Scatter)
    return HasRow && HasStep ? Scatter : nullptr;
  return HasStep && HasDifference ? Test : nullptr;
}

//===-- Products of more than two -----------------------------------------===//

/// The elements that \p Product multiplies.
static SmallVector<const LoadInst *, 4> factorsOf(const Instruction &Product) {
  SmallSetVector<const Value *, 8> Made;
  auto Add = [&](const Instruction &I) {
    Made.insert(I.getOperand(0));
    Made.insert(I.getOperand(1));
  };
  Add(Product);
  SmallVector<const LoadInst *, 4> Result;
  for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
    auto *I = dyn_cast<Instruction>(Made[N]);
    if (auto *Load = dyn_cast_or_null<LoadInst>(I))
      Result.push_back(Load);
    else if (I && isa<CastInst>(I))
      Made.insert(I->getOperand(0));
    else if (I && (I->getOpcode() == Instruction::FMul ||
                   I->getOpcode() == Instruction::Mul))
      Add(*I);
  }
  return Result;
}

/// Whether \p A has all of \p B, and more.
static bool hasMore(const LoopsOf &A, const LoopsOf &B) {
  return A.size() > B.size() &&
         all_of(B, [&](const Loop *L) { return A.contains(L); });
}

/// Whether \p Factors are a tensor, and two that have none of its loops in common.
static bool isTensorAndVectors(ArrayRef<const LoadInst *> Factors,
                               ScalarEvolution &SE) {
  if (Factors.size() != 3)
    return false;
  SmallVector<LoopsOf, 3> Of;
  for (const LoadInst *Factor : Factors)
    Of.push_back(moversOf(addressOf(*Factor, SE)));
  sort(Of, [](auto &A, auto &B) { return A.size() > B.size(); });
  return Of[0].size() > 2 && !Of[2].empty() && hasMore(Of[0], Of[1]) &&
         hasMore(Of[0], Of[2]) &&
         none_of(Of[1], [&](const Loop *L) { return Of[2].contains(L); });
}

const Instruction *productOfThree(const Loop &Innermost, ScalarEvolution &SE) {
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB)
      if ((I.getOpcode() == Instruction::FMul || isFusedMultiplyAdd(I)) &&
          isTensorAndVectors(factorsOf(I), SE))
        return &I;
  return nullptr;
}

/// The elements that a sum, multiplied by other numbers, is made of.
static SmallVector<const LoadInst *, 4> elementsOf(const Value *Sum) {
  SmallVector<const LoadInst *, 4> Result;
  SmallSetVector<const Value *, 8> Made;
  Made.insert(Sum);
  for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
    auto *I = dyn_cast<Instruction>(Made[N]);
    if (auto *Load = dyn_cast_or_null<LoadInst>(I))
      Result.push_back(Load);
    else if (I && (isa<BinaryOperator, UnaryOperator, CastInst>(I) ||
                   isFusedMultiplyAdd(*I)))
      Made.insert_range(I->operands());
  }
  return Result;
}

/// Whether both are of one array, and moved by the same loops, by other steps.
static bool areInTwoOrders(const LoadInst &A, const LoadInst &B,
                           ScalarEvolution &SE) {
  const SCEV *OfA = addressOf(A, SE), *OfB = addressOf(B, SE);
  if (getUnderlyingObject(A.getPointerOperand()) !=
      getUnderlyingObject(B.getPointerOperand()))
    return false;
  LoopsOf Moved = moversOf(OfA), MovedB = moversOf(OfB);
  // Of two, it is an element and its mirror image.
  constexpr unsigned FewestLoops = 3;
  const SCEV *Distance = SE.getMinusSCEV(OfA, OfB);
  return Moved == MovedB && Moved.size() >= FewestLoops &&
         (isa<SCEVCouldNotCompute>(Distance) || !moversOf(Distance).empty());
}

/// Whether a loop moves \p Factor, and not what the nest stores: there is a sum.
static bool isSummed(const LoadInst &Factor, const Loop &Root,
                     ScalarEvolution &SE) {
  LoopsOf Moved = moversOf(addressOf(Factor, SE));
  return any_of(Root.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      return isa<StoreInst>(I) && hasMore(Moved, moversOf(addressOf(I, SE)));
    });
  });
}

const Instruction *elementInTwoOrders(const Loop &Innermost,
                                      ScalarEvolution &SE) {
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB) {
      if (I.getOpcode() != Instruction::FMul && !isFusedMultiplyAdd(I))
        continue;
      for (unsigned Side : {0, 1}) {
        auto Elements = elementsOf(I.getOperand(Side));
        for (const LoadInst *A : Elements)
          for (const LoadInst *B : Elements)
            if (A != B && areInTwoOrders(*A, *B, SE) &&
                isSummed(*A, *Innermost.getOutermostLoop(), SE))
              return &I;
      }
    }
  return nullptr;
}

//===-- Choices -----------------------------------------------------------===//

/// The comparison by which \p V, a value of \p L, is chosen; null if it is not.
static const Value *chosenBy(const Value *V, const Loop &L) {
  if (auto *Choice = dyn_cast<SelectInst>(V))
    return Choice->getCondition();
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || Phi->getNumIncomingValues() != 2 || !L.contains(Phi))
    return nullptr;
  for (const BasicBlock *From : Phi->blocks()) {
    const BasicBlock *Before = From->getSinglePredecessor();
    for (const BasicBlock *At : {From, Before})
      if (auto *Branch =
              At ? dyn_cast<BranchInst>(At->getTerminator()) : nullptr;
          Branch && Branch->isConditional())
        return Branch->getCondition();
  }
  return nullptr;
}

const Instruction *stepOfBest(const Loop &Innermost) {
  const BasicBlock *Latch = Innermost.getLoopLatch();
  if (!Latch)
    return nullptr;
  SmallPtrSet<const Value *, 2> OfBest;
  const Instruction *Step = nullptr;
  for (const PHINode &Phi : Innermost.getHeader()->phis()) {
    const Value *Next = Phi.getIncomingValueForBlock(Latch);
    const Value *By = chosenBy(Next, Innermost);
    const Value *Best;
    if (By && Phi.getType()->isFloatingPointTy() &&
        match(By, m_FCmp(m_Value(), m_Value())) &&
        is_contained(cast<User>(By)->operands(), &Phi)) {
      // What is compared with the best one so far.
      Best = cast<User>(By)->getOperand(
          cast<User>(By)->getOperand(0) == &Phi ? 1 : 0);
      if (elementsOf(Best).size() == 2)
        OfBest.insert(By);
    }
  }
  for (const PHINode &Phi : Innermost.getHeader()->phis()) {
    auto *Next = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
    if (Next && Phi.getType()->isIntegerTy() &&
        OfBest.contains(chosenBy(Next, Innermost)))
      Step = Next;
  }
  return Step;
}

/// The array that \p Load is of; of a table of rows, the table.
static const Value *arrayOf(const LoadInst &Load) {
  const Value *Array = getUnderlyingObject(Load.getPointerOperand());
  for (unsigned Depth = 0; Depth < 4; ++Depth)
    if (auto *Row = dyn_cast<LoadInst>(Array))
      Array = getUnderlyingObject(Row->getPointerOperand());
  return Array;
}

/// Whether \p Load is of a mask: nothing is computed of it, and other loads of numbers
/// in \p Root are of other arrays.
static bool isMask(const LoadInst &Load, const Loop &Root) {
  bool IsCompared = all_of(Load.users(), [](const User *U) {
    return isa<CmpInst, ZExtInst, TruncInst, FreezeInst>(U) ||
           match(U, m_BitwiseLogic(m_Value(), m_Value()));
  });
  return IsCompared && none_of(Root.blocks(), [&](const BasicBlock *BB) {
           return any_of(*BB, [&](const Instruction &I) {
             auto *Other = dyn_cast<LoadInst>(&I);
             return Other && Other != &Load &&
                    !Other->getType()->isPointerTy() &&
                    arrayOf(*Other) == arrayOf(Load);
           });
         });
}

/// Whether \p Condition is made of an element of a mask, and of no counter.
static bool isOfMask(const Value *Condition, const Loop &Root) {
  SmallSetVector<const Value *, 8> Made;
  Made.insert(Condition);
  bool HasMask = false;
  for (unsigned N = 0; N < Made.size(); ++N) {
    auto *I = dyn_cast<Instruction>(Made[N]);
    if (!I || !Root.contains(I))
      continue;
    if (N >= MaxValues)
      return false;
    auto *Load = dyn_cast<LoadInst>(I);
    HasMask |= Load && isMask(*Load, Root);
    if (isa<CmpInst, CastInst, FreezeInst>(I) ||
        match(I, m_BitwiseLogic(m_Value(), m_Value())))
      Made.insert_range(I->operands());
    else if (!Load)
      return false;
  }
  return HasMask;
}

/// Whether a side of \p Branch makes an integer, such as the end of a loop.
static bool choosesInteger(const BranchInst &Branch, const Loop &Root) {
  auto IsHeader = [&](const BasicBlock *BB) {
    return any_of(Root.getLoopsInPreorder(),
                  [&](const Loop *L) { return L->getHeader() == BB; });
  };
  auto HasInteger = [&](const BasicBlock *BB) {
    return BB && !IsHeader(BB) && any_of(BB->phis(), [](const PHINode &Phi) {
             return Phi.getType()->isIntegerTy();
           });
  };
  return any_of(Branch.successors(), [&](const BasicBlock *Side) {
    return HasInteger(Side) || HasInteger(Side->getSingleSuccessor());
  });
}

const Instruction *testOfMask(const Loop &Innermost) {
  const Loop &Root = *Innermost.getOutermostLoop();
  // Each test is compared with all loads.
  constexpr unsigned MaxBlocks = 64;
  if (Root.getNumBlocks() > MaxBlocks)
    return nullptr;
  for (const BasicBlock *BB : Root.blocks()) {
    for (const Instruction &I : *BB)
      if (auto *Choice = dyn_cast<SelectInst>(&I);
          Choice && Choice->getType()->isFloatingPointTy() &&
          isOfMask(Choice->getCondition(), Root))
        return Choice;
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (Branch && Branch->isConditional() &&
        isOfMask(Branch->getCondition(), Root) &&
        !choosesInteger(*Branch, Root))
      return Branch;
  }
  return nullptr;
}

} // namespace tilesmith
