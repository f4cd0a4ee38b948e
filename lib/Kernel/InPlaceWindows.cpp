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
// the table of steps.
//
// Slivers that go over the end of a row of the image, or are at a border, have
// columns anywhere. If there are runs of many adjacent steps, all on one side of
// the borders, as of channels, another micro kernel finds the columns of each run in a
// table, zeros for those that are beyond a border then.
//
// For each run there is an entry in a table: its length, how far it is in the source
// and by how much it moves each position; and, for the sliver under way, a bit for each
// column that is inside of the image, and where the columns are.
//
// What remains to be packed are slivers of fewer columns, and of short runs: right
// before they are used for the first time, when they are still in the first-level
// cache for it.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Of few windows, and with narrow tiles for slivers that end with rows, runs are as
/// long as this.
static constexpr unsigned LongRun = 16;

/// Columns.
static constexpr unsigned WideTile = 8;

/// Of so few windows, weights come from memory about as often as they are used. If
/// they are read in place in any case, prefetching them is worth it for more.
/// (Measured on Zen 4.)
static constexpr unsigned FewWindows = 64, FewInPlace = 256;

/// Whether the micro kernel could take elements, or groups of them, as they are.
bool TileKernels::mayReadElements(const Operand &Image) const {
  if (!ThePlan.Narrow)
    return mayReadInPlace(Image);
  return !Image.IsC && !Image.X.Parts && ThePlan.keepsGroups(Image.X);
}

/// Whether slivers of windows may be read where they are.
bool TileKernels::readsWindows() const {
  const Operand &Image = Terms.front().B;
  return isGathered(Image) && mayReadElements(Image) && hasMasks() &&
         AdjacentRowsOfC && Made == Steps::All && Wanted == Half::None &&
         !ThePlan.PackB->isAlways() && !ThePlan.Engine->takesRowsOfB();
}

/// Whether they may be read run by run.
bool TileKernels::readsRuns() const {
  return readsWindows() && adjacentStep(Terms.front().B) == 0;
}

/// Shorter runs are packed: a run of a narrow tile is soon over. (Measured on Zen 4,
/// with 3 to 15 channels: in place 1.04 to 2.2 times as fast with AVX-512, .94 to 2.3
/// with AVX2.)
unsigned TileKernels::shortestRun() const {
  return ThePlan.NR >= WideTile ? 3 : 6;
}

/// Whether micro kernels leave out runs beyond a border, as the nest does.
bool TileKernels::leavesOutRuns() const {
  const Operand &Image = Terms.front().B;
  return readsRuns() && hasBorders(Image) &&
         Image.X.BeyondBorders == Beyond::NoStep &&
         ThePlan.Engine->HasSumsInVectors;
}

/// Whether slivers end with rows of the image, so that only their first or last
/// column is beyond a border on its own, and steps of that are left out as well.
bool TileKernels::leavesOutColumns() const {
  return leavesOutRuns() && !ThePlan.IsCompact;
}

/// Whether micro kernels for runs prefetch the next block of A: a line of it in each
/// step is all if tiles are whole lines high.
bool TileKernels::prefetchesWeights() const {
  return readsRuns() && mayReadInPlace(Terms.front().A) &&
         ThePlan.MR * PanelSize % ThePlan.CacheLine == 0;
}

/// Whether the first sliver of a block of A packs it, tile by tile, if it is read run
/// by run: what it loads and shuffles takes place beside its products.
bool TileKernels::packsInRuns() const {
  const Access &A = Terms.front().A.X;
  return readsRuns() && ThePlan.Narrow && ThePlan.Engine->HasSumsInVectors &&
         isUnitInTile(A, M) && mayBePlain(Terms.front().A) && !A.Parts &&
         !A.IsSymmetric && !A.isPackedFirst() && !hasOneLoopOfTiles() &&
         none_of(ThePlan.Bundled, [](const auto &D) { return D.has_value(); });
}

/// Of slivers that are read run by run. (8 + 1 columns are not two of these.)
unsigned TileKernels::fewestColumnsOfRuns() const {
  return leavesOutColumns() ? ThePlan.NR / 2 + 1 : ThePlan.NR;
}

/// Makes the kernels for whole slivers of windows, one for each number of
/// registers; and for slivers that end with a row of the image.
void TileKernels::buildWindowKernels() {
  for (unsigned Rows = ThePlan.VL; Rows <= ThePlan.MR; Rows += ThePlan.VL) {
    CornerMicro[{Rows, ThePlan.NR}] =
        unify(buildMicroKernel(Rows, ThePlan.NR, MicroKind::Windows));
    if (readsRuns())
      for (unsigned Columns = fewestColumnsOfRuns(); Columns <= ThePlan.NR;
           ++Columns)
        RunMicro[{Rows, Columns}] =
            unify(buildMicroKernel(Rows, Columns, MicroKind::Runs));
  }
  if (packsInRuns())
    for (unsigned Rows : {2 * ThePlan.VL, ThePlan.MR})
      for (unsigned Columns = fewestColumnsOfRuns(); Columns <= ThePlan.NR;
           ++Columns)
        PackingMicro[{Rows, Columns}] =
            unify(buildMicroKernel(Rows, Columns, MicroKind::PackingRuns));
}

//===-- Runs --------------------------------------------------------------===//

uint64_t TileKernels::insideOfRun() const {
  return 8 + bytesOfStep(Terms.front().B.X.Borders.size());
}

/// A run's entry in the table.
uint64_t TileKernels::bytesOfRun() const {
  return insideOfRun() + 8 + 8 * ThePlan.NR;
}

/// How many runs a block of K has. Those that it cuts are shorter.
Value *MacroKernel::mostRuns(const Macro &X) {
  return B.CreateAdd(B.CreateUDiv(X.KC, i64(shortestRun())), i64(2));
}

/// Of a block's runs, and of zeros as long as one may be.
Value *MacroKernel::bytesOfRuns(const Macro &X) {
  if (!readsRuns())
    return i64(0);
  Value *Bytes = B.CreateAdd(B.CreateMul(mostRuns(X), i64(bytesOfRun())),
                             B.CreateMul(X.KC, i64(PanelSize)));
  return alignUp(Bytes, CacheLine);
}

/// Writes the runs of the block of K, if they are long.
void MacroKernel::emitRuns(Macro &X) {
  if (!readsRuns())
    return;
  Macro::Numbers &Of = X.Gathered[N];
  Of.NumRuns = variableIn(*X.F, I64, "num.runs");
  Of.Zeros = offset(Of.Runs, mostRuns(X), i64(bytesOfRun()));
  const Digit &Lowest = Of.OfStep.front();
  Value *AreLong = B.CreateICmpUGE(Lowest.Extent, i64(shortestRun()));
  emitIf(B.CreateAnd(AreLong, X.Terms.front().ReadWindows), "runs", [&] {
    B.CreateMemSet(Of.Zeros, B.getInt8(0), B.CreateMul(X.KC, i64(PanelSize)),
                   Align(8));
    B.CreateStore(i64(0), Of.NumRuns);
    emitLoop(i64(0), X.Groups, "run", [&](Value *Step) {
      NumberedPlace At =
          placeOfNumber(B.CreateAdd(groupsOf(X.Pc), Step), Of.OfStep);
      Value *Length = umin(B.CreateSub(Lowest.Extent, At.Indices.front()),
                           B.CreateSub(X.Groups, Step));
      Value *Number = B.CreateLoad(I64, Of.NumRuns);
      Value *Run = offset(Of.Runs, Number, i64(bytesOfRun()));
      SmallVector<Value *, 4> Fields = {Length, At.Distance};
      append_range(Fields, At.Positions);
      for (auto [I, V] : enumerate(Fields))
        B.CreateAlignedStore(V, B.CreatePtrAdd(Run, i64(8 * I)), Align(8));
      B.CreateStore(B.CreateAdd(Number, i64(1)), Of.NumRuns);
      return Length;
    });
  });
}

/// The columns of a sliver whose first one is \p At: how far each is, and its
/// positions, as vectors.
MacroKernel::ColumnVectors MacroKernel::columnsFrom(const Macro &X,
                                                    NumberedPlace At) {
  ColumnVectors Columns;
  for (unsigned J = 0; J < ThePlan.NR; ++J) {
    SmallVector<Value *, 3> Fields = {At.Distance};
    append_range(Fields, At.Positions);
    Columns.resize(Fields.size(),
                   PoisonValue::get(FixedVectorType::get(I64, ThePlan.NR)));
    for (auto [All, Field] : zip_equal(Columns, Fields))
      All = B.CreateInsertElement(All, Field, J);
    goToNext(At, X.Gathered[N].OfLine);
  }
  return Columns;
}

/// Writes where the columns of the sliver whose first one is \p First are in each
/// run, and which are inside.
void MacroKernel::emitColumnsOfRuns(const Macro &X,
                                    const NumberedPlace &First) {
  const Macro::Numbers &Of = X.Gathered[N];
  ColumnVectors Columns = columnsFrom(X, First);
  auto All = [&](Value *V) { return B.CreateVectorSplat(ThePlan.NR, V); };
  Value *Source = X.Terms.front().B;
  emitLoop(
      i64(0), B.CreateLoad(I64, Of.NumRuns), i64(1), "run", [&](Value *Number) {
        Value *Run = offset(Of.Runs, Number, i64(bytesOfRun()));
        auto Field = [&](uint64_t At) { return B.CreatePtrAdd(Run, i64(At)); };
        auto Move = [&](unsigned I) {
          return All(B.CreateAlignedLoad(I64, Field(8 + 8 * I), Align(8)));
        };
        Value *Places = B.CreateGEP(B.getInt8Ty(), Source,
                                    B.CreateAdd(Columns.front(), Move(0)));
        if (!Of.Borders.empty()) {
          Value *Inside = All(B.getTrue());
          for (auto [I, Border] : enumerate(Of.Borders))
            Inside = B.CreateAnd(
                Inside,
                B.CreateICmpULT(B.CreateAdd(Columns[I + 1], Move(I + 1)),
                                All(Border.Extent)));
          Places = B.CreateSelect(Inside, Places, All(Of.Zeros));
          Value *Bits = B.CreateBitCast(Inside, B.getIntNTy(ThePlan.NR));
          if (DL.isBigEndian())
            Bits = B.CreateUnaryIntrinsic(Intrinsic::bitreverse, Bits);
          B.CreateAlignedStore(B.CreateZExt(Bits, I64), Field(insideOfRun()),
                               Align(8));
        }
        B.CreateAlignedStore(Places, Field(insideOfRun() + 8), Align(8));
      });
}

//===-- Slivers -----------------------------------------------------------===//

/// i1: whether an image has so few windows that weights are not worth packing.
Value *MacroKernel::hasFewWindows(const Macro &X) {
  return B.CreateICmpULE(X.N, i64(FewWindows));
}

/// The rows of a block of A. Of few windows, weights come from memory, a block while the
/// one before is used: of two large ones, lines leave the second-level cache too early.
/// (Zen 4, a layer of 512 kernels in an image of 7 x 7: 1.04 to 1.15 times as fast with
/// a third of the rows. Fewer than 48, with AVX2, are .8 to .9 times as fast.)
Value *MacroKernel::rowsOfWindows(const Macro &X) {
  constexpr uint64_t Fewest = 48;
  const uint64_t OfFew = std::max(llvm::alignDown(ThePlan.MC / 3, ThePlan.MR),
                                  llvm::alignTo(Fewest, ThePlan.MR));
  return B.CreateSelect(hasFewWindows(X), umin(X.MC, i64(OfFew)), X.MC, "rows");
}

/// Of few windows, weights are read in place however far their steps are spread:
/// their kernels prefetch the next block, and so read plain matrices run by run,
/// too.
void MacroKernel::emitFewWindows(Macro &X, Value *MayRead) {
  Macro::Factors &T = X.Terms.front();
  Macro::Numbers &Of = X.Gathered[N];
  Value *AreLong = B.CreateICmpUGE(Of.OfStep.front().Extent, i64(LongRun));
  Value *IsUpwards = B.CreateICmpSGE(T.StrideAk, i64(0));
  Value *HasFewInPlace =
      B.CreateAnd(T.ReadA, B.CreateICmpULE(X.N, i64(FewInPlace)));
  Value *AreFew = B.CreateAnd({MayRead, T.ReadWindows, AreLong, IsUpwards,
                               B.CreateOr(hasFewWindows(X), HasFewInPlace)});
  AreFew->setName("few.windows");
  T.ReadA = B.CreateOr(T.ReadA, AreFew);
  Of.IsPlain = B.CreateAnd(Of.IsPlain, B.CreateNot(AreFew));
  Of.AreFew = AreFew;
}

/// i1: whether slivers end with the rows of the image, if steps are left out by
/// that, or windows are few: seven columns of an image of 7 x 7 are as fast as eight
/// and five. Runs must be long, and rows no shorter than a sliver may be.
Value *MacroKernel::endWithRows(const Macro &X) {
  const Macro::Numbers &Of = X.Gathered[N];
  Value *InRow = Of.OfLine.front().Extent;
  const unsigned Shortest = ThePlan.NR >= WideTile ? shortestRun() : LongRun;
  Value *IsUseful = B.CreateNot(Of.IsInside);
  if (prefetchesWeights())
    IsUseful = B.CreateOr(IsUseful, Of.AreFew);
  return B.CreateAnd({X.Terms.front().ReadWindows, IsUseful,
                      B.CreateICmpUGE(Of.OfStep.front().Extent, i64(Shortest)),
                      B.CreateICmpUGE(InRow, i64(fewestColumnsOfRuns())),
                      B.CreateICmpNE(InRow, i64(ThePlan.NR + 1))});
}

/// The columns of the sliver that begins at \p Jr, and ends with a row of the
/// image or before it: 8 + 8 + 1 become 6 + 6 + 5.
Value *MacroKernel::columnsInRow(const Macro &X, Value *Jr) {
  Value *Extent = X.Gathered[N].OfLine.front().Extent;
  Value *Begin = B.CreateURem(B.CreateAdd(X.Jc, Jr), Extent);
  Value *Left = B.CreateSub(Extent, Begin);
  Value *Balanced = ceilDiv(Left, ceilDiv(Left, i64(ThePlan.NR)));
  return umin(Balanced, B.CreateSub(X.Nb, Jr));
}

/// Where the first sliver begins: in the middle, if slivers end with rows. Only those
/// at a border leave out steps, of which A would have to be packed all the same.
Value *MacroKernel::firstSliver(const Macro &X) {
  Value *Middle = B.CreateAdd(X.Jc, B.CreateLShr(X.Nb, i64(1)));
  Value *Row = B.CreateURem(Middle, X.Gathered[N].OfLine.front().Extent);
  Value *Begin = B.CreateBinaryIntrinsic(Intrinsic::usub_sat,
                                         B.CreateSub(Middle, Row), X.Jc);
  return B.CreateSelect(X.Terms.front().EndWithRows, Begin, i64(0));
}

/// i1: whether the columns of the sliver under way, of which the first one is
/// \p First, are equally far apart, and inside of the image in all steps of the
/// block.
Value *MacroKernel::areWindowsInPlace(const Macro &X,
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

/// i1: whether the sliver under way may be read run by run.
Value *MacroKernel::mayReadRuns(const Macro &X) {
  Value *AreLong =
      B.CreateICmpUGE(X.Gathered[N].OfStep.front().Extent, i64(shortestRun()));
  return B.CreateAnd({AreLong, X.Terms.front().ReadWindows,
                      B.CreateICmpUGE(X.Columns, i64(fewestColumnsOfRuns()))});
}

/// i1: whether the sliver under way may be the one that packs the block of A.
Value *MacroKernel::mayPackBlock(const Macro &X) {
  Value *MayPack = B.CreateAnd(X.IsFirstSliver, mayReadRuns(X));
  if (isGathered(X.Terms.front().Of->A))
    MayPack = B.CreateAnd(MayPack, X.Gathered[M].IsPlain);
  return MayPack;
}

/// Packs the block of A for its first sliver, but for what that packs itself.
void MacroKernel::emitPackForSlivers(Macro &X, Split Rows) {
  Macro::Factors &T = X.Terms.front();
  T.PacksBlock = B.CreateAnd(T.IsOfRuns, mayPackBlock(X));
  // There are no micro kernels for ragged panels, nor for a single register.
  Value *Rest = B.CreateSub(X.Mb, Rows.Regular);
  T.PacksRest = B.CreateAnd(
      {T.PacksBlock, B.CreateIsNull(B.CreateURem(Rest, i64(ThePlan.VL))),
       B.CreateICmpNE(Rest, i64(ThePlan.VL))});
  emitIf(X.IsFirstSliver, "pack.a", [&] {
    Value *From = B.CreateSelect(T.PacksBlock, Rows.Regular, T.PackedFromM);
    From = B.CreateSelect(T.PacksRest, X.Mb, From);
    Value *Dst = B.CreateMul(B.CreateSub(From, T.PackedFromM), X.Groups);
    emitPack(X, T.Of->A, element(T.Block, Dst), {T.A, T.StrideAm, T.StrideAk},
             B.CreateAdd(X.Ic, From), B.CreateSub(X.Mb, From), T.PanelsOfRow);
  });
}

/// Whether the sliver under way, of which the first column is \p First, is read where
/// it is, and by which kernels.
void MacroKernel::findWindows(const Macro &X, const NumberedPlace &First,
                              const SliverOfWindows &Of) {
  const Macro::Factors &T = X.Terms.front();
  Value *IsWindows = areWindowsInPlace(X, First);
  if (packsInRuns())
    IsWindows = B.CreateAnd(IsWindows, B.CreateNot(mayPackBlock(X)));
  B.CreateStore(IsWindows, Of.IsWindows);
  B.CreateStore(B.CreatePtrAdd(T.B, First.Distance), Of.Windows);
  if (!readsRuns())
    return;
  Value *IsOfRuns = B.CreateAnd(B.CreateNot(IsWindows), mayReadRuns(X));
  B.CreateStore(IsOfRuns, Of.IsOfRuns);
  emitIf(IsOfRuns, "columns", [&] { emitColumnsOfRuns(X, First); });
}

/// Finds the sliver under way of a factor that is gathered: it is packed with the
/// first block of A, unless it is read in place, or the factor is a plain matrix.
void MacroKernel::emitSliverOfWindows(Macro &X) {
  Macro::Factors &T = X.Terms.front(); // there is no other
  const Macro::Numbers &Of = X.Gathered[N];
  Value *Number = B.CreateAdd(X.Jc, X.Jr);
  Value *IsGathered = B.CreateNot(T.BInPlace);
  if (mayBePlain(T.Of->B))
    IsGathered = B.CreateAnd(IsGathered, B.CreateNot(Of.IsPlain));
  Value *IsPacked = IsGathered;
  if (readsWindows()) {
    SliverOfWindows Found;
    for (AllocaInst **Is : {&Found.IsWindows, &Found.IsOfRuns}) {
      *Is = variableIn(*X.F, B.getInt1Ty(), "in.place");
      B.CreateStore(B.getFalse(), *Is);
    }
    Found.Windows = variableIn(*X.F, Ptr, "windows");
    B.CreateStore(T.B, Found.Windows);
    emitIf(IsGathered, "windows.of.sliver", [&] {
      findWindows(X, placeOfNumber(Number, Of.OfLine, Of.Borders), Found);
    });
    T.IsWindows = B.CreateLoad(B.getInt1Ty(), Found.IsWindows);
    T.IsOfRuns = B.CreateLoad(B.getInt1Ty(), Found.IsOfRuns);
    T.Windows = B.CreateLoad(Ptr, Found.Windows);
    IsPacked = B.CreateAnd(
        {IsGathered, B.CreateNot(T.IsWindows), B.CreateNot(T.IsOfRuns)});
  }
  emitIf(B.CreateAnd(IsPacked, X.IsFirstBlock), "pack", [&] {
    emitGatheredPack(X, T.Of->B, T.Sliver, T.B, Number, X.Columns);
  });
}

/// A line of A is prefetched with each step: of the tile's rows in the next block, a
/// line of each row of a group with each of the first slivers. So blocks come from
/// memory while others are used, not all at once. Lines are told by their last byte:
/// tiles of packed bytes end within a line, of which the next one has the rest.
void MacroKernel::setLaterLineOfA(const Macro &X, const TileRows &R,
                                  MicroArguments &Call) {
  const Macro::Factors &T = X.Terms.front();
  const Access &A = T.Of->A.X;
  Value *IsBelow = B.CreateICmpULT(B.CreateAdd(X.Ic, X.MC), X.M);
  Value *ToNext = B.CreateSelect(IsBelow, B.CreateMul(X.MC, T.StrideAm),
                                 B.CreateSub(B.CreateMul(X.Kb, T.StrideAk),
                                             B.CreateMul(X.Ic, T.StrideAm)));
  Value *Number = B.CreateUDiv(X.Jr, i64(ThePlan.NR));
  Value *Line = B.CreateMul(B.CreateUDiv(Number, i64(groupSteps())),
                            i64(ThePlan.CacheLine));
  Value *Bytes = B.CreateMul(R.Count, i64(DL.getTypeStoreSize(A.ElemTy)));
  Value *Last = umin(B.CreateAdd(Line, i64(ThePlan.CacheLine)), Bytes);
  Value *From = offset(T.SrcA, R.Begin, T.StrideAm);
  Value *Later = offset(B.CreatePtrAdd(From, ToNext),
                        B.CreateURem(Number, i64(groupSteps())), T.StrideAk);
  Later = B.CreatePtrAdd(Later, B.CreateSub(Last, i64(1)));
  Value *IsOfTile = B.CreateICmpULT(Line, Bytes);
  Call.LaterA = B.CreateSelect(IsOfTile, Later, From);
  Call.StrideLater = B.CreateSelect(
      IsOfTile, B.CreateMul(T.StrideAk, i64(groupSteps())), i64(0));
}

/// Calls the micro kernel of a tile of windows in place, or does as \p Else does.
void MacroKernel::emitIfWindows(const Macro &X, const TileRows &R,
                                MicroArguments Call,
                                function_ref<void()> Else) {
  if (!readsWindows())
    return Else();
  const Macro::Factors &T = X.Terms.front();
  Call.Terms.front().B = T.Windows;
  Call.Terms.front().StrideBn = T.StrideBn;
  Call.Table = X.Gathered[N].Table;
  if (prefetchesLaterA(MicroKind::Windows))
    setLaterLineOfA(X, R, Call);
  auto CallOfWindows = [&] {
    emitMicroCall(MicroKind::Windows, X.Arguments->MicroKernels,
                  paddedRows(R.Count), i64(ThePlan.NR), Call);
  };
  if (!readsRuns())
    return emitIf(T.IsWindows, "windows", CallOfWindows, Else);
  const Macro::Numbers &Of = X.Gathered[N];
  Call.Runs = Of.Runs;
  auto CallOfRuns = [&] {
    Call.NumRuns = B.CreateLoad(I64, Of.NumRuns);
    auto CallOf = [&](MicroKind Kind, Value *Rows) {
      emitMicroCall(Kind, X.Arguments->MicroKernels, Rows, X.Columns, Call);
    };
    Value *Padded = R.IsWhole ? i64(ThePlan.MR) : paddedRows(R.Count);
    if (!packsInRuns())
      return CallOf(MicroKind::Runs, Padded);
    Call.SourceA = offset(T.SrcA, R.Begin, T.StrideAm);
    Call.StrideSource = T.StrideAk;
    emitIf(
        R.IsWhole ? T.PacksBlock : T.PacksRest, "packs",
        [&] { CallOf(MicroKind::PackingRuns, Padded); },
        [&] { CallOf(MicroKind::Runs, Padded); });
  };
  emitIf(T.IsWindows, "windows", CallOfWindows,
         [&] { emitIf(T.IsOfRuns, "of.runs", CallOfRuns, Else); });
}

} // namespace tilesmith
