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

/// The addition of a product of two elements to a running sum of \p L, in the order of
/// the loop; null if there is none.
static const Instruction *additionOf(const Loop &L) {
  for (PHINode &Phi : L.getHeader()->phis()) {
    auto *Next =
        dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    Value *X, *Y;
    if (Phi.getType()->isFloatingPointTy() && Next && L.contains(Next) &&
        !Next->hasAllowReassoc() &&
        match(
            Next,
            m_CombineOr(
                m_c_FAdd(m_Specific(&Phi), m_FMul(m_Value(X), m_Value(Y))),
                m_CombineOr(m_Intrinsic<Intrinsic::fmuladd>(
                                m_Value(X), m_Value(Y), m_Specific(&Phi)),
                            m_Intrinsic<Intrinsic::fma>(m_Value(X), m_Value(Y),
                                                        m_Specific(&Phi))))) &&
        isElement(X, L) && isElement(Y, L))
      return Next;
  }
  return nullptr;
}

void tellLoneSums(Function &F, FunctionAnalysisManager &FAM, RemarkLog &Log) {
  OptimizationRemarkEmitter ORE(&F);
  if (!ORE.enabled())
    return;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F)) {
    // A hint permits any order ('#pragma omp simd reduction').
    if (!L->isInnermost() || !L->getLoopLatch() || isInFallback(*L) ||
        getBooleanLoopAttribute(L, "llvm.loop.vectorize.enable"))
      continue;
    const Instruction *Added = additionOf(*L);
    if (!Added)
      continue;
    unsigned Steps =
        FAM.getResult<ScalarEvolutionAnalysis>(F).getSmallConstantTripCount(L);
    if (!Steps || Steps >= FewSteps)
      remarkProductMissed(*L, WhyNot::of({Reason::LoneSum, Added}), Log, ORE,
                          "scalar product not replaced: ");
  }
}

} // namespace tilesmith
