//===- Driver.cpp - the rooms, one after the other ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FunctionDriver.h"
#include "tilesmith/Lowering/Lowering.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// The options in force for \p F; a malformed attribute is an error.
static std::optional<Options> optionsFor(Function &F, const Options &Opts) {
  Expected<Options> Result = Opts.forFunction(F);
  if (Result)
    return *Result;
  F.getContext().emitError("tilesmith: " + toString(Result.takeError()));
  return std::nullopt;
}

std::optional<Refusal> attributesForbid(const Function &F,
                                        const Options &Opts) {
  // Two sanitizers look at the source's own operations, and at malloc.
  if (F.hasOptNone() || F.hasMinSize() ||
      F.hasFnAttribute(Attribute::NoImplicitFloat) ||
      F.hasFnAttribute(Attribute::StrictFP) ||
      F.hasFnAttribute(Attribute::SanitizeNumericalStability) ||
      F.hasFnAttribute(Attribute::SanitizeRealtime) || !Opts.Enable)
    return Refusal{Reason::AttributeForbids};
  return std::nullopt;
}

bool isInFallback(const Loop &L) {
  for (const Loop *Part = &L; Part; Part = Part->getParentLoop())
    if (isMarkedAsFallback(*Part))
      return true;
  return false;
}

bool rewriteFunction(Function &F, FunctionAnalysisManager &FAM,
                     const Options &Opts, LaterPasses Later, RemarkLog &Log) {
  std::optional<Options> FnOpts = optionsFor(F, Opts);
  if (!FnOpts)
    return false;
  FunctionDriver Driver(F, FAM, *FnOpts, Later, Log,
                        OptimizationRemarkEmitter(&F).enabled());
  Driver.remarkLoops();
  Driver.remarkLoneSums();
  if (!Driver.hasCandidates() || !Driver.rewriteAll())
    return false;
  FAM.invalidate(F, PreservedAnalyses::none());
  return true;
}

bool usesMatrixIntrinsics(const Module &M) {
  return any_of(M, [](const Function &F) {
    return F.getName().starts_with("llvm.matrix.") && !F.use_empty();
  });
}

bool lowerModule(Module &M, FunctionAnalysisManager &FAM) {
  bool Changed = false;
  if (!usesMatrixIntrinsics(M))
    return Changed;
  for (Function &F : M) {
    if (F.isDeclaration() || !lowerMatrixIntrinsics(F, FAM))
      continue;
    FAM.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed;
}

void printNests(Function &F, FunctionAnalysisManager &FAM, const Options &Opts,
                bool WithPlan, raw_ostream &OS) {
  if (std::optional<Options> FnOpts = optionsFor(F, Opts)) {
    RemarkLog Log;
    FunctionDriver Driver(F, FAM, *FnOpts, LaterPasses(), Log,
                          /*Explain=*/true);
    if (Driver.hasCandidates())
      OS << "function '" << F.getName() << "':\n";
    Driver.print(WithPlan, OS);
  }
}

} // namespace tilesmith
