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
// (Fusion.h): the same for all copies of the loop, and for all iterations.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUSIONTRIAL_H
#define TILESMITH_LIB_PLUGIN_FUSIONTRIAL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Runs the passes behind this plugin on a module of another context.
using RunPasses =
    llvm::function_ref<void(llvm::Module &, llvm::ModuleAnalysisManager &)>;
/// Makes managers for that module, and calls what it is given.
using WithManagers = llvm::function_ref<void(
    llvm::function_ref<void(llvm::ModuleAnalysisManager &,
                            llvm::FunctionAnalysisManager &)>)>;

/// Notes what is fused in the functions of \p M. True if anything is noted.
bool noteFusions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM,
                 RunPasses Run, WithManagers Managed);

/// Removes what noteFusions() has noted.
void removeFusions(llvm::Module &M);

} // namespace tilesmith

#endif
