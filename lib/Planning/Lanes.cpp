//===- Lanes.cpp - plans with a batch in lanes ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "tilesmith/Target/KernelFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

std::optional<unsigned> laneIndexOf(const Contraction &Op,
                                    const TargetModel &Target) {
  bool IsPlain =
      !Op.Domain && !Op.isInPlace() && !Op.After && !Op.borderedFactor() &&
      (Op.storesSum() ||
       none_of(Op.Outer, [](const Index &D) { return D.Bundle == K; })) &&
      none_of(Op.accesses(), [](const Access *X) {
        return X->isSearched() || X->IsSymmetric;
      });
  std::optional<unsigned> Batch = Op.adjacentBatch();
  if (!IsPlain || !Batch)
    return std::nullopt;
  uint64_t Lanes = Target.VectorBits / Op.SumTy->getScalarSizeInBits();
  uint64_t Extent = Op.Outer[*Batch].constantExtent().value_or(Lanes);
  return Extent < Lanes ? std::nullopt : Batch;
}

Refused decideLanes(Plan &P, const Contraction &View,
                    const TargetModel &Target) {
  if (!P.LaneIndex)
    return Refusal{Reason::PlanNoLanes, View.store()};
  if (!P.MR)
    std::tie(P.MR, P.NR) = chooseLaneTile(Target.VectorRegisters, P.Needs);
  else if (registersOfTile(P.MR, P.NR, P.Needs) > Target.VectorRegisters)
    return Refusal{Reason::PlanRegisters, View.store()};
  constexpr uint64_t Steps = 128;
  uint64_t BytesOfStep = P.VectorBits / 8 * View.Terms.size();
  if (!P.KC)
    P.KC = Steps;
  uint64_t Rows = Target.Caches.L2 / 4 / (P.KC * BytesOfStep);
  if (!P.MC)
    P.MC = std::max<uint64_t>(alignDown(Rows, P.MR), P.MR);
  if (!P.NC)
    P.NC = alignDown(512, P.NR);
  // A copy is made as fast as few tiles read a factor.
  constexpr unsigned FewTiles = 2;
  uint64_t Span = Target.Caches.L2 / 4 * 3;
  if (!P.PackA)
    P.PackA = {FewTiles * P.NR, Span};
  if (!P.PackB)
    P.PackB = {FewTiles * P.MR, Span};
  return std::nullopt;
}

} // namespace tilesmith
