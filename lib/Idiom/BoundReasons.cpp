//===- BoundReasons.cpp - what bounds that vary are of --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundReasons.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

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

} // namespace tilesmith
