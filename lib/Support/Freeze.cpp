//===- Freeze.cpp - frozen values in expressions --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Freeze.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

const SCEV *beforeFreeze(const FreezeInst &Freeze, ScalarEvolution &SE,
                         const DominatorTree &DT) {
  const SCEV *S = SE.getSCEV(Freeze.getOperand(0));
  bool MayBePoison = SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    return Unknown && !isGuaranteedNotToBePoison(Unknown->getValue(),
                                                 /*AC=*/nullptr, &Freeze, &DT);
  });
  return MayBePoison ? nullptr : S;
}

const SCEV *replaceFreezes(const SCEV *S, const Loop &Root, ScalarEvolution &SE,
                           function_ref<const SCEV *(const FreezeInst &)> Of) {
  ValueToSCEVMapTy Map;
  SCEVExprContains(S, [&](const SCEV *Part) {
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *Freeze =
        Unknown ? dyn_cast<FreezeInst>(Unknown->getValue()) : nullptr;
    if (Freeze && Root.contains(Freeze))
      if (const SCEV *Other = Of(*Freeze))
        Map[Freeze] = Other;
    return false;
  });
  return Map.empty() ? S : SCEVParameterRewriter::rewrite(S, SE, Map);
}

} // namespace tilesmith
