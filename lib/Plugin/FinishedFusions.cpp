//===- FinishedFusions.cpp - what is fused in a finished function ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FinishedFusions.h"
#include "FusionReader.h"
#include "SameLoops.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace tilesmith {

/// What the names of the blocks of a nest begin with; its number follows.
static constexpr StringLiteral Prefix = "tilesmith.nest.";

static std::optional<unsigned> nestByName(const BasicBlock &BB) {
  StringRef Name = BB.getName();
  unsigned N;
  if (!Name.consume_front(Prefix) || Name.consumeInteger(10, N))
    return std::nullopt;
  return N;
}

/// The nest that is noted in \p BB, if there is one.
static std::optional<unsigned> nestByNotes(const BasicBlock &BB) {
  for (const Instruction &I : BB)
    if (std::optional<unsigned> N = notedNest(I))
      return N;
  return std::nullopt;
}

/// The first nest that blocks from \p BB on are named after, as \p Next leads on.
static std::optional<unsigned>
nestFrom(const BasicBlock *BB,
         function_ref<const BasicBlock *(const BasicBlock &)> Next) {
  constexpr unsigned MaxBlocks = 4;
  for (unsigned I = 0; BB && I < MaxBlocks; ++I) {
    if (std::optional<unsigned> N = nestByName(*BB))
      return N;
    BB = Next(*BB);
  }
  return std::nullopt;
}

/// The nest that blocks in front of and behind \p L are named after: LLVM names
/// vectors otherwise.
static std::optional<unsigned> nestAround(const Loop &L) {
  auto Before = nestFrom(L.getLoopPredecessor(), [](const BasicBlock &BB) {
    return BB.getSinglePredecessor();
  });
  auto Behind = nestFrom(L.getUniqueExitBlock(), [](const BasicBlock &BB) {
    const Instruction *Br = BB.getTerminator();
    return Br->getNumSuccessors() ? Br->getSuccessor(Br->getNumSuccessors() - 1)
                                  : nullptr;
  });
  return Before == Behind ? Before : std::nullopt;
}

/// Finds the nest that blocks of \p L are noted in, or named after, as \p NumberOf has
/// it; with none, \p Nest stays. False if there are several.
static bool isOfOneNest(
    const Loop &L, unsigned &Nest,
    function_ref<std::optional<unsigned>(const BasicBlock &)> NumberOf) {
  std::optional<unsigned> Found;
  for (const BasicBlock *BB : L.blocks()) {
    std::optional<unsigned> Number = NumberOf(*BB);
    if (Found && Number && *Found != *Number)
      return false;
    if (Number)
      Found = Number;
  }
  Nest = Found.value_or(Nest);
  return true;
}

/// The same when LLVM has finished.
static bool isOfOneNest(const Loop &L, unsigned &Nest) {
  Nest = nestAround(L).value_or(Nest);
  return isOfOneNest(L, Nest, nestByName);
}

void FinishedFusions::Fate::add(std::optional<uint64_t> Product) {
  IsCertain &= !IsKnown || Fused == Product;
  IsKnown = true;
  Fused = Product;
}

void FinishedFusions::addFate(unsigned Nest, uint64_t Key,
                              std::optional<uint64_t> Fused) {
  Left.insert(Nest);
  Fates[{Nest, Key}].add(Fused);
}

void FinishedFusions::readBefore(FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(*F);
  FusionReader Reader(Loops, FAM.getResult<ScalarEvolutionAnalysis>(*F));
  const SmallVector<LaneOfAddition, 4> NoLanes;
  bool HasNotes =
      any_of(instructions(*F), [](Instruction &I) { return notedNest(I); });
  DenseMap<const Loop *, unsigned> Numbers;
  for (auto [Position, L] : enumerate(Loops)) {
    unsigned N = HasNotes ? Outside : unsigned(Position);
    if (HasNotes && !isOfOneNest(*L, N, nestByNotes))
      IsOpen = true;
    if (N == Outside)
      continue;
    Numbers[L] = N;
    for (BasicBlock *BB : L->blocks())
      BB->setName(Prefix + Twine(N) + ".");
  }
  for (auto [Position, I] : enumerate(instructions(*F))) {
    bool IsNoted = notedNest(I).has_value();
    removeFused(I);
    if (!FusionReader::addsProduct(I))
      continue;
    const Loop *L = Loops.getLoopFor(I.getParent());
    auto Lanes = Reader.read(I);
    if (!L) {
      for (const LaneOfAddition &Of : Lanes.value_or(NoLanes))
        InFront.insert(Of.Key);
      continue;
    }
    auto It = Numbers.find(L->getOutermostLoop());
    // Code that was not in the function.
    if (It == Numbers.end() || (HasNotes && !IsNoted)) {
      IsOpen = true;
      continue;
    }
    Addition Of{unsigned(Position), 0, {}};
    if (Lanes && Lanes->size() == 1) {
      const LaneOfAddition &Only = Lanes->front();
      Of = {Of.Position, Only.Key, {Only.Products[0], Only.Products[1]}};
    } else {
      Open.insert(It->second);
    }
    Before[It->second].push_back(Of);
  }
}

void FinishedFusions::readAfter(FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(*F);
  FusionReader Reader(Loops, FAM.getResult<ScalarEvolutionAnalysis>(*F));
  for (Instruction &I : instructions(*F)) {
    if (!FusionReader::addsProduct(I))
      continue;
    const Loop *L = Loops.getLoopFor(I.getParent());
    unsigned N = Outside;
    if (L && !isOfOneNest(*L->getOutermostLoop(), N))
      IsOpen = true;
    Left.insert(N);
    auto Lanes = Reader.readFused(I);
    if (!Lanes) {
      Open.insert(N);
      IsOpen |= N == Outside;
      continue;
    }
    for (const LaneOfAddition &Of : *Lanes) {
      std::optional<uint64_t> Fused;
      if (Of.Fused)
        Fused = Of.Products[*Of.Fused];
      addFate(N, Of.Key, Fused);
    }
  }
  DT = std::make_unique<DominatorTree>(*F);
  LI = std::make_unique<LoopInfo>(*DT);
}

FinishedFusions::Fate FinishedFusions::fateOf(unsigned Nest,
                                              uint64_t Key) const {
  Fate All;
  for (unsigned Where : {Nest, Outside})
    if (auto It = Fates.find({Where, Key}); It != Fates.end()) {
      All.IsCertain &= It->second.IsCertain;
      All.add(It->second.Fused);
    }
  return All;
}

/// Whether there are additions outside of nests that cannot be told to be of one.
bool FinishedFusions::hasStrangers() const {
  DenseSet<uint64_t> Keys = InFront;
  for (const auto &[N, Additions] : Before)
    for (const Addition &Of : Additions)
      Keys.insert(Of.Key);
  return any_of(Fates, [&](const auto &Entry) {
    return Entry.first.first == Outside && !Keys.contains(Entry.first.second);
  });
}

bool FinishedFusions::note(Function &Original) const {
  if (IsOpen || hasStrangers())
    return false;
  struct Note {
    FusedOperand Which;
    unsigned Nest;
  };
  DenseMap<unsigned, Note> Notes;
  bool HasCertain = false;
  for (const auto &[N, Additions] : Before) {
    // What cannot be told from the additions of the nest may be any of them.
    bool IsOpenNest =
        Open.contains(N) || any_of(Fates, [&, N = N, &Of = Additions](auto &F) {
          return F.first.first == N && none_of(Of, [&](const Addition &Add) {
                   return Add.Key == F.first.second;
                 });
        });
    for (const Addition &Of : Additions) {
      const Fate All = fateOf(N, Of.Key);
      FusedOperand Which = FusedOperand::Unknown;
      if (!IsOpenNest && All.IsKnown && All.IsCertain) {
        Which = FusedOperand::None;
        for (unsigned Op : {0, 1})
          if (All.Fused && Of.Products[Op] == All.Fused)
            Which = Op ? FusedOperand::Second : FusedOperand::First;
        HasCertain = true;
      }
      Notes.insert({Of.Position, {Which, N}});
    }
  }
  if (!HasCertain)
    return false;
  for (auto [Position, I] : enumerate(instructions(Original)))
    if (auto It = Notes.find(Position); It != Notes.end())
      noteFused(I, It->second.Which, It->second.Nest);
  return true;
}

SmallVector<const Loop *, 2> FinishedFusions::loopsOf(unsigned Nest) const {
  SmallVector<const Loop *, 2> Result;
  for (const BasicBlock &BB : *F) {
    const Loop *L = LI->getLoopFor(&BB);
    unsigned N = Outside;
    if (L && L->getHeader() == &BB && L->isOutermost() && isOfOneNest(*L, N) &&
        N == Nest)
      Result.push_back(L);
  }
  return Result;
}

bool FinishedFusions::hasSameFates(unsigned Nest,
                                   const FinishedFusions &Whole) const {
  if (Open.contains(Nest) || Whole.Open.contains(Nest))
    return false;
  return all_of(Fates, [&](const auto &Entry) {
    auto [In, Key] = Entry.first;
    if (In != Nest)
      return true;
    const Fate Here = fateOf(Nest, Key), There = Whole.fateOf(Nest, Key);
    return There.IsKnown && Here.IsCertain && There.IsCertain &&
           Here.Fused == There.Fused;
  });
}

bool FinishedFusions::isAllInLoops(unsigned Nest) const {
  return none_of(Fates, [&](const auto &Entry) {
    auto [In, Key] = Entry.first;
    return In == Nest && Fates.count({Outside, Key});
  });
}

bool FinishedFusions::isAs(const FinishedFusions &Whole) const {
  if (IsOpen || Whole.IsOpen)
    return false;
  return all_of(Left, [&](unsigned Nest) {
    return hasSameFates(Nest, Whole) ||
           (Nest != Outside && isAllInLoops(Nest) && Whole.isAllInLoops(Nest) &&
            areSameLoops(loopsOf(Nest), Whole.loopsOf(Nest)));
  });
}

} // namespace tilesmith
