//===- SquareNests.cpp - steps over one matrix ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SquareNests.h"
#include "ConditionalStore.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The nest that ends in \p Inner, as far as it may be blocked.
class SquareNest {
public:
  SquareNest(Loop &Inner, FunctionAnalysisManager &FAM, bool MakesVectors)
      : F(*Inner.getHeader()->getParent()),
        TTI(FAM.getResult<TargetIRAnalysis>(F)),
        MakesVectors(MakesVectors && !F.hasOptSize()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(scalarEvolution(F, FAM)) {
    for (Loop *L = &Inner; L && Nest.size() < 3; L = L->getParentLoop())
      Nest.insert(Nest.begin(), L);
  }

  bool prepare() {
    return Nest.size() == 3 && findStore() && doesNothingElse() &&
           hasSquareLoops() && findElements() && isMadeOfElements() &&
           canExpand();
  }

  BlockedSteps run() {
    Loop &Root = *Nest[0];
    if (!Root.getLoopPreheader())
      InsertPreheaderForLoop(&Root, &DT, &LI, /*MSSAU=*/nullptr,
                             /*PreserveLCSSA=*/false);
    SCEVExpander Expander(SE, "tilesmith");
    Instruction *At = Root.getLoopPreheader()->getTerminator();
    auto Expand = [&](const SCEV *S) {
      return Expander.expandCodeFor(S, nullptr, At);
    };
    Steps.Root = &Root;
    Steps.Base = Expand(Matrix.Base);
    Steps.RowStride = Expand(Matrix.Step[1]);
    Steps.ColumnStride = Expand(Matrix.Step[2]);
    Steps.Size = Expand(size());
    Steps.MinSize = breakEven();
    BasicBlock *After = SplitEdge(Root.getLoopLatch(), Root.getExitBlock());
    addStringMetadataToLoop(&Root, FallbackMark, 1);
    BlockedSteps Made = blockSteps(Steps, *After);
    unsigned Depth = Root.getLoopDepth();
    DT.recalculate(F);
    LI.releaseMemory();
    LI.analyze(DT);
    // The steps of a block are no sums: nobody is told about them.
    Loop *Blocks = LI.getLoopFor(Made.Sums);
    while (Blocks->getLoopDepth() > Depth)
      Blocks = Blocks->getParentLoop();
    for (Loop *Part : *Blocks)
      if (!Part->contains(Made.Sums))
        addStringMetadataToLoop(Part, FallbackMark, 1);
    return Made;
  }

private:
  /// An address, by the steps of the loops from the outermost one inwards. Null
  /// is no step.
  struct Form {
    const SCEV *Base;
    std::array<const SCEV *, 3> Step;
  };

  /// The steps of a block's rows and columns pay early if LLVM makes vectors of
  /// them, which a store under a condition permits if it can be masked.
  int64_t breakEven() const {
    auto Width =
        TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
    bool HasVectors =
        MakesVectors && Width.getKnownMinValue() >= 128 &&
        (!Steps.Condition ||
         TTI.isLegalMaskedStore(Steps.Store->getValueOperand()->getType(),
                                Steps.Store->getAlign(), /*AddressSpace=*/0));
    return HasVectors ? 24 : 192;
  }

  const SCEV *size() {
    Type *I64 = Type::getInt64Ty(F.getContext());
    const SCEV *Last =
        SE.getNoopOrZeroExtend(SE.getBackedgeTakenCount(Nest[0]), I64);
    return SE.getAddExpr(Last, SE.getOne(I64));
  }

  /// Three loops that each run as often, and whatever is in them in each step.
  bool hasSquareLoops() {
    const SCEV *Last = SE.getBackedgeTakenCount(Nest[0]);
    return !isa<SCEVCouldNotCompute>(Last) &&
           SE.getTypeSizeInBits(Last->getType()) <= 64 &&
           Nest[0]->getLoopPredecessor() && Nest[0]->getExitBlock() &&
           Nest[2]->isInnermost() && all_of(Nest, [&](const Loop *L) {
             return L->getLoopLatch() &&
                    L->getExitingBlock() == L->getLoopLatch() &&
                    L->getSubLoops().size() == (L != Nest[2]) &&
                    SE.getBackedgeTakenCount(L) == Last;
           });
  }

  bool findStore() {
    const BranchInst *Branch = nullptr;
    for (BasicBlock *BB : Nest[2]->blocks())
      if (BB == Nest[2]->getHeader()) {
        for (Instruction &I : *BB)
          if (auto *Store = dyn_cast<StoreInst>(&I))
            Steps.Store = Store;
      } else if (auto If = conditionalStore(*BB, *Nest[2])) {
        Branch = If->Branch;
        Steps.Store = If->Store;
        Steps.Condition = Branch->getCondition();
        Steps.StoresIfTrue = Branch->getSuccessor(0) == If->Then;
      }
    return Steps.Store && Steps.Store->isSimple() &&
           Steps.Store->getPointerAddressSpace() == 0 &&
           all_of(Nest[0]->blocks(), [&](const BasicBlock *BB) {
             const Instruction *End = BB->getTerminator();
             return End == Branch || End->getNumSuccessors() == 1 ||
                    (isa<BranchInst>(End) && any_of(Nest, [&](const Loop *L) {
                       return L->getLoopLatch() == BB;
                     }));
           });
  }

  /// Only the store and loads of its array in front of it use memory, and no value
  /// is used after the nest.
  bool doesNothingElse() {
    return all_of(Nest[0]->blocks(), [&](const BasicBlock *BB) {
      return all_of(*BB, [&](const Instruction &I) {
        auto *Load = dyn_cast<LoadInst>(&I);
        bool IsOurs = &I == Steps.Store ||
                      (Load && Load->isSimple() && isBeforeStore(*Load));
        return (IsOurs ||
                !(I.mayReadOrWriteMemory() || I.mayHaveSideEffects())) &&
               all_of(I.users(), [&](const User *U) {
                 return Nest[0]->contains(cast<Instruction>(U));
               });
      });
    });
  }

  bool isBeforeStore(const LoadInst &Load) const {
    return Load.getParent() == Nest[2]->getHeader() &&
           getUnderlyingObject(Load.getPointerOperand()) ==
               getUnderlyingObject(Steps.Store->getPointerOperand()) &&
           (Load.getParent() != Steps.Store->getParent() ||
            Load.comesBefore(Steps.Store));
  }

  std::optional<Form> formOf(Value *Pointer) {
    Form Result{SE.getSCEV(Pointer), {}};
    while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Result.Base)) {
      auto *It = find(Nest, Rec->getLoop());
      if (It == Nest.end())
        break;
      if (!Rec->isAffine())
        return std::nullopt;
      Result.Step[It - Nest.begin()] = Rec->getStepRecurrence(SE);
      Result.Base = Rec->getStart();
    }
    return Result;
  }

  /// Each load is of D[i][j], D[i][k] or D[k][j], where D[i][j] is stored.
  bool findElements() {
    std::optional<Form> Stored = formOf(Steps.Store->getPointerOperand());
    if (!Stored || Stored->Step[0] || !Stored->Step[1] || !Stored->Step[2])
      return false;
    Matrix = *Stored;
    const SCEV *Row = Matrix.Step[1], *Column = Matrix.Step[2];
    for (Instruction &I : *Nest[2]->getHeader()) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        continue;
      std::optional<Form> Read = formOf(Load->getPointerOperand());
      if (!Read || Read->Base != Matrix.Base ||
          Load->getType() != Steps.Store->getValueOperand()->getType())
        return false;
      using By = std::array<const SCEV *, 3>;
      if (Read->Step == Matrix.Step)
        Steps.Elements.push_back(Load);
      else if (Read->Step == By{Column, Row, nullptr})
        Steps.OfColumn.push_back(Load);
      else if (Read->Step == By{Row, nullptr, Column})
        Steps.OfRow.push_back(Load);
      else
        return false;
    }
    auto *RowSize = dyn_cast<SCEVConstant>(Row);
    if (RowSize && RowSize->getAPInt() == bytes()) {
      // Elements of a column are adjacent. Rows and columns play the same part.
      std::swap(Matrix.Step[1], Matrix.Step[2]);
      std::swap(Steps.OfColumn, Steps.OfRow);
    }
    return !Steps.Elements.empty() && !Steps.OfColumn.empty() &&
           !Steps.OfRow.empty();
  }

  uint64_t bytes() const {
    return F.getDataLayout().getTypeStoreSize(
        Steps.Store->getValueOperand()->getType());
  }

  /// What is stored, and whether, is computed from these elements alone, and may
  /// be computed where it is not stored. A product that may be fused with a sum
  /// might be fused in some of the loops only.
  bool isMadeOfElements() {
    SmallVector<Value *, 8> Work{Steps.Store->getValueOperand()};
    if (Steps.Condition)
      Work.push_back(Steps.Condition);
    for (unsigned Done = 0; Done < Work.size(); ++Done) {
      auto *I = dyn_cast<Instruction>(Work[Done]);
      if (!I || isa<LoadInst>(I) || !Nest[0]->contains(I) ||
          is_contained(ArrayRef(Work).take_front(Done), I))
        continue;
      bool MayFuse = I->getOpcode() == Instruction::FMul &&
                     I->hasAllowContract() &&
                     mayFuseProducts(*I->getFunction());
      if (isa<PHINode>(I) || MayFuse || !isSafeToSpeculativelyExecute(I))
        return false;
      append_range(Work, I->operands());
    }
    return true;
  }

  bool canExpand() {
    SCEVExpander Expander(SE, "tilesmith");
    const Instruction *At = Nest[0]->getLoopPredecessor()->getTerminator();
    return all_of(
               std::array{Matrix.Base, Matrix.Step[1], Matrix.Step[2], size()},
               [&](const SCEV *S) {
                 return SE.isLoopInvariant(S, Nest[0]) &&
                        Expander.isSafeToExpandAt(S, At);
               }) &&
           all_of(drop_begin(Matrix.Step), [&](const SCEV *S) {
             return SE.getTypeSizeInBits(S->getType()) == 64;
           });
  }

  Function &F;
  const TargetTransformInfo &TTI;
  bool MakesVectors; ///< LLVM, of the loops
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  SmallVector<Loop *, 3> Nest; ///< from the outermost one inwards
  Form Matrix;
  SquareSteps Steps{};
};

} // namespace

/// Whether it will be of use, which a copy of the function tells.
static bool isOfUse(Loop &Inner, FunctionAnalysisManager &FAM,
                    bool MakesVectors, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Function &Copy = Copied.get();
  SquareNest Blocked(Copied.loopOf(Inner), FAM, MakesVectors);
  if (!Blocked.prepare())
    return false;
  BasicBlock *Header = Blocked.run().Sums;
  Loop *Sums = FAM.getResult<LoopAnalysis>(Copy).getLoopFor(Header);
  WhyNots Ignored;
  return std::holds_alternative<FoundProduct>(Ask(Copy, Sums).front()) ||
         !copyIntoShape(Copy, FAM, Sums, Ask, Ignored).empty();
}

SmallVector<BasicBlock *, 2> blockSquareNests(Function &F,
                                              FunctionAnalysisManager &FAM,
                                              bool MakesVectors, Judge Ask) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  if (!hasMalloc(*F.getParent(), FAM.getResult<TargetLibraryAnalysis>(F)) ||
      !FunctionCopy::isPossible(F))
    return {};
  SmallVector<BasicBlock *, 2> Found, Made;
  for (Loop *L : LI.getLoopsInPreorder())
    if (L->isInnermost() && L->getLoopDepth() >= 3 && !isInFallback(*L) &&
        SquareNest(*L, FAM, MakesVectors).prepare() &&
        isOfUse(*L, FAM, MakesVectors, Ask))
      Found.push_back(L->getHeader());
  for (BasicBlock *Header : Found) {
    SquareNest Blocked(*LI.getLoopFor(Header), FAM, MakesVectors);
    if (Blocked.prepare())
      Made.push_back(Blocked.run().First);
  }
  return Made;
}

} // namespace tilesmith
