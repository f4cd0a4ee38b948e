//===- Saving.cpp - functions for a copy of C -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops, which LLVM makes vectors of. See SavedRows in Access.h.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Kernel/Saving.h"
#include "tilesmith/Support/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A new function of \p Caller's module, with its target.
Function *createPart(Function &Caller, StringRef Name, Type *Result,
                     ArrayRef<Type *> Parameters) {
  Function *F = Function::Create(
      FunctionType::get(Result, Parameters, /*isVarArg=*/false),
      GlobalValue::InternalLinkage, Name, *Caller.getParent());
  F->addFnAttrs(attributesOfPart(Caller));
  BasicBlock::Create(F->getContext(), "entry", F);
  return F;
}

/// for (iv = Begin; iv < End; ++iv) Body(iv), signed. \p B stays behind it.
void emitSignedLoop(IRBuilderBase &B, Value *Begin, Value *End, StringRef Name,
                    function_ref<void(Value *)> Body) {
  LLVMContext &Ctx = B.getContext();
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *In = BasicBlock::Create(Ctx, Name, F);
  BasicBlock *After = BasicBlock::Create(Ctx, Name + ".end", F);
  B.CreateCondBr(B.CreateICmpSLT(Begin, End), In, After);
  B.SetInsertPoint(In);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2);
  Index->addIncoming(Begin, Before);
  Body(Index);
  Value *Next = B.CreateNSWAdd(Index, B.getInt64(1));
  Index->addIncoming(Next, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpSLT(Next, End), In, After);
  B.SetInsertPoint(After);
}

Value *offsetOf(IRBuilderBase &B, Value *Base, Value *Index, Value *Stride) {
  return B.CreatePtrAdd(Base, B.CreateMul(Index, Stride));
}

} // namespace

Function *createCopy(Function &Caller, Type *ElemTy, Align Alignment,
                     Value *ToStep, Value *FromStep, bool OnlyChanges) {
  LLVMContext &Ctx = Caller.getContext();
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  Function *F = createPart(Caller, "tilesmith.copy", Type::getVoidTy(Ctx),
                           {Ptr, I64, I64, Ptr, I64, I64, I64, I64});
  IRBuilder<> B(&F->getEntryBlock());
  for (unsigned Pointer : {0, 3})
    F->addParamAttr(Pointer, Attribute::NoAlias);
  if (!isa<Constant>(ToStep))
    ToStep = F->getArg(2);
  if (!isa<Constant>(FromStep))
    FromStep = F->getArg(5);
  Value *Zero = B.getInt64(0);
  emitSignedLoop(B, Zero, F->getArg(6), "line", [&](Value *Line) {
    Value *To = offsetOf(B, F->getArg(0), Line, F->getArg(1));
    Value *From = offsetOf(B, F->getArg(3), Line, F->getArg(4));
    emitSignedLoop(B, Zero, F->getArg(7), "element", [&](Value *Element) {
      Value *Source = offsetOf(B, From, Element, FromStep);
      Value *Target = offsetOf(B, To, Element, ToStep);
      Value *Copied = B.CreateAlignedLoad(ElemTy, Source, Alignment);
      BasicBlock *Changes = nullptr, *Next = nullptr;
      if (OnlyChanges) {
        Changes = BasicBlock::Create(Ctx, "changes", F);
        Next = BasicBlock::Create(Ctx, "next", F);
        Value *Before = B.CreateAlignedLoad(ElemTy, Target, Alignment);
        B.CreateCondBr(B.CreateICmpNE(Before, Copied), Changes, Next);
        B.SetInsertPoint(Changes);
      }
      B.CreateAlignedStore(Copied, Target, Alignment);
      if (OnlyChanges) {
        B.CreateBr(Next);
        B.SetInsertPoint(Next);
      }
    });
  });
  B.CreateRetVoid();
  return F;
}

Function *createPasses(Function &Caller, const Access &X, bool IsAdjacent) {
  LLVMContext &Ctx = Caller.getContext();
  Type *Ptr = PointerType::get(Ctx, 0), *I64 = Type::getInt64Ty(Ctx);
  Function *F = createPart(Caller, "tilesmith.passes", Type::getInt1Ty(Ctx),
                           {Ptr, I64, I64, I64, I64, I64, I64});
  IRBuilder<> B(&F->getEntryBlock());
  Value *Size = B.getInt64(F->getDataLayout().getTypeStoreSize(X.ElemTy));
  Value *Step = IsAdjacent ? Size : F->getArg(2);
  BasicBlock *Bad = BasicBlock::Create(Ctx, "bad", F);
  emitSignedLoop(B, B.getInt64(0), F->getArg(3), "line", [&](Value *Line) {
    Value *From = offsetOf(B, F->getArg(0), Line, F->getArg(1));
    Value *Begin = B.CreateBinaryIntrinsic(Intrinsic::smax, B.getInt64(0),
                                           B.CreateNSWAdd(Line, F->getArg(5)));
    Value *End = B.CreateBinaryIntrinsic(Intrinsic::smin, F->getArg(4),
                                         B.CreateNSWAdd(Line, F->getArg(6)));
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *In = BasicBlock::Create(Ctx, "element", F);
    BasicBlock *After = BasicBlock::Create(Ctx, "element.end", F);
    BasicBlock *Good = BasicBlock::Create(Ctx, "good", F);
    B.CreateCondBr(B.CreateICmpSLT(Begin, End), In, Good);
    // If all pass, a plain loop that LLVM can vectorise.
    B.SetInsertPoint(In);
    PHINode *Index = B.CreatePHI(I64, 2);
    PHINode *Fails = B.CreatePHI(B.getInt1Ty(), 2);
    Index->addIncoming(Begin, Before);
    Fails->addIncoming(B.getFalse(), Before);
    Value *Element = B.CreateAlignedLoad(
        X.ElemTy, offsetOf(B, From, Index, Step), X.Alignment);
    Value *Passes =
        B.CreateCmp(X.Zeros->Passes, Element, Constant::getNullValue(X.ElemTy));
    Value *Any = B.CreateOr(Fails, B.CreateNot(Passes));
    Value *Next = B.CreateNSWAdd(Index, B.getInt64(1));
    Index->addIncoming(Next, In);
    Fails->addIncoming(Any, In);
    B.CreateCondBr(B.CreateICmpSLT(Next, End), In, After);
    B.SetInsertPoint(After);
    B.CreateCondBr(Any, Bad, Good);
    B.SetInsertPoint(Good);
  });
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getFalse());
  return F;
}

} // namespace tilesmith
