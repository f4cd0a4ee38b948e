//===- SplitCounter.cpp - two loops of a fused one ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitCounter.h"
#include "LoopShape.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

class Splitter {
public:
  Splitter(Loop &Fused, FunctionAnalysisManager &FAM)
      : Fused(Fused), F(*Fused.getHeader()->getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
           FAM.getResult<AssumptionAnalysis>(F), DT, LI) {}

  /// Finds what the loops are made of; false if they cannot be.
  bool prepare() {
    Counter = fusedCounter(Fused);
    Pre = Fused.getLoopPreheader();
    Latch = Fused.getLoopLatch();
    Exit = Fused.getUniqueExitBlock();
    if (!Counter || !Pre || !Exit || Fused.getExitingBlock() != Latch ||
        !hasSingleElement(Fused.getHeader()->phis()))
      return false;
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Counter->Phi));
    Backedges = SE.getBackedgeTakenCount(&Fused);
    if (!Rec || !Rec->isAffine() || !Rec->getStepRecurrence(SE)->isOne() ||
        isa<SCEVCouldNotCompute>(Backedges) ||
        SE.getTypeSizeInBits(Backedges->getType()) >
            SE.getTypeSizeInBits(Counter->Phi->getType()))
      return false;
    SCEVExpander Expander(SE, "tilesmith");
    return Expander.isSafeToExpandAt(Backedges, Pre->getTerminator()) &&
           !leavesValues(Fused);
  }

  /// The divisor, and those of its remainders, and so on: remainders become
  /// counters that may be split as well.
  SmallSetVector<Value *, 4> divisors() const {
    SmallSetVector<Value *, 4> Result;
    Result.insert(Counter->Divisor);
    SmallVector<Instruction *, 4> Counters{Counter->Phi};
    while (!Counters.empty())
      for (const CounterPart &Part : counterParts(*Counters.pop_back_val()))
        if (!Part.IsQuotient && Fused.isLoopInvariant(Part.Divisor)) {
          Counters.push_back(Part.Inst);
          Result.insert(Part.Divisor);
        }
    return Result;
  }

  /// Whether the loop is divided by one of \p Positive.
  bool isDividedBy(const SmallSetVector<Value *, 4> &Positive) const {
    return Positive.contains(Counter->Divisor);
  }

  void split(BasicBlock *Fallback) {
    SCEVExpander Expander(SE, "tilesmith");
    IRBuilder<> B(Pre->getTerminator());
    Value *First = Counter->Phi->getIncomingValueForBlock(Pre);
    Value *Count =
        Expander.expandCodeFor(Backedges, nullptr, Pre->getTerminator());
    Count = B.CreateZExt(Count, First->getType());
    Value *Last = B.CreateAdd(First, Count, "fused.last");
    Divisor = B.CreateSExt(Counter->Divisor, First->getType());
    if (Fallback)
      leaveUnlessPositive(First, Last, *Fallback);
    describeParts(First, Last);
    buildLoops();
    replaceCounter();
    DT.recalculate(F);
    addToLoopInfo();
  }

private:
  Value *zero() const { return ConstantInt::get(Counter->Phi->getType(), 0); }
  Value *one() const { return ConstantInt::get(Counter->Phi->getType(), 1); }

  /// Without a loop inside, a few elements take less time than the pieces. (Measured
  /// on Zen 5.)
  Value *isLongEnough(IRBuilder<> &B, Value *First, Value *Last) const {
    constexpr uint64_t FewElements = 32, FewColumns = 4;
    auto IsAtLeast = [&](Value *V, uint64_t Least) {
      return B.CreateICmpUGE(V, ConstantInt::get(V->getType(), Least));
    };
    return B.CreateAnd(IsAtLeast(B.CreateSub(Last, First), FewElements - 1),
                       IsAtLeast(Divisor, FewColumns));
  }

  void leaveUnlessPositive(Value *First, Value *Last, BasicBlock &Fallback) {
    BasicBlock *From = Pre;
    Pre = SplitBlock(From, From->getTerminator(), &DT, &LI);
    IRBuilder<> B(From->getTerminator());
    Value *NoNegative = B.CreateICmpSGE(First, zero());
    Value *InOrder = B.CreateICmpSGE(Last, First);
    Value *IsFused = B.CreateAnd(NoNegative, InOrder);
    for (Value *By : divisors()) {
      Value *HasRows = B.CreateICmpSGT(By, ConstantInt::get(By->getType(), 0));
      IsFused = B.CreateAnd(IsFused, HasRows);
    }
    if (Fused.isInnermost())
      IsFused = B.CreateAnd(IsFused, isLongEnough(B, First, Last));
    B.CreateCondBr(B.CreateFreeze(IsFused), Pre, &Fallback);
    From->getTerminator()->eraseFromParent();
  }

  /// A part of the loop: rows and columns, each up to the second one.
  struct Rectangle {
    Value *Row, *EndRow, *Column, *EndColumn;
  };

  /// The end of the first row, if it begins in the middle; whole rows; and the
  /// beginning of the last row, if it ends in the middle and is another one.
  void describeParts(Value *First, Value *Last) {
    IRBuilder<> B(Pre->getTerminator());
    Value *N = Divisor;
    Value *FirstRow = B.CreateUDiv(First, N, "first.row");
    Value *FirstColumn = B.CreateURem(First, N, "first.column");
    Value *LastRow = B.CreateUDiv(Last, N, "last.row");
    Value *LastColumn = B.CreateURem(Last, N, "last.column");
    Value *EndColumn = B.CreateAdd(LastColumn, one(), "end.column");
    Value *AfterFirst = B.CreateAdd(FirstRow, one());
    Value *AfterLast = B.CreateAdd(LastRow, one());
    Value *BeginsInRow = B.CreateICmpNE(FirstColumn, zero());
    Value *EndsInRow = B.CreateICmpNE(EndColumn, N);
    Value *HasOneRow = B.CreateICmpEQ(FirstRow, LastRow);

    Value *Whole = B.CreateSelect(BeginsInRow, AfterFirst, FirstRow);
    Value *EndWhole = B.CreateSelect(EndsInRow, LastRow, AfterLast);
    Value *EndOfFirst = B.CreateSelect(HasOneRow, EndColumn, N);
    Value *IsSameRow = B.CreateAnd(BeginsInRow, HasOneRow);
    Value *NotAgain = B.CreateNot(IsSameRow);
    Value *HasLast = B.CreateAnd(EndsInRow, NotAgain);
    Value *EndLast = B.CreateSelect(HasLast, AfterLast, LastRow);
    Parts[0] = {FirstRow, Whole, FirstColumn, EndOfFirst};
    Parts[1] = {Whole, EndWhole, zero(), N};
    Parts[2] = {LastRow, EndLast, zero(), EndColumn};
  }

  /// The value of a part, chosen by its number.
  Value *ofPart(IRBuilder<> &B, Value *Number, Value *Rectangle::*Member) {
    Value *IsFirst = B.CreateICmpEQ(Number, zero());
    Value *IsSecond = B.CreateICmpEQ(Number, one());
    Value *Later = B.CreateSelect(IsSecond, Parts[1].*Member, Parts[2].*Member);
    return B.CreateSelect(IsFirst, Parts[0].*Member, Later);
  }

  void buildLoops() {
    auto Block = [&](const char *Name) {
      return BasicBlock::Create(F.getContext(), Name, &F, Fused.getHeader());
    };
    Type *Ty = Counter->Phi->getType();
    PartHeader = Block("fused.part");
    RowPreheader = Block("fused.rows");
    RowHeader = Block("fused.row");
    RowLatch = Block("fused.row.next");
    PartLatch = Block("fused.part.next");
    Where = Latch->getTerminator()->getDebugLoc();
    Pre->getTerminator()->replaceSuccessorWith(Fused.getHeader(), PartHeader);

    IRBuilder<> B(PartHeader);
    B.SetCurrentDebugLocation(Where);
    PHINode *Number = B.CreatePHI(Ty, 2, "part");
    Value *FirstRow = ofPart(B, Number, &Rectangle::Row);
    Value *EndRow = ofPart(B, Number, &Rectangle::EndRow);
    Column = ofPart(B, Number, &Rectangle::Column);
    EndColumn = ofPart(B, Number, &Rectangle::EndColumn);
    Value *HasRows = B.CreateICmpULT(FirstRow, EndRow);
    B.CreateCondBr(HasRows, RowPreheader, PartLatch);
    B.SetInsertPoint(RowPreheader);
    B.CreateBr(RowHeader);

    B.SetInsertPoint(RowHeader);
    Row = B.CreatePHI(Ty, 2, "row");
    B.CreateBr(Fused.getHeader());
    B.SetInsertPoint(RowLatch);
    Value *NextRow = B.CreateAdd(Row, one());
    B.CreateCondBr(B.CreateICmpEQ(NextRow, EndRow), PartLatch, RowHeader);
    Row->addIncoming(FirstRow, RowPreheader);
    Row->addIncoming(NextRow, RowLatch);

    B.SetInsertPoint(PartLatch);
    Value *Next = B.CreateAdd(Number, one());
    Value *Parts = ConstantInt::get(Ty, 3);
    B.CreateCondBr(B.CreateICmpEQ(Next, Parts), Exit, PartHeader);
    Number->addIncoming(zero(), Pre);
    Number->addIncoming(Next, PartLatch);
    Exit->replacePhiUsesWith(Latch, PartLatch);
  }

  /// The fused loop counts columns; quotients are rows.
  void replaceCounter() {
    PHINode *Old = Counter->Phi;
    IRBuilder<> B(Old);
    PHINode *J = B.CreatePHI(Old->getType(), 2, "column");
    B.SetInsertPoint(Fused.getHeader()->getFirstInsertionPt());
    Value *BeginOfRow = B.CreateMul(Row, Divisor);
    Value *Together = B.CreateAdd(BeginOfRow, J);
    for (const CounterPart &Part : counterParts(*Old))
      if (Part.Divisor == Counter->Divisor) {
        Value *Index = Part.IsQuotient ? Row : J;
        // The part, and so what is less, has the narrow type.
        Part.Inst->replaceAllUsesWith(B.CreateTrunc(
            Index, Part.Inst->getType(), "", /*IsNUW=*/false, /*IsNSW=*/true));
      }
    Old->replaceAllUsesWith(Together);

    auto *End = cast<BranchInst>(Latch->getTerminator());
    B.SetInsertPoint(End);
    Value *Next = B.CreateAdd(J, one());
    BranchInst *Branch = B.CreateCondBr(B.CreateICmpEQ(Next, EndColumn),
                                        RowLatch, Fused.getHeader());
    Branch->setMetadata(LLVMContext::MD_loop,
                        End->getMetadata(LLVMContext::MD_loop));
    End->eraseFromParent();
    J->addIncoming(Column, RowHeader);
    J->addIncoming(Next, Latch);
    Old->eraseFromParent();
  }

  void addToLoopInfo() {
    Loop *Of = LI.AllocateLoop(), *Rows = LI.AllocateLoop();
    if (Loop *Parent = Fused.getParentLoop())
      Parent->replaceChildLoopWith(&Fused, Of);
    else
      LI.changeTopLevelLoop(&Fused, Of);
    Of->addChildLoop(Rows);
    Rows->addChildLoop(&Fused);
    for (BasicBlock *BB : {PartHeader, RowPreheader, PartLatch})
      Of->addBasicBlockToLoop(BB, LI);
    for (BasicBlock *BB : {RowHeader, RowLatch})
      Rows->addBasicBlockToLoop(BB, LI);
    for (BasicBlock *BB : Fused.blocks()) {
      Of->addBlockEntry(BB);
      Rows->addBlockEntry(BB);
    }
  }

  Loop &Fused;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  std::optional<FusedCounter> Counter;
  BasicBlock *Pre = nullptr, *Latch = nullptr, *Exit = nullptr;
  const SCEV *Backedges = nullptr;
  Value *Divisor = nullptr; ///< as wide as the counter
  std::array<Rectangle, 3> Parts;
  BasicBlock *PartHeader = nullptr, *RowPreheader = nullptr,
             *RowHeader = nullptr, *RowLatch = nullptr, *PartLatch = nullptr;
  PHINode *Row = nullptr;
  Value *Column = nullptr, *EndColumn = nullptr;
  DebugLoc Where;
};

} // namespace

Loop *findFusedLoop(Loop &Inner) {
  for (Loop *L = Inner.getParentLoop(); L; L = L->getParentLoop())
    if (fusedCounter(*L))
      return L;
  return nullptr;
}

bool splitFusedLoop(Loop &Fused, BasicBlock *Fallback,
                    FunctionAnalysisManager &FAM) {
  Splitter S(Fused, FAM);
  if (!S.prepare())
    return false;
  const SmallSetVector<Value *, 4> Positive = S.divisors();
  S.split(Fallback);
  for (;;) {
    Splitter OfColumns(Fused, FAM);
    if (!OfColumns.prepare() || !OfColumns.isDividedBy(Positive))
      return true;
    OfColumns.split(/*Fallback=*/nullptr);
  }
}

} // namespace tilesmith
