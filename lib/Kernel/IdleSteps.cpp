//===- IdleSteps.cpp - steps with a zero that may be made -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i, k
//     if (a[i][k] != 0)
//       for j { c[i][j] += a[i][k] * b[k][j]; }
//
// A step that is left out for a zero may be made if it changes nothing. It adds
// zero times an element of B, which is a zero if that is finite. To add a zero
// changes nothing but a sum of -0.0. There is none if
//
//  * C has none in front of the nest,
//  * and no sum is rounded to zero: it is a multiple of the least number that is
//    not zero, as are all products of factors that are zero or not too small.
//
// (A sum that is exactly zero is +0.0, unless both parts are -0.0.) So all three
// are searched. A row or a column of A with nothing but zeros is left to the nest,
// which need not touch the row of C, or of B. And so is what has few other
// elements, because the nest has little to do then.
//
//===----------------------------------------------------------------------===//

#include "ElementTests.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilesmith {

/// The least number of \p Ty such that products of two that are not less are
/// multiples of the least number that is not zero.
static Constant *leastFactor(Type *Ty) {
  const fltSemantics &Kind = Ty->getFltSemantics();
  int Sum = APFloat::semanticsMinExponent(Kind) +
            int(APFloat::semanticsPrecision(Kind)) - 1;
  return ConstantFP::get(
      Ty, scalbn(APFloat(Kind, 1), Sum / 2 + 1, APFloat::rmNearestTiesToEven));
}

/// i1 tilesmith.NAME(ptr X, i64 sx, i64 sy, i64 x, i64 y, ptr scalars): whether any
/// of y elements of each of x lines Is, or what \p Map makes of them.
Function *
KernelBuilder::ElementTests::buildUnfit(const Access &X, const Expression &Map,
                                        function_ref<Value *(Value *)> Is,
                                        StringRef Name) {
  ZerosArguments Arguments;
  Function *F =
      K.createFunction(Name, B.getInt1Ty(), K.parametersOf(Arguments, Map));
  bool IsAdjacent = any_of(PerDim<Dim>{M, N, tilesmith::K},
                           [&](Dim D) { return X.isUnit(D, K.DL); });
  Value *Apart = IsAdjacent ? K.i64(K.DL.getTypeStoreSize(X.ElemTy))
                            : Arguments.StrideElement;
  BasicBlock *Bad =
      emitSearch(Arguments, Apart, /*BadIfNone=*/false, [&](Value *Address) {
        Value *Element = loadElement(X, Address);
        return Is(K.evaluate(Map, Arguments.Scalars, /*Width=*/0,
                             [&](Value *, Leaf) { return Element; }));
      });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

/// i64 tilesmith.passing(ptr X, i64 sx, i64 sy, i64 x, i64 y, ptr scalars): how many
/// of all elements pass.
Function *KernelBuilder::ElementTests::buildNumPassing(const Operand &X) {
  const ZeroTest &Test = *X.X.Zeros;
  ZerosArguments Arguments;
  Function *F = K.createFunction("passing", K.I64,
                                 K.parametersOf(Arguments, Test.Tested));
  AllocaInst *All = B.CreateAlloca(K.I64);
  B.CreateStore(K.i64(0), All);
  bool IsAdjacent = X.X.isUnit(X.P, K.DL) || X.X.isUnit(tilesmith::K, K.DL);
  Value *Apart = IsAdjacent ? K.i64(K.DL.getTypeStoreSize(X.X.ElemTy))
                            : Arguments.StrideElement;
  K.emitLoop(K.i64(0), Arguments.Lines, K.i64(1), "line", [&](Value *Line) {
    Value *From = K.offset(Arguments.X, Line, Arguments.StrideLine);
    BasicBlock *Before = B.GetInsertBlock();
    BasicBlock *Body = BasicBlock::Create(K.Ctx, "element", F),
               *After = BasicBlock::Create(K.Ctx, "element.end", F);
    B.CreateBr(Body);
    B.SetInsertPoint(Body);
    PHINode *Index = B.CreatePHI(K.I64, 2), *Count = B.CreatePHI(K.I64, 2);
    Index->addIncoming(K.i64(0), Before);
    Count->addIncoming(K.i64(0), Before);
    Value *Element = B.CreateAlignedLoad(
        X.X.ElemTy, K.offset(From, Index, Apart), X.X.Alignment);
    Value *Passes = emitPasses(Test, Element, Arguments.Scalars);
    Value *Passing = B.CreateAdd(Count, B.CreateZExt(Passes, K.I64));
    Value *Next = B.CreateNUWAdd(Index, K.i64(1));
    Index->addIncoming(Next, Body);
    Count->addIncoming(Passing, Body);
    B.CreateCondBr(B.CreateICmpULT(Next, Arguments.Elements), Body, After);
    B.SetInsertPoint(After);
    B.CreateStore(B.CreateAdd(B.CreateLoad(K.I64, All), Passing), All);
  });
  B.CreateRet(B.CreateLoad(K.I64, All));
  return F;
}

/// Whether steps may be made that the nest leaves out, which it is known to do. Numbers
/// that are adjacent along k are no lines of elements, as they would be searched.
bool KernelBuilder::ElementTests::mayMakeSkippedSteps(const Tested &T) const {
  auto IsSearchable = [&](const Tested &Each) {
    const Operand &Of = *Each.Of;
    return !Of.X.Parts || Of.X.isUnit(Of.P, K.DL);
  };
  bool StartsFromZero = PatternMatch::match(K.Op.Start.resolve(K.Op.Start.Root),
                                            PatternMatch::m_PosZeroFP());
  return T.Of->X.Zeros->SkippedMayBeIdle && all_of(operands(), IsSearchable) &&
         (StartsFromZero ||
          (K.Op.Start.isLeaf(Leaf::C) && K.Op.C.ElemTy == K.Op.SumTy));
}

/// Goes to \p Leave if there are few steps, or more than half of them are left out
/// (of bytes, three quarters), as far as a few lines tell.
void KernelBuilder::ElementTests::emitDensityTest(const Tested &T,
                                                  BasicBlock *Leave) {
  constexpr uint64_t LeastWork = 32 * 32 * 32, MostLines = 8;
  Value *Work = B.CreateMul(B.CreateMul(Kernel.M, Kernel.N), Kernel.K);
  K.leaveIf(B.CreateICmpULT(Work, K.i64(LeastWork)), Leave);
  Function *NumPassing;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    NumPassing = K.unify(buildNumPassing(*T.Of));
  }
  ZerosArguments Arguments = linesOf(T, T.Of->X.isUnit(T.Of->P, K.DL));
  auto Rounded = [&](Value *V, Value *By) {
    return B.CreateUDiv(B.CreateAdd(V, B.CreateSub(By, K.i64(1))), By);
  };
  Value *Step = Rounded(Arguments.Lines, K.i64(MostLines));
  Arguments.Lines = Rounded(Arguments.Lines, Step);
  Arguments.StrideLine = B.CreateMul(Arguments.StrideLine, Step);
  Value *Passing = B.CreateCall(
      NumPassing, K.parametersOf(Arguments, T.Of->X.Zeros->Tested).values());
  K.leaveIf(B.CreateICmpULT(B.CreateShl(Passing, K.Size == 1 ? 2 : 1),
                            B.CreateMul(Arguments.Lines, Arguments.Elements)),
            Leave);
}

/// Goes to \p Leave unless the steps that the nest leaves out for zeros of \p T
/// change nothing. See the top of this file.
void KernelBuilder::ElementTests::emitIdleTests(const Tested &T,
                                                BasicBlock *Leave) {
  emitDensityTest(T, Leave);
  for (bool AlongP : {true, false})
    callZeros(T, /*BadIfNone=*/true, AlongP, Leave);
  auto Search = [&](const Access &Of, const Expression &Map, StringRef Name,
                    ZerosArguments Arguments,
                    function_ref<Value *(Value *)> Is) {
    Function *Unfit;
    {
      IRBuilderBase::InsertPointGuard Here(B);
      Unfit = K.unify(buildUnfit(Of, Map, Is, Name));
    }
    K.leaveIf(B.CreateCall(Unfit, K.parametersOf(Arguments, Map).values()),
              Leave);
  };
  auto IsUnfit = [&](Value *V) {
    Value *Magnitude = B.CreateUnaryIntrinsic(Intrinsic::fabs, V);
    Type *Ty = V->getType();
    Value *IsFit =
        B.CreateAnd(B.CreateFCmpOGE(Magnitude, leastFactor(Ty)),
                    B.CreateFCmpOLT(Magnitude, ConstantFP::getInfinity(Ty)));
    Value *IsOther = B.CreateFCmpUNE(V, Constant::getNullValue(Ty));
    return B.CreateAnd(IsOther, B.CreateNot(IsFit));
  };
  Value *Scalars = Kernel.Arguments->Scalars;
  for (const Tested &Of : operands()) {
    const Access &From = Of.Of->X;
    Search(From, Of.Of->Map, "unfit", linesOf(Of, From.isUnit(Of.Of->P, K.DL)),
           IsUnfit);
  }
  if (!K.Op.Start.isLeaf(Leaf::C))
    return;
  ZerosArguments OfC{Kernel.C, Kernel.StrideCn, Kernel.StrideCm,
                     Kernel.N, Kernel.M,        Scalars};
  if (K.Op.C.isUnit(N, K.DL))
    OfC = {Kernel.C, Kernel.StrideCm, Kernel.StrideCn,
           Kernel.M, Kernel.N,        Scalars};
  Search(K.Op.C, K.Op.Start, "negative.zero", OfC, [&](Value *V) {
    unsigned Bits = V->getType()->getPrimitiveSizeInBits();
    Value *Pattern = B.CreateBitCast(V, B.getIntNTy(Bits));
    return B.CreateICmpEQ(Pattern,
                          ConstantInt::get(K.Ctx, APInt::getSignMask(Bits)));
  });
}

} // namespace tilesmith
