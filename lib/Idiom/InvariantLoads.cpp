//===- InvariantLoads.cpp - may a load be made in front of the nest? ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load from an invariant address may be made in front of the nest if it runs
// whenever the nest is entered, perhaps on assumptions.
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

/// \p BB, which control may come to, does run if every iteration of a loop that
/// does passes through it.
void Nest::setReached(const BasicBlock &BB) {
  const Loop *L = Analyses->LI.getLoopFor(&BB);
  if (&BB == L->getHeader() && L != &root())
    L = L->getParentLoop();
  auto Header = Reached.find(L->getHeader());
  if (Header == Reached.end() ||
      !Analyses->DT.dominates(&BB, L->getLoopLatch()))
    return;
  unsigned Assumed = Header->second;
  unsigned &Known = Reached.try_emplace(&BB, Assumed).first->second;
  Known = std::min(Known, Assumed);
}

bool Nest::runsUnconditionally(const LoadInst &Load) const {
  auto It = Reached.find(Load.getParent());
  return It != Reached.end() && It->second == 0;
}

/// Whether the nest may write what \p Load reads, before it does so first.
bool Nest::isWrittenBefore(const LoadInst &Load) const {
  for (BasicBlock *BB : root().blocks())
    for (Instruction &I : *BB) {
      if (!I.mayWriteToMemory() ||
          (Analyses->AA && !isModSet(Analyses->AA->getModRefInfo(
                               &I, MemoryLocation::get(&Load)))))
        continue;
      if (BB == Load.getParent() ? I.comesBefore(&Load) : leadsTo(*BB, Load))
        return true;
    }
  return false;
}

/// Whether \p Load runs whenever the nest is entered and the assumptions hold,
/// or may be made to run.
bool Nest::mayLoadInFront(const LoadInst &Load) const {
  if (!Load.isSimple())
    return false;
  if (isSafeToSpeculativelyExecute(&Load))
    return true;
  auto It = Reached.find(Load.getParent());
  if (!BlocksRunToTheirEnd || It == Reached.end())
    return false;
  // It runs with the values that the nest finds, so they must be the same.
  SetVector<LoadInst *> Before;
  for (const Assumption &A : ArrayRef(Assumptions).take_front(It->second))
    collectLoads(A.Condition, Before);
  collectLoads(const_cast<Value *>(Load.getPointerOperand()), Before);
  return none_of(Before, [&](const LoadInst *Other) {
    return Other != &Load && isWrittenBefore(*Other);
  });
}

bool Nest::needsAssumptions(Value *V) const {
  SetVector<LoadInst *> Loads;
  collectLoads(V, Loads);
  return any_of(Loads, [&](const LoadInst *Load) {
    return !runsUnconditionally(*Load) && !isSafeToSpeculativelyExecute(Load);
  });
}

void Nest::collectLoads(Value *V, SetVector<LoadInst *> &Into) const {
  auto *I = dyn_cast<Instruction>(resolve(V));
  if (!I || !root().contains(I))
    return;
  for (Value *Op : I->operands())
    collectLoads(Op, Into);
  if (auto *Load = dyn_cast<LoadInst>(I))
    Into.insert(Load);
}

void Nest::collectLoads(const SCEV *S, SetVector<LoadInst *> &Into) const {
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      collectLoads(Unknown->getValue(), Into);
    return false;
  });
}

} // namespace tilesmith
