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

Function *KernelBuilder::buildMacroKernel() {
  Function *F = createFunction(
      "gemm", B.getInt1Ty(),
      {{"A", Ptr}, {"sAm", I64}, {"sAk", I64}, {"B", Ptr}, {"sBn", I64},
       {"sBk", I64}, {"C", Ptr}, {"sCm", I64}, {"sCn", I64}, {"M", I64},
       {"N", I64}, {"K", I64}});
  Value *ExtentM = arg(*F, "M"), *ExtentN = arg(*F, "N"),
        *ExtentK = arg(*F, "K");
  Value *StrideCm = arg(*F, "sCm"), *StrideCn = arg(*F, "sCn");
  auto CeilDiv = [&](Value *X, Value *Y) {
    return B.CreateUDiv(B.CreateAdd(X, B.CreateSub(Y, i64(1))), Y);
  };
  auto AlignUp = [&](Value *X, uint64_t Multiple) {
    return B.CreateMul(CeilDiv(X, i64(Multiple)), i64(Multiple));
  };

  // The blocks. An operand that is used few times is read where it is; only
  // the panel at its edge, which must not be read beyond, is packed.
  Value *Blocks = CeilDiv(ExtentK, i64(How.KC));
  Value *KC = CeilDiv(ExtentK, Blocks);
  // A shallow block of A may have more rows.
  Value *MC = B.CreateUDiv(i64(How.MC * How.KC), KC);
  MC = B.CreateSub(MC, B.CreateURem(MC, i64(How.MR)));
  Value *ReadA = canReadInPlace(OpA) && OpA.X.isUnit(OpA.P, DL)
                     ? B.CreateICmpULE(ExtentN, i64(How.ReadAUpTo))
                     : B.getFalse();
  Value *ReadB = canReadInPlace(OpB)
                     ? B.CreateAnd(
                           B.CreateICmpULE(ExtentM, i64(How.ReadBUpTo)),
                           isWholeElements(arg(*F, "sBn")))
                     : B.getFalse();
  auto BufferFor = [&](Value *InPlace, Value *Extent, Value *Padded,
                       uint64_t Width, Value *Max) {
    Value *All = umin(AlignUp(Extent, Width), Max);
    Value *Edge = B.CreateSelect(B.CreateICmpEQ(Padded, i64(0)), i64(0),
                                 i64(Width));
    return B.CreateMul(B.CreateMul(B.CreateSelect(InPlace, Edge, All), KC),
                       i64(Size));
  };
  Value *RestM = B.CreateURem(ExtentM, i64(How.VL));
  Value *RestN = B.CreateURem(ExtentN, i64(How.NR));
  Value *PanelSize = BufferFor(ReadB, ExtentN, RestN, How.NR, i64(How.NC));
  Value *BlockSize = BufferFor(ReadA, ExtentM, RestM, How.MR, MC);
  Value *SumsLd = AlignUp(ExtentM, How.MR);
  Value *SumsSize = i64(0);
  if (!Op.storesSum()) {
    Value *All = B.CreateMul(
        B.CreateMul(SumsLd, umin(AlignUp(ExtentN, How.NR), i64(How.NC))),
        i64(Size));
    SumsSize = B.CreateSelect(B.CreateICmpUGT(Blocks, i64(1)), All, i64(0));
  }
  auto RoundLine = [&](Value *V) { return AlignUp(V, CacheLine); };
  PanelSize = RoundLine(PanelSize);
  BlockSize = RoundLine(BlockSize);
  Type *SizeTy = DL.getIntPtrType(Mod.getContext());
  FunctionCallee Malloc = Mod.getOrInsertFunction("malloc", Ptr, SizeTy);
  FunctionCallee Free =
      Mod.getOrInsertFunction("free", B.getVoidTy(), Ptr);
  Value *Bytes = B.CreateAdd(B.CreateAdd(PanelSize, BlockSize), SumsSize);
  LLVMContext &Ctx = Mod.getContext();
  BasicBlock *Entry = B.GetInsertBlock();
  BasicBlock *Allocate = BasicBlock::Create(Ctx, "allocate", F);
  BasicBlock *NoMemory = BasicBlock::Create(Ctx, "no.memory", F);
  BasicBlock *Run = BasicBlock::Create(Ctx, "run", F);
  B.CreateCondBr(B.CreateIsNull(Bytes), Run, Allocate);
  B.SetInsertPoint(Allocate);
  Value *Allocated = B.CreateCall(
      Malloc, {B.CreateTrunc(B.CreateAdd(Bytes, i64(CacheLine)), SizeTy)});
  B.CreateCondBr(B.CreateIsNull(Allocated), NoMemory, Run);
  B.SetInsertPoint(NoMemory);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Run);
  PHINode *Memory = B.CreatePHI(Ptr, 2, "memory");
  Memory->addIncoming(ConstantPointerNull::get(cast<PointerType>(Ptr)), Entry);
  Memory->addIncoming(Allocated, Allocate);
  Value *Panel = B.CreateIntrinsic(
      Intrinsic::ptrmask, {Ptr, SizeTy},
      {B.CreatePtrAdd(Memory, i64(CacheLine - 1)),
       ConstantInt::getSigned(SizeTy, -int64_t(CacheLine))});
  Value *Block = B.CreatePtrAdd(Panel, PanelSize);
  Value *Sums = B.CreatePtrAdd(Block, BlockSize);
  SmallVector<Value *, 4> ScalarArgs = scalarArgs(*F);
  auto Call = [&](Function *Callee, SmallVector<Value *, 16> Args) {
    Args.append(ScalarArgs);
    B.CreateCall(Callee, Args);
  };

  emitLoop(i64(0), ExtentN, i64(How.NC), "jc", [&](Value *Jc) {
    Value *Nb = umin(B.CreateSub(ExtentN, Jc), i64(How.NC));
    emitLoop(i64(0), ExtentK, KC, "pc", [&](Value *Pc) {
      Value *Kb = umin(B.CreateSub(ExtentK, Pc), KC);
      Value *First = B.CreateIsNull(Pc);
      Value *IsLast = B.CreateICmpEQ(B.CreateAdd(Pc, Kb), ExtentK);
      Value *SrcB = offset(offset(arg(*F, "B"), Jc, arg(*F, "sBn")), Pc,
                           arg(*F, "sBk"));
      // From where on B is packed, and how each sliver is reached.
      Value *FromN = B.CreateSelect(ReadB, B.CreateSub(Nb, B.CreateURem(Nb, i64(How.NR))), i64(0));
      Call(PackB, {Panel, offset(SrcB, FromN, arg(*F, "sBn")), arg(*F, "sBn"),
                   arg(*F, "sBk"), B.CreateSub(Nb, FromN), Kb});

      emitLoop(i64(0), ExtentM, MC, "ic", [&](Value *Ic) {
        Value *Mb = umin(B.CreateSub(ExtentM, Ic), MC);
        Value *SrcA = offset(offset(arg(*F, "A"), Ic, arg(*F, "sAm")), Pc,
                             arg(*F, "sAk"));
        Split Rows = splitRows(Mb);
        // In place, all panels but one that needs padding.
        Value *Last = B.CreateSub(Mb, i64(1));
        Value *LastPanel = B.CreateSub(
            Last, B.CreateURem(B.CreateSub(Last, Rows.Regular), Rows.Step));
        Value *Ragged = B.CreateURem(Mb, i64(How.VL));
        Value *FromM = B.CreateSelect(
            ReadA,
            B.CreateSelect(B.CreateIsNull(Ragged), Mb, LastPanel),
            i64(0));
        Call(PackA, {Block, offset(SrcA, FromM, arg(*F, "sAm")),
                     arg(*F, "sAm"), arg(*F, "sAk"), B.CreateSub(Mb, FromM),
                     Kb});
        Value *CornerC =
            offset(offset(arg(*F, "C"), Ic, StrideCm), Jc, StrideCn);

        emitLoop(i64(0), Nb, i64(How.NR), "jr", [&](Value *Jr) {
          Value *Columns = umin(B.CreateSub(Nb, Jr), i64(How.NR));
          Value *ColumnC = offset(CornerC, Jr, StrideCn);
          Value *BInPlace = B.CreateICmpULT(Jr, FromN);
          Value *Sliver = B.CreateSelect(
              BInPlace, offset(SrcB, Jr, arg(*F, "sBn")),
              element(Panel, B.CreateMul(B.CreateSub(Jr, FromN), Kb)));
          Value *StrideBk = B.CreateSelect(
              BInPlace, arg(*F, "sBk"),
              B.CreateMul(paddedColumns(Columns), i64(Size)));
          Value *LdB = i64(1);
          if (!OpB.X.isUnit(OpB.P, DL))
            LdB = B.CreateSelect(
                BInPlace, B.CreateSDiv(arg(*F, "sBn"), i64(Size)), LdB);

          auto EmitTile = [&](Value *Ir, Value *Rows, bool WholeRows) {
            Value *AInPlace = B.CreateICmpULT(Ir, FromM);
            Value *PanelA = B.CreateSelect(
                AInPlace, offset(SrcA, Ir, arg(*F, "sAm")),
                element(Block, B.CreateMul(B.CreateSub(Ir, FromM), Kb)));
            Value *StrideAk = B.CreateSelect(
                AInPlace, arg(*F, "sAk"),
                B.CreateMul(paddedRows(Rows), i64(Size)));
            Value *TileC = offset(ColumnC, Ir, StrideCm);
            Value *LdC = B.CreateSDiv(StrideCn, i64(Size));
            Value *TileP = TileC, *LdP = LdC;
            if (!Op.storesSum()) {
              TileP = element(Sums, B.CreateAdd(B.CreateAdd(Ic, Ir),
                                                B.CreateMul(Jr, SumsLd)));
              LdP = SumsLd;
            }
            SmallVector<Value *, 16> Operands = {PanelA,   StrideAk, Sliver,
                                                 StrideBk, LdB,      Kb};
            auto CallTile = [&] {
              SmallVector<Value *, 16> Args = Operands;
              Args.append({TileC, StrideCm, StrideCn, TileP, LdP, Rows,
                           Columns, First, IsLast});
              Call(Tile, Args);
            };
            auto CallMicro = [&](Function *Kernel) {
              SmallVector<Value *, 16> Args = Operands;
              Args.append({TileC, LdC, TileP, LdP, First, IsLast});
              Call(Kernel, Args);
            };
            if (!AdjacentRowsOfC || !WholeRows)
              return CallTile();
            emitIf(
                B.CreateAnd(B.CreateICmpEQ(Columns, i64(How.NR)),
                            isWholeElements(StrideCn)),
                "whole",
                [&] {
                  emitIf(
                      B.CreateNot(B.CreateOr(AInPlace, BInPlace)), "packed",
                      [&] { CallMicro(PackedMicro); },
                      [&] { CallMicro(Micro[{How.MR, How.NR}]); });
                },
                CallTile);
          };
          emitLoop(i64(0), Rows.Regular, i64(How.MR), "ir", [&](Value *Ir) {
            EmitTile(Ir, i64(How.MR), /*WholeRows=*/true);
          });
          emitLoop(Rows.Regular, Mb, Rows.Step, "ir.rest", [&](Value *Ir) {
            EmitTile(Ir, umin(B.CreateSub(Mb, Ir), Rows.Step),
                     /*WholeRows=*/false);
          });
        });
      });
    });
  });
  B.CreateCall(Free, {Memory});
  B.CreateRet(B.getTrue());
  return F;
}

} // namespace tilesmith
