//===- RepeatedLoads.h - values that new code loads again -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a trial has shown what LLVM fuses, the loops that are left must stay as they
// were. A number that new code uses, too, is one more lane that is used by itself, and
// LLVM may find that a vector of it is no longer worth it.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_REPEATEDLOADS_H
#define TILESMITH_LIB_REWRITE_REPEATEDLOADS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace tilesmith {

/// If the function has notes of a trial: \p Blocks, of which the first one dominates
/// all, load again what parameters point to, where that is repeatable.
void loadAgain(llvm::ArrayRef<llvm::BasicBlock *> Blocks);

} // namespace tilesmith

#endif
