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
// Nothing else knows of digits: C and the other factor are plain matrices. This
// is what libraries call an implicit im2col; no more than a block of it is ever
// in memory.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Makes \p Extent, of \p D, that of all indices which are joined with it. Whether
/// that is moderate, as the guard has made sure of each.
Value *KernelBuilder::joinExtents(const Macro &X, Dim D, Value *&Extent) {
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
SmallVector<Digit, 3> KernelBuilder::digitsOf(const Macro &X, Dim D,
                                              Value *Extent, Value *Stride,
                                              unsigned Of) {
  SmallVector<Digit, 3> Digits{{Extent, Stride}};
  for (unsigned I : ThePlan.Gathered->Chains[D]) {
    const auto &Outer = X.Arguments->Outer[I];
    Digits.push_back({Outer.Extent, Outer.Strides[Of]});
  }
  return Digits;
}

/// Whether a number with these digits is an index of a plain matrix.
Value *KernelBuilder::isPlain(ArrayRef<Digit> Digits) {
  Value *Result = B.getTrue(), *Distance = Digits.front().Stride;
  for (auto [Low, High] : zip(Digits.drop_back(), Digits.drop_front())) {
    Distance = B.CreateMul(Distance, Low.Extent);
    Result = B.CreateAnd(Result, B.CreateICmpEQ(High.Stride, Distance));
  }
  return Result;
}

/// Whether C, and a factor that is not gathered, are plain matrices, along all
/// indices that are to be one. Finds the digits of those that are gathered.
Value *KernelBuilder::emitNumbers(Macro &X) {
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
    if (hasBorders(Of))
      addBorders(X, Of);
  };
  Number(T.Of->A, OfA, X.M, T.StrideAm, T.StrideAk);
  Number(T.Of->B, OfB, X.N, T.StrideBn, T.StrideBk);
  return B.CreateAnd(ArePlain);
}

/// Numbers all rows, columns and steps, if factors are gathered. If something
/// else is no plain matrix, or that need not be, or there are too many, another
/// kernel does the work; if there is none, or too few of them, nothing is done.
void KernelBuilder::emitNumbering(Macro &X) {
  if (!ThePlan.Gathered)
    return;
  Value *IsNumbered = emitNumbers(X);
  if (FallbackKernel.F) {
    Value *HasFewSteps = B.CreateICmpULT(X.K, i64(Gathering::ManySteps));
    IsNumbered = B.CreateAnd(IsNumbered, HasFewSteps);
  }
  Value *IsLarge = B.getTrue();
  for (auto [D, Extent] : {std::pair(tilesmith::M, &X.M),
                           {tilesmith::N, &X.N},
                           {tilesmith::K, &X.K}}) {
    Value *IsModerate = joinExtents(X, D, *Extent);
    IsNumbered = B.CreateAnd(IsNumbered, IsModerate);
    Value *IsEnough = B.CreateICmpUGE(*Extent, i64(ThePlan.MinJoined[D]));
    IsLarge = B.CreateAnd(IsLarge, IsEnough);
  }
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
KernelBuilder::NumberedPlace
KernelBuilder::placeOfNumber(Value *Number, ArrayRef<Digit> Digits,
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
void KernelBuilder::goToNext(NumberedPlace &At, ArrayRef<Digit> Digits) {
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

/// Writes where the steps of the block of K are.
void KernelBuilder::emitTablesOfSteps(const Macro &X) {
  for (const Macro::Numbers &Of : X.Gathered) {
    if (!Of.Table)
      continue;
    emitLoop(i64(0), X.Kb, i64(1), "step", [&](Value *Step) {
      Value *Number = B.CreateAdd(X.Pc, Step);
      NumberedPlace At = placeOfNumber(Number, Of.OfStep);
      Value *Entry = offset(Of.Table, Step, i64(bytesOfStep(Of.Borders)));
      B.CreateAlignedStore(At.Distance, Entry, Align(8));
      for (auto [I, Position] : enumerate(At.Positions))
        B.CreateAlignedStore(Position, B.CreatePtrAdd(Entry, i64(8 * (I + 1))),
                             Align(8));
    });
  }
}

/// Which digit of steps the source is adjacent along, if it is not along rows. It
/// stays on one side of all borders.
std::optional<unsigned> KernelBuilder::adjacentStep(const Operand &X) const {
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

void KernelBuilder::emitGatheredPack(const Macro &X, const Operand &Of,
                                     Value *Dst, Value *Base, Value *P,
                                     Value *Count) {
  const Macro::Numbers &Numbers = X.Gathered[Of.P];
  GatherArguments Gather{Dst,           Base,          P, Count, X.Kb,
                         Numbers.Table, Numbers.OfLine};
  if (std::optional<unsigned> Adjacent = adjacentStep(Of)) {
    ArrayRef<Digit> Digits = Numbers.OfStep;
    Gather.Period = i64(1);
    for (const Digit &Lower : Digits.take_front(*Adjacent))
      Gather.Period = B.CreateMul(Gather.Period, Lower.Extent);
    Gather.Adjacent = Digits[*Adjacent].Extent;
  }
  Gather.Borders = Numbers.Borders;
  Gather.Scalars = X.Arguments->Scalars;
  B.CreateCall(Of.Gather, parametersOf(Gather, Of).values());
}

/// How far \p Step of the block is in the source.
Value *KernelBuilder::distanceOf(const GatherArguments &Gather, Value *Step) {
  Value *Entry = offset(Gather.Table, Step, i64(bytesOfStep(Gather.Borders)));
  return B.CreateAlignedLoad(I64, Entry, Align(8), "distance");
}

/// A vector of elements, with the arithmetic that the source does on them.
Value *KernelBuilder::mapped(const Operand &X, const GatherArguments &Gather,
                             Value *Elements) {
  auto *Ty = cast<FixedVectorType>(Elements->getType());
  return mapped(X, Gather.Scalars, Elements, Ty->getNumElements());
}

/// Body(where a step's elements are packed, its number) for each of the \p Steps of a panel of \p Width rows.
void KernelBuilder::emitSteps(const GatherArguments &Gather, Value *To,
                              Value *Width, StepNumbers Steps,
                              function_ref<void(Value *, Value *)> Body) {
  emitLoop(Steps.Begin, Steps.End, Steps.Apart, "k", [&](Value *Step) {
    Body(element(To, B.CreateMul(Step, Width)), Step);
  });
}

/// Packs a strip that is adjacent in the source, from \p Src on.
void KernelBuilder::emitWholeRun(const Operand &X,
                                 const GatherArguments &Gather, Value *To,
                                 Value *Width, Value *Src) {
  unsigned Strip = stripWidth(X);
  emitSteps(Gather, To, Width, allSteps(Gather), [&](Value *Dst, Value *Step) {
    Value *From = B.CreatePtrAdd(Src, distanceOf(Gather, Step));
    Value *V = B.CreateAlignedLoad(FixedVectorType::get(X.X.ElemTy, Strip),
                                   From, X.X.Alignment);
    B.CreateAlignedStore(mapped(X, Gather, V), Dst, Align(PanelSize));
  });
}

/// Packs a run of \p Count rows that are adjacent in the source, into lanes from
/// \p Lane on of a strip, of which the first one would be at \p First.
void KernelBuilder::emitRun(const Operand &X, const GatherArguments &Gather,
                            Value *To, Value *Width, const LinePlace &First,
                            Value *Lane, Value *Count) {
  unsigned Strip = stripWidth(X);
  Value *End = firstLanes(X.X, B.CreateAdd(Lane, Count), Strip);
  Value *Mask = B.CreateAnd(End, B.CreateNot(firstLanes(X.X, Lane, Strip)));
  auto Pack = [&](bool IsFirst) {
    emitSteps(
        Gather, To, Width, allSteps(Gather), [&](Value *Dst, Value *Step) {
          Value *From = B.CreatePtrAdd(First.Src, distanceOf(Gather, Step));
          Value *IsInside = Mask;
          if (hasBorders(X))
            IsInside = B.CreateAnd(
                Mask, lanesInside(Gather, First.Positions, Step, Strip));
          Value *V = loadMasked(B, FixedVectorType::get(X.X.ElemTy, Strip),
                                From, X.X.Alignment, IsInside);
          V = mapped(X, Gather, V);
          if (hasBorders(X))
            V = zeroBeyond(X, V, IsInside);
          Value *Others = Constant::getNullValue(V->getType());
          if (!IsFirst)
            Others = B.CreateAlignedLoad(V->getType(), Dst, Align(PanelSize));
          B.CreateAlignedStore(B.CreateSelect(Mask, V, Others), Dst,
                               Align(PanelSize));
        });
  };
  emitIf(
      B.CreateIsNull(Lane), "first", [&] { Pack(/*IsFirst=*/true); },
      [&] { Pack(/*IsFirst=*/false); });
}

/// Packs a strip of which \p Lanes lanes exist, from row \p First on, run by run;
/// zeros if there are none.
void KernelBuilder::emitRuns(const Operand &X, const GatherArguments &Gather,
                             Value *To, Value *Width, Value *First,
                             Value *Lanes) {
  uint64_t ElementSize = DL.getTypeStoreSize(X.X.ElemTy);
  auto AtLeastOne = [&](Value *V) {
    return B.CreateBinaryIntrinsic(Intrinsic::umax, V, i64(1));
  };
  Value *End = AtLeastOne(Lanes);
  emitLoop(i64(0), End, "run", [&](Value *Lane) {
    NumberedPlace At =
        placeOfNumber(B.CreateAdd(First, Lane), Gather.Digits, Gather.Borders);
    Value *Left = B.CreateSub(Gather.Digits.front().Extent, At.Indices.front());
    Value *Count = umin(Left, B.CreateSub(Lanes, Lane));
    Value *Ahead = B.CreateMul(Lane, i64(ElementSize));
    Value *Src = B.CreatePtrAdd(Gather.Src, B.CreateSub(At.Distance, Ahead));
    LinePlace AtFirst{Src, At.Positions};
    const Digit &Lowest = Gather.Digits.front();
    for (auto [Position, Move] : zip_equal(AtFirst.Positions, Lowest.Moves))
      Position = B.CreateSub(Position, B.CreateMul(Lane, Move));
    Value *IsWhole = B.CreateICmpEQ(Count, i64(stripWidth(X)));
    IsWhole = B.CreateAnd(IsWhole, isRunInside(X, Gather, AtFirst));
    emitIf(
        IsWhole, "whole", [&] { emitWholeRun(X, Gather, To, Width, Src); },
        [&] { emitRun(X, Gather, To, Width, AtFirst, Lane, Count); });
    return AtLeastOne(Count);
  });
}

/// Where the rows of a strip are, from row \p First on. Lanes beyond row \p Last
/// repeat it.
SmallVector<KernelBuilder::LinePlace, 16>
KernelBuilder::rowsOfStrip(const Operand &X, const GatherArguments &Gather,
                           Value *First, Value *Last) {
  NumberedPlace At =
      placeOfNumber(umin(First, Last), Gather.Digits, Gather.Borders);
  SmallVector<LinePlace, 16> Rows;
  for (unsigned I = 0; I < stripWidth(X); ++I) {
    Rows.push_back({B.CreatePtrAdd(Gather.Src, At.Distance), At.Positions});
    NumberedPlace Next = At;
    goToNext(Next, Gather.Digits);
    Value *Exists = B.CreateICmpULT(B.CreateAdd(First, i64(I)), Last);
    for (auto [Here, There] : zip_equal(At.Indices, Next.Indices))
      Here = B.CreateSelect(Exists, There, Here);
    At.Distance = B.CreateSelect(Exists, Next.Distance, At.Distance);
    for (auto [Here, There] : zip_equal(At.Positions, Next.Positions))
      Here = B.CreateSelect(Exists, There, Here);
  }
  return Rows;
}

/// Packs \p Steps of a strip, element by element.
void KernelBuilder::emitElements(const Operand &X,
                                 const GatherArguments &Gather, Value *To,
                                 Value *Width, ArrayRef<LinePlace> Rows,
                                 StepNumbers Steps, bool AtBorder) {
  emitSteps(Gather, To, Width, Steps, [&](Value *Dst, Value *Step) {
    Value *Distance = distanceOf(Gather, Step);
    SmallVector<Value *, 2> Positions;
    if (AtBorder)
      Positions = positionsOf(Gather, Step);
    Value *V = PoisonValue::get(FixedVectorType::get(X.X.ElemTy, Rows.size()));
    Value *IsInside =
        PoisonValue::get(FixedVectorType::get(B.getInt1Ty(), Rows.size()));
    for (auto [I, Row] : enumerate(Rows)) {
      Value *From = B.CreatePtrAdd(Row.Src, Distance);
      if (AtBorder) {
        Value *Is = isInside(Gather.Borders, Row.Positions, Positions);
        From = B.CreateSelect(Is, From, Gather.Zeros);
        IsInside = B.CreateInsertElement(IsInside, Is, I);
      }
      Value *Element = B.CreateAlignedLoad(X.X.ElemTy, From, X.X.Alignment);
      V = B.CreateInsertElement(V, Element, I);
    }
    V = mapped(X, Gather, V);
    if (AtBorder)
      V = zeroBeyond(X, V, IsInside);
    B.CreateAlignedStore(V, Dst, Align(PanelSize));
  });
}

/// Packs as many steps as a strip has lanes, Gather.Period apart, which are
/// adjacent in the source: from \p Step on.
void KernelBuilder::emitGatheredSquare(const Operand &X,
                                       const GatherArguments &Gather, Value *To,
                                       Value *Width, ArrayRef<LinePlace> Rows,
                                       Value *Step, bool AtBorder) {
  unsigned Edge = stripWidth(X);
  Value *Distance = distanceOf(Gather, Step);
  SmallVector<Value *, 2> Positions;
  if (AtBorder)
    Positions = positionsOf(Gather, Step);
  SmallVector<Value *, 16> Square;
  for (const LinePlace &Row : Rows) {
    Value *From = B.CreatePtrAdd(Row.Src, Distance), *Is = B.getTrue();
    if (AtBorder) {
      Is = isInside(Gather.Borders, Row.Positions, Positions);
      From = B.CreateSelect(Is, From, Gather.Zeros);
    }
    Value *V = B.CreateAlignedLoad(FixedVectorType::get(X.X.ElemTy, Edge), From,
                                   X.X.Alignment);
    V = mapped(X, Gather, V);
    Square.push_back(AtBorder ? zeroBeyond(X, V, Is) : V);
  }
  transposeSquare(B, Square);
  Value *Apart = B.CreateMul(Gather.Period, Width);
  for (auto [I, V] : enumerate(Square)) {
    Value *Dst = element(To, B.CreateMul(Apart, i64(I)));
    B.CreateAlignedStore(V, Dst, Align(PanelSize));
  }
}

/// Packs a strip whose source is adjacent along one of the digits of steps,
/// which goes up by one in each period: squares are transposed where that digit
/// does not begin again.
void KernelBuilder::emitSquares(const Operand &X, const GatherArguments &Gather,
                                Value *To, Value *Width,
                                ArrayRef<LinePlace> Rows, bool AtBorder) {
  unsigned Edge = stripWidth(X);
  uint64_t ElementSize = DL.getTypeStoreSize(X.X.ElemTy);
  Value *OfSquares = B.CreateMul(Gather.Period, i64(Edge));
  Value *End = B.CreateMul(B.CreateUDiv(Gather.Steps, OfSquares), OfSquares);
  // So the digit begins again once at most, and nothing beside the strip is
  // written, which is only allowed from one step to the next.
  Value *IsLong = B.CreateICmpUGE(Gather.Adjacent, i64(Edge));
  Value *IsWhole = B.CreateIsNull(B.CreateURem(Width, i64(Edge)));
  End = B.CreateSelect(B.CreateAnd(IsLong, IsWhole), End, i64(0));
  emitLoop(i64(0), End, OfSquares, "squares", [&](Value *Begin) {
    Value *Next = B.CreateAdd(Begin, Gather.Period);
    emitLoop(Begin, Next, i64(1), "square", [&](Value *Step) {
      Value *Last =
          B.CreateAdd(Step, B.CreateMul(Gather.Period, i64(Edge - 1)));
      Value *Distance = distanceOf(Gather, Step);
      Value *Span = B.CreateSub(distanceOf(Gather, Last), Distance);
      Value *IsAdjacent = B.CreateICmpEQ(Span, i64((Edge - 1) * ElementSize));
      // What is adjacent may be another element of the window.
      if (AtBorder)
        IsAdjacent = B.CreateAnd(IsAdjacent, haveOnePlace(Gather, Step, Last));
      emitIf(
          IsAdjacent, "adjacent",
          [&] {
            Value *Dst = element(To, B.CreateMul(Step, Width));
            emitGatheredSquare(X, Gather, Dst, Width, Rows, Step, AtBorder);
          },
          [&] {
            Value *Behind = B.CreateAdd(Last, i64(1));
            emitElements(X, Gather, To, Width, Rows,
                         {Step, Behind, Gather.Period}, AtBorder);
          });
    });
  });
  emitElements(X, Gather, To, Width, Rows, {End, Gather.Steps, i64(1)},
               AtBorder);
}

/// Packs a strip from row \p First on, whose rows are not adjacent.
void KernelBuilder::emitLanes(const Operand &X, const GatherArguments &Gather,
                              Value *To, Value *Width, Value *First,
                              Value *Last) {
  SmallVector<LinePlace, 16> Rows = rowsOfStrip(X, Gather, First, Last);
  auto Pack = [&](bool AtBorder) {
    if (Gather.Period && isPowerOf2_32(stripWidth(X)))
      emitSquares(X, Gather, To, Width, Rows, AtBorder);
    else
      emitElements(X, Gather, To, Width, Rows, allSteps(Gather), AtBorder);
  };
  if (!hasBorders(X))
    return Pack(/*AtBorder=*/false);
  Value *AreInside = B.getTrue();
  for (const LinePlace &Row : Rows)
    AreInside =
        B.CreateAnd(AreInside, isLineInside(Gather.Borders, Row.Positions));
  emitIf(
      AreInside, "inside", [&] { Pack(/*AtBorder=*/false); },
      [&] { Pack(/*AtBorder=*/true); });
}

/// Packs the strip of a panel that begins with row \p First, of which \p Lanes
/// lanes exist.
void KernelBuilder::emitGatheredStrip(const Operand &X,
                                      const GatherArguments &Gather, Value *To,
                                      Value *Width, Value *First,
                                      Value *Lanes) {
  Value *Last = B.CreateSub(B.CreateAdd(Gather.First, Gather.Count), i64(1));
  auto Elementwise = [&] { emitLanes(X, Gather, To, Width, First, Last); };
  if (!X.X.isUnit(X.P, DL))
    return Elementwise();
  if (ThePlan.canMask(X.X))
    return emitRuns(X, Gather, To, Width, First, Lanes);
  NumberedPlace At =
      placeOfNumber(umin(First, Last), Gather.Digits, Gather.Borders);
  Value *Left = B.CreateSub(Gather.Digits.front().Extent, At.Indices.front());
  Value *IsRun = B.CreateICmpUGE(umin(Left, Lanes), i64(stripWidth(X)));
  IsRun =
      B.CreateAnd(IsRun, isRunInside(X, Gather, {Gather.Src, At.Positions}));
  emitIf(
      IsRun, "whole",
      [&] {
        emitWholeRun(X, Gather, To, Width,
                     B.CreatePtrAdd(Gather.Src, At.Distance));
      },
      Elementwise);
}

/// void tilesmith.pack.*(ptr dst, ptr src, i64 first, i64 count, i64 K, ptr
/// steps, digits of rows, ptr scalars): packs count rows from number first on.
Function *KernelBuilder::buildGatheredPack(const Operand &X) {
  GatherArguments Gather;
  Function *F = createFunction(X.Name, B.getVoidTy(), parametersOf(Gather, X));
  for (Value *Pointer : {Gather.Dst, Gather.Src, Gather.Table})
    cast<Argument>(Pointer)->addAttr(Attribute::NoAlias);
  unsigned Strip = stripWidth(X);
  if (hasBorders(X)) {
    Type *Ty = FixedVectorType::get(X.X.ElemTy, Strip);
    Gather.Zeros = B.CreateAlloca(Ty, nullptr, "zeros");
    B.CreateStore(Constant::getNullValue(Ty), Gather.Zeros);
  }
  Value *Count = Gather.Count;
  auto EmitPanel = [&](Value *Begin, Value *Valid, Value *Width) {
    Value *Panel = element(Gather.Dst, B.CreateMul(Begin, Gather.Steps));
    Value *First = B.CreateAdd(Gather.First, Begin);
    // From the last strip to the first, as in emitPanel().
    Value *Last = alignDown(B.CreateSub(Width, i64(1)), Strip);
    emitLoop(i64(0), Width, i64(Strip), "strip", [&](Value *Done) {
      Value *At = B.CreateSub(Last, Done);
      Value *Left = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Valid, At);
      emitGatheredStrip(X, Gather, element(Panel, At), Width,
                        B.CreateAdd(First, At), umin(Left, i64(Strip)));
    });
  };
  emitPanels(X, i64(0), Count, splitPanels(X, Count), EmitPanel);
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
