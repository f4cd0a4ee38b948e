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
#include "IdleStore.h"
#include "InclusiveEnd.h"
#include "IntegerStart.h"
#include "JoinedExit.h"
#include "JoinedSteps.h"
#include "PartialSum.h"
#include "SplitCounter.h"
#include "UnstoredSum.h"
#include "Unswitch.h"
#include "WideSum.h"
#include "ZeroVersions.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/SkippedSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
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

class Shaper {
public:
  Shaper(Function &F, FunctionAnalysisManager &FAM)
      : F(F), FAM(FAM), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)),
        TLI(FAM.getResult<TargetLibraryAnalysis>(F)) {}

  /// \p Root and the loops inside, innermost first.
  ShapedLoops run(Loop &Root) {
    ShapedLoops Result;
    simplifyLoop(&Root, &DT, &LI, /*SE=*/nullptr, &AC, /*MSSAU=*/nullptr,
                 /*PreserveLCSSA=*/false);
    dropIdleStores(Root, DT);
    Result.Dropped = joinZeroVersions(Root, FAM);
    Result.Copied = unfoldCopiedRows(Root, F, FAM);
    Result.Tables = takeFirstLengths(Root, F, FAM);
    for (Loop *L : Root.getLoopsInPreorder())
      if (joinSteps(*L, LI, DT))
        Result.Dropped.insert(L);
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
      countBeyondEnd(*L);
      makeUnconditional(*L, DT, LI);
      if (isLeftFromHeaderOnly(*L))
        dropExit(*L->getLoopLatch(), *L->getHeader());
      joinExit(*L, LI, DT);
      if (isLeftElsewhere(*L))
        rotate(*L);
      if (isLeftElsewhere(*L))
        moveExit(*L);
      if (mayBeClipped(*L))
        Result.AreClipped |= makeWhole(*L, FAM);
      joinPartialSums(*L, DT);
      addStartsBehind(*L);
      widenSums(*L);
      storeSums(*L, DT);
    }
    return Result;
  }

  /// Leaves \p Root and the loops inside behind their latches, where last
  /// iterations do what others do.
  void joinExits(Loop &Root) {
    for (Loop *L : Root.getLoopsInPreorder())
      joinExit(*L, LI, DT);
  }

  /// Leaves \p L behind its latch, if its last iteration may go on to there.
  void leaveBehindLatch(Loop &L) {
    joinExit(L, LI, DT);
    if (isLeftElsewhere(L))
      moveExit(L);
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

  /// The branches by which \p L is left to one block, if all ask the same: LLVM
  /// has one behind a loop inside, and one where that does not run.
  static SmallVector<BranchInst *, 2> exitsOf(const Loop &L) {
    SmallVector<BasicBlock *, 2> Exiting;
    L.getExitingBlocks(Exiting);
    SmallVector<BranchInst *, 2> Result;
    for (BasicBlock *BB : Exiting) {
      auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
      if (!Branch || !L.getUniqueExitBlock() ||
          (!Result.empty() && !asksTheSame(*Result.front(), *Branch)))
        return {};
      Result.push_back(Branch);
    }
    return Result;
  }

  static CmpInst::Predicate signedPredicate(const ICmpInst &Compare) {
    return Compare.hasSameSign() ? Compare.getSignedPredicate()
                                 : Compare.getPredicate();
  }

  /// Whether \p Second goes where \p First does, out of a loop or on in it.
  static bool asksTheSame(const BranchInst &First, const BranchInst &Second) {
    auto *X = dyn_cast<ICmpInst>(First.getCondition()),
         *Y = dyn_cast<ICmpInst>(Second.getCondition());
    return X && Y && signedPredicate(*X) == signedPredicate(*Y) &&
           equal(X->operands(), Y->operands()) &&
           any_of(ArrayRef({0u, 1u}), [&](unsigned Side) {
             return First.getSuccessor(Side) == Second.getSuccessor(Side);
           });
  }

  /// The last iteration goes on to the latch from where it leaves the loop now,
  /// and leaves it there.
  void moveExit(Loop &L) {
    BasicBlock *Latch = L.getLoopLatch(), *Header = L.getHeader();
    const auto Exits = exitsOf(L);
    // An inner loop may go on to the header itself.
    if (!Exits.empty() && LI.getLoopFor(Latch) != &L) {
      Latch = SplitEdge(Latch, Header, &DT, &LI);
      FoldSingleEntryPHINodes(Latch);
    }
    if (Exits.empty() || !Latch->getUniqueSuccessor() ||
        !all_of(Exits, [&](const BranchInst *Branch) {
          return LI.getLoopFor(Branch->getParent()) == &L;
        }))
      return;
    BasicBlock *Asked = Exits.front()->getParent();
    for (BranchInst *Branch : Exits)
      Asked = DT.findNearestCommonDominator(Asked, Branch->getParent());
    if (!DT.dominates(Asked, Latch))
      return;
    hoist(*Latch, *Asked);
    Instruction *Known = Asked->getTerminator();
    auto IsKnown = [&](const Value *V) {
      auto *I = dyn_cast<Instruction>(V);
      return !I || DT.dominates(I, Known);
    };
    BasicBlock *Exit = L.getUniqueExitBlock();
    if (!all_of(Header->phis(),
                [&](PHINode &Phi) {
                  return IsKnown(Phi.getIncomingValueForBlock(Latch));
                }) ||
        !isLeftAlike(*Exit, Exits, IsKnown))
      return;
    if (auto *Compare = dyn_cast<ICmpInst>(Exits.front()->getCondition());
        Exits.size() > 1) {
      if (!all_of(Compare->operands(), IsKnown))
        return;
      Compare->setPredicate(signedPredicate(*Compare));
      Compare->dropPoisonGeneratingFlags();
      if (!IsKnown(Compare))
        Compare->moveBefore(Known->getIterator());
    }
    BasicBlock *End = SplitEdge(Latch, Header, &DT, &LI);
    leaveFrom(*End, *Exits.front(), *Exit, *Header);
    Exit->replacePhiUsesWith(Exits.front()->getParent(), End);
    SmallVector<DominatorTree::UpdateType, 4> Updates{
        {DominatorTree::Insert, End, Exit}};
    for (BranchInst *Branch : Exits) {
      BasicBlock *From = Branch->getParent();
      if (Branch != Exits.front()) {
        Exit->removePredecessor(From, /*KeepOneInputPHIs=*/true);
        Branch->replaceSuccessorWith(Exit, End);
      }
      Updates.push_back({DominatorTree::Insert, From, End});
      Updates.push_back({DominatorTree::Delete, From, Exit});
    }
    DT.applyUpdates(Updates);
  }

  /// Whether \p Exit gets the same values by all of \p Exits, where there are
  /// several, and all of them are known before any.
  static bool isLeftAlike(BasicBlock &Exit, ArrayRef<BranchInst *> Exits,
                          function_ref<bool(const Value *)> IsKnown) {
    return Exits.size() == 1 || all_of(Exit.phis(), [&](const PHINode &Phi) {
             auto Left = [&](const BranchInst *Branch) {
               return Phi.getIncomingValueForBlock(Branch->getParent());
             };
             return IsKnown(Left(Exits.front())) &&
                    all_of(Exits, [&](const BranchInst *Branch) {
                      return Left(Branch) == Left(Exits.front());
                    });
           });
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

bool leavesValues(const Loop &L) {
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      return any_of(I.users(), [&](const User *U) {
        return !L.contains(cast<Instruction>(U));
      });
    });
  });
}

Loop &outermost(Loop &L) {
  Loop *Root = &L;
  while (Loop *Parent = Root->getParentLoop())
    Root = Parent;
  return *Root;
}

bool isOutOfShape(Loop &L, const LoopInfo &LI, const DominatorTree &DT) {
  return findFusedLoop(L) || hasConditionalStore(L) || hasConditionalLoad(L) ||
         isLineUnderCondition(L) || hasConditionalCall(L) || hasCopiedRow(L) ||
         ((hasUnstoredSum(L) || hasIntegerStart(L) || hasNarrowSum(L) ||
           hasPartialSum(L, DT) || mayHaveRowLengths(L)) &&
          PossibleProducts::of(L).mayBeFaster()) ||
         canUnswitch(outermost(L), L, LI, DT) || mayHaveZeroVersions(L) ||
         mayHaveIdleStore(L) || looksLikeSkippingProduct(L) ||
         any_of(outermost(L).getLoopsInPreorder(),
                [](const Loop *Part) {
                  return isLeftElsewhere(*Part) ||
                         isLeftFromHeaderOnly(*Part) || mayBeClipped(*Part) ||
                         hasInclusiveEnd(*Part);
                }) ||
         any_of(L.blocks(),
                [](BasicBlock *BB) { return any_of(*BB, loadOfParts); });
}

ShapedLoops shapeLoops(Loop &Root, Function &F, FunctionAnalysisManager &FAM) {
  return Shaper(F, FAM).run(Root);
}

void joinExits(Loop &Root, Function &F, FunctionAnalysisManager &FAM) {
  Shaper(F, FAM).joinExits(Root);
}

void leaveBehindLatch(Loop &L, Function &F, FunctionAnalysisManager &FAM) {
  Shaper(F, FAM).leaveBehindLatch(L);
}

} // namespace tilesmith
