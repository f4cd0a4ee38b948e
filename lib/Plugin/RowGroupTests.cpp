//===- RowGroupTests.cpp - whether rows go in groups ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroupBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

/// Groups with fewer steps in common are left to the source's loops. (Measured on
/// Zen 5.)
static constexpr uint64_t MinCommon = 24;

/// Whether all numbers can be computed in front of the rows.
bool GroupBuilder::mayExpand() {
  auto May = [&](const SCEV *S) {
    return Expander.isSafeToExpandAt(
        S, G.Rows->getLoopPredecessor()->getTerminator());
  };
  Value *Zero = B.getInt64(0);
  auto InRow = [&](const SCEV *S) { return May(G.inRow(S, Zero)); };
  return May(G.LastRow) && InRow(G.NumSteps) &&
         all_of(G.Touches, [&](const RowTouch &T) { return InRow(T.At); }) &&
         all_of(G.Guards,
                [&](const RowGuard &Guard) {
                  return InRow(Guard.Left) && InRow(Guard.Right);
                }) &&
         all_of(G.Narrow,
                [&](const NarrowCounter &N) { return InRow(N.First); }) &&
         all_of(G.Places, [&](const auto &P) {
           return P.second.IsTable || May(P.second.ToNext);
         });
}

/// A number that steps by \p Step increase.
Value *GroupBuilder::upwards(Value *Pointer, int64_t Step) {
  Value *At = B.CreatePtrToInt(Pointer, I64);
  return Step < 0 ? B.CreateNeg(At) : At;
}

std::pair<Value *, Value *> GroupBuilder::rangeOf(Value *Row) {
  Value *Begin = upwards(inRow(G.First->At, Row), G.First->Step);
  Value *Bytes = B.CreateMul(inRow(G.NumSteps, Row), B.getInt64(G.size()));
  return {Begin, B.CreateAdd(Begin, Bytes)};
}

/// Where no sums are made, as in columns that are added to a vector, the source's loops
/// are vectors already: groups read and store the vector less often, which pays if
/// the matrix is larger than the second-level cache. (Measured on Zen 4: .8 to 1.0 of
/// the source's loops at 0.1 to 1 MiB, 1.03 to 1.12 at 4 MiB, 1.7 from memory.)
static constexpr uint64_t MinBytesWithoutSums = 3 << 20;

/// Columns that lie one behind the other, as those of a packed triangle, are followed
/// as one stream: .81 to 1.03 at 3 to 16 MiB, 1.05 to 1.14 at 36 MiB.
static constexpr uint64_t MinBytesOfTable = 24 << 20;

/// Whether the first row, the last one, or the one in the middle has many steps: the
/// rows of a narrow band have nothing in common.
Value *GroupBuilder::areLong() {
  Value *Result = B.getFalse(), *Last = B.CreateSub(AllRows, B.getInt64(1));
  Value *Rows[] = {B.getInt64(0), B.CreateLShr(Last, B.getInt64(1)), Last};
  for (Value *Row : Rows) {
    uint64_t Least = MinCommon + NumRows;
    Value *Beyond = B.CreateSub(inRow(G.NumSteps, Row), B.getInt64(Least));
    Result = B.CreateOr(
        Result, B.CreateFreeze(B.CreateICmpULT(Beyond, B.getInt64(ManyRows))));
  }
  if (!G.Sums.empty())
    return Result;
  Value *Steps = B.CreateFreeze(inRow(G.NumSteps, Rows[1]));
  Value *Bytes = B.CreateMul(B.CreateMul(AllRows, Steps), B.getInt64(G.size()));
  bool IsTable =
      any_of(G.Places, [](const auto &P) { return P.second.IsTable; });
  uint64_t Least = IsTable ? MinBytesOfTable : MinBytesWithoutSums;
  return B.CreateAnd(Result, B.CreateICmpUGE(Bytes, B.getInt64(Least)));
}

/// Whether no row stores what another one has moved across, by where the elements
/// of rows are: behind the steps in common, or in front of them.
Value *GroupBuilder::areApart(Value *AllBeginAtOnce) {
  Value *Result = B.getTrue(),
        *LastOfGroup = B.CreateAdd(Number, B.getInt64(NumRows - 1));
  for (const StoredVector &V : G.Stored) {
    if (!V.isShared())
      continue;
    int64_t Step = V.OfSteps->Step, Size = std::abs(Step);
    auto Up = [&](Value *Pointer) { return upwards(Pointer, Step); };
    Value *Skipped = placesBetween(rangeOf(Number).first, From);
    Value *Begin = Up(inRow(V.OfSteps->At, Number));
    Value *First = B.CreateAdd(Begin, B.CreateMul(Skipped, B.getInt64(Size)));
    Value *End = B.CreateAdd(First, B.CreateMul(Common, B.getInt64(Size)));
    Value *One = Up(inRow(V.OfRow->At, Number));
    Value *Other = Up(inRow(V.OfRow->At, LastOfGroup));
    Value *Low = B.CreateBinaryIntrinsic(Intrinsic::smin, One, Other);
    Value *High = B.CreateBinaryIntrinsic(Intrinsic::smax, One, Other);
    Value *Before = B.CreateICmpSLE(B.CreateAdd(High, B.getInt64(Size)), First);
    if (!V.IsBehind)
      Before = B.CreateAnd(Before, AllBeginAtOnce);
    Value *Behind = B.CreateICmpSGE(Low, End);
    if (V.bindsPrefix())
      Behind = B.CreateAnd(Behind, AreBehind);
    Result = B.CreateLogicalAnd(Result, B.CreateOr(Before, Behind));
  }
  return Result;
}

/// Behind the last step of \p Row in \p V.
Value *GroupBuilder::stopOf(const StoredVector &V, Value *Row) {
  int64_t Step = V.OfSteps->Step;
  Value *Bytes =
      B.CreateMul(inRow(G.NumSteps, Row), B.getInt64(std::abs(Step)));
  return B.CreateAdd(upwards(inRow(V.OfSteps->At, Row), Step), Bytes);
}

/// Whether the element of \p Row in \p V is behind \p Stop.
Value *GroupBuilder::isBehind(const StoredVector &V, Value *Row, Value *Stop) {
  Value *At = upwards(inRow(V.OfRow->At, Row), V.OfSteps->Step);
  return B.CreateICmpSGE(At, Stop);
}

/// Looks at the next rows' steps: a loop over the rows collects how they overlap.
void GroupBuilder::emitBounds() {
  beginIn(BoundsHead);
  PHINode *R = B.CreatePHI(I64, 2, "r");
  R->addIncoming(B.getInt64(0), GroupHead);
  auto Collected = [&](Value *Start) {
    PHINode *Phi = B.CreatePHI(Start->getType(), 2);
    Phi->addIncoming(Start, GroupHead);
    return Phi;
  };
  Value *Least = B.getInt64(INT64_MIN), *Most = B.getInt64(INT64_MAX);
  PHINode *Last = Collected(Least), *First = Collected(Most),
          *End = Collected(Most), *Are = Collected(B.getTrue()),
          *Ones = Collected(B.getInt64(-1)), *Any = Collected(B.getInt64(0)),
          *Behind = Collected(B.getTrue());
  SmallVector<const StoredVector *, 2> Bound;
  SmallVector<PHINode *, 2> Stops;
  for (const StoredVector &V : G.Stored)
    if (V.isShared() && V.bindsPrefix()) {
      Bound.push_back(&V);
      Stops.push_back(Collected(Least));
    }
  auto Close = [&](PHINode *Phi, Value *V) {
    Phi->addIncoming(V, BoundsHead);
    return V;
  };
  Value *Row = B.CreateAdd(Number, R);
  Fits = Close(Are, alsoFits(Are, Row));
  auto [Begin, Stop] = rangeOf(Row);
  From = Close(Last, B.CreateBinaryIntrinsic(Intrinsic::smax, Last, Begin));
  Earliest =
      Close(First, B.CreateBinaryIntrinsic(Intrinsic::smin, First, Begin));
  To = Close(End, B.CreateBinaryIntrinsic(Intrinsic::smin, End, Stop));
  Value *InAll = Close(Ones, B.CreateAnd(Ones, Begin));
  Value *InAny = Close(Any, B.CreateOr(Any, Begin));
  AreBehind = Behind;
  for (auto [V, Stop] : zip_equal(Bound, Stops)) {
    AreBehind = B.CreateAnd(AreBehind, isBehind(*V, Row, Stop));
    Value *Own = stopOf(*V, Row);
    Close(Stop, B.CreateBinaryIntrinsic(Intrinsic::smax, Stop, Own));
  }
  Close(Behind, AreBehind);
  endRows(R, BoundsHead, Test);
  B.SetInsertPoint(Test, Test->begin());
  Value *Odd = B.CreateAnd(B.CreateXor(InAll, InAny), B.getInt64(G.size() - 1));
  AreWhole = B.CreateIsNull(Odd);
}

/// Whether \p Others do, and \p Row makes steps, not too many to count.
Value *GroupBuilder::alsoFits(Value *Others, Value *Row) {
  Value *Result = Others;
  for (const RowGuard &Guard : G.Guards) {
    Value *Left = inRow(Guard.Left, Row), *Right = inRow(Guard.Right, Row);
    Result =
        B.CreateLogicalAnd(Result, B.CreateICmp(Guard.Predicate, Left, Right));
  }
  Value *Steps = inRow(G.NumSteps, Row);
  Result =
      B.CreateLogicalAnd(Result, B.CreateICmpULT(Steps, B.getInt64(ManyRows)));
  for (const NarrowCounter &N : G.Narrow) {
    auto Widened = [&](Value *V) {
      return N.IsSigned ? B.CreateSExt(V, I64) : B.CreateZExt(V, I64);
    };
    Value *First = inRow(N.First, Row);
    Value *Behind =
        B.CreateAdd(Widened(First), B.CreateMul(Steps, B.getInt64(N.Step)));
    Value *Back = Widened(B.CreateTrunc(Behind, First->getType()));
    Result = B.CreateLogicalAnd(Result, B.CreateICmpEQ(Back, Behind));
  }
  return Result;
}

/// Goes on with the group, or with the source's rows.
void GroupBuilder::emitChoice() {
  beginIn(Test);
  Value *IsFast = B.CreateLogicalAnd(Fits, AreWhole);
  Common = placesBetween(From, To);
  IsFast = B.CreateLogicalAnd(IsFast,
                              B.CreateICmpSGE(Common, B.getInt64(MinCommon)));
  IsFast = B.CreateLogicalAnd(IsFast, areApart(B.CreateICmpEQ(Earliest, From)));
  B.CreateCondBr(B.CreateFreeze(IsFast), Fast, SlowPre);

  beginIn(Fast);
  Common = B.CreateFreeze(Common, "common");
  Value *Skipped = placesBetween(rangeOf(Number).first, From);
  for (const RowTouch &T : G.Touches)
    if (T.IsStep && !G.Places[T.I].IsTable)
      Firsts.push_back({T.I, moved(inRow(T.At, Number), Skipped, T.Step)});
  B.CreateBr(BeginHead);
}

} // namespace tilesmith
