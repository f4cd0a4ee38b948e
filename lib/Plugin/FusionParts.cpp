//===- FusionParts.cpp - what is fused in which iterations ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionParts.h"
#include "NestRun.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <set>

using namespace llvm;

namespace tilesmith {

namespace {

/// The most iterations that are looked at: vectors go by twice in them, also where
/// several are made at once.
constexpr uint64_t MaxIterations = 144;

/// The additions in question that an element is made by, in order of their keys.
using Chain = SmallVector<uint64_t, 4>;
/// Which product each of them fuses.
using Fate = SmallVector<std::optional<uint64_t>, 4>;

/// Visit() for each addition that leads to \p Of, with its lane.
void visitAdditions(Lane Of,
                    function_ref<void(Instruction &, unsigned)> Visit) {
  constexpr unsigned MaxAdditions = 32;
  SmallVector<Lane, 8> Left = {Of};
  for (unsigned I = 0; !Left.empty() && I < MaxAdditions; ++I) {
    std::optional<Lane> From = FusionReader::origin(Left.pop_back_val());
    auto *Add = From ? dyn_cast<Instruction>(From->V) : nullptr;
    if (!Add || (Add->getOpcode() != Instruction::FAdd &&
                 Add->getOpcode() != Instruction::FSub))
      continue;
    Visit(*Add, From->Number);
    for (Value *Op : Add->operands())
      Left.push_back({Op, From->Number});
  }
}

/// An iteration of an innermost loop, and how many it makes.
struct Iteration {
  uint64_t Number, Count;
  bool operator<(const Iteration &O) const {
    return std::tie(Count, Number) < std::tie(O.Count, O.Number);
  }
  bool operator==(const Iteration &O) const {
    return Count == O.Count && Number == O.Number;
  }
};

/// Follows the nest as it was.
class SourceRun : public RunListener {
public:
  SourceRun(const Loop &Inner, const DenseMap<const StoreInst *, Chain> &Stores)
      : Inner(Inner), Stores(Stores) {}

  void enter(const Loop &L) override {
    if (&L == &Inner) {
      Number = 0;
      Pending.clear();
    }
  }
  void next(const Loop &L) override { Number += &L == &Inner; }
  void leave(const Loop &L) override {
    if (&L != &Inner)
      return;
    for (const auto &[Where, Of, In] : Pending) {
      Made New{Of, {In, Number + 1}};
      auto [It, IsNew] = Elements.try_emplace(Where, New);
      HasConflict |=
          !IsNew && !(It->second.Of == New.Of && It->second.In == New.In);
    }
  }
  bool store(const StoreInst &Store, RunAddress Where) override {
    if (auto It = Stores.find(&Store); It != Stores.end())
      Pending.push_back({Where, &It->second, Number});
    return !HasConflict;
  }
  void branch(const BranchInst &, unsigned, uint64_t Sources) override {
    Bounds |= Sources;
  }

  /// An element, and where it is made.
  struct Made {
    const Chain *Of;
    Iteration In;
  };
  std::map<RunAddress, Made> Elements;
  bool HasConflict = false; ///< arrays overlap with these numbers
  uint64_t Bounds = 0;      ///< sources that branches depend on

private:
  const Loop &Inner;
  const DenseMap<const StoreInst *, Chain> &Stores;
  uint64_t Number = 0;
  SmallVector<std::tuple<RunAddress, const Chain *, uint64_t>, 64> Pending;
};

/// What a lane of a store is made by.
struct StoredLane {
  Chain Of;
  Fate Is;
};

/// Follows the finished nest.
class FinishedRun : public RunListener {
public:
  FinishedRun(const FinishedLanes &Lanes, const DenseSet<uint64_t> &Keys)
      : Lanes(Lanes), Keys(Keys) {}

  bool store(const StoreInst &Store, RunAddress Where) override {
    const DataLayout &DL = Store.getDataLayout();
    Type *Ty = Store.getValueOperand()->getType();
    if (isa<ScalableVectorType>(Ty))
      return false;
    uint64_t Size = DL.getTypeStoreSize(Ty->getScalarType());
    for (const auto &[Number, Of] : enumerate(lanesOf(Store)))
      if (!Of.Of.empty())
        Elements[{Where.first, Where.second + Number * Size}].push_back(&Of);
    return true;
  }
  void branch(const BranchInst &Br, unsigned Successor, uint64_t) override {
    Taken.insert({&Br, Successor});
  }

  std::map<RunAddress, SmallVector<const StoredLane *, 2>> Elements;
  std::set<std::pair<const BranchInst *, unsigned>> Taken;
  std::set<std::pair<const Instruction *, unsigned>> Seen; ///< lanes

private:
  ArrayRef<StoredLane> lanesOf(const StoreInst &Store);
  StoredLane laneOf(Lane Of);

  const FinishedLanes &Lanes;
  const DenseSet<uint64_t> &Keys;
  std::map<const StoreInst *, SmallVector<StoredLane, 8>> Stored;
};

StoredLane FinishedRun::laneOf(Lane Of) {
  SmallVector<std::pair<uint64_t, std::optional<uint64_t>>, 4> Found;
  visitAdditions(Of, [&](Instruction &I, unsigned Number) {
    auto It = Lanes.find({&I, Number});
    if (It == Lanes.end() || !Keys.contains(It->second.Key))
      return;
    const LaneOfAddition &Add = It->second;
    Seen.insert(It->first);
    Found.push_back(
        {Add.Key, Add.Fused ? Add.Products[*Add.Fused] : std::nullopt});
  });
  sort(Found);
  StoredLane Result;
  for (const auto &[Key, Fused] : Found) {
    Result.Of.push_back(Key);
    Result.Is.push_back(Fused);
  }
  return Result;
}

ArrayRef<StoredLane> FinishedRun::lanesOf(const StoreInst &Store) {
  auto [It, IsNew] = Stored.try_emplace(&Store);
  if (IsNew) {
    Value *V = const_cast<Value *>(Store.getValueOperand());
    auto *Vector = dyn_cast<FixedVectorType>(V->getType());
    for (unsigned Number : seq(Vector ? Vector->getNumElements() : 1u))
      It->second.push_back(laneOf({V, Number}));
  }
  return It->second;
}

class PartsFinder {
public:
  PartsFinder(const LoopsToRun &Source, const SourceAdditions &Additions,
              const LoopsToRun &Finished, const FinishedLanes &Lanes)
      : Source(Source), Additions(Additions), Finished(Finished), Lanes(Lanes),
        Keys(keysOf(Additions)), OfFinished(Lanes, Keys) {}

  std::optional<FusionParts> find() {
    if (Source.Roots.size() != 1 || !findStores() || !runAll() || !isAllSeen())
      return std::nullopt;
    for (unsigned Step = 2; Step <= 64; Step *= 2)
      if (std::optional<FusionParts> Parts = partsOf(Step))
        return Parts;
    return std::nullopt;
  }

private:
  static DenseSet<uint64_t> keysOf(const SourceAdditions &Additions) {
    DenseSet<uint64_t> Result;
    for (const auto &[I, Of] : Additions)
      Result.insert(Of.Key);
    return Result;
  }
  bool findStores();
  bool runAll();
  enum class Outcome { Done, Skipped, Failed };
  bool runSource(DataBranches Branches, SourceRun &Of);
  bool findAgain(RunAddress Where, SourceRun &Of);
  Outcome run(DataBranches Branches, uint64_t &Longest);
  bool runWith(NumberSource Bound);
  bool runSmall(ArrayRef<NumberSource> Bounds);
  bool hasAddition(const BasicBlock &BB) const;
  bool meetAgain(const Loop &Root, const BasicBlock &BB,
                 const BasicBlock &End) const;
  bool makesNothing(const BasicBlock &Way, const Loop &L) const;
  bool isHarmless(const Loop &Root, const BasicBlock &BB,
                  const PostDominatorTree &PDT) const;
  bool isAllSeen() const;
  std::optional<FusionParts> partsOf(unsigned Step) const;

  const LoopsToRun &Source;
  const SourceAdditions &Additions;
  const LoopsToRun &Finished;
  const FinishedLanes &Lanes;
  const DenseSet<uint64_t> Keys;
  const Loop *Inner = nullptr;
  DenseMap<const StoreInst *, Chain> Stores;
  GivenNumbers Numbers;
  uint64_t Bounds = 0, StepsLeft = 12000000, Seed = 0;
  FinishedRun OfFinished;
  /// By what is added, of each iteration: what becomes of it.
  std::map<Chain, std::map<Iteration, Fate>> Fates;
};

static unsigned numStores(const BasicBlock &BB) {
  return count_if(BB, [](const Instruction &I) { return isa<StoreInst>(I); });
}

/// Whether \p Inner stores several parts, as of numbers, and the loop around it, too, by
/// itself: an element of the diagonal, say. No such nest is known to be fused in parts that
/// a kernel could follow.
static bool hasStoreBeside(const Loop &Inner, const LoopInfo &LI) {
  const Loop *Around = Inner.getParentLoop();
  return Around && numStores(*Inner.getHeader()) > 1 &&
         any_of(Around->blocks(), [&](const BasicBlock *BB) {
           return LI.getLoopFor(BB) == Around && numStores(*BB) > 0;
         });
}

/// Finds the stores of what the additions make: all of them in one loop, of one block.
bool PartsFinder::findStores() {
  DenseSet<const Instruction *> Found;
  std::set<Chain> Chains;
  for (BasicBlock *BB : Source.Roots.front()->blocks())
    for (Instruction &I : *BB) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store)
        continue;
      Chain Of;
      visitAdditions(
          {Store->getValueOperand(), 0}, [&](Instruction &Add, unsigned) {
            if (auto It = Additions.find(&Add); It != Additions.end()) {
              Of.push_back(It->second.Key);
              Found.insert(&Add);
            }
          });
      if (Of.empty())
        continue;
      sort(Of);
      const Loop *L = Source.LI.getLoopFor(BB);
      // What is added twice may be one product.
      if ((Inner && Inner != L) || L->getNumBlocks() != 1 ||
          adjacent_find(Of) != Of.end() || !Chains.insert(Of).second)
        return false;
      Inner = L;
      Stores[Store] = Of;
    }
  return Inner && !hasStoreBeside(*Inner, Source.LI) &&
         all_of(Additions, [&](const auto &Entry) {
           return Found.contains(Entry.first) && Inner->contains(Entry.first);
         });
}

/// Runs the nest as it was. False if that fails.
bool PartsFinder::runSource(DataBranches Branches, SourceRun &Of) {
  bool IsDone =
      NestRun(*Source.Roots.front(), Source.LI, Numbers, Branches, Seed, Of)
          .run(StepsLeft);
  Bounds |= Of.Bounds;
  return IsDone;
}

/// Where branches that depend on floating-point numbers leave out iterations, the
/// finished nest may make elements that the nest as it was did not: it makes all of
/// them where they go another way.
bool PartsFinder::findAgain(RunAddress Where, SourceRun &Of) {
  for (DataBranches Branches : {DataBranches::First, DataBranches::Second})
    if (!Of.Elements.count(Where) && !runSource(Branches, Of))
      return false;
  return Of.Elements.count(Where);
}

/// Runs both nests with the same numbers.
PartsFinder::Outcome PartsFinder::run(DataBranches Branches,
                                      uint64_t &Longest) {
  ++Seed;
  SourceRun Of(*Inner, Stores);
  if (!runSource(Branches, Of))
    return StepsLeft && Of.HasConflict ? Outcome::Skipped : Outcome::Failed;
  for (const Loop *Root : Finished.Roots) {
    OfFinished.Elements.clear();
    if (!NestRun(*Root, Finished.LI, Numbers, Branches, Seed, OfFinished)
             .run(StepsLeft))
      return Outcome::Failed;
    for (const auto &[Where, All] : OfFinished.Elements) {
      if (!Of.Elements.count(Where) && !findAgain(Where, Of))
        return Outcome::Failed;
      const auto &[Chain, In] = Of.Elements.find(Where)->second;
      Longest = std::max(Longest, In.Count);
      for (const StoredLane *Lane : All) {
        auto [Known, IsNew] = Fates[*Chain].try_emplace(In, Lane->Is);
        if (Lane->Of != *Chain || Known->second != Lane->Is)
          return Outcome::Failed;
      }
    }
  }
  return Outcome::Done;
}

/// Runs them with all numbers of iterations that come of \p Bound; in a triangle
/// without its diagonal, these are one less.
bool PartsFinder::runWith(NumberSource Bound) {
  for (uint64_t Most = MaxIterations + 1; Most > 0; --Most) {
    bool IsKnown =
        Fates.size() == Stores.size() && all_of(Fates, [&](const auto &Of) {
          return Of.second.count({0, Most}) &&
                 Of.second.count({Most - 1, Most});
        });
    if (IsKnown)
      continue;
    uint64_t Longest = 0;
    for (auto &[From, Is] : Numbers.Of)
      if (Bounds >> Is.Place & 1)
        Is.Value = 1 + (Most + Is.Place) % 3;
    Numbers.Of[Bound].Value = Most;
    for (DataBranches Branches :
         {DataBranches::First, DataBranches::Second, DataBranches::Any})
      if (run(Branches, Longest) == Outcome::Failed)
        return false;
    // The loop does not depend on it.
    if (Most > MaxIterations && Longest < Most / 2)
      break;
  }
  return true;
}

/// Runs them with few iterations, where branches go either way, and with none of those
/// that \p Bounds stand for one by one. That is no run if they are more than many then,
/// as what stands in front of the loops would have left them out.
bool PartsFinder::runSmall(ArrayRef<NumberSource> Bounds) {
  constexpr unsigned NumRuns = 48;
  for (unsigned I = 0; I < NumRuns; ++I) {
    for (auto [Place, Bound] : enumerate(Bounds))
      Numbers.Of[Bound].Value = 1 + (I + Place * (I / 3)) % (NumRuns / 2);
    const NumberSource &Few = Bounds[I % Bounds.size()];
    const bool HasNone = I >= NumRuns / 2;
    if (HasNone)
      Numbers.Of[Few].Value = 0;
    uint64_t Longest = 0, Before = StepsLeft;
    constexpr uint64_t Many = 100000;
    if (HasNone)
      StepsLeft = std::min(Before, Many);
    uint64_t Given = StepsLeft;
    Outcome Is = run(DataBranches::Any, Longest);
    bool IsEndless = HasNone && StepsLeft == 0;
    StepsLeft = Before - (Given - StepsLeft);
    if (Is == Outcome::Failed && !IsEndless)
      return false;
  }
  return true;
}

bool PartsFinder::runAll() {
  // Which numbers are there, and which of them are bounds?
  Numbers.Otherwise = 5;
  uint64_t Longest = 0;
  if (run(DataBranches::Any, Longest) == Outcome::Failed ||
      Numbers.Of.size() > GivenNumbers::Max)
    return false;
  Fates.clear();
  SmallVector<NumberSource, 4> ToTry;
  for (auto &[From, Is] : Numbers.Of) {
    if (Bounds >> Is.Place & 1)
      ToTry.push_back(From);
    else // Columns are far apart.
      Is.Value = (uint64_t(1) << 20) + 4104 * Is.Place;
  }
  constexpr unsigned MaxBounds = 4;
  return !ToTry.empty() && ToTry.size() <= MaxBounds &&
         all_of(ToTry, [&](NumberSource From) { return runWith(From); }) &&
         runSmall(ToTry);
}

/// Whether one of the additions is left in \p BB.
bool PartsFinder::hasAddition(const BasicBlock &BB) const {
  return any_of(Lanes, [&](const auto &Entry) {
    return Entry.first.first->getParent() == &BB &&
           Keys.contains(Entry.second.Key);
  });
}

/// Whether nothing of \p BB may tell others which way was taken: only blocks of
/// \p Between use its numbers, and it stores none.
static bool keepsSecrets(const BasicBlock &BB,
                         const SmallSetVector<const BasicBlock *, 8> &Between) {
  return all_of(BB, [&](const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store ? !Store->getValueOperand()->getType()->isFPOrFPVectorTy()
              : I.mayWriteToMemory() && !isa<MemSetInst>(I))
      return false;
    return I.getType()->isFPOrFPVectorTy() ||
           all_of(I.users(), [&](const User *U) {
             return Between.contains(cast<Instruction>(U)->getParent());
           });
  });
}

/// Whether all ways from \p BB lead to \p End, with none of the additions between, and
/// with nothing that tells there which way was taken.
bool PartsFinder::meetAgain(const Loop &Root, const BasicBlock &BB,
                            const BasicBlock &End) const {
  SmallSetVector<const BasicBlock *, 8> Between;
  auto AddSuccessors = [&](const BasicBlock &Of) {
    for (const BasicBlock *Next : successors(&Of))
      if (Next != &End)
        Between.insert(Next);
  };
  AddSuccessors(BB);
  for (unsigned I = 0; I < Between.size(); ++I) {
    if (!Root.contains(Between[I]) || hasAddition(*Between[I]))
      return false;
    AddSuccessors(*Between[I]);
  }
  return all_of(Between,
                [&](const BasicBlock *Way) {
                  return keepsSecrets(*Way, Between);
                }) &&
         all_of(End.phis(), [](const PHINode &Phi) {
           return Phi.getType()->isFPOrFPVectorTy();
         });
}

/// Whether what is left of the iteration of a loop behind \p Way makes nothing, and tells
/// the next one nothing. Then it makes no difference if that is nothing in the source,
/// either: a triangle's last row, say, of which LLVM does not know that it has elements.
bool PartsFinder::makesNothing(const BasicBlock &Way, const Loop &L) const {
  SmallSetVector<const BasicBlock *, 8> Left;
  Left.insert(&Way);
  for (unsigned I = 0; I < Left.size(); ++I) {
    const BasicBlock &BB = *Left[I];
    if (!L.contains(&BB) || !BB.phis().empty() || hasAddition(BB) ||
        any_of(BB, [](const Instruction &I) { return I.mayWriteToMemory(); }))
      return false;
    if (&BB == L.getLoopLatch())
      continue;
    for (const BasicBlock *Next : successors(&BB))
      Left.insert(Next);
  }
  return true;
}

/// Whether it does not matter which way the branch goes that ends \p BB.
bool PartsFinder::isHarmless(const Loop &Root, const BasicBlock &BB,
                             const PostDominatorTree &PDT) const {
  constexpr unsigned MaxEnds = 8;
  const auto *Node = PDT.getNode(&BB);
  for (unsigned I = 0; Node && I < MaxEnds; ++I) {
    Node = Node->getIDom();
    const BasicBlock *End = Node ? Node->getBlock() : nullptr;
    if (!End || !Root.contains(End))
      return false;
    if (meetAgain(Root, BB, *End))
      return true;
  }
  return false;
}

/// Whether all that is left of the additions was run, and each branch went both ways.
bool PartsFinder::isAllSeen() const {
  std::optional<PostDominatorTree> PDT;
  auto WentBothWays = [&](const BranchInst &Br) {
    return OfFinished.Taken.count({&Br, 0}) && OfFinished.Taken.count({&Br, 1});
  };
  // It went one way, and on the other one there is nothing.
  auto LeavesOutNothing = [&](const BranchInst &Br) {
    unsigned Taken = OfFinished.Taken.count({&Br, 1});
    return OfFinished.Taken.count({&Br, Taken}) &&
           makesNothing(*Br.getSuccessor(1 - Taken),
                        *Finished.LI.getLoopFor(Br.getParent()));
  };
  for (const Loop *Root : Finished.Roots)
    for (const BasicBlock *BB : Root->blocks()) {
      auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      if (!Br)
        return false;
      if (!Br->isConditional() || WentBothWays(*Br) || LeavesOutNothing(*Br))
        continue;
      if (!PDT)
        PDT.emplace(const_cast<Function &>(*BB->getParent()));
      if (!isHarmless(*Root, *BB, *PDT))
        return false;
    }
  for (const auto &[Where, Of] : Lanes)
    if (Keys.contains(Of.Key) && !OfFinished.Seen.count(Where) &&
        any_of(Finished.Roots, [&, I = Where.first](const Loop *Root) {
          return Root->contains(I);
        }))
      return false;
  return Fates.size() == Stores.size();
}

/// The parts, if so many iterations are made at once at least.
std::optional<FusionParts> PartsFinder::partsOf(unsigned Step) const {
  FusionParts Result;
  for (const auto &[Of, Iterations] : Fates) {
    const Fate *InVectors = nullptr, *InRest = nullptr;
    for (uint64_t Count = 1; Count <= MaxIterations; ++Count)
      for (uint64_t Number = 0; Number < Count; ++Number) {
        auto It = Iterations.find({Number, Count});
        if (It == Iterations.end())
          return std::nullopt;
        const Fate *&Is = Number < Count - Count % Step ? InVectors : InRest;
        if (Is && *Is != It->second)
          return std::nullopt;
        Is = &It->second;
      }
    for (auto [Key, X, Y] : zip_equal(Of, *InVectors, *InRest))
      Result.Of[Key] = {X, Y, Step};
  }
  return Result;
}

} // namespace

std::optional<FusionParts> findFusionParts(const LoopsToRun &Source,
                                           const SourceAdditions &Additions,
                                           const LoopsToRun &Finished,
                                           const FinishedLanes &Lanes) {
  MapVector<const Loop *, SourceAdditions> ByLoop;
  for (const auto &[I, Of] : Additions)
    ByLoop[Source.LI.getLoopFor(I->getParent())][I] = Of;
  FusionParts Result;
  for (const auto &[L, InLoop] : ByLoop) {
    auto Parts = PartsFinder(Source, InLoop, Finished, Lanes).find();
    if (!Parts)
      return std::nullopt;
    for (const auto &[Key, Is] : Parts->Of)
      if (!Result.Of.try_emplace(Key, Is).second)
        return std::nullopt;
  }
  return Result;
}

} // namespace tilesmith
