//===- Borders.cpp - the guard's tests of images' borders -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest that leaves out steps beyond a border need not read what a factor has
// for a step that it never makes, nor store an element for which it makes none. A
// kernel does, so there must be neither.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "llvm/Analysis/ScalarEvolution.h"

using namespace llvm;

namespace tilesmith {

/// Along M, N, K, or an outer dimension.
static const SCEV *strideOf(const Border &Of, unsigned Axis) {
  return Axis < NumDims ? Of.Stride[Axis] : Of.OuterStride[Axis - NumDims];
}

/// Each value of the indices along \p All has a position inside with some value of
/// those along \p Any. If these move by more than the image's extent, which they may
/// jump over, one value must do for all.
void GuardBuilder::requireMeeting(const Border &Of, Dim All, Dim Any) {
  struct Axis {
    Value *Stride, *Last;
  };
  SmallVector<Axis, 3> OfAll, OfAny;
  auto Add = [&](Dim D, const SCEV *Stride, const SCEV *Last) {
    if (D != K && D != All && D != Any)
      return;
    if (!Stride->isZero())
      (D == All ? OfAll : OfAny).push_back({number(Stride), expand(Last, I64)});
  };
  for (Dim D : {All, Any})
    Add(D, Of.Stride[D], Op.BackedgeCount[D]);
  for (auto [D, Stride] : zip_equal(Op.Outer, Of.OuterStride))
    Add(D.Bundle, Stride, D.BackedgeCount);

  Value *Zero = B.getInt64(0), *Low = number(Of.Start), *High = Low;
  for (auto [Stride, Last] : OfAll) {
    Value *Span = B.CreateMul(Stride, Last);
    Value *Down = B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero);
    Value *Up = B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero);
    Low = B.CreateAdd(Low, Down);
    High = B.CreateAdd(High, Up);
  }
  // The first value that is not below the border with any of them; of one index, as
  // others are at zero. What runs down is counted from its end.
  Value *Move = Zero, *Extent = number(Of.Extent), *JumpsOver = B.getTrue();
  if (!OfAny.empty()) {
    auto [Stride, Last] = OfAny.front();
    Value *FromEnd = B.CreateBinaryIntrinsic(Intrinsic::smin,
                                             B.CreateMul(Stride, Last), Zero);
    Low = B.CreateAdd(Low, FromEnd);
    High = B.CreateAdd(High, FromEnd);
    Value *Apart =
        B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse());
    Value *Missing =
        B.CreateBinaryIntrinsic(Intrinsic::smax, B.CreateNeg(Low), Zero);
    Value *AtLeastOne =
        B.CreateBinaryIntrinsic(Intrinsic::umax, Apart, B.getInt64(1));
    Value *Rounded =
        B.CreateAdd(Missing, B.CreateSub(AtLeastOne, B.getInt64(1)));
    Value *First = B.CreateUDiv(Rounded, AtLeastOne);
    require(B.CreateICmpULE(First, Last));
    Move = B.CreateMul(Apart, First);
    // Those that are not beyond the other border at first enter the image later on.
    JumpsOver = B.CreateICmpUGT(Apart, Extent);
  }
  Value *AtOnce = B.CreateSelect(JumpsOver, Move, Zero);
  require(B.CreateICmpSGE(B.CreateAdd(Low, Move), Zero));
  require(B.CreateICmpSLT(B.CreateAdd(High, AtOnce), Extent));
}

void GuardBuilder::requireInside(const Border &Of, Dim Line) {
  requireMeeting(Of, /*All=*/K, /*Any=*/Line);
  if (Tests.StoresNeedStep)
    requireMeeting(Of, /*All=*/Line, /*Any=*/K);
}

/// Whether \p X has a border that moves with its number \p Axis: M, N, K, then
/// the outer dimensions.
bool GuardBuilder::isBorderedAlong(const Access &X, unsigned Axis) {
  return any_of(X.Borders, [&](const Border &Of) {
    return !strideOf(Of, Axis)->isZero();
  });
}

/// \p R, and what \p X reaches along the axes that \p Of moves with: no more than
/// the inside of the border, if elements are in memory as positions are.
GuardBuilder::Range GuardBuilder::extendedInside(Range R, const Access &X,
                                                 const Border &Of) {
  Value *Zero = B.getInt64(0), *Start = number(Of.Start);
  Range Bytes{Zero, Zero}, Positions{Start, Start};
  Value *Unit = nullptr, *IsImage = B.getTrue();
  auto Extend = [&](Range &By, Value *Span) {
    By.Low = B.CreateAdd(By.Low,
                         B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero));
    By.High = B.CreateAdd(By.High,
                          B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero));
  };
  // Moderate numbers, of which no division overflows.
  auto Moderate = [&](Value *V) {
    return B.CreateSExt(B.CreateTrunc(V, B.getInt32Ty()), I64);
  };
  for (auto [Axis, Reach] : enumerate(reach(X))) {
    auto [Stride, Extent] = Reach;
    if (strideOf(Of, Axis)->isZero())
      continue;
    Value *Move = number(strideOf(Of, Axis));
    Value *Last = B.CreateSub(Extent, B.getInt64(1));
    Extend(Bytes, B.CreateMul(Stride, Last));
    Extend(Positions, B.CreateMul(Move, Last));
    Value *IsNone = B.CreateIsNull(Moderate(Move));
    Value *By = B.CreateSelect(IsNone, B.getInt64(1), Moderate(Move));
    Value *Quotient = B.CreateSDiv(Moderate(Stride), By);
    if (!Unit)
      Unit = Quotient;
    Value *Is = B.CreateICmpEQ(Stride, B.CreateMul(Unit, Move));
    IsImage = B.CreateAnd(IsImage, Is);
  }
  Value *Greatest = B.CreateSub(number(Of.Extent), B.getInt64(1));
  Value *First = B.CreateBinaryIntrinsic(Intrinsic::smax, Positions.Low, Zero);
  Value *Last =
      B.CreateBinaryIntrinsic(Intrinsic::smin, Positions.High, Greatest);
  Value *AtFirst = B.CreateMul(Unit, B.CreateSub(First, Start));
  Value *AtLast = B.CreateMul(Unit, B.CreateSub(Last, Start));
  Value *Low = B.CreateBinaryIntrinsic(Intrinsic::smin, AtFirst, AtLast);
  Value *High = B.CreateBinaryIntrinsic(Intrinsic::smax, AtFirst, AtLast);
  Low = B.CreateSelect(IsImage, Low, Bytes.Low);
  High = B.CreateSelect(IsImage, High, Bytes.High);
  return {B.CreateAdd(R.Low, Low), B.CreateAdd(R.High, High)};
}

} // namespace tilesmith
