//===- SavedCopy.cpp - C as it was in front of the nest -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   check:  no step is left out for a zero     tilesmith.passes
//   fast:   saved = malloc(...)
//   save:   saved = C                          tilesmith.copy
//   rest:   a copy of the nest without the product
//   run:    done = kernel(C, A, saved)
//   undo:   if not done: C = saved, and the nest itself runs
//
//===----------------------------------------------------------------------===//

#include "SavedCopy.h"
#include "Guard.h"
#include "tilesmith/Kernel/Kernel.h"
#include "tilesmith/Kernel/Saving.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

static Value *offsetOf(IRBuilderBase &B, Value *Base, Value *Index,
                       Value *Stride) {
  return B.CreatePtrAdd(Base, B.CreateMul(Index, Stride));
}

SavedCopy::SavedCopy(const Nest &View, GuardBuilder &Guard)
    : Caller(*View.Op.store()->getFunction()) {
  const Contraction &Op = View.Op;
  const Access &X = *Op.savedFactor();
  const DataLayout &DL = Op.getDataLayout();
  IRBuilderBase &B = Guard.builder();
  Dim P = Op.Domain->boundOfK(), Q = mirrored(P);
  bool IsAlongP = X.isUnit(K, DL) && Op.C.isAdjacent(P, DL);
  ElemTy = B.getIntNTy(DL.getTypeStoreSizeInBits(X.ElemTy));
  Alignment = std::min(X.Alignment, Op.C.Alignment);
  Value *Rows = Guard.savedRows(*X.Saved), *Columns = Guard.extent(Q);
  Value *RowStride = Guard.stride(Op.C, P),
        *ColumnStride = Guard.stride(Op.C, Q);
  Value *First = B.getInt64(X.Saved->First);
  Array = {offsetOf(B, Guard.base(Op.C), First, RowStride),
           IsAlongP ? ColumnStride : RowStride,
           IsAlongP ? RowStride : ColumnStride};
  Lines = IsAlongP ? Columns : Rows;
  Elements = IsAlongP ? Rows : Columns;
  CopyStride = Guard.stride(X, IsAlongP ? Q : K);
  Size = B.getInt64(DL.getTypeStoreSize(X.ElemTy));
}

Value *SavedCopy::emitZeroTest(const Nest &View, GuardBuilder &Guard) {
  const Contraction &Op = View.Op;
  const Term &T = Op.Terms[0];
  IRBuilderBase &B = Guard.builder();
  Dim P = Op.Domain->boundOfK(), Q = mirrored(P);
  bool IsFrom = Op.Domain->isFrom();
  constexpr int64_t Far = int64_t(1) << 40;
  Value *Diagonal = Guard.diagonal(), *One = B.getInt64(1);
  Function &Caller = *Op.store()->getFunction();
  const DataLayout &DL = Op.getDataLayout();
  auto Call = [&](const Access &X, bool IsAdjacent, std::array<Value *, 7> Of) {
    return B.CreateCall(createPasses(Caller, X, IsAdjacent), Of);
  };
  for (const Access *X : {&T.A, &T.B}) {
    if (!X->Zeros)
      continue;
    if (X->Saved) {
      // The rows of C that are read by any step.
      Value *Steps = Guard.extent(K), *Rows = Guard.extent(P);
      Value *Skipped = B.getInt64(0);
      if (IsFrom)
        Skipped = B.CreateBinaryIntrinsic(Intrinsic::smax, Skipped, Diagonal);
      else
        Steps = B.CreateBinaryIntrinsic(Intrinsic::smin, Steps,
                                        B.CreateAdd(Rows, Diagonal));
      Value *Count = B.CreateSub(Steps, Skipped);
      Value *First = B.CreateAdd(Skipped, B.getInt64(X->Saved->Shift));
      Value *Row = Guard.stride(Op.C, P), *Column = Guard.stride(Op.C, Q);
      Value *From = offsetOf(B, Guard.base(Op.C), First, Row);
      Value *Columns = Guard.extent(Q);
      Value *Never = B.getInt64(-Far), *Always = B.getInt64(Far);
      if (Op.C.isUnit(P, DL))
        return Call(*X, true,
                    {From, Column, Row, Columns, Count, Never, Always});
      return Call(*X, Op.C.isUnit(Q, DL),
                  {From, Row, Column, Count, Columns, Never, Always});
    }
    // The elements on the side of the diagonal where steps are made.
    Value *Base = Guard.base(*X);
    Value *StrideP = Guard.stride(*X, P), *StrideK = Guard.stride(*X, K);
    Value *Rows = Guard.extent(P), *Steps = Guard.extent(K);
    Value *Never = B.getInt64(-Far), *Always = B.getInt64(Far);
    if (X->isUnit(K, DL)) {
      // k >= p + diagonal, or <=.
      Value *Begin = IsFrom ? Diagonal : Never;
      Value *End = IsFrom ? Always : B.CreateAdd(Diagonal, One);
      return Call(*X, true, {Base, StrideP, StrideK, Rows, Steps, Begin, End});
    }
    // p <= k - diagonal, or >=.
    Value *Bound = B.CreateNeg(Diagonal);
    Value *Begin = IsFrom ? Never : Bound;
    Value *End = IsFrom ? B.CreateAdd(Bound, One) : Always;
    return Call(*X, X->isUnit(P, DL),
                {Base, StrideK, StrideP, Steps, Rows, Begin, End});
  }
  return nullptr;
}

Value *SavedCopy::emitAllocation(IRBuilderBase &B) const {
  Module &Mod = *Caller.getParent();
  Type *SizeTy = Mod.getDataLayout().getIntPtrType(B.getContext());
  Value *Bytes = B.CreateMul(Lines, B.CreateMul(Elements, Size));
  return callMalloc(B, Mod, B.CreateZExtOrTrunc(Bytes, SizeTy));
}

void SavedCopy::emitCopy(IRBuilderBase &B, Side To, Side From,
                         bool OnlyChanges) const {
  Function *Copy = createCopy(Caller, ElemTy, Alignment, To.ElementStride,
                              From.ElementStride, OnlyChanges);
  B.CreateCall(Copy, {To.Memory, To.LineStride, To.ElementStride, From.Memory,
                      From.LineStride, From.ElementStride, Lines, Elements});
}

void SavedCopy::emitSave(IRBuilderBase &B, Value *Memory) const {
  emitCopy(B, copyIn(Memory), Array, /*OnlyChanges=*/false);
}

void SavedCopy::emitRestore(IRBuilderBase &B, Value *Memory) const {
  // Rows that are only read must not be written.
  emitCopy(B, Array, copyIn(Memory), /*OnlyChanges=*/true);
}

} // namespace tilesmith
