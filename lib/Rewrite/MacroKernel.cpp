//===- MacroKernel.cpp - the loops over blocks ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goto's loops, as Plan.h shows them. K is cut into equal blocks. One
// allocation holds the packed panel of B, the packed block of A and, if what is
// stored is not the sum itself and K needs several blocks, the sums.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// The values of one macro kernel, in the order in which they come to be.
struct KernelBuilder::Macro {
  Function &F;
  Value *A, *StrideAm, *StrideAk;
  Value *B, *StrideBn, *StrideBk;
  Value *C, *StrideCm, *StrideCn;
  Value *M, *N, *K; ///< the extents

  // The blocks.
  Value *NumBlocks = nullptr, *KC = nullptr, *MC = nullptr;
  Value *ReadA = nullptr, *ReadB = nullptr; ///< i1: read in place

  // The buffers. Sums are kept in columns of SumsLd elements.
  Value *Memory = nullptr, *Panel = nullptr, *Block = nullptr, *Sums = nullptr,
        *SumsLd = nullptr;

  // The panel of B under way: Nb columns from Jc, Kb steps from Pc. Columns
  // from PackedFromN on are packed.
  Value *Jc = nullptr, *Nb = nullptr, *Pc = nullptr, *Kb = nullptr;
  Value *FirstK = nullptr, *LastK = nullptr; ///< i1
  Value *SrcB = nullptr, *PackedFromN = nullptr;

  // The block of A under way: Mb rows from Ic, packed from PackedFromM on.
  Value *Ic = nullptr, *Mb = nullptr, *SrcA = nullptr, *PackedFromM = nullptr;

  // The sliver of B under way.
  Value *Jr = nullptr, *Columns = nullptr, *BInPlace = nullptr;
  Value *Sliver = nullptr, *SliverStrideK = nullptr, *SliverLd = nullptr;
};

void KernelBuilder::callWithScalars(Macro &X, Function *Callee,
                                    ArrayRef<Value *> Args) {
  SmallVector<Value *, 20> All(Args);
  All.append(scalarArgs(X.F));
  B.CreateCall(Callee, All);
}

/// Cuts K into equal blocks. A shallow block of A may have more rows.
void KernelBuilder::emitBlocking(Macro &X) {
  X.NumBlocks = ceilDiv(X.K, i64(How.KC));
  X.KC = ceilDiv(X.K, X.NumBlocks);
  X.MC = alignDown(B.CreateUDiv(i64(How.MC * How.KC), X.KC), How.MR);
  X.ReadA = X.ReadB = B.getFalse();
  auto IsCompact = [&](Value *StrideK) {
    return B.CreateICmpULE(B.CreateMul(X.KC, StrideK), i64(How.ReadWithin));
  };
  if (canReadInPlace(OpA) && OpA.X.isUnit(OpA.P, DL))
    X.ReadA = B.CreateAnd(B.CreateICmpULE(X.N, i64(How.ReadAUpTo)),
                          IsCompact(X.StrideAk));
  if (canReadInPlace(OpB))
    X.ReadB = B.CreateAnd({B.CreateICmpULE(X.M, i64(How.ReadBUpTo)),
                           IsCompact(X.StrideBk), isWholeElements(X.StrideBn)});
}

/// Allocates the buffers, if any are needed. The macro kernel returns false if
/// that fails.
void KernelBuilder::emitAllocation(Macro &X) {
  // An operand read in place needs one panel for its ragged edge.
  auto PackedBytes = [&](Value *InPlace, Value *Extent, Value *MaxExtent,
                         unsigned Width, unsigned Granule) {
    Value *IsEven = B.CreateIsNull(B.CreateURem(Extent, i64(Granule)));
    Value *Edge = B.CreateSelect(IsEven, i64(0), i64(Width));
    Value *All = umin(alignUp(Extent, Width), MaxExtent);
    Value *Lines = B.CreateMul(B.CreateSelect(InPlace, Edge, All), X.KC);
    return alignUp(B.CreateMul(Lines, i64(Size)), CacheLine);
  };
  Value *PanelBytes =
      PackedBytes(X.ReadB, X.N, i64(How.NC), How.NR, /*Granule=*/How.NR);
  Value *BlockBytes =
      PackedBytes(X.ReadA, X.M, X.MC, How.MR, /*Granule=*/How.VL);
  X.SumsLd = alignUp(X.M, How.MR);
  Value *SumsBytes = i64(0);
  if (!Op.storesSum()) {
    Value *Columns = umin(alignUp(X.N, How.NR), i64(How.NC));
    SumsBytes = B.CreateSelect(
        B.CreateICmpUGT(X.NumBlocks, i64(1)),
        B.CreateMul(B.CreateMul(X.SumsLd, Columns), i64(Size)), i64(0));
  }
  Value *Bytes = B.CreateAdd(B.CreateAdd(PanelBytes, BlockBytes), SumsBytes);

  Type *SizeTy = DL.getIntPtrType(Ctx);
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *Allocate = BasicBlock::Create(Ctx, "allocate", &X.F);
  BasicBlock *NoMemory = BasicBlock::Create(Ctx, "no.memory", &X.F);
  BasicBlock *Run = BasicBlock::Create(Ctx, "run", &X.F);
  B.CreateCondBr(B.CreateIsNull(Bytes), Run, Allocate);
  B.SetInsertPoint(Allocate);
  // What does not fit size_t is cut off at its greatest value, not to be had.
  Value *Greatest = B.CreateZExt(ConstantInt::getAllOnesValue(SizeTy), I64);
  Value *Request = umin(B.CreateAdd(Bytes, i64(CacheLine)), Greatest);
  Value *Allocated =
      B.CreateCall(Mod.getOrInsertFunction("malloc", Ptr, SizeTy),
                   {B.CreateTrunc(Request, SizeTy)});
  B.CreateCondBr(B.CreateIsNull(Allocated), NoMemory, Run);
  B.SetInsertPoint(NoMemory);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Run);
  PHINode *Memory = B.CreatePHI(Ptr, 2, "memory");
  Memory->addIncoming(ConstantPointerNull::get(cast<PointerType>(Ptr)), Entry);
  Memory->addIncoming(Allocated, Allocate);
  X.Memory = Memory;
  X.Panel =
      B.CreateIntrinsic(Intrinsic::ptrmask, {Ptr, SizeTy},
                        {B.CreatePtrAdd(Memory, i64(CacheLine - 1)),
                         ConstantInt::getSigned(SizeTy, -int64_t(CacheLine))});
  X.Block = B.CreatePtrAdd(X.Panel, PanelBytes);
  X.Sums = B.CreatePtrAdd(X.Block, BlockBytes);
}

/// Loops jc and pc, with the packing of B.
void KernelBuilder::emitPanelsOfB(Macro &X) {
  emitLoop(i64(0), X.N, i64(How.NC), "jc", [&](Value *Jc) {
    X.Jc = Jc;
    X.Nb = umin(B.CreateSub(X.N, Jc), i64(How.NC));
    X.PackedFromN = B.CreateSelect(X.ReadB, alignDown(X.Nb, How.NR), i64(0));
    emitLoop(i64(0), X.K, X.KC, "pc", [&](Value *Pc) {
      X.Pc = Pc;
      X.Kb = umin(B.CreateSub(X.K, Pc), X.KC);
      X.FirstK = B.CreateIsNull(Pc);
      X.LastK = B.CreateICmpEQ(B.CreateAdd(Pc, X.Kb), X.K);
      X.SrcB = offset(offset(X.B, Jc, X.StrideBn), Pc, X.StrideBk);
      callWithScalars(X, PackB,
                      {X.Panel, offset(X.SrcB, X.PackedFromN, X.StrideBn),
                       X.StrideBn, X.StrideBk, B.CreateSub(X.Nb, X.PackedFromN),
                       X.Kb});
      emitBlocksOfA(X);
    });
  });
}

/// Loop ic, with the packing of A.
void KernelBuilder::emitBlocksOfA(Macro &X) {
  emitLoop(i64(0), X.M, X.MC, "ic", [&](Value *Ic) {
    X.Ic = Ic;
    X.Mb = umin(B.CreateSub(X.M, Ic), X.MC);
    X.SrcA = offset(offset(X.A, Ic, X.StrideAm), X.Pc, X.StrideAk);
    // In place, the last panel is packed if it is ragged.
    Split Rows = splitRows(X.Mb);
    Value *Last = B.CreateSub(X.Mb, i64(1));
    Value *LastPanel = B.CreateSub(
        Last, B.CreateURem(B.CreateSub(Last, Rows.Regular), Rows.Step));
    Value *IsEven = B.CreateIsNull(B.CreateURem(X.Mb, i64(How.VL)));
    X.PackedFromM = B.CreateSelect(
        X.ReadA, B.CreateSelect(IsEven, X.Mb, LastPanel), i64(0));
    callWithScalars(X, PackA,
                    {X.Block, offset(X.SrcA, X.PackedFromM, X.StrideAm),
                     X.StrideAm, X.StrideAk, B.CreateSub(X.Mb, X.PackedFromM),
                     X.Kb});
    emitSlivers(X, Rows);
  });
}

/// Loops jr and ir.
void KernelBuilder::emitSlivers(Macro &X, Split Rows) {
  emitLoop(i64(0), X.Nb, i64(How.NR), "jr", [&](Value *Jr) {
    X.Jr = Jr;
    X.Columns = umin(B.CreateSub(X.Nb, Jr), i64(How.NR));
    X.BInPlace = B.CreateICmpULT(Jr, X.PackedFromN);
    Value *Packed =
        element(X.Panel, B.CreateMul(B.CreateSub(Jr, X.PackedFromN), X.Kb));
    Value *PackedStride = B.CreateMul(paddedColumns(X.Columns), i64(Size));
    X.Sliver =
        B.CreateSelect(X.BInPlace, offset(X.SrcB, Jr, X.StrideBn), Packed);
    X.SliverStrideK = B.CreateSelect(X.BInPlace, X.StrideBk, PackedStride);
    X.SliverLd =
        B.CreateSelect(X.BInPlace, B.CreateSDiv(X.StrideBn, i64(Size)), i64(1));
    emitLoop(i64(0), Rows.Regular, i64(How.MR), "ir", [&](Value *Ir) {
      emitTile(X, Ir, i64(How.MR), /*IsWhole=*/true);
    });
    emitLoop(Rows.Regular, X.Mb, Rows.Step, "ir.rest", [&](Value *Ir) {
      emitTile(X, Ir, umin(B.CreateSub(X.Mb, Ir), Rows.Step),
               /*IsWhole=*/false);
    });
  });
}

/// The tile of \p Rows rows from \p Ir on. \p IsWhole: Rows is MR.
void KernelBuilder::emitTile(Macro &X, Value *Ir, Value *Rows, bool IsWhole) {
  Value *AInPlace = B.CreateICmpULT(Ir, X.PackedFromM);
  Value *PanelA = B.CreateSelect(
      AInPlace, offset(X.SrcA, Ir, X.StrideAm),
      element(X.Block, B.CreateMul(B.CreateSub(Ir, X.PackedFromM), X.Kb)));
  Value *StrideAk = B.CreateSelect(AInPlace, X.StrideAk,
                                   B.CreateMul(paddedRows(Rows), i64(Size)));
  Value *TileC = offset(offset(X.C, B.CreateAdd(X.Ic, Ir), X.StrideCm),
                        B.CreateAdd(X.Jc, X.Jr), X.StrideCn);
  Value *LdC = B.CreateSDiv(X.StrideCn, i64(Size));
  // The sums of earlier blocks of K are in C, or in a buffer.
  Value *TileP = TileC, *LdP = LdC;
  if (!Op.storesSum()) {
    TileP = element(X.Sums, B.CreateAdd(B.CreateAdd(X.Ic, Ir),
                                        B.CreateMul(X.Jr, X.SumsLd)));
    LdP = X.SumsLd;
  }

  SmallVector<Value *, 16> Factors = {PanelA,          StrideAk,   X.Sliver,
                                      X.SliverStrideK, X.SliverLd, X.Kb};
  auto CallTile = [&] {
    SmallVector<Value *, 16> Args = Factors;
    Args.append({TileC, X.StrideCm, X.StrideCn, TileP, LdP, Rows, X.Columns,
                 X.FirstK, X.LastK});
    callWithScalars(X, Tile, Args);
  };
  auto CallMicro = [&](Function *Kernel) {
    SmallVector<Value *, 16> Args = Factors;
    Args.append({TileC, LdC, TileP, LdP, X.FirstK, X.LastK});
    callWithScalars(X, Kernel, Args);
  };
  // Tiles that need no padding go straight to their kernel: those of MR rows,
  // and among the rest those of one register less.
  unsigned DirectRows = IsWhole ? How.MR : How.MR - How.VL;
  if (!AdjacentRowsOfC || !DirectRows)
    return CallTile();
  auto CallDirect = [&] {
    if (!IsWhole)
      return CallMicro(Micro[{DirectRows, How.NR}]);
    emitIf(
        B.CreateOr(AInPlace, X.BInPlace), "in.place",
        [&] { CallMicro(Micro[{DirectRows, How.NR}]); },
        [&] { CallMicro(PackedMicro); });
  };
  emitIf(B.CreateAnd({B.CreateICmpEQ(Rows, i64(DirectRows)),
                      B.CreateICmpEQ(X.Columns, i64(How.NR)),
                      isWholeElements(X.StrideCn)}),
         "direct", CallDirect, CallTile);
}

Function *KernelBuilder::buildMacroKernel() {
  Function *F = createFunction("gemm", B.getInt1Ty(),
                               {{"A", Ptr},
                                {"sAm", I64},
                                {"sAk", I64},
                                {"B", Ptr},
                                {"sBn", I64},
                                {"sBk", I64},
                                {"C", Ptr},
                                {"sCm", I64},
                                {"sCn", I64},
                                {"M", I64},
                                {"N", I64},
                                {"K", I64}});
  Macro X{*F,           F->getArg(0),  F->getArg(1), F->getArg(2), F->getArg(3),
          F->getArg(4), F->getArg(5),  F->getArg(6), F->getArg(7), F->getArg(8),
          F->getArg(9), F->getArg(10), F->getArg(11)};
  emitBlocking(X);
  emitAllocation(X);
  emitPanelsOfB(X);
  B.CreateCall(Mod.getOrInsertFunction("free", B.getVoidTy(), Ptr), {X.Memory});
  B.CreateRet(B.getTrue());
  return F;
}

} // namespace tilesmith
