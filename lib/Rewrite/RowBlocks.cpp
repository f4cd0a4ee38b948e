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
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

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
      !Source.sumsInnermost() || Source.Root != Source.Loops.front() ||
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
  SmallVector<Instruction *, 2> Writes(Source.RestWrites);
  erase(Writes, Planned.ThePlan.madeOfRest(Op));
  return any_of(Writes, GoesAlongRow) &&
         all_of(Writes, [&](Instruction *Write) {
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
    : Op(Planned.View.Op), By(By), Line(B.getCurrentDebugLocation()),
      NumRows(Guard.extent(M)), NumSteps(Guard.extent(K)) {
  const Plan &ThePlan = Planned.ThePlan;
  Value *AreBlocks = B.getTrue();
  if (Op.Domain) {
    Diagonal = Guard.diagonal();
    AreBlocks = hasTriangularBlocks(Op, B, Guard);
  }
  IsTransposed = ThePlan.allMakeTransposed(Op) && !Op.Transposed->AfterSums;
  if (IsTransposed) {
    makeTransposed(ThePlan, B, AreBlocks);
    return;
  }
  Value *Stride = Guard.stride(Op.Terms.front().A, M);
  unsigned Least = ThePlan.MR;
  for (const Plan &Other : ThePlan.Dispatched)
    Least = std::max(Least, Other.MR);
  Value *Length = B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse());
  Length = B.CreateBinaryIntrinsic(Intrinsic::umax, Length, B.getInt64(1));
  uint64_t Near = ThePlan.FarBytes / 2;
  Value *Fitting = B.CreateUDiv(B.getInt64(Near), Length);
  // The corners of a triangle's blocks take longer than what its cache has no room for.
  OfBlock = B.CreateBinaryIntrinsic(Intrinsic::umax, Fitting,
                                    B.getInt64(Op.Domain ? 2 * Least : Least));
  if (Op.Domain) {
    // Half of the rows is not there.
    Value *IsNear =
        B.CreateICmpULE(B.CreateMul(NumRows, Length), B.getInt64(2 * 4 * Near));
    AreBlocks = B.CreateAnd(B.CreateNot(IsNear), AreBlocks);
    OfBlock = B.CreateSelect(AreBlocks, OfBlock, NumRows);
  }
  First = rangeFrom(B, B.getInt64(0));
}

/// Blocks are vectors of rows, so that none is made twice, and few of them, as what
/// not all rows of a block make is made apart. The first block of a triangle is
/// as long as makes the steps of the others whole ones.
void RowBlocks::makeTransposed(const Plan &ThePlan, IRBuilderBase &B,
                               Value *AreBlocks) {
  constexpr unsigned RowsOfBlock = 32, MinUnits = 7;
  unsigned VL = ThePlan.VL;
  Unit = std::max(VL, ThePlan.NR);
  for (const Plan &Other : ThePlan.Dispatched) {
    VL = std::max(VL, Other.VL);
    Unit = std::max({Unit, Other.VL, Other.NR});
  }
  // The first and the last rows take as long as all of a small triangle gains.
  // (Measured on Zen 4: five or six units are .92 to .95 of one block.)
  if (Op.Domain)
    AreBlocks = B.CreateAnd(
        AreBlocks, B.CreateICmpUGE(NumRows, B.getInt64(MinUnits * Unit)));
  Value *Rows = B.getInt64(std::max(RowsOfBlock, Unit));
  OfBlock = Op.Domain ? B.CreateSelect(AreBlocks, Rows, NumRows) : Rows;
  if (!Op.Domain) {
    First = rangeFrom(B, B.getInt64(0));
    return;
  }
  Value *End = Op.Domain->isFrom() ? B.CreateSub(NumSteps, Diagonal)
                                   : B.CreateNeg(Diagonal);
  Value *More =
      B.CreateAnd(B.CreateSub(End, B.getInt64(VL)), B.getInt64(Unit - 1));
  Value *Count = B.CreateAdd(More, B.getInt64(VL));
  Value *Fits = B.CreateICmpUGT(NumRows, B.CreateAdd(Count, B.getInt64(Unit)));
  Count = B.CreateSelect(B.CreateAnd(AreBlocks, Fits), Count, NumRows);
  First = {B.getInt64(0), Count, B.getInt64(0)};
}

/// The rows of the block from \p Row on: the last one is longer than others, or,
/// with a transposed use, of some more rows than a unit. It is left out of that.
RowRange RowBlocks::rangeFrom(IRBuilderBase &B, Value *Row) const {
  Value *Left = B.CreateSub(NumRows, Row);
  if (!IsTransposed) {
    Value *IsLast = B.CreateICmpULT(Left, B.CreateShl(OfBlock, 1));
    return {Row, B.CreateSelect(IsLast, Left, OfBlock)};
  }
  Value *Kept = B.getInt64(Unit + 1), *Zero = B.getInt64(0);
  Value *Others = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Left, Kept);
  Others = B.CreateAnd(Others, B.getInt64(-int64_t(Unit)));
  Value *IsLast = B.CreateICmpEQ(Others, Zero);
  Value *Count = B.CreateBinaryIntrinsic(Intrinsic::umin, Others, OfBlock);
  Value *Steps = NumSteps;
  if (Op.Domain) {
    Steps = B.CreateAdd(Row, Diagonal);
    if (Op.Domain->isFrom())
      Steps = B.CreateSub(NumSteps, B.CreateAdd(Steps, Count));
  }
  Steps = B.CreateAnd(Steps, B.getInt64(-int64_t(Unit)));
  return {Row, B.CreateSelect(IsLast, Left, Count),
          B.CreateSelect(IsLast, Zero, Steps)};
}

void RowBlocks::emitCalls(Loop &Rest, const NestAnalyses &Analyses,
                          Value *Own) const {
  BasicBlock *Header = Rest.getHeader(), *Latch = Rest.getLoopLatch();
  IRBuilder<> B(Header, Header->begin());
  PHINode *Row = B.CreatePHI(B.getInt64Ty(), 2, "row");
  PHINode *Next = B.CreatePHI(B.getInt64Ty(), 2, "block");
  PHINode *Done = nullptr; // steps of the transposed use
  if (IsTransposed)
    Done = B.CreatePHI(B.getInt64Ty(), 2, "steps");
  PHINode *Begin = nullptr; // of a triangle's block
  if (IsTransposed && Op.Domain)
    Begin = B.CreatePHI(B.getInt64Ty(), 2, "begin");
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
  RowRange Rows = rangeFrom(B, Row);
  if (Begin) {
    // What the rest does in a row may come before the row's steps in the corner, or,
    // if rows begin at the diagonal, behind them.
    RowRange Corner = Rows;
    if (!Op.Domain->isFrom())
      Corner = {Begin, B.CreateSub(Row, Begin), Done};
    Corner.IsCorner = true;
    By.emitCall(B, Own, &Corner);
  }
  By.emitCall(B, Own, &Rows);
  Value *End = B.CreateAdd(Row, Rows.Count);
  if (Latch == Header)
    Latch = Behind;
  B.SetInsertPoint(Latch->getTerminator());
  Value *NextRow = B.CreateNUWAdd(Row, B.getInt64(1));
  B.SetInsertPoint(Behind, Behind->begin());
  // What a value is from here on: of the block before, or of the new one.
  auto Carry = [&](PHINode *Phi, Value *New, Value *OfFirst) {
    PHINode *Either = B.CreatePHI(B.getInt64Ty(), 2, "next." + Phi->getName());
    Either->addIncoming(Phi, Header);
    Either->addIncoming(New, Call->getParent());
    for (BasicBlock *Pred : predecessors(Header))
      Phi->addIncoming(Pred == Latch ? cast<Value>(Either) : OfFirst, Pred);
    return Either;
  };
  Carry(Next, End, First.Count);
  for (BasicBlock *Pred : predecessors(Header))
    Row->addIncoming(Pred == Latch ? NextRow : B.getInt64(0), Pred);
  if (Begin)
    Carry(Begin, Row, B.getInt64(0));
  if (Done)
    cutSteps(**Rest.begin(), Carry(Done, Rows.Transposed, First.Transposed),
             Analyses);
}

/// Lets \p L begin behind its first \p Steps.
static void beginLater(Loop &L, Value *Steps, ScalarEvolution &SE) {
  BasicBlock *Before = L.getLoopPreheader();
  SCEVExpander Expander(SE, "tilesmith.cut");
  SmallVector<std::pair<PHINode *, Value *>, 4> Starts;
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Counter = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    const SCEV *By = SE.getTruncateOrZeroExtend(
        SE.getSCEV(Steps), SE.getEffectiveSCEVType(Phi.getType()));
    Starts.push_back(
        {&Phi, Expander.expandCodeFor(Counter->evaluateAtIteration(By, SE),
                                      Phi.getType(), Before->getTerminator())});
  }
  for (auto [Phi, Start] : Starts)
    Phi->setIncomingValueForBlock(Before, Start);
}

/// Leaves to the loop \p L of the rest, over the steps of a row, what is not made by
/// the kernel: behind its first \p Steps; of a triangle, all of them or none.
void RowBlocks::cutSteps(Loop &L, Value *Steps,
                         const NestAnalyses &Analyses) const {
  if (!L.getLoopPreheader())
    InsertPreheaderForLoop(&L, &Analyses.DT, &Analyses.LI, /*MSSAU=*/nullptr,
                           /*PreserveLCSSA=*/false);
  formDedicatedExitBlocks(&L, &Analyses.DT, &Analyses.LI, /*MSSAU=*/nullptr,
                          /*PreserveLCSSA=*/false);
  BasicBlock *Before = L.getLoopPreheader();
  IRBuilder<> B(Before->getTerminator());
  if (!Op.Domain)
    beginLater(L, Steps, Analyses.SE);
  B.SetInsertPoint(Before->getTerminator());
  BasicBlock *Exit = L.getUniqueExitBlock();
  Value *IsDone =
      Op.Domain ? B.CreateIsNotNull(Steps) : B.CreateICmpEQ(Steps, NumSteps);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(PoisonValue::get(Phi.getType()), Before);
  ReplaceInstWithInst(Before->getTerminator(),
                      BranchInst::Create(Exit, L.getHeader(), IsDone));
  DomTreeUpdater(Analyses.DT, DomTreeUpdater::UpdateStrategy::Eager)
      .applyUpdates({{DominatorTree::Insert, Before, Exit}});
  Analyses.SE.forgetLoop(&L);
}

} // namespace tilesmith
