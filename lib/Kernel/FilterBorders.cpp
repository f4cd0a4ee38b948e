//===- FilterBorders.cpp - windows of a filter that leave the image -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step whose element is beyond a border of the image is left out for the lanes
// that it is beyond for: nothing is loaded for them, and they keep their sums. Or it
// is made with zeros, if the nest does so.
// Tiles that no step takes beyond a border know nothing of that.
//
//===----------------------------------------------------------------------===//

#include "FilterKernel.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// By how much an index moves each position: as it is passed, or known.
void KernelBuilder::FilterKernel::addBorders(
    const Macro &X, Way &To,
    function_ref<Value *(const KernelArguments::BorderArguments &)> Passed,
    function_ref<const SCEV *(const Border &)> Known) {
  for (auto [Of, Argument] :
       zip_equal(TheTerm.A.Borders, X.Arguments->Borders)) {
    auto *Constant = dyn_cast<SCEVConstant>(Known(Of));
    To.Moves.push_back(Constant
                           ? B.getInt64(Constant->getAPInt().getSExtValue())
                           : Passed(Argument));
  }
}

/// By how much all steps together move a position.
void KernelBuilder::FilterKernel::setReachOfTaps() {
  Value *Zero = K.i64(0);
  for (auto [I, Border] : enumerate(Borders)) {
    Border.Least = Border.Most = Zero;
    for (const Way &By : Taps) {
      Value *Last = B.CreateSub(By.Extent, K.i64(1));
      Value *Span = B.CreateMul(Last, By.Moves[I]);
      Border.Least = B.CreateAdd(
          Border.Least, B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero));
      Border.Most = B.CreateAdd(
          Border.Most, B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero));
    }
  }
}

/// Whether lanes differ in whether they are beyond it.
bool KernelBuilder::FilterKernel::isAlongLanes(const Border &Of) const {
  const SCEV *Move = ThePlan.LaneIndex ? Of.OuterStride[*ThePlan.LaneIndex]
                                       : Of.Stride[tilesmith::M];
  return !Move->isZero();
}

/// Whether no step of the tile crosses any border, or, AlongLanes, none but those
/// that lanes differ in.
Value *KernelBuilder::FilterKernel::isInside(const Place &At, const Tile &Of,
                                             Crossed Which) {
  Value *Zero = K.i64(0), *Result = B.getTrue();
  Value *LastLane = Of.Left ? B.CreateSub(Of.Left, K.i64(1))
                            : K.i64(Of.Vectors * Of.Width - 1);
  for (auto [I, Border] : enumerate(Borders)) {
    if (Which == Crossed::AlongLanes && isAlongLanes(TheTerm.A.Borders[I]))
      continue;
    Value *Least = B.CreateAdd(At.Positions[I], Border.Least);
    Value *Most = B.CreateAdd(At.Positions[I], Border.Most);
    for (Value *Span : {B.CreateMul(K.i64(Of.Rows - 1), Rows.Moves[I]),
                        B.CreateMul(LastLane, Lanes.Moves[I])}) {
      Value *Down = B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero);
      Value *Up = B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero);
      Least = B.CreateAdd(Least, Down);
      Most = B.CreateAdd(Most, Up);
    }
    Value *Is = B.CreateAnd(B.CreateICmpSGE(Least, Zero),
                            B.CreateICmpSLT(Most, Border.Extent));
    Result = B.CreateAnd(Result, Is);
  }
  return Result;
}

/// A tile some of whose steps are left out; lane by lane, if there are no masks.
void KernelBuilder::FilterKernel::emitTileAtBorder(const Place &At,
                                                   const Tile &Of) {
  if (Of.Width > 1 && !hasMasks()) {
    K.emitLoop(K.i64(0), K.i64(Of.Vectors * Of.Width), K.i64(1), "lane",
               [&](Value *Lane) {
                 Tile One{Of.Rows, 1, 1};
                 One.Borders = Crossed::Any;
                 emitSums(moved(At, Lane, Lanes), One);
               });
    return;
  }
  auto Emit = [&](Crossed Which) {
    Tile Tested = Of;
    Tested.Borders = Which;
    emitSums(At, Tested);
  };
  auto IsAlongLanes = [&](const Border &Of) { return isAlongLanes(Of); };
  if (!ThePlan.JoinsRows && any_of(TheTerm.A.Borders, IsAlongLanes) &&
      !all_of(TheTerm.A.Borders, IsAlongLanes))
    K.emitIf(
        isInside(At, Of, Crossed::AlongLanes), "along.lanes",
        [&] { Emit(Crossed::AlongLanes); }, [&] { Emit(Crossed::Any); });
  else
    Emit(Crossed::Any);
}

/// For which lanes of a vector of the tile the nest makes the step at \p At.
Value *KernelBuilder::FilterKernel::stepsMade(const Place &At, const Tile &Of,
                                              unsigned Row, unsigned Vector) {
  // Positions fit 32 bits.
  Type *I32 = B.getInt32Ty();
  auto Splat = [&](Value *V) { return B.CreateVectorSplat(Of.Width, V); };
  Value *Made = nullptr;
  for (auto [I, Border] : enumerate(Borders)) {
    bool IsOfLanes = ThePlan.JoinsRows || isAlongLanes(TheTerm.A.Borders[I]);
    if (!IsOfLanes && Of.Borders == Crossed::AlongLanes)
      continue;
    Value *Position =
        B.CreateAdd(At.Positions[I], B.CreateMul(K.i64(Row), Rows.Moves[I]));
    Position = B.CreateAdd(
        Position, B.CreateMul(K.i64(Vector * Of.Width), Lanes.Moves[I]));
    Value *Is;
    if (ThePlan.JoinsRows) {
      auto Moved = [&](Value *Numbers, Value *Move) {
        return B.CreateMul(Numbers, Splat(B.CreateTrunc(Move, I32)));
      };
      auto [InRow, Row] = Of.InRows[Vector];
      Value *OfLanes =
          B.CreateAdd(Moved(InRow, MovesInRow[I]), Moved(Row, Rows.Moves[I]));
      OfLanes = B.CreateAdd(OfLanes, Splat(B.CreateTrunc(Position, I32)));
      Is = B.CreateICmpULT(OfLanes, Splat(B.CreateTrunc(Border.Extent, I32)));
    } else if (IsOfLanes) {
      Value *Move = B.CreateTrunc(Lanes.Moves[I], I32);
      Value *Numbers = B.CreateStepVector(FixedVectorType::get(I32, Of.Width));
      Value *OfLanes = B.CreateAdd(Splat(B.CreateTrunc(Position, I32)),
                                   B.CreateMul(Numbers, Splat(Move)));
      Is = B.CreateICmpULT(OfLanes, Splat(B.CreateTrunc(Border.Extent, I32)));
    } else {
      Is = Splat(B.CreateICmpULT(Position, Border.Extent));
    }
    Made = Made ? B.CreateAnd(Made, Is) : Is;
  }
  return Made;
}

} // namespace tilesmith
