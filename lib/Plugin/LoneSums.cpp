//===- LoneSums.cpp - scalar products -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoneSums.h"
#include "Driver.h"
#include "Remarks.h"
#include "tilesmith/Idiom/Likeness.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p V is an element that \p L loads, another one in each iteration.
static bool isElement(Value *V, const Loop &L) {
  match(V, m_FPExt(m_Value(V)));
  auto *Load = dyn_cast<LoadInst>(V);
  return Load && L.contains(Load) &&
         !L.isLoopInvariant(Load->getPointerOperand());
}

/// Matches the product of \p X and \p Y, with either sign, that is added to \p Sum, or
/// subtracted from it.
static bool matchStep(Value *Next, Value *Sum, Value *&X, Value *&Y) {
  auto Product = m_FMul(m_Value(X), m_Value(Y));
  if (match(Next, m_CombineOr(m_c_FAdd(m_Specific(Sum), Product),
                              m_FSub(m_Specific(Sum), Product))) ||
      match(Next, m_CombineOr(m_Intrinsic<Intrinsic::fmuladd>(
                                  m_Value(X), m_Value(Y), m_Specific(Sum)),
                              m_Intrinsic<Intrinsic::fma>(
                                  m_Value(X), m_Value(Y), m_Specific(Sum))))) {
    match(X, m_FNeg(m_Value(X)));
    match(Y, m_FNeg(m_Value(Y)));
    return true;
  }
  return false;
}

/// The addition of a product of two elements to a running sum of \p L, in the order of
/// the loop; null if there is none.
static const Instruction *additionOf(const Loop &L) {
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Next =
        dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    Value *X, *Y;
    if (Phi.getType()->isFloatingPointTy() && Next && L.contains(Next) &&
        !Next->hasAllowReassoc() && matchStep(Next, &Phi, X, Y) &&
        isElement(X, L) && isElement(Y, L))
      return Next;
  }
  return nullptr;
}

void tellLoneSums(const LoopInfo &LI, ScalarEvolution &SE, RemarkLog &Log,
                  OptimizationRemarkEmitter &ORE) {
  for (const Loop *L : LI) {
    // A hint permits any order ('#pragma omp simd reduction').
    if (!L->isInnermost() || !L->getLoopLatch() || isInFallback(*L) ||
        getBooleanLoopAttribute(L, "llvm.loop.vectorize.enable"))
      continue;
    const Instruction *Added = additionOf(*L);
    if (!Added)
      continue;
    unsigned Steps = SE.getSmallConstantTripCount(L);
    if (!Steps || Steps >= FewSteps)
      remarkProductMissed(*L, WhyNot::of({Reason::LoneSum, Added}), Log, ORE,
                          "scalar product not replaced: ");
  }
}

} // namespace tilesmith
