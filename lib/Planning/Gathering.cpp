//===- Gathering.cpp - factors whose rows are gathered --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gathering.h"
#include "BreakEven.h"
#include "tilesmith/Idiom/Windows.h"
#include "tilesmith/Planning/WholeGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Support/MathExtras.h"

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

/// Against vectors along M, clang's loops need few columns to be slower, and few
/// steps. (Measured on Zen 5, with AVX-512 and AVX2.)
void setBreakEvenOfGathered(Plan &P, const Nest &View) {
  // Sums at borders may have to be made again: of few kernels, that takes longer.
  const Access *Image = View.Op.borderedFactor();
  bool MayMakeAgain =
      Image && !Image->hasStepsBeyond() && View.Op.SumTy->isFloatingPointTy();
  P.MinWork = MayMakeAgain ? 4096 : 1024;
  // Against one chain after the other. (Measured on Zen 4 with AVX-512 and AVX2: 1 to
  // 9 places, 1 to 256 kernels.)
  if (hasChains(View)) {
    P.MinJoinedElements = Image ? 16 : 6;
    P.MinOfOneRow = 10;
  } else {
    P.MinJoined[N] = Image ? 10 : 4;
    P.MinJoined[K] = 4;
  }
  // A kernel makes steps beyond borders, too, and clang makes vectors of integers.
  bool IsInteger = View.Op.SumTy->isIntegerTy();
  if (Image && View.Source.sumsInnermost()) {
    P.MinExtent[M] = IsInteger ? 8 : 3;
  } else if (IsInteger && View.Source.sumsInnermost()) {
    P.MinExtent[M] = 3;
    P.MinWork = 2048;
  }
  // Kernels make most steps that the nest leaves out: with channels last, of each
  // place. (Measured on Zen 4: 1 to 5 rows, 3 to 7 taps, 1 to 64 kernels.)
  if (MayMakeAgain) {
    const bool IsA = Image == &View.Op.Terms.front().A;
    P.MinSumsPerTap = IsA ? 1 : 5;
    P.MaxTapsPerPlace = IsA ? 2 : 0;
  }
  // Without borders, rows that are no whole groups are packed.
  if (!Image && P.mayHaveRaggedGroups(View.Op)) {
    P.MinExtent[M] = 4;
    // Of fewer, the kernel leaves what it does not fill up.
    if (!P.fillsGroups(View.Op))
      P.MinExtent[K] = 4;
  }
}

/// Whether windows are known to have more taps than there are places, and too many.
static bool hasTooManyTaps(const Plan &P, const Contraction &View,
                           uint64_t Places, uint64_t Elements) {
  const Access *Image = View.borderedFactor();
  auto Moves = [&](auto StrideOf) {
    return any_of(Image->Borders,
                  [&](const Border &Of) { return !StrideOf(Of)->isZero(); });
  };
  uint64_t Taps = 1;
  auto Count = [&](std::optional<uint64_t> Extent) {
    Taps = SaturatingMultiply(Taps, Extent.value_or(1));
  };
  if (Moves([](const Border &Of) { return Of.Stride[K]; }))
    Count(View.constantExtent(K));
  for (unsigned I : P.Gathered->Chains[K])
    if (Moves([&](const Border &Of) { return Of.OuterStride[I]; }))
      Count(View.Outer[I].constantExtent());
  return Taps > Places &&
         (SaturatingMultiply(Taps, P.MinSumsPerTap) > Elements ||
          (P.MaxTapsPerPlace &&
           Taps > SaturatingMultiply(Places, P.MaxTapsPerPlace)));
}

/// Whether the indices that are seen as one are known to have too few values.
bool hasFewJoined(const Plan &P, const Contraction &View) {
  auto Joined = [&](Dim D) {
    uint64_t Result = View.constantExtent(D).value_or(UINT64_MAX);
    for (unsigned I : P.Gathered->Chains[D])
      Result = SaturatingMultiply(
          Result, View.Outer[I].constantExtent().value_or(UINT64_MAX));
    return Result;
  };
  uint64_t Elements = SaturatingMultiply(Joined(M), Joined(N));
  const Dim OfImage = View.borderedFactor() == &View.Terms.front().A ? M : N;
  const bool AreJoined =
      P.Gathered->Chains[OfImage].size() == outerOf(View, OfImage).size();
  if (P.MinSumsPerTap && AreJoined &&
      hasTooManyTaps(P, View, Joined(OfImage), Elements))
    return true;
  return Elements < P.MinJoinedElements ||
         (Joined(M) == 1 && Elements < P.MinOfOneRow) ||
         any_of(
             std::array{N, K},
             [&](Dim D) { return Joined(D) < P.MinJoined[D]; });
}

} // namespace tilesmith
