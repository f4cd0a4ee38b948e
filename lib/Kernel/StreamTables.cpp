//===- StreamTables.cpp - a table of rows times a vector ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of A is used once, so lines of a table, its rows or its columns,
// are read where they are. As no store to C may change a pointer or a line, the
// pointers are looked through first; the source loads all of them, too.
//
//===----------------------------------------------------------------------===//

#include "ByteRange.h"
#include "StreamKernel.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// The pointer to the first element of line \p Number.
Value *KernelBuilder::StreamKernel::lineOf(const Macro &X, unsigned Term,
                                           Value *Number) {
  const KernelArguments::Operand &Table = X.Arguments->a(Term);
  Value *Entry = K.offset(Table.Entry, Number, Table.Distance);
  Align Alignment = Op.Terms[Term].A.Rows->EntryAlignment;
  return B.CreatePtrAdd(B.CreateAlignedLoad(K.Ptr, Entry, Alignment, "line"),
                        Table.Offset);
}

/// Takes rows to be as far apart as the first two are. Only what caches do
/// depends on that.
void KernelBuilder::StreamKernel::estimateStride(Macro &X, unsigned Term) {
  if (!isAlongK(Term))
    return;
  Value *First = lineOf(X, Term, K.i64(0)), *Second = lineOf(X, Term, K.i64(1));
  X.Terms[Term].StrideAm = B.CreateSub(B.CreatePtrToInt(Second, K.I64),
                                       B.CreatePtrToInt(First, K.I64));
}

/// Whether no element of C is in a pointer, where C is among the pointers of a table: both
/// are members of structures in one array.
Value *KernelBuilder::StreamKernel::isBetweenPointers(const Macro &X,
                                                      unsigned Term) {
  const RowTable &Rows = *Op.Terms[Term].A.Rows;
  uint64_t OfPointer = K.DL.getTypeStoreSize(K.Ptr), OfElement = sizeOf(Op.C);
  auto *Size = dyn_cast<SCEVConstant>(Rows.Distance);
  if (!Size || Rows.PointerDim != tilesmith::M ||
      Op.C.Stride[tilesmith::M] != Size ||
      Size->getAPInt().slt(OfPointer + OfElement))
    return B.getFalse();
  Value *Distance = K.i64(Size->getAPInt().getZExtValue());
  Value *Entry = X.Arguments->a(Term).Entry;
  Value *Place = B.CreateSRem(
      B.CreateSub(B.CreatePtrToInt(X.C, K.I64), B.CreatePtrToInt(Entry, K.I64)),
      Distance);
  Place =
      B.CreateSelect(B.CreateIsNeg(Place), B.CreateAdd(Place, Distance), Place);
  Value *End = B.CreateAdd(Place, K.i64(OfElement));
  return B.CreateAnd(B.CreateICmpUGE(Place, K.i64(OfPointer)),
                     B.CreateICmpULE(End, Distance));
}

/// Goes to \p Leave if C, or what else the nest stores, overlaps the table, or a line of
/// it.
void KernelBuilder::StreamKernel::emitWhereTableMeetsC(const Macro &X,
                                                       unsigned Term,
                                                       BasicBlock *Leave) {
  const Access &A = Op.Terms[Term].A;
  const KernelArguments::Operand &Table = X.Arguments->a(Term);
  auto Extent = [&](Dim D) { return D == tilesmith::M ? X.M : X.K; };
  Value *Count = Extent(A.Rows->PointerDim);
  auto Taken = [&](Value *Step, Value *Count, uint64_t Size) {
    return spanned(B, B.CreateMul(Step, B.CreateSub(Count, K.i64(1))), Size);
  };
  auto At = [&](Bytes Of, Value *Base) {
    return moved(B, Of, B.CreatePtrToInt(Base, K.I64));
  };
  Bytes OfC = At(Taken(X.StrideCm, X.M, sizeOf(Op.C)), X.C);
  Bytes OfTable = K.bytesOfTable(A, Table, Count);
  Value *AreMixed = overlap(B, OfC, OfTable);
  K.leaveIf(B.CreateAnd(AreMixed, B.CreateNot(isBetweenPointers(X, Term))),
            Leave);
  SmallVector<Bytes, 2> Stored{OfC};
  for (auto [Pair, Where] :
       zip_equal(K.View.apartFromRows(), X.Arguments->Apart))
    if (Pair->Operand == 1 + 2 * Term) {
      K.leaveIf(overlap(B, Where, OfTable), Leave);
      Stored.push_back(Where);
    }
  Bytes OfLine = Taken(Table.Step, Extent(A.Rows->ElementDim), sizeOf(A));
  K.emitLoop(K.i64(0), Count, K.i64(1), "lines", [&](Value *Number) {
    K.leaveIfShort(Number, A, Table, Leave);
    Bytes Line = At(OfLine, lineOf(X, Term, Number));
    for (Bytes Where : Stored)
      K.leaveIf(overlap(B, Where, Line), Leave);
  });
}

} // namespace tilesmith
