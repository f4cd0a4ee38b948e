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
// leaves it out, or adds zero, the kernel may add NaN, as zero times infinity is, or
// turn a sum of -0.0 into 0.0. All other sums stay, so this shows only where a result
// is NaN or zero. Lines at a border are searched for these, and their sums are made
// again, as the nest does (emitExactSums). If they need what C had before, it is
// kept (emitSavingBefore).
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"
#include "Walk.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

//===-- Positions ---------------------------------------------------------===//

const KernelFrame::Operand *MacroKernel::borderedOperand() const {
  for (const TermOperands &T : Terms)
    for (const Operand *X : {&T.A, &T.B})
      if (hasBorders(*X))
        return X;
  return nullptr;
}

/// From where to where a number with these digits moves position number \p I.
std::pair<Value *, Value *> MacroKernel::rangeOf(ArrayRef<Digit> Digits,
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
void MacroKernel::addBorders(Macro &X, const Operand &Of) {
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
Value *MacroKernel::isLineInside(ArrayRef<BorderOfImage> Borders,
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

Value *MacroKernel::isInside(ArrayRef<BorderOfImage> Borders,
                             ArrayRef<Value *> OfLine,
                             ArrayRef<Value *> OfStep) {
  Value *Is = B.getTrue();
  for (auto [Border, Line, Step] : zip_equal(Borders, OfLine, OfStep)) {
    Value *Position = B.CreateAdd(Line, Step);
    Is = B.CreateAnd(Is, B.CreateICmpULT(Position, Border.Extent));
  }
  return Is;
}

//===-- Sums that are made again ------------------------------------------===//

/// The digits of lines and steps of a factor; one each if it is a plain matrix.
std::pair<SmallVector<Digit, 3>, SmallVector<Digit, 3>>
MacroKernel::digitsOf(const Macro &X, const Operand &Of) {
  if (isGathered(Of))
    return {X.Gathered[Of.P].OfLine, X.Gathered[Of.P].OfStep};
  const Macro::Factors &T = X.Terms.front();
  bool IsA = Of.P == tilesmith::M;
  return {{Digit{IsA ? X.M : X.N, IsA ? T.StrideAm : T.StrideBn}},
          {Digit{X.K, IsA ? T.StrideAk : T.StrideBk}}};
}

/// Whether adding a product of zero may change a sum by more than its sign.
static bool mayBeInfinite(const Contraction &Op) {
  auto *Product = dyn_cast<FPMathOperator>(Op.Terms.front().Product);
  return Product && !(Product->hasNoInfs() && Product->hasNoNaNs());
}

/// Whether the sign of a sum of zero matters.
static bool hasSignedZeros(const Contraction &Op) {
  auto *Sum = dyn_cast<FPMathOperator>(Op.Update.resolve(Op.Update.Root));
  return Sum && !Sum->hasNoSignedZeros();
}

/// Whether steps with zeros may change sums.
bool MacroKernel::needsExactSums() const {
  const Operand *Image = borderedOperand();
  if (!Image || Image->X.hasStepsBeyond())
    return false;
  return mayBeInfinite(Op) || hasSignedZeros(Op);
}

/// i1: whether steps with zeros may have changed \p Result.
Value *MacroKernel::mayBeInexact(Value *Result) {
  Value *Zero = Constant::getNullValue(Result->getType());
  if (!hasSignedZeros(Op))
    return B.CreateFCmpUNO(Result, Zero);
  return mayBeInfinite(Op) ? B.CreateFCmpUEQ(Result, Zero)
                           : B.CreateFCmpOEQ(Result, Zero);
}

bool MacroKernel::needsElementsBefore() const {
  return needsExactSums() && Op.readsC();
}

/// Body(number, place) for each line at a border. Its digits but for the lowest
/// are looked up once for all values of that. If two lines that differ in it are
/// inside, so are those between them.
void MacroKernel::emitLinesAtBorder(Macro &X, LineBody Body) {
  const Operand &Image = *borderedOperand();
  const Macro::Numbers &Of = X.Gathered[Image.P];
  const Macro::Factors &T = X.Terms.front();
  Value *Src = Image.P == tilesmith::M ? T.A : T.B;
  Value *Lines = Image.P == tilesmith::M ? X.M : X.N;
  const Digit &Lowest = Of.OfLine.front();
  emitLoop(i64(0), Lines, Lowest.Extent, "lines", [&](Value *First) {
    NumberedPlace At = placeOfNumber(First, Of.OfLine, Of.Borders);
    auto IsInside = [&](LinePlace &Line, Value *I) {
      Line.Src = B.CreatePtrAdd(offset(Src, I, Lowest.Stride), At.Distance);
      Line.Positions = At.Positions;
      for (auto [Position, Move] : zip_equal(Line.Positions, Lowest.Moves))
        Position = B.CreateAdd(Position, B.CreateMul(I, Move));
      return isLineInside(Of.Borders, Line.Positions);
    };
    emitLoop(i64(0), Lowest.Extent, "line", [&](Value *I) {
      LinePlace Line, Later;
      Value *Is = IsInside(Line, I);
      emitIf(B.CreateNot(Is), "border",
             [&] { Body(B.CreateAdd(First, I), Line); });
      constexpr unsigned Leap = 16;
      Value *Behind = B.CreateAdd(I, i64(Leap));
      Value *IsLeap = B.CreateICmpULE(Behind, Lowest.Extent);
      IsLeap =
          B.CreateAnd(IsLeap, IsInside(Later, B.CreateSub(Behind, i64(1))));
      return B.CreateSelect(B.CreateAnd(Is, IsLeap), i64(Leap), i64(1));
    });
  });
}

/// Body(number along the other dimension, address in C, and where it is kept) for
/// each element of \p Line, but for so many as \p Skipped(number, address) says.
void MacroKernel::emitElementsOfLine(
    Macro &X, Value *Line, function_ref<void(Value *, Value *, Value *)> Body,
    function_ref<Value *(Value *, Value *)> Skipped) {
  bool IsRow = borderedOperand()->P == tilesmith::M;
  Value *Others = IsRow ? X.N : X.M;
  Value *From = offset(X.C, Line, IsRow ? X.StrideCm : X.StrideCn);
  Value *Before = element(X.Before, B.CreateMul(Line, Others));
  emitLoop(i64(0), Others, "other", [&](Value *Other) -> Value * {
    Value *C = offset(From, Other, IsRow ? X.StrideCn : X.StrideCm);
    auto Element = [&] { Body(Other, C, element(Before, Other)); };
    if (!Skipped) {
      Element();
      return i64(1);
    }
    Value *Count = Skipped(Other, C), *IsNone = B.CreateIsNull(Count);
    emitIf(IsNone, "element", Element);
    return B.CreateSelect(IsNone, i64(1), Count);
  });
}

void MacroKernel::emitSavingBefore(Macro &X) {
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
Value *KernelFrame::emitStepBeyond(Value *Scalars, Value *Sum) {
  if (Op.borderedFactor()->BeyondBorders == Beyond::NoStep)
    return Sum;
  unsigned Width = cast<FixedVectorType>(Sum->getType())->getNumElements();
  return evaluate(Op.Update, Scalars, Width, [&](Value *, Leaf Kind) {
    return Kind == Leaf::Sum ? Sum : Constant::getNullValue(Sum->getType());
  });
}

/// The other dimension's numbers whose sums are made again together: one vector.
static constexpr unsigned OthersAtOnce = 8;

/// The sums over the steps that the nest makes for \p Line and each of \p Others,
/// from \p First on.
Value *MacroKernel::emitExactSum(Macro &X, const LinePlace &Line,
                                 ArrayRef<Value *> Others, Value *First) {
  const Operand &Image = *borderedOperand();
  const Macro::Numbers &Of = X.Gathered[Image.P];
  const Macro::Factors &T = X.Terms.front();
  bool IsA = Image.P == tilesmith::M;
  const Operand &Factor = IsA ? T.Of->B : T.Of->A;
  const auto Digits = digitsOf(X, Factor);
  ArrayRef<Digit> OfLine = Digits.first, OfStep = Digits.second;
  SmallVector<Value *, OthersAtOnce> Sources;
  for (Value *Other : Others)
    Sources.push_back(
        B.CreatePtrAdd(IsA ? T.B : T.A, placeOfNumber(Other, OfLine).Distance));
  Value *Scalars = X.Arguments->Scalars;
  Value *Sum = variableIn(*X.F, First->getType());
  B.CreateStore(First, Sum);
  auto LoadImage = [&](Value *From) {
    Value *Element = B.CreateAlignedLoad(
        FixedVectorType::get(Image.X.ElemTy, 1), From, Image.X.Alignment);
    Element = mapped(Image, Scalars, Element, 1);
    return B.CreateVectorSplat(Others.size(),
                               B.CreateExtractElement(Element, uint64_t(0)));
  };
  auto LoadFactor = [&](Value *Distance) {
    Value *V =
        PoisonValue::get(FixedVectorType::get(Factor.X.ElemTy, Others.size()));
    for (auto [I, From] : enumerate(Sources))
      V = B.CreateInsertElement(
          V,
          B.CreateAlignedLoad(Factor.X.ElemTy, B.CreatePtrAdd(From, Distance),
                              Factor.X.Alignment),
          I);
    return mapped(Factor, Scalars, V, Others.size());
  };
  Walk Steps(*this, *X.F, placeOfNumber(i64(0), Of.OfStep), Of.OfStep);
  Walk StepsOfOther(*this, *X.F, placeOfNumber(i64(0), OfStep), OfStep);
  emitLoop(i64(0), X.K, "step", [&](Value *) {
    const NumberedPlace &At = Steps.load(), &OfOther = StepsOfOther.load();
    Value *IsMade = isInside(Of.Borders, Line.Positions, At.Positions);
    auto MakeBeyond = [&] {
      Value *Carried = B.CreateLoad(First->getType(), Sum);
      B.CreateStore(emitStepBeyond(Scalars, Carried), Sum);
    };
    auto Make = [&] {
      Value *OfImage = LoadImage(B.CreatePtrAdd(Line.Src, At.Distance));
      Value *Weights = LoadFactor(OfOther.Distance);
      Value *Carried = B.CreateLoad(First->getType(), Sum);
      Value *Next = emitVectorStep(Scalars, Carried, IsA ? OfImage : Weights,
                                   IsA ? Weights : OfImage);
      B.CreateStore(Next, Sum);
    };
    emitIf(IsMade, "made", Make, MakeBeyond);
    Steps.goOn();
    StepsOfOther.goOn();
    // Sums that are NaN stay so.
    Value *Now = B.CreateLoad(First->getType(), Sum);
    Value *AreNaN = B.CreateAndReduce(B.CreateFCmpUNO(Now, Now));
    return B.CreateSelect(AreNaN, X.K, i64(1));
  });
  return B.CreateLoad(First->getType(), Sum);
}

/// i1: whether the nest reads nothing but zeros of the image for \p Line.
Value *MacroKernel::isBlank(Macro &X, const LinePlace &Line) {
  const Operand &Image = *borderedOperand();
  const Macro::Numbers &Of = X.Gathered[Image.P];
  Value *Found = variableIn(*X.F, B.getInt1Ty());
  B.CreateStore(B.getTrue(), Found);
  Walk Steps(*this, *X.F, placeOfNumber(i64(0), Of.OfStep), Of.OfStep);
  emitLoop(i64(0), X.K, i64(1), "step", [&](Value *) {
    const NumberedPlace &At = Steps.load();
    emitIf(isInside(Of.Borders, Line.Positions, At.Positions), "read", [&] {
      Value *Element = B.CreateAlignedLoad(
          FixedVectorType::get(Image.X.ElemTy, 1),
          B.CreatePtrAdd(Line.Src, At.Distance), Image.X.Alignment);
      Element = B.CreateExtractElement(
          mapped(Image, X.Arguments->Scalars, Element, 1), uint64_t(0));
      Value *IsZero =
          B.CreateFCmpOEQ(Element, Constant::getNullValue(Element->getType()));
      B.CreateStore(B.CreateAnd(B.CreateLoad(B.getInt1Ty(), Found), IsZero),
                    Found);
    });
    Steps.goOn();
  });
  return B.CreateLoad(B.getInt1Ty(), Found);
}

/// Whether sums from \p First on are right if they come out as zero: they start
/// from +0.0, and all products are zero. Looked up once for each line.
Value *MacroKernel::isZeroExact(Macro &X, const LinePlace &Line,
                                Value *IsBlankKnown, Value *IsBlankLine,
                                Value *First) {
  emitIf(B.CreateNot(B.CreateLoad(B.getInt1Ty(), IsBlankKnown)), "blank", [&] {
    B.CreateStore(isBlank(X, Line), IsBlankLine);
    B.CreateStore(B.getTrue(), IsBlankKnown);
  });
  Value *Bits = B.CreateExtractElement(bitsOf(B, First), uint64_t(0));
  return B.CreateAnd(B.CreateLoad(B.getInt1Ty(), IsBlankLine),
                     B.CreateIsNull(Bits));
}

/// Sums that are made again, those of neighbours at once.
struct MacroKernel::SumsAgain {
  Value *Buffer; ///< OthersAtOnce sums
  Value *Begin;  ///< a variable: what they are of
  Value *End;    ///< a variable: behind the last one; zero if there are none
};

/// The sum of \p Line and \p Other, which are in C at \p Place, as the nest makes it.
Value *MacroKernel::emitSumAgain(Macro &X, const LinePlace &Line, Value *Other,
                                 Value *Before, const SumsAgain &Again) {
  Value *IsNew = B.CreateICmpUGE(Other, B.CreateLoad(I64, Again.End));
  emitIf(IsNew, "sums", [&] {
    bool IsRow = borderedOperand()->P == tilesmith::M;
    Value *Last = B.CreateSub(IsRow ? X.N : X.M, i64(1));
    SmallVector<Value *, OthersAtOnce> Others; // the last one stands for more
    for (unsigned I = 0; I < OthersAtOnce; ++I)
      Others.push_back(umin(B.CreateAdd(Other, i64(I)), Last));
    auto *Ty = FixedVectorType::get(Op.SumTy, OthersAtOnce);
    Value *Old = PoisonValue::get(Ty);
    if (needsElementsBefore())
      for (auto [I, Number] : enumerate(Others)) {
        Value *From = element(Before, B.CreateSub(Number, Other));
        Old = B.CreateInsertElement(
            Old, B.CreateAlignedLoad(Op.SumTy, From, Align(Size)), I);
      }
    Value *First =
        evaluate(Op.Start, X.Arguments->Scalars, OthersAtOnce, Old, nullptr);
    B.CreateAlignedStore(emitExactSum(X, Line, Others, First), Again.Buffer,
                         Align(Size));
    B.CreateStore(Other, Again.Begin);
    B.CreateStore(B.CreateAdd(Other, i64(OthersAtOnce)), Again.End);
  });
  Value *At = B.CreateSub(Other, B.CreateLoad(I64, Again.Begin));
  return B.CreateAlignedLoad(FixedVectorType::get(Op.SumTy, 1),
                             offset(Again.Buffer, At, i64(Size)), Align(Size));
}

/// How many of the next elements from number \p Other on, which is \p C, steps with
/// zeros have not changed for certain: a register of neighbours, or none.
Value *MacroKernel::exactNeighbours(const Macro &X, Value *Other, Value *C) {
  const bool AreAdjacent = borderedOperand()->P == tilesmith::N
                               ? Op.C.isUnit(tilesmith::M, DL)
                               : Op.C.isUnit(tilesmith::N, DL);
  if (!AreAdjacent)
    return i64(0);
  Value *Others = borderedOperand()->P == tilesmith::N ? X.M : X.N;
  Value *Count = variableIn(*X.F, I64);
  B.CreateStore(i64(0), Count);
  Value *Behind = B.CreateAdd(Other, i64(ThePlan.VL));
  emitIf(B.CreateICmpULE(Behind, Others), "neighbours", [&] {
    auto *Ty = FixedVectorType::get(Op.SumTy, ThePlan.VL);
    Value *V = B.CreateAlignedLoad(Ty, C, Op.C.Alignment);
    Value *IsAny = B.CreateOrReduce(mayBeInexact(V));
    B.CreateStore(B.CreateSelect(IsAny, i64(0), i64(ThePlan.VL)), Count);
  });
  return B.CreateLoad(I64, Count);
}

/// Makes sums at borders again that steps with zeros may have changed, as the nest
/// does.
void MacroKernel::emitExactSums(Macro &X) {
  if (!needsExactSums())
    return;
  auto *Ty = FixedVectorType::get(Op.SumTy, 1);
  Value *Scalars = X.Arguments->Scalars;
  Value *IsBlankKnown = variableIn(*X.F, B.getInt1Ty());
  Value *IsBlankLine = variableIn(*X.F, B.getInt1Ty());
  SumsAgain Again{
      variableIn(*X.F, FixedVectorType::get(Op.SumTy, OthersAtOnce)),
      variableIn(*X.F, I64), variableIn(*X.F, I64)};
  emitLinesAtBorder(X, [&](Value *Line, const LinePlace &Place) {
    B.CreateStore(B.getFalse(), IsBlankKnown);
    B.CreateStore(i64(0), Again.End);
    auto Element = [&](Value *Other, Value *C, Value *Before) {
      Value *Result = B.CreateAlignedLoad(Op.SumTy, C, Op.C.Alignment);
      emitIf(mayBeInexact(Result), "inexact", [&] {
        Value *Old = PoisonValue::get(Ty);
        if (needsElementsBefore())
          Old = B.CreateAlignedLoad(Ty, Before, Align(Size));
        auto MakeAgain = [&] {
          Value *Sum = emitSumAgain(X, Place, Other, Before, Again);
          Sum = evaluate(Op.Finish, Scalars, 1, Old, Sum);
          B.CreateAlignedStore(Sum, C, Op.C.Alignment);
        };
        if (!hasSignedZeros(Op) || Op.hasPairings())
          return MakeAgain();
        Value *First = evaluate(Op.Start, Scalars, 1, Old, nullptr);
        Value *IsNaN = B.CreateFCmpUNO(Result, Result);
        Value *IsExact =
            isZeroExact(X, Place, IsBlankKnown, IsBlankLine, First);
        emitIf(B.CreateOr(IsNaN, B.CreateNot(IsExact)), "again", MakeAgain);
      });
    };
    emitElementsOfLine(X, Line, Element, [&](Value *Other, Value *C) {
      return exactNeighbours(X, Other, C);
    });
  });
}

} // namespace tilesmith
