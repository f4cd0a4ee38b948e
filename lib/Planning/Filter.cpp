//===- Filter.cpp - plans for filters -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Filter.h"
#include "tilesmith/Idiom/Windows.h"
#include "llvm/ADT/STLExtras.h"
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

Refused decideFilter(Plan &P, const Contraction &Op,
                     const TargetModel &Target) {
  bool IsPlain = isFilter(Op) && !Op.Domain && !Op.hasRowTables() &&
                 !Op.isInPlace() && none_of(Op.accesses(), [](const Access *X) {
                   return X->isSearched() || X->IsSymmetric;
                 });
  if (!IsPlain)
    return Refusal{Reason::PlanNoFilter, Op.store()};
  // Lane by lane, steps at a border take as long as clang's.
  if (Op.borderedFactor() && !hasMasks(P, Op))
    return Refusal{Reason::Branch, Op.store()};
  // A tile that is asked for without the word is one of matrices.
  if (P.Kind == KernelKind::Undecided)
    static_cast<Scheme &>(P) = P.breakEven();
  P.Kind = KernelKind::Filter;
  P.LaneIndex = batchInLanes(Op);
  P.Bundled = {};
  if (!P.LaneIndex)
    P.Bundled[M] = nearestRows(Op);
  bool HasRows = P.LaneIndex || P.Bundled[M];
  if (P.MR)
    return P.MR % P.VL || !isPowerOf2_32(P.MR / P.VL) || (!HasRows && P.NR > 1)
               ? Refused(Refusal{Reason::PlanTile, Op.store()})
               : std::nullopt;
  // As many chains of additions as hide how long an addition takes.
  constexpr unsigned Chains = 8, VectorsOfRow = 2;
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

void setBreakEvenOfFilter(Plan &P, const Nest &View) {
  // Measured on Sapphire Rapids, with AVX-512 and AVX2. If the source sums tap
  // by tap, clang makes vectors of neighbours, and loads and stores sums.
  const Contraction &Op = View.Op;
  bool IsVectorized = !View.Source.SumsInnermost || Op.SumTy->isIntegerTy();
  P.MinWork = IsVectorized ? 128 : 64;
  if (P.LaneIndex)
    P.MinJoined[M] = hasMasks(P, Op) ? 2 : P.VL;
  else
    P.MinExtent[M] = hasMasks(P, Op) ? 4 : P.VL;
  if (IsVectorized && !P.LaneIndex && outerOf(Op, K).empty())
    P.MinExtent[K] = 4;
}

} // namespace tilesmith
