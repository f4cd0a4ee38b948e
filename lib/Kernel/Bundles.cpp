//===- Bundles.cpp - more dimensions than three ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The outer dimensions of a contraction are more of M, N or K, or batches. Most
// are loops around the blocks. Of M, N and K each, one is bundled: a block has
// several of its values, which are packed together.
//
//   batches, more of N                     emitOuter(Around)
//     the bundle of N, by blocks           emitBundles(N)
//       jc
//         more of K                        emitOuter(Sums)
//           the bundle of K, by blocks     emitBundles(K)
//             pc, pack B
//               more of M                  emitOuter(Rows)
//                 ic
//                   the bundle of M        emitBundles(M)
//                     pack A, tiles        emitTilesOfBlock
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Which loop around the micro kernel goes through outer dimension number
/// \p Outer. Rows may do so within a block of K only where sums rest in C.
MacroKernel::OuterPlace MacroKernel::placeOf(unsigned Outer) const {
  const Index &D = Op.Outer[Outer];
  if (ThePlan.Gathered && ThePlan.Gathered->contains(Outer))
    return OuterPlace::Bundled;
  if (D.isBatch() ? ThePlan.LaneIndex == Outer
                  : ThePlan.Bundled[D.Bundle] == Outer)
    return OuterPlace::Bundled;
  if (D.Bundle == tilesmith::K)
    return OuterPlace::Sums;
  return D.Bundle == tilesmith::M && SumsInC && !SumsApart && !borderedOperand()
             ? OuterPlace::Rows
             : OuterPlace::Around;
}

/// Lets all operands begin at value \p Number of outer dimension \p Outer.
void MacroKernel::advance(Macro &X, unsigned Outer, Value *Number) {
  const auto *Stride = X.Arguments->Outer[Outer].Strides.begin();
  auto Advance = [&](Value *&Base) { Base = offset(Base, Number, *Stride++); };
  Advance(X.C);
  for (Macro::Factors &T : X.Terms) {
    Advance(T.A);
    Advance(T.B);
  }
  for (FurtherPlace &Of : X.Further)
    Advance(Of.Base);
  for (Macro::Numbers &Of : X.Gathered)
    for (auto [Border, Passed] : zip(Of.Borders, X.Arguments->Borders))
      Border.Start =
          B.CreateAdd(Border.Start, B.CreateMul(Number, Passed.Outer[Outer]));
}

/// The outer dimensions at \p At, from number \p From on. Within \p Body, the
/// operands begin where the dimensions are.
void MacroKernel::emitOuter(Macro &X, OuterPlace At, function_ref<void()> Body,
                            unsigned From) {
  while (From < Op.Outer.size() && placeOf(From) != At)
    ++From;
  if (From == Op.Outer.size())
    return Body();
  Value *Extent = X.Arguments->Outer[From].Extent;
  std::string Name = "outer" + std::to_string(From);
  emitLoop(i64(0), Extent, i64(1), Name, [&](Value *I) {
    Macro Before = X;
    advance(X, From, I);
    if (At == OuterPlace::Sums) {
      Value *Next = B.CreateAdd(I, i64(1));
      X.FirstSum = B.CreateAnd(X.FirstSum, B.CreateIsNull(I));
      X.LastSum = B.CreateAnd(X.LastSum, B.CreateICmpEQ(Next, Extent));
    }
    emitOuter(X, At, Body, From + 1);
    X = Before;
  });
}

/// Decides how many values of the dimension that is bundled with \p D are in a
/// block, of which one takes \p Extent and all may take \p Limit; a multiple of
/// \p Granule, if there are as many.
void MacroKernel::sizeBundle(Macro &X, Dim D, Value *Extent, Value *Limit,
                             Value *Granule) {
  Macro::Bundle &Of = X.Bundles[D];
  Of.PerBlock = Of.Count = i64(1);
  if (!ThePlan.Bundled[D])
    return;
  Of.Extent = X.Arguments->Outer[*ThePlan.Bundled[D]].Extent;
  Value *Fitting = B.CreateBinaryIntrinsic(Intrinsic::umax,
                                           B.CreateUDiv(Limit, Extent), i64(1));
  Value *Balanced = ceilDiv(Of.Extent, ceilDiv(Of.Extent, Fitting));
  Value *Granules = ceilDiv(Balanced, Granule);
  Of.PerBlock = umin(B.CreateMul(Granules, Granule), Of.Extent);
}

/// The steps of a block. Where a factor is adjacent along what is bundled with
/// k, there are lines enough for squares, even if that makes the block deeper
/// than it would be, as long as a panel of A stays in three quarters of the
/// second-level cache.
void MacroKernel::sizeDepth(Macro &X) {
  Value *Granule = i64(1);
  if (unsigned Edge = edgeOfLines(X, tilesmith::K)) {
    uint64_t MaxSteps =
        ThePlan.FarBytes / 2 * 3 / (Edge * ThePlan.MR * PanelSize);
    Value *IsDeep = B.CreateICmpULE(X.K, i64(MaxSteps));
    X.NumBlocks = B.CreateSelect(IsDeep, i64(1), X.NumBlocks);
    X.KC = B.CreateSelect(IsDeep, alignUp(X.K, ThePlan.depthMultiple()), X.KC);
    Granule = B.CreateSelect(IsDeep, i64(Edge), i64(1));
  }
  sizeBundle(X, tilesmith::K, X.K, i64(ThePlan.KC), Granule);
}

/// How many elements a block of A may have. Where A is adjacent along what is
/// bundled with its rows, and few slivers read a block, it is larger than the
/// second-level cache: reading long lines is worth more than reading the block
/// from there.
Value *MacroKernel::elementsOfA(const Macro &X) {
  constexpr unsigned FewSlivers = 8;
  Value *Elements = i64(ThePlan.MC * ThePlan.KC);
  if (ThePlan.MaxLineElements <= ThePlan.MC * ThePlan.KC ||
      !edgeOfLines(X, tilesmith::M))
    return Elements;
  Value *HasFewSlivers = B.CreateICmpULE(X.N, i64(FewSlivers * ThePlan.NR));
  return B.CreateSelect(HasFewSlivers, i64(ThePlan.MaxLineElements), Elements);
}

/// The rows and columns of a block. What is adjacent along a bundled dimension
/// is to be read from end to end, so of a single panel's rows; at least two
/// cache lines, as they are fetched in pairs.
void MacroKernel::sizeRowsAndColumns(Macro &X) {
  const uint64_t ElementsOfPair = 2 * ThePlan.CacheLine / Size;
  auto Granule = [&](Dim D) {
    unsigned Edge = edgeOfLines(X, D);
    return i64(Edge ? alignTo(ElementsOfPair, Edge) : 1);
  };
  sizeBundle(X, tilesmith::N, X.N, i64(ThePlan.NC), Granule(tilesmith::N));
  if (!ThePlan.Bundled[tilesmith::M] && !ThePlan.Bundled[tilesmith::K])
    return sizeBundle(X, tilesmith::M, X.M, X.MC, i64(1));
  auto AtLeastATile = [&](Value *Rows) {
    return B.CreateBinaryIntrinsic(Intrinsic::umax, Rows, i64(ThePlan.MR));
  };
  X.MC = AtLeastATile(X.MC);
  Value *Rows = alignUp(X.M, ThePlan.VL);
  sizeBundle(X, tilesmith::M,
             edgeOfLines(X, tilesmith::M) ? umin(Rows, i64(ThePlan.MR)) : Rows,
             X.MC, Granule(tilesmith::M));
  if (!ThePlan.Bundled[tilesmith::M])
    return;
  // Several values leave room for fewer rows each.
  Value *Each = B.CreateUDiv(X.MC, X.Bundles[tilesmith::M].PerBlock);
  X.MC = B.CreateSelect(B.CreateICmpULE(Rows, Each), alignUp(X.M, ThePlan.MR),
                        AtLeastATile(alignDown(Each, ThePlan.MR)));
}

/// If a factor is adjacent along the dimension that is bundled with \p D: how
/// many of its values a square has; else zero.
unsigned MacroKernel::edgeOfLines(const Macro &X, Dim D) const {
  unsigned Edge = 0;
  for (const Macro::Factors &T : X.Terms)
    for (const Operand *Of : {&T.Of->A, &T.Of->B})
      if ((D == tilesmith::K || D == Of->P) && isAdjacentAlong(*Of, D))
        Edge = std::max(Edge, stripWidth(*Of));
  return Edge;
}

/// The blocks of the dimension that is bundled with \p D. Within \p Body, the
/// operands begin where the block does.
void MacroKernel::emitBundles(Macro &X, Dim D, function_ref<void()> Body) {
  if (!ThePlan.Bundled[D])
    return Body();
  const Macro::Bundle Of = X.Bundles[D];
  emitLoop(i64(0), Of.Extent, Of.PerBlock, "bundle", [&](Value *I) {
    Macro Before = X;
    advance(X, *ThePlan.Bundled[D], I);
    Value *Left = B.CreateSub(Of.Extent, I);
    X.Bundles[D].Count = umin(Left, Of.PerBlock);
    if (D == tilesmith::K) {
      X.FirstSum = B.CreateAnd(X.FirstSum, B.CreateIsNull(I));
      X.LastSum = B.CreateAnd(X.LastSum, B.CreateICmpULE(Left, Of.PerBlock));
    }
    Body();
    X = Before;
  });
}

/// Body(number) for each of a block's values of the dimension that is bundled
/// with \p D.
void MacroKernel::emitBundle(const Macro &X, Dim D,
                             function_ref<void(Value *)> Body) {
  if (!ThePlan.Bundled[D])
    return Body(i64(0));
  emitLoop(i64(0), X.Bundles[D].Count, i64(1), "bundled", Body);
}

/// How far two values of what is bundled with \p D are apart in C, in bytes.
Value *MacroKernel::strideOfC(const Macro &X, Dim D) {
  return X.Arguments->Outer[*ThePlan.Bundled[D]].Strides.front();
}

/// How far the packed panels of two values of a bundle are apart, in elements,
/// if each has \p Lines rows or columns.
Value *MacroKernel::panelsOfLine(const Macro &X, const Operand &Of,
                                 Value *Lines) {
  if (!ThePlan.Bundled[Of.P])
    return nullptr;
  Value *Elements = B.CreateMul(alignUp(Lines, Of.PanelWidth), X.Groups);
  return B.CreateAdd(Elements, i64(Of.PanelWidth));
}

/// How far two values of what is bundled with \p D are apart in \p Of, in bytes.
Value *MacroKernel::strideInBundle(const Macro &X, const Operand &Of, Dim D) {
  const Macro::Factors *T = find_if(X.Terms, [&](const Macro::Factors &T) {
    return &T.Of->A == &Of || &T.Of->B == &Of;
  });
  unsigned Operand = 2 * (T - X.Terms.begin()) + (Of.P == tilesmith::M ? 1 : 2);
  return X.Arguments->Outer[*ThePlan.Bundled[D]].Strides[Operand];
}

/// Lets C, and the factor that moves with \p D, packed or in place, begin at
/// value \p I in the block of what is bundled with it.
void MacroKernel::advanceInBlock(Macro &X, Dim D, Value *I) {
  for (Macro::Factors &T : X.Terms) {
    bool IsA = D == tilesmith::M;
    Value *&Source = IsA ? T.SrcA : T.SrcB, *&Packed = IsA ? T.Block : T.Panel;
    Value *Distance = IsA ? T.PanelsOfRow : T.PanelsOfColumn;
    const Operand &Of = IsA ? T.Of->A : T.Of->B;
    Source = offset(Source, I, strideInBundle(X, Of, D));
    Packed = element(Packed, B.CreateMul(I, Distance));
  }
  X.C = offset(X.C, I, strideOfC(X, D));
  ArrayRef<Value *> Strides = X.Arguments->Outer[*ThePlan.Bundled[D]].Strides;
  for (auto [Of, Stride] :
       zip_equal(X.Further, Strides.drop_front(Op.accesses().size())))
    Of.Base = offset(Of.Base, I, Stride);
}

/// In the order in which they are in C, as far as the caches permit: of the
/// dimensions that are bundled with M and N, and of the columns, the one with
/// the longest stride is outermost.
MacroKernel::TileOrder MacroKernel::orderOfTiles(const Macro &X) {
  Value *All = X.Bundles[tilesmith::M].Count, *One = i64(1);
  if (!ThePlan.Bundled[tilesmith::M])
    return {All, All};
  Value *OfRow = strideOfC(X, tilesmith::M);
  auto IsLongerThan = [&](Value *Other) {
    auto Length = [&](Value *Stride) {
      return B.CreateBinaryIntrinsic(Intrinsic::abs, Stride, B.getFalse());
    };
    Value *Row = Length(OfRow);
    return B.CreateICmpUGT(Row, Length(Other));
  };
  Value *Inside = B.CreateSelect(IsLongerThan(X.StrideCn), One, All);
  if (!ThePlan.Bundled[tilesmith::N])
    return {All, Inside};
  // Then all of the panel of B is read for each value.
  Value *Elements = B.CreateMul(X.Terms.front().PanelsOfColumn,
                                X.Bundles[tilesmith::N].Count);
  Value *IsNear = B.CreateICmpULE(Elements, i64(ThePlan.FarBytes / PanelSize));
  Value *IsLonger = IsLongerThan(strideOfC(X, tilesmith::N));
  return {B.CreateSelect(B.CreateAnd(IsNear, IsLonger), One, All), Inside};
}

/// The tiles of the block of A and the panel of B.
void MacroKernel::emitTilesOfBlock(Macro &X, Split Rows) {
  Value *All = X.Bundles[tilesmith::M].Count;
  auto [Outside, Inside] = orderOfTiles(X);
  auto ForRows = [&](Value *From, Value *To, Value *Step,
                     function_ref<void(Value *, Value *)> Body) {
    if (!ThePlan.Bundled[tilesmith::M])
      return Body(From, To);
    emitLoop(From, To, Step, "bundled.rows",
             [&](Value *I) { Body(I, umin(B.CreateAdd(I, Step), To)); });
  };
  ForRows(i64(0), All, Outside, [&, Inside = Inside](Value *Begin, Value *End) {
    emitBundle(X, tilesmith::N, [&](Value *I) {
      Macro Before = X;
      if (ThePlan.Bundled[tilesmith::N])
        advanceInBlock(X, tilesmith::N, I);
      ForRows(Begin, End, Inside, [&](Value *First, Value *Last) {
        X.FirstRow = First;
        X.LastRow = Last;
        emitSlivers(X, Rows);
      });
      X = Before;
    });
  });
}

/// Columns from a tile to the one that is prefetched with it, a few tiles later
/// at least: that of the next sliver, unless slivers have fewer tiles.
Value *MacroKernel::columnsAhead(const Macro &X) {
  constexpr unsigned TilesAhead = 4;
  Value *Tiles = ceilDiv(X.Mb, i64(ThePlan.MR));
  if (ThePlan.Bundled[tilesmith::M])
    Tiles = B.CreateMul(Tiles, B.CreateSub(X.LastRow, X.FirstRow));
  Value *Slivers = B.CreateBinaryIntrinsic(
      Intrinsic::umax, B.CreateUDiv(i64(TilesAhead), Tiles), i64(1));
  return B.CreateMul(Slivers, i64(ThePlan.NR));
}

} // namespace tilesmith
