//===- Segments.cpp - plans for steps in segments -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Segments.h"
#include "EngineChoice.h"
#include "tilesmith/Target/DotProduct.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// Takes the first engine that adds up narrow products as they are.
static bool takeDotProducts(Plan &P, const Contraction &Op, const Function &F) {
  for (const NarrowPlan &Way : waysToStayNarrow(Op.ofSegment())) {
    if (Way.FlipsA || Way.Subtracts)
      continue;
    for (const Engine *E : engines()) {
      const DotProducts *Dot = E->asDotProducts();
      auto Found = Dot ? Dot->find(F, Way.Packed) : std::nullopt;
      if (!Found)
        continue;
      P.Engine = E;
      P.Narrow = Way;
      P.VectorBits = std::min(P.VectorBits, Found->widest());
      return true;
    }
  }
  return false;
}

Refused decideSegments(Plan &P, const Contraction &Op,
                       const TargetModel &Target) {
  const Refusal No{Reason::ScaledGroups, Op.store()};
  const DataLayout &DL = Op.getDataLayout();
  const Term &T = Op.Terms.front();
  const Function &F = Target.AttributeSource ? *Target.AttributeSource
                                             : *Op.store()->getFunction();
  bool IsOther = P.Kind != KernelKind::Undecided && !P.isStreamed();
  if (IsOther || !Op.isMatrixVector() || Op.Domain || Op.After ||
      !Op.StartOperands.empty() || !T.A.isUnit(K, DL) || !T.B.isUnit(K, DL) ||
      !Op.Segments->PartTy->isIntegerTy(32))
    return No;
  // Longer registers would have more rows, whose parts take longer to join.
  constexpr unsigned MostBits = 256;
  P.VectorBits = std::min(P.VectorBits, MostBits);
  if (!takeDotProducts(P, Op, F))
    return No;
  // A tile that is asked for without the word is one of matrices.
  if (!P.isStreamed())
    static_cast<Scheme &>(P) = P.breakEven();
  P.Kind = KernelKind::Stream;
  P.VL = P.VectorBits / Op.SumTy->getScalarSizeInBits();
  const unsigned Rows =
      P.VectorBits / Op.Segments->PartTy->getScalarSizeInBits();
  const unsigned Steps = Rows * P.groupSteps();
  if (P.MR && (P.MR != Rows || P.NR != Steps))
    return Refusal{Reason::PlanTile, Op.store()};
  P.MR = Rows;
  P.NR = Steps;
  if (P.VL < 2 || Rows < 4 || Op.constantExtent(K).value_or(Steps) % Steps)
    return No;
  return std::nullopt;
}

void setBreakEvenOfSegments(Plan &P) {
  P.MinExtent[M] = P.MR;
  P.MinExtent[K] = P.NR;
  P.MinWork = 512; // measured on Zen 3, with AVX2 and SSE2
}

} // namespace tilesmith
