//===- PhasedNests.cpp - nests by the remainders of their counters --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasedNests.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

/// Makes what may phase a nest.
using MakerTy = decltype(scatteredPhases) *;

/// Calls \p Fn with the nest that ends in \p Inner, if it can be phased.
static void ifPhased(MakerTy Make, Loop &Inner, FunctionAnalysisManager &FAM,
                     function_ref<void(PhasedNest &)> Fn) {
  Function &F = *Inner.getHeader()->getParent();
  ScalarEvolution SE = scalarEvolution(F, FAM);
  std::unique_ptr<PhasedNest> Phased =
      Make(Inner, FAM.getResult<AAManager>(F), FAM.getResult<LoopAnalysis>(F),
           FAM.getResult<DominatorTreeAnalysis>(F), SE);
  if (Phased->prepare())
    Fn(*Phased);
}

/// Whether it will be of use, which a copy of the function tells.
static bool isOfUse(MakerTy Make, Loop &Inner, FunctionAnalysisManager &FAM,
                    Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Function &Copy = Copied.get();
  bool IsOfUse = false;
  ifPhased(Make, Copied.loopOf(Inner), FAM, [&](PhasedNest &Phased) {
    BasicBlock *Header =
        Phased.run(/*IsProduct=*/false, /*OfAnySize=*/true).Sums;
    Loop *Sums = FAM.getResult<LoopAnalysis>(Copy).getLoopFor(Header);
    WhyNots Ignored;
    IsOfUse = std::holds_alternative<FoundProduct>(Ask(Copy, Sums).front()) ||
              !copyIntoShape(Copy, FAM, Sums, Ask, Ignored).empty();
  });
  return IsOfUse;
}

/// Whether the nest is a product as it stands, or in another shape: where taps are
/// few, it is no scatter.
static bool isProduct(Loop &Inner, FunctionAnalysisManager &FAM, Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Loop *Copy = &Copied.loopOf(Inner);
  WhyNots Ignored;
  return std::holds_alternative<FoundProduct>(
             Ask(Copied.get(), Copy).front()) ||
         !copyIntoShape(Copied.get(), FAM, Copy, Ask, Ignored).empty();
}

SmallVector<BasicBlock *, 2> phaseNests(Function &F,
                                        FunctionAnalysisManager &FAM,
                                        const Options &Opts, Judge Ask) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  struct Phaseable {
    MakerTy Make;
    BasicBlock *Header;
    bool IsProduct;
  };
  SmallVector<Phaseable, 2> Found;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!L->isInnermost() || L->getLoopDepth() < MinChainLength ||
        isInFallback(*L) || !FunctionCopy::isPossible(F))
      continue;
    SmallVector<MakerTy, 2> Makers;
    if (looksLikeProduct(*L))
      Makers.push_back(&scatteredPhases);
    if (mayGather(*L))
      Makers.push_back(&gatheredPhases);
    for (MakerTy Make : Makers) {
      bool MayBePhased = false;
      ifPhased(Make, *L, FAM, [&](PhasedNest &) { MayBePhased = true; });
      if (!MayBePhased || !isOfUse(Make, *L, FAM, Ask))
        continue;
      Found.push_back({Make, L->getHeader(), isProduct(*L, FAM, Ask)});
      break;
    }
  }
  SmallVector<BasicBlock *, 2> Made;
  for (const Phaseable &Of : Found)
    ifPhased(Of.Make, *LI.getLoopFor(Of.Header), FAM, [&](PhasedNest &Phased) {
      Made.push_back(Phased.run(Of.IsProduct, Opts.MinWork != 0).First);
    });
  return Made;
}

} // namespace tilesmith
