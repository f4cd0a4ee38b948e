//===- BreakEven.cpp - the least size that is worth a kernel --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measured against clang -O2's and -O3's loops in the orders ijk, ikj and kij,
// float and double: docs/benchmarks-small.md.
//
//===----------------------------------------------------------------------===//

#include "BreakEven.h"
#include "AlongSteps.h"
#include "Filter.h"
#include "Gathering.h"
#include "Segments.h"
#include "Stream.h"
#include "Unrolled.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// Columns of C that leave registers idle are shorter.
static constexpr unsigned Short = 4;

/// Against the same loops unrolled, which are as fast where there is little to
/// do but to load and store C. If there are few registers, they are faster with
/// ragged columns, too, as long as nothing may overlap; and so they are with
/// integers. Short columns leave registers idle; the long rows of C beside them
/// are what clang makes vectors of.
static void setOfConstantSize(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  const DataLayout &DL = Op.getDataLayout();
  bool MayOverlap = any_of(
      Op.Terms, [](const Term &T) { return T.CMayAliasA || T.CMayAliasB; });
  bool IsRagged = *Op.constantExtent(M) % P.VL;
  bool AsFast =
      Op.SumTy->isIntegerTy() ||
      (hasChains(View) && hasFewRegisters(P) && IsRagged && !MayOverlap);
  P.MinWork = AsFast ? 6 * 6 * 6 : 4 * 4 * 4;
  P.MinElements = 32 / DL.getTypeStoreSize(Op.SumTy);
  if (*Op.constantExtent(M) < Short) {
    bool HasVectorsAlongN =
        any_of(Op.Terms, [&](const Term &T) { return T.B.isUnit(N, DL); });
    P.MinExtent[K] = 8;
    P.MinExtent[M] = hasChains(View) && HasVectorsAlongN ? Short : 1;
  } else if (hasFewRegisters(P) && *Op.constantExtent(N) < Short) {
    // Few rows and few steps: clang keeps all of B in registers.
    P.MinExtent[K] = Short;
  }
}

/// Whether a step divides integers, which vectors do lane by lane: lanes that do
/// not exist take as long as the others.
static bool dividesIntegers(const Contraction &Op) {
  return any_of(Op.expressions(), [](const Expression *E) {
    return E->contains([](const Instruction &I) { return I.isIntDivRem(); });
  });
}

/// LLVM unrolls a loop over few known columns. If that is the innermost one, it keeps
/// a row of C in registers for all steps, or all columns of B for all rows, where the
/// steps are outermost. Sums of integers with k innermost become vectors along k,
/// of which each element of B is loaded alone. (Measured on Zen 5 with AVX-512 and
/// AVX2, 1 to 400 rows, 2 to 64 steps.)
static void setOfKnownColumns(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  const Surroundings &Source = View.Source;
  const uint64_t Columns = *Op.constantExtent(M);
  const uint64_t Size = Op.getDataLayout().getTypeStoreSize(Op.SumTy);
  const bool IsLong = P.VectorBits >= 512;
  const bool IsInteger = Op.SumTy->isIntegerTy();
  constexpr uint64_t MostBytes = 256; // of a row that is unrolled
  if (Columns < Short || Columns * Size > MostBytes)
    return;
  // A row of one register stays there, too, if the steps are unrolled as well.
  const bool IsWhole = isPowerOf2_64(Columns) && Columns * Size <= 64;
  if (Op.constantExtent(K)) {
    if (IsWhole && !hasChains(View)) {
      P.MinWork = 1024;
      P.MinExtent[K] = 12;
    }
    return;
  }
  auto Set = [&](uint64_t Rows, uint64_t Steps, uint64_t RowsTimesSteps) {
    P.MinExtent[N] = Rows;
    P.MinExtent[K] = Steps;
    P.MinWork = std::max<uint64_t>(P.MinWork, RowsTimesSteps * Columns);
  };
  if (IsInteger && Source.sumsInnermost()) {
    P.MinWork = 4 * 4 * 4;
    return Set(Columns < 8 ? 3 : 2, 2, 0);
  }
  if (Source.Innermost != M)
    return;
  const bool HasStepsOutermost = Source.Outermost == K;
  const bool IsInOne = IsWhole && Columns * Size <= 32;
  if (IsInteger && !HasStepsOutermost && !IsInOne)
    return Set(2, IsLong ? 4 : 8, IsLong ? 24 : 0);
  const bool IsFloat = Size < 8;
  if (HasStepsOutermost)
    Set(2,
        IsLong                    ? IsFloat || isPowerOf2_64(Columns) ? 4 : 5
        : IsFloat && Columns < 16 ? 12
                                  : 8,
        0);
  else if (IsLong)
    Set(4, IsFloat ? 4 : isPowerOf2_64(Columns) ? 6 : 5, 48);
  else
    Set(4, isPowerOf2_64(Columns) ? 12 : 8, 96);
  if (!IsWhole)
    return;
  P.MinWork = 1024;
  P.MinExtent[K] = !IsInOne || IsLong               ? 12
                   : IsInteger && HasStepsOutermost ? 48
                                                    : 24;
}

/// Against sums along k of so few rows that they leave registers idle. These still make
/// several sums at once, where clang makes one. If it knows how many there are, each goes
/// by as a vector, which a thin kernel alone is faster than, unless there are two.
/// (Measured on Zen 5, with AVX-512 and AVX2.)
static void setOfFewRows(Plan &P, const Nest &View) {
  constexpr uint64_t Two = 2, LeastElements = 6;
  std::optional<uint64_t> Rows = View.Op.constantExtent(M);
  bool IsThin = any_of(P.Thin, [&](const std::shared_ptr<const Plan> &Of) {
    return Of->Mirrored != P.Mirrored;
  });
  if (Rows && (*Rows <= Two || !IsThin))
    return;
  P.MinExtent[M] = Two;
  P.MinElements = std::max(P.MinElements, LeastElements);
}

static void setOfDirectPath(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  bool IsLong = P.VectorBits >= 512;
  bool IsPacked = any_of(Op.Terms, [&](const Term &T) {
    return !canReadInPlace(T.A, T.AMap, T.AIsC, M, Op) ||
           !canReadInPlace(T.B, T.BMap, T.BIsC, N, Op);
  });
  unsigned Edge = IsPacked ? 6 : 5;
  P.MinWork = Edge * Edge * Edge;
  P.MinExtent[M] = IsPacked ? std::max(2u, P.VL / 4 + 1) : 2;
  P.MinExtent[N] = hasChains(View) && !IsPacked ? 1 : 2;
  // One step is no chain, but is as slow as the loops around it. Masked stores of
  // AVX2 do not pay for it in short columns.
  P.MinExtent[K] = hasChains(View) ? (hasFewRegisters(P) ? 2 : 1)
                   : IsLong        ? 4
                                   : 6;
  // Where clang knows that columns are short it unrolls them; masked stores of
  // AVX2 then take many steps to pay.
  uint64_t Column = Op.constantExtent(M).value_or(Short);
  if (Column > 1 && Column < Short)
    P.MinExtent[K] = hasFewRegisters(P) ? divideCeil(32u, Column) : 4;
  if (Op.constantExtent(M) && !IsPacked)
    setOfKnownColumns(P, View);
  if (IsPacked && hasChains(View))
    setOfFewRows(P, View);
  // At run time they may have few, too, of which clang makes vectors along N.
  if (hasFewRegisters(P) && !Op.constantExtent(M) && !hasChains(View))
    P.MinExtent[M] = std::max<uint64_t>(P.MinExtent[M], Short);
}

/// Whether elements are adjacent along no index, in C and in the factors.
static bool isAllStrided(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return all_of(Op.accesses(), [&](const Access *X) {
    return none_of(std::array{M, N, K},
                   [&](Dim D) { return X->isUnit(D, DL); });
  });
}

/// Of a triangle of steps, half are idle. If rows start from a factor, it is packed
/// as a whole. A few vectors of chains are as fast as clang's. (Measured on Zen 5,
/// with AVX-512 and AVX2.)
static void setOfStepTriangle(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  bool IsInPlace = Op.isInPlace() || Op.isSaved();
  if (hasChains(View)) {
    P.MinElements = hasFewRegisters(P) ? 128 : 80;
    if (IsInPlace)
      P.MinExtent[K] = hasFewRegisters(P) ? 12 : 8;
    return;
  }
  P.MinWork = std::max<uint64_t>(P.MinWork, 16 * 16 * 16);
  bool IsFloat = Op.SumTy->isFloatTy();
  P.MinExtent[K] = (IsInPlace ? 28
                    : IsFloat ? 24
                              : 16) +
                   (hasFewRegisters(P) ? 4 : 0);
}

static void setOfBlocks(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  // Filling matrices costs a few operations for each row.
  unsigned Edge = Op.hasRowTables() ? 16 : 13;
  // The source computes factors again and again.
  if (Op.hasMadeFactors())
    Edge = hasChains(View) ? 6 : 8;
  // Without anything adjacent, every element is moved by itself; but both parts of a
  // number at once.
  const bool IsStrided = isAllStrided(Op), HasNumbers = Op.C.Parts.has_value();
  if (IsStrided && !HasNumbers)
    Edge = 20;
  // Many small products share the cost of one call.
  if (any_of(Op.Outer, [](const Index &D) { return !D.isBatch(); }))
    Edge = hasChains(View) ? 6 : 10;
  P.MinWork = Edge * Edge * Edge;
  P.MinElements = 2 * P.VL;
  // Fewer steps do not pay for moving C. (Measured on Zen 5, with AVX-512 and
  // AVX2.)
  P.MinExtent[K] = 4;
  if (IsStrided)
    P.MinExtent[K] = HasNumbers ? 8 : hasChains(View) ? 12 : 24;
  if (Op.Domain && !Op.Domain->isOfC())
    setOfStepTriangle(P, View);
  // A matrix times a vector is bound by memory.
  P.MinExtent[M] = P.MinExtent[N] = hasChains(View) ? 1 : 2;
}

/// The work of all lanes counts. Tiles of fewer elements move C for little.
static void setOfLanes(Plan &P) {
  P.MinWork = 2048;
  P.MinElements = 9;
  P.MinExtent[K] = 2;
}

/// Against vectors along M that hold whole sums: the source loads the factors
/// again for each column, but nothing else. With vectors as wide as the kernel's,
/// it takes more steps and more columns to be faster. Short columns leave
/// registers idle. (Measured on Sapphire Rapids with vectors of 256 and 512
/// bits; on Zen 5, products of 16 steps break even.)
static void setOfWrittenOut(Plan &P, const TargetModel &Target) {
  bool IsAsWide = Target.PreferredBits >= P.VectorBits;
  auto Raise = [&](Dim D, uint64_t Least) {
    P.MinExtent[D] = std::max<uint64_t>(P.MinExtent[D], Least);
  };
  Raise(M, P.VL);
  Raise(N, IsAsWide ? 8 : 4);
  Raise(K, IsAsWide ? 16 : 6);
  P.MinElements = std::max<uint64_t>(P.MinElements, 8 * P.VL);
}

/// Whether other sums are made in the same loop, by a copy of the nest that
/// goes through all steps again: a kernel saves only a part of the work.
static bool sharesLoopWithSums(const Nest &View) {
  auto IsSum = [&](const PHINode &Phi) {
    return Phi.getType() == View.Op.SumTy;
  };
  const auto &Sums = View.Source.ToScratch;
  return Sums && View.Op.SumTy->isFloatingPointTy() &&
         count_if(View.Source.Loops.back()->getHeader()->phis(), IsSum) >
             (Sums->Second ? 2 : 1);
}

/// Whether the innermost loop, which updates elements in memory, sums, too.
static bool sumsBesideUpdates(const Nest &View) {
  return !View.Source.ToScratch && View.Op.Domain && !View.Op.Domain->isOfC() &&
         !View.Source.sumsInnermost() &&
         any_of(View.Source.Loops.back()->getHeader()->phis(),
                [&](const PHINode &Phi) {
                  return Phi.getType() == View.Op.SumTy;
                });
}

/// Whether loops beside the steps sum, too, numbers that are tested for NaN: these
/// remain, however fast the kernel is. (Measured on Zen 4, with AVX-512 and AVX2: a
/// Hermitian factor by halves, and herk with a diagonal of its own.)
static bool standsBesideTestedSums(const Nest &View) {
  ArrayRef<Loop *> Chain = View.Source.Loops;
  auto Sums = [&](const Loop *L) {
    return !is_contained(Chain, L) &&
           any_of(L->getHeader()->phis(), [&](const PHINode &Phi) {
             return Phi.getType() == View.Op.SumTy;
           });
  };
  return any_of(View.Op.accesses(),
                [](const Access *X) { return X->isSearched(); }) &&
         any_of(View.Source.Root->getLoopsInPreorder(), Sums);
}

/// Where clang knows that few complex numbers are adjacent in C, it makes vectors
/// of all of them, unless their products are tested for NaN. (Measured on Zen 5:
/// its code for 5 to 12 numbers, or to 8 with k innermost, is up to three times as
/// fast.) Not if the products that it fuses have the other number in common.
static void setOfFewNumbers(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  const uint64_t FewParts = View.Source.sumsInnermost() ? 2 * 9 : 2 * 13;
  bool IsTested =
      any_of(Op.accesses(), [](const Access *X) { return X->isSearched(); });
  if (Op.isComplex() && !Op.C.Parts && !IsTested &&
      Op.constantExtent(M).value_or(FewParts) < FewParts)
    P.MinExtent[M] = FewParts;
  // Few steps are unrolled where code may be large, and then numbers are vectors.
  constexpr uint64_t FewSteps = 16;
  uint64_t Size = Op.getDataLayout().getTypeStoreSize(Op.SumTy);
  bool AreEverySecond = Op.Terms.size() > 1 &&
                        (Op.C.isStep(M, 2 * Size) || Op.C.isStep(N, 2 * Size));
  if ((Op.C.Parts || AreEverySecond) && !IsTested && !P.IsCompact &&
      Op.constantExtent(K).value_or(FewSteps + 1) <= FewSteps)
    P.MinExtent[K] = FewSteps + 1;
}

/// Sums of a scatter are longer in a kernel, as some of their steps are beyond the
/// border, and clang unrolls loops over few taps. Loops over places or channels are
/// vectors already. (Measured on Zen 5, with AVX-512.)
static void setOfScatter(Plan &P, const Nest &View) {
  bool HasVectors = !View.Source.ScattersTaps;
  uint64_t Least = P.isFilter() ? (HasVectors ? 1 << 15 : 1 << 10)
                                : (HasVectors ? 1 << 19 : 1 << 15);
  P.MinWork = std::max(P.MinWork, Least);
  if (!P.isFilter())
    for (Dim D : {M, N})
      P.MinExtent[D] = std::max<uint64_t>(P.MinExtent[D], 2);
}

/// Against vectors along k, in several sums each. (Measured on Zen 5, with AVX-512
/// and AVX2.)
static void setOfReordered(Plan &P) {
  constexpr uint64_t Least = 8;
  for (Dim D : {M, N})
    P.MinExtent[D] = std::max(P.MinExtent[D], Least);
}

/// Where clang unrolls the loops over steps and columns, and makes vectors across
/// rows, with gathers, kernels are faster as soon as there are rows enough for
/// these. (Measured on Zen 5, with AVX-512. Of some lengths, clang's code takes less
/// time for a few rows more; that of the fall-back, which is unrolled later, does not.)
static void setOfShortRows(Plan &P, const Nest &View) {
  if (!isAgainstGathers(P, View.Source))
    return;
  constexpr uint64_t FewRows = 9;
  P.MinWork = std::min<uint64_t>(P.MinWork, 5 * 5 * 5);
  P.MinExtent[K] = std::min<uint64_t>(P.MinExtent[K], 3);
  for (Dim Rows : {M, N})
    if (!View.Op.constantExtent(Rows))
      P.MinExtent[Rows] = std::max(P.MinExtent[Rows], FewRows);
}

/// Tiles at the diagonal are made as a whole, of halves that are widened first. (Measured
/// on Zen 4 with AVX-512 and AVX2: 3 to 17 rows, 2 to 24 steps.)
static void setOfTriangleOfHalves(Plan &P, const Contraction &Op) {
  bool HasHalves = any_of(Op.Terms, [](const Term &T) {
    return T.A.ElemTy->isHalfTy() || T.B.ElemTy->isHalfTy();
  });
  if (HasHalves && Op.Domain && Op.Domain->isOfC())
    P.MinWork = std::max<uint64_t>(P.MinWork, hasFewRegisters(P) ? 1000 : 500);
}

/// Parts of complex factors that are computed fill two matrices first. (Measured on
/// Zen 5: the reference ZHER2K, and ZHEMM from the left, whose other half is summed up
/// in the same loop, and made by a kernel of its own.)
static void setOfMadeNumbers(Plan &P, const Nest &View) {
  constexpr uint64_t FewSteps = 4;
  const Contraction &Op = View.Op;
  uint64_t Edge = 16;
  if (Op.Domain && Op.Domain->isOfC() && Op.Terms.size() > 2)
    Edge = 20;
  if (sumsBesideUpdates(View))
    Edge = Op.isComplex() ? 24 : 40;
  P.MinWork = std::max(P.MinWork, Edge * Edge * Edge);
  P.MinExtent[K] = std::max(P.MinExtent[K], FewSteps);
}

/// Of few tiles, each has rows that are made twice; and few steps do not pay for moving
/// sums that rest beside C. (Measured with AVX-512 and AVX2: the reference DSYR2K, 6 to
/// 16 rows, and ZGEMM by columns, 4 to 22, or 2 to 16 steps of 12 to 200. Of one half,
/// as in ZSYRK and ZSYR2K, most tiles are cut by the diagonal, 16 to 28 rows: on
/// Sapphire Rapids.)
static void setOfRestOfLines(Plan &P, const Contraction &Op) {
  const bool IsHalf = Op.C.Parts && Op.Domain;
  const uint64_t Least = IsHalf ? 28 : 12;
  constexpr uint64_t Steps = 16;
  P.MinWork = std::max(P.MinWork, Least * Least * Least);
  for (Dim D : {M, N})
    P.MinExtent[D] = std::max(P.MinExtent[D], Least);
  if (Op.C.Parts)
    P.MinExtent[K] = std::max(P.MinExtent[K], Steps);
}

/// Whether the nest leaves out lines of steps at once, where an element says so.
static bool leavesOutLines(const Nest &View) {
  std::optional<Dim> Innermost = View.Source.Innermost;
  auto IsTested = [&](const Access &X, Dim P) {
    return X.Zeros && X.Zeros->SkippedAreIdle && *Innermost != P;
  };
  return Innermost && *Innermost != K &&
         any_of(View.Op.Terms, [&](const Term &T) {
           return IsTested(T.A, M) || IsTested(T.B, N);
         });
}

void setBreakEven(Plan &P, const Nest &View, const TargetModel &Target) {
  const Contraction &Op = View.Op;
  if (P.Library) {
    // Against the same loops with -ffast-math, and OpenBLAS.
    P.MinWork = 8 * 8 * 8;
    P.MinExtent[K] = 4;
  } else if (P.hasLanes()) {
    setOfLanes(P);
  } else if (P.Gathered) {
    setBreakEvenOfGathered(P, View);
  } else if (Op.Segments) {
    setBreakEvenOfSegments(P);
  } else if (P.isStreamed()) {
    setBreakEvenOfStream(P, View);
  } else if (P.isFilter()) {
    setBreakEvenOfFilter(P, View);
  } else if (P.Fallback) {
    // What is small for squares goes there.
    P.MinWork = P.Fallback->MinWork;
    P.MinElements = P.Fallback->MinElements;
    P.MinExtent = P.Fallback->MinExtent;
  } else if (P.isSmall()) {
    setOfConstantSize(P, View);
  } else if (P.hasDirectPath(Op) && !Op.fillsMatrices()) {
    setOfDirectPath(P, View);
  } else {
    setOfBlocks(P, View);
  }
  setOfFewNumbers(P, View);
  if (!P.Library && !P.isStreamed()) {
    setOfShortRows(P, View);
    setOfUnrolled(P, View);
  }
  if (View.Source.IsScatter)
    setOfScatter(P, View);
  if (Op.hasPairings())
    setOfNarrowSums(P, Op);
  if (!P.Library && !P.isStreamed() && !P.isFilter() && !P.Gathered &&
      !P.hasLanes())
    setOfVectorsAlongSteps(P, View);
  if (Op.hasMadeFactors() && !P.isStreamed() &&
      (Op.isComplex() || sumsBesideUpdates(View)))
    setOfMadeNumbers(P, View);
  if (!P.Library)
    setOfTriangleOfHalves(P, Op);
  if (dividesIntegers(Op))
    P.MinExtent[M] = std::max<uint64_t>(P.MinExtent[M], 2 * P.VL);
  if (sharesLoopWithSums(View) && !P.Library)
    P.MinWork *= 4;
  // A kernel looks first how many lines are made.
  if (leavesOutLines(View) && !P.Library)
    P.MinWork = std::max<uint64_t>(P.MinWork, 40 * 40 * 40);
  if (standsBesideTestedSums(View))
    P.MinWork = std::max<uint64_t>(P.MinWork, 20 * 20 * 20);
  if (Op.Rest)
    setOfRestOfLines(P, Op);
  if (View.Source.MayReorder && !P.Library && !P.isStreamed())
    setOfReordered(P);
  if (View.Source.IsWrittenOut && !P.Library && !P.isStreamed() &&
      Op.C.isUnit(M, Op.getDataLayout()))
    setOfWrittenOut(P, Target);
}

bool isBelowBreakEven(const Plan &P, const Contraction &View) {
  uint64_t Work = 1, Elements = 1;
  for (Dim D : {M, N, K}) {
    uint64_t Extent = View.constantExtent(D).value_or(UINT64_MAX);
    Work = SaturatingMultiply(Work, Extent);
    if (D != K)
      Elements = SaturatingMultiply(Elements, Extent);
    if (Extent < P.MinExtent[D])
      return true;
  }
  for (auto [I, D] : enumerate(View.Outer))
    if (P.countsAsWork(View, I))
      Work = SaturatingMultiply(Work, D.constantExtent().value_or(UINT64_MAX));
  if ((P.Gathered && hasFewJoined(P, View)) || hasUnfilledRegisters(P, View))
    return true;
  return Work < P.MinWork || Elements < P.MinElements;
}

} // namespace tilesmith
