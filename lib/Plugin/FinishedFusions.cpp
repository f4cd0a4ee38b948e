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
    auto Read = Reader.readFused(I);
    if (!Read) {
      Open.insert(N);
      IsOpen |= N == Outside;
      continue;
    }
    for (const LaneOfAddition &Of : *Read) {
      Lanes[{&I, Of.Number}] = Of;
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

/// Whether additions like \p Key are fused in one way here and in another one there, in
/// loops of \p Nest only.
bool FinishedFusions::isInParts(unsigned Nest, uint64_t Key) const {
  auto It = Fates.find({Nest, Key});
  return It != Fates.end() && !It->second.IsCertain &&
         !Fates.count({Outside, Key});
}

/// Which iterations of \p Nest are which. \p Whole: where nothing is missing.
std::optional<FusionParts>
FinishedFusions::partsOf(unsigned Nest, const FinishedFusions &Whole,
                         Function &Original,
                         FunctionAnalysisManager &FAM) const {
  auto &Loops = FAM.getResult<LoopAnalysis>(Original);
  LoopsToRun Source{{}, Loops}, Finished{loopsOf(Nest), *LI};
  for (auto [Position, L] : enumerate(Loops))
    if (Position == Nest)
      Source.Roots.push_back(L);
  DenseMap<unsigned, const Addition *> ByPosition;
  auto It = Whole.Before.find(Nest);
  if (It == Whole.Before.end())
    return std::nullopt;
  for (const Addition &Of : It->second)
    if (isInParts(Nest, Of.Key))
      ByPosition[Of.Position] = &Of;
  SourceAdditions Additions;
  for (auto [Position, I] : enumerate(instructions(Original)))
    if (const Addition *Of = ByPosition.lookup(Position))
      Additions[&I] = {Of->Key, {Of->Products[0], Of->Products[1]}};
  if (Additions.empty())
    return std::nullopt;
  return findFusionParts(Source, Additions, Finished, Lanes);
}

bool FinishedFusions::note(Function &Original, FunctionAnalysisManager &FAM,
                           bool WithParts) {
  Parts.clear();
  if (IsOpen || hasStrangers())
    return false;
  struct Note {
    FusedOperand Which;
    unsigned Nest;
    std::optional<FusedInRest> Rest = std::nullopt;
  };
  // The operand of an addition that \p Product is.
  auto OperandOf = [](const Addition &Of, std::optional<uint64_t> Product) {
    if (Product)
      for (unsigned Op : {0, 1})
        if (Of.Products[Op] == Product)
          return Op ? FusedOperand::Second : FusedOperand::First;
    return FusedOperand::None;
  };
  DenseMap<unsigned, Note> Notes;
  bool TellsAny = false;
  for (const auto &[N, Additions] : Before) {
    // What cannot be told from the additions of the nest may be any of them.
    bool IsOpenNest =
        Open.contains(N) || any_of(Fates, [&, N = N, &Of = Additions](auto &F) {
          return F.first.first == N && none_of(Of, [&](const Addition &Add) {
                   return Add.Key == F.first.second;
                 });
        });
    std::optional<FusionParts> InParts;
    if (!IsOpenNest && WithParts)
      InParts = partsOf(N, *this, Original, FAM);
    for (const Addition &Of : Additions) {
      const Fate All = fateOf(N, Of.Key);
      Note New{FusedOperand::Unknown, N};
      if (!IsOpenNest && All.IsKnown && All.IsCertain) {
        New.Which = OperandOf(Of, All.Fused);
        TellsAny = true;
      } else if (InParts && InParts->Of.count(Of.Key)) {
        const FusionParts::Fused &In = InParts->Of.find(Of.Key)->second;
        New.Which = OperandOf(Of, In.InVectors);
        New.Rest = FusedInRest{OperandOf(Of, In.InRest), In.Step};
        TellsAny = true;
      }
      // Fused in one way here and in another one there.
      TellsAny |= !All.IsCertain;
      Notes.insert({Of.Position, New});
    }
    if (InParts)
      Parts[N] = std::move(*InParts);
  }
  if (!TellsAny)
    return false;
  for (auto [Position, I] : enumerate(instructions(Original)))
    if (auto It = Notes.find(Position); It != Notes.end())
      noteFused(I, It->second.Which, It->second.Nest, It->second.Rest);
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

bool FinishedFusions::hasSameParts(unsigned Nest, const FinishedFusions &Whole,
                                   Function &Original,
                                   FunctionAnalysisManager &FAM) const {
  auto It = Whole.Parts.find(Nest);
  if (Open.contains(Nest) || It == Whole.Parts.end())
    return false;
  const FusionParts &There = It->second;
  std::optional<FusionParts> Here = partsOf(Nest, Whole, Original, FAM);
  return Here && all_of(Fates, [&](const auto &Entry) {
           auto [In, Key] = Entry.first;
           if (In != Nest)
             return true;
           if (Entry.second.IsCertain) {
             const Fate Of = Whole.fateOf(Nest, Key), Mine = fateOf(Nest, Key);
             return Of.IsKnown && Of.IsCertain && Mine.IsCertain &&
                    Of.Fused == Mine.Fused;
           }
           auto X = Here->Of.find(Key);
           auto Y = There.Of.find(Key);
           return X != Here->Of.end() && Y != There.Of.end() &&
                  X->second == Y->second;
         });
}

bool FinishedFusions::isAllInLoops(unsigned Nest) const {
  return none_of(Fates, [&](const auto &Entry) {
    auto [In, Key] = Entry.first;
    return In == Nest && Fates.count({Outside, Key});
  });
}

bool FinishedFusions::isAs(const FinishedFusions &Whole, Function &Original,
                           FunctionAnalysisManager &FAM) const {
  if (IsOpen || Whole.IsOpen)
    return false;
  return all_of(Left, [&](unsigned Nest) {
    return hasSameFates(Nest, Whole) ||
           (Nest != Outside && isAllInLoops(Nest) && Whole.isAllInLoops(Nest) &&
            areSameLoops(loopsOf(Nest), Whole.loopsOf(Nest))) ||
           hasSameParts(Nest, Whole, Original, FAM);
  });
}

} // namespace tilesmith
