//===- Annotations.cpp - options of a function, in its source -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang lists annotations in a global variable, of which no code comes:
//
//   @llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }]
//     [{ ... } { ptr @f, ptr @text, ptr @file, i32 line, ptr arguments }]
//
// In C11, C++11 and later, loops that may end have metadata, so a mark on them
// changes nothing else. In older C, some later passes ask whether there is any.
//
//===----------------------------------------------------------------------===//

#include "Annotations.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Options.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The texts behind "tilesmith=" of each function, separated by ';'.
MapVector<Function *, std::string> findAnnotations(Module &M) {
  MapVector<Function *, std::string> Result;
  auto *List = M.getNamedGlobal("llvm.global.annotations");
  auto *Entries = List && List->hasInitializer()
                      ? dyn_cast<ConstantArray>(List->getInitializer())
                      : nullptr;
  if (!Entries)
    return Result;
  for (const Use &Op : Entries->operands()) {
    auto *Entry = dyn_cast<ConstantStruct>(Op);
    if (!Entry || Entry->getNumOperands() < 2)
      continue;
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    StringRef Text;
    if (F && getConstantStringInfo(Entry->getOperand(1), Text) &&
        Text.consume_front("tilesmith="))
      Result[F] += (Text + ";").str();
  }
  return Result;
}

/// Whether the options of \p F turn it off. Malformed ones do not: the pass that
/// comes later complains of them.
bool isOff(const Function &F) {
  Expected<Options> Opts = Options().forFunction(F);
  if (Opts)
    return !Opts->Enable;
  consumeError(Opts.takeError());
  return false;
}

} // namespace

PreservedAnalyses AnnotationsPass::run(Module &M, ModuleAnalysisManager &MAM) {
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (const auto &[F, Text] : findAnnotations(M)) {
    if (F->isDeclaration() || F->hasFnAttribute("tilesmith"))
      continue;
    F->addFnAttr("tilesmith", StringRef(Text).drop_back());
    if (isOff(*F) && !F->hasFnAttribute(Attribute::NoInline))
      for (Loop *L : FAM.getResult<LoopAnalysis>(*F).getLoopsInPreorder())
        addStringMetadataToLoop(L, OffMark, 1);
  }
  return PreservedAnalyses::all();
}

} // namespace tilesmith
