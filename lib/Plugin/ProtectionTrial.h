//===- ProtectionTrial.h - small nests in another shape ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that LLVM is about to unroll may end a product once they are brought into
// another shape. A copy of the function tells, with analyses of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PROTECTIONTRIAL_H
#define TILESMITH_LIB_PLUGIN_PROTECTIONTRIAL_H

#include "tilesmith/Idiom/Nest.h"
#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include <optional>

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Whether the multiply and the add may be fused, but need not be. In a loop
/// they always are; unrolled, they are not where the SLP vectoriser parts them,
/// and the bits depend on it.
bool fusionIsUpToUnrolling(const Contraction &Op);

/// A product of so many loops, and if it will not be replaced, why.
struct Judgement {
  unsigned NumLoops;
  std::optional<Refusal> No;
};

/// Whether \p Innermost ends a product once the counter of a loop around it is
/// split into two, as after 'collapse(2)'. Few steps are worth it here: clang's own
/// code divides a counter for each element.
std::optional<Judgement>
judgeFusedProduct(llvm::Loop &Innermost, const Options &Opts,
                  llvm::LoopStandardAnalysisResults &Results);

/// The same once bounds that are clipped to an image are tests: of a window that is
/// clipped in one direction, and tested in the other.
std::optional<Judgement>
judgeClippedProduct(llvm::Loop &Innermost, const Options &Opts,
                    llvm::LoopStandardAnalysisResults &Results);

/// The same once loops beyond borders, with zeros, are one with those inside
/// (ZeroVersions.h). \p IsWorth says whether a product may be faster.
std::optional<Judgement> judgeZeroVersions(
    llvm::Loop &Innermost, const Options &Opts,
    llvm::LoopStandardAnalysisResults &Results,
    llvm::function_ref<bool(const Nest &, llvm::ScalarEvolution &)> IsWorth);

} // namespace tilesmith

#endif
