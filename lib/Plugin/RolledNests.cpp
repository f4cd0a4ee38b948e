//===- RolledNests.cpp - products whose loop over k is unrolled -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RolledNests.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "UnrolledSum.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Planning/TargetModel.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace tilesmith {

/// Whether a product of so many steps may be faster than clang's own code,
/// which keeps elements of C in registers, but loads the factors for each of
/// them. The wider the vectors, the more there is to gain: measured, products
/// of 6, 12 and 24 steps break even with 512, 256 and 128 bits.
static bool isWorthRolling(const UnrolledSum &Sum, Function &F,
                           FunctionAnalysisManager &FAM, const Options &Opts) {
  constexpr unsigned BitsOfSteps = 3072;
  return Sum.length() * TargetModel::of(F, FAM, Opts).VectorBits >= BitsOfSteps;
}

/// What stands in the way of making a loop of \p Sum.
static std::optional<Reason> obstacleTo(const UnrolledSum &Sum, Function &F,
                                        FunctionAnalysisManager &FAM,
                                        const Options &Opts) {
  if (Sum.isContractable())
    return Reason::MixedFusion;
  if (!Sum.mayMove(FAM))
    return Reason::UnrolledSum;
  if (Opts.MinWork == 0 && !isWorthRolling(Sum, F, FAM, Opts))
    return Reason::TooSmall;
  return std::nullopt;
}

/// Why a sum is left as it is: because of what stands in the way of a loop, unless
/// the loop would be no product either.
static Refusal reasonOf(const Refusal *No, std::optional<Reason> Obstacle) {
  if (!Obstacle || (No && No->Why == Reason::NotProduct))
    return *No;
  return Refusal{*Obstacle};
}

namespace {

/// A nest that is a product of so many loops once the sum is rolled that \p
/// Innermost ends in.
struct NestToRoll {
  Loop *Innermost;
  unsigned Length;
};

/// Rolls sums in a copy of the function.
class RollTrial {
public:
  RollTrial(Function &F, FunctionAnalysisManager &FAM, const Options &Opts)
      : FAM(FAM), Opts(Opts), Copied(F, FAM), Copy(Copied.get()),
        LI(FAM.getResult<LoopAnalysis>(Copy)) {}

  SmallVector<NestToRoll, 2> run(ArrayRef<Loop *> Innermost, Judge Ask,
                                 WhyNots *Why) {
    SmallVector<Loop *, 4> Sources, Rolled;
    SmallVector<std::optional<Reason>, 4> Obstacles;
    for (Loop *L : Innermost)
      if (auto Made = roll(Copied.loopOf(*L))) {
        Sources.push_back(L);
        Rolled.push_back(Made->first);
        Obstacles.push_back(Made->second);
      }
    SmallVector<NestToRoll, 2> Found;
    for (const auto &[L, R, Obstacle, Is] :
         zip_equal(Sources, Rolled, Obstacles, Ask(Copy, Rolled))) {
      auto *No = std::get_if<Refusal>(&Is);
      if (!No && !Obstacle)
        Found.push_back({L, std::get<FoundProduct>(Is).NumLoops});
      else if (Why && (!No || Likeness::of(*R).isLikely()))
        Why->insert_or_assign(L, WhyNot::of(reasonOf(No, Obstacle)));
    }
    return Found;
  }

private:
  /// The loop that is made, and what stands in the way of making it elsewhere.
  std::optional<std::pair<Loop *, std::optional<Reason>>> roll(Loop &L) {
    auto &DT = FAM.getResult<DominatorTreeAnalysis>(Copy);
    Loop &Root = *L.getOutermostLoop();
    simplifyLoop(&Root, &DT, &LI, /*SE=*/nullptr,
                 &FAM.getResult<AssumptionAnalysis>(Copy), /*MSSAU=*/nullptr,
                 /*PreserveLCSSA=*/false);
    ScalarEvolution SE = scalarEvolution(Copy, FAM);
    std::optional<UnrolledSum> Sum = UnrolledSum::find(L, SE);
    if (!Sum || !Root.getLoopPreheader())
      return std::nullopt;
    std::optional<Reason> Obstacle = obstacleTo(*Sum, Copy, FAM, Opts);
    return std::pair(Sum->roll(Root, /*Fallback=*/nullptr, SE, FAM), Obstacle);
  }

  FunctionAnalysisManager &FAM;
  const Options &Opts;
  FunctionCopy Copied;
  Function &Copy;
  LoopInfo &LI;
};

} // namespace

SmallVector<ShapedNest, 2> copyRolled(Function &F, FunctionAnalysisManager &FAM,
                                      ArrayRef<Loop *> Innermost,
                                      const Options &Opts, Judge Ask,
                                      WhyNots *Why) {
  if (Innermost.empty())
    return {};
  SmallVector<Loop *, 4> ToLookAt, ToTry, ToExplain;
  copy_if(Innermost, std::back_inserter(ToLookAt),
          [&](const Loop *L) { return Why || UnrolledSum::mayEndProduct(*L); });
  if (ToLookAt.empty())
    return {};
  {
    ScalarEvolution SE = scalarEvolution(F, FAM);
    for (Loop *L : ToLookAt)
      if (std::optional<UnrolledSum> Sum = UnrolledSum::find(*L, SE)) {
        if (!obstacleTo(*Sum, F, FAM, Opts))
          ToTry.push_back(L);
        else if (Why)
          ToExplain.push_back(L);
      }
  }
  if ((ToTry.empty() && ToExplain.empty()) || !FunctionCopy::isPossible(F))
    return {};
  if (!ToExplain.empty())
    RollTrial(F, FAM, Opts).run(ToExplain, Ask, Why);
  if (ToTry.empty())
    return {};
  SmallVector<NestToRoll, 2> Found =
      RollTrial(F, FAM, Opts).run(ToTry, Ask, Why);

  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  SmallVector<ShapedNest, 2> Nests;
  for (const NestToRoll &N : Found) {
    if (isInFallback(*N.Innermost))
      continue;
    // The innermost loop is not there yet.
    Loop *Root = N.Innermost;
    for (unsigned Depth = N.Length - 1; Depth > 1; --Depth)
      Root = Root->getParentLoop();
    auto [Nest, Inner] = copyNest(*Root, *N.Innermost, LI, DT);
    ScalarEvolution SE = scalarEvolution(F, FAM);
    if (std::optional<UnrolledSum> Sum = UnrolledSum::find(*Inner, SE))
      Sum->roll(*Nest.Root, Nest.Choice->getSuccessor(1), SE, FAM);
    Nest.Headers.push_back(Nest.Root->getHeader());
    Nests.push_back(std::move(Nest));
  }
  return Nests;
}

} // namespace tilesmith
