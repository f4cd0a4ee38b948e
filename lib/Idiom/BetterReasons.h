//===- BetterReasons.h - why a nest is refused, in terms of its source -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_BETTERREASONS_H
#define TILESMITH_LIB_IDIOM_BETTERREASONS_H

#include "tilesmith/Idiom/Reason.h"

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// What stands in the way of the nest that \p Innermost ends: recognition stops at
/// the first obstacle that it comes to, which may be a part of a larger one.
Refusal betterReason(const Refusal &No, const llvm::Loop &Innermost,
                     llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
