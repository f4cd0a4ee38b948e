//===- StreamTransposed.cpp - a matrix that is used in both directions ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s[m] += a[m][k] * b[k]     y[k] += a[m][k] * t[m]
//
// Where a panel of rows makes some steps, these elements are loaded once more, as
// parts of their rows, which are near. Each part of y gets the products of the
// rows in turn, as the nest adds them:
//
//   for k by some steps
//     squares of the rows are transposed, and added to s
//     y[k ...] = y[k ...] + a[m][k ...] * t[m]     for each row m of the panel
//
// Only whole steps of whole vectors of rows are made so.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

using namespace llvm;

namespace tilesmith {

/// The factors of the rows of the vectors that begin at \p Rows, with the
/// arithmetic that the source does on them, each in all lanes.
void KernelBuilder::StreamKernel::loadFactorsOfRows(const Macro &X,
                                                    ArrayRef<Value *> Rows) {
  const auto &At = X.Arguments->Transposed;
  const Term &Of = Op.Transposed->Of;
  for (Value *First : Rows)
    for (unsigned I = 0; I < VL; ++I) {
      Value *Row = B.CreateAdd(First, K.i64(I));
      Value *Factor =
          B.CreateAlignedLoad(Of.B.ElemTy, K.offset(At.B, Row, At.StrideB),
                              Of.B.Alignment, "factor");
      Factor = K.elements(Of.BMap, X.Arguments->Scalars, /*Width=*/0, Factor);
      FactorsOfRows.push_back(
          B.CreateVectorSplat(std::min(VL, ThePlan.NR), Factor));
    }
}

/// Adds to the columns from \p Step on, as many as there are steps at a time, what
/// the rows at \p Rows make; the second half of these \p Lag steps behind, if that
/// is given.
void KernelBuilder::StreamKernel::addToColumns(const Macro &X,
                                               ArrayRef<RowPointers> Rows,
                                               Value *Step, Value *Lag) {
  const TransposedUse &Use = *Op.Transposed;
  unsigned Length = std::min(VL, ThePlan.NR);
  auto *Ty = FixedVectorType::get(Op.SumTy, Length);
  auto *TyOfA = FixedVectorType::get(Use.Of.A.ElemTy, Length);
  Value *Columns = X.Arguments->Transposed.C, *Scalars = X.Arguments->Scalars;
  auto AddRows = [&](unsigned Begin, unsigned End, Value *From) {
    Value *At = K.offset(Columns, From, K.i64(K.Size));
    for (unsigned First = 0; First < ThePlan.NR; First += Length) {
      Value *Place = B.CreatePtrAdd(At, K.i64(First * K.Size));
      Value *Sum = B.CreateAlignedLoad(Ty, Place, Use.C.Alignment, "y");
      for (unsigned I = Begin; I < End; ++I) {
        Value *Part = rowAt(X, /*Term=*/0, Rows[I / VL][0], I % VL);
        Part = K.offset(Part, K.i64(First), X.Terms[0].StrideAk);
        Value *Elements =
            B.CreateAlignedLoad(TyOfA, Part, Use.Of.A.Alignment, "a");
        Elements = K.elements(Use.Of.AMap, Scalars, Length, Elements);
        Sum = K.emitVectorStep(Use.Of, Use.Update, Scalars, Sum, Elements,
                               FactorsOfRows[I]);
      }
      B.CreateAlignedStore(Sum, Place, Use.C.Alignment);
    }
  };
  unsigned NumRows = FactorsOfRows.size();
  if (!Lag)
    return AddRows(0, NumRows, Step);
  AddRows(0, NumRows / 2, Step);
  AddRows(NumRows / 2, NumRows, B.CreateSub(Step, Lag));
}

/// Adds the steps from \p Begin to \p End, which all rows make, to the vectors
/// that begin at \p Rows; and so many of them to the columns as the kernel is to.
void KernelBuilder::StreamKernel::addCommonSteps(const Macro &X,
                                                 ArrayRef<Value *> Rows,
                                                 Value *Begin, Value *End,
                                                 Vectors &Sums) {
  if (!ThePlan.makesTransposed(Op))
    return addRange(X, Rows, Begin, End, Sums);
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
    loadFactorsOfRows(X, Rows);
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

} // namespace tilesmith
