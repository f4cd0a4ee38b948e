//===- ProtectionTrial.cpp - small nests in another shape -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProtectionTrial.h"
#include "FunctionCopy.h"
#include "LoopShape.h"
#include "SplitCounter.h"
#include "UnrollTrial.h"
#include "ZeroVersions.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

bool fusionIsUpToUnrolling(const Contraction &Op) {
  return any_of(Op.Terms,
                [](const Term &T) { return isContractable(*T.Product); });
}

namespace {

/// What the loop \p L of the copy \p Copy ends.
std::optional<Nest> productIn(Loop &L, Function &Copy, ScalarEvolution &SE,
                              FunctionAnalysisManager &FAM) {
  auto Found =
      recognize(L, {FAM.getResult<DominatorTreeAnalysis>(Copy),
                    FAM.getResult<LoopAnalysis>(Copy), SE, /*AA=*/nullptr,
                    /*LinksLater=*/false, /*HoistsLater=*/false,
                    /*Explain=*/false});
  if (auto *Product = std::get_if<Nest>(&Found))
    return std::move(*Product);
  return std::nullopt;
}

Judgement judge(const Nest &Product, Function &F, const Options &Opts,
                LoopStandardAnalysisResults &Results) {
  const unsigned NumLoops = Product.Source.Loops.size();
  if (fusionIsUpToUnrolling(Product.Op))
    return {NumLoops, Refusal{Reason::MixedFusion}};
  auto Planned = makePlan(Product, TargetModel::of(F, Results.TTI, Opts), Opts);
  // What stands in the way stands in the copy.
  if (auto *No = std::get_if<Refusal>(&Planned))
    return {NumLoops, Refusal{No->Why}};
  return {NumLoops, std::nullopt};
}

} // namespace

std::optional<Judgement>
judgeFusedProduct(Loop &Innermost, const Options &Opts,
                  LoopStandardAnalysisResults &Results) {
  Function &F = *Innermost.getHeader()->getParent();
  if (!findFusedLoop(Innermost) || !FunctionCopy::isPossible(F))
    return std::nullopt;
  FunctionAnalysisManager FAM = analysesOfCopies();
  FunctionCopy Copied(F, FAM);
  Loop &L = Copied.loopOf(Innermost);
  if (!splitFusedLoop(*findFusedLoop(L), /*Fallback=*/nullptr, FAM))
    return std::nullopt;
  ScalarEvolution SE = scalarEvolution(Copied.get(), FAM);
  auto Product = productIn(L, Copied.get(), SE, FAM);
  if (!Product || Product->Op.isMatrixVector())
    return std::nullopt;
  return judge(*Product, F, Opts, Results);
}

std::optional<Judgement>
judgeZeroVersions(Loop &Innermost, const Options &Opts,
                  LoopStandardAnalysisResults &Results,
                  function_ref<bool(const Nest &, ScalarEvolution &)> IsWorth) {
  Function &F = *Innermost.getHeader()->getParent();
  if (!mayHaveZeroVersions(Innermost) || !FunctionCopy::isPossible(F))
    return std::nullopt;
  FunctionAnalysisManager FAM = analysesOfCopies();
  FunctionCopy Copied(F, FAM);
  Loop &L = Copied.loopOf(Innermost);
  auto Dropped = joinZeroVersions(outermost(L), FAM, Subscripts::BeingWidened);
  if (Dropped.empty() || Dropped.contains(&L))
    return std::nullopt;
  ScalarEvolution SE = scalarEvolution(Copied.get(), FAM);
  auto Product = productIn(L, Copied.get(), SE, FAM);
  if (!Product || !IsWorth(*Product, SE))
    return std::nullopt;
  Product->Source.IsUnrolledElse = true;
  return judge(*Product, F, Opts, Results);
}

} // namespace tilesmith
