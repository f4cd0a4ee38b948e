//===- Rewrite.h - the Rewrite room's entry ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_REWRITE_REWRITE_H
#define TILESMITH_REWRITE_REWRITE_H

#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"

namespace llvm {
class CallInst;
class TargetLibraryInfo;
} // namespace llvm

namespace tilesmith {

/// The metadata that marks the loops of a nest which has been given a fast
/// path, so that it is not given a second one.
extern const char FallbackMark[];
bool isMarkedAsFallback(const llvm::Loop &L);

/// The blocks that rewriting puts in front of a nest for large problems.
struct FastPath {
  /// What may become a function of its own, none if it may not: the guard's last
  /// tests, of which the first dominates all, and the call of the kernel or library.
  llvm::SmallVector<llvm::BasicBlock *, 4> ToOutline;
  /// What the nest does besides, in loops of its own; null if nothing.
  llvm::Loop *Rest = nullptr;
  /// The call of a kernel that is to be part of the outlined function.
  llvm::CallInst *Small = nullptr;
  /// Whether the outlined function saves what is in registers, rather than its caller.
  bool KeepsRegisters = false;
};

/// Whether there is memory to be had. Where a target has no system, nothing is
/// there but what the module calls itself.
bool hasMalloc(const llvm::Module &Mod, const llvm::TargetLibraryInfo &TLI);

/// Why rewrite() would refuse: the guard cannot be built, or would never let
/// the nest pass.
std::optional<Refusal> refuseRewrite(const PlannedNest &Planned,
                                     const NestAnalyses &Analyses,
                                     const llvm::TargetLibraryInfo &TLI);

/// Whether programs for \p Mod's target can print which path each nest took.
bool canProfile(const llvm::Module &Mod);

/// Puts in front of the nest of \p Planned a guard and a call of a kernel or of a
/// library which computes it as the plan says; the nest stays as the
/// fall-back. A kernel, internal functions with llvm.matrix.multiply in the
/// innermost one, is made once per module for equal contractions. Changes
/// nothing if it refuses. Analyses of the function are out of date afterwards,
/// except \p Analyses' dominator tree and loops.
std::variant<FastPath, Refusal> rewrite(const PlannedNest &Planned,
                                        const NestAnalyses &Analyses,
                                        const llvm::TargetLibraryInfo &TLI);

/// Moves each of \p Paths in \p F to a function of its own, so that the nest
/// does not have to share the registers with the values of the check. No
/// analysis is kept.
void outline(llvm::Function &F, llvm::ArrayRef<FastPath> Paths);

} // namespace tilesmith

#endif
