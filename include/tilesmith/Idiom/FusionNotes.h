//===- FusionNotes.h - what a trial has shown to be fused -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where later passes choose which of two products is fused, they have been tried on
// a copy. What is certain is noted at additions, as metadata, while the plugin runs.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_FUSIONNOTES_H
#define TILESMITH_IDIOM_FUSIONNOTES_H

#include <optional>

namespace llvm {
class Instruction;
class Loop;
class Value;
} // namespace llvm

namespace tilesmith {

/// Which operand of an addition, a product, is fused with it.
enum class FusedOperand { None, First, Second, Unknown };

/// What is fused in the last iterations of a loop, that vectors leave over: of a loop of
/// n iterations, the last n mod Step ones.
struct FusedInRest {
  FusedOperand Which;
  unsigned Step;
};

/// What is fused in both parts of a loop.
struct FusedInParts {
  FusedOperand InVectors, InRest;
  unsigned Step;
};

/// Notes at \p Add, and for all copies of it, what is fused, and that it stands in
/// outermost loop number \p Nest of its function; with \p Rest, that it stands in an
/// innermost loop, and that this is so in all but its last iterations.
void noteFused(llvm::Instruction &Add, FusedOperand Which, unsigned Nest,
               std::optional<FusedInRest> Rest = std::nullopt);
void removeFused(llvm::Instruction &Add);
/// What is noted at \p Add, if anything is known.
std::optional<FusedOperand> notedFused(const llvm::Instruction &Add);
/// What is noted of both parts of an innermost loop; notedFused() knows nothing then.
std::optional<FusedInParts> notedParts(const llvm::Instruction &Add);
/// Whether that is noted at an addition of \p L.
bool hasNotedParts(const llvm::Loop &L);
/// The outermost loop that \p Add comes from, if that is noted.
std::optional<unsigned> notedNest(const llvm::Instruction &Add);
/// Whether it is known of all additions of \p L that may have a fused product; with
/// \p InParts, be it in parts.
bool isFusionNoted(const llvm::Loop &L, bool InParts = false);
/// Whether \p Op, an operand of \p Add at which that is noted, is fused.
bool isNotedAsFused(const llvm::Instruction &Add, const llvm::Value &Op);
/// Makes \p Copy of an addition what is noted at it: a fused multiply-add, or an
/// addition of what is rounded.
void fixFused(llvm::Instruction &Copy);

} // namespace tilesmith

#endif
