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
#include "RunTimeTests.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace tilesmith {

ReplacedRemark::ReplacedRemark(const Nest &Found, const PlannedNest &Planned,
                               const Loop &L, const ReplacedContext &Context)
    : Header(Found.Source.Root->getHeader()),
      At(RemarkPlace::of(DebugLoc(), *Found.Source.Root)),
      Remark("tilesmith", "Replaced", At.Loc, Header) {
  const Plan &ThePlan = Planned.ThePlan;
  const Loop &Root = *Found.Source.Root;
  bool IsEnabled = Context.ORE.enabled();
  ore::NV What("Operation", Found.Op.summary()), By("Plan", ThePlan.summary());
  Remark << "replaced " << ore::NV("Loops", unsigned(Found.Source.Loops.size()))
         << "-loop nest ";
  if (IsEnabled)
    if (auto Formula = formulaOf(Found, Context.SE))
      Remark << "'" << ore::NV("Formula", *Formula) << "' ";
  Remark << "by " << (ThePlan.Library ? By : What) << ": "
         << (ThePlan.Library ? What : By);
  const Loop *Around = Root.getParentLoop();
  if (Around && findOptionMDForLoop(Around, AroundMark))
    Remark << ", for groups of rows that read what the rows before them store";
  Remark << At.Inlined;
  if (IsEnabled) {
    recordNest(Remark, Root, L);
    analyze(Found, Planned, Context);
  }
  // Versions of a nest have the same store; two products of one nest do not.
  DebugLoc Stored = Found.Source.UpdateStore->getDebugLoc();
  if (!Stored || Stored.getLine() == 0)
    Stored = L.getStartLoc();
  const Function &F = *L.getHeader()->getParent();
  IsNew = Context.Log.insert(Stored, (F.getName() + Remark.getMsg()).str());
}

void ReplacedRemark::analyze(const Nest &Found, const PlannedNest &Planned,
                             const ReplacedContext &Context) {
  if (!Planned.ThePlan.Library)
    Analysis.push_back("plan: " + Planned.ThePlan.str());
  std::vector<std::string> Tests = runTimeTests(Found, Context.SE);
  if (!Tests.empty())
    Analysis.push_back("tested at run time: " + join(Tests, "; "));
  Remark << ore::NV("Tests", join(Tests, "\n"));
  std::string Choices;
  raw_string_ostream OS(Choices);
  explain(Planned, Context.Target, Context.Opts, OS);
  Remark << ore::NV("Choices", Choices);
  for (StringRef Line : split(Choices, '\n'))
    if (!Line.trim().empty())
      Analysis.push_back(Line.trim().str());
}

void ReplacedRemark::tell(OptimizationRemarkEmitter &ORE) {
  if (!IsNew)
    return;
  ORE.emit(Remark);
  const DiagnosticHandler *Handler = Header->getContext().getDiagHandlerPtr();
  // The record has them already.
  if (!Handler->isAnalysisRemarkEnabled("tilesmith"))
    return;
  for (const std::string &Line : Analysis) {
    OptimizationRemarkAnalysis More("tilesmith", "Plan", At.Loc, Header);
    More << Line;
    ORE.emit(More);
  }
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

void remarkSteps(const Loop &Root, const Loop &Inner, RemarkLog &Log,
                 OptimizationRemarkEmitter &ORE) {
  const Function &F = *Root.getHeader()->getParent();
  RemarkPlace At = RemarkPlace::of(DebugLoc(), Root);
  OptimizationRemark Remark("tilesmith", "Replaced", At.Loc, Root.getHeader());
  Remark << "replaced " << ore::NV("Loops", 3u) << "-loop nest by "
         << ore::NV("Operation", "steps over one matrix with another beside it")
         << ": " << ore::NV("Plan", "in blocks, clang's vectors of columns")
         << At.Inlined;
  if (ORE.enabled())
    recordNest(Remark, Root, Inner);
  if (Log.insert(At.Loc, (F.getName() + Remark.getMsg()).str()))
    ORE.emit(Remark);
}

} // namespace tilesmith
