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

#include "ElementTests.h"

using namespace llvm;

namespace tilesmith {

/// Whether any of \p Count elements, of which there is one, Is what is searched
/// for: a plain loop that LLVM can vectorise, unless it stops where it is found.
Value *KernelBuilder::ElementTests::emitAny(Value *Count, bool StopsEarly,
                                            function_ref<Value *(Value *)> Is) {
  BasicBlock *Before = B.GetInsertBlock();
  Function *F = Before->getParent();
  BasicBlock *Body = BasicBlock::Create(K.Ctx, "element", F);
  BasicBlock *After = BasicBlock::Create(K.Ctx, "element.end", F);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  PHINode *Index = B.CreatePHI(K.I64, 2),
          *Found = B.CreatePHI(B.getInt1Ty(), 2);
  Index->addIncoming(K.i64(0), Before);
  Found->addIncoming(B.getFalse(), Before);
  Value *Finds = Is(Index);
  Value *Any = B.CreateOr(Found, Finds);
  Value *Next = B.CreateNUWAdd(Index, K.i64(1));
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
/// none is, if \p BadIfNone, by its address; elements are \p Apart bytes from each
/// other.
BasicBlock *
KernelBuilder::ElementTests::emitSearch(const ZerosArguments &Arguments,
                                        Value *Apart, bool BadIfNone,
                                        function_ref<Value *(Value *)> Is) {
  Function *F = B.GetInsertBlock()->getParent();
  BasicBlock *Bad = BasicBlock::Create(K.Ctx, "bad", F);
  K.emitLoop(K.i64(0), Arguments.Lines, K.i64(1), "line", [&](Value *Line) {
    Value *From = K.offset(Arguments.X, Line, Arguments.StrideLine);
    Value *Any =
        emitAny(Arguments.Elements, /*StopsEarly=*/BadIfNone,
                [&](Value *Index) { return Is(K.offset(From, Index, Apart)); });
    BasicBlock *Good = BasicBlock::Create(K.Ctx, "good", F);
    B.CreateCondBr(Any, BadIfNone ? Good : Bad, BadIfNone ? Bad : Good);
    B.SetInsertPoint(Good);
  });
  return Bad;
}

Value *KernelBuilder::ElementTests::loadElement(const Access &X,
                                                Value *Address) {
  return B.CreateAlignedLoad(X.ElemTy, Address, X.Alignment);
}

/// Whether \p Element passes \p Test.
Value *KernelBuilder::ElementTests::emitPasses(const ZeroTest &Test,
                                               Value *Element, Value *Scalars) {
  Value *Tested = K.evaluate(Test.Tested, Scalars, /*Width=*/0,
                             [&](Value *, Leaf) { return Element; });
  return B.CreateCmp(Test.Passes, Tested,
                     Constant::getNullValue(Tested->getType()));
}

/// i1 tilesmith.zeros(ptr X, i64 sx, i64 sy, i64 x, i64 y, ptr scalars): whether,
/// in any of x lines, one of the y elements does not pass; or \p BadIfNone does. Of
/// numbers, one of both parts has to pass.
Function *KernelBuilder::ElementTests::buildZeros(const Operand &X,
                                                  bool BadIfNone,
                                                  bool IsAdjacent) {
  const ZeroTest &Test = *X.X.Zeros;
  ZerosArguments Arguments;
  Function *F = K.createFunction("zeros", B.getInt1Ty(),
                                 K.parametersOf(Arguments, Test.Tested));
  const uint64_t Size = K.DL.getTypeStoreSize(X.X.ElemTy);
  Value *Apart =
      IsAdjacent ? K.i64(X.X.Parts ? 2 * Size : Size) : Arguments.StrideElement;
  auto PassesAt = [&](Value *Address) {
    return emitPasses(Test, loadElement(X.X, Address), Arguments.Scalars);
  };
  BasicBlock *Bad =
      emitSearch(Arguments, Apart, BadIfNone, [&](Value *Address) {
        Value *Passes = PassesAt(Address);
        if (X.X.Parts)
          Passes = B.CreateOr(Passes,
                              PassesAt(B.CreatePtrAdd(Address, K.i64(Size))));
        return BadIfNone ? Passes : B.CreateNot(Passes);
      });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

SmallVector<KernelBuilder::ElementTests::Tested, 4>
KernelBuilder::ElementTests::operands() const {
  SmallVector<Tested, 4> All;
  for (const Macro::Factors &T : Kernel.Terms) {
    All.push_back({&T.Of->A, T.A, T.StrideAm, T.StrideAk, Kernel.M});
    All.push_back({&T.Of->B, T.B, T.StrideBn, T.StrideBk, Kernel.N});
  }
  return All;
}

/// All elements of an operand, in lines \p AlongP. Numbers that are tested are two
/// rows (or columns) each.
ZerosArguments KernelBuilder::ElementTests::linesOf(const Tested &T,
                                                    bool AlongP) const {
  const bool OfNumbers = T.Of->X.Parts && T.Of->X.Zeros;
  Value *StrideP = OfNumbers ? B.CreateShl(T.StrideP, 1) : T.StrideP,
        *Extent = OfNumbers ? B.CreateLShr(T.Extent, 1) : T.Extent,
        *Scalars = Kernel.Arguments->Scalars;
  if (AlongP)
    return {T.From, T.StrideK, StrideP, Kernel.K, Extent, Scalars};
  return {T.From, StrideP, T.StrideK, Extent, Kernel.K, Scalars};
}

/// Goes to \p Found if a line of the operand has an element that does not pass, or
/// \p BadIfNone does; lines are \p AlongP.
void KernelBuilder::ElementTests::callZeros(const Tested &T, bool BadIfNone,
                                            bool AlongP, BasicBlock *Found) {
  const Operand &Of = *T.Of;
  const uint64_t Size = K.DL.getTypeStoreSize(Of.X.ElemTy);
  const bool IsAdjacent =
      AlongP ? Of.X.isStep(Of.P, Size)
             : Of.X.isStep(tilesmith::K, Of.X.Parts ? 2 * Size : Size);
  Function *Zeros;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Zeros = K.unify(buildZeros(Of, BadIfNone, IsAdjacent));
  }
  ZerosArguments Arguments = linesOf(T, AlongP);
  K.leaveIf(B.CreateCall(
                Zeros, K.parametersOf(Arguments, Of.X.Zeros->Tested).values()),
            Found);
}

/// Goes to \p Found if the operand has elements that do not pass; or rows or columns
/// of them, if steps that do not pass change nothing.
void KernelBuilder::ElementTests::emitZeroTest(const Tested &T,
                                               BasicBlock *Found) {
  bool AlongP = T.Of->X.isUnit(T.Of->P, K.DL);
  if (!T.Of->X.Zeros->SkippedAreIdle)
    return callZeros(T, /*BadIfNone=*/false, AlongP, Found);
  // The nest may leave out lines of steps at once, which is fast.
  std::optional<Dim> Innermost = K.View.Source.Innermost;
  if (Innermost && *Innermost != tilesmith::K && *Innermost != T.Of->P)
    emitDensityTest(T, Found);
  for (bool Along : {true, false})
    callZeros(T, /*BadIfNone=*/true, Along, Found);
}

/// Returns false if the nest leaves out steps that a kernel would make. It does
/// not if one of the operands passes everywhere.
void KernelBuilder::ElementTests::emitZeroTests() {
  if (K.Op.isCopied())
    return; // They have been made before the copy.
  SmallVector<Tested, 4> All = operands();
  erase_if(All, [](const Tested &T) { return !T.Of->X.Zeros; });
  if (All.empty())
    return;
  Function &F = *B.GetInsertBlock()->getParent();
  BasicBlock *Leave = BasicBlock::Create(K.Ctx, "zeros", &F);
  BasicBlock *Stay = nullptr;
  for (const Tested &T : ArrayRef(All).drop_back()) {
    if (!Stay)
      Stay = BasicBlock::Create(K.Ctx, "no.zeros", &F);
    BasicBlock *Next = BasicBlock::Create(K.Ctx, "next", &F);
    emitZeroTest(T, Next);
    B.CreateBr(Stay);
    B.SetInsertPoint(Next);
  }
  emitZeroTest(All.back(), Leave);
  bool MayMake = All.size() == 1 && mayMakeSkippedSteps(All.front());
  if (MayMake)
    Stay = BasicBlock::Create(K.Ctx, "no.zeros", &F);
  if (Stay)
    B.CreateBr(Stay);
  BasicBlock *Goes = Stay ? Stay : B.GetInsertBlock();
  B.SetInsertPoint(Leave);
  if (MayMake) {
    BasicBlock *NotIdle = BasicBlock::Create(K.Ctx, "not.idle", &F);
    emitIdleTests(All.front(), NotIdle);
    B.CreateBr(Stay);
    B.SetInsertPoint(NotIdle);
  }
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Goes);
}

} // namespace tilesmith
