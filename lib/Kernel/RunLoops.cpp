//===- RunLoops.cpp - the steps of a register tile, run by run ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All steps of a run are on one side of the borders of an image, column by column:
// which are inside, and where they are, is in the run's entry (InPlaceWindows.cpp).
// If the nest leaves out steps beyond a border, so does the micro kernel where it
// can: a run of which no column is inside; and those of the first column, or of the
// last one, if all others are. Elsewhere, it takes zeros.
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

/// Where the columns' elements are in the steps of \p Run: zeros beyond a border.
TileKernels::MicroKernel::ColumnsOfRun
TileKernels::MicroKernel::columnsOfRun(Value *Run) {
  auto Field = [&](Type *Ty, uint64_t At) {
    return B.CreateAlignedLoad(Ty, B.CreatePtrAdd(Run, K.i64(At)), Align(8));
  };
  ColumnsOfRun Result;
  const uint64_t First = K.insideOfRun();
  for (unsigned J = 0; J < Columns; ++J)
    Result.Elements.push_back(Field(K.Ptr, First + 8 * (J + 1)));
  if (K.leavesOutRuns())
    Result.Inside = B.CreateAnd(Field(K.I64, First),
                                K.i64(maskTrailingOnes<uint64_t>(Columns)));
  return Result;
}

/// The loop over the steps of a run, of all columns but number \p Without: the
/// sums after it. It ends in \p Next.
Value *TileKernels::MicroKernel::emitStepsOfRun(const RunUnderWay &Run,
                                                std::optional<unsigned> Without,
                                                ArrayRef<BasicBlock *> Before,
                                                BasicBlock *StepBB,
                                                BasicBlock *NextBB) {
  const MicroArguments::Factors &T = Arguments.Terms.front();
  B.SetInsertPoint(StepBB);
  PHINode *Step = B.CreatePHI(K.I64, 2, "step");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum");
  PHINode *PtrA = B.CreatePHI(K.Ptr, 2, "a.ptr");
  PHINode *Later = Run.Later ? B.CreatePHI(K.Ptr, 2, "later") : nullptr;
  PHINode *Source = Run.Source ? B.CreatePHI(K.Ptr, 2, "source") : nullptr;
  Value *A = Source ? packGroup(PtrA, Source) : loadA(PtrA);
  Value *BRow = PoisonValue::get(FixedVectorType::get(K.PanelTy, Columns));
  for (auto [J, From] : enumerate(Run.Columns.Elements))
    BRow = B.CreateInsertElement(BRow,
                                 B.CreateAlignedLoad(K.PanelTy,
                                                     K.element(From, Step),
                                                     alignmentInPlace()),
                                 J);
  Value *NextLater = Later ? prefetchLater(Later) : nullptr;
  if (!Source && prefetchesInPlace())
    K.prefetch(B.CreatePtrAdd(PtrA, distanceAhead(T.StrideAk)),
               Rows * K.PanelSize, K.ThePlan.CacheLine);
  if (prefetchesInLoop())
    prefetchInLoop(Step);
  Value *Next =
      K.emitStep(K.Op.Update, Arguments.Scalars, Sum, A, BRow, Rows, Columns);
  if (Without)
    Next = B.CreateSelect(elementsWithout(*Without), Next, Sum);
  Value *NextA = B.CreatePtrAdd(PtrA, T.StrideAk);
  Value *NextSource = Source ? nextSource(Source, K.i64(1)) : nullptr;
  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  K.setLoopHints(
      *B.CreateCondBr(B.CreateICmpULT(NextStep, Run.Length), StepBB, NextBB),
      1);
  for (auto [Phi, First, Then] : {std::tuple(Step, (Value *)K.i64(0), NextStep),
                                  {Sum, Run.Sum, Next},
                                  {PtrA, Run.A, NextA},
                                  {Later, Run.Later, NextLater},
                                  {Source, Run.Source, NextSource}}) {
    if (!Phi)
      continue;
    for (BasicBlock *From : Before)
      Phi->addIncoming(First, From);
    Phi->addIncoming(Then, StepBB);
  }
  return Next;
}

/// Whether an element of the tile is of another column than \p Without.
Value *TileKernels::MicroKernel::elementsWithout(unsigned Without) {
  SmallVector<Constant *, 64> Is;
  for (unsigned J = 0; J < Columns; ++J)
    Is.append(Rows, B.getInt1(J != Without));
  return ConstantVector::get(Is);
}

/// Packs the rows of A at \p From, of a group of steps, and has them.
Value *TileKernels::MicroKernel::packGroup(Value *To, Value *From) {
  const Operand &A = K.Terms.front().A;
  const unsigned Width = K.ThePlan.VL;
  const uint64_t Bytes = K.DL.getTypeStoreSize(A.X.ElemTy);
  auto *Ty = FixedVectorType::get(A.X.ElemTy, Width);
  SmallVector<Value *, 4> Registers;
  for (unsigned I = 0; I < Rows; I += Width) {
    Value *Row = B.CreatePtrAdd(From, K.i64(I * Bytes));
    SmallVector<Value *, 4> Steps;
    for (unsigned Step = 0; Step < K.groupSteps(); ++Step) {
      Value *V = B.CreateAlignedLoad(Ty, Row, A.X.Alignment);
      Steps.push_back(K.mapped(A, Arguments.Scalars, V, Width));
      Row = B.CreatePtrAdd(Row, Arguments.StrideSource);
    }
    Registers.push_back(K.joinedSteps(Steps, Width));
    B.CreateAlignedStore(Registers.back(),
                         B.CreatePtrAdd(To, K.i64(I * K.PanelSize)),
                         Align(K.PanelSize));
  }
  return concatenateVectors(B, Registers);
}

/// Where A comes from, \p Groups of steps behind \p Source.
Value *TileKernels::MicroKernel::nextSource(Value *Source, Value *Groups) {
  return K.offset(Source, B.CreateMul(Groups, K.i64(K.groupSteps())),
                  Arguments.StrideSource);
}

/// The loop over the steps of a run that is left out here, and of which others
/// need A: goes from \p Before to \p NextBB.
void TileKernels::MicroKernel::emitPackingOfRun(const RunUnderWay &Run,
                                                BasicBlock *Before,
                                                BasicBlock *StepBB,
                                                BasicBlock *NextBB) {
  B.SetInsertPoint(StepBB);
  PHINode *Step = B.CreatePHI(K.I64, 2, "step");
  PHINode *To = B.CreatePHI(K.Ptr, 2, "a.ptr");
  PHINode *Source = B.CreatePHI(K.Ptr, 2, "source");
  packGroup(To, Source);
  Value *NextTo = B.CreatePtrAdd(To, Arguments.Terms.front().StrideAk);
  Value *NextFrom = nextSource(Source, K.i64(1));
  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  K.setLoopHints(
      *B.CreateCondBr(B.CreateICmpULT(NextStep, Run.Length), StepBB, NextBB),
      1);
  for (auto [Phi, First, Then] : {std::tuple(Step, (Value *)K.i64(0), NextStep),
                                  {To, Run.A, NextTo},
                                  {Source, Run.Source, NextFrom}}) {
    Phi->addIncoming(First, Before);
    Phi->addIncoming(Then, StepBB);
  }
}

/// The loops over the steps of a run: the sums after it, in \p NextBB.
Value *TileKernels::MicroKernel::emitRun(const RunUnderWay &Run,
                                         BasicBlock *NextBB) {
  struct Loop {
    std::optional<unsigned> Without;
    SmallVector<BasicBlock *, 2> Before;
    BasicBlock *Steps;
  };
  Loop All{std::nullopt, {}, block("run.step", NextBB)};
  SmallVector<Loop, 3> Loops;
  SmallVector<BasicBlock *, 1> Skips;
  /// Whether all columns but those of \p Bits are inside.
  auto IsInside = [&](uint64_t Bits) {
    Value *Inside = B.CreateOr(Run.Columns.Inside, K.i64(Bits));
    return B.CreateICmpEQ(Inside, K.i64(maskTrailingOnes<uint64_t>(Columns)));
  };
  /// Goes to \p To if \p Condition is true.
  auto Branch = [&](Value *Condition, BasicBlock *To,
                    SmallVectorImpl<BasicBlock *> &Before) {
    BasicBlock *Else = block("run.else", All.Steps);
    Before.push_back(B.GetInsertBlock());
    B.CreateCondBr(Condition, To, Else);
    B.SetInsertPoint(Else);
  };
  if (K.leavesOutRuns()) {
    Branch(IsInside(0), All.Steps, All.Before);
    BasicBlock *Skip = Run.Source ? block("run.pack", NextBB) : NextBB;
    Branch(B.CreateIsNull(Run.Columns.Inside), Skip, Skips);
    if (Run.Source) {
      BasicBlock *Else = B.GetInsertBlock();
      emitPackingOfRun(Run, Skips.front(), Skip, NextBB);
      Skips.front() = Skip;
      B.SetInsertPoint(Else);
    }
  }
  // One register of rows is seldom worth the code.
  if (K.leavesOutColumns() && Columns > 1 && Rows > K.ThePlan.VL)
    for (unsigned Without : {0u, Columns - 1}) {
      Loop &L =
          Loops.emplace_back(Loop{Without, {}, block("run.step", NextBB)});
      Branch(IsInside(uint64_t(1) << Without), L.Steps, L.Before);
    }
  All.Before.push_back(B.GetInsertBlock());
  B.CreateBr(All.Steps);
  Loops.push_back(All);
  SmallVector<std::pair<Value *, BasicBlock *>, 4> Sums;
  for (BasicBlock *Skip : Skips)
    Sums.push_back({Run.Sum, Skip});
  for (const Loop &L : Loops)
    Sums.push_back(
        {emitStepsOfRun(Run, L.Without, L.Before, L.Steps, NextBB), L.Steps});
  B.SetInsertPoint(NextBB);
  PHINode *Sum = B.CreatePHI(TileTy, Sums.size(), "sum.next");
  for (auto [V, From] : Sums)
    Sum->addIncoming(V, From);
  return Sum;
}

/// The loops over runs and over the steps of each: the sums after them. There is
/// one term.
Value *TileKernels::MicroKernel::emitRuns(Value *Initial, BasicBlock *Loop) {
  const MicroArguments::Factors &T = Arguments.Terms.front();
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *NextBB = block("run.next");
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Number = B.CreatePHI(K.I64, 2, "run");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum.runs");
  PHINode *A = B.CreatePHI(K.Ptr, 2, "a.run");
  PHINode *Later =
      K.prefetchesLaterA(Kind) ? B.CreatePHI(K.Ptr, 2, "later.run") : nullptr;
  PHINode *Source =
      packsPanel() ? B.CreatePHI(K.Ptr, 2, "source.run") : nullptr;
  Value *Run = K.offset(Arguments.Runs, Number, K.i64(K.bytesOfRun()));
  Value *Length = B.CreateAlignedLoad(K.I64, Run, Align(8), "length");
  Value *Next =
      emitRun({A, Sum, Length, Later, Source, columnsOfRun(Run)}, NextBB);
  Value *NextA = K.offset(A, Length, T.StrideAk);
  Value *NextLater =
      Later ? K.offset(Later, Length, Arguments.StrideLater) : nullptr;
  Value *NextFrom = Source ? nextSource(Source, Length) : nullptr;
  Value *NextNumber = B.CreateNUWAdd(Number, K.i64(1));
  BasicBlock *Done = block("done");
  K.setLoopHints(*B.CreateCondBr(B.CreateICmpULT(NextNumber, Arguments.NumRuns),
                                 Loop, Done),
                 1);
  for (auto [Phi, First, Then] :
       {std::tuple(Number, (Value *)K.i64(0), NextNumber),
        {Sum, Initial, Next},
        {A, T.A, NextA},
        {Later, Arguments.LaterA, NextLater},
        {Source, Arguments.SourceA, NextFrom}}) {
    if (!Phi)
      continue;
    Phi->addIncoming(First, Entry);
    Phi->addIncoming(Then, NextBB);
  }
  B.SetInsertPoint(Done);
  return Next;
}

} // namespace tilesmith
