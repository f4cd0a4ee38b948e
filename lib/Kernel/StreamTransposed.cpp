//===- StreamTransposed.cpp - a matrix that is used in both directions ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s[m] += a[m][k] * b[k]     y[k] += a[m][k] * t[m]
//
// Where a panel of rows makes some steps, what is loaded of a row, as it lies, is added
// to a part of y, and then brought to columns. Each part of y gets the products of the
// rows in turn, as the nest adds them:
//
//   for k by some steps
//     for each vector of rows of the panel
//       y[k ...] = y[k ...] + a[m][k ...] * t[m]     for each row m of the vector
//       the square of these rows is transposed, and added to s
//
// Two steps apart, products and sums would be long chains of additions, one
// after the other (Zen 4, rows of 240 doubles: 46 GB/s instead of 59).
//
// Only whole steps of whole vectors of rows are made so. The corner of a triangle, of
// which rows make different steps, is made apart: the rest of the nest may have to come
// to the end of these rows first.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

using namespace llvm;

namespace tilesmith {

/// What a row is multiplied by: an element of a vector, or the row's sum.
Value *KernelBuilder::StreamKernel::factorOfRow(const Macro &X, Value *Row) {
  const auto &At = X.Arguments->Transposed;
  if (Op.Transposed->AfterSums)
    return loadC(X, Row, /*Rows=*/0);
  const Access &Of = Op.Transposed->Of.B;
  return B.CreateAlignedLoad(Of.ElemTy, K.offset(At.B, Row, At.StrideB),
                             Of.Alignment, "factor");
}

/// The factors of some rows from each of \p Rows on, with the arithmetic that the source
/// does on them, each in all lanes.
void KernelBuilder::StreamKernel::loadFactorsOfRows(const Macro &X,
                                                    ArrayRef<Value *> Rows,
                                                    unsigned RowsOfEach) {
  for (Value *First : Rows)
    for (unsigned I = 0; I < RowsOfEach; ++I) {
      Value *Factor = factorOfRow(X, B.CreateAdd(First, K.i64(I)));
      Factor = K.elements(Op.Transposed->Of.BMap, X.Arguments->Scalars,
                          /*Width=*/0, Factor);
      FactorsOfRows.push_back(B.CreateVectorSplat(VL, Factor));
    }
}

/// Adds as many steps as are made at a time, from \p Step on, to the sums of the vectors
/// that begin at \p Rows, and what these rows make to the columns; the second half of the
/// vectors \p Lag steps behind, if that is given. What is loaded of rows serves both.
void KernelBuilder::StreamKernel::addBothWays(
    const Macro &X, ArrayRef<Value *> Rows, ArrayRef<RowPointers> Pointers,
    Value *Step, MutableArrayRef<Value *> Sums, Value *Lag) {
  const TransposedUse &Use = *Op.Transposed;
  const auto &At = X.Arguments->Transposed;
  unsigned Half = Lag ? vectorsInStep(Rows.size()) : Rows.size();
  for (unsigned First = 0; First < ThePlan.NR; First += VL)
    for (unsigned Begin = 0; Begin < Rows.size(); Begin += Half) {
      Value *Own =
          behind(B.CreateAdd(Step, K.i64(First)), Begin, Rows.size(), Lag);
      Value *Place = K.offset(At.C, Own, K.i64(K.Size));
      Value *Column =
          B.CreateAlignedLoad(VectorTy, Place, Use.C.Alignment, "y");
      for (unsigned I = Begin; I < Begin + Half; ++I) {
        // There is one term.
        const Vectors From = pointersBehind(X, Pointers[I], First).front();
        Vectors Loaded;
        Columns OfA{columnsOfRows(X, /*Term=*/0, VL, [&](unsigned Row) {
          return Loaded.emplace_back(
              loadPiece(X, /*Term=*/0, From, Row, /*Step=*/0, VL));
        })};
        for (unsigned Row = 0; Row < VL; ++Row)
          Column = K.emitVectorStep(
              Use.Of, Use.Update, X.Arguments->Scalars, Column,
              K.elements(Use.Of.AMap, X.Arguments->Scalars, VL, Loaded[Row]),
              FactorsOfRows[I * VL + Row]);
        for (unsigned J = 0; J < VL; ++J)
          addStepToAll(X, Rows[I], OfA, J, B.CreateAdd(Own, K.i64(J)), Sums[I]);
      }
      B.CreateAlignedStore(Column, Place, Use.C.Alignment);
    }
}

/// Adds the steps from \p Begin to \p End, which all rows make, to the vectors
/// that begin at \p Rows; and so many of them to the columns as the kernel is to.
void KernelBuilder::StreamKernel::addCommonSteps(const Macro &X,
                                                 ArrayRef<Value *> Rows,
                                                 Value *Begin, Value *End,
                                                 Vectors &Sums) {
  if (!ThePlan.makesTransposed(Op))
    return addRange(X, Rows, Begin, End, Sums);
  if (makesUseOfSums())
    return addStepsBesideColumns(X, Rows, End, Sums);
  Value *Steps = X.Arguments->Transposed.Steps;
  Value *EndOfAll = End;
  bool AreLast = isTriangle() && isFrom();
  Value *Middle = AreLast ? B.CreateSub(End, Steps) : B.CreateAdd(Begin, Steps);
  if (AreLast)
    addRange(X, Rows, Begin, Middle, Sums);
  if (AreLast)
    Begin = Middle;
  else
    End = Middle;
  BasicBlock *Before = B.GetInsertBlock(), *Last = nullptr;
  Vectors Added = Sums;
  K.emitIf(B.CreateIsNotNull(Steps), "transposed", [&] {
    loadFactorsOfRows(X, Rows, VL);
    if (Rows.size() % 2 == 0)
      emitLoopWithLag(X, Rows, Begin, End, Added);
    else
      emitLoopOverSteps(X, Rows, Begin, End, ThePlan.NR, Added);
    Last = B.GetInsertBlock();
  });
  joinSums(Sums, Before, Added, Last);
  FactorsOfRows.clear();
  if (!AreLast)
    addRange(X, Rows, Middle, EndOfAll, Sums);
}

/// Adds what the vector of rows that begins at \p Row makes to the vector of columns at
/// \p Column of the corner, both counted from its first: a square of it, or, unless it
/// \p IsWhole, the part of the square at the diagonal that exists.
void KernelBuilder::StreamKernel::addCornerToColumns(const Macro &X, Value *Row,
                                                     Value *Column,
                                                     bool IsWhole) {
  const TransposedUse &Use = *Op.Transposed;
  const Access &A = Op.Terms.front().A;
  const Macro::Factors &Of = X.Terms.front();
  Value *Scalars = X.Arguments->Scalars;
  Value *Step = B.CreateAdd(X.Diagonal, Column);
  Value *Place = K.offset(X.Arguments->Transposed.C, Step, K.i64(K.Size));
  Value *Sum = B.CreateAlignedLoad(VectorTy, Place, Use.C.Alignment, "y");
  Value *First = K.offset(Of.A, Step, Of.StrideAk);
  for (unsigned I = 0; I < VL; ++I) {
    Value *At = K.offset(First, B.CreateAdd(Row, K.i64(I)), Of.StrideAm);
    auto Exists = [&](unsigned J) { return IsWhole || isInCorner(I, J); };
    Value *Elements = loadExisting(A, At, VL, Exists);
    // LLVM would multiply a lone element as a scalar, and not fuse that with the
    // addition of vectors.
    if (!IsWhole && Elements->getType()->isFPOrFPVectorTy())
      Elements = B.CreateArithmeticFence(Elements, Elements->getType());
    Value *Next = K.emitVectorStep(
        Use.Of, Use.Update, Scalars, Sum,
        K.elements(Use.Of.AMap, Scalars, VL, Elements), FactorsOfRows[I]);
    SmallVector<Constant *, 16> Mask;
    for (unsigned J = 0; J < VL; ++J)
      Mask.push_back(B.getInt1(Exists(J)));
    Sum = IsWhole ? Next : B.CreateSelect(ConstantVector::get(Mask), Next, Sum);
  }
  B.CreateAlignedStore(Sum, Place, Use.C.Alignment);
}

/// The transposed use of the steps beside those that all rows of a triangle's block
/// make: vectors of columns get the products of one vector of rows after the other.
void KernelBuilder::StreamKernel::emitTransposedCorners(const Macro &X) {
  Value *Size = K.i64(VL);
  Value *Rows = B.CreateSelect(B.CreateIsNull(X.Arguments->Transposed.Steps),
                               K.i64(0), X.M);
  K.emitLoop(K.i64(0), Rows, Size, "corner", [&](Value *Row) {
    loadFactorsOfRows(X, Row, VL);
    K.emitLoop(isFrom() ? B.CreateAdd(Row, Size) : K.i64(0),
               isFrom() ? Rows : Row, Size, "square", [&](Value *Column) {
                 addCornerToColumns(X, Row, Column, /*IsWhole=*/true);
               });
    addCornerToColumns(X, Row, Row, /*IsWhole=*/false);
    FactorsOfRows.clear();
  });
}

} // namespace tilesmith
