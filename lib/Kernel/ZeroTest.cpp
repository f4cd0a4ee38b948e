//===- ZeroTest.cpp - would the nest leave out steps? ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand is searched for elements that do not pass the source's test. See
// ZeroTest in Contraction.h.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace llvm;

namespace tilesmith {

/// i1 tilesmith.zeros(ptr X, i64 sx, i64 sy, i64 x, i64 y): whether, in any of
/// x lines, one of the y elements does not pass; or none of them does, if steps
/// that do not pass change nothing.
Function *KernelBuilder::buildZeros(const Operand &X) {
  const ZeroTest &Test = *X.X.Zeros;
  ZerosArguments Arguments;
  Function *F = createFunction("zeros", B.getInt1Ty(), parametersOf(Arguments));
  BasicBlock *Bad = BasicBlock::Create(Ctx, "bad", F);
  emitLoop(i64(0), Arguments.Lines, i64(1), "line", [&](Value *Line) {
    Value *From = offset(Arguments.X, Line, Arguments.StrideLine);
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *Body = BasicBlock::Create(Ctx, "element", F);
    BasicBlock *After = BasicBlock::Create(Ctx, "element.end", F);
    BasicBlock *Good = BasicBlock::Create(Ctx, "good", F);
    B.CreateBr(Body);
    // If nothing is found, a plain loop that LLVM can vectorise.
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(I64, 2),
            *Found = B.CreatePHI(B.getInt1Ty(), 2);
    Index->addIncoming(i64(0), Before);
    Found->addIncoming(B.getFalse(), Before);
    Value *Element = B.CreateAlignedLoad(
        X.X.ElemTy, offset(From, Index, Arguments.StrideElement),
        X.X.Alignment);
    Value *Passes =
        B.CreateCmp(Test.Passes, Element, Constant::getNullValue(X.X.ElemTy));
    Value *Finds = Test.ChangeNothing ? Passes : B.CreateNot(Passes);
    Value *Any = B.CreateOr(Found, Finds);
    Value *Next = B.CreateNUWAdd(Index, i64(1));
    Index->addIncoming(Next, Body);
    Found->addIncoming(Any, Body);
    Value *GoesOn = B.CreateICmpULT(Next, Arguments.Elements);
    if (Test.ChangeNothing)
      GoesOn = B.CreateAnd(GoesOn, B.CreateNot(Passes));
    B.CreateCondBr(GoesOn, Body, After);
    B.SetInsertPoint(After);
    B.CreateCondBr(Any, Test.ChangeNothing ? Good : Bad,
                   Test.ChangeNothing ? Bad : Good);
    B.SetInsertPoint(Good);
  });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

void KernelBuilder::emitZeroTest(const Operand &X, Value *From, Value *StrideP,
                                 Value *StrideK, Value *P, Value *K) {
  Function *Zeros;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Zeros = unify(buildZeros(X));
  }
  Function &F = *B.GetInsertBlock()->getParent();
  BasicBlock *Leave = BasicBlock::Create(Ctx, "zeros", &F);
  auto Search = [&](Value *StrideX, Value *StrideY, Value *CountX,
                    Value *CountY) {
    ZerosArguments Arguments{From, StrideX, StrideY, CountX, CountY};
    leaveIf(B.CreateCall(Zeros, parametersOf(Arguments).values()), Leave);
  };
  bool AlongP = X.X.isUnit(X.P, DL), Both = X.X.Zeros->ChangeNothing;
  if (AlongP || Both)
    Search(StrideK, StrideP, K, P);
  if (!AlongP || Both)
    Search(StrideP, StrideK, P, K);
  BasicBlock *Stay = B.GetInsertBlock();
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Stay);
}

} // namespace tilesmith
