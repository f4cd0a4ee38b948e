//===- Nest.cpp - the control structure around a product ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Whether \p To can be reached from \p From over the edges that \p Follow
/// allows, none of them a back edge.
bool reaches(
    const BasicBlock *From, const BasicBlock *To, const LoopInfo &LI,
    function_ref<bool(const BasicBlock *, const BasicBlock *)> Follow) {
  SmallVector<const BasicBlock *, 16> Work{From};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (BB == To)
      return true;
    if (!Seen.insert(BB).second)
      continue;
    for (const BasicBlock *Succ : successors(BB)) {
      bool BackEdge =
          LI.isLoopHeader(Succ) && LI.getLoopFor(Succ)->contains(BB);
      if (!BackEdge && Follow(BB, Succ))
        Work.push_back(Succ);
    }
  }
  return false;
}

} // namespace

std::variant<Nest, Refusal> Nest::create(Loop &Innermost,
                                         const NestAnalyses &Analyses) {
  Nest Result;
  Result.Analyses = &Analyses;
  if (Refused No = Result.findLoops(Innermost))
    return *No;
  if (Refused No = Result.walk())
    return *No;
  if (Refused No = Result.count())
    return *No;
  return Result;
}

namespace {

/// \p L must be left from its latch alone, and may be transformed.
Refused checkLoop(const Loop &L, Reason IfLeftElsewhere) {
  const Instruction *Start = L.getHeader()->getTerminator();
  if (!L.getLoopLatch())
    return Refusal{Reason::Branch, Start};
  if (L.getExitingBlock() != L.getLoopLatch())
    return Refusal{IfLeftElsewhere, Start};
  // vectorize(disable) asks for vectors of one element.
  if ((hasVectorizeTransformation(&L) & TM_Disable) ||
      getOptionalElementCountLoopAttribute(&L) == ElementCount::getFixed(1))
    return Refusal{Reason::Pragma, Start};
  return std::nullopt;
}

} // namespace

Refused Nest::findLoops(Loop &Innermost) {
  Loop *L = &Innermost;
  for (unsigned Depth = ChainLength; Depth-- > 0; L = L->getParentLoop())
    Chain[Depth] = L;

  for (Loop *Level : Chain) {
    if (Refused No = checkLoop(*Level, Reason::EarlyExit))
      return No;
    for (Loop *Child : Level->getSubLoops()) {
      if (is_contained(Chain, Child))
        continue;
      if (!Child->isInnermost())
        return Refusal{Reason::ExtraLoop, Child->getHeader()->getTerminator()};
      if (Refused No = checkLoop(*Child, Reason::ExtraLoop))
        return No;
      Siblings.push_back(Child);
    }
  }
  BlocksRunToTheirEnd = all_of(root().blocks(), [](const BasicBlock *BB) {
    return isGuaranteedToTransferExecutionToSuccessor(BB);
  });
  return std::nullopt;
}

Refused Nest::count() {
  for (auto [L, Count] : zip(Chain, Counts)) {
    auto MaybeCount = tripCount(*L, *this);
    if (auto *No = std::get_if<Refusal>(&MaybeCount))
      return *No;
    Count = std::get<TripCount>(MaybeCount);
  }
  return std::nullopt;
}

/// Visits the blocks that run, from the root's header to its latch.
Refused Nest::walk() {
  SmallVector<BasicBlock *, 16> Work{root().getHeader()};
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (!Live.insert(BB))
      continue;
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br)
      return Refusal{Reason::EarlyExit, BB->getTerminator()};
    const Loop *L = Analyses->LI.getLoopFor(BB);
    if (BB != L->getLoopLatch() && Br->isConditional() &&
        Br->getSuccessor(0) != Br->getSuccessor(1)) {
      if (Refused No = followGuard(*BB))
        return No;
      BasicBlock *Taken = Br->getSuccessor(Assumptions.back().Value ? 0 : 1);
      LiveEdges.insert({BB, Taken});
      Work.push_back(Taken);
      continue;
    }
    for (BasicBlock *Succ : successors(BB)) {
      LiveEdges.insert({BB, Succ});
      if (root().contains(Succ) && !Live.contains(Succ))
        Work.push_back(Succ);
    }
  }
  for (Loop *L : Chain)
    if (!Live.contains(L->getHeader()) || !Live.contains(L->getLoopLatch()))
      return Refusal{Reason::Branch, root().getHeader()->getTerminator()};
  return std::nullopt;
}

/// \p BB ends in a condition: assume the side that leads to the loops.
Refused Nest::followGuard(BasicBlock &BB) {
  auto *Br = cast<BranchInst>(BB.getTerminator());
  SmallVector<Loop *, 4> Targets{&innermost()};
  append_range(Targets, Siblings);
  auto InNest = [&](const BasicBlock *, const BasicBlock *Succ) {
    return root().contains(Succ);
  };
  for (Loop *Target : Targets) {
    bool First =
        reaches(Br->getSuccessor(0), Target->getHeader(), Analyses->LI, InNest);
    bool Second =
        reaches(Br->getSuccessor(1), Target->getHeader(), Analyses->LI, InNest);
    if (First == Second)
      continue;
    Value *Condition = resolve(Br->getCondition());
    if (!isInvariant(Condition))
      return Refusal{Reason::Branch, Br};
    Assumptions.push_back({Condition, First});
    return std::nullopt;
  }
  return Refusal{Reason::Branch, Br};
}

Value *Nest::resolve(Value *V) const {
  while (auto *Phi = dyn_cast<PHINode>(V)) {
    BasicBlock *BB = Phi->getParent();
    if (!root().contains(BB) || Analyses->LI.isLoopHeader(BB))
      return V;
    Value *Only = nullptr;
    for (auto [Incoming, Pred] : zip(Phi->incoming_values(), Phi->blocks())) {
      if (!LiveEdges.contains({Pred, BB}))
        continue;
      if (Only && Only != Incoming)
        return V;
      Only = Incoming;
    }
    if (!Only)
      return V;
    V = Only;
  }
  return V;
}

Value *Nest::incomingFromOutside(PHINode &Phi) const {
  const Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  Value *Only = nullptr;
  for (auto [Incoming, Pred] : zip(Phi.incoming_values(), Phi.blocks())) {
    if (L->contains(Pred) ||
        (L != &root() && !LiveEdges.contains({Pred, Phi.getParent()})))
      continue;
    if (Only && Only != Incoming)
      return nullptr;
    Only = Incoming;
  }
  return Only ? resolve(Only) : nullptr;
}

Value *Nest::incomingFromLatch(const PHINode &Phi) const {
  const Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  return resolve(Phi.getIncomingValueForBlock(L->getLoopLatch()));
}

bool Nest::precedes(const Instruction &First, const Instruction &Second) const {
  const BasicBlock *From = First.getParent(), *To = Second.getParent();
  if (From == To)
    return First.comesBefore(&Second);
  return reaches(From, To, Analyses->LI,
                 [&](const BasicBlock *BB, const BasicBlock *Succ) {
                   return LiveEdges.contains({const_cast<BasicBlock *>(BB),
                                              const_cast<BasicBlock *>(Succ)});
                 });
}

const SCEV *Nest::addressOf(const Instruction &Access) const {
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  if (!Live.contains(Access.getParent()))
    return nullptr;
  const SCEV *Address = Analyses->SE.getSCEV(const_cast<Value *>(Pointer));
  bool Misplaced = SCEVExprContains(Address, [&](const SCEV *Part) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
    return Rec && root().contains(Rec->getLoop()) &&
           !Rec->getLoop()->contains(&Access);
  });
  return Misplaced ? nullptr : Address;
}

bool Nest::isInvariant(Value *V) const {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !root().contains(I))
    return true;
  auto It = InvariantMemo.find(V);
  if (It != InvariantMemo.end())
    return It->second;
  InvariantMemo[V] = false; // Ends cycles through phis.
  bool Result = computeInvariant(*I);
  InvariantMemo[V] = Result;
  return Result;
}

bool Nest::computeInvariant(Instruction &I) const {
  // Phis cannot be moved in front; callers look through them first.
  if (isa<PHINode>(I) ||
      !all_of(I.operands(), [&](Value *Op) { return isInvariant(Op); }))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return mayLoadInFront(*Load);
  return !I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I);
}

/// Whether \p Load runs whenever the nest is entered, or may be made to run.
bool Nest::mayLoadInFront(const LoadInst &Load) const {
  if (!Load.isSimple())
    return false;
  bool AlwaysRuns =
      BlocksRunToTheirEnd && Live.contains(Load.getParent()) &&
      Analyses->DT.dominates(Load.getParent(), root().getLoopLatch());
  return AlwaysRuns || isSafeToSpeculativelyExecute(&Load);
}

bool Nest::isInvariant(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      return root().contains(Rec->getLoop());
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      return !isInvariant(Unknown->getValue());
    return isa<SCEVCouldNotCompute>(Part);
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
