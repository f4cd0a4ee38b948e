//===- SumReasons.cpp - reasons that are about sums -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumReasons.h"
#include "Movers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p V is a value of \p L, or phis behind the loop may choose one.
static bool comesFrom(const Value *V, const Loop &L, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || L.contains(I))
    return I != nullptr;
  auto *Phi = dyn_cast<PHINode>(I);
  return Phi && Depth < MaxDepth &&
         any_of(
             Phi->incoming_values(),
             [&](const Value *Source) {
               return comesFrom(Source, L, Depth + 1);
             });
}

/// The sum of \p Second that starts from a value of \p First.
static const Instruction *sumFrom(const Loop &First, const Loop &Second) {
  const BasicBlock *Before = Second.getLoopPredecessor(),
                   *Latch = Second.getLoopLatch();
  if (!Before || !Latch || !First.isInnermost() || !Second.isInnermost())
    return nullptr;
  for (const PHINode &Phi : Second.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy() &&
        comesFrom(Phi.getIncomingValueForBlock(Before), First))
      return dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
  return nullptr;
}

const Instruction *sumFromOtherLoop(const Loop &Innermost) {
  for (const Loop *Other : *Innermost.getParentLoop()) {
    if (Other == &Innermost)
      continue;
    if (const Instruction *Sum = sumFrom(*Other, Innermost))
      return Sum;
    if (const Instruction *Sum = sumFrom(Innermost, *Other))
      return Sum;
  }
  return nullptr;
}

const Instruction *compensation(const Loop &Innermost) {
  auto IsSum = [&](const Value *V) {
    auto *Phi = dyn_cast<PHINode>(V);
    return Phi && Phi->getParent() == Innermost.getHeader();
  };
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB) {
      const Value *X, *Y;
      if (!match(&I, m_FSub(m_Value(X), m_Value(Y))))
        continue;
      // The new sum less the old one, or the other way about.
      if ((IsSum(Y) && match(X, m_c_FAdd(m_Specific(Y), m_Value()))) ||
          (IsSum(X) && match(Y, m_c_FAdd(m_Specific(X), m_Value()))))
        return &I;
    }
  return nullptr;
}

/// A comparison of the counter of \p Steps with one of a loop around it, which leaves
/// out a step.
static const Instruction *skipIn(const Loop &Steps, ScalarEvolution &SE) {
  auto LoopOf = [&](Value *V) {
    auto *Counter = SE.isSCEVable(V->getType())
                        ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V))
                        : nullptr;
    return Counter ? Counter->getLoop() : nullptr;
  };
  const Instruction *Skip = nullptr;
  for (BasicBlock *BB : Steps.blocks())
    for (Instruction &I : *BB) {
      // Where elements are stored, it is no step.
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && isMovedBy(SE.getSCEV(Store->getPointerOperand()), Steps))
        return nullptr;
      auto *Compare = dyn_cast<ICmpInst>(&I);
      if (!Compare || !Compare->isEquality() ||
          !Compare->getOperand(0)->getType()->isIntegerTy())
        continue;
      bool IsExit = any_of(Compare->users(), [&](const User *U) {
        auto *Branch = dyn_cast<BranchInst>(U);
        return Branch && Steps.isLoopExiting(Branch->getParent());
      });
      const Loop *X = LoopOf(Compare->getOperand(0)),
                 *Y = LoopOf(Compare->getOperand(1));
      if (!IsExit && X && Y && X != Y && (X == &Steps || Y == &Steps) &&
          X->contains(&Steps) && Y->contains(&Steps))
        Skip = Compare;
    }
  return Skip;
}

const Instruction *skipOfDiagonal(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop *Around = Innermost.getParentLoop();
  const Instruction *Skip = skipIn(Innermost, SE);
  return Skip || !Around ? Skip : skipIn(*Around, SE);
}

/// The vector that \p Pointer goes along in \p L, from the same element on in each
/// iteration of the loop around it; null if it does not.
static const Value *vectorOf(Value *Pointer, const Loop &L,
                             ScalarEvolution &SE) {
  auto *Address = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Pointer));
  return Address && Address->getLoop() == &L &&
                 SE.isLoopInvariant(Address->getStart(), L.getParentLoop())
             ? getUnderlyingObject(Pointer)
             : nullptr;
}

const Instruction *changeOfVector(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop *Rows = Innermost.getParentLoop();
  SmallVector<std::pair<const Value *, const Loop *>, 4> Read, Updated;
  SmallVector<std::pair<const Value *, const StoreInst *>, 2> Written;
  for (const Loop *L : *Rows)
    for (BasicBlock *BB : L->blocks())
      for (Instruction &I : *BB) {
        Value *Pointer = getLoadStorePointerOperand(&I);
        const Value *Vector = Pointer ? vectorOf(Pointer, *L, SE) : nullptr;
        if (!Vector)
          continue;
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
          Written.push_back({Vector, Store});
          Updated.push_back({Vector, L});
        } else {
          Read.push_back({Vector, L});
        }
      }
  // What a loop updates itself is no factor, but its sum.
  erase_if(Read, [&](auto Of) { return is_contained(Updated, Of); });
  for (auto [Vector, Store] : Written)
    for (auto [OfRead, L] : Read)
      if (Vector == OfRead && !L->contains(Store) &&
          (L == &Innermost || Innermost.contains(Store)))
        return Store;
  return nullptr;
}

/// Whether \p L loads adjacent elements, and no others.
static bool loadsAdjacent(const Loop &L, ScalarEvolution &SE) {
  return all_of(L.blocks(), [&](BasicBlock *BB) {
    return all_of(*BB, [&](Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        return true;
      auto *Address =
          dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Load->getPointerOperand()));
      auto *Step = Address
                       ? dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE))
                       : nullptr;
      return Step && Step->getAPInt() == Load->getDataLayout().getTypeStoreSize(
                                             Load->getType());
    });
  });
}

const Instruction *sumOfIntegers(const Loop &Innermost, ScalarEvolution &SE) {
  auto IsSum = [&](const PHINode &Phi) {
    auto *Next = dyn_cast<BinaryOperator>(
        Phi.getIncomingValueForBlock(Innermost.getLoopLatch()));
    return Next && Next->getOpcode() == Instruction::Add &&
           is_contained(Next->operands(), &Phi) &&
           any_of(Next->operands(), [](const Value *Op) {
             return match(Op, m_Mul(m_Value(), m_Value()));
           });
  };
  if (Innermost.getNumBlocks() == 1 && loadsAdjacent(Innermost, SE))
    for (const PHINode &Phi : Innermost.getHeader()->phis())
      if (IsSum(Phi))
        return &Phi;
  return nullptr;
}

const Instruction *operationOnVectors(const Loop &Innermost) {
  for (const Loop *L : *Innermost.getParentLoop())
    for (const BasicBlock *BB : L->blocks())
      for (const Instruction &I : *BB)
        if (I.getType()->isVectorTy() && isa<LoadInst>(I))
          return &I;
  return nullptr;
}

} // namespace tilesmith
