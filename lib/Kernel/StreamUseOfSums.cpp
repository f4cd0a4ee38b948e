//===- StreamUseOfSums.cpp - a matrix times its sums, transposed ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s[m] = sum over k of a[m][k] * b[k]     y[k] += a[m][k] * s[m]
//
// A row must have come to its end before its sum is used, and then it is read again: a
// panel of rows is small enough to be near. If one came after the other, nothing would
// come from memory meanwhile. So the next panel's sums are made in the same loop:
//
//   for each panel
//     for k by some steps
//       s += a[panel][k ...] * b[k ...]             transposed, as everywhere
//       y[k ...] += a[m][k ...] * s[m]              for each row m of the panel before
//     the sums of the panel are finished
//   y += the rows of the last panel
//
// Each part of y gets the products of the rows in turn, as the nest adds them. It is
// loaded and stored once for a panel.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// \p Column, a vector of y, and what some rows from each of \p Pointers on make there.
Value *KernelBuilder::StreamKernel::addRowsToColumn(const Macro &X,
                                                    Value *Column,
                                                    ArrayRef<Vectors> Pointers,
                                                    unsigned RowsOfEach) {
  const TransposedUse &Use = *Op.Transposed;
  Value *Scalars = X.Arguments->Scalars;
  for (auto [I, Rows] : enumerate(Pointers))
    for (unsigned Row = 0; Row < RowsOfEach; ++Row) {
      Value *Elements = loadPiece(X, /*Term=*/0, Rows, Row, /*Step=*/0, VL);
      Column = K.emitVectorStep(Use.Of, Use.Update, Scalars, Column,
                                K.elements(Use.Of.AMap, Scalars, VL, Elements),
                                FactorsOfRows[I * RowsOfEach + Row]);
    }
  return Column;
}

/// Adds as many steps as are made at a time, from \p Step on, to the vectors that begin at
/// \p Rows, and what the rows before them make to the columns; \p Pointers lead to both.
void KernelBuilder::StreamKernel::addBesideColumns(
    const Macro &X, ArrayRef<Value *> Rows, ArrayRef<RowPointers> Pointers,
    Value *Step, MutableArrayRef<Value *> Sums) {
  const Access &C = Op.Transposed->C;
  for (unsigned First = 0; First < ThePlan.NR; First += VL) {
    SmallVector<RowPointers, 8> Here;
    for (const RowPointers &Of : Pointers)
      Here.push_back(pointersBehind(X, Of, First));
    Value *Own = B.CreateAdd(Step, K.i64(First));
    addSteps(X, Rows, ArrayRef(Here).take_front(Rows.size()), Own, VL, Sums,
             /*Lag=*/nullptr);
    Value *Place = K.offset(X.Arguments->Transposed.C,
                            B.CreateSub(Own, LagOfRowsBefore), K.i64(K.Size));
    Value *Column = B.CreateAlignedLoad(VectorTy, Place, C.Alignment, "y");
    SmallVector<Vectors, 4> Before; // there is one term
    for (const RowPointers &Of : drop_begin(Here, Rows.size()))
      Before.push_back(Of.front());
    Column = addRowsToColumn(X, Column, Before, VL);
    B.CreateAlignedStore(Column, Place, C.Alignment);
  }
}

/// Adds what some rows from each of \p Rows on make to a vector of columns from \p First
/// on; \p Pointers lead to their beginnings. Those in front of \p Begin stay, if given.
void KernelBuilder::StreamKernel::addToColumn(const Macro &X,
                                              ArrayRef<Vectors> Pointers,
                                              unsigned RowsOfEach, Value *First,
                                              Value *Begin) {
  const Access &C = Op.Transposed->C;
  Value *Place = K.offset(X.Arguments->Transposed.C, First, K.i64(K.Size));
  Value *Before = B.CreateAlignedLoad(VectorTy, Place, C.Alignment, "y");
  SmallVector<Vectors, 4> Here(Pointers);
  for (Vectors &OfRows : Here)
    for (Value *&Pointer : OfRows)
      Pointer = K.offset(Pointer, First, X.Terms[0].StrideAk);
  Value *Column = addRowsToColumn(X, Before, Here, RowsOfEach);
  if (Begin) {
    auto *Places = FixedVectorType::get(B.getInt64Ty(), VL);
    Value *IsNew =
        B.CreateICmpUGE(B.CreateStepVector(Places),
                        B.CreateVectorSplat(VL, B.CreateSub(Begin, First)));
    Column = B.CreateSelect(IsNew, Column, Before);
  }
  B.CreateAlignedStore(Column, Place, C.Alignment);
}

/// The same to all columns from \p Begin on. The last vector of columns is moved up. It
/// comes first, as what it stores is not in the way of the next loads then.
void KernelBuilder::StreamKernel::addToColumns(const Macro &X,
                                               ArrayRef<Value *> Rows,
                                               unsigned RowsOfEach,
                                               Value *Begin) {
  loadFactorsOfRows(X, Rows, RowsOfEach);
  SmallVector<Vectors, 4> Pointers;
  for (Value *Row : Rows)
    Pointers.push_back(pointersTo(X, /*Term=*/0, Row, K.i64(0)));
  Value *End = K.alignDown(X.K, VL);
  K.emitIf(B.CreateICmpULT(End, X.K), "last", [&] {
    addToColumn(X, Pointers, RowsOfEach, B.CreateSub(X.K, K.i64(VL)), End);
  });
  K.emitLoop(Begin, End, K.i64(VL), "columns", [&](Value *First) {
    addToColumn(X, Pointers, RowsOfEach, First, /*Begin=*/nullptr);
  });
  FactorsOfRows.clear();
}

/// The rows before those of the \p NumVectors vectors from \p Vector on, in a loop over
/// panels that begins at \p First.
void KernelBuilder::StreamKernel::setRowsBefore(const Macro &X, Value *Vector,
                                                Value *First,
                                                unsigned NumVectors) {
  HasRowsBefore = B.CreateAnd(B.CreateICmpNE(Vector, First),
                              B.CreateIsNotNull(X.Arguments->Transposed.Steps));
  RowsBefore.clear();
  for (unsigned I = 0; I < NumVectors; ++I)
    RowsBefore.push_back(B.CreateMul(
        B.CreateAdd(B.CreateSub(Vector, K.i64(NumVectors)), K.i64(I)),
        K.i64(VL)));
}

/// Adds all steps up to \p End to the vectors that begin at \p Rows, and what the rows
/// before them make to the columns. Where all of these would share places in the
/// first-level cache, the rows before are some lines behind.
void KernelBuilder::StreamKernel::addStepsBesideColumns(const Macro &X,
                                                        ArrayRef<Value *> Rows,
                                                        Value *End,
                                                        Vectors &Sums) {
  constexpr unsigned LinesOfLag = 4;
  Value *Whole = K.alignDown(End, ThePlan.NR), *Zero = K.i64(0);
  addIf(HasRowsBefore, "before", Sums, [&](Vectors &Added) {
    const Vectors Before = std::move(RowsBefore);
    RowsBefore.clear();
    uint64_t Lag = alignTo(LinesOfLag * ThePlan.CacheLine / K.Size, ThePlan.NR);
    LagOfRowsBefore =
        B.CreateSelect(SharePlaces, K.umin(K.i64(Lag), Whole), Zero);
    emitLoopOverSteps(X, Rows, Zero, LagOfRowsBefore, ThePlan.NR, Added);
    RowsBefore = Before;
    loadFactorsOfRows(X, Before, VL);
    emitLoopOverSteps(X, Rows, LagOfRowsBefore, Whole, ThePlan.NR, Added);
    FactorsOfRows.clear();
    addToColumns(X, Before, VL, B.CreateSub(Whole, LagOfRowsBefore));
  });
  RowsBefore.clear();
  addRange(X, Rows, B.CreateSelect(HasRowsBefore, Whole, Zero), End, Sums);
}

/// The columns of the last panel of \p NumVectors vectors of those from \p First on up to
/// \p Until, if there are any. Of a vector that is moved up, rows are not finished yet.
void KernelBuilder::StreamKernel::emitColumnsOfLast(const Macro &X,
                                                    Value *First, Value *Until,
                                                    unsigned NumVectors) {
  Value *End = K.umin(Until, B.CreateUDiv(X.M, K.i64(VL)));
  Value *IsMade = B.CreateAnd(B.CreateICmpNE(Until, First),
                              B.CreateIsNotNull(X.Arguments->Transposed.Steps));
  Value *Last = B.CreateSub(Until, K.i64(NumVectors));
  K.emitLoop(B.CreateSelect(IsMade, Last, End), End, K.i64(1), "last",
             [&](Value *Vector) {
               addToColumns(X, B.CreateMul(Vector, K.i64(VL)), VL, K.i64(0));
             });
}

/// The columns of the rows that fill no vector: of half of one, of a fourth, and so on.
void KernelBuilder::StreamKernel::emitColumnsOfRest(const Macro &X) {
  Value *IsMade = B.CreateIsNotNull(X.Arguments->Transposed.Steps);
  Value *First = K.alignDown(X.M, VL);
  Value *Rest = B.CreateSelect(IsMade, B.CreateSub(X.M, First), K.i64(0));
  for (unsigned Rows = VL / 2; Rows; Rows /= 2) {
    Value *Some = B.CreateAnd(Rest, K.i64(Rows));
    K.emitIf(B.CreateIsNotNull(Some), "rest",
             [&] { addToColumns(X, First, Rows, K.i64(0)); });
    First = B.CreateAdd(First, Some);
  }
}

} // namespace tilesmith
