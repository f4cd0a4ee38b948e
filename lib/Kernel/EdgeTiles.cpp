//===- EdgeTiles.cpp - tiles at the edges of C ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where C is strided, or where a tile is not as large as its micro kernel and
// there are no masks, it is computed in a buffer and copied.
//
//===----------------------------------------------------------------------===//

#include "TileKernels.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// Whether the rows of C are every second element, and vectors of them can be
/// stored.
bool TileKernels::hasSecondRows() const {
  return !AdjacentRowsOfC && ThePlan.VL > 1 && ThePlan.canMask(Op.C) &&
         Op.C.isStep(M, 2 * Size);
}

/// Rows \p Begin to \p End of a column, by vectors: to such a C, or from it.
void TileKernels::emitCopyOfSecond(const CopyArguments &Arguments, Value *To,
                                   Value *From, Value *Begin, Value *End) {
  auto *Ty = FixedVectorType::get(Op.SumTy, ThePlan.VL);
  Value *IsFromBuffer = B.CreateICmpEQ(Arguments.Src.StrideRow, i64(Size));
  auto Rows = [&](function_ref<void(Value *, Value *)> Body) {
    emitLoop(Begin, End, i64(ThePlan.VL), "rows", [&](Value *I) {
      Body(I, firstLanes(Op.C, B.CreateSub(End, I), ThePlan.VL));
    });
  };
  emitIf(
      IsFromBuffer, "store",
      [&] {
        Rows([&](Value *I, Value *Mask) {
          Value *V =
              loadMasked(B, Ty, offset(From, I, i64(Size)), ElemAlign, Mask);
          storeSecond(V, offset(To, I, i64(2 * Size)), ElemAlign, Mask);
        });
      },
      [&] {
        Rows([&](Value *I, Value *Mask) {
          Value *V =
              loadSecond(Ty, offset(From, I, i64(2 * Size)), ElemAlign, Mask);
          B.CreateMaskedStore(V, offset(To, I, i64(Size)), ElemAlign, Mask);
        });
      });
}

/// Rows \p Begin to \p End of a column, one by one.
void TileKernels::emitCopyOfRows(const CopyArguments &Arguments, Value *To,
                                 Value *From, Value *Begin, Value *End) {
  emitLoop(Begin, End, i64(1), "row", [&](Value *I) {
    Value *V = B.CreateAlignedLoad(
        Op.SumTy, offset(From, I, Arguments.Src.StrideRow), ElemAlign);
    B.CreateAlignedStore(V, offset(To, I, Arguments.Dst.StrideRow), ElemAlign);
  });
}

/// void copy(ptr dst, i64 dst row stride, i64 dst column stride, src likewise,
/// rows, columns): strides in bytes. Only the wanted half is copied.
Function *TileKernels::buildCopy() {
  CopyArguments Arguments;
  Function *F = createFunction("copy", B.getVoidTy(), parametersOf(Arguments));
  emitLoop(i64(0), Arguments.Columns, i64(1), "column", [&](Value *J) {
    Value *To = offset(Arguments.Dst.Base, J, Arguments.Dst.StrideColumn);
    Value *From = offset(Arguments.Src.Base, J, Arguments.Src.StrideColumn);
    Value *Begin = i64(0), *End = Arguments.Rows;
    if (Wanted == Half::Lower)
      Begin = clamp(B.CreateSub(onDiagonal(J), Arguments.Diagonal), End);
    if (Wanted == Half::Upper)
      End = clamp(
          B.CreateAdd(B.CreateSub(onDiagonal(J), Arguments.Diagonal), i64(1)),
          End);
    if (AdjacentRowsOfC) {
      To = offset(To, Begin, i64(Size));
      From = offset(From, Begin, i64(Size));
      B.CreateMemCpy(To, ElemAlign, From, ElemAlign,
                     B.CreateMul(B.CreateSub(End, Begin), i64(Size)));
      return;
    }
    if (hasSecondRows())
      return emitCopyOfSecond(Arguments, To, From, Begin, End);
    if (ThePlan.VL > 1 && isReversed(Op.C, M))
      return emitReversedCopy(Arguments, To, From, Begin, End);
    emitCopyOfRows(Arguments, To, From, Begin, End);
  });
  B.CreateRetVoid();
  return F;
}

/// Body() for the micro kernels of \p Rows rows and \p Columns columns at
/// \p Diagonal. If it cuts one register of NR columns, that is the first or the
/// last one of a tile; otherwise registers that it cuts are tiles of their own.
void TileKernels::emitRowsAtDiagonal(Value *Rows, Value *Columns,
                                     Value *Diagonal,
                                     function_ref<void(RowsAtDiagonal)> Body) {
  bool IsLower = Wanted == Half::Lower;
  const unsigned VL = ThePlan.VL, MR = ThePlan.MR, SecondMR = ThePlan.SecondMR;
  // The diagonal cuts rows from the first one on to the other.
  Value *CutBegin = B.CreateNeg(Diagonal);
  Value *CutEnd = B.CreateAdd(CutBegin, B.CreateSub(Columns, i64(1)));
  if (!IsLower) {
    CutBegin = B.CreateAdd(CutBegin, i64(1));
    CutEnd = B.CreateAdd(CutEnd, i64(1));
  }
  CutBegin = alignDown(clamp(CutBegin, Rows), VL);
  CutEnd = umin(alignUp(clamp(CutEnd, Rows), VL), Rows);
  Value *IsWide = B.CreateICmpEQ(Columns, i64(ThePlan.NR));
  Value *CutRows = B.CreateSub(CutEnd, CutBegin);
  Value *IsPlain = B.CreateAnd(IsWide, B.CreateICmpULE(CutRows, i64(VL)));
  emitLoop(
      IsLower ? CutBegin : i64(0), IsLower ? Rows : CutEnd, "rows",
      [&](Value *Row) {
        Value *Left = B.CreateSub(IsLower ? Rows : CutEnd, Row);
        Value *Most = i64(MR);
        // 24 + 5 becomes 16 + 13.
        if (SecondMR)
          Most = B.CreateSelect(B.CreateICmpULT(B.CreateSub(Left, i64(MR + 1)),
                                                i64(2 * SecondMR - MR)),
                                i64(SecondMR), Most);
        Value *Count = umin(Left, Most), *IsCut;
        if (IsLower) {
          IsCut = B.CreateICmpULT(Row, CutEnd);
          Value *Apart = B.CreateSelect(IsPlain, Count, umin(Count, i64(VL)));
          Count = B.CreateSelect(IsCut, Apart, Count);
        } else {
          Value *BelowCut = B.CreateICmpUGE(Row, CutBegin);
          Value *Apart =
              umin(Count, B.CreateSelect(BelowCut, i64(VL),
                                         B.CreateSub(CutBegin, Row)));
          Count = B.CreateSelect(IsPlain, Count, Apart);
          IsCut = B.CreateICmpUGT(B.CreateAdd(Row, Count), CutBegin);
        }
        Body({Row, Count, IsCut});
        return Count;
      });
}

/// The micro kernel for rows at the diagonal; it is one that keeps to the wanted
/// half for a single register, too.
void TileKernels::emitCallAtDiagonal(const MicroArguments &Arguments,
                                     Value *MicroKernels, Value *Columns,
                                     Value *IsCut) {
  Value *Width = paddedRows(Arguments.Rows);
  auto Call = [&](MicroKind Kind) {
    emitMicroCall(Kind, MicroKernels, Width, Columns, Arguments);
  };
  Value *IsLow = B.CreateICmpULE(Arguments.Rows, i64(ThePlan.VL));
  emitIf(
      B.CreateOr(IsCut, IsLow), "cut", [&] { Call(MicroKind::Cut); },
      [&] { Call(MicroKind::Any); });
}

/// A tile at a diagonal, where there are micro kernels for that.
void TileKernels::emitTileAtDiagonal(const TileArguments &Arguments) {
  const MicroArguments &Micro = Arguments.Micro;
  emitRowsAtDiagonal(Micro.Rows, Arguments.Columns, Micro.Diagonal,
                     [&](RowsAtDiagonal Rows) {
                       MicroArguments Part = Micro;
                       for (MicroArguments::Factors &T : Part.Terms)
                         T.A = element(T.A, Rows.Begin);
                       Part.C = offset(Micro.C, Rows.Begin, i64(Size));
                       Part.Diagonal = B.CreateAdd(Micro.Diagonal, Rows.Begin);
                       Part.Rows = Rows.Count;
                       emitCallAtDiagonal(Part, Arguments.MicroKernels,
                                          Arguments.Columns, Rows.IsCut);
                     });
}

/// Prefetches \p Rows x \p Columns elements of a later tile of C.
void TileKernels::prefetchLater(const MicroArguments &Arguments, Value *Rows,
                                Value *Columns) {
  emitLoop(i64(0), Columns, i64(1), "ahead", [&](Value *J) {
    Value *Column = laterColumn(Arguments, J);
    emitLoop(i64(0), Rows, i64(ThePlan.VL), "rows", [&](Value *I) {
      prefetch(offset(Column, I, i64(Size)), ThePlan.VL * Size,
               ThePlan.CacheLine);
    });
  });
}

/// A tile of which only rows x columns elements are C's, or those on one side of
/// a diagonal, or whose C is strided: if it cannot be made in place, it is
/// computed in a contiguous buffer.
Function *TileKernels::buildTile(bool IsCorner) {
  TileArguments Arguments;
  Function *F =
      createFunction("tile", B.getVoidTy(), parametersOf(Arguments, IsCorner));
  if (cutsTiles()) {
    emitTileAtDiagonal(Arguments);
    B.CreateRetVoid();
    return F;
  }
  const MicroArguments &Micro = Arguments.Micro;
  auto *BufferTy = ArrayType::get(Op.SumTy, uint64_t(ThePlan.MR) * ThePlan.NR);
  AllocaInst *Buffer = B.CreateAlloca(BufferTy, nullptr, "buffer");
  Buffer->setAlignment(Align(64));
  Value *First = Micro.First, *Last = Micro.Last;
  Value *Rows = Micro.Rows, *Columns = Arguments.Columns;
  Value *Width = paddedRows(Rows), *Height = paddedColumns(Columns);
  Value *ElementSize = i64(Size), *ColumnSize = B.CreateMul(Width, ElementSize);

  // A tile without padding needs no buffer if C is adjacent along its rows.
  Value *Buffered = B.getTrue();
  if (AdjacentRowsOfC) {
    SmallVector<Value *, 4> Direct = {isWholeElements(Micro.StrideCn)};
    if (!hasMasks())
      Direct.append(
          {B.CreateICmpEQ(Width, Rows), B.CreateICmpEQ(Height, Columns)});
    if (Wanted != Half::None)
      Direct.push_back(isAllWanted(Rows, Columns, Micro.Diagonal));
    Buffered = B.CreateNot(B.CreateAnd(Direct));
  }
  CopyArguments::Place InC{Micro.C, Arguments.StrideCm, Micro.StrideCn},
      InBuffer{Buffer, ElementSize, ColumnSize};
  auto CopyTile = [&](CopyArguments::Place Dst, CopyArguments::Place Src) {
    CopyArguments Copied{Dst, Src, Rows, Columns, Micro.Diagonal};
    B.CreateCall(Copy, parametersOf(Copied).values());
  };

  if (edgesPrefetch())
    prefetchLater(Micro, Rows, Columns);

  // C is read only where the source reads it, and for the sums of earlier K
  // blocks.
  Value *Reads = B.getInt1(startsApart());
  if (Op.Start.uses(Leaf::C))
    Reads = B.CreateOr(Reads, First);
  if (SumsInC)
    Reads = B.CreateOr(Reads, B.CreateNot(First));
  if (Op.Finish.uses(Leaf::C))
    Reads = B.CreateOr(Reads, Last);
  emitIf(B.CreateAnd(Buffered, Reads), "read", [&] {
    B.CreateMemSet(Buffer, B.getInt8(0), DL.getTypeAllocSize(BufferTy),
                   Buffer->getAlign());
    CopyTile(InBuffer, InC);
  });

  Value *Target = B.CreateSelect(Buffered, Buffer, Micro.C);
  Value *TargetStride = B.CreateSelect(Buffered, ColumnSize, Micro.StrideCn);
  MicroArguments OfTarget = Micro;
  OfTarget.C = Target;
  OfTarget.StrideCn = TargetStride;
  emitMicroCall(IsCorner ? MicroKind::Corner : MicroKind::Any,
                Arguments.MicroKernels, Width, Height, OfTarget);
  Value *Writes = SumsInC ? B.getTrue() : Last;
  emitIf(B.CreateAnd(Buffered, Writes), "write",
         [&] { CopyTile(InC, InBuffer); });
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
