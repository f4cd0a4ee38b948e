//===- Gathering.cpp - packing a factor of several indices ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a factor is gathered (Plan::Gathered), all rows are numbered, and so are
// all steps. The digits of a row's number, of which the lowest comes first, say
// where the row is:
//
//   row    = y * W + x          at  y * (stride of y) + x * (stride of x)
//   step   = (c * R + r) * S + s    likewise, in a table for a block of K
//
// Element (row, step) is at the sum of the two. A panel is packed strip by strip.
// A strip is made of runs, of which only the lowest digit changes; where the
// source is adjacent along it, a run is a vector under a mask. Where it is adjacent
// along a digit of the steps, squares are transposed.
//
// If factors stay narrow, steps are numbered in groups, and an element is a group of
// adjacent ones: rows of the innermost index must be whole groups.
//
// Nothing else knows of digits: C and the other factor are plain matrices. This
// is what libraries call an implicit im2col; no more than a block of it is ever
// in memory.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "Walk.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Makes \p Extent, of \p D, that of all indices which are joined with it. Whether
/// that is moderate, as the guard has made sure of each.
Value *MacroKernel::joinExtents(const Macro &X, Dim D, Value *&Extent) {
  constexpr uint64_t MaxCount = uint64_t(1) << 31;
  Value *IsModerate = B.getTrue();
  for (unsigned I : ThePlan.Gathered->Chains[D]) {
    Extent = B.CreateMul(Extent, X.Arguments->Outer[I].Extent);
    Value *IsLess = B.CreateICmpULT(Extent, i64(MaxCount));
    IsModerate = B.CreateAnd(IsModerate, IsLess);
  }
  return IsModerate;
}

/// The digits of a number of \p D, of which the lowest one has \p Stride bytes in
/// access number \p Of.
SmallVector<Digit, 3> MacroKernel::digitsOf(const Macro &X, Dim D,
                                            Value *Extent, Value *Stride,
                                            unsigned Of) {
  SmallVector<Digit, 3> Digits{{Extent, Stride}};
  for (unsigned I : ThePlan.Gathered->Chains[D]) {
    const auto &Outer = X.Arguments->Outer[I];
    Digits.push_back({Outer.Extent, Outer.Strides[Of]});
  }
  return Digits;
}

/// Whether a number with these digits is an index of a plain matrix. A digit that
/// has one value never moves.
Value *MacroKernel::isPlain(ArrayRef<Digit> Digits) {
  Value *Result = B.getTrue(), *Distance = Digits.front().Stride;
  for (auto [Low, High] : zip(Digits.drop_back(), Digits.drop_front())) {
    Distance = B.CreateMul(Distance, Low.Extent);
    Value *IsNext = B.CreateICmpEQ(High.Stride, Distance);
    IsNext = B.CreateOr(IsNext, B.CreateICmpEQ(High.Extent, i64(1)));
    Result = B.CreateAnd(Result, IsNext);
  }
  return Result;
}

/// Counts steps, of which \p Lowest is the lowest digit, in groups. i1: whether its
/// rows are whole groups.
Value *MacroKernel::countInGroups(Digit &Lowest) {
  Value *Steps = i64(groupSteps());
  Value *AreWhole = B.CreateIsNull(B.CreateURem(Lowest.Extent, Steps));
  Lowest.Extent = B.CreateUDiv(Lowest.Extent, Steps);
  Lowest.Stride = B.CreateMul(Lowest.Stride, Steps);
  return AreWhole;
}

/// Whether C, and a factor that is not gathered, are plain matrices, along all
/// indices that are to be one. Finds the digits of those that are gathered.
Value *MacroKernel::emitNumbers(Macro &X) {
  // As in KernelArguments::Outer.
  enum : unsigned { OfC, OfA, OfB, OfFurther };
  const Macro::Factors &T = X.Terms.front();
  SmallVector<Value *, 4> ArePlain;
  for (auto [D, Extent, Stride] : {std::tuple(tilesmith::M, X.M, X.StrideCm),
                                   {tilesmith::N, X.N, X.StrideCn}})
    ArePlain.push_back(isPlain(digitsOf(X, D, Extent, Stride, OfC)));
  for (auto [I, Of] : enumerate(X.Further))
    for (auto [D, Extent, Stride] : {std::tuple(tilesmith::M, X.M, Of.StrideM),
                                     {tilesmith::N, X.N, Of.StrideN}})
      ArePlain.push_back(
          isPlain(digitsOf(X, D, Extent, Stride, unsigned(OfFurther + I))));
  auto Number = [&](const Operand &Of, unsigned Access, Value *Extent,
                    Value *StrideP, Value *StrideK) {
    Macro::Numbers Found{digitsOf(X, Of.P, Extent, StrideP, Access),
                         digitsOf(X, tilesmith::K, X.K, StrideK, Access)};
    Value *IsLine = isPlain(Found.OfLine), *IsStep = isPlain(Found.OfStep);
    Found.IsPlain = B.CreateAnd(IsLine, IsStep);
    if (!isGathered(Of))
      return ArePlain.push_back(Found.IsPlain);
    X.Gathered[Of.P] = Found;
    if (groupSteps() > 1)
      ArePlain.push_back(countInGroups(X.Gathered[Of.P].OfStep.front()));
    if (hasBorders(Of))
      addBorders(X, Of);
  };
  Number(T.Of->A, OfA, X.M, T.StrideAm, T.StrideAk);
  Number(T.Of->B, OfB, X.N, T.StrideBn, T.StrideBk);
  return B.CreateAnd(ArePlain);
}

/// i1: whether windows have no more taps than there are places, or not too many.
Value *MacroKernel::hasFewTaps(const Macro &X) {
  if (!ThePlan.MinSumsPerTap)
    return B.getTrue();
  const bool IsA = Op.borderedFactor() == &Op.Terms.front().A;
  const Dim P = IsA ? tilesmith::M : tilesmith::N;
  Value *Taps = i64(1), *Places = P == tilesmith::M ? X.M : X.N;
  for (const Digit &D : X.Gathered[P].OfStep) {
    Value *Moves = B.CreateIsNotNull(B.CreateOr(D.Moves));
    Taps = B.CreateMul(Taps, B.CreateSelect(Moves, D.Extent, i64(1)));
  }
  Value *Sums = B.CreateMul(X.M, X.N);
  Value *AreFew =
      B.CreateICmpULE(B.CreateMul(Taps, i64(ThePlan.MinSumsPerTap)), Sums);
  if (ThePlan.MaxTapsPerPlace)
    AreFew = B.CreateAnd(
        AreFew, B.CreateICmpULE(
                    Taps, B.CreateMul(Places, i64(ThePlan.MaxTapsPerPlace))));
  return B.CreateOr(B.CreateICmpULE(Taps, Places), AreFew);
}

/// Rows of A that are equally far apart, and inside of the image in all steps, as those
/// of a 1 x 1 layer, are one digit: strips are whole runs, wherever a row of the image
/// ends.
void MacroKernel::joinLines(Macro &X) {
  Macro::Numbers &Of = X.Gathered[tilesmith::M];
  if (!isGathered(X.Terms.front().Of->A) || Of.OfLine.size() == 1)
    return;
  Value *AreOne = isPlain(Of.OfLine);
  if (Of.IsInside)
    AreOne = B.CreateAnd(AreOne, Of.IsInside);
  AreOne->setName("one.line");
  Value *&Extent = Of.OfLine.front().Extent;
  Extent = B.CreateSelect(AreOne, X.M, Extent);
  for (Digit &D : Of.OfLine)
    for (Value *&Move : D.Moves)
      Move = B.CreateSelect(AreOne, i64(0), Move);
}

/// Numbers all rows, columns and steps, if factors are gathered. If something
/// else is no plain matrix, or that need not be, or there are too many, another
/// kernel does the work; if there is none, or too few of them, nothing is done.
void MacroKernel::emitNumbering(Macro &X) {
  if (!ThePlan.Gathered)
    return;
  Value *IsNumbered = emitNumbers(X);
  if (FallbackKernel.F && !ThePlan.Fallback->Gathered) {
    Value *HasFewSteps = B.CreateICmpULT(X.K, i64(ThePlan.manySteps()));
    IsNumbered = B.CreateAnd(IsNumbered, HasFewSteps);
  }
  Value *IsLarge = B.getTrue();
  auto Require = [&](Value *Extent, uint64_t Least) {
    IsLarge = B.CreateAnd(IsLarge, B.CreateICmpUGE(Extent, i64(Least)));
  };
  for (auto [D, Extent] : {std::pair(tilesmith::M, &X.M),
                           {tilesmith::N, &X.N},
                           {tilesmith::K, &X.K}}) {
    Value *IsModerate = joinExtents(X, D, *Extent);
    IsNumbered = B.CreateAnd(IsNumbered, IsModerate);
    Require(*Extent, ThePlan.MinJoined[D]);
  }
  joinLines(X);
  Value *Least = B.CreateSelect(
      B.CreateICmpEQ(X.M, i64(1)),
      i64(std::max(ThePlan.MinOfOneRow, ThePlan.MinJoinedElements)),
      i64(ThePlan.MinJoinedElements));
  Value *AreEnough = B.CreateICmpUGE(B.CreateMul(X.M, X.N), Least);
  Value *HasFewTaps = B.CreateOr(hasFewTaps(X), B.CreateNot(IsNumbered));
  IsLarge = B.CreateAnd({IsLarge, AreEnough, HasFewTaps});
  auto NewBlock = [&](const Twine &Name) {
    return BasicBlock::Create(Ctx, Name, X.F);
  };
  BasicBlock *Large = NewBlock("large"), *Small = NewBlock("small"),
             *Numbered = NewBlock("numbered"), *Other = NewBlock("otherwise");
  B.CreateCondBr(IsLarge, Large, Small);
  B.SetInsertPoint(Small);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Large);
  B.CreateCondBr(IsNumbered, Numbered, Other);
  B.SetInsertPoint(Other);
  B.CreateRet(FallbackKernel.F
                  ? callKernel(B, FallbackKernel, *X.Arguments, View)
                  : cast<Value>(B.getFalse()));
  B.SetInsertPoint(Numbered);
}

/// Where what has this \p Number is, counted from number zero.
MacroKernel::NumberedPlace
MacroKernel::placeOfNumber(Value *Number, ArrayRef<Digit> Digits,
                           ArrayRef<BorderOfImage> Borders) {
  NumberedPlace At{i64(0), {}, {}};
  for (unsigned I = 0; I < Digits.front().Moves.size(); ++I)
    At.Positions.push_back(Borders.empty() ? i64(0) : Borders[I].Start);
  for (const Digit &D : Digits) {
    bool IsHighest = &D == &Digits.back();
    Value *Index = IsHighest ? Number : B.CreateURem(Number, D.Extent);
    if (!IsHighest)
      Number = B.CreateUDiv(Number, D.Extent);
    At.Indices.push_back(Index);
    At.Distance = B.CreateAdd(At.Distance, B.CreateMul(Index, D.Stride));
    for (auto [Position, Move] : zip_equal(At.Positions, D.Moves))
      Position = B.CreateAdd(Position, B.CreateMul(Index, Move));
  }
  return At;
}

/// Goes on to the next number.
void MacroKernel::goToNext(NumberedPlace &At, ArrayRef<Digit> Digits) {
  Value *Carry = B.getTrue(), *Wraps = nullptr;
  auto Move = [&](Value *&Place, Value *By, Value *Extent) {
    Place = B.CreateAdd(Place, B.CreateSelect(Carry, By, i64(0)));
    if (!Wraps)
      return;
    Value *Down = B.CreateMul(By, Extent);
    Place = B.CreateSub(Place, B.CreateSelect(Wraps, Down, i64(0)));
  };
  for (auto [Index, D] : zip_equal(At.Indices, Digits)) {
    bool IsHighest = &D == &Digits.back();
    Value *Next = B.CreateAdd(Index, B.CreateZExt(Carry, I64));
    Wraps = IsHighest ? nullptr : B.CreateICmpEQ(Next, D.Extent);
    Move(At.Distance, D.Stride, D.Extent);
    for (auto [Position, By] : zip_equal(At.Positions, D.Moves))
      Move(Position, By, D.Extent);
    Index = IsHighest ? Next : B.CreateSelect(Wraps, i64(0), Next);
    Carry = Wraps; // without a carry, no index reaches its extent
  }
}

MacroKernel::Walk::Walk(MacroKernel &K, Function &F, const NumberedPlace &First,
                        ArrayRef<Digit> Digits)
    : K(K), At(First), Digits(Digits) {
  for (size_t I = 0, E = values().size(); I < E; ++I)
    Variables.push_back(variableIn(F, K.I64));
  store();
}

SmallVector<Value **, 8> MacroKernel::Walk::values() {
  SmallVector<Value **, 8> Result = {&At.Distance};
  for (Value *&V : concat<Value *>(At.Indices, At.Positions))
    Result.push_back(&V);
  return Result;
}

void MacroKernel::Walk::store() {
  for (auto [V, To] : zip_equal(values(), Variables))
    K.B.CreateStore(*V, To);
}

const MacroKernel::NumberedPlace &MacroKernel::Walk::load() {
  for (auto [V, From] : zip_equal(values(), Variables))
    *V = K.B.CreateLoad(K.I64, From);
  return At;
}

void MacroKernel::Walk::goOn() {
  K.goToNext(At, Digits);
  store();
}

/// Writes where the steps of the block of K are, and finds how far they move
/// positions.
void MacroKernel::emitTablesOfSteps(Macro &X) {
  auto Variable = [&](Value *Initial) {
    Value *Result = variableIn(*X.F, I64);
    B.CreateStore(Initial, Result);
    return Result;
  };
  auto Extend = [&](Value *Limit, Value *To, Intrinsic::ID Take) {
    Value *V = B.CreateLoad(I64, Limit);
    B.CreateStore(B.CreateBinaryIntrinsic(Take, V, To), Limit);
  };
  for (Macro::Numbers &Of : X.Gathered) {
    if (!Of.Table)
      continue;
    NumberedPlace First = placeOfNumber(groupsOf(X.Pc), Of.OfStep);
    Walk Steps(*this, *X.F, First, Of.OfStep);
    Of.BordersOfBlock = Of.Borders;
    SmallVector<std::pair<Value *, Value *>, 2> Range;
    for (Value *Position : First.Positions)
      Range.push_back({Variable(Position), Variable(Position)});
    emitLoop(i64(0), X.Groups, i64(1), "step", [&](Value *Step) {
      const NumberedPlace &Place = Steps.load();
      Value *Entry =
          offset(Of.Table, Step, i64(bytesOfStep(Of.Borders.size())));
      B.CreateAlignedStore(Place.Distance, Entry, Align(8));
      for (auto [I, Position] : enumerate(Place.Positions)) {
        B.CreateAlignedStore(Position, B.CreatePtrAdd(Entry, i64(8 * (I + 1))),
                             Align(8));
        Extend(Range[I].first, Position, Intrinsic::smin);
        Extend(Range[I].second, Position, Intrinsic::smax);
      }
      Steps.goOn();
    });
    for (auto [Border, Limits] : zip_equal(Of.BordersOfBlock, Range)) {
      Border.Least = B.CreateLoad(I64, Limits.first);
      Border.Most = B.CreateLoad(I64, Limits.second);
    }
  }
}

/// How far \p Step of the block of K is in the source of \p Of.
Value *TileKernels::distanceOfStep(Value *Table, Value *Step,
                                   const Operand &Of) {
  Value *Entry = offset(Table, Step, i64(bytesOfStep(Of.X.Borders.size())));
  return B.CreateAlignedLoad(I64, Entry, Align(8), "distance");
}

/// Which digit of steps the source is adjacent along, if it is not along rows. It
/// stays on one side of all borders.
std::optional<unsigned> TileKernels::adjacentStep(const Operand &X) const {
  if (X.X.isUnit(X.P, DL))
    return std::nullopt;
  ArrayRef<Border> Borders = X.X.Borders;
  if (X.X.isUnit(K, DL) &&
      all_of(Borders, [](const Border &B) { return B.Stride[K]->isZero(); }))
    return 0;
  for (auto [I, Outer] : enumerate(ThePlan.Gathered->Chains[K]))
    if (X.X.isUnitInOuter(Outer, DL) &&
        all_of(Borders, [Outer = Outer](const Border &B) {
          return B.OuterStride[Outer]->isZero();
        }))
      return I + 1;
  return std::nullopt;
}

void MacroKernel::emitGatheredPack(const Macro &X, const Operand &Of,
                                   Value *Dst, Value *Base, Value *P,
                                   Value *Count) {
  const Macro::Numbers &Numbers = X.Gathered[Of.P];
  GatherArguments Gather{Dst,           Base,          P, Count, X.Groups,
                         Numbers.Table, Numbers.OfLine};
  if (std::optional<unsigned> Adjacent = adjacentStep(Of)) {
    ArrayRef<Digit> Digits = Numbers.OfStep;
    Gather.Period = i64(1);
    for (const Digit &Lower : Digits.take_front(*Adjacent))
      Gather.Period = B.CreateMul(Gather.Period, Lower.Extent);
    Gather.Adjacent = Digits[*Adjacent].Extent;
  }
  Gather.Borders = Numbers.BordersOfBlock;
  Gather.Scalars = X.Arguments->Scalars;
  B.CreateCall(Of.Gather, parametersOf(Gather, Of).values());
}

} // namespace tilesmith
