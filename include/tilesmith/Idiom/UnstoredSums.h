//===- UnstoredSums.h - sums that are only looked at ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_UNSTOREDSUMS_H
#define TILESMITH_IDIOM_UNSTOREDSUMS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Instruction;
class Loop;
} // namespace llvm

namespace tilesmith {

using UnstoredSums = llvm::SmallVector<llvm::Instruction *, 1>;

/// What the innermost loop \p L may sum, anew in each iteration of the loop
/// around it, for something behind \p L to look at: the last values of what it
/// carries, but for counters and what the loop around it may store.
UnstoredSums unstoredSums(const llvm::Loop &L);

} // namespace tilesmith

#endif
