//===- EdgeTiles.cpp - tiles at the edges of C ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a tile is not as large as its micro kernel, or where C is strided, it is
// computed in a buffer and copied.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// void copy(ptr dst, i64 dst row stride, i64 dst column stride, src likewise,
/// rows, columns): strides in bytes. Only the wanted half is copied.
Function *KernelBuilder::buildCopy() {
  SmallVector<Parameter, 9> Parameters = {
      {"dst", Ptr},     {"dst.row", I64}, {"dst.col", I64}, {"src", Ptr},
      {"src.row", I64}, {"src.col", I64}, {"rows", I64},    {"columns", I64}};
  if (Wanted != Half::None)
    Parameters.push_back({"diagonal", I64});
  Function *F = createFunction("copy", B.getVoidTy(), Parameters);
  emitLoop(i64(0), arg(*F, "columns"), i64(1), "column", [&](Value *J) {
    Value *Dst = offset(arg(*F, "dst"), J, arg(*F, "dst.col"));
    Value *Src = offset(arg(*F, "src"), J, arg(*F, "src.col"));
    Value *Begin = i64(0), *End = arg(*F, "rows");
    if (Wanted == Half::Lower)
      Begin = clamp(B.CreateSub(J, arg(*F, "diagonal")), End);
    if (Wanted == Half::Upper)
      End =
          clamp(B.CreateAdd(B.CreateSub(J, arg(*F, "diagonal")), i64(1)), End);
    if (AdjacentRowsOfC) {
      Dst = offset(Dst, Begin, i64(Size));
      Src = offset(Src, Begin, i64(Size));
      B.CreateMemCpy(Dst, ElemAlign, Src, ElemAlign,
                     B.CreateMul(B.CreateSub(End, Begin), i64(Size)));
      return;
    }
    emitLoop(Begin, End, i64(1), "row", [&](Value *I) {
      Value *V = B.CreateAlignedLoad(
          Op.SumTy, offset(Src, I, arg(*F, "src.row")), ElemAlign);
      B.CreateAlignedStore(V, offset(Dst, I, arg(*F, "dst.row")), ElemAlign);
    });
  });
  B.CreateRetVoid();
  return F;
}

/// A tile of which only rows x columns elements are C's, or whose C is strided:
/// it is computed in a contiguous buffer.
Function *KernelBuilder::buildTile(bool IsCorner) {
  SmallVector<Parameter, 24> Parameters = factorParameters();
  Parameters.append({{"C", Ptr},
                     {"sCm", I64},
                     {"sCn", I64},
                     {"rows", I64},
                     {"columns", I64},
                     {"first", B.getInt1Ty()},
                     {"last", B.getInt1Ty()}});
  if (!SumsInC)
    Parameters.append({{"P", Ptr}, {"sPn", I64}});
  if (Wanted != Half::None || IsCorner)
    Parameters.push_back({"diagonal", I64});
  addScalars(Parameters, Op.expressions());
  Parameters.push_back({"micro.kernels", Ptr});
  Function *F = createFunction("tile", B.getVoidTy(), Parameters);
  auto *BufferTy = ArrayType::get(Op.SumTy, uint64_t(How.MR) * How.NR);
  AllocaInst *Buffer = B.CreateAlloca(BufferTy, nullptr, "buffer");
  Buffer->setAlignment(Align(64));
  Value *First = arg(*F, "first"), *Last = arg(*F, "last");
  Value *Rows = arg(*F, "rows"), *Columns = arg(*F, "columns");
  Value *Width = paddedRows(Rows), *Height = paddedColumns(Columns);
  Value *ElementSize = i64(Size), *ColumnSize = B.CreateMul(Width, ElementSize);

  // A tile without padding needs no buffer if C is adjacent along its rows.
  Value *Buffered = B.getTrue();
  if (AdjacentRowsOfC) {
    SmallVector<Value *, 4> Direct = {isWholeElements(arg(*F, "sCn"))};
    if (!hasMasks())
      Direct.append(
          {B.CreateICmpEQ(Width, Rows), B.CreateICmpEQ(Height, Columns)});
    if (Wanted != Half::None)
      Direct.push_back(isAllWanted(Rows, Columns, arg(*F, "diagonal")));
    Buffered = B.CreateNot(B.CreateAnd(Direct));
  }
  auto CopyTile = [&](ArrayRef<Value *> DstAndSrc) {
    SmallVector<Value *, 9> Args(DstAndSrc);
    Args.append({Rows, Columns});
    if (Wanted != Half::None)
      Args.push_back(arg(*F, "diagonal"));
    B.CreateCall(Copy, Args);
  };

  // C is read only where the source reads it, and for the sums of earlier K
  // blocks.
  Value *Reads = B.getInt1(false);
  if (Op.Start.uses(Leaf::C))
    Reads = First;
  if (SumsInC)
    Reads = B.CreateOr(Reads, B.CreateNot(First));
  if (Op.Finish.uses(Leaf::C))
    Reads = B.CreateOr(Reads, Last);
  emitIf(B.CreateAnd(Buffered, Reads), "read", [&] {
    B.CreateMemSet(Buffer, B.getInt8(0), DL.getTypeAllocSize(BufferTy),
                   Buffer->getAlign());
    CopyTile({Buffer, ElementSize, ColumnSize, arg(*F, "C"), arg(*F, "sCm"),
              arg(*F, "sCn")});
  });

  Value *Target = B.CreateSelect(Buffered, Buffer, arg(*F, "C"));
  Value *TargetStride = B.CreateSelect(Buffered, ColumnSize, arg(*F, "sCn"));
  MicroCall Call{{}, Target, TargetStride, nullptr, nullptr, First, Last, Rows};
  for (unsigned I = 0; I < factorParameters().size(); ++I)
    Call.Factors.push_back(F->getArg(I));
  if (!SumsInC) {
    Call.P = arg(*F, "P");
    Call.StridePn = arg(*F, "sPn");
  }
  if (IsCorner)
    Call.Diagonal = arg(*F, "diagonal");
  emitMicroCall(*F, IsCorner ? MicroKind::Corner : MicroKind::Any, Width,
                Height, Call);
  Value *Writes = SumsInC ? B.getTrue() : Last;
  emitIf(B.CreateAnd(Buffered, Writes), "write", [&] {
    CopyTile({arg(*F, "C"), arg(*F, "sCm"), arg(*F, "sCn"), Buffer, ElementSize,
              ColumnSize});
  });
  B.CreateRetVoid();
  return F;
}

} // namespace tilesmith
