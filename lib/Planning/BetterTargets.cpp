//===- BetterTargets.cpp - plans for better CPUs --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/BetterTargets.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// Whether the user has said that \p F must not use something of \p Level.
static bool isForbidden(const Function &F, const CPULevel &Level) {
  SmallVector<StringRef, 64> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  return any_of(Level.names(), [&](StringRef Name) {
    return is_contained(Features, ("-" + Name).str());
  });
}

/// Whether the vectors of \p Level are longer than those of all CPUs that \p F
/// is for, and some may have them. \p Tuned: those of the CPU that it is
/// compiled for, if that is known.
static bool mayBeLonger(const Function &F, const CPULevel &Level,
                        std::optional<unsigned> Tuned) {
  if (!Level.VScale)
    return false;
  unsigned Least = 1, Most = ~0u;
  if (Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
      Range.isValid()) {
    Least = Range.getVScaleRangeMin();
    Most = Range.getVScaleRangeMax().value_or(Most);
  }
  StringRef CPU = F.getFnAttribute("target-cpu").getValueAsString();
  bool IsNamed = !CPU.empty() && CPU != "generic";
  return Least < Level.VScale && Level.VScale <= Most &&
         (!IsNamed || !Tuned || *Tuned == Level.VScale);
}

/// A declaration with the attributes of \p F, at \p Level.
static Function *createAttributeSource(Function &F, const CPULevel &Level) {
  Function *AttributeSource = Function::Create(
      FunctionType::get(Type::getVoidTy(F.getContext()), false),
      GlobalValue::ExternalLinkage, "tilesmith.level", *F.getParent());
  for (Attribute A : F.getAttributes().getFnAttrs())
    AttributeSource->addFnAttr(A);
  std::string Features =
      F.getFnAttribute("target-features").getValueAsString().str();
  auto Add = [&](const Twine &Feature) {
    Features += (Features.empty() ? "" : ",") + Feature.str();
  };
  for (StringRef Name : Level.names())
    Add("+" + Name);
  if (!Level.ForbiddenFeature.empty())
    Add("-" + Level.ForbiddenFeature);
  AttributeSource->addFnAttr("target-features", Features);
  if (!Level.CPU.empty())
    AttributeSource->addFnAttr("target-cpu", Level.CPU);
  if (Level.VScale) {
    constexpr unsigned Longest = 16;
    Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
    AttributeSource->addFnAttr(Attribute::getWithVScaleRangeArgs(
        F.getContext(), Level.VScale,
        Range.isValid() ? Range.getVScaleRangeMax().value_or(Longest)
                        : Longest));
  }
  return AttributeSource;
}

BetterTargets::BetterTargets(Function &F, const TargetModel &Own,
                             FunctionAnalysisManager &FAM,
                             const Options &Opts) {
  auto Tuned = FAM.getResult<TargetIRAnalysis>(F).getVScaleForTuning();
  for (const CPULevel &Level : cpuLevels()) {
    if (!Level.isOf(F.getParent()->getTargetTriple()) ||
        isForbidden(F, Level) || (Level.VScale && isStreaming(F)))
      continue;
    if (Level.isPartOf(F) ? !mayBeLonger(F, Level, Tuned)
                          : Opts.Dispatch == Dispatch::None)
      continue;
    Function *AttributeSource = createAttributeSource(F, Level);
    TargetModel Target = TargetModel::of(*AttributeSource, FAM, Opts);
    // Features alone say nothing of caches.
    if (Level.CPU.empty())
      Target.Caches = Own.Caches;
    Entries.push_back({Level, AttributeSource, std::move(Target)});
  }
}

BetterTargets::~BetterTargets() {
  for (Entry &E : Entries)
    E.AttributeSource->eraseFromParent();
}

/// Whether \p E makes a product, and an addition, which might be fused.
static bool mayFuse(const Expression &E) {
  auto Has = [&](std::initializer_list<unsigned> Opcodes) {
    return E.contains([&](const Instruction &I) {
      return is_contained(Opcodes, I.getOpcode()) && I.hasAllowContract();
    });
  };
  return Has({Instruction::FMul}) &&
         Has({Instruction::FAdd, Instruction::FSub});
}

/// Whether there are products besides that of A and B, or several of these, of which
/// some might be fused with additions.
static bool mayFuseSome(const Contraction &Op) {
  auto *Sum = dyn_cast<FPMathOperator>(Op.Update.Root);
  return (Op.Terms.size() > 1 && Sum && Sum->hasAllowContract()) ||
         any_of(Op.expressions(),
                [](const Expression *E) { return mayFuse(*E); });
}

void BetterTargets::addTo(PlannedNest &Planned, const Options &Opts) const {
  Plan &ThePlan = Planned.ThePlan;
  if (ThePlan.Library)
    return;
  auto Text = [](const Plan &P) {
    std::string Result;
    raw_string_ostream OS(Result);
    P.print(OS);
    return Result;
  };
  std::vector<Plan> Plans{ThePlan};
  const Contraction &Op = Planned.View.Op;
  for (const Entry &E : Entries) {
    // Which ones is left open by better CPUs only.
    if (mayFuseSome(Op) && mayFuseProducts(*E.AttributeSource) &&
        !mayFuseProducts(*Op.store()->getFunction()))
      continue;
    auto Better = planAgain(Planned, E.Target, Opts);
    auto *P = std::get_if<Plan>(&Better);
    // What a lower level does as well is left to that. Longer vectors make no
    // difference to an engine with registers of its own.
    if (!P || any_of(Plans, [&](const Plan &X) {
          return (!X.Level || includes(E.Level, *X.Level)) &&
                 ((X.Engine == P->Engine && !X.Engine->HasEdgeTiles) ||
                  Text(X) == Text(*P));
        }))
      continue;
    P->Level = &E.Level;
    if (P->Fallback) {
      auto Other = std::make_shared<Plan>(*P->Fallback);
      Other->Level = P->Level;
      P->Fallback = std::move(Other);
    }
    Plans.push_back(*P);
  }
  if (Plans.size() == 1)
    return;
  for (const Plan &P : Plans) {
    ThePlan.MinWork = std::min(ThePlan.MinWork, P.MinWork);
    ThePlan.MinElements = std::min(ThePlan.MinElements, P.MinElements);
    ThePlan.MinApart = std::min(ThePlan.MinApart, P.MinApart);
    if (P.Adjacent.Sixteenths < ThePlan.Adjacent.Sixteenths) {
      ThePlan.Adjacent = P.Adjacent;
      ThePlan.Apart = P.Apart;
    }
    for (Dim D : {M, N, K})
      ThePlan.MinExtent[D] = std::min(ThePlan.MinExtent[D], P.MinExtent[D]);
  }
  ThePlan.Dispatched.assign(Plans.rbegin(), Plans.rend());
}

} // namespace tilesmith
