//===- TripCount.h - how often a loop runs ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_TRIPCOUNT_H
#define TILESMITH_LIB_IDIOM_TRIPCOUNT_H

#include "tilesmith/Idiom/Conditions.h"
#include "tilesmith/Idiom/Reason.h"
#include <variant>

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

class LoopNest;

/// How often a loop runs, less one, each time it is entered.
struct TripCount {
  const llvm::SCEV *Backedges = nullptr;
  /// What must be true for this to be the count.
  std::optional<Requirement> ValidIf;
};

/// The count of \p L, a loop inside \p In that only its latch leaves. It may
/// vary with the loops around \p L.
std::variant<TripCount, Refusal> tripCount(const llvm::Loop &L,
                                           const LoopNest &In);

} // namespace tilesmith

#endif
