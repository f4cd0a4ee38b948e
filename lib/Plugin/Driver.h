//===- Driver.h - the rooms, one after the other ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_DRIVER_H
#define TILESMITH_LIB_PLUGIN_DRIVER_H

#include "tilesmith/Support/Options.h"
#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Recognises, plans and rewrites every nest of \p F, with a remark for each.
/// Returns whether \p F changed.
bool rewriteFunction(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                     const Options &Opts);

/// Lowers every llvm.matrix.* call of the module. Returns whether it changed.
bool lowerModule(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// Prints what recognition makes of each candidate nest of \p F and, if
/// \p WithPlan, how it would be computed.
void printNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                const Options &Opts, bool WithPlan, llvm::raw_ostream &OS);

} // namespace tilesmith

#endif
