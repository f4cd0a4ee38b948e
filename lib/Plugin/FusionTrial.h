//===- FusionTrial.h - which products LLVM will fuse ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffp-contract=fast, and two products in an addition, which of them is fused
// depends on what the passes behind this plugin make of the loops. So a copy of the
// functions that have such additions goes through these passes, and FusionReader
// reads what has become of them. What is certain is noted at the additions
// (FusionNotes.h): the same for all copies of the loop, and for all iterations.
//
// Where a nest is replaced, LLVM may make something else of the others, and of the
// loops behind the fast path: a factor that the fast path uses as a number, for
// instance, is no longer worth a lane. So a second copy is rewritten first, and goes
// through the same passes. If what is left there is fused as in the first one, the
// notes stay; if not, the function has none, and such nests are left alone.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUSIONTRIAL_H
#define TILESMITH_LIB_PLUGIN_FUSIONTRIAL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// What is done with a module of another context.
struct TrialSteps {
  using OnFunctions = llvm::function_ref<void(
      llvm::Module &, llvm::ArrayRef<llvm::Function *>,
      llvm::ModuleAnalysisManager &, llvm::FunctionAnalysisManager &)>;

  /// Makes managers for it, and calls what it is given.
  llvm::function_ref<void(
      llvm::function_ref<void(llvm::ModuleAnalysisManager &,
                              llvm::FunctionAnalysisManager &)>)>
      Managed;
  /// Replaces what there is in some functions, as this plugin will.
  OnFunctions Rewrite;
  /// What this plugin and LLVM do afterwards.
  OnFunctions Finish;
};

/// Functions with notes, and their structural hashes once they were rewritten.
using NotedFunctions = llvm::DenseMap<const llvm::Function *, uint64_t>;

/// Notes what is fused in the functions of \p M.
NotedFunctions noteFusions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM,
                           const TrialSteps &Steps);

/// Removes what noteFusions() has noted.
void removeFusions(llvm::Module &M);

} // namespace tilesmith

#endif
