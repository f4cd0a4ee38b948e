//===- CornerLoops.cpp - the steps of a tile at the diagonal --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a row bounds k, the diagonal cuts one register of rows in a step; others
// make the step as a whole, or not at all. So the steps of a corner are made by a
// loop for each register that is cut. With registers of 4 rows, o being elements
// that are asked whether they make the step, and x others that make it:
//
//   step    0 1 2 3   4 5 6 7   8 9 ...      steps from the diagonal on
//   rows    o o o o   x x x x   x x
//           . . . .   o o o o   x x
//           . . . .   . . . .   o o
//
// To select elements of a constant mask costs nothing: what is not selected is
// not computed.
//
//===----------------------------------------------------------------------===//

#include "MicroKernel.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

/// Whether the steps of a corner are made register by register. That is not worth
/// the code for narrow tiles.
bool TileKernels::MicroKernel::cutsCorner() const {
  return Kind == MicroKind::Corner && K.BoundOfK == tilesmith::M &&
         Rows > K.ThePlan.VL && Rows % K.ThePlan.VL == 0 &&
         Columns > K.ThePlan.NR / 2 && !K.ThePlan.IsCompact &&
         !K.ThePlan.Narrow && K.ThePlan.Engine == &getVectorRegisters();
}

/// Whether an element of the tile is in one of the registers \p First to \p Last.
Constant *TileKernels::MicroKernel::elementsOf(unsigned First,
                                               unsigned Last) const {
  SmallVector<Constant *, 64> Are;
  for (unsigned I = 0; I < Rows * Columns; ++I) {
    unsigned Register = I % Rows / K.ThePlan.VL;
    Are.push_back(B.getInt1(First <= Register && Register <= Last));
  }
  return ConstantVector::get(Are);
}

/// The step behind those in which the diagonal cuts register \p Cut. Of rows that
/// are flipped, the last register is the first one.
Value *TileKernels::MicroKernel::endOfCut(unsigned Cut) {
  int64_t Places = K.ThePlan.VL / K.Op.Domain->elementsPerPlace(tilesmith::M);
  int64_t Distance =
      K.FlipsRows ? 1 - Places * int64_t(Cut) : Places * int64_t(Cut + 1);
  return K.clamp(B.CreateAdd(Arguments.Diagonal, K.i64(Distance)),
                 Arguments.Groups);
}

/// The sums with step \p Now made, in which the diagonal cuts register \p Cut.
Value *TileKernels::MicroKernel::emitStepOfCorner(ArrayRef<Stream> Streams,
                                                  const CornerStep &Now,
                                                  unsigned Cut) {
  SmallVector<Value *, 1> A, BRow;
  for (auto [T, S] : enumerate(Streams)) {
    A.push_back(loadA(Now.A[T]));
    BRow.push_back(loadB(Now.B[T], S.LdB));
  }
  Value *Next = K.emitStep(K.Op.Update, Arguments.Scalars, Now.Sum, A, BRow,
                           Rows, Columns);
  // Those that make steps from the diagonal on are in front of it, and those that
  // make steps to there behind it.
  bool AreBefore = (K.Made == Steps::From) != K.FlipsRows;
  unsigned Last = Rows / K.ThePlan.VL - 1;
  Next = B.CreateSelect(AreBefore ? elementsOf(0, Cut) : elementsOf(Cut, Last),
                        Next, Now.Sum);
  Value *Cuts = K.stepIsMade(Rows, Columns, Now.Step, Arguments.Diagonal);
  Value *IsOther = ConstantExpr::getNot(elementsOf(Cut, Cut));
  return B.CreateSelect(B.CreateOr(Cuts, IsOther), Next, Now.Sum);
}

/// The loop over the steps in which the diagonal cuts register \p Cut, from
/// \p From on: what is behind it.
TileKernels::MicroKernel::CornerStep
TileKernels::MicroKernel::emitCut(ArrayRef<Stream> Streams,
                                  const CornerStep &From, unsigned Cut,
                                  Value *End) {
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *LoopBB = block("cut"), *NextBB = block("cut.next");
  B.CreateCondBr(B.CreateICmpULT(From.Step, End), LoopBB, NextBB);
  B.SetInsertPoint(LoopBB);
  auto Phi = [&](Value *Initial) {
    PHINode *P = B.CreatePHI(Initial->getType(), 2);
    P->addIncoming(Initial, Entry);
    return P;
  };
  CornerStep Now{Phi(From.Step), Phi(From.Sum), {}, {}};
  for (Value *A : From.A)
    Now.A.push_back(Phi(A));
  for (Value *Of : From.B)
    Now.B.push_back(Phi(Of));
  CornerStep Next{nullptr, emitStepOfCorner(Streams, Now, Cut), {}, {}};
  Next.Step = B.CreateNUWAdd(Now.Step, K.i64(1));
  for (auto [T, S] : enumerate(Streams)) {
    Next.A.push_back(K.hidden(B.CreatePtrAdd(Now.A[T], S.StrideA)));
    Next.B.push_back(K.hidden(B.CreatePtrAdd(Now.B[T], S.StrideB)));
  }
  K.setLoopHints(
      *B.CreateCondBr(B.CreateICmpULT(Next.Step, End), LoopBB, NextBB), 1);
  B.SetInsertPoint(NextBB);
  auto Close = [&](Value *First, Value *Start, Value *Then) -> Value * {
    cast<PHINode>(First)->addIncoming(Then, LoopBB);
    PHINode *P = B.CreatePHI(Then->getType(), 2);
    P->addIncoming(Start, Entry);
    P->addIncoming(Then, LoopBB);
    return P;
  };
  CornerStep After{Close(Now.Step, From.Step, Next.Step),
                   Close(Now.Sum, From.Sum, Next.Sum),
                   {},
                   {}};
  for (unsigned T = 0; T < Streams.size(); ++T) {
    After.A.push_back(Close(Now.A[T], From.A[T], Next.A[T]));
    After.B.push_back(Close(Now.B[T], From.B[T], Next.B[T]));
  }
  return After;
}

/// The loops over the steps of a corner, register by register: the sums after
/// them.
Value *TileKernels::MicroKernel::emitCorner(Value *Initial, BasicBlock *Loop) {
  SmallVector<Stream, 1> Streams;
  CornerStep Now{K.i64(0), Initial, {}, {}};
  for (auto [T, Factors] : enumerate(Arguments.Terms)) {
    Streams.push_back(streamOf(T));
    Now.A.push_back(Factors.A);
    Now.B.push_back(Factors.B);
  }
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  unsigned Registers = Rows / K.ThePlan.VL;
  for (unsigned I = 0; I < Registers; ++I) {
    unsigned Cut = K.FlipsRows ? Registers - 1 - I : I;
    // The last one has what is left: none, or others that all make, or nobody.
    Value *End = I + 1 == Registers ? Arguments.Groups : endOfCut(Cut);
    Now = emitCut(Streams, Now, Cut, End);
  }
  return Now.Sum;
}

} // namespace tilesmith
