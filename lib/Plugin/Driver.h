//===- Driver.h - the rooms, one after the other ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_DRIVER_H
#define TILESMITH_LIB_PLUGIN_DRIVER_H

#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/Options.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

class RemarkLog;

/// What LLVM will still do to a function, as in NestAnalyses.
struct LaterPasses {
  bool Link = false, Hoist = false;
};

/// Why nothing of \p F may be rewritten, if so.
std::optional<Refusal> attributesForbid(const llvm::Function &F,
                                        const Options &Opts);

/// Whether \p L is, or is part of, the nest behind a fast path. (Unrolling and
/// vectorisation drop the mark of an innermost loop, not of its parents.)
bool isInFallback(const llvm::Loop &L);

/// Recognises, plans and rewrites every nest of \p F, with a remark for each.
/// Returns whether \p F changed; its analyses are up to date afterwards.
bool rewriteFunction(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                     const Options &Opts, LaterPasses Later, RemarkLog &Log);

/// Whether the module calls llvm.matrix.* anywhere.
bool usesMatrixIntrinsics(const llvm::Module &M);

/// Lowers every llvm.matrix.* call of the module. Returns whether it changed.
bool lowerModule(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// Prints what recognition makes of each candidate nest of \p F and, if
/// \p WithPlan, how it would be computed.
void printNests(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                const Options &Opts, bool WithPlan, llvm::raw_ostream &OS);

} // namespace tilesmith

#endif
