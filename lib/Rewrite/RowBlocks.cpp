//===- RowBlocks.cpp - a rest that goes along rows again ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlocks.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p L loads elements of \p X.
static bool loads(const Loop &L, const Access &X, ScalarEvolution &SE) {
  const SCEV *Base = SE.getPointerBase(X.Base);
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (SE.getPointerBase(SE.getSCEV(
                const_cast<Value *>(Load->getPointerOperand()))) == Base)
          return true;
  return false;
}

bool RowBlocks::suit(const PlannedNest &Planned, const NestAnalyses &Analyses) {
  const Contraction &Op = Planned.View.Op;
  const Surroundings &Source = Planned.View.Source;
  if (!Planned.ThePlan.isStreamed() || Op.hasRowTables() || Op.Domain ||
      Op.Terms.size() != 1 || Source.Loops.size() != 2 ||
      !Source.SumsInnermost || Source.Root != Source.Loops.front() ||
      Source.RestWrites.empty() || !Source.Initials.empty() ||
      Source.ToScratch || Source.Rest != Surroundings::RestRuns::After)
    return false;
  // A sum of its own may be another matrix times a vector.
  ScalarEvolution &SE = Analyses.SE;
  return all_of(Source.RestWrites, [&](Instruction *Write) {
    auto *Store = dyn_cast<StoreInst>(Write);
    const Loop *L = Analyses.LI.getLoopFor(Write->getParent());
    return Store && L->getParentLoop() == Source.Root &&
           !SE.isLoopInvariant(SE.getSCEV(Store->getPointerOperand()), L) &&
           loads(*L, Op.Terms.front().A, SE);
  });
}

/// Blocks take half of what is near.
RowBlocks::RowBlocks(const PlannedNest &Planned, Backend &By, IRBuilderBase &B,
                     Value *Stride, Value *NumRows)
    : By(By), Line(B.getCurrentDebugLocation()), NumRows(NumRows) {
  const Plan &ThePlan = Planned.ThePlan;
  unsigned Least = ThePlan.MR;
  for (const Plan &Other : ThePlan.Dispatched)
    Least = std::max(Least, Other.MR);
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse());
  Length = B.CreateBinaryIntrinsic(Intrinsic::umax, Length, B.getInt64(1));
  Value *Fitting = B.CreateUDiv(B.getInt64(ThePlan.FarBytes / 2), Length);
  OfBlock =
      B.CreateBinaryIntrinsic(Intrinsic::umax, Fitting, B.getInt64(2 * Least));
  First = {B.getInt64(0), countFrom(B, B.getInt64(0))};
}

/// The rows of the block from \p Row on: the last one is longer than others.
Value *RowBlocks::countFrom(IRBuilderBase &B, Value *Row) const {
  Value *Left = B.CreateSub(NumRows, Row);
  Value *IsLast = B.CreateICmpULT(Left, B.CreateShl(OfBlock, 1));
  return B.CreateSelect(IsLast, Left, OfBlock);
}

void RowBlocks::emitCalls(Loop &Rest, const NestAnalyses &Analyses) const {
  BasicBlock *Header = Rest.getHeader(), *Latch = Rest.getLoopLatch();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Row = B.CreatePHI(B.getInt64Ty(), 2, "row");
  PHINode *Next = B.CreatePHI(B.getInt64Ty(), 2, "block");
  BasicBlock::iterator Body = Header->getFirstInsertionPt();
  B.SetInsertPoint(Header, Body);
  Value *IsFirst = B.CreateICmpEQ(Row, Next);
  DomTreeUpdater DTU(Analyses.DT, DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *Call =
      SplitBlockAndInsertIfThen(IsFirst, Body, /*Unreachable=*/false,
                                /*BranchWeights=*/nullptr, &DTU, &Analyses.LI);
  BasicBlock *Behind = Call->getSuccessor(0);
  B.SetInsertPoint(Call);
  B.SetCurrentDebugLocation(Line);
  RowRange Rows{Row, countFrom(B, Row)};
  By.emitCall(B, /*Own=*/nullptr, &Rows);
  Value *End = B.CreateAdd(Row, Rows.Count);
  B.SetInsertPoint(Behind, Behind->begin());
  PHINode *Either = B.CreatePHI(B.getInt64Ty(), 2, "next.block");
  Either->addIncoming(Next, Header);
  Either->addIncoming(End, Call->getParent());
  if (Latch == Header)
    Latch = Behind;
  B.SetInsertPoint(Latch->getTerminator());
  Value *NextRow = B.CreateNUWAdd(Row, B.getInt64(1));
  for (BasicBlock *Pred : predecessors(Header)) {
    bool IsLatch = Pred == Latch;
    Row->addIncoming(IsLatch ? NextRow : B.getInt64(0), Pred);
    Next->addIncoming(IsLatch ? cast<Value>(Either) : First.Count, Pred);
  }
}

} // namespace tilesmith
