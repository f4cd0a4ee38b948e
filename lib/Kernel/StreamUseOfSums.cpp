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

using namespace llvm;

namespace tilesmith {

/// \p Column, a vector of y, and what \p Elements of a row make, whose factor has the
/// number \p Factor.
Value *KernelBuilder::StreamKernel::addRowToColumn(const Macro &X,
                                                   Value *Column,
                                                   Value *Elements,
                                                   unsigned Factor) {
  const TransposedUse &Use = *Op.Transposed;
  Value *Scalars = X.Arguments->Scalars;
  return K.emitVectorStep(Use.Of, Use.Update, Scalars, Column,
                          K.elements(Use.Of.AMap, Scalars, VL, Elements),
                          FactorsOfRows[Factor]);
}

/// Adds what the vectors of rows at \p Pointers make to as many columns as steps are made
/// at a time, from \p Step on.
void KernelBuilder::StreamKernel::addToColumns(const Macro &X,
                                               ArrayRef<RowPointers> Pointers,
                                               Value *Step) {
  const Access &C = Op.Transposed->C;
  for (unsigned First = 0; First < ThePlan.NR; First += VL) {
    Value *Place = K.offset(X.Arguments->Transposed.C,
                            B.CreateAdd(Step, K.i64(First)), K.i64(K.Size));
    Value *Column = B.CreateAlignedLoad(VectorTy, Place, C.Alignment, "y");
    for (auto [I, Rows] : enumerate(Pointers))
      for (unsigned Row = 0; Row < VL; ++Row)
        Column = addRowToColumn(
            X, Column, loadPiece(X, /*Term=*/0, Rows.front(), Row, First, VL),
            I * VL + Row);
    B.CreateAlignedStore(Column, Place, C.Alignment);
  }
}

/// Adds what some rows from each of \p Rows on make to all columns from \p Begin on. The
/// last vector of columns is moved up, and those of it that are made already stay.
void KernelBuilder::StreamKernel::addAllToColumns(const Macro &X,
                                                  ArrayRef<Value *> Rows,
                                                  unsigned RowsOfEach,
                                                  Value *Begin) {
  const Access &C = Op.Transposed->C;
  SmallVector<Vectors, 4> Pointers;
  for (Value *Row : Rows)
    Pointers.push_back(pointersTo(X, /*Term=*/0, Row, K.i64(0)));
  K.emitLoop(Begin, X.K, K.i64(VL), "columns", [&](Value *Step) {
    Value *First = K.umin(Step, B.CreateSub(X.K, K.i64(VL)));
    Value *Place = K.offset(X.Arguments->Transposed.C, First, K.i64(K.Size));
    Value *Before = B.CreateAlignedLoad(VectorTy, Place, C.Alignment, "y");
    Value *Column = Before;
    for (auto [I, OfRows] : enumerate(Pointers)) {
      Vectors Here = OfRows;
      for (Value *&Pointer : Here)
        Pointer = K.offset(Pointer, First, X.Terms[0].StrideAk);
      for (unsigned Row = 0; Row < RowsOfEach; ++Row)
        Column = addRowToColumn(
            X, Column, loadPiece(X, /*Term=*/0, Here, Row, /*Step=*/0, VL),
            I * RowsOfEach + Row);
    }
    auto *Places = FixedVectorType::get(B.getInt64Ty(), VL);
    Value *IsNew =
        B.CreateICmpUGE(B.CreateStepVector(Places),
                        B.CreateVectorSplat(VL, B.CreateSub(Step, First)));
    B.CreateAlignedStore(B.CreateSelect(IsNew, Column, Before), Place,
                         C.Alignment);
  });
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
/// before them make to the columns.
void KernelBuilder::StreamKernel::addBesideColumns(const Macro &X,
                                                   ArrayRef<Value *> Rows,
                                                   Value *End, Vectors &Sums) {
  Value *Whole = K.alignDown(End, ThePlan.NR), *Zero = K.i64(0);
  addIf(HasRowsBefore, "before", Sums, [&](Vectors &Added) {
    loadFactorsOfRows(X, RowsBefore, VL);
    emitLoopOverSteps(X, Rows, Zero, Whole, ThePlan.NR, Added);
    addAllToColumns(X, RowsBefore, VL, Whole);
    FactorsOfRows.clear();
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
               Value *Row = B.CreateMul(Vector, K.i64(VL));
               loadFactorsOfRows(X, Row, VL);
               addAllToColumns(X, Row, VL, K.i64(0));
               FactorsOfRows.clear();
             });
}

/// The columns of the rows that fill no vector.
void KernelBuilder::StreamKernel::emitColumnsOfRest(const Macro &X) {
  Value *IsMade = B.CreateIsNotNull(X.Arguments->Transposed.Steps);
  Value *First = B.CreateSelect(IsMade, K.alignDown(X.M, VL), X.M);
  K.emitLoop(First, X.M, K.i64(1), "row", [&](Value *Row) {
    loadFactorsOfRows(X, Row, /*RowsOfEach=*/1);
    addAllToColumns(X, Row, /*RowsOfEach=*/1, K.i64(0));
    FactorsOfRows.clear();
  });
}

} // namespace tilesmith
