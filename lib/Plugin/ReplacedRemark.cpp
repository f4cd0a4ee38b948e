//===- ReplacedRemark.cpp - what is said of a replaced nest ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplacedRemark.h"
#include "BandNests.h"
#include "Formula.h"
#include "Remarks.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"

using namespace llvm;

namespace tilesmith {

OptimizationRemark replacedRemark(const Nest &Found, const PlannedNest &Planned,
                                  const Loop &L,
                                  const ReplacedContext &Context) {
  const auto &[SE, Target, Opts, ORE] = Context;
  const Plan &ThePlan = Planned.ThePlan;
  const Loop &Root = *Found.Source.Root;
  RemarkPlace At = RemarkPlace::of(DebugLoc(), Root);
  OptimizationRemark Remark("tilesmith", "Replaced", At.Loc, Root.getHeader());
  ore::NV What("Operation", Found.Op.summary()), By("Plan", ThePlan.summary());
  Remark << "replaced " << ore::NV("Loops", unsigned(Found.Source.Loops.size()))
         << "-loop nest ";
  if (ORE.enabled())
    if (auto Formula = formulaOf(Found, SE))
      Remark << "'" << ore::NV("Formula", *Formula) << "' ";
  Remark << "by " << (ThePlan.Library ? By : What) << ": "
         << (ThePlan.Library ? What : By);
  const Loop *Around = Root.getParentLoop();
  if (Around && findOptionMDForLoop(Around, AroundMark))
    Remark << ", for groups of rows that read what the rows before them store";
  Remark << At.Inlined;
  if (ORE.enabled()) {
    recordNest(Remark, Root, L);
    std::string Choices;
    raw_string_ostream OS(Choices);
    explain(Planned, Target, Opts, OS);
    Remark << ore::NV("Choices", Choices);
  }
  return Remark;
}

bool isNewRemark(const OptimizationRemark &Remark, const Nest &Found,
                 const Loop &L, RemarkLog &Log) {
  DebugLoc Stored = Found.Source.UpdateStore->getDebugLoc();
  if (!Stored || Stored.getLine() == 0)
    Stored = L.getStartLoc();
  const Function &F = *L.getHeader()->getParent();
  return Log.insert(Stored, (F.getName() + Remark.getMsg()).str());
}

void remarkNarrowBand(const SplitBand &Band, RemarkLog &Log,
                      OptimizationRemarkEmitter &ORE) {
  const Loop &Rows = *Band.Inner->getParentLoop();
  const Function &F = *Rows.getHeader()->getParent();
  RemarkPlace At = RemarkPlace::of(DebugLoc(), Rows);
  OptimizationRemark Remark("tilesmith", "Replaced", At.Loc, Rows.getHeader());
  Remark << "replaced " << ore::NV("Loops", 2u) << "-loop nest by "
         << ore::NV("Operation", ("band of " + Twine(Band.NumDiagonals)).str())
         << ": "
         << ore::NV("Plan", "first, middle and last rows apart, clang's "
                            "vectors of rows")
         << At.Inlined;
  if (ORE.enabled())
    recordNest(Remark, Rows, *Band.Inner);
  if (Log.insert(At.Loc, (F.getName() + Remark.getMsg()).str()))
    ORE.emit(Remark);
}

} // namespace tilesmith
