//===- TurnedTiles.cpp - tiles of the mirrored product --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Let A be adjacent along k, and B along n (Plan::TurnsTiles). The mirrored
// product, C' = B' A', reads both in place. Its tiles have rows along n and
// columns along m. So their rows are adjacent in C; kernels transpose them in
// registers where they load and store them:
//
//       m                           n
//   n   ..........              m   ........      a line of C is a row of the
//       |a b c d |   loaded as      |a e i |      tile
//       |e f g h |                  |b f j |
//       |i j k l |                  |c g k |
//                                   |d h l |
//
// There are kernels of NR columns, and of half as many. A tile has at least a
// register of rows. If fewer columns are left, the last half is moved up to end
// where the columns do, and does not store those that it shares with another
// tile. It comes first: loads of what has just been stored in part would wait.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// The kernels of the mirrored nest, which this builder is for: those of half as
/// many columns, then the others, by rows.
SmallVector<Function *, 8> TileKernels::buildTurnedKernels() {
  SmallVector<Function *, 8> Kernels;
  for (unsigned Columns : {ThePlan.NR / 2, ThePlan.NR})
    for (unsigned Rows = ThePlan.VL; Rows <= rowsOfTurned(Columns);
         Rows += ThePlan.VL)
      Kernels.push_back(
          unify(buildMicroKernel(Rows, Columns, MicroKind::Turned)));
  return Kernels;
}

/// A product that is small along n is made of turned tiles, without blocks.
void MacroKernel::emitTurned(const Macro &X) {
  if (Turned.empty())
    return;
  const unsigned Half = ThePlan.NR / 2;
  Value *Rest = B.CreateURem(X.M, i64(Half));
  Value *IsRagged = B.CreateIsNotNull(Rest);
  // Many columns of C are worth packing A. Edges make that so sooner, and lines
  // that are shorter than registers. (Measured on Zen 5.)
  const uint64_t Few = 8 * ThePlan.NR;
  bool FillsRegisters = ThePlan.NR == ThePlan.VL;
  Value *Most =
      B.CreateSelect(IsRagged, i64(FillsRegisters ? Few : 0),
                     i64(FillsRegisters ? ThePlan.PackA->ExtentAbove : Few));
  SmallVector<Value *, 8> Conditions = {
      B.CreateICmpULE(X.N, Most), B.CreateICmpUGE(X.N, i64(ThePlan.VL)),
      B.CreateICmpUGE(X.M, i64(Half)),
      // The rows of A that a tile needs fit the nearest cache.
      B.CreateICmpULE(X.K, i64(2 * ThePlan.KC)), isWholeElements(X.StrideCn)};
  for (const Macro::Factors &T : X.Terms) {
    Value *Span = B.CreateMul(X.K, T.StrideBk);
    Conditions.push_back(B.CreateICmpULE(Span, i64(ThePlan.PackB->SpanAbove)));
    Conditions.push_back(isWholeElements(T.StrideAm));
  }
  BasicBlock *Small = BasicBlock::Create(Ctx, "turned", X.F);
  BasicBlock *Other = BasicBlock::Create(Ctx, "not.turned", X.F);
  B.CreateCondBr(B.CreateAnd(Conditions), Small, Other);
  B.SetInsertPoint(Small);
  Value *HasEdge = B.CreateZExt(IsRagged, I64);
  // One round more, the first one, if there is an edge.
  Value *Rounds = B.CreateAdd(B.CreateSub(X.M, Rest), HasEdge);
  emitLoop(i64(0), Rounds, "m", [&](Value *Round) {
    Value *IsEdge = B.CreateAnd(IsRagged, B.CreateIsNull(Round));
    Value *Left = B.CreateSub(Rounds, Round);
    Value *HasWide = B.CreateICmpUGE(Left, i64(ThePlan.NR));
    Value *LastHalf = B.CreateSub(X.M, i64(Half));
    Value *Column = B.CreateSub(Round, HasEdge);
    Value *Lacking = B.CreateSub(i64(Half), Rest);
    TurnedTile Tile;
    Tile.IsWide = B.CreateAnd(HasWide, B.CreateNot(IsEdge));
    Tile.Column = B.CreateSelect(IsEdge, LastHalf, Column);
    Tile.Shared = B.CreateSelect(IsEdge, Lacking, i64(0));
    emitLoop(i64(0), X.N, "n", [&](Value *J) {
      Tile.Row = J;
      Tile.Rows = rowsOfTurned(B.CreateSub(X.N, J), Tile.IsWide);
      emitTurnedTile(X, Tile);
      return Tile.Rows;
    });
    Value *Columns = B.CreateSelect(Tile.IsWide, i64(ThePlan.NR), i64(Half));
    return B.CreateSelect(IsEdge, i64(1), Columns);
  });
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Other);
}

/// The rows of the next tile: so many that what is left fills a register, and
/// is more than one, if it can be.
Value *TileKernels::rowsOfTurned(Value *Left, Value *IsWide) {
  Value *Most = B.CreateSelect(IsWide, i64(rowsOfTurned(ThePlan.NR)),
                               i64(rowsOfTurned(ThePlan.NR / 2)));
  Value *Less = B.CreateSub(Most, i64(ThePlan.VL));
  Value *Enough = B.CreateAdd(Most, i64(ThePlan.VL));
  Value *Rows = B.CreateSelect(B.CreateICmpULE(Left, Enough), Less, Most);
  return B.CreateSelect(B.CreateICmpULE(Left, Most), Left, Rows);
}

void MacroKernel::emitTurnedTile(const Macro &X, const TurnedTile &Tile) {
  MicroArguments Call;
  for (const Macro::Factors &T : X.Terms) {
    Value *A = offset(T.B, Tile.Row, T.StrideBn);
    Value *OfB = offset(T.A, Tile.Column, T.StrideAm);
    Call.Terms.push_back({A, T.StrideBk, OfB, T.StrideAk, T.StrideAm});
  }
  Call.Groups = X.K;
  Call.C = offset(X.C, Tile.Column, X.StrideCm);
  Call.C = offset(Call.C, Tile.Row, X.StrideCn);
  Call.StrideCn = X.StrideCn;
  Call.Rows = Tile.Rows;
  Call.Shared = Tile.Shared;
  Call.Scalars = X.Arguments->Scalars;
  Value *Number = B.CreateUDiv(B.CreateSub(Tile.Rows, i64(1)), i64(ThePlan.VL));
  // Behind those of any kind, those of half as many columns first.
  unsigned Begin = FirstMicroSlot + ThePlan.MR / ThePlan.VL * ThePlan.NR;
  unsigned BeginOfWide = Begin + rowsOfTurned(ThePlan.NR / 2) / ThePlan.VL;
  Value *First = B.CreateSelect(Tile.IsWide, i64(BeginOfWide), i64(Begin));
  Value *Slot = B.CreateAdd(Number, First);
  emitMicroCall(MicroKind::Turned,
                kernelAt(X.Arguments->MicroKernels, Slot, Turned.front()),
                Call);
}

} // namespace tilesmith
