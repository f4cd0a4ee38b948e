//===- Tiles.cpp - the tiles of a block -----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of its elements and steps are wanted, and where its factors are, decide
// how a tile is computed: by its micro kernel, or through tilesmith.tile.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// The tile of \p Rows rows from \p Ir on. \p IsWhole: Rows is MR.
void MacroKernel::emitTile(Macro &X, Value *Ir, Value *Rows, bool IsWhole) {
  TileRows R{Ir, Rows, IsWhole, Ir, Rows};
  if (Made != Steps::All)
    return emitBoundedSteps(X, R);
  StepRange AllSteps{i64(0),  X.Groups,           X.FirstK,
                     X.LastK, /*IsCorner=*/false, /*Soon=*/X.LastK};
  if (Wanted == Half::None)
    return emitSteps(X, R, AllSteps);
  Value *Diagonal = diagonalOfTile(X, Ir);
  emitIf(isAnyWanted(Rows, X.Columns, Diagonal), "wanted", [&] {
    // Registers of which no element is wanted, in any column.
    if (Wanted == Half::Lower) {
      Value *Skipped =
          alignDown(clamp(B.CreateNeg(Diagonal), Rows), ThePlan.VL);
      R.Begin = B.CreateAdd(Ir, Skipped);
      R.Count = B.CreateSub(Rows, Skipped);
    } else {
      R.Count = umin(
          alignUp(B.CreateSub(onDiagonal(X.Columns), Diagonal), ThePlan.VL),
          Rows);
    }
    emitSteps(X, R, AllSteps);
  });
}

/// A tile makes all steps on one side of its corner at the diagonal, and
/// element by element those in the corner. Each in its order: the corner comes
/// first if steps begin at the diagonal, and last if they end there.
void MacroKernel::emitBoundedSteps(Macro &X, const TileRows &R) {
  bool ByRow = BoundOfK == tilesmith::M;
  Value *Extent = inSteps(ByRow ? R.Count : X.Columns);
  Value *Place = ByRow ? B.CreateAdd(X.Ic, R.Begin) : B.CreateAdd(X.Jc, X.Jr);
  Value *Diagonal = B.CreateAdd(X.Diagonal, inSteps(Place));
  // In steps of the block: the corner, from the first row or column's end of it
  // to the last one's.
  Value *Begin = B.CreateSub(Diagonal, X.Pc);
  if (Made == Steps::To)
    Begin = B.CreateAdd(Begin, i64(1));
  Value *End = B.CreateAdd(Begin, B.CreateSub(Extent, i64(1)));
  Value *CornerBegin = clamp(Begin, X.Kb), *CornerEnd = clamp(End, X.Kb);
  Value *CornerCount = B.CreateSub(CornerEnd, CornerBegin);
  Value *HasCorner = B.CreateICmpNE(CornerBegin, CornerEnd);
  // The steps begin, or end, in this block, or else in another one.
  bool IsFrom = Made == Steps::From;
  Value *FullBegin = IsFrom ? CornerEnd : i64(0);
  Value *FullCount = IsFrom ? B.CreateSub(X.Kb, CornerEnd) : CornerBegin;
  Value *HasFull = B.CreateICmpNE(FullCount, i64(0));
  Value *First = X.FirstK, *Last = X.LastK;
  if (IsFrom)
    First = B.CreateOr(First, B.CreateICmpSGE(Begin, i64(0)));
  else
    Last = B.CreateOr(Last, B.CreateICmpSLE(End, X.Kb));
  StepRange Corner{CornerBegin, CornerCount,       First,
                   Last,        /*IsCorner=*/true, /*Soon=*/Last};
  StepRange Full{FullBegin, FullCount,          First,
                 Last,      /*IsCorner=*/false, /*Soon=*/Last};
  if (IsFrom) {
    Full.First = B.CreateAnd(First, B.CreateNot(HasCorner));
    Full.Soon = B.CreateAnd(Last, B.CreateNot(HasCorner));
    Corner.Last = B.CreateAnd(Last, B.CreateNot(HasFull));
  } else {
    Full.Last = B.CreateAnd(Last, B.CreateNot(HasCorner));
    Corner.First = B.CreateAnd(First, B.CreateNot(HasFull));
    Corner.Soon = B.CreateAnd(Last, B.CreateNot(HasFull));
  }
  auto EmitCorner = [&] {
    emitIf(HasCorner, "corner", [&] { emitSteps(X, R, Corner); });
  };
  if (IsFrom)
    EmitCorner();
  emitIf(HasFull, "full", [&] {
    if (!IsFrom && ByRow)
      prefetchCorner(X, Corner);
    emitSteps(X, R, Full);
  });
  if (!IsFrom)
    EmitCorner();
}

/// Brings the sliver's steps \p Corner, which no tile before this one has made, if
/// tiles come in the order of rows.
void MacroKernel::prefetchCorner(Macro &X, const StepRange &Corner) {
  for (const Macro::Factors &T : X.Terms) {
    Value *From = offset(T.Sliver, Corner.Begin, T.SliverStrideK);
    Value *Bytes = B.CreateMul(Corner.Count, T.SliverStrideK);
    Bytes = B.CreateSelect(T.BInPlace, i64(0), Bytes);
    emitLoop(i64(0), Bytes, i64(ThePlan.CacheLine), "soon", [&](Value *Line) {
      prefetch(B.CreatePtrAdd(From, Line), ThePlan.CacheLine,
               ThePlan.CacheLine);
    });
  }
}

/// The diagonal that bounds k, counted from the tile's first element and from
/// the step \p Begin of the block.
Value *MacroKernel::diagonalOfSteps(Macro &X, Value *Ir, Value *Begin) {
  Value *P = BoundOfK == tilesmith::M ? B.CreateAdd(X.Ic, Ir)
                                      : B.CreateAdd(X.Jc, X.Jr);
  Value *Diagonal = B.CreateAdd(X.Diagonal, inSteps(P));
  return B.CreateSub(Diagonal, B.CreateAdd(X.Pc, Begin));
}

/// The diagonal, counted from the tile's first element.
Value *MacroKernel::diagonalOfTile(Macro &X, Value *Ir) {
  Value *Diagonal = B.CreateAdd(X.Diagonal, B.CreateAdd(X.Ic, Ir));
  return B.CreateSub(Diagonal, onDiagonal(B.CreateAdd(X.Jc, X.Jr)));
}

/// Where the sums of a tile are, if they do not rest in C.
FurtherPlace MacroKernel::sumsOfTile(const Macro &X, const TileRows &R) {
  if (!SumsApart)
    return {};
  Value *Number =
      B.CreateAdd(B.CreateAdd(X.Ic, R.Begin), B.CreateMul(X.Jr, X.SumsLd));
  Number = B.CreateSelect(X.HasTileOfSums, i64(0), Number);
  return {offset(X.Sums, Number, i64(Size)), i64(Size),
          B.CreateMul(X.SumsLd, i64(Size))};
}

/// Whether functions are called between micro kernels, which may be anybody's.
bool MacroKernel::callsFunctions() const {
  auto Calls = [](const Expression *E) { return !E->isLanewise(); };
  return Calls(&Op.Start) ||
         (Op.After && any_of(Op.After->expressions(), Calls));
}

/// Makes \p Steps for the rows \p R and, if these are the last ones, what
/// becomes of the sums. What may be made again at borders waits for that.
void MacroKernel::emitSteps(Macro &X, const TileRows &R,
                            const StepRange &Steps) {
  if ((!Op.After && !startsApart()) || needsExactSums())
    return emitSums(X, R, Steps, {});
  PartOfC Of{B.CreateAdd(X.Ic, R.Begin), B.CreateAdd(X.Jc, X.Jr), R.Count,
             X.Columns};
  if (Wanted != Half::None)
    Of.Diagonal = diagonalOfTile(X, R.Begin);
  Of.Sums = sumsOfTile(X, R);
  if (startsApart())
    emitIf(Steps.First, "start", [&] { emitStart(X, Of); });
  if (Op.After && !X.IsDirect)
    emitIf(Steps.Soon, "soon", [&] { prefetchForEpilogue(X, Of); });
  if (callsFunctions())
    ThePlan.Engine->emitConfiguration(B);
  emitSums(X, R, Steps, Of.Sums);
  if (Op.After)
    emitIf(Steps.Last, "epilogue", [&] { emitEpilogue(X, Of); });
}

/// \p Sums: where they rest, if not in C.
void MacroKernel::emitSums(Macro &X, const TileRows &R, const StepRange &Steps,
                           const FurtherPlace &Sums) {
  MicroArguments Call;
  Value *AnyInPlace = B.getFalse();
  for (Macro::Factors &T : X.Terms) {
    Value *AInPlace = isInPlace(X, R.Panel, T.PackedFromM);
    Value *Packed = element(
        T.Block, B.CreateMul(B.CreateSub(R.Panel, T.PackedFromM), X.Groups));
    Value *PanelA = offset(T.SrcA, R.Begin, T.StrideAm);
    PanelA = B.CreateSelect(AInPlace, PanelA,
                            element(Packed, B.CreateSub(R.Begin, R.Panel)));
    Value *StrideAk =
        B.CreateSelect(AInPlace, T.StrideAk,
                       B.CreateMul(paddedRows(R.PanelRows), i64(PanelSize)));
    Call.Terms.push_back({offset(PanelA, Steps.Begin, StrideAk), StrideAk,
                          offset(T.Sliver, Steps.Begin, T.SliverStrideK),
                          T.SliverStrideK, T.SliverStrideN});
    AnyInPlace = B.CreateOr({AnyInPlace, AInPlace, T.BInPlace});
  }
  Call.Groups = Steps.Count;
  Call.Corrections = X.SliverCorrections;
  Call.C = offset(X.C, rowOfFirstLane(B.CreateAdd(X.Ic, R.Begin), R.Count),
                  X.StrideCm);
  Call.C = offset(Call.C, B.CreateAdd(X.Jc, X.Jr), X.StrideCn);
  Call.StrideCn = X.StrideCn;
  Value *StrideCm = strideOfLanes(X.StrideCm);
  if (SumsApart) {
    Call.C = Sums.Base;
    Call.StrideCn = Sums.StrideN;
    StrideCm = Sums.StrideM;
  }
  Call.Ahead = X.Ahead;
  // The sums of earlier blocks of K are in C, or in a buffer.
  if (!SumsInC) {
    Value *Row = B.CreateAdd(X.Ic, R.Begin);
    Value *Number = B.CreateAdd(Row, B.CreateMul(X.Jr, X.SumsLd));
    Call.P = offset(X.Sums, Number, i64(Size));
  }
  Call.StridePn = B.CreateMul(X.SumsLd, i64(Size));
  Call.First = Steps.First;
  Call.Last = Steps.Last;
  Call.Rows = R.Count;
  if (Steps.IsCorner && BoundOfK == tilesmith::M)
    Call.Diagonal =
        rowOfFirstLane(diagonalOfSteps(X, R.Begin, Steps.Begin), R.Count);
  else if (Steps.IsCorner)
    Call.Diagonal = diagonalOfSteps(X, R.Begin, Steps.Begin);
  else if (Wanted != Half::None)
    Call.Diagonal = diagonalOfTile(X, R.Begin);
  Call.Scalars = X.Arguments->Scalars;
  auto EmitCall = [&] { emitCall(X, R, Steps, Call, StrideCm, AnyInPlace); };
  if (Op.Rest)
    emitWithRest(X, R, Call, EmitCall);
  else
    emitIfWindows(X, R, Call, EmitCall);
}

/// i1: whether C comes from behind the second-level cache, and \p Steps leave no
/// time for it. (Measured on Zen 4 and 5: of a C in that cache, prefetches are a
/// fiftieth of the time of 64 steps.)
Value *MacroKernel::comesLate(const Macro &X, const StepRange &Steps) {
  constexpr unsigned FewSteps = 64;
  Value *IsFar =
      B.CreateICmpUGE(B.CreateMul(X.M, X.N), i64(4 * ThePlan.FarBytes / Size));
  return B.CreateAnd(B.CreateICmpULE(Steps.Count, i64(FewSteps)), IsFar);
}

/// Calls the micro kernel of a tile, or what cuts it for several ones.
/// \p AnyInPlace: a factor is not packed.
void MacroKernel::emitCall(Macro &X, const TileRows &R, const StepRange &Steps,
                           const MicroArguments &Call, Value *StrideCm,
                           Value *AnyInPlace) {
  Value *MicroKernels = X.Arguments->MicroKernels;
  auto CallTile = [&] {
    TileArguments Arguments{Call, StrideCm, X.Columns, MicroKernels};
    bool IsCorner = Steps.IsCorner;
    B.CreateCall(kernelAt(MicroKernels,
                          i64(IsCorner ? CornerTileSlot : TileSlot),
                          IsCorner ? CornerTile : Tile),
                 parametersOf(Arguments, IsCorner).values());
  };
  auto CallAtEdge = [&] {
    emitMicroCall(MicroKind::Any, MicroKernels, paddedRows(R.Count), X.Columns,
                  Call);
  };
  if (X.IsDirect && cutsTiles())
    return emitCallAtDiagonal(Call, MicroKernels, X.Columns, R.IsCut);
  auto CallKernel = [&] {
    if (edgesPrefetch())
      emitIf(comesLate(X, Steps), "shallow",
             [&] { prefetchLater(Call, R.Count, X.Columns); });
    CallAtEdge();
  };
  if (X.IsDirect)
    return CallAtEdge();
  if (callsKernelsOnly() && !R.IsWhole)
    return CallKernel();
  // Tiles that need no padding go straight to their kernel: those of MR rows,
  // and among the rest those of the second size.
  unsigned DirectRows = R.IsWhole ? ThePlan.MR : ThePlan.SecondMR;
  if (!AdjacentRowsOfC || !DirectRows || (hasMasks() && !R.IsWhole))
    return CallTile();
  auto CallDirect = [&] {
    MicroKind Kind = Steps.IsCorner ? MicroKind::Corner : MicroKind::Any;
    auto CallAny = [&] {
      emitMicroCall(Kind, MicroKernels, i64(DirectRows), i64(ThePlan.NR), Call);
    };
    if (Steps.IsCorner || !R.IsWhole || !hasPackedKernel())
      return CallAny();
    emitIf(AnyInPlace, "in.place", CallAny, [&] {
      emitMicroCall(MicroKind::Packed,
                    kernelAt(MicroKernels, i64(PackedSlot), PackedMicro), Call);
    });
  };
  SmallVector<Value *, 4> Direct = {B.CreateICmpEQ(R.Count, i64(DirectRows)),
                                    B.CreateICmpEQ(X.Columns, i64(ThePlan.NR))};
  if (callsKernelsOnly())
    return emitIf(B.CreateAnd(Direct), "direct", CallDirect, CallKernel);
  Direct.push_back(isWholeElements(Call.StrideCn));
  if (Wanted != Half::None)
    Direct.push_back(isAllWanted(R.Count, X.Columns, Call.Diagonal));
  emitIf(B.CreateAnd(Direct), "direct", CallDirect, CallTile);
}

} // namespace tilesmith
