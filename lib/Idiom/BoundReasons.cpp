//===- BoundReasons.cpp - what bounds that vary are of --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundReasons.h"
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
  const Loop *Rows = Innermost.getParentLoop();
  auto Varies = [&](const SCEV *S) {
    return SCEVExprContains(S, [&](const SCEV *Part) {
      auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
      return Counter && Counter->getLoop() == Rows;
    });
  };
  auto IsMin = [&](const SCEV *S) {
    return isa<SCEVSMinExpr, SCEVUMinExpr>(S) && Varies(S);
  };
  auto IsMax = [&](const SCEV *S) {
    return isa<SCEVSMaxExpr, SCEVUMaxExpr>(S) && Varies(S);
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

/// Whether \p S changes with a loop that \p L is in.
static bool variesAround(const SCEV *S, const Loop &L) {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
    return Counter && Counter->getLoop() != &L &&
           Counter->getLoop()->contains(&L);
  });
}

bool hasDiagonal(const Loop &Innermost, ScalarEvolution &SE) {
  SmallPtrSet<const Loop *, 4> OfElement; // loops that move what is stored
  for (BasicBlock *BB : Innermost.getParentLoop()->blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        SCEVExprContains(SE.getSCEV(Store->getPointerOperand()),
                         [&](const SCEV *Part) {
                           if (auto *Counter = dyn_cast<SCEVAddRecExpr>(Part))
                             OfElement.insert(Counter->getLoop());
                           return false;
                         });
  auto CountsSteps = [&](const Value *V) {
    auto *Counter =
        SE.isSCEVable(V->getType())
            ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(V)))
            : nullptr;
    return Counter && !OfElement.contains(Counter->getLoop());
  };
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const SCEV *Last = SE.getBackedgeTakenCount(L);
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
    // Windows are clipped on both sides.
    if (IsCut(/*Max=*/true) && IsCut(/*Max=*/false))
      return false;
    bool IsOther = IsCut(/*Max=*/true) || IsCut(/*Max=*/false);
    NumDiagonals += Bounding.size() + (IsOther && !Bounding.empty());
  }
  return NumDiagonals > 1;
}

bool isFactorisation(const Loop &Innermost, ScalarEvolution &SE) {
  SmallPtrSet<const SCEV *, 4> Arrays, Updated;
  for (BasicBlock *BB : Innermost.getParentLoop()->blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        Updated.insert(SE.getSCEV(Store->getPointerOperand()));
        Arrays.insert(
            SE.getPointerBase(SE.getSCEV(Store->getPointerOperand())));
      }
  return any_of(Innermost.blocks(), [&](BasicBlock *BB) {
    return any_of(*BB, [&](Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        return false;
      const SCEV *Address = SE.getSCEV(Load->getPointerOperand());
      return !Updated.contains(Address) &&
             !SE.isLoopInvariant(Address, &Innermost) &&
             Arrays.contains(SE.getPointerBase(Address));
    });
  });
}

/// Whether what \p Store stores is computed from elements of arrays that are not
/// updated, and of no others.
static bool isMadeOfOthers(const StoreInst &Store,
                           function_ref<bool(const Value *)> IsUpdated) {
  constexpr unsigned MaxValues = 16;
  SmallSetVector<const Instruction *, 8> Made;
  if (auto *I = dyn_cast<Instruction>(Store.getValueOperand()))
    Made.insert(I);
  bool HasLoad = false;
  for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
    if (auto *Load = dyn_cast<LoadInst>(Made[N])) {
      HasLoad = true;
      if (IsUpdated(Load->getPointerOperand()))
        return false;
      continue;
    }
    if (isa<PHINode>(Made[N]))
      return false;
    for (const Value *Op : Made[N]->operands())
      if (auto *I = dyn_cast<Instruction>(Op))
        Made.insert(I);
  }
  return HasLoad;
}

const Instruction *rowSetBefore(const Loop &Innermost, ScalarEvolution &SE) {
  const Loop *Steps = Innermost.getParentLoop();
  const Loop *Rows = Steps ? Steps->getParentLoop() : nullptr;
  SmallPtrSet<const SCEV *, 4> Updated;
  auto IsUpdated = [&](const Value *Pointer) {
    return Updated.contains(
        SE.getPointerBase(SE.getSCEV(const_cast<Value *>(Pointer))));
  };
  for (BasicBlock *BB : Innermost.blocks())
    for (Instruction &I : *BB)
      if (auto *Store = dyn_cast<StoreInst>(&I))
        Updated.insert(
            SE.getPointerBase(SE.getSCEV(Store->getPointerOperand())));
  if (!Rows || Updated.empty())
    return nullptr;
  // A buffer that is filled again for each row is not C.
  auto IsRowOfC = [&](Value *Pointer) {
    return IsUpdated(Pointer) &&
           SCEVExprContains(SE.getSCEV(Pointer), [&](const SCEV *Part) {
             auto *Counter = dyn_cast<SCEVAddRecExpr>(Part);
             return Counter && Counter->getLoop() == Rows;
           });
  };
  for (BasicBlock *BB : Rows->blocks())
    for (Instruction &I : *BB) {
      auto *Copy = dyn_cast<MemCpyInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Steps->contains(&I) &&
          ((Copy && IsRowOfC(Copy->getDest())) ||
           (Store && IsRowOfC(Store->getPointerOperand()) &&
            isMadeOfOthers(*Store, IsUpdated))))
        return &I;
    }
  return nullptr;
}

} // namespace tilesmith
