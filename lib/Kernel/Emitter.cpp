//===- Emitter.cpp - pieces of IR that kernels are made of ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilesmith/Kernel/Kernel.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// The function that tells where errno is; empty if that is not known.
static StringRef errnoFunction(const Triple &T) {
  if (T.isAndroid())
    return "__errno";
  if (T.isOSLinux() || T.isOSEmscripten())
    return "__errno_location";
  if (T.isOSDarwin() || T.isOSFreeBSD())
    return "__error";
  return T.isOSWindows() ? "_errno" : "";
}

Value *callMalloc(IRBuilderBase &B, Module &Mod, Value *Size) {
  PointerType *Ptr = B.getPtrTy();
  Value *Errno = nullptr, *Before = nullptr;
  if (StringRef Where = errnoFunction(Mod.getTargetTriple()); !Where.empty()) {
    Errno = B.CreateCall(Mod.getOrInsertFunction(Where, Ptr), {}, "errno");
    Before = B.CreateAlignedLoad(B.getInt32Ty(), Errno, Align(4));
  }
  Value *Memory = B.CreateCall(
      Mod.getOrInsertFunction("malloc", Ptr, Size->getType()), {Size});
  if (Errno)
    B.CreateAlignedStore(Before, Errno, Align(4));
  return Memory;
}

void callFree(IRBuilderBase &B, Module &Mod, Value *Memory) {
  B.CreateCall(Mod.getOrInsertFunction("free", B.getVoidTy(), B.getPtrTy()),
               {Memory});
}

void Emitter::emitLoop(Value *Begin, Value *End, Value *Step, StringRef Name,
                       function_ref<void(Value *)> Body) {
  emitLoop(Begin, End, Name, [&](Value *IV) {
    Body(IV);
    return Step;
  });
}

void Emitter::emitLoop(Value *Begin, Value *End, StringRef Name,
                       function_ref<Value *(Value *)> Body) {
  Function *F = B.GetInsertBlock()->getParent();
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Header = BasicBlock::Create(Ctx, Name, F);
  BasicBlock *BodyBB = BasicBlock::Create(Ctx, Name + ".body", F);
  BasicBlock *After = BasicBlock::Create(Ctx, Name + ".end", F);
  B.CreateBr(Header);
  B.SetInsertPoint(Header);
  PHINode *IV = B.CreatePHI(I64, 2, Name + ".iv");
  IV->addIncoming(Begin, Before);
  B.CreateCondBr(B.CreateICmpULT(IV, End), BodyBB, After);
  B.SetInsertPoint(BodyBB);
  Value *Step = Body(IV);
  IV->addIncoming(B.CreateNUWAdd(IV, Step), B.GetInsertBlock());
  setLoopHints(*B.CreateBr(Header), /*UnrollCount=*/1);
  B.SetInsertPoint(After);
}

void Emitter::emitVectors(Value *Begin, Value *End, unsigned Width,
                          StringRef Name,
                          function_ref<void(Value *, unsigned)> Body) {
  Value *Rest = Begin;
  if (Width) {
    Rest = B.CreateAdd(Begin, alignDown(B.CreateSub(End, Begin), Width));
    emitLoop(Begin, Rest, i64(Width), "vector",
             [&](Value *I) { Body(I, Width); });
  }
  emitLoop(Rest, End, i64(1), Name, [&](Value *I) { Body(I, 0); });
}

void Emitter::setLoopHints(BranchInst &Latch, unsigned UnrollCount) {
  auto Hint = [&](StringRef Name, ConstantInt *Value) {
    return MDNode::get(
        Ctx, {MDString::get(Ctx, Name), ConstantAsMetadata::get(Value)});
  };
  MDNode *LoopID = MDNode::getDistinct(
      Ctx, {nullptr, Hint("llvm.loop.vectorize.enable", B.getFalse()),
            Hint("llvm.loop.unroll.count", B.getInt32(UnrollCount))});
  LoopID->replaceOperandWith(0, LoopID);
  Latch.setMetadata(LLVMContext::MD_loop, LoopID);
}

void Emitter::emitIf(Value *Condition, StringRef Name,
                     function_ref<void()> Then, function_ref<void()> Else) {
  Function *F = B.GetInsertBlock()->getParent();
  BasicBlock *ThenBB = BasicBlock::Create(Ctx, Name, F);
  BasicBlock *After = BasicBlock::Create(Ctx, Name + ".end", F);
  BasicBlock *ElseBB =
      Else ? BasicBlock::Create(Ctx, Name + ".else", F, After) : After;
  B.CreateCondBr(Condition, ThenBB, ElseBB);
  B.SetInsertPoint(ThenBB);
  Then();
  B.CreateBr(After);
  if (Else) {
    B.SetInsertPoint(ElseBB);
    Else();
    B.CreateBr(After);
  }
  B.SetInsertPoint(After);
}

Value *Emitter::offset(Value *Base, Value *Index, Value *Stride) {
  return B.CreatePtrAdd(Base, B.CreateMul(Index, Stride));
}

void Emitter::prefetch(Value *Base, uint64_t Bytes, uint64_t Line,
                       unsigned Locality) {
  for (uint64_t At = 0; At < Bytes; At += Line)
    B.CreateIntrinsic(Intrinsic::prefetch, {Ptr},
                      {B.CreatePtrAdd(Base, i64(At)), B.getInt32(/*read*/ 0),
                       B.getInt32(Locality), B.getInt32(/*data*/ 1)});
}

Value *Emitter::hidden(Value *Moved) {
  return B.CreateStripInvariantGroup(Moved);
}

Value *Emitter::isMultipleOf(Value *X, uint64_t Power) {
  return B.CreateIsNull(B.CreateAnd(X, i64(Power - 1)));
}

Value *Emitter::umin(Value *X, Value *Y) {
  return B.CreateBinaryIntrinsic(Intrinsic::umin, X, Y);
}

Value *Emitter::ceilDiv(Value *X, Value *Y) {
  return B.CreateUDiv(B.CreateAdd(X, B.CreateSub(Y, i64(1))), Y);
}

Value *Emitter::alignUp(Value *X, uint64_t Multiple) {
  return B.CreateMul(ceilDiv(X, i64(Multiple)), i64(Multiple));
}

Value *Emitter::alignDown(Value *X, uint64_t Multiple) {
  return B.CreateSub(X, B.CreateURem(X, i64(Multiple)));
}

AllocaInst *Emitter::variableIn(Function &F, Type *Ty, const Twine &Name,
                                Value *Count) {
  BasicBlock &Entry = F.getEntryBlock();
  return IRBuilder<>(&Entry, Entry.begin()).CreateAlloca(Ty, Count, Name);
}

} // namespace tilesmith
