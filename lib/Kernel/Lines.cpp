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

#include "PackKernel.h"
#include "tilesmith/Support/MatrixIR.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p X is adjacent along the dimension that is bundled with \p D, and
/// along no other one, so that squares are to be transposed.
bool KernelFrame::isAdjacentAlong(const Operand &X, Dim D) const {
  std::optional<unsigned> Outer = ThePlan.Bundled[D];
  return Outer && !ThePlan.Narrow && stripWidth(X) >= 2 &&
         !X.X.isUnit(X.P, DL) && !X.X.isUnit(K, DL) &&
         X.X.isUnitInOuter(*Outer, DL);
}

bool KernelFrame::isAdjacentInBundle(const Operand &X) const {
  return isAdjacentAlong(X, X.P);
}

Value *MacroKernel::PackKernel::depthOf() {
  Value *Groups = K.groupsOf(Pack.Steps);
  return Pack.Chunks ? B.CreateMul(Groups, Pack.Chunks) : Groups;
}

void MacroKernel::PackKernel::emitChunks(
    Value *Dst, Value *Src, Value *Width,
    function_ref<void(Value *, Value *)> Body) {
  if (!Pack.Chunks)
    return Body(Dst, Src);
  Value *Elements = B.CreateMul(K.groupsOf(Pack.Steps), Width);
  K.emitLoop(K.i64(0), Pack.Chunks, K.i64(1), "chunk", [&](Value *I) {
    Value *To = K.element(Dst, B.CreateMul(I, Elements));
    Body(To, K.offset(Src, I, Pack.StrideChunk));
  });
}

/// Whether there are enough lines for a square, and nothing is stored beyond
/// \p Width elements of a panel.
Value *MacroKernel::PackKernel::isMadeOfSquares(const Lines &Of, Value *Width) {
  Value *Edge = K.i64(K.stripWidth(X));
  Value *IsLong = B.CreateICmpUGE(Of.Count, Edge);
  Value *IsWhole = B.CreateIsNull(B.CreateURem(Width, Edge));
  return B.CreateAnd(IsLong, IsWhole);
}

/// A square at \p From, the beginnings of its rows, of which each line goes to
/// one place from \p To on.
void MacroKernel::PackKernel::emitSquareOfLines(const Lines &Of, Value *To,
                                                ArrayRef<Value *> From) {
  unsigned Width = From.size();
  auto *SrcTy = FixedVectorType::get(X.X.ElemTy, Width);
  K.emitIf(Pack.IsFar, "ahead", [&] {
    for (Value *Row : From)
      K.prefetch(B.CreatePtrAdd(Row, Pack.StrideK),
                 K.DL.getTypeStoreSize(SrcTy), K.ThePlan.CacheLine);
  });
  SmallVector<Value *, 16> Rows;
  for (Value *Row : From)
    Rows.push_back(K.mapped(X, Pack.Scalars,
                            B.CreateAlignedLoad(SrcTy, Row, X.X.Alignment),
                            Width));
  transposeSquare(B, Rows);
  for (Value *Row : Rows) {
    B.CreateAlignedStore(Row, To, Align(K.PanelSize));
    To = K.element(To, Of.Distance);
  }
}

/// A panel of \p Width elements for each step, of which \p Valid exist, of each
/// line. The last square is moved up to end where the lines do.
void MacroKernel::PackKernel::emitPanelOfLines(const Lines &Of, Value *Dst,
                                               Value *Src, Value *Valid,
                                               Value *Width) {
  unsigned Edge = K.stripWidth(X);
  uint64_t SrcSize = K.DL.getTypeStoreSize(X.X.ElemTy);
  Value *Last = B.CreateSub(Valid, K.i64(1));
  auto Strip = [&](Value *To, Value *From, Value *Begin) {
    // Instead of rows that do not exist, the last one is loaded again.
    SmallVector<Value *, 16> Rows;
    for (unsigned I = 0; I < Edge; ++I)
      Rows.push_back(K.offset(From, K.umin(B.CreateAdd(Begin, K.i64(I)), Last),
                              Pack.StrideP));
    To = K.element(To, Begin);
    K.emitLoop(K.i64(0), Of.Count, K.i64(Edge), "line", [&](Value *Line) {
      Line = K.umin(Line, B.CreateSub(Of.Count, K.i64(Edge)));
      SmallVector<Value *, 16> Square;
      for (Value *Row : Rows)
        Square.push_back(K.offset(Row, Line, K.i64(SrcSize)));
      emitSquareOfLines(Of, K.element(To, B.CreateMul(Line, Of.Distance)),
                        Square);
    });
  };
  K.emitLoop(K.i64(0), Pack.Steps, K.i64(1), "step", [&](Value *Step) {
    Value *To = K.element(Dst, B.CreateMul(Step, Width));
    Value *From = K.offset(Src, Step, Pack.StrideK);
    K.emitLoop(K.i64(0), Width, K.i64(Edge), "strip",
               [&](Value *Begin) { Strip(To, From, Begin); });
  });
}

/// All panels of each line: squares, or if there are too few lines for these,
/// one line after the other.
void MacroKernel::PackKernel::emitPanelsOfLines(Split Panels) {
  const Lines Of{Pack.Lines, Pack.PanelsOfLine};
  auto Squares = [&] {
    K.emitPanels(X, K.i64(0), Pack.Count, Panels,
                 [&](Value *Begin, Value *Valid, Value *Width) {
                   Value *Dst =
                       K.element(Pack.Dst, B.CreateMul(Begin, depthOf()));
                   Value *Src = K.offset(Pack.Src, Begin, Pack.StrideP);
                   emitChunks(Dst, Src, Width, [&](Value *To, Value *From) {
                     emitPanelOfLines(Of, To, From, Valid, Width);
                   });
                 });
  };
  auto LineByLine = [&] {
    K.emitLoop(K.i64(0), Of.Count, K.i64(1), "line", [&](Value *Line) {
      Value *Dst = K.element(Pack.Dst, B.CreateMul(Line, Of.Distance));
      Value *Src =
          K.offset(Pack.Src, Line, K.i64(K.DL.getTypeStoreSize(X.X.ElemTy)));
      K.emitPanels(X, K.i64(0), Pack.Count, Panels,
                   [&](Value *Begin, Value *Valid, Value *Width) {
                     emitPanelAt({Dst, Src}, Begin, Valid, Width);
                   });
    });
  };
  K.emitIf(B.CreateICmpUGE(Of.Count, K.i64(K.stripWidth(X))), "squares",
           Squares, LineByLine);
}

} // namespace tilesmith
