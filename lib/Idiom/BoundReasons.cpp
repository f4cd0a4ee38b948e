//===- BoundReasons.cpp - what bounds that vary are of --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundReasons.h"
#include "Movers.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

bool isBand(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop &Rows = *Innermost.getParentLoop();
  auto IsMin = [&](const SCEV *S) {
    return isa<SCEVSMinExpr, SCEVUMinExpr>(S) && isMovedBy(S, Rows);
  };
  auto IsMax = [&](const SCEV *S) {
    return isa<SCEVSMaxExpr, SCEVUMaxExpr>(S) && isMovedBy(S, Rows);
  };
  auto BeginsAtMax = [&](PHINode &Phi) {
    Value *First = Phi.getIncomingValueForBlock(Innermost.getLoopPreheader());
    return SE.isSCEVable(Phi.getType()) &&
           SCEVExprContains(SE.getSCEV(First), IsMax);
  };
  const SCEV *Last = SE.getBackedgeTakenCount(&Innermost);
  return (!isa<SCEVCouldNotCompute>(Last) && SCEVExprContains(Last, IsMin)) ||
         (Innermost.getLoopPreheader() &&
          any_of(Innermost.getHeader()->phis(), BeginsAtMax));
}

/// Whether \p Address is of a matrix that the two loops go through: a row is no step.
static bool isOfMatrix(const SCEV *Address, const Loop &Steps, const Loop &Rows,
                       ScalarEvolution &SE) {
  return SCEVExprContains(Address, [&](const SCEV *Part) {
    auto *OfStep = dyn_cast<SCEVAddRecExpr>(Part);
    auto *OfRow =
        OfStep ? dyn_cast<SCEVAddRecExpr>(OfStep->getStart()) : nullptr;
    return OfRow && OfStep->getLoop() == &Steps && OfRow->getLoop() == &Rows &&
           OfStep->getStepRecurrence(SE) != OfRow->getStepRecurrence(SE);
  });
}

/// The comparisons that \p Condition is made of.
static SmallVector<const ICmpInst *, 2> comparisonsOf(const Value *Condition) {
  SmallVector<const ICmpInst *, 2> Result;
  SmallSetVector<const Value *, 4> Made;
  Made.insert(Condition);
  for (unsigned N = 0; N < Made.size() && N < 8; ++N)
    if (auto *Compare = dyn_cast<ICmpInst>(Made[N]))
      Result.push_back(Compare);
    else if (auto *I = dyn_cast<Instruction>(Made[N]);
             I && isa<BinaryOperator, SelectInst, FreezeInst>(I))
      Made.insert_range(I->operands());
  return Result;
}

/// Whether one side of \p Compare is `abs(x)`.
static bool isMagnitude(const ICmpInst &Compare) {
  return any_of(Compare.operands(), [](const Value *Op) {
    auto *Call = dyn_cast<IntrinsicInst>(Op);
    return Call && Call->getIntrinsicID() == Intrinsic::abs;
  });
}

const Instruction *testOfBand(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop *Rows = Innermost.getParentLoop();
  if (!Rows || Rows->getParentLoop())
    return nullptr;
  // If there are more, a loop over steps inside has been unrolled.
  constexpr unsigned MostLoads = 4;
  bool HasMatrix = false;
  unsigned NumSides = 0, NumLoads = 0;
  const Instruction *First = nullptr;
  for (const BasicBlock *BB : Innermost.blocks()) {
    for (const Instruction &I : *BB)
      if (auto *Load = dyn_cast<LoadInst>(&I)) {
        ++NumLoads;
        HasMatrix |= isOfMatrix(
            SE.getSCEV(const_cast<Value *>(Load->getPointerOperand())),
            Innermost, *Rows, SE);
      }
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Branch || !Branch->isConditional() || Innermost.isLoopExiting(BB))
      continue;
    for (const ICmpInst *Compare : comparisonsOf(Branch->getCondition())) {
      Type *Ty = Compare->getOperand(0)->getType();
      const SCEV *Distance =
          Ty->isIntegerTy()
              ? SE.getMinusSCEV(SE.getSCEV(Compare->getOperand(0)),
                                SE.getSCEV(Compare->getOperand(1)))
              : SE.getCouldNotCompute();
      if (Compare->isEquality() || isa<SCEVCouldNotCompute>(Distance) ||
          !isMovedBy(Distance, Innermost) || !isMovedBy(Distance, *Rows))
        continue;
      NumSides += Compare->isUnsigned() || isMagnitude(*Compare) ? 2 : 1;
      if (!First)
        First = Branch;
    }
  }
  return HasMatrix && NumSides > 1 && NumLoads <= MostLoads ? First : nullptr;
}

/// Whether \p S changes with a loop that \p L is in.
static bool variesAround(const SCEV *S, const Loop &L) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    return Counter && Counter->getLoop() != &L &&
           Counter->getLoop()->contains(&L);
  });
}

/// How often \p L runs, less one, if it is not left early.
static const SCEV *lastOf(const Loop &L, ScalarEvolution &SE) {
  const SCEV *Last = SE.getBackedgeTakenCount(&L);
  return isa<SCEVCouldNotCompute>(Last) && L.getLoopLatch()
             ? SE.getExitCount(&L, L.getLoopLatch())
             : Last;
}

bool hasVaryingBound(const Loop &Innermost, ScalarEvolution &SE) {
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const SCEV *Last = lastOf(*L, SE);
    if (!isa<SCEVCouldNotCompute>(Last) && variesAround(Last, *L))
      return true;
  }
  return false;
}

bool hasDiagonal(const Loop &Innermost, ScalarEvolution &SE) {
  SmallPtrSet<const Loop *, 4> OfElement; // loops that move what is stored
  for (BasicBlock *BB : Innermost.getParentLoop()->blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        OfElement.insert_range(
            moversOf(SE.getSCEV(Store->getPointerOperand())));
  auto CountsSteps = [&](const Value *V) {
    auto *Counter =
        SE.isSCEVable(V->getType())
            ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(V)))
            : nullptr;
    return Counter && !OfElement.contains(Counter->getLoop());
  };
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const SCEV *Last = lastOf(*L, SE);
    if (!OfElement.contains(L) && !isa<SCEVCouldNotCompute>(Last) &&
        variesAround(Last, *L))
      return true;
    // A branch may compare a step with a row.
    for (BasicBlock *BB : L->blocks()) {
      auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      auto *Compare = Branch && Branch->isConditional()
                          ? dyn_cast<ICmpInst>(Branch->getCondition())
                          : nullptr;
      if (Compare &&
          all_of(Compare->operands(),
                 [&](Value *Op) { return !L->isLoopInvariant(Op); }) &&
          any_of(Compare->operands(), CountsSteps))
        return true;
    }
  }
  return false;
}

/// Whether \p L, the bounds of which \p Rows moves, goes through a part of a row of a matrix.
/// Windows move along an image by as much as the loop over their elements does.
static bool goesThroughRow(const Loop &L, const Loop &Rows,
                           ScalarEvolution &SE) {
  auto StepOf = [&](const SCEV *Address, const Loop &Of) {
    const SCEV *Step = nullptr;
    SCEVExprContains(Address, [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      if (Counter && Counter->getLoop() == &Of &&
          Counter->getType()->isPointerTy())
        Step = Counter->getStepRecurrence(SE);
      return Step != nullptr;
    });
    return Step;
  };
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        continue;
      const SCEV *Address = SE.getSCEV(Load->getPointerOperand());
      const SCEV *OfStep = StepOf(Address, L), *OfRow = StepOf(Address, Rows);
      if (OfStep && OfRow && OfStep != OfRow)
        return true;
    }
  return false;
}

bool hasTwoDiagonals(const Loop &Innermost, ScalarEvolution &SE) {
  unsigned NumDiagonals = 0;
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const SCEV *Last = SE.getBackedgeTakenCount(L);
    if (isa<SCEVCouldNotCompute>(Last))
      continue;
    // Of tiles, bounds go on by more than one.
    SmallPtrSet<const Loop *, 4> Bounding;
    bool HasOther = SCEVExprContains(Last, [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      if (!Counter || Counter->getLoop() == L)
        return isa<SCEVUDivExpr>(Part);
      const SCEV *Step = Counter->getStepRecurrence(SE);
      Bounding.insert(Counter->getLoop());
      return !Step->isOne() && !Step->isAllOnesValue();
    });
    if (HasOther)
      return false;
    auto IsCut = [&](bool Max) {
      return SCEVExprContains(Last, [&](const SCEV *Part) {
        bool IsExtreme = Max ? isa<SCEVSMaxExpr, SCEVUMaxExpr>(Part)
                             : isa<SCEVSMinExpr, SCEVUMinExpr>(Part);
        return IsExtreme && variesAround(Part, *L);
      });
    };
    // Windows are clipped on both sides as well.
    if (IsCut(/*Max=*/true) && IsCut(/*Max=*/false))
      return any_of(Bounding, [&](const Loop *Rows) {
        return goesThroughRow(*L, *Rows, SE);
      });
    bool IsOther = IsCut(/*Max=*/true) || IsCut(/*Max=*/false);
    NumDiagonals += Bounding.size() + (IsOther && !Bounding.empty());
  }
  return NumDiagonals > 1;
}

/// Whether \p V is made of a sum of \p L by operations on numbers, or chosen by them.
static bool isMadeOfSum(const Value *V, const Loop &L, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > MaxDepth)
    return false;
  if (L.contains(I))
    return !I->getType()->isPointerTy();
  bool MayBeMade = isa<PHINode, BinaryOperator, UnaryOperator, CastInst,
                       SelectInst, CmpInst, IntrinsicInst>(I);
  return MayBeMade && any_of(I->operands(), [&](const Value *Op) {
           return isMadeOfSum(Op, L, Depth + 1);
         });
}

const Instruction *epilogueOfTriangle(const Loop &Innermost,
                                      ScalarEvolution &SE) {
  const Loop *Rows = Innermost.getParentLoop();
  const SCEV *Last = lastOf(Innermost, SE);
  if (isa<SCEVCouldNotCompute>(Last) || !isMovedBy(Last, *Rows))
    return nullptr;
  auto IsSum = [&](const Value *V) {
    auto *Phi = dyn_cast<PHINode>(V);
    return any_of(Phi ? Phi->operands() : ArrayRef<Use>(),
                  [&](const Use &Source) {
                    auto *I = dyn_cast<Instruction>(Source);
                    return I && Innermost.contains(I);
                  });
  };
  for (const BasicBlock *BB : Rows->blocks())
    for (const Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && !Innermost.contains(Store) &&
          !IsSum(Store->getValueOperand()) &&
          isMadeOfSum(Store->getValueOperand(), Innermost))
        return Store;
  return nullptr;
}

/// The loops whose bounds keep \p Load inside of a border, and those that these bounds
/// change with: both move it.
static SmallPtrSet<const Loop *, 4>
clippingLoops(LoadInst &Load, const Loop &Innermost, ScalarEvolution &SE) {
  SmallPtrSet<const Loop *, 4> Result;
  auto Movers = moversOf(SE.getSCEV(Load.getPointerOperand()));
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const SCEV *Last = lastOf(*L, SE);
    if (!Movers.contains(L) || isa<SCEVCouldNotCompute>(Last))
      continue;
    for (const Loop *Other : moversOf(Last))
      if (Other != L && Other->contains(L) && Movers.contains(Other))
        Result.insert_range(ArrayRef({L, Other}));
  }
  return Result;
}

const Instruction *testOfOtherBorder(const Loop &Innermost,
                                     ScalarEvolution &SE) {
  SmallPtrSet<const Loop *, 4> Clipping;
  for (BasicBlock *BB : Innermost.blocks())
    for (Instruction &I : *BB)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Clipping.insert_range(clippingLoops(*Load, Innermost, SE));
  if (Clipping.empty())
    return nullptr;
  // A position in the other direction is compared with what does not change.
  auto IsPosition = [&](Value *X, Value *Bound) {
    return moversOf(SE.getSCEV(Bound)).empty() &&
           any_of(moversOf(SE.getSCEV(X)),
                  [&](const Loop *L) { return !Clipping.contains(L); });
  };
  auto IsTest = [&](const Loop &L, const Instruction &I) {
    auto *Compare = dyn_cast<ICmpInst>(&I);
    if (!Compare || Compare->isEquality() ||
        !Compare->getOperand(0)->getType()->isIntegerTy())
      return false;
    bool IsExit = any_of(Compare->users(), [&](const User *U) {
      auto *Branch = dyn_cast<BranchInst>(U);
      return Branch && L.isLoopExiting(Branch->getParent());
    });
    Value *X = Compare->getOperand(0), *Y = Compare->getOperand(1);
    return !IsExit && (IsPosition(X, Y) || IsPosition(Y, X));
  };
  for (const Loop *L = &Innermost; L->getParentLoop(); L = L->getParentLoop())
    for (const BasicBlock *BB : L->blocks())
      for (const Instruction &I : *BB)
        if (IsTest(*L, I))
          return &I;
  return nullptr;
}

} // namespace tilesmith
