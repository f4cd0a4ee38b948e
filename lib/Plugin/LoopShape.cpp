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
#include "IntegerStart.h"
#include "PartialSum.h"
#include "SplitCounter.h"
#include "UnstoredSum.h"
#include "Unswitch.h"
#include "ZeroVersions.h"
#include "tilesmith/Idiom/Likeness.h"
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

/// Whether \p L is left, but not from its latch.
bool isLeftElsewhere(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  return Latch && !L.isLoopExiting(Latch) && !L.hasNoExitBlocks();
}

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
      joinExit(*L);
      if (isLeftElsewhere(*L))
        rotate(*L);
      if (isLeftElsewhere(*L))
        moveExit(*L);
      if (mayBeClipped(*L))
        Result.AreClipped |= makeWhole(*L, FAM);
      addStartsBehind(*L);
      joinPartialSums(*L, DT);
      storeSums(*L, DT);
    }
    return Result;
  }

  /// Leaves \p Root and the loops inside behind their latches, where last
  /// iterations do what others do.
  void joinExits(Loop &Root) {
    for (Loop *L : Root.getLoopsInPreorder())
      joinExit(*L);
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

  /// Leaves \p L behind its latch if the last iteration leaves it for a block that
  /// stores to the same element, as where that makes no step of an inner loop:
  ///
  ///   head:  br more, inner, last            head:  br more, inner, latch
  ///   latch: c[i] = f(sum); br head     =>   latch: c[i] = f(phi [sum], [start])
  ///   last:  c[i] = f(start); …; br next            br more, head, last
  ///                                          last:  …; br next
  void joinExit(Loop &L) {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(),
               *Exiting = L.getExitingBlock(), *Last = L.getExitBlock();
    if (!isLeftElsewhere(L) || !Exiting || !Last ||
        Last->getSinglePredecessor() != Exiting ||
        LI.getLoopFor(Exiting) != &L || !DT.dominates(Exiting, Latch))
      return;
    auto *Branch = dyn_cast<BranchInst>(Exiting->getTerminator());
    BasicBlock *Before = Latch->getSinglePredecessor();
    if (!Branch || !Before || Before == Exiting ||
        Latch->getUniqueSuccessor() != Header ||
        !all_of(Header->phis(), [&](PHINode &Phi) {
          auto *Next =
              dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
          return !Next || DT.dominates(Next, Branch);
        }))
      return;
    auto Theirs = doneAgain(*Latch, *Last);
    if (Theirs.empty())
      return;
    for (auto [Mine, Other] : Theirs) {
      if (*isDoneSwapped(*Mine, *Other, Theirs))
        cast<BinaryOperator>(Other)->swapOperands();
      for (unsigned I = 0; I < Mine->getNumOperands(); ++I) {
        Value *Op = Mine->getOperand(I), *OfOther = Other->getOperand(I);
        auto *Inside = dyn_cast<Instruction>(Op);
        if (Op == OfOther || (Inside && Theirs.lookup(Inside) == OfOther))
          continue;
        PHINode *Either = PHINode::Create(
            Op->getType(), /*NumReservedValues=*/2, "stored", Latch->begin());
        Either->addIncoming(Op, Before);
        Either->addIncoming(OfOther, Exiting);
        Mine->setOperand(I, Either);
      }
      Mine->andIRFlags(Other);
      combineMetadataForCSE(Mine, Other, /*DoesKMove=*/true);
    }
    for (Instruction *Other : reverse(make_second_range(Theirs)))
      Other->eraseFromParent();
    leaveFrom(*Latch, *Branch, *Last, *Header);
    DT.applyUpdates({{DominatorTree::Insert, Exiting, Latch},
                     {DominatorTree::Delete, Exiting, Last},
                     {DominatorTree::Insert, Latch, Last}});
  }

  /// What \p Latch does, one store and the arithmetic of what it stores, with
  /// what \p Last begins with, if that is the same of other values, and stores to
  /// the same element.
  static MapVector<Instruction *, Instruction *> doneAgain(BasicBlock &Latch,
                                                           BasicBlock &Last) {
    constexpr unsigned MaxDone = 8;
    MapVector<Instruction *, Instruction *> Result;
    auto Theirs = Last.begin();
    for (Instruction &Mine : drop_end(Latch)) {
      Instruction &Other = *Theirs++;
      auto *Store = dyn_cast<StoreInst>(&Mine);
      bool IsLast = &Mine == Latch.getTerminator()->getPrevNode();
      if (Other.isTerminator() || !Mine.isSameOperationAs(&Other) ||
          Result.size() == MaxDone || IsLast != bool(Store) ||
          (Store && Store->getPointerOperand() !=
                        cast<StoreInst>(Other).getPointerOperand()))
        return {};
      // What is computed is used here alone.
      auto IsHere = [](const Instruction &I) {
        return isa<UnaryOperator, BinaryOperator>(I) &&
               !I.mayHaveSideEffects() && all_of(I.users(), [&](const User *U) {
                 return cast<Instruction>(U)->getParent() == I.getParent();
               });
      };
      if (!Store && !(IsHere(Mine) && IsHere(Other)))
        return {};
      if (!isDoneSwapped(Mine, Other, Result))
        return {};
      Result[&Mine] = &Other;
    }
    return Result;
  }

  /// Whether \p Other does what \p Mine does with its operands exchanged; none if
  /// it takes what has been \p Done before, in the latch and behind it, in another
  /// place: no phi in front of the latch can stand for that.
  static std::optional<bool>
  isDoneSwapped(const Instruction &Mine, const Instruction &Other,
                const MapVector<Instruction *, Instruction *> &Done) {
    auto IsAlike = [&](Value *V, Value *W) {
      if (auto Of = Done.find(dyn_cast<Instruction>(V)); Of != Done.end())
        return Of->second == W;
      return !is_contained(make_second_range(Done), W);
    };
    std::optional<bool> Result;
    unsigned MostEqual = 0;
    for (bool Swap : {false, true}) {
      if (Swap && !(isa<BinaryOperator>(Mine) && Mine.isCommutative()))
        break;
      unsigned Equal = 0, Alike = 0, Last = Mine.getNumOperands() - 1;
      for (unsigned I = 0; I <= Last; ++I) {
        Value *V = Mine.getOperand(I),
              *W = Other.getOperand(Swap ? Last - I : I);
        Equal += V == W;
        Alike += IsAlike(V, W);
      }
      if (Alike == Last + 1 && (!Result || Equal > MostEqual)) {
        Result = Swap;
        MostEqual = Equal;
      }
    }
    return Result;
  }

  /// \p Branch goes on to \p End instead of to \p Exit, and that asks the same.
  static void leaveFrom(BasicBlock &End, BranchInst &Branch, BasicBlock &Exit,
                        BasicBlock &Header) {
    bool First = Branch.getSuccessor(0) == &Exit;
    Instruction *ToHeader = End.getTerminator();
    BranchInst *Leave =
        BranchInst::Create(First ? &Exit : &Header, First ? &Header : &Exit,
                           Branch.getCondition(), ToHeader->getIterator());
    Leave->setDebugLoc(Branch.getDebugLoc());
    if (MDNode *ID = ToHeader->getMetadata(LLVMContext::MD_loop))
      Leave->setMetadata(LLVMContext::MD_loop, ID);
    ToHeader->eraseFromParent();
    Branch.setSuccessor(First ? 0 : 1, &End);
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

Loop &outermost(Loop &L) {
  Loop *Root = &L;
  while (Loop *Parent = Root->getParentLoop())
    Root = Parent;
  return *Root;
}

bool isOutOfShape(Loop &L, const LoopInfo &LI, const DominatorTree &DT) {
  return findFusedLoop(L) || hasConditionalStore(L) || hasConditionalCall(L) ||
         ((hasUnstoredSum(L) || hasIntegerStart(L) || hasPartialSum(L, DT)) &&
          PossibleProducts::of(L).mayBeFaster()) ||
         canUnswitch(outermost(L), L, LI, DT) || mayHaveZeroVersions(L) ||
         mayHaveIdleStore(L) ||
         any_of(outermost(L).getLoopsInPreorder(),
                [](const Loop *Part) {
                  return isLeftElsewhere(*Part) ||
                         isLeftFromHeaderOnly(*Part) || mayBeClipped(*Part);
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

} // namespace tilesmith
