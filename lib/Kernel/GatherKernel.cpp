//===- GatherKernel.cpp - packing a factor that is gathered ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What rows and steps are is told by their numbers: see Gathering.cpp. A strip
// of a panel is packed
//
//   run by run     rows that are adjacent in the source, under masks
//   in squares     where the source is adjacent along a digit of the steps
//   by elements    otherwise
//
// What is beyond a border of an image is packed as zero: see Borders.cpp. If factors
// stay narrow, a step is a group of steps, and an element as many adjacent ones.
//
//===----------------------------------------------------------------------===//

#include "GatherKernel.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

MacroKernel::GatherKernel::GatherKernel(MacroKernel &K, const Operand &X)
    : K(K), B(K.B), X(X) {}

/// How far \p Step of the block is in the source.
Value *MacroKernel::GatherKernel::distanceOf(Value *Step) {
  return K.distanceOfStep(Gather.Table, Step, X);
}

/// What is loaded for a step: an element, or a group of them.
Type *MacroKernel::GatherKernel::elementType() const {
  if (K.groupSteps() == 1)
    return X.X.ElemTy;
  return B.getIntNTy(K.groupSteps() * X.X.ElemTy->getScalarSizeInBits());
}

/// A vector of elements, with the arithmetic that the source does on them.
Value *MacroKernel::GatherKernel::mapped(Value *Elements) {
  unsigned Count = cast<FixedVectorType>(Elements->getType())->getNumElements();
  unsigned Members = Count * K.groupSteps();
  Value *V =
      B.CreateBitCast(Elements, FixedVectorType::get(X.X.ElemTy, Members));
  V = K.mapped(X, Gather.Scalars, V, Members);
  return B.CreateBitCast(V, FixedVectorType::get(K.PanelTy, Count));
}

/// By how much \p Step moves each position.
SmallVector<Value *, 2> MacroKernel::GatherKernel::positionsOf(Value *Step) {
  Value *Entry =
      K.offset(Gather.Table, Step, K.i64(bytesOfStep(Gather.Borders.size())));
  SmallVector<Value *, 2> Positions;
  for (unsigned I = 0; I < Gather.Borders.size(); ++I)
    Positions.push_back(
        B.CreateAlignedLoad(K.I64, B.CreatePtrAdd(Entry, K.i64(8 * (I + 1))),
                            Align(8), "position"));
  return Positions;
}

/// Whether two steps are on the same sides of all borders, whatever the line.
Value *MacroKernel::GatherKernel::haveOnePlace(Value *Step, Value *Other) {
  Value *Are = B.getTrue();
  auto Positions = positionsOf(Step);
  for (auto [X, Y] : zip_equal(Positions, positionsOf(Other)))
    Are = B.CreateAnd(Are, B.CreateICmpEQ(X, Y));
  return Are;
}

/// The same for all lanes of a strip, or \p Lanes, of which only the lowest digit
/// changes.
Value *MacroKernel::GatherKernel::isRunInside(const LinePlace &First,
                                              unsigned Lanes) {
  if (!K.hasBorders(X))
    return B.getTrue();
  LinePlace Last = First;
  for (auto [Position, Move] :
       zip_equal(Last.Positions, Gather.Digits.front().Moves))
    Position = B.CreateAdd(Position, B.CreateMul(Move, K.i64(Lanes - 1)));
  Value *IsFirst = K.isLineInside(Gather.Borders, First.Positions);
  return B.CreateAnd(IsFirst, K.isLineInside(Gather.Borders, Last.Positions));
}

/// Which lanes of a strip are inside at \p Step, if only the lowest digit changes
/// from its first one on.
Value *MacroKernel::GatherKernel::lanesInside(ArrayRef<Value *> OfFirst,
                                              Value *Step, unsigned Lanes) {
  Type *I32 = B.getInt32Ty(); // as wide as positions are
  auto Splat = [&](Value *V) {
    return B.CreateVectorSplat(Lanes, B.CreateTrunc(V, I32));
  };
  Value *Numbers = B.CreateStepVector(FixedVectorType::get(I32, Lanes));
  Value *Are =
      Constant::getAllOnesValue(FixedVectorType::get(B.getInt1Ty(), Lanes));
  for (auto [Border, First, Move, OfStep] :
       zip_equal(Gather.Borders, OfFirst, Gather.Digits.front().Moves,
                 positionsOf(Step))) {
    Value *Apart = B.CreateMul(Numbers, Splat(Move));
    Value *Positions = B.CreateAdd(Splat(B.CreateAdd(First, OfStep)), Apart);
    Are = B.CreateAnd(Are, B.CreateICmpULT(Positions, Splat(Border.Extent)));
  }
  return Are;
}

/// Elements, with the arithmetic that the source does on them, and zeros where
/// there are none, unless the source does that on these, too: zeros were loaded
/// there. Those that stay narrow are zeros of the source, which a sign bit may be
/// flipped of.
Value *MacroKernel::GatherKernel::zeroBeyond(Value *V, Value *IsInside) {
  return X.Map.isElement() || X.X.BeyondBorders == Beyond::ZeroLoaded ||
                 K.ThePlan.Narrow
             ? V
             : B.CreateSelect(IsInside, V,
                              Constant::getNullValue(V->getType()));
}

/// Body(where a step's elements are packed, its number) for each of the \p Steps of a panel of \p Width rows.
void MacroKernel::GatherKernel::emitSteps(
    Value *To, Value *Width, StepNumbers Steps,
    function_ref<void(Value *, Value *)> Body) {
  K.emitLoop(Steps.Begin, Steps.End, Steps.Apart, "k", [&](Value *Step) {
    Body(K.element(To, B.CreateMul(Step, Width)), Step);
  });
}

/// Packs \p Lanes rows of a panel, a strip or all of it, that are adjacent in the source,
/// from \p Src on. Steps are in as many rows of the image, or pages: so the same rows of
/// the next panel are prefetched, of which the CPU knows nothing.
void MacroKernel::GatherKernel::emitWholeRun(Value *To, Value *Width,
                                             Value *Src, unsigned Lanes) {
  unsigned Strip = K.stripWidth(X);
  uint64_t Size = K.DL.getTypeStoreSize(elementType());
  emitSteps(To, Width, allSteps(), [&](Value *Dst, Value *Step) {
    Value *From = B.CreatePtrAdd(Src, distanceOf(Step));
    K.prefetch(B.CreatePtrAdd(From, K.i64(X.PanelWidth * Size)), Lanes * Size,
               K.ThePlan.CacheLine, /*Locality=*/2);
    for (unsigned I = 0; I < Lanes; I += Strip) {
      Value *V = B.CreateAlignedLoad(FixedVectorType::get(elementType(), Strip),
                                     B.CreatePtrAdd(From, K.i64(I * Size)),
                                     X.X.Alignment);
      B.CreateAlignedStore(mapped(V),
                           B.CreatePtrAdd(Dst, K.i64(I * K.PanelSize)),
                           Align(K.PanelSize));
    }
  });
}

/// Packs a run of \p Count rows that are adjacent in the source, into lanes from
/// \p Lane on of a strip, of which the first one would be at \p First.
void MacroKernel::GatherKernel::emitRun(Value *To, Value *Width,
                                        const LinePlace &First, Value *Lane,
                                        Value *Count) {
  unsigned Strip = K.stripWidth(X);
  Value *End = K.firstLanes(X.X, B.CreateAdd(Lane, Count), Strip);
  Value *Mask = B.CreateAnd(End, B.CreateNot(K.firstLanes(X.X, Lane, Strip)));
  auto Pack = [&](bool IsFirst) {
    emitSteps(To, Width, allSteps(), [&](Value *Dst, Value *Step) {
      Value *From = B.CreatePtrAdd(First.Src, distanceOf(Step));
      Value *IsInside = Mask;
      if (K.hasBorders(X))
        IsInside = B.CreateAnd(Mask, lanesInside(First.Positions, Step, Strip));
      Value *V = loadMasked(B, FixedVectorType::get(elementType(), Strip), From,
                            X.X.Alignment, IsInside);
      V = mapped(V);
      if (K.hasBorders(X))
        V = zeroBeyond(V, IsInside);
      Value *Others = Constant::getNullValue(V->getType());
      if (!IsFirst)
        Others = B.CreateAlignedLoad(V->getType(), Dst, Align(K.PanelSize));
      B.CreateAlignedStore(B.CreateSelect(Mask, V, Others), Dst,
                           Align(K.PanelSize));
    });
  };
  K.emitIf(
      B.CreateIsNull(Lane), "first", [&] { Pack(/*IsFirst=*/true); },
      [&] { Pack(/*IsFirst=*/false); });
}

/// Packs a strip of which \p Lanes lanes exist, from row \p First on, run by run;
/// zeros if there are none.
void MacroKernel::GatherKernel::emitRuns(Value *To, Value *Width, Value *First,
                                         Value *Lanes) {
  uint64_t ElementSize = K.DL.getTypeStoreSize(elementType());
  auto AtLeastOne = [&](Value *V) {
    return B.CreateBinaryIntrinsic(Intrinsic::umax, V, K.i64(1));
  };
  Value *End = AtLeastOne(Lanes);
  K.emitLoop(K.i64(0), End, "run", [&](Value *Lane) {
    NumberedPlace At = K.placeOfNumber(B.CreateAdd(First, Lane), Gather.Digits,
                                       Gather.Borders);
    Value *Left = B.CreateSub(Gather.Digits.front().Extent, At.Indices.front());
    Value *Count = K.umin(Left, B.CreateSub(Lanes, Lane));
    Value *Ahead = B.CreateMul(Lane, K.i64(ElementSize));
    Value *Src = B.CreatePtrAdd(Gather.Src, B.CreateSub(At.Distance, Ahead));
    LinePlace AtFirst{Src, At.Positions};
    const Digit &Lowest = Gather.Digits.front();
    for (auto [Position, Move] : zip_equal(AtFirst.Positions, Lowest.Moves))
      Position = B.CreateSub(Position, B.CreateMul(Lane, Move));
    Value *IsWhole = B.CreateICmpEQ(Count, K.i64(K.stripWidth(X)));
    IsWhole = B.CreateAnd(IsWhole, isRunInside(AtFirst, K.stripWidth(X)));
    K.emitIf(
        IsWhole, "whole",
        [&] { emitWholeRun(To, Width, Src, K.stripWidth(X)); },
        [&] { emitRun(To, Width, AtFirst, Lane, Count); });
    return AtLeastOne(Count);
  });
}

/// Where the rows of a strip are, from row \p First on. Lanes beyond row \p Last
/// repeat it.
SmallVector<MacroKernel::LinePlace, 16>
MacroKernel::GatherKernel::rowsOfStrip(Value *First, Value *Last) {
  NumberedPlace At =
      K.placeOfNumber(K.umin(First, Last), Gather.Digits, Gather.Borders);
  SmallVector<LinePlace, 16> Rows;
  for (unsigned I = 0; I < K.stripWidth(X); ++I) {
    Rows.push_back({B.CreatePtrAdd(Gather.Src, At.Distance), At.Positions});
    NumberedPlace Next = At;
    K.goToNext(Next, Gather.Digits);
    Value *Exists = B.CreateICmpULT(B.CreateAdd(First, K.i64(I)), Last);
    for (auto [Here, There] : zip_equal(At.Indices, Next.Indices))
      Here = B.CreateSelect(Exists, There, Here);
    At.Distance = B.CreateSelect(Exists, Next.Distance, At.Distance);
    for (auto [Here, There] : zip_equal(At.Positions, Next.Positions))
      Here = B.CreateSelect(Exists, There, Here);
  }
  return Rows;
}

/// Packs \p Steps of a strip, element by element.
void MacroKernel::GatherKernel::emitElements(Value *To, Value *Width,
                                             ArrayRef<LinePlace> Rows,
                                             StepNumbers Steps, bool AtBorder) {
  emitSteps(To, Width, Steps, [&](Value *Dst, Value *Step) {
    Value *Distance = distanceOf(Step);
    SmallVector<Value *, 2> Positions;
    if (AtBorder)
      Positions = positionsOf(Step);
    Value *V =
        PoisonValue::get(FixedVectorType::get(elementType(), Rows.size()));
    Value *IsInside =
        PoisonValue::get(FixedVectorType::get(B.getInt1Ty(), Rows.size()));
    for (auto [I, Row] : enumerate(Rows)) {
      Value *From = B.CreatePtrAdd(Row.Src, Distance);
      if (AtBorder) {
        Value *Is = K.isInside(Gather.Borders, Row.Positions, Positions);
        From = B.CreateSelect(Is, From, Gather.Zeros);
        IsInside = B.CreateInsertElement(IsInside, Is, I);
      }
      Value *Element = B.CreateAlignedLoad(elementType(), From, X.X.Alignment);
      V = B.CreateInsertElement(V, Element, I);
    }
    V = mapped(V);
    if (AtBorder)
      V = zeroBeyond(V, IsInside);
    B.CreateAlignedStore(V, Dst, Align(K.PanelSize));
  });
}

/// Packs as many steps as a strip has lanes, Gather.Period apart, which are
/// adjacent in the source: from \p Step on.
void MacroKernel::GatherKernel::emitSquare(Value *To, Value *Width,
                                           ArrayRef<LinePlace> Rows,
                                           Value *Step, bool AtBorder) {
  unsigned Edge = K.stripWidth(X);
  Value *Distance = distanceOf(Step);
  SmallVector<Value *, 2> Positions;
  if (AtBorder)
    Positions = positionsOf(Step);
  SmallVector<Value *, 16> Square;
  for (const LinePlace &Row : Rows) {
    Value *From = B.CreatePtrAdd(Row.Src, Distance), *Is = B.getTrue();
    if (AtBorder) {
      Is = K.isInside(Gather.Borders, Row.Positions, Positions);
      From = B.CreateSelect(Is, From, Gather.Zeros);
    }
    Value *V = B.CreateAlignedLoad(FixedVectorType::get(elementType(), Edge),
                                   From, X.X.Alignment);
    V = mapped(V);
    Square.push_back(AtBorder ? zeroBeyond(V, Is) : V);
  }
  transposeSquare(B, Square);
  Value *Apart = B.CreateMul(Gather.Period, Width);
  for (auto [I, V] : enumerate(Square)) {
    Value *Dst = K.element(To, B.CreateMul(Apart, K.i64(I)));
    B.CreateAlignedStore(V, Dst, Align(K.PanelSize));
  }
}

/// Packs a strip whose source is adjacent along one of the digits of steps,
/// which goes up by one in each period: squares are transposed where that digit
/// does not begin again.
void MacroKernel::GatherKernel::emitSquares(Value *To, Value *Width,
                                            ArrayRef<LinePlace> Rows,
                                            bool AtBorder) {
  unsigned Edge = K.stripWidth(X);
  uint64_t ElementSize = K.DL.getTypeStoreSize(elementType());
  Value *OfSquares = B.CreateMul(Gather.Period, K.i64(Edge));
  Value *End = B.CreateMul(B.CreateUDiv(Gather.Steps, OfSquares), OfSquares);
  // So the digit begins again once at most, and nothing beside the strip is
  // written, which is only allowed from one step to the next.
  Value *IsLong = B.CreateICmpUGE(Gather.Adjacent, K.i64(Edge));
  Value *IsWhole = B.CreateIsNull(B.CreateURem(Width, K.i64(Edge)));
  End = B.CreateSelect(B.CreateAnd(IsLong, IsWhole), End, K.i64(0));
  K.emitLoop(K.i64(0), End, OfSquares, "squares", [&](Value *Begin) {
    Value *Next = B.CreateAdd(Begin, Gather.Period);
    K.emitLoop(Begin, Next, K.i64(1), "square", [&](Value *Step) {
      Value *Last =
          B.CreateAdd(Step, B.CreateMul(Gather.Period, K.i64(Edge - 1)));
      Value *Distance = distanceOf(Step);
      Value *Span = B.CreateSub(distanceOf(Last), Distance);
      Value *IsAdjacent = B.CreateICmpEQ(Span, K.i64((Edge - 1) * ElementSize));
      // What is adjacent may be another element of the window.
      if (AtBorder)
        IsAdjacent = B.CreateAnd(IsAdjacent, haveOnePlace(Step, Last));
      K.emitIf(
          IsAdjacent, "adjacent",
          [&] {
            Value *Dst = K.element(To, B.CreateMul(Step, Width));
            emitSquare(Dst, Width, Rows, Step, AtBorder);
          },
          [&] {
            Value *Behind = B.CreateAdd(Last, K.i64(1));
            emitElements(To, Width, Rows, {Step, Behind, Gather.Period},
                         AtBorder);
          });
    });
  });
  emitElements(To, Width, Rows, {End, Gather.Steps, K.i64(1)}, AtBorder);
}

/// Packs a strip from row \p First on, whose rows are not adjacent.
void MacroKernel::GatherKernel::emitLanes(Value *To, Value *Width, Value *First,
                                          Value *Last) {
  SmallVector<LinePlace, 16> Rows = rowsOfStrip(First, Last);
  auto Pack = [&](bool AtBorder) {
    if (Gather.Period && isPowerOf2_32(K.stripWidth(X)))
      emitSquares(To, Width, Rows, AtBorder);
    else
      emitElements(To, Width, Rows, allSteps(), AtBorder);
  };
  if (!K.hasBorders(X))
    return Pack(/*AtBorder=*/false);
  Value *AreInside = B.getTrue();
  for (const LinePlace &Row : Rows)
    AreInside =
        B.CreateAnd(AreInside, K.isLineInside(Gather.Borders, Row.Positions));
  K.emitIf(
      AreInside, "inside", [&] { Pack(/*AtBorder=*/false); },
      [&] { Pack(/*AtBorder=*/true); });
}

/// Whether only the distance of windows, which is known at run time, tells that
/// rows are adjacent.
bool MacroKernel::GatherKernel::mayBeUnit() const {
  return !Gather.Period && !isa<SCEVConstant>(X.X.Stride[X.P]) &&
         K.ThePlan.canMask(X.X);
}

/// Packs the strip of a panel that begins with row \p First, of which \p Lanes
/// lanes exist.
void MacroKernel::GatherKernel::emitStrip(Value *To, Value *Width, Value *First,
                                          Value *Lanes) {
  Value *Last = B.CreateSub(B.CreateAdd(Gather.First, Gather.Count), K.i64(1));
  auto Elementwise = [&] { emitLanes(To, Width, First, Last); };
  if (mayBeUnit()) {
    Value *Size = K.i64(K.DL.getTypeStoreSize(elementType()));
    return K.emitIf(
        B.CreateICmpEQ(Gather.Digits.front().Stride, Size), "adjacent",
        [&] { emitRuns(To, Width, First, Lanes); }, Elementwise);
  }
  if (!X.X.isUnit(X.P, K.DL))
    return Elementwise();
  if (K.ThePlan.canMask(X.X))
    return emitRuns(To, Width, First, Lanes);
  NumberedPlace At =
      K.placeOfNumber(K.umin(First, Last), Gather.Digits, Gather.Borders);
  Value *Left = B.CreateSub(Gather.Digits.front().Extent, At.Indices.front());
  Value *IsRun = B.CreateICmpUGE(K.umin(Left, Lanes), K.i64(K.stripWidth(X)));
  IsRun = B.CreateAnd(IsRun,
                      isRunInside({Gather.Src, At.Positions}, K.stripWidth(X)));
  K.emitIf(
      IsRun, "whole",
      [&] {
        emitWholeRun(To, Width, B.CreatePtrAdd(Gather.Src, At.Distance),
                     K.stripWidth(X));
      },
      Elementwise);
}

/// Packs the panel of \p Valid rows from \p Begin on, filled up to \p Width: all strips of
/// a step at a time, if it is one run.
void MacroKernel::GatherKernel::emitPanel(Value *Begin, Value *Valid,
                                          Value *Width) {
  unsigned Strip = K.stripWidth(X);
  Value *Panel = K.element(Gather.Dst, B.CreateMul(Begin, Gather.Steps));
  Value *First = B.CreateAdd(Gather.First, Begin);
  auto ByStrips = [&] {
    // From the last strip to the first, as in emitPanel() of PackKernel.
    Value *Last = K.alignDown(B.CreateSub(Width, K.i64(1)), Strip);
    K.emitLoop(K.i64(0), Width, K.i64(Strip), "strip", [&](Value *Done) {
      Value *At = B.CreateSub(Last, Done);
      Value *Left = B.CreateBinaryIntrinsic(Intrinsic::usub_sat, Valid, At);
      emitStrip(K.element(Panel, At), Width, B.CreateAdd(First, At),
                K.umin(Left, K.i64(Strip)));
    });
  };
  if (!(X.X.isUnit(X.P, K.DL) || mayBeUnit()) || X.PanelWidth == Strip)
    return ByStrips();
  NumberedPlace At = K.placeOfNumber(First, Gather.Digits, Gather.Borders);
  const Digit &Lowest = Gather.Digits.front();
  Value *Whole = K.i64(X.PanelWidth);
  Value *Left = B.CreateSub(Lowest.Extent, At.Indices.front());
  Value *IsRun = B.CreateAnd(
      {B.CreateICmpEQ(Valid, Whole), B.CreateICmpEQ(Width, Whole),
       B.CreateICmpUGE(Left, Whole),
       isRunInside({Gather.Src, At.Positions}, X.PanelWidth),
       B.CreateICmpEQ(Lowest.Stride,
                      K.i64(K.DL.getTypeStoreSize(elementType())))});
  K.emitIf(
      IsRun, "run",
      [&] {
        emitWholeRun(Panel, Width, B.CreatePtrAdd(Gather.Src, At.Distance),
                     X.PanelWidth);
      },
      ByStrips);
}

/// void tilesmith.pack.*(ptr dst, ptr src, i64 first, i64 count, i64 K, ptr
/// steps, digits of rows, ptr scalars): packs count rows from number first on.
Function *MacroKernel::GatherKernel::build() {
  Function *F =
      K.createFunction(X.Name, B.getVoidTy(), K.parametersOf(Gather, X));
  for (Value *Pointer : {Gather.Dst, Gather.Src, Gather.Table})
    cast<Argument>(Pointer)->addAttr(Attribute::NoAlias);
  unsigned Strip = K.stripWidth(X);
  if (K.hasBorders(X)) {
    Type *Ty = FixedVectorType::get(elementType(), Strip);
    Gather.Zeros = B.CreateAlloca(Ty, nullptr, "zeros");
    B.CreateStore(Constant::getNullValue(Ty), Gather.Zeros);
  }
  Value *Count = Gather.Count;
  K.emitPanels(X, K.i64(0), Count, K.splitPanels(X, Count),
               [&](Value *Begin, Value *Valid, Value *Width) {
                 emitPanel(Begin, Valid, Width);
               });
  B.CreateRetVoid();
  return F;
}

Function *MacroKernel::buildGatheredPack(const Operand &X) {
  return GatherKernel(*this, X).build();
}

} // namespace tilesmith
