//===- Outcome.h - which way a branch goes ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_OUTCOME_H
#define TILESMITH_IDIOM_OUTCOME_H

#include <optional>

namespace llvm {
class BranchInst;
} // namespace llvm

namespace tilesmith {

/// Whether the condition of \p Br is true, if it is a constant or there is a
/// hint: if it is invariant, recognition assumes the hint, and the guard tests
/// it.
std::optional<bool> outcomeOf(const llvm::BranchInst &Br);

/// Gives \p Br that hint.
void setOutcomeHint(llvm::BranchInst &Br, bool Holds);

} // namespace tilesmith

#endif
