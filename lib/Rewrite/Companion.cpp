//===- Companion.cpp - a matrix beside that of the steps ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (D[i][k] + D[k][j] < D[i][j]) {
//     D[i][j] = D[i][k] + D[k][j];
//     P[i][j] = P[k][j];                    (or P[i][k], or k)
//   }
//
// Nothing is read of P to compute D, so it is enough to note which step of a block
// was the last one to store D[i][j]; what that stored in P follows once all steps of
// the block are made. Step k does not change row k of P, which it stores in itself (nor
// column k). But later steps do, so what they store in lines of the block whose own step has
// been made is noted as well, until nothing needs the lines as they were.
//
// So P is read and stored where the source does, and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "Companion.h"

using namespace llvm;

namespace tilesmith {

CompanionBlocks::CompanionBlocks(const SquareSteps &Of, StepLoops &Loops)
    : Of(Of), Loops(Loops), B(Loops.B) {
  const DataLayout &DL = Of.Store->getDataLayout();
  Type *ElemTy = Of.Store->getValueOperand()->getType();
  // As wide as elements: both are compared and chosen in the same vectors.
  NoteBytes = DL.getTypeStoreSize(ElemTy);
  NoteTy = B.getIntNTy(8 * NoteBytes);
}

Value *CompanionBlocks::memory(int64_t BlockSize) {
  return B.CreateMul(Of.Size, Loops.i64((BlockSize + 1) * NoteBytes));
}

void CompanionBlocks::setMemory(Value *V, int64_t Steps) {
  BlockSize = Steps;
  RowNotes = V;
  LineNotes = B.CreatePtrAdd(V, B.CreateMul(Of.Size, Loops.i64(NoteBytes)));
}

Notes CompanionBlocks::ofLines(Value *First) {
  if (kind() == Companion::OfColumn)
    return {LineNotes, Loops.i64(0), First, Loops.i64(BlockSize)};
  return {LineNotes, First, Loops.i64(0), Of.Size};
}

Notes CompanionBlocks::ofRow(Value *I) {
  return {RowNotes, I, Loops.i64(0), Of.Size};
}

Value *CompanionBlocks::isApart() {
  const Companion &P = *Of.Beside;
  auto BytesOf = [](const StoreInst &Store) {
    return Store.getDataLayout().getTypeStoreSize(
        Store.getValueOperand()->getType());
  };
  Value *Last = B.CreateSub(Of.Size, Loops.i64(1));
  auto End = [&](Value *Begin, Value *Row, Value *Column, int64_t Bytes) {
    Value *ToLast = B.CreateMul(Last, B.CreateAdd(Row, Column));
    return B.CreateAdd(Begin, B.CreateAdd(ToLast, Loops.i64(Bytes)));
  };
  int64_t BytesOfP = BytesOf(*P.Store);
  Value *OfD = B.CreatePtrToInt(Of.Base, B.getInt64Ty()),
        *OfP = B.CreatePtrToInt(P.Base, B.getInt64Ty());
  Value *EndOfD = End(OfD, Of.RowStride, Of.ColumnStride, BytesOf(*Of.Store));
  Value *EndOfP = End(OfP, P.RowStride, P.ColumnStride, BytesOfP);
  Value *IsElsewhere =
      B.CreateOr(B.CreateICmpULE(EndOfD, OfP), B.CreateICmpULE(EndOfP, OfD));
  return B.CreateAnd(
      Loops.areDistinct(P.RowStride, P.ColumnStride, Of.Size, BytesOfP),
      IsElsewhere);
}

Value *CompanionBlocks::addressOf(const Notes &In, Value *I, Value *J) {
  Value *Row = B.CreateMul(B.CreateSub(I, In.FirstRow), In.RowLength);
  Value *Index = B.CreateAdd(Row, B.CreateSub(J, In.FirstColumn));
  return B.CreateGEP(NoteTy, In.Base, Index);
}

Value *CompanionBlocks::load(const Notes &In, Value *I, Value *J) {
  return B.CreateLoad(NoteTy, addressOf(In, I, J));
}

void CompanionBlocks::store(const Notes &In, Value *I, Value *J, Value *V) {
  B.CreateStore(V, addressOf(In, I, J));
}

void CompanionBlocks::clear(const Notes &In, Range Rows, Range Columns) {
  Value *Length = B.CreateMul(B.CreateSub(Columns.End, Columns.Begin),
                              Loops.i64(NoteBytes));
  Loops.emitLoop(Rows.Begin, Rows.End, [&](Value *I) {
    B.CreateMemSet(addressOf(In, I, Columns.Begin), B.getInt8(0), Length,
                   Align(NoteBytes));
  });
}

Value *CompanionBlocks::address(Value *I, Value *J) {
  const Companion &P = *Of.Beside;
  return B.CreatePtrAdd(B.CreatePtrAdd(P.Base, B.CreateMul(I, P.RowStride)),
                        B.CreateMul(J, P.ColumnStride));
}

void CompanionBlocks::storeBeside(Value *K, Value *I, Value *J) {
  const Companion &P = *Of.Beside;
  Type *Ty = P.Store->getValueOperand()->getType();
  Value *V;
  if (P.Kind == Companion::OfStep) {
    V = B.CreateAdd(P.First, B.CreateMul(B.CreateZExtOrTrunc(K, Ty), P.Next));
  } else {
    bool IsOfRow = P.Kind == Companion::OfRow;
    LoadInst *Load = B.CreateAlignedLoad(
        Ty, address(IsOfRow ? K : I, IsOfRow ? J : K), P.Load->getAlign());
    Load->setAAMetadata(P.Load->getAAMetadata());
    V = Load;
  }
  StoreInst *Store =
      B.CreateAlignedStore(V, address(I, J), P.Store->getAlign());
  Store->setAAMetadata(P.Store->getAAMetadata());
}

void CompanionBlocks::storeNoted(const Notes &In, Value *First, Range Rows,
                                 Range Columns, Iterations OfColumns) {
  Loops.emitLoop(Rows.Begin, Rows.End, [&](Value *I) {
    auto StoreAt = [&](Value *J) {
      Value *Note = load(In, I, J);
      Instruction *Here = &*B.GetInsertPoint();
      Loops.moveTo(Loops.emitIf(B.CreateIsNotNull(Note)));
      Value *Step = B.CreateZExtOrTrunc(Note, B.getInt64Ty());
      storeBeside(B.CreateAdd(First, B.CreateSub(Step, Loops.i64(1))), I, J);
      Loops.moveTo(Here);
    };
    Loops.emitLoop(Columns.Begin, Columns.End, StoreAt, 1, OfColumns);
  });
}

} // namespace tilesmith
