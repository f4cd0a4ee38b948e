//===- Magnitudes.cpp - may a product be NaN? -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are searched for elements that are no numbers, infinite, or so large
// that sums of two products may overflow. See Moderate in Access.h.
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Half the root of the first power of two that is no number of \p Ty.
static Constant *leastExcess(Type *Ty) {
  const fltSemantics &Kind = Ty->getFltSemantics();
  int Exponent = (APFloat::semanticsMaxExponent(Kind) + 1) / 2 - 1;
  return ConstantFP::get(
      Ty, scalbn(APFloat(Kind, 1), Exponent, APFloat::rmNearestTiesToEven));
}

/// i1 tilesmith.excess(ptr X, i64 sx, i64 sy, i64 x, i64 y): whether any of y
/// elements of each of x lines is too large, or no number.
Function *KernelBuilder::buildExcess(const Operand &X, bool IsAdjacent) {
  ZerosArguments Arguments;
  Function *F =
      createFunction("excess", B.getInt1Ty(), parametersOf(Arguments, {}));
  Value *Apart = IsAdjacent ? i64(DL.getTypeStoreSize(X.X.ElemTy))
                            : Arguments.StrideElement;
  BasicBlock *Bad = emitSearch(
      X.X, Arguments, Apart, /*BadIfNone=*/false, [&](Value *Element) {
        return B.CreateFCmpUGE(B.CreateUnaryIntrinsic(Intrinsic::fabs, Element),
                               leastExcess(X.X.ElemTy));
      });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

/// Goes to \p Leave if an element of the operand is too large. Pairs of adjacent
/// elements are lines of twice as many.
void KernelBuilder::emitMagnitudeTest(Macro &X, const Tested &T,
                                      BasicBlock *Leave) {
  const Operand &Of = *T.Of;
  bool ArePairs = Of.X.Moderate == Magnitudes::OfPairs;
  uint64_t Bytes = DL.getTypeStoreSize(Of.X.ElemTy) * (ArePairs ? 2 : 1);
  bool AlongP = Of.X.isStep(Of.P, Bytes), AlongK = Of.X.isStep(K, Bytes);
  assert((!ArePairs || AlongP || AlongK) && "pairs are not adjacent");
  // Numbers that are not adjacent along P are so along k.
  bool OfNumbers = Of.X.Parts && !AlongP;
  AlongK |= OfNumbers;
  Function *Excess;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Excess = unify(buildExcess(Of, AlongP || AlongK));
  }
  ZerosArguments Arguments{T.From, T.StrideP, T.StrideK, T.Extent, X.K};
  if (OfNumbers)
    Arguments = {T.From, B.CreateShl(T.StrideP, 1), T.StrideK,
                 B.CreateLShr(T.Extent, 1), B.CreateShl(X.K, 1)};
  if (AlongP)
    Arguments = {T.From, T.StrideK, T.StrideP, X.K, T.Extent};
  if (ArePairs)
    Arguments.Elements = B.CreateShl(Arguments.Elements, 1);
  // Lines without gaps are one, in which less is left over from vectors.
  if (AlongP || AlongK) {
    Value *Bytes =
        B.CreateMul(Arguments.Elements, i64(DL.getTypeStoreSize(Of.X.ElemTy)));
    Value *IsOne = B.CreateICmpEQ(Arguments.StrideLine, Bytes);
    Value *All = B.CreateMul(Arguments.Lines, Arguments.Elements);
    Arguments.Elements = B.CreateSelect(IsOne, All, Arguments.Elements);
    Arguments.Lines = B.CreateSelect(IsOne, i64(1), Arguments.Lines);
  }
  leaveIf(B.CreateCall(Excess, parametersOf(Arguments, {}).values()), Leave);
}

/// Returns false if a product may be NaN.
void KernelBuilder::emitMagnitudeTests(Macro &X) {
  BasicBlock *Leave = nullptr;
  for (const Tested &T : operandsOf(X)) {
    if (T.Of->X.Moderate == Magnitudes::Any)
      continue;
    if (!Leave)
      Leave = BasicBlock::Create(Ctx, "excess", X.F);
    emitMagnitudeTest(X, T, Leave);
  }
  if (!Leave)
    return;
  IRBuilderBase::InsertPointGuard Here(B);
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
}

} // namespace tilesmith
