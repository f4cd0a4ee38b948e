//===- UnrollTrial.cpp - which loops LLVM will unroll ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnrollTrial.h"
#include "FunctionCopy.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/SimplifyIndVar.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace tilesmith {

unsigned constantTripCount(const Loop &L, ScalarEvolution &SE) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  unsigned Least = 0;
  for (const BasicBlock *BB : Exiting)
    if (unsigned Count = SE.getSmallConstantTripCount(&L, BB))
      Least = Least == 0 ? Count : std::min(Least, Count);
  return Least;
}

bool willBeUnrolled(Loop &L, LoopStandardAnalysisResults &Results,
                    ScalarEvolution &SE, unsigned SpeedupLevel) {
  unsigned TripCount =
      L.getNumBlocks() <= MostBlocksOfNest ? constantTripCount(L, SE) : 0;
  if (!TripCount)
    return false;
  OptimizationRemarkEmitter ORE(L.getHeader()->getParent());
  TargetTransformInfo::UnrollingPreferences UP = gatherUnrollingPreferences(
      &L, SE, Results.TTI, /*BFI=*/nullptr, /*PSI=*/nullptr, ORE, SpeedupLevel,
      /*UserThreshold=*/std::nullopt, /*UserCount=*/std::nullopt,
      /*UserAllowPartial=*/false, /*UserRuntime=*/false,
      /*UserUpperBound=*/false, /*UserFullUnrollMaxCount=*/std::nullopt);
  TargetTransformInfo::PeelingPreferences PP = gatherPeelingPreferences(
      &L, SE, Results.TTI, /*UserAllowPeeling=*/false,
      /*UserAllowProfileBasedPeeling=*/false, /*UnrollingSpecficValues=*/true);
  SmallPtrSet<const Value *, 4> NoEphemeralValues;
  UnrollCostEstimator Cost(&L, Results.TTI, NoEphemeralValues, UP.BEInsns);
  bool UseUpperBound = false;
  computeUnrollCount(&L, Results.TTI, Results.DT, &Results.LI, &Results.AC, SE,
                     NoEphemeralValues, &ORE, TripCount, /*MaxTripCount=*/0,
                     /*MaxOrZero=*/false, TripCount, Cost, UP, PP,
                     UseUpperBound);
  return UP.Count == TripCount;
}

FunctionAnalysisManager analysesOfCopies() {
  FunctionAnalysisManager FAM;
  FAM.registerPass([] { return PassInstrumentationAnalysis(); });
  FAM.registerPass([] { return DominatorTreeAnalysis(); });
  FAM.registerPass([] { return LoopAnalysis(); });
  FAM.registerPass([] { return AssumptionAnalysis(); });
  FAM.registerPass([] { return TargetIRAnalysis(); });
  FAM.registerPass([] { return TargetLibraryAnalysis(); });
  return FAM;
}

bool willBeUnrolledAround(Loop &L, ArrayRef<Loop *> Unrolled,
                          LoopStandardAnalysisResults &Results,
                          unsigned SpeedupLevel) {
  Function &F = *L.getHeader()->getParent();
  if (!FunctionCopy::isPossible(F))
    return false;
  FunctionAnalysisManager FAM = analysesOfCopies();
  FunctionCopy Copied(F, FAM);
  Function &Copy = Copied.get();
  ScalarEvolution SE = scalarEvolution(Copy, FAM);
  LoopStandardAnalysisResults OfCopy = {
      Results.AA,
      FAM.getResult<AssumptionAnalysis>(Copy),
      FAM.getResult<DominatorTreeAnalysis>(Copy),
      FAM.getResult<LoopAnalysis>(Copy),
      SE,
      FAM.getResult<TargetLibraryAnalysis>(Copy),
      Results.TTI,
      /*MSSA=*/nullptr};
  Loop &InCopy = Copied.loopOf(L);
  SmallVector<Loop *, 4> Parts;
  for (Loop *Part : Unrolled)
    Parts.push_back(&Copied.loopOf(*Part));
  OptimizationRemarkEmitter ORE(&Copy);
  for (Loop *Part : Parts) {
    UnrollLoopOptions All = {};
    All.Count = constantTripCount(*Part, SE);
    All.Force = true;
    if (!All.Count)
      continue;
    UnrollLoop(Part, All, &OfCopy.LI, &SE, &OfCopy.DT, &OfCopy.AC, &OfCopy.TTI,
               &ORE, /*PreserveLCSSA=*/true);
  }
  // Numbers that do not move in the loop leave it first.
  SmallVector<WeakTrackingVH, 16> Dead;
  simplifyLoopIVs(&InCopy, &SE, &OfCopy.DT, &OfCopy.LI, &OfCopy.TTI, Dead);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
  return willBeUnrolled(InCopy, OfCopy, SE, SpeedupLevel);
}

} // namespace tilesmith
