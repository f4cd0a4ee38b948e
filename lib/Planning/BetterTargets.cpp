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
  SmallVector<StringRef, 64> Said;
  F.getFnAttribute("target-features").getValueAsString().split(Said, ',');
  return any_of(Level.names(), [&](StringRef Name) {
    return is_contained(Said, ("-" + Name).str());
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
static Function *createLike(Function &F, const CPULevel &Level) {
  Function *Like = Function::Create(
      FunctionType::get(Type::getVoidTy(F.getContext()), false),
      GlobalValue::ExternalLinkage, "tilesmith.level", *F.getParent());
  for (Attribute A : F.getAttributes().getFnAttrs())
    Like->addFnAttr(A);
  std::string Features =
      F.getFnAttribute("target-features").getValueAsString().str();
  auto Add = [&](const Twine &Feature) {
    Features += (Features.empty() ? "" : ",") + Feature.str();
  };
  for (StringRef Name : Level.names())
    Add("+" + Name);
  if (!Level.Without.empty())
    Add("-" + Level.Without);
  Like->addFnAttr("target-features", Features);
  if (!Level.CPU.empty())
    Like->addFnAttr("target-cpu", Level.CPU);
  if (Level.VScale) {
    constexpr unsigned Longest = 16;
    Attribute Range = F.getFnAttribute(Attribute::VScaleRange);
    Like->addFnAttr(Attribute::getWithVScaleRangeArgs(
        F.getContext(), Level.VScale,
        Range.isValid() ? Range.getVScaleRangeMax().value_or(Longest)
                        : Longest));
  }
  return Like;
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
    Function *Like = createLike(F, Level);
    TargetModel Target = TargetModel::of(*Like, FAM, Opts);
    // Features alone say nothing of caches.
    if (Level.CPU.empty())
      Target.Caches = Own.Caches;
    Entries.push_back({Level, Like, std::move(Target)});
  }
}

BetterTargets::~BetterTargets() {
  for (Entry &E : Entries)
    E.Like->eraseFromParent();
}

void BetterTargets::addTo(PlannedNest &Planned, const Options &Opts) const {
  Plan &How = Planned.How;
  if (How.Library)
    return;
  auto Text = [](const Plan &P) {
    std::string Result;
    raw_string_ostream OS(Result);
    P.print(OS);
    return Result;
  };
  std::vector<Plan> Plans{How};
  for (const Entry &E : Entries) {
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
    if (P->Otherwise) {
      auto Other = std::make_shared<Plan>(*P->Otherwise);
      Other->Level = P->Level;
      P->Otherwise = std::move(Other);
    }
    Plans.push_back(*P);
  }
  if (Plans.size() == 1)
    return;
  for (const Plan &P : Plans) {
    How.MinWork = std::min(How.MinWork, P.MinWork);
    How.MinElements = std::min(How.MinElements, P.MinElements);
    for (Dim D : {M, N, K})
      How.MinExtent[D] = std::min(How.MinExtent[D], P.MinExtent[D]);
  }
  How.Dispatched.assign(Plans.rbegin(), Plans.rend());
}

} // namespace tilesmith
