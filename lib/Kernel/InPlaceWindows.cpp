//===- InPlaceWindows.cpp - windows that are read where they are ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The columns of an image's windows are elements that micro kernels take one by
// one. So a sliver of neighbouring windows need not be packed: its columns are
// equally far apart, and a micro kernel of a kind of its own finds each step in
// the table of steps. What remains to be packed are slivers that go over the end
// of a row of the image, those at a border, and those of fewer columns. These are
// packed right before they are used for the first time, when they are still in
// the first-level cache for it.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Whether slivers of windows may be read where they are.
bool KernelBuilder::readsWindows() const {
  const Operand &Image = Terms.front().B;
  return isGathered(Image) && mayReadInPlace(Image) && hasMasks() &&
         AdjacentRowsOfC && Made == Steps::All && Wanted == Half::None &&
         !ThePlan.PackB->isAlways() && !ThePlan.Engine->takesRowsOfB();
}

/// Makes the kernels for whole slivers of windows, one for each number of
/// registers.
void KernelBuilder::buildWindowKernels() {
  for (unsigned Rows = ThePlan.VL; Rows <= ThePlan.MR; Rows += ThePlan.VL)
    CornerMicro[{Rows, ThePlan.NR}] =
        unify(buildMicroKernel(Rows, ThePlan.NR, MicroKind::Windows));
}

/// i1: whether the columns of the sliver under way, of which the first one is
/// \p First, are equally far apart, and inside of the image in all steps of the
/// block.
Value *KernelBuilder::areWindowsInPlace(const Macro &X,
                                        const NumberedPlace &First) {
  const Macro::Numbers &Of = X.Gathered[N];
  const Digit &Lowest = Of.OfLine.front();
  Value *Left = B.CreateSub(Lowest.Extent, First.Indices.front());
  SmallVector<Value *, 2> Last;
  for (auto [Position, Move] : zip_equal(First.Positions, Lowest.Moves))
    Last.push_back(
        B.CreateAdd(Position, B.CreateMul(Move, i64(ThePlan.NR - 1))));
  return B.CreateAnd({X.Terms.front().ReadWindows,
                      B.CreateICmpEQ(X.Columns, i64(ThePlan.NR)),
                      B.CreateICmpUGE(Left, i64(ThePlan.NR)),
                      isLineInside(Of.BordersOfBlock, First.Positions),
                      isLineInside(Of.BordersOfBlock, Last)});
}

/// Finds the sliver under way of a factor that is gathered: it is packed with the
/// first block of A, unless it is read in place, or the factor is a plain matrix.
void KernelBuilder::emitSliverOfWindows(Macro &X) {
  Macro::Factors &T = X.Terms.front(); // there is no other
  const Macro::Numbers &Of = X.Gathered[N];
  Value *Number = B.CreateAdd(X.Jc, X.Jr);
  Value *IsGathered = B.CreateNot(T.BInPlace);
  if (mayBePlain(T.Of->B))
    IsGathered = B.CreateAnd(IsGathered, B.CreateNot(Of.IsPlain));
  Value *IsPacked = IsGathered;
  if (readsWindows()) {
    NumberedPlace First = placeOfNumber(Number, Of.OfLine, Of.Borders);
    T.IsWindows = B.CreateAnd(IsGathered, areWindowsInPlace(X, First));
    IsPacked = B.CreateAnd(IsGathered, B.CreateNot(T.IsWindows));
    T.Windows = B.CreatePtrAdd(T.B, First.Distance);
  }
  emitIf(B.CreateAnd(IsPacked, X.IsFirstBlock), "pack", [&] {
    emitGatheredPack(X, T.Of->B, T.Sliver, T.B, Number, X.Columns);
  });
}

/// Calls the micro kernel of a tile of windows in place, or does as \p Else does.
void KernelBuilder::emitIfWindows(const Macro &X, const TileRows &R,
                                  MicroArguments Call,
                                  function_ref<void()> Else) {
  if (!readsWindows())
    return Else();
  const Macro::Factors &T = X.Terms.front();
  Call.Terms.front().B = T.Windows;
  Call.Terms.front().StrideBn = T.StrideBn;
  Call.Table = X.Gathered[N].Table;
  auto CallOfWindows = [&] {
    emitMicroCall(MicroKind::Windows, X.Arguments->MicroKernels,
                  paddedRows(R.Count), i64(ThePlan.NR), Call);
  };
  emitIf(T.IsWindows, "windows", CallOfWindows, Else);
}

} // namespace tilesmith
