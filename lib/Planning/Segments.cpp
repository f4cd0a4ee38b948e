//===- Segments.cpp - plans for steps in segments -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Segments.h"
#include "EngineChoice.h"
#include "tilesmith/Target/DotProduct.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The bits of a segment's sum.
constexpr unsigned OfPart = 32;

/// The values of \p V in \p Map, as far as they are known.
static ConstantRange rangeOf(Value *V, const Expression &Map) {
  V = Map.resolve(V);
  unsigned Bits = V->getType()->getScalarSizeInBits();
  if (auto *Number = dyn_cast<ConstantInt>(V))
    return Number->getValue();
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Map.Leaves.contains(V))
    return ConstantRange::getFull(Bits);
  if (isa<SExtInst, ZExtInst, TruncInst>(I))
    return rangeOf(I->getOperand(0), Map)
        .castOp(cast<CastInst>(I)->getOpcode(), Bits);
  if (auto *Both = dyn_cast<BinaryOperator>(I))
    return rangeOf(Both->getOperand(0), Map)
        .binaryOp(Both->getOpcode(), rangeOf(Both->getOperand(1), Map));
  return ConstantRange::getFull(Bits);
}

/// Whether elements of \p Ty hold all values that factors of \p Op have, A's or B's.
static bool holds(const NarrowType &Ty, const Contraction &Op, bool OfA) {
  unsigned Bits = Ty.Ty->getScalarSizeInBits();
  return all_of(Op.Terms, [&](const Term &T) {
    const Expression &Map = OfA ? T.AMap : T.BMap;
    if (!Map.Root->getType()->isIntegerTy())
      return false;
    ConstantRange Range = rangeOf(Map.Root, Map);
    unsigned Wide = Range.getBitWidth();
    if (Wide < Bits)
      return false;
    APInt Least = Ty.IsSigned ? APInt::getSignedMinValue(Bits).sext(Wide)
                              : APInt::getZero(Wide);
    APInt Most = Ty.IsSigned ? APInt::getSignedMaxValue(Bits).sext(Wide)
                             : APInt::getMaxValue(Bits).zext(Wide);
    return Range.getSignedMin().sge(Least) && Range.getSignedMax().sle(Most);
  });
}

/// How the factors of a segment may go by, the best first: as bytes, as bytes of which
/// A's have the sign bit flipped, or as 16 bits.
static SmallVector<NarrowPlan, 4> waysOf(const Contraction &Op) {
  SmallVector<NarrowPlan, 4> Ways;
  int Sign = Op.hasPairings() ? 0 : signOfProducts(Op);
  if (!Sign)
    return Ways;
  LLVMContext &Ctx = Op.SumTy->getContext();
  for (auto [Bits, Flips] : {std::pair(8, false), {8, true}, {16, false}})
    for (bool OfA : {true, false})
      for (bool OfB : {true, false}) {
        NarrowType A{Type::getIntNTy(Ctx, Bits), OfA};
        NarrowType B{Type::getIntNTy(Ctx, Bits), OfB};
        if (!holds(A, Op, /*OfA=*/true) || !holds(B, Op, /*OfA=*/false))
          continue;
        if (Flips)
          A.IsSigned = !A.IsSigned;
        Ways.push_back({{A, B, Op.SumTy}, Flips, Sign < 0});
      }
  return Ways;
}

/// An engine that adds up narrow products, and the bits of its registers.
struct EngineOfWay {
  const Engine *Of = nullptr;
  unsigned Bits = 0;
};

/// The first engine for \p Way.
static EngineOfWay engineOf(const NarrowPlan &Way, const Function &F) {
  for (const Engine *E : engines())
    if (const DotProducts *Dot = E->asDotProducts())
      if (auto Found = Dot->find(F, Way.Packed))
        return {E, Found->widest()};
  return {};
}

/// Takes the longest registers that a segment of \p Op fills, and of these the first
/// way; or the shortest ones.
static bool takeDotProducts(Plan &P, const Contraction &Op, const Function &F) {
  const uint64_t Steps = Op.constantExtent(K).value_or(UINT64_MAX);
  // Longer registers would have more rows, whose parts take longer to join.
  for (unsigned Bits : {256, 128})
    for (const NarrowPlan &Way : waysOf(Op.ofSegment())) {
      EngineOfWay Found = engineOf(Way, F);
      if (!Found.Of || Bits > std::min(P.VectorBits, Found.Bits))
        continue;
      P.Engine = Found.Of;
      P.Narrow = Way;
      if (Bits / OfPart * P.groupSteps() > Steps)
        continue;
      P.VectorBits = Bits;
      return true;
    }
  P.VectorBits = 128;
  return P.Narrow.has_value();
}

/// Whether so few steps are known that clang unrolls them, and registers have no more
/// rows or are not filled. (Measured on Zen 5: .96 to .99 with eight steps, AVX2 and SSE2,
/// .95 to 1.08 with 11, 12 and 20, SSE2.)
static bool isUnrolledAsFast(const Plan &P, const Contraction &Op,
                             const TargetModel &Target) {
  std::optional<uint64_t> Steps = Op.constantExtent(K);
  if (!Steps)
    return false;
  const bool HasFewRegisters = Target.VectorRegisters <= 16;
  const bool AreShort = HasFewRegisters && Target.VectorBits <= 128;
  return *Steps < Plan::LeastStepsOfSegment + HasFewRegisters ||
         (AreShort && *Steps < 3 * P.NR && *Steps % P.NR);
}

Refused decideSegments(Plan &P, const Contraction &Op,
                       const TargetModel &Target) {
  const Refusal No{Reason::ScaledGroups, Op.store()};
  const DataLayout &DL = Op.getDataLayout();
  const Function &F = Target.AttributeSource ? *Target.AttributeSource
                                             : *Op.store()->getFunction();
  bool IsOther = P.Kind != KernelKind::Undecided && !P.isStreamed();
  bool AreAdjacent = all_of(Op.Terms, [&](const Term &T) {
    return T.A.isUnit(K, DL) && T.B.isUnit(K, DL);
  });
  if (IsOther || !Op.isMatrixVector() || Op.Domain || !AreAdjacent ||
      !Op.Segments->PartTy->isIntegerTy(OfPart))
    return No;
  if (!takeDotProducts(P, Op, F))
    return No;
  // A tile that is asked for without the word is one of matrices.
  if (!P.isStreamed())
    static_cast<Scheme &>(P) = P.breakEven();
  P.Kind = KernelKind::Stream;
  P.VL = P.VectorBits / Op.SumTy->getScalarSizeInBits();
  const unsigned Rows = P.VectorBits / OfPart, Steps = Rows * P.groupSteps();
  if (P.MR && (P.MR != Rows || P.NR != Steps))
    return Refusal{Reason::PlanTile, Op.store()};
  P.MR = Rows;
  P.NR = Steps;
  if (P.VL < 2 || isUnrolledAsFast(P, Op, Target))
    return No;
  return std::nullopt;
}

// The text of Reason::ScaledGroups says so.
static_assert(Plan::LeastStepsOfSegment == 8);

void setBreakEvenOfSegments(Plan &P) {
  P.MinExtent[M] = P.MR;
  P.MinExtent[K] = Plan::LeastStepsOfSegment;
  P.MinWork = 512; // measured on Zen 3, with AVX2 and SSE2
}

} // namespace tilesmith
