//===- Gathering.cpp - factors whose rows are gathered --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gathering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <map>
#include <vector>

using namespace llvm;

namespace tilesmith {

namespace {

/// A polynomial over what ScalarEvolution does not know, without what widens
/// numbers: whether two are equal is a guess that the kernel tests.
class Polynomial {
public:
  static constexpr unsigned Bits = 128; // those of strides' products

  static Polynomial of(const SCEV *S) {
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

  /// The extent of which \p BackedgeCount is one less.
  static Polynomial ofExtent(const SCEV *BackedgeCount) {
    return of(BackedgeCount) + number(APInt(Bits, 1));
  }

  bool operator==(const Polynomial &O) const { return Terms == O.Terms; }

  Polynomial operator+(const Polynomial &O) const {
    Polynomial Result = *this;
    for (const auto &[Factors, Number] : O.Terms)
      Result.add(Factors, Number);
    return Result;
  }

  Polynomial operator*(const Polynomial &O) const {
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

  bool isZero() const { return Terms.empty(); }

  /// X and Y, both positive, if it is X / Y of \p O, or that with another sign.
  std::optional<std::pair<APInt, APInt>> proportion(const Polynomial &O) const {
    if (isZero() || O.isZero())
      return std::nullopt;
    const APInt &X = Terms.begin()->second, &Y = O.Terms.begin()->second;
    if (!(number(Y) * *this == number(X) * O))
      return std::nullopt;
    return std::pair(X.abs(), Y.abs());
  }

private:
  using Monomial = std::vector<const SCEV *>; ///< sorted

  static Polynomial number(const APInt &N) {
    Polynomial Result;
    Result.add({}, N);
    return Result;
  }

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

  void add(const Monomial &Factors, const APInt &Number) {
    auto [Place, IsNew] = Terms.try_emplace(Factors, Number);
    if (!IsNew)
      Place->second += Number;
    if (Place->second.isZero())
      Terms.erase(Place);
  }

  std::map<Monomial, APInt> Terms; ///< numbers are not zero
};

using Chain = SmallVector<unsigned, 2>;

/// The outer dimensions of \p D, the nearest first.
Chain outerOf(const Contraction &Op, Dim D) {
  Chain Result;
  for (unsigned I = Op.Outer.size(); I--;)
    if (Op.Outer[I].Bundle == D)
      Result.push_back(I);
  return Result;
}

/// How many of \p Candidates, in their order, seem to be one with \p D in \p X.
size_t countJoined(const Contraction &Op, Dim D, const Access &X,
                   ArrayRef<unsigned> Candidates) {
  Polynomial Next =
      Polynomial::of(X.Stride[D]) * Polynomial::ofExtent(Op.BackedgeCount[D]);
  const auto *Last = find_if_not(Candidates, [&](unsigned I) {
    bool IsNext = Polynomial::of(X.OuterStride[I]) == Next;
    Next = Next * Polynomial::ofExtent(Op.Outer[I].BackedgeCount);
    return IsNext;
  });
  return Last - Candidates.begin();
}

/// The outer dimensions of rows or columns that seem to be one with \p D in C, in
/// whatever order.
Chain chainInC(const Contraction &Op, Dim D) {
  Chain Left = outerOf(Op, D), Result;
  while (true) {
    auto *Next = find_if(Left, [&](unsigned I) {
      Chain Longer = Result;
      Longer.push_back(I);
      return countJoined(Op, D, Op.C, Longer) == Longer.size();
    });
    if (Next == Left.end())
      return Result;
    Result.push_back(*Next);
    Left.erase(Next);
  }
}

/// Whether the strides and extents that tell are constants.
bool isKnown(const Contraction &Op, Dim D, const Access &X,
             ArrayRef<unsigned> Joined) {
  auto IsConstant = [](const SCEV *S) { return isa<SCEVConstant>(S); };
  return Joined.empty() ||
         (IsConstant(X.Stride[D]) && IsConstant(Op.BackedgeCount[D]) &&
          all_of(Joined, [&](unsigned I) {
            return IsConstant(X.OuterStride[I]) &&
                   IsConstant(Op.Outer[I].BackedgeCount);
          }));
}

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

/// Whether \p X, whose lines are along \p P, is an image that windows go over:
/// nothing else is worth being gathered. If their distance is only known at run
/// time, it is the same along two indices.
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

} // namespace

std::optional<Gathering> gatheringOf(const Contraction &Op) {
  const Access *Image = Op.borderedFactor();
  if ((Op.Outer.empty() && !Image) || Op.Terms.size() > 1 || Op.Domain ||
      Op.isInPlace() || any_of(Op.accesses(), [](const Access *X) {
        return X->Rows || X->Zeros || X->IsSymmetric;
      }))
    return std::nullopt;
  Gathering Found;
  Found.Chains[K] = outerOf(Op, K);
  Found.IsKnown = true;
  const Term &T = Op.Terms.front();
  for (auto [P, X, IsGathered] :
       {std::tuple(M, &T.A, &Found.OfA), {N, &T.B, &Found.OfB}}) {
    Found.Chains[P] = chainInC(Op, P);
    Found.IsKnown &= isKnown(Op, P, Op.C, Found.Chains[P]);
    auto IsPlain = [&, X = X](Dim D) {
      const Chain &Of = Found.Chains[D];
      return countJoined(Op, D, *X, Of) == Of.size();
    };
    // Of an image with borders, packing knows what is beyond them.
    *IsGathered = X == Image || !IsPlain(P) || !IsPlain(K);
    if (!*IsGathered)
      Found.IsKnown &= isKnown(Op, P, *X, Found.Chains[P]) &&
                       isKnown(Op, K, *X, Found.Chains[K]);
  }
  if (Image)
    return Found;
  bool IsWorthIt = (Found.OfA && hasWindows(Op, T.A, M)) ||
                   (Found.OfB && hasWindows(Op, T.B, N));
  return IsWorthIt ? std::optional(Found) : std::nullopt;
}

} // namespace tilesmith
