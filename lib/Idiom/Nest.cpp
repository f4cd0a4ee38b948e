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

bool isDeadEnd(const BasicBlock &BB) {
  constexpr unsigned MaxBlocks = 16;
  SmallVector<const BasicBlock *, 8> Work{&BB};
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    const Instruction *End = Next->getTerminator();
    if (Seen.size() > MaxBlocks || !isa<UnreachableInst, BranchInst>(End))
      return false;
    append_range(Work, successors(Next));
  }
  return true;
}

std::variant<Nest, Refusal> Nest::create(Loop &Innermost, unsigned Length,
                                         const NestAnalyses &Analyses) {
  Nest Result;
  Result.Analyses = &Analyses;
  if (Refused No = Result.findLoops(Innermost, Length))
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
  SmallVector<Loop::Edge, 4> Exits;
  L.getExitEdges(Exits);
  if (!L.isLoopExiting(L.getLoopLatch()) ||
      any_of(Exits, [&](const Loop::Edge &Edge) {
        return Edge.first != L.getLoopLatch() &&
               (!isDeadEnd(*Edge.second) ||
                is_contained(successors(L.getLoopLatch()), Edge.second));
      }))
    return Refusal{IfLeftElsewhere, Start};
  // vectorize(disable) asks for vectors of one element.
  if ((hasVectorizeTransformation(&L) & TM_Disable) ||
      getOptionalElementCountLoopAttribute(&L) == ElementCount::getFixed(1))
    return Refusal{Reason::Pragma, Start};
  return std::nullopt;
}

} // namespace

Refused Nest::findLoops(Loop &Innermost, unsigned Length) {
  for (Loop *L = &Innermost; Chain.size() < Length; L = L->getParentLoop())
    Chain.push_back(L);
  std::reverse(Chain.begin(), Chain.end());

  for (Loop *Level : Chain) {
    if (Refused No = checkLoop(*Level, Reason::EarlyExit))
      return No;
    for (Loop *Child : Level->getSubLoops()) {
      if (is_contained(Chain, Child))
        continue;
      for (Loop *Part : Child->getLoopsInPreorder())
        if (Refused No = checkLoop(*Part, Reason::ExtraLoop))
          return No;
      append_range(Beside, Child->getLoopsInPreorder());
      if (Child->isInnermost())
        Siblings.push_back(Child);
    }
  }
  BlocksRunToTheirEnd =
      root().getExitingBlock() && all_of(root().blocks(), [](const auto *BB) {
        return isGuaranteedToTransferExecutionToSuccessor(BB);
      });
  return std::nullopt;
}

Refused Nest::count() {
  for (Loop *L : Chain) {
    auto MaybeCount = tripCount(*L, *this);
    if (auto *No = std::get_if<Refusal>(&MaybeCount))
      return *No;
    Counts.push_back(std::get<TripCount>(MaybeCount));
  }
  return std::nullopt;
}

/// Visits the blocks that run, from the root's header to its latch.
Refused Nest::walk() {
  SmallVector<BasicBlock *, 16> Work{root().getHeader()};
  Reached[root().getHeader()] = 0;
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (!Live.insert(BB))
      continue;
    setReached(*BB);
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br)
      return Refusal{Reason::EarlyExit, BB->getTerminator()};
    const Loop *L = Analyses->LI.getLoopFor(BB);
    bool IsLatch = BB == L->getLoopLatch();
    bool Continues = Reached.contains(BB);
    if (!IsLatch && Br->isConditional() &&
        Br->getSuccessor(0) != Br->getSuccessor(1)) {
      bool First = !root().contains(Br->getSuccessor(0));
      if (First || !root().contains(Br->getSuccessor(1))) {
        Checks.push_back({Br, !First});
        LiveEdges.insert({BB, Br->getSuccessor(First)});
        Work.push_back(Br->getSuccessor(First));
        continue;
      }
      unsigned Before = Assumptions.size();
      std::variant<BasicBlock *, Refusal> Followed = followGuard(*BB);
      if (auto *No = std::get_if<Refusal>(&Followed))
        return *No;
      if (auto *Taken = std::get<BasicBlock *>(Followed)) {
        if (Continues && Assumptions.size() > Before &&
            !(Zeros && Zeros->Branch == Br))
          Reached.try_emplace(Taken, Assumptions.size());
        LiveEdges.insert({BB, Taken});
        Work.push_back(Taken);
        continue;
      }
      Continues = false;
    }
    for (BasicBlock *Succ : successors(BB)) {
      // A loop comes to its end.
      if (Continues)
        Reached.try_emplace(Succ, Assumptions.size());
      LiveEdges.insert({BB, Succ});
      if (root().contains(Succ) && !Live.contains(Succ))
        Work.push_back(Succ);
    }
  }
  InvariantMemo.clear(); // More is known now.
  for (Loop *L : Chain)
    if (!Live.contains(L->getHeader()) || !Live.contains(L->getLoopLatch()))
      return Refusal{Reason::Branch, root().getHeader()->getTerminator()};
  return std::nullopt;
}

/// \p BB ends in a condition: the side that leads to the loops.
std::variant<BasicBlock *, Refusal> Nest::followGuard(BasicBlock &BB) {
  auto *Br = cast<BranchInst>(BB.getTerminator());
  if (followZeroGuard(*Br))
    return Br->getSuccessor(Zeros->Enters ? 0 : 1);
  SmallVector<Loop *, 4> Targets{&innermost()};
  append_range(Targets, Beside);
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
    bool IsOfChain = Target == &innermost();
    if (isInvariant(Condition)) {
      Assumption Assume{Condition, First, needsAssumptions(Condition)};
      if (!IsOfChain) {
        Entries.push_back({Target, Assume});
        return nullptr;
      }
      Assumptions.push_back(Assume);
    } else if (std::optional<Requirement> R =
                   requirement(*Br, Condition, First)) {
      if (!IsOfChain) {
        Entries.push_back({Target, *R});
        return nullptr;
      }
      MustHold.push_back(*R);
    } else if (isa<ICmpInst>(Condition))
      Guards.push_back({Br, First});
    else
      return Refusal{Reason::Branch, Br};
    return Br->getSuccessor(First ? 0 : 1);
  }
  return Refusal{Reason::Branch, Br};
}

/// A comparison of values that are not written as such, but do not change in
/// the nest: what a loop in it leaves its counter at, for instance.
std::optional<Requirement>
Nest::requirement(const BranchInst &Br, Value *Condition, bool Holds) const {
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  ScalarEvolution &SE = Analyses->SE;
  const Loop *Scope = Analyses->LI.getLoopFor(Br.getParent());
  auto AtScope = [&](Value *V) {
    return SE.getSCEVAtScope(resolve(SE.getSCEV(V)), Scope);
  };
  const SCEV *X = AtScope(Compare->getOperand(0)),
             *Y = AtScope(Compare->getOperand(1));
  CmpInst::Predicate Predicate =
      Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  if (ICmpInst::isEquality(Predicate) && !isInvariant(X)) {
    // Both may move by the same step.
    X = SE.getMinusSCEV(X, Y);
    Y = SE.getZero(X->getType());
  }
  if (!isInvariant(X) || !isInvariant(Y))
    return std::nullopt;
  return Requirement{Predicate, X, Y};
}

Value *Nest::resolve(Value *V) const {
  if (auto *Load = dyn_cast<LoadInst>(V))
    if (auto It = Forwards.find(Load); It != Forwards.end())
      return resolve(It->second);
  if (auto *Phi = dyn_cast<PHINode>(V)) {
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
    return resolve(Only);
  }
  return V;
}

const SCEV *Nest::resolve(const SCEV *S) const {
  ScalarEvolution &SE = Analyses->SE;
  ValueToSCEVMapTy Map;
  SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *Phi = Unknown ? dyn_cast<PHINode>(Unknown->getValue()) : nullptr;
    if (!Phi)
      return false;
    // The value may come out of a loop.
    if (Value *V = resolve(Phi); V != Phi)
      Map[Phi] =
          SE.getSCEVAtScope(V, Analyses->LI.getLoopFor(Phi->getParent()));
    else if (const SCEV *Steps = recurrence(*Phi))
      Map[Phi] = Steps;
    return false;
  });
  return Map.empty() ? S : SCEVParameterRewriter::rewrite(S, SE, Map);
}

/// A counter or pointer that loops further in move, each time by the same.
const SCEV *Nest::recurrence(PHINode &Phi) const {
  Loop *L = Analyses->LI.getLoopFor(Phi.getParent());
  if (!L || !root().contains(L) || Phi.getParent() != L->getHeader() ||
      !Unresolved.insert(&Phi).second)
    return nullptr;
  ScalarEvolution &SE = Analyses->SE;
  const SCEV *Result = nullptr;
  Value *First = incomingFromOutside(Phi);
  const SCEV *Self = SE.getSCEV(&Phi);
  const SCEV *Next =
      SE.getSCEVAtScope(resolve(SE.getSCEV(incomingFromLatch(Phi))), L);
  const SCEV *Step = SE.getMinusSCEV(Next, Self);
  if (First && !isa<SCEVCouldNotCompute>(Step) && isInvariant(Step))
    Result = SE.getAddRecExpr(resolve(SE.getSCEV(First)), Step, L,
                              SCEV::FlagAnyWrap);
  Unresolved.erase(&Phi);
  return Result;
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

bool Nest::leadsTo(const BasicBlock &From, const Instruction &I) const {
  return reaches(&From, I.getParent(), Analyses->LI,
                 [&](const BasicBlock *, const BasicBlock *To) {
                   return root().contains(To);
                 });
}

bool Nest::runsAlways(const Instruction &I) const {
  auto *BB = const_cast<BasicBlock *>(I.getParent());
  if (!Live.contains(BB))
    return false;
  if (Entries.empty())
    return true;
  const Loop *L = Analyses->LI.getLoopFor(BB);
  if (BB == L->getHeader() || BB == L->getLoopLatch())
    return true;
  return !reaches(L->getHeader(), L->getLoopLatch(), Analyses->LI,
                  [&](const BasicBlock *From, const BasicBlock *To) {
                    return To != BB &&
                           LiveEdges.contains({const_cast<BasicBlock *>(From),
                                               const_cast<BasicBlock *>(To)});
                  });
}

const SCEV *Nest::valueAfter(Instruction &I) const {
  ScalarEvolution &SE = Analyses->SE;
  if (!SE.isSCEVable(I.getType()))
    return nullptr;
  const SCEV *Value = SE.getSCEVAtScope(SE.getSCEV(&I), root().getParentLoop());
  return isInvariant(Value) &&
                 !SCEVExprContains(
                     Value,
                     [&](const SCEV *Part) {
                       auto *Unknown = dyn_cast<SCEVUnknown>(Part);
                       auto *Inst =
                           Unknown ? dyn_cast<Instruction>(Unknown->getValue())
                                   : nullptr;
                       return Inst && root().contains(Inst);
                     })
             ? Value
             : nullptr;
}

const SCEV *Nest::addressOf(const Instruction &Access) const {
  return runsAlways(Access) ? addressWhereRun(Access) : nullptr;
}

const SCEV *Nest::addressWhereRun(const Instruction &Access) const {
  const Value *Pointer = getLoadStorePointerOperand(&Access);
  ScalarEvolution &SE = Analyses->SE;
  const SCEV *Address =
      SE.getSCEVAtScope(resolve(SE.getSCEV(const_cast<Value *>(Pointer))),
                        Analyses->LI.getLoopFor(Access.getParent()));
  return isMisplaced(Address, Access) ? nullptr : Address;
}

bool Nest::isMisplaced(const SCEV *S, const Instruction &User) const {
  return SCEVExprContains(S, [&](const SCEV *Part) {
    const Loop *L = nullptr;
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      L = Rec->getLoop();
    else if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      if (auto *I = dyn_cast<Instruction>(Unknown->getValue());
          I && !isInvariant(I))
        L = Analyses->LI.getLoopFor(I->getParent());
    return L && root().contains(L) && !L->contains(&User);
  });
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

bool Nest::isInvariant(const SCEV *S) const {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      return root().contains(Rec->getLoop());
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      return !isInvariant(Unknown->getValue());
    return isa<SCEVCouldNotCompute>(Part);
  });
}

} // namespace tilesmith
