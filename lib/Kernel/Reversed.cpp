//===- Reversed.cpp - vectors of elements in reversed order ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where loops come from the last row, rows are counted from there, and the next
// one is in front of the last one in memory:
//
//   memory      0 1 2 3
//   vector      3 2 1 0      the element at From is lane 0
//
// Tiles need no such vectors if panels of A are packed in the order of C's memory:
// the last row of each panel first. Tiles of MR rows follow each other as before.
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "TileKernels.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace tilesmith {

bool KernelFrame::isReversed(const Access &X, Dim D) const {
  return X.isReversed(D, DL);
}

/// What else knows the place of a row in its tile is left out.
bool flipsRows(const Contraction &Op, const Plan &ThePlan,
               const DataLayout &DL) {
  return Op.Domain && !Op.Domain->isOfC() && Op.C.isReversed(M, DL) &&
         ThePlan.Edge == EdgeKind::Pad && !ThePlan.isStreamed() &&
         !ThePlan.isSmall() && !ThePlan.inSquares() && !ThePlan.Narrow &&
         !ThePlan.Gathered && Op.Outer.empty() && !Op.fillsMatrices() &&
         !Op.isComplex() && !(Op.After && Op.After->isOfNumbers()) &&
         all_of(Op.Terms, [&](const Term &T) {
           return !T.A.isUnit(M, DL) && !T.A.IsSymmetric && !T.A.Parts &&
                  T.A.Borders.empty() && T.B.Borders.empty() &&
                  !T.A.isSearched() && !T.B.isSearched();
         });
}

bool KernelFrame::isUnitInTile(const Access &X, Dim D) const {
  return FlipsRows && D == M ? X.isReversed(D, DL) : X.isUnit(D, DL);
}

Value *KernelFrame::rowOfFirstLane(Value *Row, Value *Rows) {
  return FlipsRows ? B.CreateAdd(Row, B.CreateSub(Rows, i64(1))) : Row;
}

Value *KernelFrame::strideOfLanes(Value *Stride) {
  return FlipsRows ? B.CreateNeg(Stride) : Stride;
}

Value *KernelFrame::loadReversed(FixedVectorType *Ty, Value *From,
                                 Align Alignment, Value *Mask) {
  int64_t Back = Ty->getNumElements() - 1;
  int64_t Bytes = DL.getTypeStoreSize(Ty->getElementType());
  Value *At = B.CreatePtrAdd(From, i64(-Back * Bytes));
  Value *V = Mask
                 ? loadMasked(B, Ty, At, Alignment, B.CreateVectorReverse(Mask))
                 : B.CreateAlignedLoad(Ty, At, Alignment);
  return B.CreateVectorReverse(V);
}

/// Rows \p Begin to \p End of a column, by vectors: to a C whose rows are
/// reversed, or from it. The other place is a buffer.
void TileKernels::emitReversedCopy(const CopyArguments &Arguments, Value *To,
                                   Value *From, Value *Begin, Value *End) {
  auto *Ty = FixedVectorType::get(Op.SumTy, ThePlan.VL);
  Value *Back = i64(-int64_t(ThePlan.VL - 1) * int64_t(Size));
  Value *IsFromBuffer = B.CreateICmpEQ(Arguments.Src.StrideRow, i64(Size));
  Value *BackInC = B.CreateSelect(IsFromBuffer, Back, i64(0));
  Value *BackInSrc = B.CreateSelect(IsFromBuffer, i64(0), Back);
  Value *Whole =
      B.CreateAdd(Begin, alignDown(B.CreateSub(End, Begin), ThePlan.VL));
  emitLoop(Begin, Whole, i64(ThePlan.VL), "rows", [&](Value *I) {
    Value *Src = offset(From, I, Arguments.Src.StrideRow);
    Value *Dst = offset(To, I, Arguments.Dst.StrideRow);
    Value *V =
        B.CreateAlignedLoad(Ty, B.CreatePtrAdd(Src, BackInSrc), ElemAlign);
    B.CreateAlignedStore(B.CreateVectorReverse(V), B.CreatePtrAdd(Dst, BackInC),
                         ElemAlign);
  });
  emitCopyOfRows(Arguments, To, From, Whole, End);
}

} // namespace tilesmith
