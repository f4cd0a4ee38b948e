//===- Lines.cpp - packing along bundled dimensions -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several values of an outer dimension may be in one block with M, N or K. A
// panel then has a chunk of steps for each value that is bundled with K, one
// behind the other; and there is a line of panels for each that is bundled with
// the rows or columns.
//
// The source may be adjacent along such a dimension, and along no other one.
// Squares of its values and of rows (or columns) are then transposed in
// registers, and where lines are read, they are read from end to end: rows and
// steps may be pages apart.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "tilesmith/Support/MatrixIR.h"

using namespace llvm;

namespace tilesmith {

Value *KernelBuilder::depthOf(const PackArguments &Pack) {
  Value *Groups = groupsOf(Pack.Steps);
  return Pack.Chunks ? B.CreateMul(Groups, Pack.Chunks) : Groups;
}

void KernelBuilder::emitChunks(const PackArguments &Pack, Value *Dst,
                               Value *Src, Value *Width,
                               function_ref<void(Value *, Value *)> Body) {
  if (!Pack.Chunks)
    return Body(Dst, Src);
  Value *Elements = B.CreateMul(groupsOf(Pack.Steps), Width);
  emitLoop(i64(0), Pack.Chunks, i64(1), "chunk", [&](Value *I) {
    Value *To = element(Dst, B.CreateMul(I, Elements));
    Body(To, offset(Src, I, Pack.StrideChunk));
  });
}

/// Whether \p X is adjacent along the dimension that is bundled with \p D, and
/// along no other one, so that squares are to be transposed.
bool KernelBuilder::isAdjacentAlong(const Operand &X, Dim D) const {
  std::optional<unsigned> Outer = ThePlan.Bundled[D];
  return Outer && !ThePlan.Narrow && stripWidth(X) >= 2 &&
         !X.X.isUnit(X.P, DL) && !X.X.isUnit(K, DL) &&
         X.X.isUnitInOuter(*Outer, DL);
}

bool KernelBuilder::isAdjacentInBundle(const Operand &X) const {
  return isAdjacentAlong(X, X.P);
}

bool KernelBuilder::isAdjacentInChunks(const Operand &X) const {
  return isAdjacentAlong(X, K);
}

/// Whether there are enough lines for a square, and nothing is stored beyond
/// \p Width elements of a panel.
Value *KernelBuilder::isMadeOfSquares(const Operand &X, const Lines &Of,
                                      Value *Width) {
  Value *Edge = i64(stripWidth(X));
  Value *IsLong = B.CreateICmpUGE(Of.Count, Edge);
  Value *IsWhole = B.CreateIsNull(B.CreateURem(Width, Edge));
  return B.CreateAnd(IsLong, IsWhole);
}

/// A square at \p From, the beginnings of its rows, of which each line goes to
/// one place from \p To on.
void KernelBuilder::emitSquareOfLines(const Operand &X,
                                      const PackArguments &Pack,
                                      const Lines &Of, Value *To,
                                      ArrayRef<Value *> From) {
  unsigned Width = From.size();
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Width);
  emitIf(Pack.IsFar, "ahead", [&] {
    for (Value *Row : From)
      prefetch(B.CreatePtrAdd(Row, Pack.StrideK), DL.getTypeStoreSize(SrcTy),
               ThePlan.CacheLine);
  });
  SmallVector<Value *, 16> Rows;
  for (Value *Row : From)
    Rows.push_back(
        mapped(X, Pack, B.CreateAlignedLoad(SrcTy, Row, X.X.Alignment), Width));
  transposeSquare(B, Rows);
  for (Value *Row : Rows) {
    B.CreateAlignedStore(Row, To, Align(PanelSize));
    To = element(To, Of.Distance);
  }
}

/// A panel of \p Width elements for each step, of which \p Valid exist, of each
/// line. The last square is moved up to end where the lines do.
void KernelBuilder::emitPanelOfLines(const Operand &X,
                                     const PackArguments &Pack, const Lines &Of,
                                     Value *Dst, Value *Src, Value *Valid,
                                     Value *Width) {
  unsigned Edge = stripWidth(X);
  uint64_t SrcSize = DL.getTypeStoreSize(X.X.ElemTy);
  Value *Last = B.CreateSub(Valid, i64(1));
  auto Strip = [&](Value *To, Value *From, Value *Begin) {
    // Instead of rows that do not exist, the last one is loaded again.
    SmallVector<Value *, 16> Rows;
    for (unsigned I = 0; I < Edge; ++I)
      Rows.push_back(
          offset(From, umin(B.CreateAdd(Begin, i64(I)), Last), Pack.StrideP));
    To = element(To, Begin);
    emitLoop(i64(0), Of.Count, i64(Edge), "line", [&](Value *Line) {
      Line = umin(Line, B.CreateSub(Of.Count, i64(Edge)));
      SmallVector<Value *, 16> Square;
      for (Value *Row : Rows)
        Square.push_back(offset(Row, Line, i64(SrcSize)));
      emitSquareOfLines(X, Pack, Of,
                        element(To, B.CreateMul(Line, Of.Distance)), Square);
    });
  };
  emitLoop(i64(0), Pack.Steps, i64(1), "step", [&](Value *Step) {
    Value *To = element(Dst, B.CreateMul(Step, Width));
    Value *From = offset(Src, Step, Pack.StrideK);
    emitLoop(i64(0), Width, i64(Edge), "strip",
             [&](Value *Begin) { Strip(To, From, Begin); });
  });
}

/// All panels of each line: squares, or if there are too few lines for these,
/// one line after the other.
void KernelBuilder::emitPanelsOfLines(const Operand &X,
                                      const PackArguments &Pack, Split Panels) {
  const Lines Of{Pack.Lines, Pack.PanelsOfLine};
  auto Squares = [&] {
    emitPanels(X, i64(0), Pack.Count, Panels,
               [&](Value *Begin, Value *Valid, Value *Width) {
                 Value *Dst =
                     element(Pack.Dst, B.CreateMul(Begin, depthOf(Pack)));
                 Value *Src = offset(Pack.Src, Begin, Pack.StrideP);
                 emitChunks(Pack, Dst, Src, Width, [&](Value *To, Value *From) {
                   emitPanelOfLines(X, Pack, Of, To, From, Valid, Width);
                 });
               });
  };
  auto LineByLine = [&] {
    emitLoop(i64(0), Of.Count, i64(1), "line", [&](Value *Line) {
      PackArguments One = Pack;
      One.Dst = element(Pack.Dst, B.CreateMul(Line, Of.Distance));
      One.Src = offset(Pack.Src, Line, i64(DL.getTypeStoreSize(X.X.ElemTy)));
      emitPanels(X, i64(0), Pack.Count, Panels,
                 [&](Value *Begin, Value *Valid, Value *Width) {
                   emitPanelAt(X, One, Begin, Valid, Width);
                 });
    });
  };
  emitIf(B.CreateICmpUGE(Of.Count, i64(stripWidth(X))), "squares", Squares,
         LineByLine);
}

} // namespace tilesmith
