//===- StepLoops.cpp - loops that are built in place ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepLoops.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

Instruction *StepLoops::emitIf(Value *Condition, MDNode *Weights) {
  Instruction *Here = &*B.GetInsertPoint();
  Instruction *Then = SplitBlockAndInsertIfThen(Condition, Here,
                                                /*Unreachable=*/false, Weights);
  Then->setDebugLoc(Where);
  moveTo(Here);
  return Then;
}

/// Says of the loop from \p Header to \p Latch, in front of \p Next, that no
/// iteration needs what another one stores.
static void setParallel(BasicBlock &Header, BasicBlock &Next,
                        Instruction &Latch, Iterations Are) {
  LLVMContext &Ctx = Header.getContext();
  MDNode *Group = MDNode::getDistinct(Ctx, {});
  for (BasicBlock *BB = &Header; BB != &Next; BB = BB->getNextNode())
    for (Instruction &I : *BB)
      if (I.mayReadOrWriteMemory())
        I.setMetadata(LLVMContext::MD_access_group, Group);
  SmallVector<MDNode *, 2> Hints{MDNode::get(
      Ctx, {MDString::get(Ctx, "llvm.loop.parallel_accesses"), Group})};
  if (Are == Iterations::InVectors)
    Hints.push_back(
        MDNode::get(Ctx, {MDString::get(Ctx, "llvm.loop.vectorize.enable"),
                          ConstantAsMetadata::get(ConstantInt::getTrue(Ctx))}));
  Latch.setMetadata(LLVMContext::MD_loop,
                    makePostTransformationMetadata(Ctx, nullptr, {}, Hints));
}

void StepLoops::emitLoop(Value *Begin, Value *End,
                         function_ref<void(Value *)> Body, int64_t Step,
                         Iterations Is) {
  Instruction *Here = &*B.GetInsertPoint();
  BasicBlock *Before = Here->getParent();
  BasicBlock *Header = SplitBlock(Before, Here);
  BasicBlock *Next = SplitBlock(Header, Here);
  Instruction *Jump = Header->getTerminator();
  moveTo(Jump);
  PHINode *Index = B.CreatePHI(B.getInt64Ty(), 2, "index");
  Index->addIncoming(Begin, Before);
  Body(Index);
  Value *Following = B.CreateNUWAdd(Index, i64(Step));
  Value *GoesOn = Step == 1 ? B.CreateICmpNE(Following, End)
                            : B.CreateICmpSLT(Following, End);
  Instruction *Latch = B.CreateCondBr(GoesOn, Header, Next);
  if (Is != Iterations::InOrder)
    setParallel(*Header, *Next, *Latch, Is);
  Index->addIncoming(Following, Jump->getParent());
  Jump->eraseFromParent();
  moveTo(Here);
}

void StepLoops::emitLoopIfAny(Range Over, function_ref<void(Value *)> Body,
                              int64_t Step) {
  Instruction *Here = &*B.GetInsertPoint();
  moveTo(emitIf(B.CreateICmpSLT(Over.Begin, Over.End)));
  emitLoop(Over.Begin, Over.End, Body, Step);
  moveTo(Here);
}

Value *StepLoops::areDistinct(Value *RowStride, Value *ColumnStride,
                              Value *Size, int64_t Bytes) {
  auto IsBelow = [&](Value *V) {
    return B.CreateICmpULT(V, i64(int64_t(1) << 31));
  };
  auto AreApart = [&](Value *Inner, Value *Outer) {
    return B.CreateAnd(B.CreateICmpSGE(Inner, i64(Bytes)),
                       B.CreateICmpSGE(Outer, B.CreateMul(Inner, Size)));
  };
  return B.CreateAnd({IsBelow(Size), IsBelow(RowStride), IsBelow(ColumnStride),
                      B.CreateOr(AreApart(ColumnStride, RowStride),
                                 AreApart(RowStride, ColumnStride))});
}

} // namespace tilesmith
