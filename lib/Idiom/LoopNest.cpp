//===- LoopNest.cpp - the control structure around a product --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "tilesmith/Idiom/Outcome.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Support/DeadEnd.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

static bool isBackEdge(const BasicBlock *From, const BasicBlock *To,
                       const LoopInfo &LI) {
  return LI.isLoopHeader(To) && LI.getLoopFor(To)->contains(From);
}

bool LoopNest::reaches(
    const BasicBlock *From, const BasicBlock *To,
    function_ref<bool(const BasicBlock *, const BasicBlock *)> Follow) const {
  SmallVector<const BasicBlock *, 16> Work{From};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (BB == To)
      return true;
    if (!Seen.insert(BB).second)
      continue;
    for (const BasicBlock *Succ : successors(BB))
      if (!isBackEdge(BB, Succ, Analyses->LI) && Follow(BB, Succ))
        Work.push_back(Succ);
  }
  return false;
}

/// Many branches are asked for the same few blocks, so the way is taken back
/// from these, once.
bool LoopNest::reachesInNest(const BasicBlock *From,
                             const BasicBlock *To) const {
  auto [Known, IsNew] = ReachIn.try_emplace(To);
  auto &Reach = Known->second;
  if (!IsNew)
    return Reach.contains(From);
  SmallVector<const BasicBlock *, 16> Work{To};
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (!Reach.insert(BB).second || !root().contains(BB))
      continue;
    for (const BasicBlock *Before : predecessors(BB))
      if (!isBackEdge(Before, BB, Analyses->LI))
        Work.push_back(Before);
  }
  return Reach.contains(From);
}

const char OffMark[] = "tilesmith.off";

std::variant<LoopNest, Refusal> LoopNest::create(Loop &Innermost,
                                                 unsigned Length,
                                                 const NestAnalyses &Analyses,
                                                 bool MemSetsAreOfRest) {
  LoopNest Result;
  Result.Analyses = &Analyses;
  Result.MemSetsAreOfRest = MemSetsAreOfRest;
  if (Refused No = Result.findLoops(Innermost, Length))
    return *No;
  if (Refused No = Result.walk())
    return *No;
  if (Refused No = Result.count())
    return *No;
  Result.IsComplete = true;
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
  const BasicBlock *Latch = L.getLoopLatch();
  for (auto [From, To] : Exits)
    if (From != Latch &&
        (!isDeadEnd(*To) || is_contained(successors(Latch), To)))
      return Refusal{IfLeftElsewhere, From->getTerminator()};
  if (!L.isLoopExiting(Latch))
    return Refusal{IfLeftElsewhere, Start};
  // vectorize(disable) asks for vectors of one element.
  if ((hasVectorizeTransformation(&L) & TM_Disable) ||
      getOptionalElementCountLoopAttribute(&L) == ElementCount::getFixed(1) ||
      getOptionalBoolLoopAttribute(&L, "llvm.loop.distribute.enable") ==
          false ||
      findOptionMDForLoop(&L, OffMark))
    return Refusal{Reason::Pragma, Start};
  return std::nullopt;
}

} // namespace

Refused LoopNest::findLoops(Loop &Innermost, unsigned Length) {
  for (Loop *L = &Innermost; Chain.size() < Length; L = L->getParentLoop())
    Chain.push_back(L);
  std::reverse(Chain.begin(), Chain.end());
  if (root().getNumBlocks() > MostBlocksOfNest)
    return Refusal{Reason::LongBody, Innermost.getHeader()->getTerminator()};

  // What is made in front of the nest needs a block of its own.
  for (const BasicBlock *Pred : predecessors(root().getHeader()))
    if (isa<IndirectBrInst, CallBrInst>(Pred->getTerminator()))
      return Refusal{Reason::ComputedGoto, Pred->getTerminator()};
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
  findChunks();
  LeavesInOneWay = root().getExitingBlock();
  BlocksRunToTheirEnd = all_of(root().blocks(), [](const auto *BB) {
    return isGuaranteedToTransferExecutionToSuccessor(BB);
  });
  return std::nullopt;
}

Refused LoopNest::count() {
  for (Loop *L : Chain) {
    auto MaybeCount = tripCount(*L, *this);
    if (auto *No = std::get_if<Refusal>(&MaybeCount))
      return *No;
    Counts.push_back(std::get<TripCount>(MaybeCount));
    if (Refused No = requireFullChunks(*L, Counts.back()))
      return *No;
  }
  return std::nullopt;
}

/// Visits the blocks that run, from the root's header to its latch.
Refused LoopNest::walk() {
  SmallVector<BasicBlock *, 16> Work{root().getHeader()};
  Reached[root().getHeader()] = 0;
  while (!Work.empty()) {
    BasicBlock *BB = Work.pop_back_val();
    if (!Live.insert(BB))
      continue;
    setReached(*BB);
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br)
      return Refusal{isa<SwitchInst>(BB->getTerminator()) ? Reason::Branch
                                                          : Reason::EarlyExit,
                     BB->getTerminator()};
    const Loop *L = Analyses->LI.getLoopFor(BB);
    bool IsLatch = BB == L->getLoopLatch();
    bool Continues =
        Reached.contains(BB) && (!IsLatch || L->getExitingBlock() == BB);
    if (!IsLatch && Br->isConditional() &&
        Br->getSuccessor(0) != Br->getSuccessor(1)) {
      if (auto *Known = dyn_cast<ConstantInt>(Br->getCondition())) {
        BasicBlock *Taken = Br->getSuccessor(Known->isZero());
        if (Continues)
          setReachedFrom(*BB, *Taken);
        LiveEdges.insert({BB, Taken});
        Work.push_back(Taken);
        continue;
      }
      bool First = !root().contains(Br->getSuccessor(0));
      if (First || !root().contains(Br->getSuccessor(1))) {
        Checks.push_back({Br, !First});
        BasicBlock *Passed = Br->getSuccessor(First);
        if (Continues && assumePassed(Checks.back()))
          setReachedFrom(*BB, *Passed);
        LiveEdges.insert({BB, Passed});
        Work.push_back(Passed);
        continue;
      }
      unsigned Before = Assumptions.size();
      std::variant<BasicBlock *, Refusal> Followed = followGuard(*BB);
      if (auto *No = std::get_if<Refusal>(&Followed))
        return *No;
      if (auto *Taken = std::get<BasicBlock *>(Followed)) {
        // Behind a test of elements, that is if the step is made.
        bool IsZeroGuard = Zeros && Zeros->Branch == Br;
        bool IsBorder = !Borders.empty() && Borders.back().Branch == Br;
        if (Continues && !IsBorder &&
            (IsZeroGuard || Assumptions.size() > Before))
          setReachedFrom(*BB, *Taken);
        LiveEdges.insert({BB, Taken});
        Work.push_back(Taken);
        continue;
      }
      Continues = false;
    }
    for (BasicBlock *Succ : successors(BB)) {
      // A loop comes to its end.
      if (Continues)
        setReachedFrom(*BB, *Succ);
      LiveEdges.insert({BB, Succ});
      if (root().contains(Succ) && !Live.contains(Succ))
        Work.push_back(Succ);
    }
  }
  IsWalked = true;
  InvariantMemo.clear(); // More is known now.
  for (Loop *L : Chain)
    if (!Live.contains(L->getHeader()) || !Live.contains(L->getLoopLatch()))
      return Refusal{Reason::Branch, root().getHeader()->getTerminator()};
  return std::nullopt;
}

void collectConjuncts(Value *Condition, bool Holds,
                      SmallVectorImpl<std::pair<Value *, bool>> &Into) {
  using namespace PatternMatch;
  Value *X, *Y;
  // Nothing is poison where a check holds in this way.
  if (match(Condition, m_Freeze(m_Value(X))))
    return collectConjuncts(X, Holds, Into);
  if (match(Condition, m_Not(m_Value(X))))
    return collectConjuncts(X, !Holds, Into);
  if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
            : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))) {
    collectConjuncts(X, Holds, Into);
    collectConjuncts(Y, Holds, Into);
    return;
  }
  Into.push_back({Condition, Holds});
}

bool LoopNest::mayRun(const BasicBlock *From, const BasicBlock *To) const {
  if (isLive(From, To))
    return true;
  auto IsOff = [&](const BasicBlock *BB) {
    return root().contains(BB) && !Live.contains(const_cast<BasicBlock *>(BB));
  };
  return any_of(Guards, [&](const VaryingGuard &Guard) {
    const BasicBlock *Past = Guard.Branch->getSuccessor(Guard.Enters ? 1 : 0);
    if (Guard.Branch->getParent() == From)
      return Past == To;
    return IsOff(Past) &&
           reaches(Past, From, [&](const BasicBlock *, const BasicBlock *BB) {
             return IsOff(BB);
           });
  });
}

bool LoopNest::precedes(const Instruction &First,
                        const Instruction &Second) const {
  const BasicBlock *From = First.getParent(), *To = Second.getParent();
  if (From == To)
    return First.comesBefore(&Second);
  return reaches(From, To, [&](const BasicBlock *BB, const BasicBlock *Succ) {
    return isLive(BB, Succ);
  });
}

bool LoopNest::leadsTo(const VaryingGuard &Guard, const Instruction &I,
                       ArrayRef<const BranchInst *> Others) const {
  auto Leads = [&](const BasicBlock *From, const BasicBlock *To) {
    return root().contains(To) &&
           none_of(Guards, [&](const VaryingGuard &Other) {
             return Other.Branch == From->getTerminator() &&
                    is_contained(Others, Other.Branch) &&
                    Other.Branch->getSuccessor(Other.Enters ? 0 : 1) == To;
           });
  };
  const BasicBlock *Past = Guard.Branch->getSuccessor(Guard.Enters ? 1 : 0);
  return reaches(Past, I.getParent(), Leads);
}

bool LoopNest::runsAlways(const Instruction &I) const {
  auto *BB = const_cast<BasicBlock *>(I.getParent());
  if (!Live.contains(BB))
    return false;
  if (Entries.empty() && Choices.empty())
    return true;
  const Loop *L = Analyses->LI.getLoopFor(BB);
  if (BB == L->getHeader() || BB == L->getLoopLatch())
    return true;
  return !reaches(L->getHeader(), L->getLoopLatch(),
                  [&](const BasicBlock *From, const BasicBlock *To) {
                    return To != BB && isLive(From, To);
                  });
}

bool LoopNest::leadsTo(const BasicBlock &From, const Loop &L) const {
  return reachesInNest(&From, L.getHeader());
}

bool LoopNest::mayFollow(const BasicBlock &BB, const Loop &L) const {
  return reachesInNest(L.getHeader(), &BB);
}

bool LoopNest::isEntered(const Loop &L) const {
  const Loop *Around = L.getParentLoop();
  auto IsPast = [&](const BasicBlock *From, const BasicBlock *To) {
    return any_of(Entries, [&](const EntryCondition &Entry) {
      return Entry.Entered == &L && Entry.Branch == From->getTerminator() &&
             !leadsTo(*To, L);
    });
  };
  return !reaches(Around->getHeader(), Around->getLoopLatch(),
                  [&](const BasicBlock *From, const BasicBlock *To) {
                    return To != L.getHeader() && isLive(From, To) &&
                           !IsPast(From, To);
                  });
}

/// \p BB, which control may come to, does run if every iteration of a loop that
/// does passes through it. Where checks may fail, iterations may not end.
void LoopNest::setReached(const BasicBlock &BB) {
  if (!LeavesInOneWay)
    return;
  const Loop *L = Analyses->LI.getLoopFor(&BB);
  if (&BB == L->getHeader() && L != &root())
    L = L->getParentLoop();
  auto Header = Reached.find(L->getHeader());
  if (Header == Reached.end() ||
      !Analyses->DT.dominates(&BB, L->getLoopLatch()))
    return;
  unsigned Assumed = Header->second;
  auto [It, IsNew] = Reached.try_emplace(&BB, Assumed);
  It->second = std::min(It->second, Assumed);
  if (!BehindZeros.contains(L->getHeader()))
    BehindZeros.erase(&BB);
  else if (IsNew)
    BehindZeros.insert(&BB);
}

/// Control goes on from \p BB to \p Succ.
void LoopNest::setReachedFrom(const BasicBlock &BB, const BasicBlock &Succ) {
  bool IsNew = Reached.try_emplace(&Succ, Assumptions.size()).second;
  bool IsMade = Zeros && Zeros->Branch->getParent() == &BB;
  if (IsNew && (IsMade || BehindZeros.contains(&BB)))
    BehindZeros.insert(&Succ);
}

} // namespace tilesmith
