//===- Borders.cpp - windows that leave an image --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest leaves out the steps beyond a border of an image, or adds zero instead, or
// makes them with zeros, as the micro kernel does. A position is the sum of what a line (a row of A, or a
// column of B) and what a step make of it; packing tells from it whether there is
// an element.
//
// For integers, a step with a zero changes nothing. For floating point, if the nest
// leaves it out, or adds zero, the kernel may add NaN or -0.0:
//
//   * zero times infinity is NaN, so the other factor is searched first, and if it
//     is not finite, nothing is done (emitFiniteTest);
//   * a sum that is -0.0 becomes 0.0 by adding 0.0. Other sums stay, so this shows
//     only where a result is zero. Lines at a border are searched for zeros, and
//     these sums are made again, as the nest does (emitExactZeros). If they need
//     what C had before, it is kept (emitSavingBefore).
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

//===-- Positions ---------------------------------------------------------===//

const KernelBuilder::Operand *KernelBuilder::borderedOperand() const {
  for (const TermOperands &T : Terms)
    for (const Operand *X : {&T.A, &T.B})
      if (hasBorders(*X))
        return X;
  return nullptr;
}

/// From where to where a number with these digits moves position number \p I.
std::pair<Value *, Value *> KernelBuilder::rangeOf(ArrayRef<Digit> Digits,
                                                   unsigned I) {
  Value *Least = i64(0), *Most = i64(0);
  for (const Digit &D : Digits) {
    Value *Span = B.CreateMul(D.Moves[I], B.CreateSub(D.Extent, i64(1)));
    Value *Down = B.CreateBinaryIntrinsic(Intrinsic::smin, Span, i64(0));
    Least = B.CreateAdd(Least, Down);
    Value *Up = B.CreateBinaryIntrinsic(Intrinsic::smax, Span, i64(0));
    Most = B.CreateAdd(Most, Up);
  }
  return {Least, Most};
}

/// What the digits of lines and steps make of the positions of \p Of.
void KernelBuilder::addBorders(Macro &X, const Operand &Of) {
  Macro::Numbers &To = X.Gathered[Of.P];
  To.IsInside = B.getTrue();
  for (auto [I, Passed] : enumerate(X.Arguments->Borders)) {
    auto AddMoves = [&, &Passed = Passed](MutableArrayRef<Digit> Digits, Dim D,
                                          Value *Lowest) {
      Digits.front().Moves.push_back(Lowest);
      ArrayRef<unsigned> Chain = ThePlan.Gathered->Chains[D];
      for (auto [High, Outer] : zip_equal(Digits.drop_front(), Chain))
        High.Moves.push_back(Passed.Outer[Outer]);
    };
    AddMoves(To.OfLine, Of.P, Passed.OfLine);
    AddMoves(To.OfStep, K, Passed.OfStep);
    BorderOfImage &Border = To.Borders.emplace_back();
    Border.Start = Passed.Start;
    Border.Extent = Passed.Extent;
    std::tie(Border.Least, Border.Most) = rangeOf(To.OfStep, I);
    auto [Least, Most] = rangeOf(To.OfLine, I);
    Least = B.CreateAdd(Border.Start, B.CreateAdd(Least, Border.Least));
    Most = B.CreateAdd(Border.Start, B.CreateAdd(Most, Border.Most));
    Value *IsAbove = B.CreateICmpSGE(Least, i64(0));
    Value *IsBelow = B.CreateICmpSLT(Most, Border.Extent);
    To.IsInside = B.CreateAnd(To.IsInside, B.CreateAnd(IsAbove, IsBelow));
  }
  // Other outer indices may move the positions as well.
  for (unsigned I = 0; I < Op.Outer.size(); ++I)
    if (placeOf(I) == OuterPlace::Around &&
        any_of(Of.X.Borders, [&](const Border &Border) {
          return !Border.OuterStride[I]->isZero();
        }))
      To.IsInside = B.getFalse();
  To.IsPlain = B.CreateAnd(To.IsPlain, To.IsInside);
}

/// Whether no step of a line is beyond a border.
Value *KernelBuilder::isLineInside(ArrayRef<BorderOfImage> Borders,
                                   ArrayRef<Value *> OfLine) {
  Value *Is = B.getTrue();
  for (auto [Border, Position] : zip_equal(Borders, OfLine)) {
    Value *Least = B.CreateAdd(Position, Border.Least);
    Value *Most = B.CreateAdd(Position, Border.Most);
    Is = B.CreateAnd(Is, B.CreateICmpSGE(Least, i64(0)));
    Is = B.CreateAnd(Is, B.CreateICmpSLT(Most, Border.Extent));
  }
  return Is;
}

Value *KernelBuilder::isInside(ArrayRef<BorderOfImage> Borders,
                               ArrayRef<Value *> OfLine,
                               ArrayRef<Value *> OfStep) {
  Value *Is = B.getTrue();
  for (auto [Border, Line, Step] : zip_equal(Borders, OfLine, OfStep)) {
    Value *Position = B.CreateAdd(Line, Step);
    Is = B.CreateAnd(Is, B.CreateICmpULT(Position, Border.Extent));
  }
  return Is;
}

//===-- The other factor --------------------------------------------------===//

/// Whether adding a product of zero may change a sum by more than its sign.
static bool mayBeInfinite(const Contraction &Op) {
  auto *Product = dyn_cast<FPMathOperator>(Op.Terms.front().Product);
  return Product && !(Product->hasNoInfs() && Product->hasNoNaNs());
}

/// i1 tilesmith.finite(ptr X, i64 sx, i64 sy, i64 x, i64 y, ptr scalars): whether
/// all y elements of each of x lines are finite.
Function *KernelBuilder::buildFinite(const Operand &X) {
  ZerosArguments Arguments;
  Function *F =
      createFunction("finite", B.getInt1Ty(), parametersOf(Arguments, X.Map));
  bool IsAdjacent = X.X.isUnit(X.P, DL) || X.X.isUnit(K, DL);
  Value *Apart = IsAdjacent ? i64(DL.getTypeStoreSize(X.X.ElemTy))
                            : Arguments.StrideElement;
  BasicBlock *Bad = emitSearch(
      X.X, Arguments, Apart, /*BadIfNone=*/false, [&](Value *Element) {
        Value *V = evaluate(X.Map, Arguments.Scalars, /*Width=*/0,
                            [&](Value *, Leaf) { return Element; });
        // Of numbers that are not finite, the difference is NaN.
        Value *Difference = B.CreateFSub(V, V);
        return B.CreateFCmpUNO(Difference, Difference);
      });
  B.CreateRet(B.getTrue());
  B.SetInsertPoint(Bad);
  B.CreateRet(B.getFalse());
  return F;
}

/// The digits of lines and steps of a factor; one each if it is a plain matrix.
std::pair<SmallVector<Digit, 3>, SmallVector<Digit, 3>>
KernelBuilder::digitsOf(const Macro &X, const Operand &Of) {
  if (isGathered(Of))
    return {X.Gathered[Of.P].OfLine, X.Gathered[Of.P].OfStep};
  const Macro::Factors &T = X.Terms.front();
  bool IsA = Of.P == tilesmith::M;
  return {{Digit{IsA ? X.M : X.N, IsA ? T.StrideAm : T.StrideBn}},
          {Digit{X.K, IsA ? T.StrideAk : T.StrideBk}}};
}

/// Body(address) for all values of \p Digits, at \p From where all are zero.
void KernelBuilder::emitDigits(ArrayRef<Digit> Digits, Value *From,
                               function_ref<void(Value *)> Body) {
  if (Digits.empty())
    return Body(From);
  const Digit &D = Digits.back();
  emitLoop(i64(0), D.Extent, i64(1), "digit", [&](Value *I) {
    emitDigits(Digits.drop_back(), offset(From, I, D.Stride), Body);
  });
}

/// Returns false if the factor that is multiplied by zeros is not finite.
void KernelBuilder::emitFiniteTest(Macro &X) {
  const Operand *Image = borderedOperand();
  if (!Image || Image->X.BeyondBorders == Beyond::ZeroElement ||
      !mayBeInfinite(Op))
    return;
  bool IsB = Image->P == M;
  const Operand &Other = IsB ? Terms.front().B : Terms.front().A;
  Function *Finite;
  {
    IRBuilderBase::InsertPointGuard Here(B);
    Finite = unify(buildFinite(Other));
  }
  BasicBlock *Leave = BasicBlock::Create(Ctx, "infinite", X.F);
  auto Search = [&] {
    auto [OfLine, OfStep] = digitsOf(X, Other);
    Digit Lines = OfLine.front(), Elements = OfStep.front();
    if (Other.X.isUnit(Other.P, DL))
      std::swap(Lines, Elements);
    SmallVector<Digit, 4> Higher(drop_begin(OfLine));
    Higher.append(OfStep.begin() + 1, OfStep.end());
    Value *First = IsB ? X.Terms.front().B : X.Terms.front().A;
    emitDigits(Higher, First, [&](Value *From) {
      ZerosArguments Arguments{
          From,         Lines.Stride,    Elements.Stride,
          Lines.Extent, Elements.Extent, X.Arguments->Scalars};
      Value *Is =
          B.CreateCall(Finite, parametersOf(Arguments, Other.Map).values());
      leaveIf(B.CreateNot(Is), Leave);
    });
  };
  emitOuter(X, OuterPlace::Around, [&] {
    emitIf(B.CreateNot(X.Gathered[Image->P].IsInside), "beyond", Search);
  });
  IRBuilderBase::InsertPointGuard Here(B);
  B.SetInsertPoint(Leave);
  B.CreateRet(B.getFalse());
}

//===-- Zeros -------------------------------------------------------------===//

/// Whether the sign of a sum of zero matters.
bool KernelBuilder::needsExactZeros() const {
  const Operand *Image = borderedOperand();
  if (!Image || Image->X.BeyondBorders == Beyond::ZeroElement)
    return false;
  auto *Sum = dyn_cast<FPMathOperator>(Op.Update.resolve(Op.Update.Root));
  return Sum && !Sum->hasNoSignedZeros();
}

bool KernelBuilder::needsElementsBefore() const {
  return needsExactZeros() && Op.readsC();
}

/// Body(number, place) for each line at a border. Its digits but for the lowest
/// are looked up once for all values of that.
void KernelBuilder::emitLinesAtBorder(Macro &X, LineBody Body) {
  const Operand &Image = *borderedOperand();
  const Macro::Numbers &Of = X.Gathered[Image.P];
  const Macro::Factors &T = X.Terms.front();
  Value *Src = Image.P == tilesmith::M ? T.A : T.B;
  Value *Lines = Image.P == tilesmith::M ? X.M : X.N;
  const Digit &Lowest = Of.OfLine.front();
  emitLoop(i64(0), Lines, Lowest.Extent, "lines", [&](Value *First) {
    NumberedPlace At = placeOfNumber(First, Of.OfLine, Of.Borders);
    emitLoop(i64(0), Lowest.Extent, i64(1), "line", [&](Value *I) {
      LinePlace Line{B.CreatePtrAdd(offset(Src, I, Lowest.Stride), At.Distance),
                     At.Positions};
      for (auto [Position, Move] : zip_equal(Line.Positions, Lowest.Moves))
        Position = B.CreateAdd(Position, B.CreateMul(I, Move));
      Value *IsAtBorder = B.CreateNot(isLineInside(Of.Borders, Line.Positions));
      emitIf(IsAtBorder, "border", [&] { Body(B.CreateAdd(First, I), Line); });
    });
  });
}

/// Body(number along the other dimension, address in C, and where it is kept) for
/// each element of \p Line.
void KernelBuilder::emitElementsOfLine(
    Macro &X, Value *Line, function_ref<void(Value *, Value *, Value *)> Body) {
  bool IsRow = borderedOperand()->P == tilesmith::M;
  Value *Others = IsRow ? X.N : X.M;
  Value *From = offset(X.C, Line, IsRow ? X.StrideCm : X.StrideCn);
  Value *Before = element(X.Before, B.CreateMul(Line, Others));
  emitLoop(i64(0), Others, i64(1), "other", [&](Value *Other) {
    Body(Other, offset(From, Other, IsRow ? X.StrideCn : X.StrideCm),
         element(Before, Other));
  });
}

void KernelBuilder::emitSavingBefore(Macro &X) {
  if (!needsElementsBefore())
    return;
  emitLinesAtBorder(X, [&](Value *Line, const LinePlace &) {
    emitElementsOfLine(X, Line, [&](Value *, Value *C, Value *Before) {
      Value *V = B.CreateAlignedLoad(Op.C.ElemTy, C, Op.C.Alignment);
      B.CreateAlignedStore(V, Before, Align(Size));
    });
  });
}

/// A step beyond a border.
Value *KernelBuilder::emitStepBeyond(Value *Scalars, Value *Sum) {
  if (Op.borderedFactor()->BeyondBorders == Beyond::NoStep)
    return Sum;
  unsigned Width = cast<FixedVectorType>(Sum->getType())->getNumElements();
  return evaluate(Op.Update, Scalars, Width, [&](Value *, Leaf Kind) {
    return Kind == Leaf::Sum ? Sum : Constant::getNullValue(Sum->getType());
  });
}

/// The sum over the steps that the nest makes for \p Line and \p Other, from
/// \p First on.
Value *KernelBuilder::emitExactSum(Macro &X, const LinePlace &Line,
                                   Value *Other, Value *First) {
  const Operand &Image = *borderedOperand();
  const Macro::Numbers &Of = X.Gathered[Image.P];
  const Macro::Factors &T = X.Terms.front();
  bool IsA = Image.P == tilesmith::M;
  const Operand &Factor = IsA ? T.Of->B : T.Of->A;
  const auto Digits = digitsOf(X, Factor);
  ArrayRef<Digit> OfLine = Digits.first, OfStep = Digits.second;
  Value *Src =
      B.CreatePtrAdd(IsA ? T.B : T.A, placeOfNumber(Other, OfLine).Distance);
  Value *Scalars = X.Arguments->Scalars;
  BasicBlock &Entry = X.F->getEntryBlock();
  Value *Sum = IRBuilder<>(&Entry, Entry.begin())
                   .CreateAlloca(First->getType(), nullptr, "sum");
  B.CreateStore(First, Sum);
  auto Load = [&](const Operand &Factor, Value *From) {
    Value *Element = B.CreateAlignedLoad(
        FixedVectorType::get(Factor.X.ElemTy, 1), From, Factor.X.Alignment);
    return mapped(Factor, Scalars, Element, 1);
  };
  emitLoop(i64(0), X.K, i64(1), "step", [&](Value *Step) {
    NumberedPlace At = placeOfNumber(Step, Of.OfStep);
    Value *IsMade = isInside(Of.Borders, Line.Positions, At.Positions);
    auto MakeBeyond = [&] {
      Value *Carried = B.CreateLoad(First->getType(), Sum);
      B.CreateStore(emitStepBeyond(Scalars, Carried), Sum);
    };
    auto Make = [&] {
      Value *OfImage = Load(Image, B.CreatePtrAdd(Line.Src, At.Distance));
      Value *OfOther = Load(
          Factor, B.CreatePtrAdd(Src, placeOfNumber(Step, OfStep).Distance));
      Value *Carried = B.CreateLoad(First->getType(), Sum);
      Value *Next = emitVectorStep(Scalars, Carried, IsA ? OfImage : OfOther,
                                   IsA ? OfOther : OfImage);
      B.CreateStore(Next, Sum);
    };
    emitIf(IsMade, "made", Make, MakeBeyond);
  });
  return B.CreateLoad(First->getType(), Sum);
}

/// Makes sums at borders that have come out as zero again, as the nest does.
void KernelBuilder::emitExactZeros(Macro &X) {
  if (!needsExactZeros())
    return;
  auto *Ty = FixedVectorType::get(Op.SumTy, 1);
  Value *Scalars = X.Arguments->Scalars;
  emitLinesAtBorder(X, [&](Value *Line, const LinePlace &Place) {
    emitElementsOfLine(X, Line, [&](Value *Other, Value *C, Value *Before) {
      Value *Result = B.CreateAlignedLoad(Op.SumTy, C, Op.C.Alignment);
      Value *IsZero = B.CreateFCmpOEQ(Result, Constant::getNullValue(Op.SumTy));
      emitIf(IsZero, "zero", [&] {
        Value *Old = PoisonValue::get(Ty);
        if (needsElementsBefore())
          Old = B.CreateAlignedLoad(Ty, Before, Align(Size));
        Value *First = evaluate(Op.Start, Scalars, 1, Old, nullptr);
        Value *Sum = emitExactSum(X, Place, Other, First);
        Sum = evaluate(Op.Finish, Scalars, 1, Old, Sum);
        B.CreateAlignedStore(Sum, C, Op.C.Alignment);
      });
    });
  });
}

} // namespace tilesmith
