//===- MicroLoops.cpp - the steps of a register tile ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

/// Column number \p J of the later tile of C that is prefetched. Sums that are
/// kept beside C are in memory as well: before the last block of K only they are,
/// and in that one they are prefetched if \p Sums, where C is in other steps.
Value *TileKernels::laterColumn(const MicroArguments &Arguments, Value *J,
                                Value *Sums) {
  Value *Base = Arguments.C, *Stride = Arguments.StrideCn;
  if (Sums) {
    Base = B.CreateSelect(Sums, Arguments.P, Base);
    Stride = B.CreateSelect(Sums, Arguments.StridePn, Stride);
  }
  return offset(Base, B.CreateAdd(J, Arguments.Ahead), Stride);
}

/// Prefetches a column of a later tile of C. Many prefetches at once are dropped
/// if what is loaded here misses the caches, too, so the loop makes them where
/// it can.
void TileKernels::MicroKernel::prefetchColumn(Value *J, Value *Sums) {
  K.prefetch(K.laterColumn(Arguments, J, Sums), Rows * K.Size,
             K.ThePlan.CacheLine);
}

/// Prefetches one column in each step of the loop: all of them again and again,
/// as that costs less than a test.
void TileKernels::MicroKernel::prefetchInLoop(Value *Step) {
  uint64_t Period = bit_ceil(Columns);
  Value *Sums = nullptr;
  if (!K.SumsInC)
    Sums = B.CreateOr(
        B.CreateNot(Arguments.Last),
        B.CreateAnd(B.CreateNot(Arguments.First),
                    B.CreateIsNull(B.CreateAnd(Step, K.i64(Period)))));
  prefetchColumn(B.CreateAnd(Step, K.i64(Period - 1)), Sums);
}

void TileKernels::MicroKernel::prefetchTile() {
  for (unsigned J = 0; J < Columns; ++J)
    prefetchColumn(K.i64(J));
}

/// Whether A may be read in place from behind L2. Kernels for few rows or columns
/// are not worth the code.
bool TileKernels::MicroKernel::mayReadFar(const Operand &A) const {
  return Kind == MicroKind::Any && Rows == K.ThePlan.MR &&
         Columns > K.ThePlan.NR / 2 && K.mayReadInPlace(A) &&
         K.ThePlan.PackA->SpanAbove != PackingRule::Unlimited;
}

/// Whether what is read in steps of \p Stride bytes comes from behind L2: hardware
/// does not guess where the next column begins. Prefetches of what is nearer cost
/// more than they gain, and so do those that share a few sets of L1.
Value *TileKernels::MicroKernel::isFar(Value *Stride) {
  Value *Span = B.CreateMul(Stride, Arguments.Groups);
  Value *IsLarge = B.CreateICmpUGT(Span, K.i64(2 * K.ThePlan.PackA->SpanAbove));
  return B.CreateAnd(IsLarge, B.CreateNot(K.isMultipleOf(Stride, Page)));
}

/// How far A is prefetched. Steps in place that are whole pages apart share a few sets
/// of L1, of which each prefetch would take a line that is needed. (Zen 4: a layer of
/// 2048 kernels in an image of 7 x 7 is 1.6 times as fast without.)
Value *TileKernels::MicroKernel::distanceAhead(Value *Stride) {
  Value *Ahead = B.CreateMul(Stride, K.i64(stepsAhead()));
  if (!isOfWindows() && !isOfRuns())
    return Ahead;
  return B.CreateSelect(K.isMultipleOf(Stride, Page), K.i64(0), Ahead);
}

/// The factors of term number \p T.
TileKernels::MicroKernel::Stream
TileKernels::MicroKernel::streamOf(unsigned T) {
  const MicroArguments::Factors &Given = Arguments.Terms[T];
  Stream S;
  S.StrideA = Given.StrideAk;
  S.StrideB = Given.StrideBk;
  // As slivers are, so may be what is read in place.
  const Operand &Of = K.Terms[T].B;
  bool IsAdjacent = isPacked() || K.ThePlan.Engine->needsPackedB() ||
                    (!(Kind == MicroKind::Any && K.AreGeneral) &&
                     (Of.X.isUnit(tilesmith::N, K.DL) ||
                      !(isSmall() || isOfWindows() || K.mayReadInPlace(Of))));
  S.LdB = IsAdjacent ? K.i64(1) : elements(Given.StrideBn);
  if (isPacked()) {
    S.StrideA = K.i64(Rows * K.PanelSize);
    S.StrideB = K.i64(Columns * K.PanelSize);
  }
  S.AheadA = distanceAhead(S.StrideA);
  // Other engines take a loop of one block.
  if (K.ThePlan.Engine->HasSumsInVectors && mayReadFar(K.Terms[T].A))
    S.IsFarA = isFar(S.StrideA);
  S.AheadB = B.CreateMul(S.StrideB, K.i64(stepsAhead()));
  return S;
}

void TileKernels::MicroKernel::prefetchA(const Stream &S) {
  K.prefetch(B.CreatePtrAdd(S.PtrA, S.AheadA), Rows * K.PanelSize,
             K.ThePlan.CacheLine);
}

/// To the second-level cache: the line of the next step.
Value *TileKernels::MicroKernel::prefetchLater(Value *Line) {
  K.prefetch(Line, /*Bytes=*/1, K.ThePlan.CacheLine, /*Locality=*/2);
  return B.CreatePtrAdd(Line, Arguments.StrideLater);
}

/// Where the elements of \p Step are in B, as the table tells. There is one term.
Value *TileKernels::MicroKernel::rowOfWindows(Value *Step) {
  return B.CreatePtrAdd(
      Arguments.Terms.front().B,
      K.distanceOfStep(Arguments.Table, Step, K.Terms.front().B));
}

/// The loop over k: the sums after it, in a block of their own.
Value *TileKernels::MicroKernel::emitLoop(Value *Initial, BasicBlock *Loop) {
  SmallVector<Stream, 1> Streams;
  for (unsigned T = 0; T < K.Terms.size(); ++T)
    Streams.push_back(streamOf(T));
  BasicBlock *Entry = B.GetInsertBlock();
  Value *FirstOfB = isOfWindows() ? rowOfWindows(K.i64(0)) : nullptr;
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  PHINode *Step = B.CreatePHI(K.I64, 2, "step");
  PHINode *Sum = B.CreatePHI(TileTy, 2, "sum");
  for (auto [T, S] : zip_equal(Arguments.Terms, Streams)) {
    S.PtrA = B.CreatePHI(K.Ptr, 2, "a.ptr");
    S.PtrA->addIncoming(T.A, Entry);
    S.PtrB = B.CreatePHI(K.Ptr, 2, "b.ptr");
    S.PtrB->addIncoming(FirstOfB ? FirstOfB : T.B, Entry);
  }
  Step->addIncoming(K.i64(0), Entry);
  Sum->addIncoming(Initial, Entry);
  PHINode *Later = nullptr;
  if (K.prefetchesLaterA(Kind)) {
    Later = B.CreatePHI(K.Ptr, 2, "later");
    Later->addIncoming(Arguments.LaterA, Entry);
  }

  for (const Stream &S : Streams)
    if (S.IsFarA)
      K.emitIf(S.IsFarA, "far", [&] { prefetchA(S); });

  SmallVector<Value *, 1> A, BRow;
  for (Stream &S : Streams) {
    A.push_back(loadA(S.PtrA));
    BRow.push_back(loadB(S.PtrB, S.LdB));
    if (isPacked() || prefetchesInPlace())
      prefetchA(S);
    if (Columns * K.PanelSize >= K.ThePlan.CacheLine && isPacked())
      K.prefetch(B.CreatePtrAdd(S.PtrB, S.AheadB), Columns * K.PanelSize,
                 K.ThePlan.CacheLine);
  }
  if (prefetchesInLoop())
    prefetchInLoop(Step);
  Value *NextLater = Later ? prefetchLater(Later) : nullptr;
  auto StepBy = [&](const Expression &Update) {
    return K.emitStep(Update, Arguments.Scalars, Sum, A, BRow, Rows, Columns);
  };
  const bool IsRest = Kind == MicroKind::Rest;
  Value *Next = StepBy(IsRest ? K.Op.Rest->Update : K.Op.Update);
  if (IsRest && K.Op.Rest->Second)
    Next = B.CreateSelect(K.isSecondPart(Rows, Columns),
                          StepBy(*K.Op.Rest->Second), Next);
  if (Kind == MicroKind::Corner)
    Next = B.CreateSelect(K.stepIsMade(Rows, Columns, Step, Arguments.Diagonal),
                          Next, Sum);

  Value *NextStep = B.CreateNUWAdd(Step, K.i64(1));
  BasicBlock *End = B.GetInsertBlock();
  Step->addIncoming(NextStep, End);
  Sum->addIncoming(Next, End);
  if (Later)
    Later->addIncoming(NextLater, End);
  // Of an engine's own tiles, lowering looks at how pointers move.
  const bool Hides = !isSmall() && K.ThePlan.Engine == &getVectorRegisters();
  auto Move = [&](PHINode *Pointer, Value *Stride) {
    Value *Moved = B.CreatePtrAdd(Pointer, Stride);
    Pointer->addIncoming(Hides ? K.hidden(Moved) : Moved, End);
  };
  for (Stream &S : Streams) {
    Move(S.PtrA, S.StrideA);
    // The table is read a step ahead: rows would begin late, or elements be loaded
    // all at once.
    if (isOfWindows())
      S.PtrB->addIncoming(K.hidden(rowOfWindows(NextStep)), End);
    else
      Move(S.PtrB, S.StrideB);
  }
  BasicBlock *Done = block("done");
  BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(NextStep, Arguments.Groups), Loop, Done);
  K.setLoopHints(*Latch, copiesOfLoop());
  B.SetInsertPoint(Done);
  return Next;
}

/// So many steps are made in an iteration.
unsigned TileKernels::MicroKernel::copiesOfLoop() const {
  if (!isPacked() && !isSmall())
    return 1;
  // Some 48 multiply-adds hide the loop's own instructions. More would invite
  // the scheduler to hoist loads until registers spill.
  constexpr unsigned MultiplyAdds = 48;
  const Contraction &Op = K.Op;
  unsigned InStep =
      K.ThePlan.Engine->multiplyAdds({Rows, Columns}, K.ThePlan.VL) *
      K.Terms.size();
  unsigned Copies = std::min(std::max(1u, MultiplyAdds / InStep),
                             K.ThePlan.stepsAtOnce(Op, Rows, Columns));
  if (isPacked())
    return Copies;
  // Straight code beside other tiles would share loads with them, and spill.
  bool IsAlone = Rows == Op.constantExtent(tilesmith::M) &&
                 Columns == Op.constantExtent(tilesmith::N);
  uint64_t Steps = *Op.constantExtent(tilesmith::K);
  uint64_t Rounds = divideCeil(Steps, Copies);
  if (IsAlone && Steps * InStep <= 2 * MultiplyAdds)
    Rounds = 1;
  else if (!IsAlone && Rounds == 1)
    Rounds = 2;
  return divideCeil(Steps, Rounds);
}

} // namespace tilesmith
