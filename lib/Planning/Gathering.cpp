//===- Gathering.cpp - factors whose rows are gathered --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gathering.h"
#include "tilesmith/Idiom/Windows.h"
#include "tilesmith/Planning/WholeGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

namespace {

using Chain = SmallVector<unsigned, 2>;

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

/// Whether the steps of a group are adjacent in \p X, if the innermost index goes
/// over whole groups; and not its rows or columns (\p P).
bool hasAdjacentSteps(const Access &X, Dim P, const DataLayout &DL) {
  return X.isUnit(K, DL) && !X.isUnit(P, DL) &&
         all_of(X.Borders,
                [](const Border &B) { return B.Stride[K]->isZero(); });
}

} // namespace

bool mayGatherGroups(const Contraction &Op, unsigned Steps) {
  std::optional<Gathering> Found = gatheringOf(Op);
  if (!Found ||
      (Op.constantExtent(K).value_or(0) % Steps && !directionsOf(Op, *Found)))
    return false;
  const DataLayout &DL = Op.getDataLayout();
  const Term &T = Op.Terms.front();
  // Products with what is beyond a border would have to be left out exactly.
  return Op.SumTy->isIntegerTy() &&
         (!Found->OfA || hasAdjacentSteps(T.A, M, DL)) &&
         (!Found->OfB || hasAdjacentSteps(T.B, N, DL));
}

std::optional<Gathering> gatheringOf(const Contraction &Op) {
  const Access *Image = Op.borderedFactor();
  if ((Op.Outer.empty() && !Image) || Op.Terms.size() > 1 || Op.Domain ||
      Op.isInPlace() || any_of(Op.accesses(), [](const Access *X) {
        return X->Rows || X->isSearched() || X->IsSymmetric;
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
