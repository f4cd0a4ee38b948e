//===- Arithmetic.h - expressions without casts, and halves -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ARITHMETIC_H
#define TILESMITH_LIB_IDIOM_ARITHMETIC_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

struct WrapCheck;

/// \p S with the casts of its parts pushed down to single values, which counts
/// them as signed: the same for n - 1 however it is written. Adds what must not
/// wrap for it to \p Checks.
const llvm::SCEV *withoutCasts(const llvm::SCEV *S, llvm::ScalarEvolution &SE,
                               llvm::SmallVectorImpl<WrapCheck> &Checks);

/// Half of \p S; null if that is not known to be whole.
const llvm::SCEV *halved(const llvm::SCEV *S, llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
