//===- Buffers.cpp - the memory of a macro kernel -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One allocation holds the packed panel of B, the packed block of A and, if what
// is stored is not the sum itself and K needs several blocks, the sums.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

Value *KernelFrame::emitMalloc(Value *Bytes) {
  Type *SizeTy = DL.getIntPtrType(Ctx);
  // What does not fit size_t is cut off at its greatest value, not to be had.
  Value *Greatest = B.CreateZExt(ConstantInt::getAllOnesValue(SizeTy), I64);
  Value *Request = umin(B.CreateAdd(Bytes, i64(CacheLine)), Greatest);
  return callMalloc(B, Mod, B.CreateTrunc(Request, SizeTy));
}

void KernelFrame::emitFree(Value *Memory) { callFree(B, Mod, Memory); }

Value *KernelFrame::cacheLineIn(Value *Memory) {
  Type *SizeTy = DL.getIntPtrType(Ctx);
  return B.CreateIntrinsic(
      Intrinsic::ptrmask, {Ptr, SizeTy},
      {B.CreatePtrAdd(Memory, i64(CacheLine - 1)),
       ConstantInt::getSigned(SizeTy, -int64_t(CacheLine))});
}

/// So many bytes, or null if there are none. The kernel returns false if they
/// cannot be had.
Value *MacroKernel::emitMemory(Value *Bytes) {
  BasicBlock *Entry = B.GetInsertBlock();
  Function *F = Entry->getParent();
  BasicBlock *Allocate = BasicBlock::Create(Ctx, "allocate", F);
  BasicBlock *NoMemory = BasicBlock::Create(Ctx, "no.memory", F);
  BasicBlock *Run = BasicBlock::Create(Ctx, "run", F);
  B.CreateCondBr(B.CreateIsNull(Bytes), Run, Allocate);
  B.SetInsertPoint(Allocate);
  Value *Allocated = emitMalloc(Bytes);
  B.CreateCondBr(B.CreateIsNull(Allocated), NoMemory, Run);
  B.SetInsertPoint(NoMemory);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Run);
  PHINode *Memory = B.CreatePHI(Ptr, 2, "memory");
  Memory->addIncoming(ConstantPointerNull::get(cast<PointerType>(Ptr)), Entry);
  Memory->addIncoming(Allocated, Allocate);
  return Memory;
}

/// For the packed panels of \p Of. An operand read in place needs one panel for
/// its ragged edge, if that is padded.
Value *MacroKernel::bytesOfPanels(const Macro &X, const Operand &Of,
                                  const PackedExtent &Along) {
  Value *Edge = i64(0);
  if (!hasMasks())
    Edge = B.CreateSelect(
        B.CreateIsNull(B.CreateURem(Along.Extent, i64(Along.Granule))), i64(0),
        i64(Of.PanelWidth));
  Value *All = umin(alignUp(Along.Extent, Of.PanelWidth), Along.Most);
  Value *Groups = groupsOf(Of.X.isPackedFirst() ? X.K : X.KC);
  if (ThePlan.Bundled[tilesmith::K])
    Groups = B.CreateMul(Groups, X.Bundles[tilesmith::K].PerBlock);
  Value *Lines = B.CreateMul(B.CreateSelect(Along.InPlace, Edge, All), Groups);
  Value *Elements = Lines;
  if (ThePlan.Bundled[Of.P])
    Elements =
        B.CreateMul(B.CreateAdd(B.CreateMul(All, Groups), i64(Of.PanelWidth)),
                    X.Bundles[Of.P].PerBlock);
  Value *Bytes =
      B.CreateAdd(B.CreateMul(Elements, i64(PanelSize)), i64(slack(Of)));
  Bytes = alignUp(Bytes, CacheLine);
  return B.CreateSelect(B.CreateIsNull(Lines), i64(0), Bytes);
}

/// For sums that are not in C between blocks of steps.
Value *MacroKernel::bytesOfSums(Macro &X) {
  X.SumsLd = alignUp(X.M, ThePlan.MR);
  X.HasTileOfSums = B.getFalse();
  if (SumsInC && !SumsApart)
    return i64(0);
  Value *Columns = umin(alignUp(X.N, ThePlan.NR), i64(ThePlan.NC));
  Value *Bytes = B.CreateMul(B.CreateMul(X.SumsLd, Columns), i64(Size));
  Value *IsUsed = B.CreateOr(B.CreateICmpUGT(X.NumBlocks, i64(1)),
                             B.getInt1(Made != Steps::All || hasOuterSums()));
  Bytes = B.CreateSelect(IsUsed, Bytes, i64(0));
  X.HasTileOfSums = B.CreateAnd(B.CreateNot(IsUsed), B.getInt1(SumsApart));
  return Bytes;
}

/// For what the sums of integers are corrected by.
Value *MacroKernel::bytesOfCorrections(const Macro &X) {
  if (!Correction)
    return i64(0);
  Value *Columns = umin(alignUp(X.N, ThePlan.NR), i64(ThePlan.NC));
  Columns = B.CreateAdd(Columns, i64(ThePlan.NR)); // those of the last sliver
  return alignUp(B.CreateMul(Columns, i64(Size)), CacheLine);
}

/// For where each step's elements are. One more step is read, and not used
/// (MicroKernel::rowOfWindows).
Value *MacroKernel::bytesOfTable(const Macro &X, const Macro::Numbers &Of) {
  return alignUp(B.CreateMul(B.CreateAdd(X.KC, i64(1)),
                             i64(bytesOfStep(Of.Borders.size()))),
                 CacheLine);
}

/// Allocates the buffers, if any are needed.
void MacroKernel::emitAllocation(Macro &X) {
  SmallVector<Value *, 4> Sizes;
  for (Macro::Factors &T : X.Terms) {
    Sizes.push_back(
        bytesOfPanels(X, T.Of->B, {T.ReadB, X.N, i64(ThePlan.NC), ThePlan.NR}));
    Value *MostRows =
        packsFirst(tilesmith::M) ? alignUp(X.M, ThePlan.MR) : X.MC;
    Sizes.push_back(
        bytesOfPanels(X, T.Of->A, {T.ReadA, X.M, MostRows, ThePlan.VL}));
  }
  Value *SumsBytes = bytesOfSums(X), *CorrectionBytes = bytesOfCorrections(X);
  Value *Bytes = B.CreateAdd(SumsBytes, CorrectionBytes);
  for (const Macro::Numbers &Of : X.Gathered)
    if (!Of.OfLine.empty())
      Bytes = B.CreateAdd(Bytes, bytesOfTable(X, Of));
  Value *RunBytes = bytesOfRuns(X);
  Bytes = B.CreateAdd(Bytes, RunBytes);
  if (needsElementsBefore())
    Bytes = B.CreateAdd(Bytes, B.CreateMul(B.CreateMul(X.M, X.N), i64(Size)));
  for (Value *Part : Sizes)
    Bytes = B.CreateAdd(Bytes, Part);

  X.Memory = emitMemory(Bytes);
  Value *Free = cacheLineIn(X.Memory);
  auto Take = [&](Value *Part) {
    return std::exchange(Free, B.CreatePtrAdd(Free, Part));
  };
  for (auto [I, T] : enumerate(X.Terms)) {
    T.Panel = T.AllPanels = Take(Sizes[2 * I]);
    T.Block = T.AllBlocks = Take(Sizes[2 * I + 1]);
  }
  for (Macro::Numbers &Of : X.Gathered)
    if (!Of.OfLine.empty())
      Of.Table = Take(bytesOfTable(X, Of));
  X.Gathered[N].Runs = Take(RunBytes);
  X.Corrections = Take(CorrectionBytes);
  X.Sums = Take(SumsBytes);
  if (SumsApart) {
    X.Sums = B.CreateSelect(X.HasTileOfSums, X.TileOfSums, X.Sums);
    X.SumsLd = B.CreateSelect(X.HasTileOfSums, i64(ThePlan.MR), X.SumsLd);
  }
  X.Before = Free;
}

} // namespace tilesmith
