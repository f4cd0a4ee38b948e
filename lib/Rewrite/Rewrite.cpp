//===- Rewrite.cpp - the Rewrite room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   preheader:                  preheader:
//     br nest                     br large enough, size, nest
//                               size:
//                                 br extents fit, check, nest
//                               check:
//                        =>       br safe, fast, nest
//                               fast:
//                                 done = kernel(...)
//                                 br done, exit, nest
//   nest:                       nest:
//     ... br exit                 ... br exit
//
// If the nest does something besides the product, copies of it do that: behind
// the kernel, fast goes on to one without the product instead of exit; or check
// leads there first, and a kernel that fails is followed by another copy, with
// only the product.
//
// If the program is to compare, fast restores C and goes on to the nest, too.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Rewrite/Rewrite.h"
#include "FastPathBuilder.h"
#include "Guard.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BuildLibCalls.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

const char FallbackMark[] = "tilesmith.fallback";

bool isMarkedAsFallback(const Loop &L) {
  return findOptionMDForLoop(&L, FallbackMark) != nullptr;
}

bool hasMalloc(const Module &Mod, const TargetLibraryInfo &TLI) {
  const Triple &Target = Mod.getTargetTriple();
  bool HasSystem = Target.getOSName() != "none" &&
                   !(Target.isWasm() && Target.getOS() == Triple::UnknownOS);
  const Function *Own = Mod.getFunction("malloc");
  return (HasSystem || (Own && !Own->use_empty())) &&
         isLibFuncEmittable(&Mod, &TLI, LibFunc_malloc) &&
         isLibFuncEmittable(&Mod, &TLI, LibFunc_free);
}

std::optional<Refusal> refuseRewrite(const PlannedNest &Planned,
                                     const NestAnalyses &Analyses,
                                     const TargetLibraryInfo &TLI) {
  const Nest &View = Planned.View;
  const Plan &ThePlan = Planned.ThePlan;
  if ((ThePlan.mayAllocate(View) || View.Op.isCopied()) &&
      !hasMalloc(*View.Op.store()->getModule(), TLI))
    return Refusal{Reason::NoMalloc, View.Op.store()};
  if (!canBuildGuard(View, Analyses.SE))
    return Refusal{Reason::NotAffine, View.Op.store()};
  if (!mayBeLargeEnough(View, ThePlan, Analyses.SE))
    return Refusal{Reason::TooSmall, View.Op.store()};
  return std::nullopt;
}

std::variant<FastPath, Refusal> rewrite(const PlannedNest &Planned,
                                        const NestAnalyses &Analyses,
                                        const TargetLibraryInfo &TLI) {
  if (std::optional<Refusal> No = refuseRewrite(Planned, Analyses, TLI))
    return *No;
  NestEnds Ends = shapeNest(Planned.View.Source, Analyses);
  return FastPathBuilder(Planned, Analyses, TLI, Ends).run();
}

} // namespace tilesmith
