//===- Comparison.cpp - the kernel's results and the loops' ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "Counter.h"
#include "Guard.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

bool isComparable(const PlannedNest &Planned) {
  const Surroundings &Source = Planned.View.Source;
  const Contraction &Op = Planned.View.Op;
  if (Source.hasRest() || !Source.StoredValues.empty() || Op.isSaved() ||
      Op.C.Rows || Planned.ThePlan.Library)
    return false;
  return none_of(Source.Root->blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return isa<FPMathOperator>(I) && I.hasAllowReassoc();
    });
  });
}

Comparison::Comparison(const PlannedNest &Planned, GuardBuilder &Guard)
    : Planned(Planned) {
  const Contraction &Op = Planned.View.Op;
  First = Guard.base(Op.C);
  for (Dim D : {M, N})
    Axes.push_back({Guard.stride(Op.C, D), Guard.extent(D)});
  for (unsigned I = 0; I < Op.Outer.size(); ++I)
    Axes.push_back({Guard.outerStride(Op.C, I), Guard.outerExtent(I)});
  // Steps of the sum stay at an element.
  erase_if(Axes, [](const Axis &A) {
    auto *Stride = dyn_cast<Constant>(A.Stride);
    return Stride && Stride->isNullValue();
  });
}

/// A call of a function of runtime/Compare.c. Its numbers have 64 bits, so that
/// they need no extension.
static CallInst *callRuntime(IRBuilderBase &B, StringRef Name, Type *Result,
                             ArrayRef<Value *> Args) {
  SmallVector<Type *, 4> Types;
  for (Value *Arg : Args)
    Types.push_back(Arg->getType());
  Module &Mod = *B.GetInsertBlock()->getModule();
  CallInst *Call = B.CreateCall(
      Mod.getOrInsertFunction(Name, FunctionType::get(Result, Types, false)),
      Args);
  Call->setDoesNotThrow();
  return Call;
}

void Comparison::emitSave(IRBuilderBase &B) {
  Function &F = *B.GetInsertBlock()->getParent();
  Type *I64 = B.getInt64Ty();
  IRBuilder<> AtEntry(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *Shape =
      AtEntry.CreateAlloca(ArrayType::get(I64, 2 * Axes.size()));
  Value *Array = B.CreatePointerBitCastOrAddrSpaceCast(Shape, B.getPtrTy());
  for (auto [I, A] : enumerate(Axes)) {
    B.CreateStore(A.Stride, B.CreateConstGEP1_64(I64, Array, 2 * I));
    B.CreateStore(A.Extent, B.CreateConstGEP1_64(I64, Array, 2 * I + 1));
  }
  uint64_t Size = F.getDataLayout().getTypeStoreSize(Planned.View.Op.C.ElemTy);
  State =
      callRuntime(B, "tilesmith_compare_save", B.getPtrTy(),
                  {First, Array, B.getInt64(Axes.size()), B.getInt64(Size)});
}

void Comparison::emitRestore(IRBuilderBase &B, Value *Done) {
  State = callRuntime(B, "tilesmith_compare_restore", B.getPtrTy(),
                      {State, B.CreateZExt(Done, B.getInt64Ty())});
}

void Comparison::emitCheck(BasicBlock *NestEntry, BasicBlock *Exit) {
  IRBuilder<> B(NestEntry, NestEntry->begin());
  PHINode *Phi = B.CreatePHI(B.getPtrTy(), 2, "tilesmith.compared");
  for (BasicBlock *From : predecessors(NestEntry))
    Phi->addIncoming(From == State->getParent()
                         ? static_cast<Value *>(State)
                         : ConstantPointerNull::get(B.getPtrTy()),
                     From);
  B.SetInsertPoint(Exit, Exit->getFirstInsertionPt());
  B.SetCurrentDebugLocation(State->getDebugLoc());
  // The bits of a floating-point number behind its exponent.
  Type *Ty = Planned.View.Op.C.ElemTy;
  unsigned Fraction =
      Ty->isFloatingPointTy() ? Ty->getFPMantissaWidth() - 1 : 0;
  callRuntime(
      B, "tilesmith_compare_check", B.getVoidTy(),
      {Phi, B.getInt64(Fraction),
       B.CreateGlobalString(nameOf(Planned, Planned.ThePlan.ComparedAs))});
}

} // namespace tilesmith
