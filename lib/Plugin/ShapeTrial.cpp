//===- ShapeTrial.cpp - products in loops of another shape ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeTrial.h"
#include "FunctionCopy.h"
#include "LoopShape.h"
#include "SplitCounter.h"
#include "Unswitch.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The loop around \p L that is nested so deep.
static Loop &outermost(Loop &L, unsigned Depth) {
  Loop *Root = &L;
  while (Root->getLoopDepth() > Depth)
    Root = Root->getParentLoop();
  return *Root;
}

/// The outermost of \p Length loops that end in \p Innermost.
static Loop &rootOf(Loop &Innermost, unsigned Length) {
  Loop *Root = &Innermost;
  while (--Length)
    Root = Root->getParentLoop();
  return *Root;
}

/// Whether \p L makes a sum besides that of its product: one that is used behind it
/// where the product is stored, or a second one. A product is left over then.
static bool leavesSum(const Loop &L) {
  bool Stores = any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) { return isa<StoreInst>(I); });
  });
  auto IsSum = [&](const PHINode &Phi) {
    auto *Sum = Phi.getType()->isFloatingPointTy()
                    ? dyn_cast<Instruction>(
                          Phi.getIncomingValueForBlock(L.getLoopLatch()))
                    : nullptr;
    return Sum && any_of(Sum->users(), [&](const User *U) {
             return !L.contains(cast<Instruction>(U));
           });
  };
  return count_if(L.getHeader()->phis(), IsSum) + Stores > 1;
}

namespace {

/// What is known of loops that are tried.
struct KnownProducts {
  /// They end products as they are, which need a copy; matrices times vectors; or
  /// products that leave a sum of others, which may need a copy as long as tests
  /// are in the way.
  SmallPtrSet<Loop *, 4> Copying, Vectors, LeavingSums;

  /// Whether only tests may be in the way of the sum that the product of \p L leaves.
  bool isWhole(const Loop *L) const {
    return LeavingSums.contains(L) && !Copying.contains(L);
  }
};

/// A nest that holds a product once it is brought into shape: its loops are
/// rotated, then its counter is split, and then tests are unswitched.
struct NestToCopy {
  Loop *Root, *Inner;
  bool Split = false, Unswitch = false;
};

/// Looks for such nests in a copy of the function.
class Trial {
public:
  Trial(Function &F, FunctionAnalysisManager &FAM, ArrayRef<Loop *> ToTry,
        const KnownProducts &Known, Judge Ask, WhyNots &Why)
      : FAM(FAM), ToTry(ToTry.begin(), ToTry.end()), Known(Known), Ask(Ask),
        Why(Why), Copied(F, FAM), Copy(Copied.get()),
        LI(FAM.getResult<LoopAnalysis>(Copy)) {
    for (Loop *L : ToTry)
      Copies.push_back(&Copied.loopOf(*L));
  }

  void shape() {
    SmallSetVector<Loop *, 4> Roots;
    SmallPtrSet<Loop *, 4> Clipped;
    for (Loop *L : Copies)
      Roots.insert(&outermost(*L));
    for (Loop *Root : Roots) {
      ShapedLoops Shaped = shapeLoops(*Root, Copy, FAM);
      if (Shaped.AreClipped)
        Clipped.insert(Root);
      forget(Shaped.Dropped);
    }
    for (const auto &[L, Shaped, Is] :
         zip_equal(ToTry, Copies, Ask(Copy, Copies)))
      if (auto *No = std::get_if<Refusal>(&Is))
        // The source has bounds where the copy has tests.
        setWhy(*L, No->Why == Reason::Branch &&
                           Clipped.contains(&outermost(*Shaped))
                       ? Refusal{Reason::BoundVaries,
                                 L->getLoopLatch()->getTerminator()}
                       : *No);
      else
        addIfMore(*L, std::get<FoundProduct>(Is));
  }

  /// Splits the counters of nests in which no loop ends a product.
  void splitOthers() {
    SmallVector<NestToCopy, 4> Nests;
    SmallVector<Loop *, 4> Split;
    SmallSetVector<Loop *, 2> Fused;
    for (auto [L, Shaped] : zip_equal(ToTry, Copies))
      if (Loop *Of = findFusedLoop(*Shaped);
          Of && !hasNotedParts(*Of) && !isOfOther(*L) && !Known.isWhole(L)) {
        Fused.insert(Of);
        Nests.push_back(
            {&outermost(*L, Of->getLoopDepth()), L, /*Split=*/true});
        Split.push_back(Shaped);
      }
    bool Changed = false;
    for (Loop *Of : Fused)
      Changed |= splitFusedLoop(*Of, /*Fallback=*/nullptr, FAM);
    if (!Changed)
      return;
    for (const auto &[N, Is] : zip_equal(Nests, Ask(Copy, Split)))
      if (auto *Found = std::get_if<FoundProduct>(&Is)) {
        if (isMore(*N.Inner, *Found))
          add(N);
      } else if (N.Inner->getLoopDepth() < MinChainLength)
        setWhy(*N.Inner, std::get<Refusal>(Is));
    for (const NestToCopy &N : Nests)
      SplitRoots[N.Inner] = N.Root;
  }

  bool canUnswitchAny() const {
    return any_of(Copies, [&](Loop *L) {
      return canUnswitch(outermost(*L), *L, LI,
                         FAM.getResult<DominatorTreeAnalysis>(Copy));
    });
  }

  /// Unswitches nests in which no loop ends a product, or one that leaves a sum.
  void unswitchOthers(const SmallPtrSetImpl<Loop *> &Whole) {
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
    SmallPtrSet<Loop *, 4> Unswitched;
    for (auto [L, Shaped] : zip_equal(ToTry, Copies)) {
      Loop &Root = outermost(*Shaped);
      bool IsWhole =
          Whole.contains(&outermost(*L)) && !Known.LeavingSums.contains(L);
      if (IsWhole || isOfOther(*L) || Unswitched.contains(&Root) ||
          !PossibleProducts::of(*L).any() ||
          !canUnswitch(Root, *Shaped, LI, DT))
        continue;
      SmallVector<LoopVersion, 4> Versions{{Shaped, L}};
      for (auto [Other, OtherShaped] : zip_equal(ToTry, Copies))
        if (Other != L && &outermost(*OtherShaped) == &Root)
          Versions.push_back({OtherShaped, Other});
      SmallVector<BasicBlock *, 2> Headers;
      unswitch(Root, Versions, Headers, LI, DT);
      Unswitched.insert(&Root);
      auto LoopOf = [](const LoopVersion &Version) { return Version.L; };
      auto Verdicts = Ask(Copy, map_to_vector<4>(Versions, LoopOf));
      for (const auto &[Version, Verdict] : zip_equal(Versions, Verdicts))
        if (auto *Is = std::get_if<FoundProduct>(&Verdict);
            Is && (isMore(*Version.Source, *Is) ||
                   Known.LeavingSums.contains(Version.Source)))
          addUnswitched(*L, *Version.Source, Is->NumLoops);
    }
  }

  ArrayRef<NestToCopy> found() const { return Found; }

private:
  /// Whether the product \p Is, of a copy of \p L that was brought into shape, is
  /// more than there is.
  bool isMore(const Loop &L, const FoundProduct &Is) const {
    if (Known.Vectors.contains(&L))
      return !Is.IsVector;
    return !Known.isWhole(&L) && (!Known.Copying.contains(&L) || !Is.NeedsCopy);
  }

  void addIfMore(Loop &L, const FoundProduct &Is) {
    if (isMore(L, Is))
      add({&rootOf(L, Is.NumLoops), &L});
  }

  /// A product of \p Length loops that ends in \p L, once the tests are
  /// unswitched that \p First needs.
  void addUnswitched(Loop &First, Loop &L, unsigned Length) {
    if (Loop *Root = SplitRoots.lookup(&L))
      return add({Root, &L, /*Split=*/true, /*Unswitch=*/true});
    Loop &Root = rootOf(L, Length);
    add({&Root, Root.contains(&First) ? &First : &L, /*Split=*/false,
         /*Unswitch=*/true});
  }

  /// Tries no loops whose copies are no more.
  void forget(const SmallPtrSetImpl<Loop *> &Dropped) {
    for (unsigned I = Copies.size(); I-- > 0;)
      if (Dropped.contains(Copies[I])) {
        Copies.erase(Copies.begin() + I);
        ToTry.erase(ToTry.begin() + I);
      }
  }

  void setWhy(const Loop &L, const Refusal &No) {
    if (!Known.Vectors.contains(&L) && !Known.isWhole(&L))
      Why.insert_or_assign(&L, WhyNot::of(No));
  }

  /// Whether a product has been found in the nest of \p L.
  bool isOfOther(Loop &L) const {
    return any_of(Found, [&](const NestToCopy &Other) {
      return outermost(L).contains(Other.Root);
    });
  }

  /// If one nest is a part of another one, the larger is kept.
  void add(const NestToCopy &New) {
    if (any_of(Found, [&](const NestToCopy &Other) {
          return Other.Root->contains(New.Root);
        }))
      return;
    erase_if(Found, [&](const NestToCopy &Other) {
      return New.Root->contains(Other.Root);
    });
    Found.push_back(New);
  }

  FunctionAnalysisManager &FAM;
  SmallVector<Loop *, 4> ToTry;
  const KnownProducts &Known;
  Judge Ask;
  WhyNots &Why;
  FunctionCopy Copied;
  Function &Copy;
  LoopInfo &LI;
  SmallVector<Loop *, 4> Copies; ///< of those to try
  /// The loops around some of those to try whose counters are split.
  SmallDenseMap<Loop *, Loop *, 2> SplitRoots;
  SmallVector<NestToCopy, 2> Found;
};

} // namespace

/// The nests to copy around those of \p Candidates.
static SmallVector<NestToCopy, 2> findNestsToCopy(Function &F,
                                                  FunctionAnalysisManager &FAM,
                                                  ArrayRef<Loop *> Candidates,
                                                  Judge Ask, WhyNots &Why) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<Loop *, 4> InShape, OutOfShape, ToTry;
  for (Loop *L : Candidates)
    (isOutOfShape(*L, LI, DT) ? OutOfShape : InShape).push_back(L);
  if (OutOfShape.empty())
    return {};
  // A nest of which another loop ends a product stays whole.
  SmallPtrSet<Loop *, 4> Whole;
  KnownProducts Known;
  for (const auto &[L, Is] : zip_equal(OutOfShape, Ask(F, OutOfShape))) {
    auto *Found = std::get_if<FoundProduct>(&Is);
    if (Found && Found->NeedsCopy)
      Known.Copying.insert(L);
    // With the loops that a counter stands for, it may be one of two matrices.
    if (Found && Found->IsVector && findFusedLoop(*L))
      Known.Vectors.insert(L);
    bool IsWhole = Found && !Found->NeedsCopy && !Known.Vectors.contains(L);
    if (IsWhole)
      Whole.insert(&outermost(*L));
    if (Found && !Found->IsVector && leavesSum(*L))
      Known.LeavingSums.insert(L);
    if (!IsWhole || Known.LeavingSums.contains(L))
      ToTry.push_back(L);
  }
  if (ToTry.empty() || !FunctionCopy::isPossible(F))
    return {};

  Trial InCopy(F, FAM, ToTry, Known, Ask, Why);
  InCopy.shape();
  InCopy.splitOthers();
  if (InCopy.canUnswitchAny()) {
    for (const auto &[L, Is] : zip_equal(InShape, Ask(F, InShape)))
      if (!std::holds_alternative<Refusal>(Is))
        Whole.insert(&outermost(*L));
    InCopy.unswitchOthers(Whole);
  }
  return SmallVector<NestToCopy, 2>(InCopy.found());
}

SmallVector<Loop *, 2> findShapeable(Function &F, FunctionAnalysisManager &FAM,
                                     ArrayRef<Loop *> Candidates, Judge Ask) {
  WhyNots Why;
  auto Nests = findNestsToCopy(F, FAM, Candidates, Ask, Why);
  SmallVector<Loop *, 2> Result;
  for (Loop *L : Candidates)
    if (any_of(Nests, [&](const NestToCopy &N) { return N.Root->contains(L); }))
      Result.push_back(L);
  return Result;
}

SmallVector<ShapedNest, 2> copyIntoShape(Function &F,
                                         FunctionAnalysisManager &FAM,
                                         ArrayRef<Loop *> Candidates, Judge Ask,
                                         WhyNots &Why) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<NestToCopy, 2> ToCopy =
      findNestsToCopy(F, FAM, Candidates, Ask, Why);
  SmallVector<ShapedNest, 2> Nests;
  for (const NestToCopy &N : ToCopy) {
    // A copy would share the last block with its source.
    joinExits(*N.Root, F, FAM);
    auto [Nest, Inner] = copyNest(*N.Root, *N.Inner, LI, DT);
    ShapedLoops Shaped = shapeLoops(*Nest.Root, F, FAM);
    IRBuilder<> B(Nest.Choice);
    Nest.Choice->setCondition(emitTest(B, Shaped.Copied));
    testLengths(Shaped.Tables, *Nest.Root, *Nest.Choice->getSuccessor(1), FAM);
    if (N.Split)
      splitFusedLoop(*Nest.Root, Nest.Choice->getSuccessor(1), FAM);
    Nest.Root = &outermost(*Nest.Root, Nest.Source->getLoopDepth());
    SmallVector<LoopVersion, 4> Versions{{Inner, Inner}};
    if (N.Unswitch)
      unswitch(*Nest.Root, Versions, Nest.Headers, LI, DT);
    else
      Nest.Headers.push_back(Nest.Root->getHeader());
    Nests.push_back(std::move(Nest));
  }
  return Nests;
}

} // namespace tilesmith
