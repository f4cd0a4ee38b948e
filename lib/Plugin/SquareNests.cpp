//===- SquareNests.cpp - steps over one matrix ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SquareNests.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "LineTests.h"
#include "StepForms.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "tilesmith/Support/DeadEnd.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
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
           readBranches() && findElements() && doesNothingElse() &&
           isMadeOfElements() && readChecks() && canExpand() &&
           (!Beside || makesVectorsOfSteps());
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
    Steps.Passes = passes(Expand, *At);
    if (Beside)
      Steps.Beside = Beside->expand(Expand);
    Steps.MinSize = breakEven();
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
    if (Beside) {
      addStringMetadataToLoop(Blocks, FallbackMark, 1);
      return Made;
    }
    for (Loop *Part : *Blocks)
      if (!Part->contains(Made.Sums))
        addStringMetadataToLoop(Part, FallbackMark, 1);
    return Made;
  }

  /// Whether recognition finds sums in what has been made.
  bool makesSums() const { return !Beside; }
  const Loop &root() const { return *Nest[0]; }

private:
  /// Whether LLVM makes vectors of the steps, which stores under a condition permit if
  /// they can be masked.
  bool makesVectorsOfSteps() const {
    auto Width =
        TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
    auto CanBeMasked = [&](const StoreInst &Store) {
      return TTI.isLegalMaskedStore(Store.getValueOperand()->getType(),
                                    Store.getAlign(), /*AddressSpace=*/0);
    };
    return MakesVectors && Width.getKnownMinValue() >= 128 &&
           (!Steps.HasTests || CanBeMasked(*Steps.Store)) &&
           (!Beside || CanBeMasked(Beside->store()));
  }

  bool isOfNumbers() const {
    return Steps.Store->getValueOperand()->getType()->isFloatingPointTy();
  }

  /// The steps of a block's rows and columns pay early in vectors. Where they take
  /// elements of one column of the other matrix, they are slower.
  int64_t breakEven() const {
    if (!makesVectorsOfSteps())
      return 192;
    // AVX2 has no registers of masks: its masked stores are slow, as are lines with
    // ends.
    if (hasFeature(F, "avx2") && !hasFeature(F, "avx512vl"))
      return Steps.Beside ? 192 : Steps.HasTests || isOfNumbers() ? 80 : 24;
    return Steps.Beside && Steps.Beside->Kind == Companion::OfColumn ? 64 : 24;
  }

  const SCEV *size() {
    Type *I64 = Type::getInt64Ty(F.getContext());
    const SCEV *Last = SE.getNoopOrZeroExtend(countOf(*Nest[0]), I64);
    return SE.getAddExpr(Last, SE.getOne(I64));
  }

  /// What ends with the question whether \p L goes on, if no check fails: the latch,
  /// or what leads to one that only loads again what has changed. Null if nothing does.
  static BasicBlock *endOf(const Loop &L) {
    BasicBlock *Latch = L.getLoopLatch();
    if (Latch && !L.isLoopExiting(Latch))
      Latch = Latch->getSinglePredecessor();
    auto *End = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    return End && End->isConditional() && L.isLoopExiting(Latch) ? Latch
                                                                 : nullptr;
  }

  /// How often \p L goes on, if no check fails.
  const SCEV *countOf(const Loop &L) { return SE.getExitCount(&L, endOf(L)); }

  /// Where \p L ends if no check fails.
  static BasicBlock *exitOf(const Loop &L) {
    const Instruction *End = endOf(L)->getTerminator();
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
    if (!Nest[0]->getLoopLatch() ||
        !all_of(Nest, [](const Loop *L) { return endOf(*L); }))
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

  /// Whether \p BB runs whenever the loop \p L around it goes on.
  bool runsAlways(const BasicBlock &BB, const Loop &L) const {
    return DT.dominates(&BB, endOf(L));
  }

  /// One store, or two in one block. What is stored in the matrix has been compared
  /// with what it is stored over.
  bool findStore() {
    SmallVector<StoreInst *, 2> Stores;
    SmallPtrSet<const SCEV *, 4> Read;
    for (BasicBlock *BB : Nest[2]->blocks())
      for (Instruction &I : *BB)
        if (auto *Store = dyn_cast<StoreInst>(&I))
          Stores.push_back(Store);
        else if (auto *Load = dyn_cast<LoadInst>(&I))
          Read.insert(SE.getSCEV(Load->getPointerOperand()));
    if (Stores.empty() || Stores.size() > 2 ||
        !all_of(Stores, [](const StoreInst *Store) {
          return Store->isSimple() && Store->getPointerAddressSpace() == 0;
        }))
      return false;
    auto *Of = find_if(Stores, [&](StoreInst *Store) {
      return Read.contains(SE.getSCEV(Store->getPointerOperand()));
    });
    Steps.Store = Of == Stores.end() ? Stores.front() : *Of;
    if (Stores.size() == 1)
      return true;
    StoreInst *Other = Stores[Steps.Store == Stores.front()];
    Beside.emplace(Forms, *Other);
    return Other->getParent() == Steps.Store->getParent() && Beside->find();
  }

  /// Each branch ends a loop, is a check, or decides what a step does.
  bool readBranches() {
    constexpr unsigned MaxTests = 5;
    for (BasicBlock *BB : Nest[0]->blocks()) {
      auto *End = dyn_cast<BranchInst>(BB->getTerminator());
      if (!End)
        return false;
      if (!End->isConditional() ||
          any_of(Nest, [&](const Loop *L) { return endOf(*L) == BB; }))
        continue;
      if (isCheck(*End))
        Checks.push_back(End);
      else if (Nest[1]->contains(BB))
        Tests.push_back(End);
      else
        return false;
    }
    Steps.HasTests = !Tests.empty();
    if (Beside && !Steps.HasTests)
      return false;
    Steps.First = Nest[2]->getHeader();
    return Tests.size() <= MaxTests;
  }

  /// Only the store and loads of its array use memory, and no value is used after
  /// the nest, but for what a check reports.
  bool doesNothingElse() {
    return all_of(Nest[0]->blocks(), [&](const BasicBlock *BB) {
      return all_of(*BB, [&](const Instruction &I) {
        // Those in the loop over rows are elements.
        bool IsOurs = &I == Steps.Store || (Beside && &I == &Beside->store()) ||
                      (isa<LoadInst>(I) && Nest[1]->contains(&I));
        return (IsOurs ||
                !(I.mayReadOrWriteMemory() || I.mayHaveSideEffects())) &&
               all_of(I.users(), [&](const User *U) {
                 auto *By = cast<Instruction>(U);
                 return Nest[0]->contains(By) || isDeadEnd(*By->getParent());
               });
      });
    });
  }

  /// Whether \p I comes behind the store in a step.
  bool isBehindStore(const Instruction &I) const {
    SmallVector<BasicBlock *, 8> Work{Steps.Store->getParent()};
    if (I.getParent() == Work[0])
      return Steps.Store->comesBefore(&I);
    BasicBlock *Header = Nest[2]->getHeader();
    SmallPtrSet<BasicBlock *, 1> Behind{Header};
    return I.getParent() != Header &&
           isPotentiallyReachableFromMany(Work, I.getParent(), &Behind, &DT);
  }

  /// Each load is of D[i][j], D[i][k] or D[k][j], where D[i][j] is stored.
  bool findElements() {
    std::optional<StepForm> Stored = Forms.of(Steps.Store->getPointerOperand());
    if (!Stored || Stored->Step[0] || !Stored->Step[1] || !Stored->Step[2])
      return false;
    Matrix = *Stored;
    for (BasicBlock *BB : Nest[1]->blocks())
      for (Instruction &I : *BB)
        if (auto *Load = dyn_cast<LoadInst>(&I))
          if (!(Beside && Beside->isOfMatrix(*Load)) && !takeElement(*Load))
            return false;
    if (!findKept() || !IsAllRead)
      return false;
    auto *RowSize = dyn_cast<SCEVConstant>(Matrix.Step[1]);
    if (RowSize && RowSize->getAPInt() == bytes()) {
      // Elements of a column are adjacent. Rows and columns play the same part.
      std::swap(Matrix.Step[1], Matrix.Step[2]);
      std::swap(Steps.OfColumn, Steps.OfRow);
      std::swap(Steps.ColumnIsKept, Steps.RowIsKept);
      if (Beside)
        Beside->turn();
    } else {
      findLines();
    }
    return !Steps.OfColumn.empty() && !Steps.OfRow.empty();
  }

  /// Where tests in front leave out lines, they shall do so in blocks, too.
  void findLines() {
    if (runsAlways(*Nest[2]->getHeader(), *Nest[1]))
      return;
    Steps.InFront = Nest[1]->getHeader();
    Steps.Line = Nest[2]->getHeader();
    Steps.Tested.append(Kept.begin(), Kept.end());
  }

  bool takeElement(LoadInst &Load) {
    std::optional<StepForm> Read = Forms.of(Load.getPointerOperand());
    if (!Read || !Load.isSimple() || Read->Base != Matrix.Base ||
        Load.getType() != Steps.Store->getValueOperand()->getType() ||
        getUnderlyingObject(Load.getPointerOperand()) !=
            getUnderlyingObject(Steps.Store->getPointerOperand()))
      return false;
    const SCEV *Row = Matrix.Step[1], *Column = Matrix.Step[2];
    using By = std::array<const SCEV *, 3>;
    bool IsOfColumn = Read->Step == By{Column, Row, nullptr};
    if (!Nest[2]->contains(&Load)) {
      Kept.insert(&Load);
      IsAllRead |= runsAlways(*Load.getParent(), *Nest[1]);
      return IsOfColumn && DT.dominates(&Load, Nest[2]->getHeader());
    }
    if (isBehindStore(Load)) {
      Again.insert(&Load);
      return IsOfColumn;
    }
    IsAllRead |= runsAlways(*Load.getParent(), *Nest[2]) &&
                 runsAlways(*Nest[2]->getHeader(), *Nest[1]);
    if (Read->Step == Matrix.Step)
      Steps.Elements.push_back(&Load);
    else if (IsOfColumn)
      Steps.OfColumn.push_back(&Load);
    else if (Read->Step == By{Row, nullptr, Column})
      Steps.OfRow.push_back(&Load);
    else
      return false;
    return true;
  }

  /// Lets \p Bound stand for the tests in front of lines; no if another one does.
  bool takeBound(std::optional<ElementBound> Bound) {
    if (!Steps.Bound)
      Steps.Bound = Bound;
    return Bound && Bound->Beyond == Steps.Bound->Beyond &&
           Bound->Limit == Steps.Bound->Limit;
  }

  /// D[i][k] in the middle loop: what it is in front of a line, or, if it is loaded
  /// again behind each store, what it is in each step.
  bool findKept() {
    const SmallVector<BranchInst *, 4> All = Tests;
    LineTests InLine{*Nest[0], *Nest[2], DT, Steps, All, Kept, Again};
    for (PHINode &Phi : Nest[2]->getHeader()->phis())
      if (InLine.isElementAgain(Phi))
        Steps.OfColumn.push_back(&Phi);
    auto IsPhi = [&](const User *U) {
      return isa<PHINode>(U) && is_contained(Steps.OfColumn, U);
    };
    if (!all_of(Again,
                [&](const Value *V) { return all_of(V->users(), IsPhi); }))
      return false;
    if (Steps.OfColumn.empty()) {
      Steps.OfColumn.append(Kept.begin(), Kept.end());
      Steps.ColumnIsKept = true;
      Steps.First = Nest[1]->getHeader();
      return true;
    }
    auto IsUsedInSteps = [&](const Value *V) {
      return any_of(V->users(), [&](const User *U) {
        return !IsPhi(U) && Nest[2]->contains(cast<Instruction>(U));
      });
    };
    if (any_of(Kept, IsUsedInSteps))
      return false;
    // Lines are left out only where no step would do anything.
    auto IsInFront = [&](const BranchInst *Test) {
      return !Nest[2]->contains(Test);
    };
    erase_if(Tests, [&](const BranchInst *Test) {
      return IsInFront(Test) && InLine.isAskedAgain(*Test);
    });
    if (none_of(Tests, IsInFront))
      return true;
    // Or if a test comes out the same in all steps.
    Steps.OfColumn.append(Kept.begin(), Kept.end());
    Steps.First = Nest[1]->getHeader();
    return all_of(Tests, [&](const BranchInst *Test) {
      return !IsInFront(Test) || InLine.staysTrue(*Test) ||
             takeBound(InLine.boundOf(*Test));
    });
  }

  uint64_t bytes() const {
    return F.getDataLayout().getTypeStoreSize(
        Steps.Store->getValueOperand()->getType());
  }

  /// What is stored, and whether, is computed from these elements alone, and may
  /// be computed where it is not stored. A product that may be fused with a sum
  /// might be fused in some of the loops only.
  bool isMadeOfElements() {
    SmallSetVector<Value *, 16> Work;
    Work.insert(Steps.Store->getValueOperand());
    for (BranchInst *Test : Tests)
      Work.insert(Test->getCondition());
    for (unsigned Done = 0; Done < Work.size(); ++Done) {
      auto *I = dyn_cast<Instruction>(Work[Done]);
      if (!I || !Nest[0]->contains(I) || isElement(*I))
        continue;
      bool MayFuse = I->getOpcode() == Instruction::FMul &&
                     I->hasAllowContract() &&
                     mayFuseProducts(*I->getFunction());
      bool MayBeMade = isa<PHINode>(I) ? !LI.isLoopHeader(I->getParent()) &&
                                             Nest[1]->contains(I)
                                       : isSafeToSpeculativelyExecute(I);
      if (MayFuse || !MayBeMade)
        return false;
      Work.insert_range(I->operands());
    }
    return true;
  }

  bool isElement(const Instruction &I) const {
    return any_of(ArrayRef({&Steps.Elements, &Steps.OfColumn, &Steps.OfRow}),
                  [&](const auto *Of) { return is_contained(*Of, &I); });
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
      std::optional<StepForm> Subscript = Forms.of(Low);
      if (P != ICmpInst::ICMP_ULT || !Subscript)
        return false;
      Subscripts.push_back({*Subscript, Forms.valueOf(High)});
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
      Subscript.append(InFront);
      InFront.push_back(Length);
    }
    if (Beside)
      Beside->append(InFront);
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
  StepForms Forms{Nest, SE, DT};
  std::optional<CompanionFinder> Beside; ///< if anything is stored there
  StepForm Matrix;
  SquareSteps Steps{};
  SmallVector<BranchInst *, 4> Checks, Tests;
  SmallSetVector<Value *, 2> Kept, Again; ///< D[i][k] in front of, behind steps
  bool IsAllRead = false; ///< each element of the matrix, in any case
  SmallVector<std::pair<StepForm, const SCEV *>, 4> Subscripts; ///< and lengths
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
  if (!Blocked.makesSums())
    return true;
  BasicBlock *Header = Blocked.run().Sums;
  Loop *Sums = FAM.getResult<LoopAnalysis>(Copy).getLoopFor(Header);
  WhyNots Ignored;
  return std::holds_alternative<FoundProduct>(Ask(Copy, Sums).front()) ||
         !copyIntoShape(Copy, FAM, Sums, Ask, Ignored).empty();
}

SmallVector<BasicBlock *, 2>
blockSquareNests(Function &F, FunctionAnalysisManager &FAM, bool MakesVectors,
                 Judge Ask,
                 function_ref<void(const Loop &, const Loop &)> Tell) {
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
    if (!Blocked.prepare())
      continue;
    if (!Blocked.makesSums())
      Tell(Blocked.root(), *LI.getLoopFor(Header));
    Made.push_back(Blocked.run().First);
  }
  return Made;
}

} // namespace tilesmith
