//===- Windows.cpp - strides of windows that overlap ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Windows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// X, of the greater one of X and one.
static const SCEV *atLeastOne(const SCEV *S) {
  auto *Max = dyn_cast<SCEVMinMaxExpr>(S);
  bool IsMax = Max && isa<SCEVSMaxExpr, SCEVUMaxExpr>(S);
  if (!IsMax || Max->getNumOperands() != 2 || !Max->getOperand(0)->isOne())
    return S;
  S = Max->getOperand(1);
  while (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    S = Cast->getOperand();
  return S;
}

Polynomial Polynomial::of(const SCEV *S) {
  while (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S))
    S = Cast->getOperand();
  Polynomial Result;
  if (auto *C = dyn_cast<SCEVConstant>(S))
    return number(C->getAPInt().sextOrTrunc(Bits));
  if (isa<SCEVAddExpr>(S)) {
    for (const SCEV *Part : S->operands())
      Result = Result + of(Part);
    return Result;
  }
  if (isa<SCEVMulExpr>(S)) {
    Result = number(APInt(Bits, 1));
    for (const SCEV *Factor : S->operands())
      Result = Result * of(Factor);
    return Result;
  }
  Result.Terms[{atLeastOne(S)}] = APInt(Bits, 1);
  return Result;
}

Polynomial Polynomial::operator+(const Polynomial &O) const {
  Polynomial Result = *this;
  for (const auto &[Factors, Number] : O.Terms)
    Result.add(Factors, Number);
  return Result;
}

Polynomial Polynomial::operator*(const Polynomial &O) const {
  Polynomial Result;
  for (const auto &[Left, LeftNumber] : Terms)
    for (const auto &[Right, RightNumber] : O.Terms) {
      Monomial Both(Left);
      Both.insert(Both.end(), Right.begin(), Right.end());
      sort(Both);
      Result.add(Both, LeftNumber * RightNumber);
    }
  return Result;
}

std::optional<std::pair<APInt, APInt>>
Polynomial::proportion(const Polynomial &O) const {
  if (isZero() || O.isZero())
    return std::nullopt;
  const APInt &X = Terms.begin()->second, &Y = O.Terms.begin()->second;
  if (!(number(Y) * *this == number(X) * O))
    return std::nullopt;
  return std::pair(X.abs(), Y.abs());
}

void Polynomial::add(const Monomial &Factors, const APInt &Number) {
  auto [Place, IsNew] = Terms.try_emplace(Factors, Number);
  if (!IsNew)
    Place->second += Number;
  if (Place->second.isZero())
    Terms.erase(Place);
}

namespace {

struct IndexOfImage {
  Polynomial Stride;
  const SCEV *BackedgeCount;

  /// Its last value, or what is likely.
  APInt last() const {
    auto *Constant = dyn_cast<SCEVConstant>(BackedgeCount);
    return Constant ? Constant->getAPInt().zextOrTrunc(Polynomial::Bits)
                    : APInt(Polynomial::Bits, 16);
  }
  /// What a further index has that goes on behind the last value.
  Polynomial next() const {
    return Stride * Polynomial::ofExtent(BackedgeCount);
  }
};

SmallVector<IndexOfImage, 4> indicesOf(const Contraction &Op, const Access &X,
                                       Dim D) {
  SmallVector<IndexOfImage, 4> Result = {
      {Polynomial::of(X.Stride[D]), Op.BackedgeCount[D]}};
  for (unsigned I : outerOf(Op, D))
    Result.push_back(
        {Polynomial::of(X.OuterStride[I]), Op.Outer[I].BackedgeCount});
  return Result;
}

/// A line and a step that have something in common.
using Window = std::pair<IndexOfImage, IndexOfImage>;

/// Whether both go over the same elements, some of the steps later than some of
/// the lines, and the other way round.
bool isWindow(const Window &W) {
  const auto &[Line, Step] = W;
  auto Proportion = Line.Stride.proportion(Step.Stride);
  return Proportion &&
         (Proportion->second * Step.last()).uge(Proportion->first) &&
         (Proportion->first * Line.last()).uge(Proportion->second);
}

/// Whether the strides are not in proportion, though neither index goes on where
/// the other one ends: as windows whose distance, or the distance of their
/// elements, is known at run time only.
bool mayBeWindow(const Window &W) {
  const auto &[Line, Step] = W;
  return !Line.Stride.isZero() && !Step.Stride.isZero() &&
         !(Line.Stride == Step.next()) && !(Step.Stride == Line.next());
}

bool haveOneDistance(const Window &X, const Window &Y) {
  return X.first.Stride * Y.second.Stride == Y.first.Stride * X.second.Stride;
}

} // namespace

SmallVector<unsigned, 2> outerOf(const Contraction &Op, Dim D) {
  SmallVector<unsigned, 2> Result;
  for (unsigned I = Op.Outer.size(); I--;)
    if (Op.Outer[I].Bundle == D)
      Result.push_back(I);
  return Result;
}

bool hasWindows(const Contraction &Op, const Access &X, Dim P) {
  SmallVector<Window, 4> Windows;
  for (const IndexOfImage &Line : indicesOf(Op, X, P))
    for (const IndexOfImage &Step : indicesOf(Op, X, K)) {
      Window Found(Line, Step);
      if (isWindow(Found))
        return true;
      if (!mayBeWindow(Found))
        continue;
      if (any_of(Windows, [&](const Window &Other) {
            return !(Other.first.Stride == Line.Stride) &&
                   haveOneDistance(Other, Found);
          }))
        return true;
      Windows.push_back(std::move(Found));
    }
  return false;
}

bool isFilter(const Contraction &Op) {
  return Op.isMatrixVector() && Op.Terms.size() == 1 && !Op.Domain &&
         !Op.Segments && !Op.vectorMoves() &&
         hasWindows(Op, Op.Terms.front().A, M);
}

} // namespace tilesmith
