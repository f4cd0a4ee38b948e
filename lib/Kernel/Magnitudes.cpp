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

#include "ElementTests.h"

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
Function *KernelBuilder::ElementTests::buildExcess(const Operand &X,
                                                   bool IsAdjacent) {
  ZerosArguments Arguments;
  Function *F =
      K.createFunction("excess", B.getInt1Ty(), K.parametersOf(Arguments, {}));
  Value *Apart = IsAdjacent ? K.i64(K.DL.getTypeStoreSize(X.X.ElemTy))
                            : Arguments.StrideElement;
  BasicBlock *Bad =
      emitSearch(Arguments, Apart, /*BadIfNone=*/false, [&](Value *Address) {
        Value *Element = loadElement(X.X, Address);
        return B.CreateFCmpUGE(B.CreateUnaryIntrinsic(Intrinsic::fabs, Element),
                               leastExcess(X.X.ElemTy));
      });
  B.CreateRet(B.getFalse());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getTrue());
  return F;
}

/// The \p Steps elements of each row (or column) of an operand. Pairs of adjacent
/// elements are lines of twice as many.
ZerosArguments KernelBuilder::ElementTests::linesOfNumbers(const Tested &T,
                                                           Value *Steps) {
  const Operand &Of = *T.Of;
  bool ArePairs = Of.X.Moderate == Magnitudes::OfPairs;
  bool AlongP = isNumberAlong(Of, Of.P),
       AlongK = isNumberAlong(Of, tilesmith::K);
  assert((!ArePairs || AlongP || AlongK) && "pairs are not adjacent");
  // Numbers that are not adjacent along P are so along k.
  bool OfNumbers = Of.X.Parts && !AlongP;
  ZerosArguments Arguments{T.From, T.StrideP, T.StrideK, T.Extent, Steps};
  if (OfNumbers)
    Arguments = {T.From, B.CreateShl(T.StrideP, 1), T.StrideK,
                 B.CreateLShr(T.Extent, 1), B.CreateShl(Steps, 1)};
  if (AlongP)
    Arguments = {T.From, T.StrideK, T.StrideP, Steps, T.Extent};
  if (ArePairs)
    Arguments.Elements = B.CreateShl(Arguments.Elements, 1);
  // Lines without gaps are one, in which less is left over from vectors.
  if (AlongP || AlongK || OfNumbers) {
    Value *Bytes = B.CreateMul(Arguments.Elements,
                               K.i64(K.DL.getTypeStoreSize(Of.X.ElemTy)));
    Value *IsOne = B.CreateICmpEQ(Arguments.StrideLine, Bytes);
    Value *All = B.CreateMul(Arguments.Lines, Arguments.Elements);
    Arguments.Elements = B.CreateSelect(IsOne, All, Arguments.Elements);
    Arguments.Lines = B.CreateSelect(IsOne, K.i64(1), Arguments.Lines);
  }
  return Arguments;
}

/// Whether elements, or pairs of them, are adjacent along \p D.
bool KernelBuilder::ElementTests::isNumberAlong(const Operand &Of,
                                                Dim D) const {
  uint64_t Elements = Of.X.Moderate == Magnitudes::OfPairs ? 2 : 1;
  return Of.X.isStep(D, Elements * K.DL.getTypeStoreSize(Of.X.ElemTy));
}

/// Goes to \p Leave if an element of the operand is too large.
void KernelBuilder::ElementTests::emitMagnitudeTest(const Tested &T,
                                                    BasicBlock *Leave) {
  const Operand &Of = *T.Of;
  bool IsAdjacent =
      isNumberAlong(Of, Of.P) || isNumberAlong(Of, tilesmith::K) || Of.X.Parts;
  Function *Excess;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Excess = K.unify(buildExcess(Of, IsAdjacent));
  }
  auto Search = [&](const Tested &Part, Value *Steps) {
    ZerosArguments Arguments = linesOfNumbers(Part, Steps);
    K.leaveIf(B.CreateCall(Excess, K.parametersOf(Arguments, {}).values()),
              Leave);
  };
  if (K.Made == Steps::All)
    return Search(T, Kernel.K);
  if (Of.P == K.BoundOfK)
    return emitSearchOfTriangle(T, Search);
  auto [Begin, Count] = K.stepsMade(Kernel);
  Tested Part = T;
  Part.From = K.offset(T.From, Begin, T.StrideK);
  // Lambdas cannot capture bindings.
  K.emitIf(B.CreateIsNotNull(Count), "any",
           [&, Steps = Count] { Search(Part, Steps); });
}

/// Lets \p Search go through the elements of a factor on one side of the diagonal,
/// line by line. No other one need exist.
void KernelBuilder::ElementTests::emitSearchOfTriangle(
    const Tested &T, function_ref<void(const Tested &, Value *)> Search) {
  Value *Places = K.inSteps(T.Extent);
  auto At = [&](Value *Place, Value *Step, Value *Count) {
    Tested Part = T;
    Part.From = K.offset(T.From, K.ofSteps(Place), T.StrideP);
    Part.From = K.offset(Part.From, Step, T.StrideK);
    Part.Extent = K.ofSteps(Count);
    return Part;
  };
  if (isNumberAlong(*T.Of, T.Of->P)) {
    auto [First, Count] = K.stepsMade(Kernel);
    K.emitLoop(
        First, B.CreateAdd(First, Count), K.i64(1), "step", [&](Value *Step) {
          auto [Begin, End] = K.placesOfStep(Step, Kernel.Diagonal, Places);
          Search(At(Begin, Step, B.CreateSub(End, Begin)), K.i64(1));
        });
    return;
  }
  K.emitLoop(K.i64(0), Places, K.i64(1), "place", [&](Value *Place) {
    auto [Begin, End] = K.stepsOfPlace(Place, Kernel.Diagonal, Kernel.K);
    Search(At(Place, Begin, K.i64(1)), B.CreateSub(End, Begin));
  });
}

/// Returns false if a product may be NaN.
void KernelBuilder::ElementTests::emitMagnitudeTests() {
  BasicBlock *Leave = nullptr;
  for (const Tested &T : operands()) {
    if (T.Of->X.Moderate == Magnitudes::Any)
      continue;
    if (!Leave)
      Leave = BasicBlock::Create(K.Ctx, "excess", Kernel.F);
    emitMagnitudeTest(T, Leave);
  }
  if (!Leave)
    return;
  IRBuilderBase::InsertPointGuard Here(B);
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
}

} // namespace tilesmith
