//===- EngineChoice.cpp - which engine multiplies -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EngineChoice.h"
#include "Gathering.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace tilesmith {

bool fusesMultiplyAdd(const Contraction &Op, const TargetModel &Target) {
  return Target.HasFMA && Op.SumTy->isFloatingPointTy() && Op.isFusedChain();
}

static EngineRequest requestOf(const Contraction &View,
                               const TargetModel &Target) {
  EngineRequest Request{Target.AttributeSource ? *Target.AttributeSource
                                               : *View.store()->getFunction(),
                        View.SumTy};
  Request.Flags.set();
  for (const Term &T : View.Terms)
    Request.Flags &= isa<FPMathOperator>(T.Product)
                         ? T.Product->getFastMathFlags()
                         : FastMathFlags();
  Request.Terms = View.Terms.size();
  Request.AreProducts = !View.hasPairings();
  Request.AreFused = fusesMultiplyAdd(View, Target);
  auto *Zero = dyn_cast<Constant>(View.Start.Root);
  Request.KeepsSums =
      View.storesSum() && !View.isInPlace() &&
      (View.Start.isLeaf(Leaf::C) || (Zero && Zero->isNullValue())) &&
      !(View.Domain && !View.Domain->isOfC());
  Request.VectorBits = Target.VectorBits;
  Request.Rows = View.constantExtent(M).value_or(UINT64_MAX);
  Request.Columns = View.constantExtent(N).value_or(UINT64_MAX);
  Request.Steps = View.constantExtent(K).value_or(UINT64_MAX);
  return Request;
}

/// Whether \p P leaves open what squares need, and they would not be mostly
/// empty. Windows are gathered for dot products: of short rows of them, few squares
/// are filled. (Bytes, 64 channels, 3 x 3 windows: .68 of the speed; of 3: .01.)
static bool suitsSquares(const Engine &E, const Plan &P,
                         const Contraction &View, const EngineRequest &Of) {
  const bool MayGather =
      P.Requested.Kind == KernelKind::Undecided && gatheringOf(View);
  return !MayGather && P.Edge != EdgeKind::Mask &&
         (!P.MR || E.holds({P.MR, P.NR}, {})) && Of.Rows >= E.PanelEdge &&
         Of.Columns >= E.PanelEdge && Of.Steps >= E.steps(Of);
}

/// Whether what is gathered in \p View, if it must be, can be packed for \p E.
static bool suitsGathering(const Engine &E, const Plan &P,
                           const Contraction &View, const EngineRequest &Of) {
  if (!Of.Narrow || !E.GroupBits || !(View.borderedFactor() || P.isGathered()))
    return true;
  return E.asDotProducts() && mayGatherGroups(View, E.steps(Of));
}

/// Whether \p E suits, and does what the scheme says of groups.
static bool suits(const Engine &E, const Plan &P, const Contraction &View,
                  const EngineRequest &Of) {
  if (!E.suits(Of) || (!Of.AreProducts && &E != &getVectorRegisters()) ||
      !suitsGathering(E, P, View, Of))
    return false;
  if (P.Group)
    return P.Group == E.steps(Of);
  return E.PanelEdge == 1 || suitsSquares(E, P, View, Of);
}

Refused chooseEngine(Plan &P, const Contraction &View,
                     const TargetModel &Target) {
  EngineRequest Wide = requestOf(View, Target);
  Wide.MayPack = !P.isSmall() && (!P.PackB || P.PackB->isAlways());
  P.Narrow.reset();
  SmallVector<std::optional<NarrowPlan>, 4> Ways;
  if (!P.isSmall() && P.Group != 1)
    append_range(Ways, waysToStayNarrow(View));
  if (P.Group <= 1)
    Ways.push_back(std::nullopt);
  for (const std::optional<NarrowPlan> &Way : Ways) {
    EngineRequest Request = Wide;
    if (Way) {
      Request.Narrow = Way->Packed;
      Request.FlipsA = Way->FlipsA;
    }
    auto Found = find_if(engines(), [&](const Engine *E) {
      return suits(*E, P, View, Request);
    });
    if (Found == engines().end())
      continue;
    P.Engine = *Found;
    P.VectorBits = P.Engine->registerBits(Request);
    P.VL = P.VectorBits / View.SumTy->getScalarSizeInBits();
    if (Way && P.Engine->GroupBits) {
      P.Narrow = Way;
      P.Narrow->Packed = Request.inGroups(P.Engine->GroupBits);
      P.Group = P.Engine->steps(Request);
    }
    return std::nullopt;
  }
  return Refusal{Reason::PlanGroup, View.store()};
}

} // namespace tilesmith
