//===- ZeroTest.cpp - would the nest leave out steps? ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand is searched for elements that do not pass the source's test. See
// ZeroTest in Access.h.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Whether any of \p Count elements, of which there is one, Is what is searched
/// for: a plain loop that LLVM can vectorise, unless it stops where it is found.
Value *KernelBuilder::emitAny(Value *Count, bool StopsEarly,
                              function_ref<Value *(Value *)> Is) {
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Body = BasicBlock::Create(Ctx, "element", F);
  BasicBlock *After = BasicBlock::Create(Ctx, "element.end", F);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  PHINode *Index = B.CreatePHI(I64, 2), *Found = B.CreatePHI(B.getInt1Ty(), 2);
  Index->addIncoming(i64(0), Before);
  Found->addIncoming(B.getFalse(), Before);
  Value *Finds = Is(Index);
  Value *Any = B.CreateOr(Found, Finds);
  Value *Next = B.CreateNUWAdd(Index, i64(1));
  Index->addIncoming(Next, Body);
  Found->addIncoming(Any, Body);
  Value *GoesOn = B.CreateICmpULT(Next, Count);
  if (StopsEarly)
    GoesOn = B.CreateAnd(GoesOn, B.CreateNot(Finds));
  B.CreateCondBr(GoesOn, Body, After);
  B.SetInsertPoint(After);
  return Any;
}

/// Goes to the block returned from a line of \p X in which any element \p Is, or
/// none is, if \p BadIfNone; elements are \p Apart bytes from each other.
BasicBlock *KernelBuilder::emitSearch(const Access &X,
                                      const ZerosArguments &Arguments,
                                      Value *Apart, bool BadIfNone,
                                      function_ref<Value *(Value *)> Is) {
  Function *F = B.GetInsertBlock()->getParent();
  BasicBlock *Bad = BasicBlock::Create(Ctx, "bad", F);
  emitLoop(i64(0), Arguments.Lines, i64(1), "line", [&](Value *Line) {
    Value *From = offset(Arguments.X, Line, Arguments.StrideLine);
    Value *Any = emitAny(
        Arguments.Elements, /*StopsEarly=*/BadIfNone, [&](Value *Index) {
          return Is(B.CreateAlignedLoad(X.ElemTy, offset(From, Index, Apart),
                                        X.Alignment));
        });
    BasicBlock *Good = BasicBlock::Create(Ctx, "good", F);
    B.CreateCondBr(Any, BadIfNone ? Good : Bad, BadIfNone ? Bad : Good);
    B.SetInsertPoint(Good);
  });
  return Bad;
}

/// Whether \p Element passes \p Test.
Value *KernelBuilder::emitPasses(const ZeroTest &Test, Value *Element,
                                 Value *Scalars) {
  Value *Tested = evaluate(Test.Tested, Scalars, /*Width=*/0,
                           [&](Value *, Leaf) { return Element; });
  return B.CreateCmp(Test.Passes, Tested,
                     Constant::getNullValue(Tested->getType()));
}

/// i1 tilesmith.zeros(ptr X, i64 sx, i64 sy, i64 x, i64 y, ptr scalars): whether,
/// in any of x lines, one of the y elements does not pass; or \p BadIfNone does.
Function *KernelBuilder::buildZeros(const Operand &X, bool BadIfNone) {
  const ZeroTest &Test = *X.X.Zeros;
  ZerosArguments Arguments;
  Function *F = createFunction("zeros", B.getInt1Ty(),
                               parametersOf(Arguments, Test.Tested));
  BasicBlock *Bad = emitSearch(
      X.X, Arguments, Arguments.StrideElement, BadIfNone, [&](Value *Element) {
        Value *Passes = emitPasses(Test, Element, Arguments.Scalars);
        return BadIfNone ? Passes : B.CreateNot(Passes);
      });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

SmallVector<KernelBuilder::Tested, 4> KernelBuilder::operandsOf(Macro &X) {
  SmallVector<Tested, 4> All;
  for (Macro::Factors &T : X.Terms) {
    All.push_back({&T.Of->A, T.A, T.StrideAm, T.StrideAk, X.M});
    All.push_back({&T.Of->B, T.B, T.StrideBn, T.StrideBk, X.N});
  }
  return All;
}

/// All elements of an operand, in lines \p AlongP.
ZerosArguments KernelBuilder::linesOf(const Macro &X, const Tested &T,
                                      bool AlongP) {
  if (AlongP)
    return {T.From, T.StrideK, T.StrideP, X.K, T.Extent, X.Arguments->Scalars};
  return {T.From, T.StrideP, T.StrideK, T.Extent, X.K, X.Arguments->Scalars};
}

/// Goes to \p Found if a line of the operand has an element that does not pass, or
/// \p BadIfNone does; lines are \p AlongP.
void KernelBuilder::callZeros(Macro &X, const Tested &T, bool BadIfNone,
                              bool AlongP, BasicBlock *Found) {
  const Operand &Of = *T.Of;
  Function *Zeros;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Zeros = unify(buildZeros(Of, BadIfNone));
  }
  ZerosArguments Arguments = linesOf(X, T, AlongP);
  leaveIf(
      B.CreateCall(Zeros, parametersOf(Arguments, Of.X.Zeros->Tested).values()),
      Found);
}

/// Goes to \p Found if the operand has elements that do not pass; or rows or columns
/// of them, if steps that do not pass change nothing.
void KernelBuilder::emitZeroTest(Macro &X, const Tested &T, BasicBlock *Found) {
  bool AlongP = T.Of->X.isUnit(T.Of->P, DL);
  if (!T.Of->X.Zeros->SkippedAreIdle)
    return callZeros(X, T, /*BadIfNone=*/false, AlongP, Found);
  for (bool Along : {true, false})
    callZeros(X, T, /*BadIfNone=*/true, Along, Found);
}

/// Returns false if the nest leaves out steps that a kernel would make. It does
/// not if one of the operands passes everywhere.
void KernelBuilder::emitZeroTests(Macro &X) {
  if (Op.isCopied())
    return; // They have been made before the copy.
  SmallVector<Tested, 4> All = operandsOf(X);
  erase_if(All, [](const Tested &T) { return !T.Of->X.Zeros; });
  if (All.empty())
    return;
  Function &F = *B.GetInsertBlock()->getParent();
  BasicBlock *Leave = BasicBlock::Create(Ctx, "zeros", &F);
  BasicBlock *Stay = nullptr;
  for (const Tested &T : ArrayRef(All).drop_back()) {
    if (!Stay)
      Stay = BasicBlock::Create(Ctx, "no.zeros", &F);
    BasicBlock *Next = BasicBlock::Create(Ctx, "next", &F);
    emitZeroTest(X, T, Next);
    B.CreateBr(Stay);
    B.SetInsertPoint(Next);
  }
  emitZeroTest(X, All.back(), Leave);
  bool MayMake = All.size() == 1 && mayMakeSkippedSteps(All.front());
  if (MayMake)
    Stay = BasicBlock::Create(Ctx, "no.zeros", &F);
  if (Stay)
    B.CreateBr(Stay);
  BasicBlock *Goes = Stay ? Stay : B.GetInsertBlock();
  B.SetInsertPoint(Leave);
  if (MayMake) {
    BasicBlock *NotIdle = BasicBlock::Create(Ctx, "not.idle", &F);
    emitIdleTests(X, All.front(), NotIdle);
    B.CreateBr(Stay);
    B.SetInsertPoint(NotIdle);
  }
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Goes);
}

} // namespace tilesmith
