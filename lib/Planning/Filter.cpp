//===- Filter.cpp - plans for filters -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Filter.h"
#include "BreakEven.h"
#include "tilesmith/Idiom/Windows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// The outer index of rows that is nearest in C.
static std::optional<unsigned> nearestRows(const Contraction &Op) {
  std::optional<unsigned> Nearest;
  for (unsigned I : outerOf(Op, M))
    if (!Nearest ||
        isKnownShorter(Op.C.OuterStride[I], Op.C.OuterStride[*Nearest]))
      Nearest = I;
  return Nearest;
}

/// The batch that registers extend over: as channels that are adjacent do.
static std::optional<unsigned> batchInLanes(const Contraction &Op) {
  std::optional<unsigned> Batch = Op.adjacentBatch();
  // What is done with C after the sums goes along its rows.
  if (!Batch || Op.After || Op.C.isUnit(M, Op.getDataLayout()))
    return std::nullopt;
  return Batch;
}

/// Whether elements of all operands can be loaded and stored under masks.
static bool hasMasks(const Plan &P, const Contraction &Op) {
  return all_of(Op.accesses(), [&](const Access *X) { return P.canMask(*X); });
}

bool Plan::hasWholeRows(const Contraction &Op) const {
  return LaneIndex && !Op.borderedFactor()->hasStepsBeyond() &&
         all_of(Op.borderedFactor()->Borders,
                [&](auto &Of) { return Of.OuterStride[*LaneIndex]->isZero(); });
}

/// Whether registers are filled better where they go on in the next one of \p Rows:
/// rows are short, and follow each other without a gap in C and in the image. Of
/// longer ones, the inside is worth more, where steps have no masks. (Measured on
/// Zen 5: with AVX-512, from 2 VL on. Less than 16 elements take longer than
/// clang's unrolled loops.)
static bool joinsRows(const Plan &P, const Contraction &Op, unsigned Rows) {
  std::optional<uint64_t> Width = Op.constantExtent(M),
                          Height = Op.Outer[Rows].constantExtent();
  // What positions are computed with fits 32 bits.
  const uint64_t Few = P.VectorBits >= 512 ? 16 : 24;
  if (!Width || !Height || *Width >= 2 * P.VL || *Height > UINT16_MAX ||
      *Width * *Height < Few)
    return false;
  auto FollowEachOther = [&](const Access &X) {
    auto *OfRow = dyn_cast<SCEVConstant>(X.OuterStride[Rows]);
    auto *OfLane = dyn_cast<SCEVConstant>(X.Stride[M]);
    return OfRow && OfLane && X.isUnit(M, Op.getDataLayout()) &&
           OfRow->getAPInt() == OfLane->getAPInt() * *Width;
  };
  return hasMasks(P, Op) && FollowEachOther(Op.C) &&
         FollowEachOther(Op.Terms.front().A);
}

/// Whether one factor goes on where the other one goes back.
static bool goesBack(const Contraction &Op) {
  const Term &T = Op.Terms.front();
  auto *OfA = dyn_cast<SCEVConstant>(T.A.Stride[K]),
       *OfB = dyn_cast<SCEVConstant>(T.B.Stride[K]);
  return Op.Outer.empty() && OfA && OfB &&
         OfA->getAPInt().isNegative() != OfB->getAPInt().isNegative();
}

Refused decideFilter(Plan &P, const Contraction &Op,
                     const TargetModel &Target) {
  bool IsPlain = isFilter(Op) && !Op.Domain && !Op.hasRowTables() &&
                 !Op.isInPlace() && !Op.isComplex() &&
                 none_of(Op.accesses(), [](const Access *X) {
                   return X->isSearched() || X->IsSymmetric;
                 });
  if (!IsPlain)
    return Refusal{Reason::PlanNoFilter, Op.store()};
  // A tile that is asked for without the word is one of matrices.
  if (P.Kind == KernelKind::Undecided)
    static_cast<Scheme &>(P) = P.breakEven();
  P.Kind = KernelKind::Filter;
  P.LaneIndex = batchInLanes(Op);
  // Lane by lane, steps at a border take as long as clang's.
  if (Op.borderedFactor() && !hasMasks(P, Op) && !P.hasWholeRows(Op))
    return Refusal{goesBack(Op) ? Reason::Convolution : Reason::Branch,
                   Op.store()};
  P.Bundled = {};
  if (!P.LaneIndex)
    P.Bundled[M] = nearestRows(Op);
  bool HasRows = P.LaneIndex || P.Bundled[M];
  // Where 512 bits take two cycles, half of them cross fewer lines. (Measured on
  // Zen 4.)
  if (P.LaneIndex && P.VectorBits >= 512 && Target.MultiplyAdds == 1) {
    P.VectorBits /= 2;
    P.VL /= 2;
  }
  if (P.MR)
    return P.MR % P.VL || !isPowerOf2_32(P.MR / P.VL) || (!HasRows && P.NR > 1)
               ? Refused(Refusal{Reason::PlanTile, Op.store()})
               : std::nullopt;
  // As many chains of additions as hide how long an addition takes.
  constexpr unsigned Chains = 8, VectorsOfRow = 2;
  P.JoinsRows = P.Bundled[M] && joinsRows(P, Op, *P.Bundled[M]);
  if (P.JoinsRows) {
    P.MR = Chains / 2 * P.VL;
    P.NR = 1;
    return std::nullopt;
  }
  // Longer pieces of lines are worth more than elements that several windows have.
  // (Measured on Zen 4, with AVX2 and AVX-512.)
  if (P.LaneIndex) {
    P.MR = (Target.VectorRegisters > 16 ? 8 : 4) * P.VL;
    P.NR = 3;
    return std::nullopt;
  }
  P.MR = (HasRows ? VectorsOfRow : Chains) * P.VL;
  P.NR = HasRows ? Chains / VectorsOfRow : 1;
  return std::nullopt;
}

Refused refuseFilter(const Nest &Found) {
  const Contraction &Op = Found.Op;
  // Unrolled, with all taps in registers.
  constexpr uint64_t Few = 16;
  if (!Op.borderedFactor() && outerOf(Op, K).empty() &&
      Op.constantExtent(K).value_or(Few) < Few)
    return Refusal{Reason::TooSmall, Op.store()};
  return std::nullopt;
}

/// Whether LLVM may unroll the loops over the taps.
static bool hasConstantTaps(const Contraction &Op) {
  return Op.constantExtent(K) && all_of(outerOf(Op, K), [&](unsigned I) {
           return Op.Outer[I].constantExtent().has_value();
         });
}

/// Against taps in registers, neighbours that are apart in the image must be more. Of
/// few rows, most are at a border; of registers that are partly filled, too, a tile takes
/// as long as of whole ones. (Measured on Zen 4 with AVX-512 and AVX2: 6 to 40 columns, 2
/// to 12 rows, 3 x 3 taps.)
static void setOfKnownTaps(Plan &P, const Contraction &Op) {
  const bool IsLong = P.VectorBits >= 512;
  const uint64_t Apart = IsLong ? 9 : 14;
  const Access &Image = Op.Terms.front().A;
  const bool IsKnown = isa<SCEVConstant>(Image.Stride[M]);
  P.MinWork = 288;
  P.MinExtent[M] = Op.constantExtent(M) ? 8 : IsLong ? 6 : 7;
  // Of wider windows, more rows are beyond a border, which clang leaves out early.
  const bool IsWide = *Op.constantExtent(K) > 3;
  P.Adjacent = IsLong    ? Plan::Filling{IsWide ? 3u : 2u, 5}
               : IsKnown ? Plan::Filling{6, 6}
                         : Plan::Filling{6, 3};
  P.Apart = IsLong    ? Plan::Filling{7, 3}
            : IsKnown ? Plan::Filling{12, 2}
                      : Plan::Filling{10, 3};
  if (!IsKnown)
    P.MinApart = Apart;
  else if (!Image.isUnit(M, Op.getDataLayout()))
    P.MinExtent[M] = Apart;
}

/// Of neighbours, which masks cut off. (Rows were measured on Zen 4 with AVX-512 and
/// AVX2: 1 to 20 columns, 1 to 14 rows, 1 to 32 channels, windows one and two apart.)
static void setOfNeighbours(Plan &P, const Nest &View, bool IsVectorized) {
  const Contraction &Op = View.Op;
  const bool HasRows = P.Bundled[M].has_value(),
             HasBorders = Op.borderedFactor();
  if (!hasMasks(P, Op)) {
    P.MinExtent[M] = P.VL;
    return;
  }
  if (hasConstantTaps(Op)) {
    P.MinExtent[M] = Op.constantExtent(M) ? 8 : 6;
    if (HasRows && HasBorders)
      setOfKnownTaps(P, Op);
    return;
  }
  P.MinExtent[M] = HasRows && !HasBorders && !IsVectorized ? 3 : 4;
  if (HasRows)
    P.MinWork = HasBorders ? 224 : std::max<uint64_t>(P.MinWork, 96);
}

void setBreakEvenOfFilter(Plan &P, const Nest &View) {
  // Measured on Sapphire Rapids, with AVX-512 and AVX2. If the source sums tap
  // by tap, clang makes vectors of neighbours, and loads and stores sums.
  const Contraction &Op = View.Op;
  bool IsVectorized = !View.Source.sumsInnermost() || Op.SumTy->isIntegerTy();
  P.MinWork = IsVectorized ? 128 : 64;
  // Whether a step is made is looked at for each. (Measured on Zen 4, with AVX-512 and
  // AVX2: 1 to 17 channels, 1 to 16 rows and columns.)
  if (P.LaneIndex && Op.borderedFactor()) {
    P.MinWork = 256;
    P.MinExtent[M] = 2;
    P.MinLanes = hasFewRegisters(P) && P.VL > 2 ? 3 : 1;
  }
  if (!P.LaneIndex && !P.JoinsRows)
    setOfNeighbours(P, View, IsVectorized);
  if (IsVectorized && !P.LaneIndex && outerOf(Op, K).empty())
    P.MinExtent[K] = 4;
}

bool hasUnfilledRegisters(const Plan &P, const Contraction &Op) {
  if (P.LaneIndex &&
      Op.Outer[*P.LaneIndex].constantExtent().value_or(P.MinLanes) < P.MinLanes)
    return true;
  if (!P.Adjacent.Sixteenths)
    return false;
  const Access &Image = Op.Terms.front().A;
  std::optional<uint64_t> Columns = Op.constantExtent(M),
                          Rows = Op.Outer[*P.Bundled[M]].constantExtent();
  if (!Columns || !Rows || !isa<SCEVConstant>(Image.Stride[M]))
    return false;
  const Plan::Filling &Of =
      Image.isUnit(M, Op.getDataLayout()) ? P.Adjacent : P.Apart;
  return SaturatingMultiply(16 * *Columns, *Rows) <
         SaturatingMultiply(Of.Sixteenths * alignTo(*Columns, P.VL),
                            *Rows + Of.Extra);
}

} // namespace tilesmith
