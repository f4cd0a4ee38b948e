//===- ProtectionTrial.cpp - small nests in another shape -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProtectionTrial.h"
#include "ClippedLoop.h"
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
#include "llvm/IR/ValueHandle.h"

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

/// Whether \p Innermost ends a product once \p Shape has changed it, which says
/// whether it did. \p IsWorth says whether a product may be faster.
std::optional<Judgement>
judgeShaped(Loop &Innermost, const Options &Opts,
            LoopStandardAnalysisResults &Results,
            function_ref<bool(Loop &, FunctionAnalysisManager &)> Shape,
            function_ref<bool(Nest &, ScalarEvolution &)> IsWorth) {
  Function &F = *Innermost.getHeader()->getParent();
  if (!FunctionCopy::isPossible(F))
    return std::nullopt;
  FunctionAnalysisManager FAM = analysesOfCopies();
  FunctionCopy Copied(F, FAM);
  Loop &L = Copied.loopOf(Innermost);
  // Of loops that are made anew, the block may remain.
  WeakVH Header(L.getHeader());
  if (!Shape(L, FAM) || !Header)
    return std::nullopt;
  auto &Loops = FAM.getResult<LoopAnalysis>(Copied.get());
  Loop *Shaped = Loops.getLoopFor(cast<BasicBlock>(Header));
  if (!Shaped)
    return std::nullopt;
  ScalarEvolution SE = scalarEvolution(Copied.get(), FAM);
  auto Product = productIn(*Shaped, Copied.get(), SE, FAM);
  if (!Product || !IsWorth(*Product, SE))
    return std::nullopt;
  return judge(*Product, F, Opts, Results);
}

bool isOfMatrices(Nest &Product, ScalarEvolution &) {
  return !Product.Op.isMatrixVector();
}

} // namespace

std::optional<Judgement>
judgeFusedProduct(Loop &Innermost, const Options &Opts,
                  LoopStandardAnalysisResults &Results) {
  if (!findFusedLoop(Innermost))
    return std::nullopt;
  return judgeShaped(
      Innermost, Opts, Results,
      [](Loop &L, FunctionAnalysisManager &FAM) {
        return splitFusedLoop(*findFusedLoop(L), /*Fallback=*/nullptr, FAM);
      },
      isOfMatrices);
}

std::optional<Judgement>
judgeClippedProduct(Loop &Innermost, const Options &Opts,
                    LoopStandardAnalysisResults &Results) {
  bool MayBe = false;
  for (Loop *L = &Innermost; L; L = L->getParentLoop())
    MayBe |= mayBeClipped(*L);
  if (!MayBe)
    return std::nullopt;
  return judgeShaped(
      Innermost, Opts, Results,
      [](Loop &L, FunctionAnalysisManager &FAM) {
        return shapeLoops(outermost(L), *L.getHeader()->getParent(), FAM)
            .AreClipped;
      },
      isOfMatrices);
}

std::optional<Judgement>
judgeZeroVersions(Loop &Innermost, const Options &Opts,
                  LoopStandardAnalysisResults &Results,
                  function_ref<bool(const Nest &, ScalarEvolution &)> IsWorth) {
  if (!mayHaveZeroVersions(Innermost))
    return std::nullopt;
  return judgeShaped(
      Innermost, Opts, Results,
      [](Loop &L, FunctionAnalysisManager &FAM) {
        auto Dropped =
            joinZeroVersions(outermost(L), FAM, Subscripts::BeingWidened);
        return !Dropped.empty() && !Dropped.contains(&L);
      },
      [&](Nest &Product, ScalarEvolution &SE) {
        if (!IsWorth(Product, SE))
          return false;
        Product.Source.IsUnrolledElse = true;
        return true;
      });
}

} // namespace tilesmith
