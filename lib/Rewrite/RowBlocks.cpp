//===- RowBlocks.cpp - a rest that goes along rows again ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBlocks.h"
#include "Guard.h"
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

/// Whether sums that are kept apart are those of the rows in their order, and
/// there is no other one in \p Steps, which would be a product of its own.
static bool followRows(const Scratch &Sums, const Loop *Rows,
                       const Loop &Steps) {
  unsigned Count = count_if(Steps.getHeader()->phis(), [&](const PHINode &Phi) {
    return Phi.getType()->isFPOrFPVectorTy();
  });
  return Count <= 1 && !Sums.Second && !Sums.Once && Sums.Rows.size() == 1 &&
         Sums.Rows.front().L == Rows && !Sums.Rows.front().IsReversed &&
         !Sums.Rows.front().MovedBy;
}

bool RowBlocks::suit(const PlannedNest &Planned, const NestAnalyses &Analyses) {
  const Contraction &Op = Planned.View.Op;
  const Surroundings &Source = Planned.View.Source;
  if (!Planned.ThePlan.isStreamed() || Op.hasRowTables() ||
      Op.Terms.size() != 1 || Source.Loops.size() != 2 ||
      !Source.SumsInnermost || Source.Root != Source.Loops.front() ||
      Source.RestWrites.empty() || !Source.Initials.empty() ||
      Source.Rest != Surroundings::RestRuns::After)
    return false;
  if (Source.ToScratch
          ? !followRows(*Source.ToScratch, Source.Root, *Source.Loops.back())
          : Op.Domain.has_value())
    return false;
  // A sum of its own may be another matrix times a vector.
  ScalarEvolution &SE = Analyses.SE;
  auto GoesAlongRow = [&](Instruction *Write) {
    auto *Store = dyn_cast<StoreInst>(Write);
    const Loop *L = Analyses.LI.getLoopFor(Write->getParent());
    return Store && L->getParentLoop() == Source.Root &&
           !SE.isLoopInvariant(SE.getSCEV(Store->getPointerOperand()), L) &&
           loads(*L, Op.Terms.front().A, SE);
  };
  auto UsesSum = [&](Instruction *Write) {
    return Source.ToScratch && isa<StoreInst>(Write) &&
           Analyses.LI.getLoopFor(Write->getParent()) == Source.Root;
  };
  return any_of(Source.RestWrites, GoesAlongRow) &&
         all_of(Source.RestWrites, [&](Instruction *Write) {
           return GoesAlongRow(Write) || UsesSum(Write);
         });
}

/// Whether each block of a triangle's rows is one that the kernel takes: no row
/// makes all steps beside others, and one at most makes none.
static Value *hasTriangularBlocks(const Contraction &Op, IRBuilderBase &B,
                                  GuardBuilder &Guard) {
  Value *Diagonal = Guard.diagonal(), *Rows = Guard.extent(M);
  Value *Steps = Guard.extent(K);
  Value *End = B.CreateAdd(Rows, Diagonal);
  if (Op.Domain->isFrom())
    return B.CreateAnd(B.CreateICmpSGE(Diagonal, B.getInt64(0)),
                       B.CreateICmpSLE(End, B.CreateAdd(Steps, B.getInt64(1))));
  return B.CreateAnd(B.CreateICmpSGE(Diagonal, B.getInt64(-1)),
                     B.CreateICmpSLE(End, Steps));
}

/// Blocks take half of what is near. A triangle that is near as a whole is one.
RowBlocks::RowBlocks(const PlannedNest &Planned, Backend &By, IRBuilderBase &B,
                     GuardBuilder &Guard)
    : By(By), Line(B.getCurrentDebugLocation()), NumRows(Guard.extent(M)) {
  const Plan &ThePlan = Planned.ThePlan;
  const Contraction &Op = Planned.View.Op;
  Value *Stride = Guard.stride(Op.Terms.front().A, M);
  unsigned Least = ThePlan.MR;
  for (const Plan &Other : ThePlan.Dispatched)
    Least = std::max(Least, Other.MR);
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse());
  Length = B.CreateBinaryIntrinsic(Intrinsic::umax, Length, B.getInt64(1));
  uint64_t Near = ThePlan.FarBytes / 2;
  Value *Fitting = B.CreateUDiv(B.getInt64(Near), Length);
  OfBlock =
      B.CreateBinaryIntrinsic(Intrinsic::umax, Fitting, B.getInt64(2 * Least));
  if (Op.Domain) {
    // Half of the rows is not there.
    Value *IsNear =
        B.CreateICmpULE(B.CreateMul(NumRows, Length), B.getInt64(2 * 4 * Near));
    Value *AreBlocks =
        B.CreateAnd(B.CreateNot(IsNear), hasTriangularBlocks(Op, B, Guard));
    OfBlock = B.CreateSelect(AreBlocks, OfBlock, NumRows);
  }
  First = {B.getInt64(0), countFrom(B, B.getInt64(0))};
}

/// The rows of the block from \p Row on: the last one is longer than others.
Value *RowBlocks::countFrom(IRBuilderBase &B, Value *Row) const {
  Value *Left = B.CreateSub(NumRows, Row);
  Value *IsLast = B.CreateICmpULT(Left, B.CreateShl(OfBlock, 1));
  return B.CreateSelect(IsLast, Left, OfBlock);
}

void RowBlocks::emitCalls(Loop &Rest, const NestAnalyses &Analyses,
                          Value *Own) const {
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
  By.emitCall(B, Own, &Rows);
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
