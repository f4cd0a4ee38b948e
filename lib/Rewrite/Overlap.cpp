//===- Overlap.cpp - the guard's tests of where operands are --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C overlaps no other operand, and no two of its elements are in one place.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

SmallVector<std::pair<Value *, Value *>, 4>
GuardBuilder::reach(const Access &X) {
  SmallVector<std::pair<Value *, Value *>, 4> Result;
  std::optional<std::pair<Value *, Value *>> Groups;
  for (Dim D : {M, N, K}) {
    Value *Extent = extent(D), *Stride = stride(X, D);
    // The numbers: rangeOf() adds the second part.
    if (X.Parts && X.Parts->Along == D) {
      Extent = B.CreateLShr(Extent, 1);
      Stride = B.CreateShl(Stride, 1);
    }
    // Whichever of both indices is the greater one.
    if (X.IsSymmetric)
      for (Dim Other : {M, N, K})
        if (!X.Stride[Other]->isZero())
          Extent =
              B.CreateBinaryIntrinsic(Intrinsic::umax, Extent, extent(Other));
    if (X.Grouped && X.Grouped->Of == D) {
      Value *Length = B.CreateBinaryIntrinsic(
          Intrinsic::umax, B.CreateFreeze(number(X.Grouped->Length)),
          B.getInt64(1));
      Value *Last = B.CreateSub(Extent, B.getInt64(1)),
            *LastGroup = B.CreateUDiv(Last, Length);
      Groups = {number(X.Grouped->Step), B.CreateAdd(LastGroup, B.getInt64(1))};
      Extent = B.CreateBinaryIntrinsic(Intrinsic::umin, Extent, Length);
    }
    Result.push_back({Stride, Extent});
  }
  for (unsigned I = 0; I < Op.Outer.size(); ++I)
    Result.push_back({outerStride(X, I), outerExtent(I)});
  if (Groups)
    Result.push_back(*Groups);
  return Result;
}

/// \p R and as many bytes more as \p Span says, in the direction of \p Stride.
GuardBuilder::Range GuardBuilder::extended(Range R, Value *Span,
                                           Value *Stride) {
  Value *Zero = B.getInt64(0);
  if (isKnownNonNegative(Stride, SimplifyQuery(At->getDataLayout())))
    return {R.Low, B.CreateAdd(R.High, Span)};
  return {
      B.CreateAdd(R.Low, B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero)),
      B.CreateAdd(R.High,
                  B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero))};
}

/// What \p X occupies if index \p Fixed stays at its first value.
GuardBuilder::Range GuardBuilder::partOf(const Access &X,
                                         std::optional<unsigned> Fixed) {
  Value *Start = B.CreatePtrToInt(base(X), I64);
  Range R{Start, Start};
  for (auto [Axis, Reach] : enumerate(reach(X))) {
    auto [Stride, Extent] = Reach;
    if (Axis != Fixed && !isBorderedAlong(X, Axis))
      R = extended(R, B.CreateMul(Stride, B.CreateSub(Extent, B.getInt64(1))),
                   Stride);
  }
  for (const Border &Of : X.Borders)
    R = extendedInside(R, X, Of);
  uint64_t Size = At->getDataLayout().getTypeStoreSize(X.ElemTy);
  R.High = B.CreateAdd(R.High, B.getInt64(X.Parts ? 2 * Size : Size));
  return R;
}

GuardBuilder::Range GuardBuilder::rangeOf(const Access &X) {
  Range R = partOf(X, /*Fixed=*/std::nullopt);
  requireNoWrap(R);
  return R;
}

GuardBuilder::Range GuardBuilder::rangeOf(const MemoryRegion &X) {
  Value *Start = B.CreatePtrToInt(expand(X.Base), I64);
  Range R{Start, Start};
  for (const Sweep &T : X.Span) {
    // Moderate factors, so that the product does not overflow.
    Value *Step = B.CreateSExtOrTrunc(expand(T.Step), I64);
    Value *Last = expand(T.Last, I64);
    requireModerateStride(Step);
    requireModerateCount(Last);
    R = extended(R, B.CreateMul(Step, Last), Step);
  }
  R.High = B.CreateAdd(R.High, B.getInt64(X.Bytes));
  requireNoWrap(R);
  return R;
}

/// Addresses of less than 64 bits are those that are computed here. Others are
/// in any case: no array that exists is so large.
void GuardBuilder::requireNoWrap(Range R) {
  unsigned Bits = At->getDataLayout().getPointerSizeInBits();
  if (Bits >= 64)
    return;
  require(B.CreateICmpSGE(R.Low, B.getInt64(0)));
  require(B.CreateICmpSLE(R.High, B.getInt64(uint64_t(1) << Bits)));
}

Value *GuardBuilder::areApart(Range X, Range Y) {
  Value *IsBefore = B.CreateICmpULE(X.High, Y.Low);
  return B.CreateOr(IsBefore, B.CreateICmpULE(Y.High, X.Low));
}

void GuardBuilder::requireNoOverlap(Range X, Range Y) {
  require(areApart(X, Y));
}

static bool isUnknown(const std::pair<Value *, Value *> &Index) {
  return !isa<ConstantInt>(Index.first);
}

/// Blocks of one matrix overlap as a whole, but need not share an element.
void GuardBuilder::requireNoOverlapWithC(const Access &X, Range RangeC) {
  Value *AreApart = areApart(RangeC, rangeOf(X));
  bool HaveRows = X.Borders.empty() && count_if(reach(X), isUnknown) <= 1 &&
                  count_if(reach(Op.C), isUnknown) <= 1;
  if (!HaveRows || isa<Constant>(AreApart))
    return require(AreApart);
  if (!isGuaranteedNotToBeUndefOrPoison(AreApart))
    AreApart = B.CreateFreeze(AreApart);
  Neighbours.push_back({&X, AreApart});
}

/// Both have rows of the same stride, or \p X is one row. They start at a distance
/// of whole rows and a rest. So C's first row must end before the one of \p X that
/// follows it, and that before C's second row.
Value *GuardBuilder::isBetweenRows(const Access &X) {
  auto OfC = reach(Op.C), OfX = reach(X);
  auto IsLess = [](auto &P, auto &Q) {
    auto *Stride = dyn_cast<ConstantInt>(P.first);
    return Stride &&
           (isUnknown(Q) || Stride->getSExtValue() <
                                cast<ConstantInt>(Q.first)->getSExtValue());
  };
  auto RowsOfC = max_element(OfC, IsLess);
  Value *Stride = RowsOfC->first, *IsSame = B.getTrue();
  auto RowsOfX = find_if(OfX, [&](auto &Index) {
    return isUnknown(Index) || Index.first == Stride;
  });
  std::optional<unsigned> Fixed;
  if (RowsOfX != OfX.end()) {
    Fixed = RowsOfX - OfX.begin();
    IsSame = B.CreateICmpEQ(RowsOfX->first, Stride);
  }
  Range C = partOf(Op.C, RowsOfC - OfC.begin()), Row = partOf(X, Fixed);
  // A divisor must be neither zero nor poison.
  Stride = B.CreateBinaryIntrinsic(Intrinsic::smax, B.CreateFreeze(Stride),
                                   B.getInt64(1));
  Value *Rest = B.CreateSRem(B.CreateSub(Row.Low, C.Low), Stride);
  Rest = B.CreateSelect(B.CreateIsNeg(Rest), B.CreateAdd(Rest, Stride), Rest);
  Value *StartsBehind = B.CreateICmpUGE(Rest, B.CreateSub(C.High, C.Low));
  Value *End = B.CreateAdd(Rest, B.CreateSub(Row.High, Row.Low));
  return B.CreateAnd(B.CreateAnd(IsSame, StartsBehind),
                     B.CreateICmpULE(End, Stride));
}

/// What overlaps C as a whole is between its rows. Few are, and it takes a
/// division to find out.
void GuardBuilder::requireOthersBetweenRows(DomTreeUpdater &DTU, LoopInfo &LI) {
  Safety = {At->getParent()};
  if (Neighbours.empty())
    return;
  Value *AllApart = B.getTrue();
  for (const Neighbour &Of : Neighbours)
    AllApart = B.CreateAnd(AllApart, Of.IsApart);
  Instruction *End = At, *Then = SplitBlockAndInsertIfThen(
                             B.CreateNot(AllApart), End, /*Unreachable=*/false,
                             /*BranchWeights=*/nullptr, &DTU, &LI);
  Then->getParent()->setName("tilesmith.between");
  End->getParent()->setName("tilesmith.apart");
  Safety.append({Then->getParent(), End->getParent()});
  moveTo(Then);
  Value *AllBetween = B.getTrue();
  for (const Neighbour &Of : Neighbours) {
    Value *IsBetween = B.CreateFreeze(isBetweenRows(*Of.X));
    AllBetween = B.CreateAnd(AllBetween, B.CreateOr(Of.IsApart, IsBetween));
  }
  moveTo(End);
  PHINode *Passes = B.CreatePHI(B.getInt1Ty(), 2);
  Passes->addIncoming(B.getTrue(), Safety[0]);
  Passes->addIncoming(AllBetween, Safety[1]);
  Neighbours.clear();
  require(Passes);
}

/// Step k is of the row k + Shift.
Value *GuardBuilder::rowsInPlace(const Term &Of) {
  Value *Shift = B.CreateSub(B.getInt64(Of.Ahead), diagonal());
  return B.CreateAdd(extent(K), Shift);
}

Value *GuardBuilder::savedRows(const SavedRows &Of) {
  return B.CreateSub(countTo(Of.Last), B.getInt64(Of.First));
}

/// Each stride of C is at least the span of all shorter ones together. The
/// stride of a single element means nothing.
void GuardBuilder::requireDistinctInManyDims(Value *Size) {
  SmallVector<std::pair<Value *, Value *>, 4> Dims; // |stride|, last index
  for (auto [Stride, Extent] : reach(Op.C))
    if (!isa<Constant>(Stride) || !cast<Constant>(Stride)->isNullValue())
      Dims.push_back(
          {B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse()),
           B.CreateSub(Extent, B.getInt64(1))});
  for (auto [I, D] : enumerate(Dims)) {
    Value *Span = Size;
    for (auto [J, E] : enumerate(Dims)) {
      if (I == J)
        continue;
      Value *IsInner = B.CreateICmp(
          J < I ? ICmpInst::ICMP_ULE : ICmpInst::ICMP_ULT, E.first, D.first);
      Span = B.CreateAdd(Span,
                         B.CreateSelect(IsInner, B.CreateMul(E.first, E.second),
                                        B.getInt64(0)));
    }
    // There is one element along it, or they are apart.
    Value *IsApart = B.CreateICmpUGE(D.first, Span);
    require(B.CreateOr(IsApart, B.CreateIsNull(D.second)));
  }
}

/// Rows of C do not overlap each other, nor do columns, nor what is read of
/// them as a factor.
void GuardBuilder::requireDistinctElements() {
  Value *Size = B.getInt64(At->getDataLayout().getTypeStoreSize(Op.C.ElemTy));
  if (Op.C.Rows) {
    // The call tells whether rows overlap.
    Value *Step = rows(*Op.C.Rows)[3];
    require(B.CreateICmpUGE(
        B.CreateBinaryIntrinsic(Intrinsic::abs, Step, B.getFalse()), Size));
    return;
  }
  if (Op.C.Parts)
    Size = B.CreateShl(Size, 1); // of a number
  if (!Op.Outer.empty() || Op.isMatrixVector() || Op.C.Parts)
    return requireDistinctInManyDims(Size);
  auto Abs = [&](Dim D) {
    return B.CreateBinaryIntrinsic(Intrinsic::abs, stride(Op.C, D),
                                   B.getFalse());
  };
  auto Count = [&](Dim D) {
    Value *Result = extent(D);
    for (const Term &T : Op.Terms) {
      if (D == M ? T.BIsC : T.AIsC)
        Result =
            B.CreateBinaryIntrinsic(Intrinsic::smax, Result, rowsInPlace(T));
      if (const auto &Saved = (D == M ? T.B : T.A).Saved)
        Result =
            B.CreateBinaryIntrinsic(Intrinsic::smax, Result, savedRows(*Saved));
    }
    return Result;
  };
  auto Nested = [&](Dim Inner, Dim Outer) {
    Value *Stride = Abs(Inner);
    Value *Span = B.CreateMul(Stride, B.CreateSub(Count(Inner), B.getInt64(1)));
    Span = B.CreateAdd(Span, Size);
    Value *IsApart = B.CreateICmpUGE(Stride, Size);
    return B.CreateAnd(IsApart, B.CreateICmpUGE(Abs(Outer), Span));
  };
  Value *RowsInColumns = Nested(M, N);
  require(B.CreateOr(RowsInColumns, Nested(N, M)));
}

} // namespace tilesmith
