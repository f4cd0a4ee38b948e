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
#include "tilesmith/Support/DeadEnd.h"
#include "tilesmith/Support/Freeze.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
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
    return Nest.size() == 3 && hasSquareLoops() && findStore() &&
           doesNothingElse() && findElements() && isMadeOfElements() &&
           readChecks() && canExpand();
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
    Steps.Passes = passes(Expand, *At);
    BasicBlock *After = SplitEdge(Root.getLoopLatch(), exitOf(Root));
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
    const SCEV *Last = SE.getNoopOrZeroExtend(countOf(*Nest[0]), I64);
    return SE.getAddExpr(Last, SE.getOne(I64));
  }

  /// How often \p L goes on, if no check fails.
  const SCEV *countOf(const Loop &L) {
    return SE.getExitCount(&L, L.getLoopLatch());
  }

  /// Where \p L ends if no check fails.
  static BasicBlock *exitOf(const Loop &L) {
    auto *End = dyn_cast<BranchInst>(L.getLoopLatch()->getTerminator());
    if (!End || !End->isConditional() || !L.isLoopExiting(End->getParent()))
      return nullptr;
    return End->getSuccessor(L.contains(End->getSuccessor(0)));
  }

  /// Whether \p End is that of a check of bounds: the program goes on on one side
  /// only.
  bool isCheck(const Instruction &End) const {
    auto IsOver = [&](const BasicBlock *BB) {
      return !Nest[0]->contains(BB) && isDeadEnd(*BB);
    };
    return isa<BranchInst>(End) && End.getNumSuccessors() == 2 &&
           IsOver(End.getSuccessor(0)) != IsOver(End.getSuccessor(1));
  }

  /// Three loops that each run as often, and whatever is in them in each step.
  bool hasSquareLoops() {
    if (any_of(Nest,
               [](const Loop *L) { return !L->getLoopLatch() || !exitOf(*L); }))
      return false;
    const SCEV *Last = countOf(*Nest[0]);
    return !isa<SCEVCouldNotCompute>(Last) &&
           SE.getTypeSizeInBits(Last->getType()) <= 64 &&
           Nest[0]->getLoopPredecessor() && Nest[2]->isInnermost() &&
           all_of(Nest, [&](const Loop *L) {
             return L->getSubLoops().size() == (L != Nest[2]) &&
                    countOf(*L) == Last;
           });
  }

  /// Whether \p BB, in the innermost loop, runs in each step.
  bool runsAlways(const BasicBlock &BB) const {
    return DT.dominates(&BB, Nest[2]->getLoopLatch());
  }

  bool findStore() {
    const BranchInst *Branch = nullptr;
    for (BasicBlock *BB : Nest[2]->blocks())
      if (runsAlways(*BB)) {
        for (Instruction &I : *BB)
          if (auto *Store = dyn_cast<StoreInst>(&I))
            Steps.Store = Store;
      } else if (auto If = conditionalStore(*BB, *Nest[2])) {
        Branch = If->Branch;
        Steps.Store = If->Store;
        Steps.Condition = Branch->getCondition();
        Steps.StoresIfTrue = Branch->getSuccessor(0) == If->Then;
      }
    auto IsLatch = [&](const BasicBlock *BB) {
      return any_of(Nest,
                    [&](const Loop *L) { return L->getLoopLatch() == BB; });
    };
    return Steps.Store && Steps.Store->isSimple() &&
           Steps.Store->getPointerAddressSpace() == 0 &&
           all_of(Nest[0]->blocks(), [&](const BasicBlock *BB) {
             const Instruction *End = BB->getTerminator();
             if (End == Branch || End->getNumSuccessors() == 1 ||
                 (isa<BranchInst>(End) && IsLatch(BB)))
               return true;
             if (!isCheck(*End))
               return false;
             Checks.push_back(cast<BranchInst>(End));
             return true;
           });
  }

  /// Only the store and loads of its array in front of it use memory, and no value
  /// is used after the nest, but for what a check reports.
  bool doesNothingElse() {
    return all_of(Nest[0]->blocks(), [&](const BasicBlock *BB) {
      return all_of(*BB, [&](const Instruction &I) {
        auto *Load = dyn_cast<LoadInst>(&I);
        bool IsOurs = &I == Steps.Store ||
                      (Load && Load->isSimple() && isBeforeStore(*Load));
        return (IsOurs ||
                !(I.mayReadOrWriteMemory() || I.mayHaveSideEffects())) &&
               all_of(I.users(), [&](const User *U) {
                 auto *By = cast<Instruction>(U);
                 return Nest[0]->contains(By) || isDeadEnd(*By->getParent());
               });
      });
    });
  }

  bool isBeforeStore(const LoadInst &Load) const {
    return Nest[2]->contains(&Load) && runsAlways(*Load.getParent()) &&
           getUnderlyingObject(Load.getPointerOperand()) ==
               getUnderlyingObject(Steps.Store->getPointerOperand()) &&
           DT.dominates(&Load, Steps.Store);
  }

  /// \p V, or what it has been before it was frozen, where that is no poison.
  const SCEV *valueOf(Value *V) {
    return replaceFreezes(
        SE.getSCEV(V), *Nest[0], SE,
        [&](const FreezeInst &Freeze) { return beforeFreeze(Freeze, SE, DT); });
  }

  std::optional<Form> formOf(Value *V) {
    Form Result{valueOf(V), {}};
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
    SmallVector<LoadInst *, 4> Loads;
    for (BasicBlock *BB : Nest[2]->blocks())
      for (Instruction &I : *BB)
        if (auto *Load = dyn_cast<LoadInst>(&I))
          Loads.push_back(Load);
    for (LoadInst *Load : Loads) {
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

  /// Each check says that a sum of counters is less than what stays the same.
  bool readChecks() {
    for (const BranchInst *Check : Checks) {
      auto *Compare = dyn_cast<ICmpInst>(Check->getCondition());
      bool GoesOn = Nest[0]->contains(Check->getSuccessor(0));
      if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy(64))
        return false;
      CmpInst::Predicate P =
          GoesOn ? Compare->getPredicate() : Compare->getInversePredicate();
      Value *Low = Compare->getOperand(0), *High = Compare->getOperand(1);
      if (P == ICmpInst::ICMP_UGT) {
        std::swap(Low, High);
        P = ICmpInst::ICMP_ULT;
      }
      std::optional<Form> Subscript = formOf(Low);
      if (P != ICmpInst::ICMP_ULT || !Subscript)
        return false;
      Subscripts.push_back({*Subscript, valueOf(High)});
    }
    return true;
  }

  /// Whether all checks hold in all steps: where their greatest subscripts, which do
  /// not wrap, are less than the lengths. Null if there are none.
  Value *passes(function_ref<Value *(const SCEV *)> Expand, Instruction &At) {
    if (Subscripts.empty())
      return nullptr;
    IRBuilder<> B(&At);
    Value *Passes = B.CreateICmpULE(Steps.Size, B.getInt64(1 << 30));
    auto Require = [&](const SCEV *Less, Value *More) {
      Passes = B.CreateAnd(Passes, B.CreateICmpULT(Expand(Less), More));
    };
    const SCEV *Last = SE.getMinusSCEV(size(), SE.getOne(B.getInt64Ty()));
    for (auto &[Subscript, Length] : Subscripts) {
      const SCEV *Greatest = Subscript.Base;
      Require(Greatest, B.getInt64(uint64_t(1) << 60));
      for (const SCEV *Step : Subscript.Step) {
        if (!Step)
          continue;
        Require(Step, B.getInt64(1 << 30));
        Greatest = SE.getAddExpr(Greatest, SE.getMulExpr(Step, Last));
      }
      Require(Greatest, Expand(Length));
    }
    return Passes;
  }

  bool canExpand() {
    SCEVExpander Expander(SE, "tilesmith");
    const Instruction *At = Nest[0]->getLoopPredecessor()->getTerminator();
    SmallVector<const SCEV *, 16> InFront{Matrix.Base, Matrix.Step[1],
                                          Matrix.Step[2], size()};
    for (auto &[Subscript, Length] : Subscripts) {
      InFront.append({Subscript.Base, Length});
      copy_if(Subscript.Step, std::back_inserter(InFront),
              [](const SCEV *Step) { return Step; });
    }
    return all_of(InFront,
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
  SmallVector<const BranchInst *, 4> Checks;
  SmallVector<std::pair<Form, const SCEV *>, 4> Subscripts; ///< and lengths
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
