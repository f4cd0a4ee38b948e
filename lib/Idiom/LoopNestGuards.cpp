//===- LoopNestGuards.cpp - the branches between the loops of a nest ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "tilesmith/Idiom/Outcome.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// A load that only one side of \p Br makes, to choose what is computed; null if
/// the sides do anything else.
static const LoadInst *loadOfOneSide(const BranchInst &Br) {
  const LoadInst *Found = nullptr;
  const BasicBlock *Join = nullptr;
  for (unsigned I : {0, 1}) {
    const BasicBlock *Side = Br.getSuccessor(I),
                     *Other = Br.getSuccessor(1 - I);
    if (Side->getSinglePredecessor() != Br.getParent())
      continue;
    const BasicBlock *End = Side->getSingleSuccessor();
    if (!End || (Join && Join != End) ||
        (Other != End && Other->getSingleSuccessor() != End))
      return nullptr;
    Join = End;
    for (const Instruction &Part : *Side) {
      if (Part.mayHaveSideEffects())
        return nullptr;
      if (auto *Load = dyn_cast<LoadInst>(&Part); Load && !Found)
        Found = Load;
    }
  }
  return Found;
}

/// Whether both sides of \p Br go on to the next loop of the chain, or to the end
/// of the iteration, and no loop of the chain is between.
bool LoopNest::isChoice(const BranchInst &Br) const {
  const Loop *Around = Analyses->LI.getLoopFor(Br.getParent());
  auto InChain = find(Chain, Around);
  if (InChain == Chain.end())
    return true;
  if (std::next(InChain) == Chain.end())
    return false;
  const BasicBlock *Next = (*std::next(InChain))->getHeader();
  // Where a test that does not vary leads past the loop, that is an assumption.
  auto IsAssumedAway = [&](const BasicBlock *From, const BasicBlock *BB) {
    auto *Test = dyn_cast<BranchInst>(From->getTerminator());
    return Test && Test->isConditional() && From != Br.getParent() &&
           isInvariant(Test->getCondition()) && reachesInNest(From, Next) &&
           !reachesInNest(BB, Next);
  };
  auto MayPass = [&](const BasicBlock *Side) {
    return Side != Next &&
           reaches(Side, Around->getLoopLatch(),
                   [&](const BasicBlock *From, const BasicBlock *BB) {
                     return BB != Next && Around->contains(BB) &&
                            !IsAssumedAway(From, BB);
                   });
  };
  return !reachesInNest(Br.getParent(), Next) ||
         none_of(Br.successors(), MayPass);
}

/// The side of \p Br that sets memory before both go on: LLVM has made a memset of
/// a loop, and the test whether that has something to do is left.
static std::optional<unsigned> sideOfMemSet(const BranchInst &Br) {
  for (unsigned I : {0, 1}) {
    const BasicBlock *Side = Br.getSuccessor(I);
    if (Side->getSinglePredecessor() == Br.getParent() &&
        Side->getSingleSuccessor() == Br.getSuccessor(1 - I) &&
        any_of(*Side,
               [](const Instruction &Part) { return isa<MemSetInst>(Part); }))
      return I;
  }
  return std::nullopt;
}

bool LoopNest::hasTestedMemSet(const Loop &Innermost, unsigned Length) {
  const Loop *Root = &Innermost;
  while (--Length)
    Root = Root->getParentLoop();
  return any_of(Root->blocks(), [](const BasicBlock *BB) {
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    return Br && Br->isConditional() && sideOfMemSet(*Br);
  });
}

/// The one side of \p Br from which control gets to \p L.
std::optional<unsigned> LoopNest::sideTo(const Loop &L,
                                         const BranchInst &Br) const {
  bool First = leadsTo(*Br.getSuccessor(0), L);
  bool Second = leadsTo(*Br.getSuccessor(1), L);
  if (First == Second)
    return std::nullopt;
  return First ? 0 : 1;
}

/// The side of \p Br that leads to a loop, which \p Target is then: the nest's own
/// or one beside it.
std::optional<unsigned> LoopNest::sideOfLoops(const BranchInst &Br,
                                              Loop *&Target) const {
  Target = Chain.back();
  std::optional<unsigned> Side = sideTo(innermost(), Br);
  // Another branch on the same condition may lead there.
  for (BasicBlock *Other : root().blocks())
    if (auto *Same = dyn_cast<BranchInst>(Other->getTerminator());
        !Side && Same && Same->isConditional() &&
        Same->getCondition() == Br.getCondition())
      Side = sideTo(innermost(), *Same);
  for (Loop *L : Beside)
    if (!Side) {
      Target = L;
      Side = sideTo(*L, Br);
    }
  if (!Side && !MemSetsAreOfRest && !isInvariant(Br.getCondition())) {
    Target = Chain.back();
    Side = sideOfMemSet(Br);
  }
  return Side;
}

/// \p Br does not lead to loops: each side may store something else.
std::variant<BasicBlock *, Refusal> LoopNest::followChoice(BranchInst &Br) {
  Refusal No{Reason::Branch, &Br};
  if (!innermost().contains(&Br) && !isInvariant(Br.getCondition()))
    if (const LoadInst *Load = loadOfOneSide(Br))
      No = {Reason::ConditionalLoad, Load};
  if (!isChoice(Br))
    return No;
  Choices.push_back({&Br, No});
  return nullptr;
}

/// The side \p Holds of \p Br leads to \p Target, a loop beside the nest's own.
void LoopNest::enterBeside(Loop &Target, BranchInst &Br, bool Holds) {
  Value *Condition = resolve(Br.getCondition());
  if (isInvariant(Condition))
    Entries.push_back(
        {&Target, &Br,
         Assumption{Condition, Holds, needsAssumptions(Condition), {}}});
  else if (std::optional<Requirement> R = requirement(Br, Condition, Holds))
    Entries.push_back({&Target, &Br, *R});
  else
    Entries.push_back({&Target, &Br});
}

/// The side \p Holds of \p Br leads to the nest's loops: what that takes.
Refused LoopNest::enterChain(BranchInst &Br, bool Holds) {
  Value *Condition = resolve(Br.getCondition());
  if (isInvariant(Condition)) {
    Assumptions.push_back({Condition, Holds, needsAssumptions(Condition), {}});
    return std::nullopt;
  }
  if (std::optional<Requirement> R = requirement(Br, Condition, Holds)) {
    MustHold.push_back(*R);
    return std::nullopt;
  }
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare)
    return Refusal{Reason::Branch, &Br};
  Guards.push_back({&Br, Holds});
  if (std::optional<Requirement> R = entry(Br, *Compare, Holds)) {
    Assumption Assume;
    Assume.Entered = R;
    for (const SCEV *Part : {R->X, R->Y})
      Assume.NeedsOthers |= needsAssumptions(Part);
    Assumptions.push_back(Assume);
  }
  return std::nullopt;
}

/// The side of \p Br that is known to be taken, by one of the forms of branches
/// around a step; null if it has none of them.
BasicBlock *LoopNest::followKnown(BranchInst &Br) {
  if (followZeroGuard(Br))
    return Zeros->made();
  if (followBorder(Br))
    return Borders.back().made();
  if (followCertain(Br))
    return Certain.back().made();
  if (followNaNTest(Br))
    return NaNTests.back().number();
  if (std::optional<bool> Hint = outcomeOf(Br);
      Hint && isInvariant(Br.getCondition())) {
    Assumptions.push_back(
        {Br.getCondition(), *Hint, needsAssumptions(Br.getCondition()), {}});
    return Br.getSuccessor(!*Hint);
  }
  return nullptr;
}

/// \p BB ends in a condition: the side that leads to the loops.
std::variant<BasicBlock *, Refusal> LoopNest::followGuard(BasicBlock &BB) {
  auto *Br = cast<BranchInst>(BB.getTerminator());
  if (any_of(Br->successors(), hasChoiceOfStore)) {
    Choices.push_back({Br, {Reason::Branch, Br}});
    return nullptr;
  }
  if (BasicBlock *Known = followKnown(*Br))
    return Known;
  Loop *Target;
  std::optional<unsigned> Side = sideOfLoops(*Br, Target);
  if (!Side)
    return followChoice(*Br);
  bool Holds = *Side == 0;
  if (Target != &innermost()) {
    enterBeside(*Target, *Br, Holds);
    return nullptr;
  }
  if (Refused No = enterChain(*Br, Holds))
    return *No;
  return Br->getSuccessor(*Side);
}

namespace {

/// A value in the first iteration of all loops of a nest but one.
struct InIteration : SCEVRewriteVisitor<InIteration> {
  const Loop &Root, *Of;
  const SCEV *Number;
  InIteration(ScalarEvolution &SE, const Loop &Root, const Loop *Of,
              const SCEV *Number)
      : SCEVRewriteVisitor(SE), Root(Root), Of(Of), Number(Number) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    if (!Root.contains(Rec->getLoop()))
      return Rec;
    const SCEV *Start = visit(Rec->getStart());
    if (Rec->getLoop() != Of)
      return Start;
    const SCEV *Step = visit(Rec->getStepRecurrence(SE));
    return SE.getAddExpr(
        Start, SE.getMulExpr(
                   Step, SE.getTruncateOrZeroExtend(Number, Step->getType())));
  }
};

} // namespace

/// Assumes that \p C is passed in the first iteration of all loops, so that what is
/// loaded behind it may be loaded in front; false if that cannot be said.
bool LoopNest::assumePassed(const Check &C) {
  ScalarEvolution &SE = Analyses->SE;
  SmallVector<std::pair<Value *, bool>, 4> Parts;
  collectConjuncts(C.Branch->getCondition(), C.GoesOn, Parts);
  SmallVector<Assumption, 4> Passed;
  for (auto [Part, Holds] : Parts) {
    if (isInvariant(Part)) {
      Passed.push_back({Part, Holds, needsAssumptions(Part), {}});
      continue;
    }
    auto *Compare = dyn_cast<ICmpInst>(Part);
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() ||
        EnteredLast)
      return false;
    InIteration First(SE, root(), /*Of=*/nullptr, /*Number=*/nullptr);
    auto AtFirst = [&](Value *V) {
      return First.visit(resolve(SE.getSCEV(V)));
    };
    Requirement R{
        Holds ? Compare->getPredicate() : Compare->getInversePredicate(),
        AtFirst(Compare->getOperand(0)), AtFirst(Compare->getOperand(1))};
    if (!isInvariant(R.X) || !isInvariant(R.Y))
      return false;
    Assumption Assume;
    Assume.Entered = R;
    Assume.NeedsOthers = needsAssumptions(R.X) || needsAssumptions(R.Y);
    Passed.push_back(Assume);
  }
  Assumptions.append(Passed);
  return true;
}

/// What lets control into the loops behind a varying guard, in the first
/// iteration of the loop that moves it, or if it is empty there, in the last.
std::optional<Requirement>
LoopNest::entry(const BranchInst &Br, const ICmpInst &Compare, bool Enters) {
  ScalarEvolution &SE = Analyses->SE;
  if (!Compare.getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  const SCEV *X = resolve(SE.getSCEV(Compare.getOperand(0))),
             *Y = resolve(SE.getSCEV(Compare.getOperand(1)));
  const Loop *By = nullptr;
  for (const SCEV *Side : {X, Y})
    if (SCEVExprContains(Side, [&](const SCEV *Part) {
          auto *Rec = dyn_cast<SCEVAddRecExpr>(Part);
          if (!Rec || !root().contains(Rec->getLoop()))
            return false;
          bool IsOther = !Rec->isAffine() || !Rec->getLoop()->contains(&Br) ||
                         (By && By != Rec->getLoop());
          By = Rec->getLoop();
          return IsOther;
        }))
      return std::nullopt;
  if (!By || (EnteredBy && EnteredBy != By))
    return std::nullopt;
  CmpInst::Predicate Predicate =
      Enters ? Compare.getPredicate() : Compare.getInversePredicate();
  auto In = [&](const SCEV *Number) {
    InIteration At(SE, root(), By, Number);
    return Requirement{Predicate, At.visit(X), At.visit(Y)};
  };
  Requirement R = In(SE.getZero(X->getType()));
  bool IsLast =
      SE.isKnownPredicate(CmpInst::getInversePredicate(Predicate), R.X, R.Y);
  if (IsLast) {
    // Checks before the last iteration might not be passed.
    if (root().getExitingBlock() != root().getLoopLatch())
      return std::nullopt;
    auto Count = tripCount(*By, *this);
    auto *Known = std::get_if<TripCount>(&Count);
    if (!Known || Known->ValidIf || !isInvariant(Known->Backedges))
      return std::nullopt;
    R = In(Known->Backedges);
  }
  if (!isInvariant(R.X) || !isInvariant(R.Y) ||
      (EnteredBy && EnteredLast != IsLast))
    return std::nullopt;
  EnteredBy = const_cast<Loop *>(By);
  EnteredLast = IsLast;
  return R;
}

/// A comparison of values that are not written as such, but do not change in
/// the nest: what a loop in it leaves its counter at, for instance.
std::optional<Requirement> LoopNest::requirement(const BranchInst &Br,
                                                 Value *Condition,
                                                 bool Holds) const {
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  ScalarEvolution &SE = Analyses->SE;
  const Loop *Scope = Analyses->LI.getLoopFor(Br.getParent());
  auto AtScope = [&](Value *V) {
    return atScope(resolve(SE.getSCEV(V)), Scope);
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

bool LoopNest::addEntryConditions(const Instruction &I,
                                  SmallVectorImpl<Assumption> &ToAssume,
                                  SmallVectorImpl<Requirement> &ToHold) const {
  for (const EntryCondition &Entry : Entries) {
    if (!Entry.Entered->contains(&I))
      continue;
    if (auto *A = std::get_if<Assumption>(&Entry.Condition))
      ToAssume.push_back(*A);
    else if (auto *R = std::get_if<Requirement>(&Entry.Condition))
      ToHold.push_back(*R);
    else
      return false;
  }
  return true;
}

} // namespace tilesmith
