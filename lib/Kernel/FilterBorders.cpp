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
// Where all lanes of a row are on the same side, as channels of a place are, no
// masks are needed: a tap that no row of the tile has is left out with all taps
// within it, and one that some rows have is added to these.
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
  if (ThePlan.hasWholeRows(Op)) {
    Tile Tested = Of;
    Tested.Borders = Crossed::ByWholeRows;
    return emitSums(At, Tested);
  }
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

//===-- Whole rows --------------------------------------------------------===//

bool KernelBuilder::FilterKernel::isMovedBy(ArrayRef<Way> Ways,
                                            unsigned Border) const {
  return any_of(Ways, [&](const Way &By) {
    auto *Known = dyn_cast<ConstantInt>(By.Moves[Border]);
    return !Known || !Known->isZero();
  });
}

/// Whether all rows of a tile, and all taps within one, are on the same side of the
/// border, so that the loops over these can be left out.
bool KernelBuilder::FilterKernel::isTestedOnce(unsigned Border) const {
  return TheTerm.A.BeyondBorders == Beyond::NoStep && !isMovedBy(Rows, Border);
}

/// Whether the taps within the first of \p Ways are added; null, if that is tested
/// elsewhere.
Value *KernelBuilder::FilterKernel::makesSteps(const Place &At, const Tile &Of,
                                               ArrayRef<Way> Ways) {
  Value *Made = nullptr;
  bool IsOutermost = Ways.size() == Taps.size();
  for (auto [I, Border] : enumerate(Borders)) {
    bool IsMoved =
        isMovedBy(Ways.front(), I) || (IsOutermost && !isMovedBy(Ways, I));
    if (Of.Borders != Crossed::ByWholeRows || !isTestedOnce(I) || !IsMoved ||
        isMovedBy(Ways.drop_front(), I))
      continue;
    Value *Is = B.CreateICmpULT(At.Positions[I], Border.Extent);
    Made = Made ? B.CreateAnd(Made, Is) : Is;
  }
  return Made;
}

/// \p Make changes the sums, and so does \p Leave, if it is there.
void KernelBuilder::FilterKernel::emitIfMade(Value *Made,
                                             MutableArrayRef<Value *> Sums,
                                             function_ref<void()> Make,
                                             function_ref<void()> Leave) {
  Vectors Before(Sums.begin(), Sums.end()), Changed;
  BasicBlock *From = B.GetInsertBlock(), *Maker = nullptr;
  auto MakeSums = [&] {
    Make();
    Maker = B.GetInsertBlock();
    Changed.assign(Sums.begin(), Sums.end());
  };
  if (!Leave) {
    K.emitIf(Made, "made", MakeSums);
  } else {
    K.emitIf(Made, "made", MakeSums, [&] {
      copy(Before, Sums.begin());
      Leave();
      From = B.GetInsertBlock();
      Before.assign(Sums.begin(), Sums.end());
    });
  }
  for (auto [Sum, New, Old] : zip_equal(Sums, Changed, Before)) {
    PHINode *Phi = B.CreatePHI(Old->getType(), 2, "sum");
    Phi->addIncoming(New, Maker);
    Phi->addIncoming(Old, From);
    Sum = Phi;
  }
}

/// Whether the step at \p At is made for a row.
Value *KernelBuilder::FilterKernel::rowMade(const Place &At, unsigned Row) {
  Value *Made = B.getTrue();
  for (auto [I, Border] : enumerate(Borders)) {
    if (isTestedOnce(I))
      continue;
    Value *Position =
        B.CreateAdd(At.Positions[I], B.CreateMul(K.i64(Row), Rows.Moves[I]));
    Made = B.CreateAnd(Made, B.CreateICmpULT(Position, Border.Extent));
  }
  return Made;
}

/// The step for a row, if it is made for that one.
void KernelBuilder::FilterKernel::addRow(const Place &At, const Tile &Of,
                                         unsigned Row, Value *Made,
                                         ArrayRef<Value *> OfTaps,
                                         MutableArrayRef<Value *> Sums) {
  auto Make = [&] {
    for (auto [V, Sum] : enumerate(Sums)) {
      Value *From = addressIn(At.A, Rows.OfA, Lanes.OfA, Of, Row, V);
      Value *A = loadVector(From, TheTerm.A, Of, Lanes.OfA, Of.Mask);
      A = K.elements(TheTerm.AMap, Scalars, Of.Width, A);
      Sum = K.emitVectorStep(Scalars, Sum, A, OfTaps[V % OfTaps.size()]);
    }
  };
  emitIfMade(Made, Sums, Make, [&] { leaveStep(Sums); });
}

/// The step beyond a border, without an element.
void KernelBuilder::FilterKernel::leaveStep(MutableArrayRef<Value *> Sums) {
  for (Value *&Sum : Sums)
    Sum = K.emitStepBeyond(Scalars, Sum);
}

/// A step that is made for some rows of a tile. Positions move steadily from row to
/// row, so it is made for all if it is for the first and for the last.
void KernelBuilder::FilterKernel::addStepByRows(const Place &At, const Tile &Of,
                                                Vectors &Sums) {
  Tile Whole = Of;
  Whole.Borders = Crossed::None;
  if (all_of(seq<unsigned>(0, Borders.size()),
             [&](unsigned I) { return isTestedOnce(I); }))
    return addStep(At, Whole, Sums);
  Vectors Made;
  for (unsigned R = 0; R < Of.Rows; ++R)
    Made.push_back(rowMade(At, R));
  auto SomeRows = [&] {
    Vectors OfTaps = loadTaps(At, Of);
    MutableArrayRef<Value *> Left = Sums;
    for (unsigned R = 0; R < Of.Rows; ++R) {
      addRow(At, Of, R, Made[R], OfTaps, Left.take_front(Of.Vectors));
      Left = Left.drop_front(Of.Vectors);
    }
  };
  emitIfMade(
      B.CreateAnd(Made.front(), Made.back()), Sums,
      [&] { addStep(At, Whole, Sums); },
      [&] {
        emitIfMade(B.CreateOr(Made), Sums, SomeRows, [&] { leaveStep(Sums); });
      });
}

} // namespace tilesmith
