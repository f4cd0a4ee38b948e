//===- LoopShape.cpp - loops that are left from their latch ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopShape.h"
#include "ClippedLoop.h"
#include "ConditionalCall.h"
#include "ConditionalStore.h"
#include "FunctionCopy.h"
#include "IntegerStart.h"
#include "JoinedExit.h"
#include "SplitCounter.h"
#include "UnstoredSum.h"
#include "Unswitch.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopRotationUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Whether the latch of \p L asks again what the header has asked before.
bool isLeftFromHeaderOnly(const Loop &L) {
  const BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
  if (!Latch || Latch == Header || !L.isLoopExiting(Latch) ||
      !L.isLoopExiting(Header))
    return false;
  auto *First = dyn_cast<BranchInst>(Header->getTerminator()),
       *Last = dyn_cast<BranchInst>(Latch->getTerminator());
  if (!First || !Last)
    return false;
  std::optional<bool> Implied = isImpliedCondition(
      First->getCondition(), Last->getCondition(), Header->getDataLayout(),
      /*LHSIsTrue=*/L.contains(First->getSuccessor(0)));
  return Implied && Last->getSuccessor(*Implied ? 0 : 1) == Header;
}

Loop &outermost(Loop &L) {
  Loop *Root = &L;
  while (Loop *Parent = Root->getParentLoop())
    Root = Parent;
  return *Root;
}

/// The loop around \p L that is nested so deep.
Loop &outermost(Loop &L, unsigned Depth) {
  Loop *Root = &L;
  while (Root->getLoopDepth() > Depth)
    Root = Root->getParentLoop();
  return *Root;
}

/// The load \p I, if it is of a vector whose elements are used one by one:
/// clang passes a std::complex<float> from function to function in this way.
LoadInst *loadOfParts(Instruction &I) {
  auto *Load = dyn_cast<LoadInst>(&I);
  auto *Ty = Load ? dyn_cast<FixedVectorType>(Load->getType()) : nullptr;
  if (!Ty || !(Ty->getElementType()->isFloatTy() ||
               Ty->getElementType()->isDoubleTy()))
    return nullptr;
  auto IsPart = [&](const User *U) {
    auto *Part = dyn_cast<ExtractElementInst>(U);
    auto *Index =
        Part ? dyn_cast<ConstantInt>(Part->getIndexOperand()) : nullptr;
    return Index && Index->getValue().ult(Ty->getNumElements());
  };
  return Load->isSimple() && !Load->use_empty() && all_of(Load->users(), IsPart)
             ? Load
             : nullptr;
}

bool isOutOfShape(Loop &L, const LoopInfo &LI, const DominatorTree &DT) {
  return findFusedLoop(L) || hasConditionalStore(L) || hasConditionalCall(L) ||
         ((hasUnstoredSum(L) || hasIntegerStart(L)) &&
          PossibleProducts::of(L).mayBeFaster()) ||
         canUnswitch(outermost(L), L, LI, DT) ||
         any_of(outermost(L).getLoopsInPreorder(),
                [](const Loop *Part) {
                  return isLeftElsewhere(*Part) ||
                         isLeftFromHeaderOnly(*Part) || mayBeClipped(*Part);
                }) ||
         any_of(L.blocks(),
                [](BasicBlock *BB) { return any_of(*BB, loadOfParts); });
}

class Shaper {
public:
  Shaper(Function &F, FunctionAnalysisManager &FAM)
      : F(F), FAM(FAM), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)) {}

  /// \p Root and the loops inside, innermost first. Returns whether the bounds of
  /// some were clipped.
  bool run(Loop &Root) {
    bool IsClipped = false;
    simplifyLoop(&Root, &DT, &LI, /*SE=*/nullptr, &AC, /*MSSAU=*/nullptr,
                 /*PreserveLCSSA=*/false);
    SmallVector<LoadInst *, 4> OfParts;
    for (BasicBlock *BB : Root.blocks())
      for (Instruction &I : *BB)
        if (LoadInst *Load = loadOfParts(I))
          OfParts.push_back(Load);
    for (LoadInst *Load : OfParts)
      loadParts(*Load);
    outlineChoices(Root, DT, LI);
    SmallVector<Loop *, 4> Loops = Root.getLoopsInPreorder();
    for (Loop *L : reverse(Loops)) {
      makeStoresUnconditional(*L, DT, LI);
      if (isLeftFromHeaderOnly(*L))
        dropExit(*L->getLoopLatch(), *L->getHeader());
      joinExit(*L, LI, DT);
      if (isLeftElsewhere(*L))
        rotate(*L);
      if (isLeftElsewhere(*L))
        moveExit(*L);
      if (mayBeClipped(*L))
        IsClipped |= makeWhole(*L, FAM);
      addStartsBehind(*L);
      storeSums(*L, DT);
    }
    return IsClipped;
  }

  /// Leaves \p Root and the loops inside behind their latches, where last
  /// iterations do what others do.
  void joinExits(Loop &Root) {
    for (Loop *L : Root.getLoopsInPreorder())
      joinExit(*L, LI, DT);
  }

private:
  /// Loads each element that is used of \p Load by itself.
  void loadParts(LoadInst &Load) {
    IRBuilder<> B(&Load);
    Type *Ty = cast<FixedVectorType>(Load.getType())->getElementType();
    SmallMapVector<uint64_t, LoadInst *, 2> Parts;
    for (User *U : make_early_inc_range(Load.users())) {
      auto *Old = cast<ExtractElementInst>(U);
      uint64_t Index =
          cast<ConstantInt>(Old->getIndexOperand())->getZExtValue();
      LoadInst *&Part = Parts[Index];
      if (!Part) {
        const DataLayout &DL = F.getDataLayout();
        uint64_t Offset = Index * DL.getTypeStoreSize(Ty);
        Value *Address =
            B.CreateConstInBoundsGEP1_64(Ty, Load.getPointerOperand(), Index);
        Part = B.CreateAlignedLoad(Ty, Address,
                                   commonAlignment(Load.getAlign(), Offset));
        Part->setAAMetadata(
            Load.getAAMetadata().adjustForAccess(Offset, Ty, DL));
      }
      Old->replaceAllUsesWith(Part);
      Old->eraseFromParent();
    }
    Load.eraseFromParent();
  }

  /// \p Latch never leaves the loop.
  void dropExit(BasicBlock &Latch, BasicBlock &Header) {
    auto *Branch = cast<BranchInst>(Latch.getTerminator());
    BasicBlock *Exit =
        Branch->getSuccessor(Branch->getSuccessor(0) == &Header ? 1 : 0);
    Exit->removePredecessor(&Latch);
    BranchInst *Always = BranchInst::Create(&Header, Branch->getIterator());
    Always->setDebugLoc(Branch->getDebugLoc());
    if (MDNode *ID = Branch->getMetadata(LLVMContext::MD_loop))
      Always->setMetadata(LLVMContext::MD_loop, ID);
    Branch->eraseFromParent();
    DT.deleteEdge(&Latch, Exit);
  }

  /// As LLVM would. This also moves the exit past a latch that does next to
  /// nothing.
  void rotate(Loop &L) {
    constexpr unsigned MaxHeaderSize = 16; // as in LLVM
    if (BasicBlock *Exiting = L.getLoopLatch()->getSinglePredecessor();
        Exiting && L.isLoopExiting(Exiting))
      hoist(*L.getLoopLatch(), *Exiting);
    sink(L);
    SimplifyQuery Query(F.getDataLayout(), &TLI, &DT, &AC);
    LoopRotation(&L, &LI, &TTI, &AC, &DT, /*SE=*/nullptr, /*MSSAU=*/nullptr,
                 Query, /*RotationOnly=*/false, MaxHeaderSize,
                 /*IsUtilMode=*/false);
  }

  /// Moves what the header computes for the rest of the loop alone past its
  /// exit: rotation would make a phi of it, whose recurrence is not seen.
  void sink(Loop &L) {
    BasicBlock *Header = L.getHeader(), *Body = nullptr;
    if (!L.isLoopExiting(Header))
      return;
    for (BasicBlock *Succ : successors(Header))
      if (L.contains(Succ) && Succ != Header)
        Body = Succ;
    if (!Body || Body->getSinglePredecessor() != Header)
      return;
    for (Instruction &I : make_early_inc_range(reverse(*Header)))
      if (!isa<PHINode>(I) && !I.isTerminator() && !I.mayHaveSideEffects() &&
          !I.mayReadFromMemory() &&
          all_of(I.uses(), [&](Use &U) { return DT.dominates(Body, U); }))
        I.moveBefore(*Body, Body->getFirstInsertionPt());
  }

  /// Whether \p I may also run where \p To ends.
  bool mayHoist(const Instruction &I, const BasicBlock &To) {
    if (!all_of(I.operands(), [&](const Use &Op) {
          auto *From = dyn_cast<Instruction>(Op);
          return !From || DT.dominates(From, To.getTerminator());
        }))
      return false;
    if (isSafeToSpeculativelyExecute(&I, To.getTerminator(), &AC, &DT, &TLI))
      return !I.mayReadFromMemory();
    // What has been read once is still there, and nothing writes in between.
    auto *Load = dyn_cast<LoadInst>(&I);
    return Load && Load->isSimple() && F.doesNotFreeMemory() && F.hasNoSync() &&
           Load->getParent()->getSinglePredecessor() == &To &&
           any_of(Load->getPointerOperand()->users(), [&](const User *U) {
             auto *Other = dyn_cast<LoadInst>(U);
             return Other && Other->getFunction() == &F &&
                    Other->getType() == Load->getType() &&
                    Other->getAlign() >= Load->getAlign() &&
                    DT.dominates(Other, To.getTerminator());
           });
  }

  /// Moves what \p From begins with to the end of \p To.
  void hoist(BasicBlock &From, BasicBlock &To) {
    while (!isa<PHINode>(From.front()) && !From.front().isTerminator() &&
           mayHoist(From.front(), To)) {
      From.front().dropUBImplyingAttrsAndMetadata();
      From.front().moveBefore(To.getTerminator()->getIterator());
    }
  }

  /// The last iteration goes on to the latch from where it leaves the loop now,
  /// and leaves it there.
  void moveExit(Loop &L) {
    BasicBlock *Latch = L.getLoopLatch(), *Exiting = L.getExitingBlock();
    auto *Branch =
        Exiting ? dyn_cast<BranchInst>(Exiting->getTerminator()) : nullptr;
    if (!Branch || LI.getLoopFor(Exiting) != &L ||
        !DT.dominates(Exiting, Latch) || !Latch->getUniqueSuccessor())
      return;
    hoist(*Latch, *Exiting);
    BasicBlock *Header = L.getHeader(), *Exit = L.getExitBlock();
    for (PHINode &Phi : Header->phis())
      if (auto *Next =
              dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
          Next && !DT.dominates(Next, Branch))
        return;
    BasicBlock *End = SplitEdge(Latch, Header, &DT, &LI);
    leaveFrom(*End, *Branch, *Exit, *Header);
    Exit->replacePhiUsesWith(Exiting, End);
    DT.applyUpdates({{DominatorTree::Insert, Exiting, End},
                     {DominatorTree::Delete, Exiting, Exit},
                     {DominatorTree::Insert, End, Exit}});
  }

  Function &F;
  FunctionAnalysisManager &FAM;
  LoopInfo &LI;
  DominatorTree &DT;
  AssumptionCache &AC;
  TargetTransformInfo &TTI;
  TargetLibraryInfo &TLI;
};

} // namespace

/// The outermost of \p Length loops that end in \p Innermost.
static Loop &rootOf(Loop &Innermost, unsigned Length) {
  Loop *Root = &Innermost;
  while (--Length)
    Root = Root->getParentLoop();
  return *Root;
}

namespace {

/// A nest that holds a product once it is brought into shape: its loops are
/// rotated, then its counter is split, and then tests are unswitched.
struct NestToCopy {
  Loop *Root, *Inner;
  bool Split = false, Unswitch = false;
};

/// Looks for such nests in a copy of the function.
class Trial {
public:
  /// \p Apart: those of \p ToTry that end products as they are, with sums that are
  /// kept apart.
  Trial(Function &F, FunctionAnalysisManager &FAM, ArrayRef<Loop *> ToTry,
        const SmallPtrSetImpl<Loop *> &Apart, Judge Ask, WhyNots &Why)
      : FAM(FAM), ToTry(ToTry), Apart(Apart), Ask(Ask), Why(Why),
        Copied(F, FAM), Copy(Copied.get()),
        LI(FAM.getResult<LoopAnalysis>(Copy)) {
    for (Loop *L : ToTry)
      Copies.push_back(&Copied.loopOf(*L));
  }

  void shape() {
    SmallSetVector<Loop *, 4> Roots;
    SmallPtrSet<Loop *, 4> Clipped;
    for (Loop *L : Copies)
      Roots.insert(&outermost(*L));
    for (Loop *Root : Roots)
      if (Shaper(Copy, FAM).run(*Root))
        Clipped.insert(Root);
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
      if (Loop *Of = findFusedLoop(*Shaped); Of && !isOfOther(*L)) {
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

  /// Unswitches nests in which no loop ends a product.
  void unswitchOthers(const SmallPtrSetImpl<Loop *> &Whole) {
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
    SmallPtrSet<Loop *, 4> Unswitched;
    for (auto [L, Shaped] : zip_equal(ToTry, Copies)) {
      Loop &Root = outermost(*Shaped);
      if (Whole.contains(&outermost(*L)) || isOfOther(*L) ||
          Unswitched.contains(&Root) || !PossibleProducts::of(*L).any() ||
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
            Is && isMore(*Version.Source, *Is))
          addUnswitched(*L, *Version.Source, Is->NumLoops);
    }
  }

  ArrayRef<NestToCopy> found() const { return Found; }

private:
  /// Whether the product \p Is, of a copy of \p L that was brought into shape, is
  /// more than there is.
  bool isMore(const Loop &L, const FoundProduct &Is) const {
    return !Apart.contains(const_cast<Loop *>(&L)) || !Is.KeepsSumsApart;
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

  void setWhy(const Loop &L, const Refusal &No) {
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
  ArrayRef<Loop *> ToTry;
  const SmallPtrSetImpl<Loop *> &Apart;
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

SmallVector<ShapedNest, 2> copyIntoShape(Function &F,
                                         FunctionAnalysisManager &FAM,
                                         ArrayRef<Loop *> Candidates, Judge Ask,
                                         WhyNots &Why) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<Loop *, 4> InShape, OutOfShape, ToTry;
  for (Loop *L : Candidates)
    (isOutOfShape(*L, LI, DT) ? OutOfShape : InShape).push_back(L);
  if (OutOfShape.empty())
    return {};
  // A nest of which another loop ends a product stays whole.
  SmallPtrSet<Loop *, 4> Whole, Apart;
  for (const auto &[L, Is] : zip_equal(OutOfShape, Ask(F, OutOfShape))) {
    auto *Found = std::get_if<FoundProduct>(&Is);
    if (Found && Found->KeepsSumsApart)
      Apart.insert(L);
    if (!Found || Found->KeepsSumsApart)
      ToTry.push_back(L);
    else
      Whole.insert(&outermost(*L));
  }
  if (ToTry.empty() || !FunctionCopy::isPossible(F))
    return {};

  SmallVector<NestToCopy, 2> ToCopy;
  {
    Trial InCopy(F, FAM, ToTry, Apart, Ask, Why);
    InCopy.shape();
    InCopy.splitOthers();
    if (InCopy.canUnswitchAny()) {
      for (const auto &[L, Is] : zip_equal(InShape, Ask(F, InShape)))
        if (!std::holds_alternative<Refusal>(Is))
          Whole.insert(&outermost(*L));
      InCopy.unswitchOthers(Whole);
    }
    append_range(ToCopy, InCopy.found());
  }

  SmallVector<ShapedNest, 2> Nests;
  for (const NestToCopy &N : ToCopy) {
    // A copy would share the last block with its source.
    Shaper(F, FAM).joinExits(*N.Root);
    auto [Nest, Inner] = copyNest(*N.Root, *N.Inner, LI, DT);
    Shaper(F, FAM).run(*Nest.Root);
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
