//===- SplitCounter.h - two loops of a fused one ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenMP's 'collapse' makes one loop of two, and gives each thread a part of
// it, which may begin and end in the middle of a row. That part is three
// rectangles at most:
//
//   for t from first to last {        for s in {0, 1, 2}         . . # # # #
//     i = t / n, j = t % n;      =>     for i in rows of s       # # # # # #
//     ...                                 for j in columns of s  # # # # # #
//   }                                       ...                  # # . . . .
//
// The elements stay in their order. The loops over i and j are those of a
// product, of which the rectangle is a part. If j is divided as well, as three
// loops were fused, the loop over j is split in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SPLITCOUNTER_H
#define TILESMITH_LIB_PLUGIN_SPLITCOUNTER_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class BasicBlock;
class Loop;
} // namespace llvm

namespace tilesmith {

/// The loop around \p Inner, or \p Inner itself, whose counter stands for
/// several; null if there is none.
llvm::Loop *findFusedLoop(llvm::Loop &Inner);

/// Makes three loops, or more, of \p Fused, which stays the innermost of them. Where the
/// counter may be negative, or a divisor is not positive, control goes to \p
/// Fallback; without one, that is taken not to happen. False, and nothing
/// changes, if it cannot be done. Loops and dominators stay up to date.
bool splitFusedLoop(llvm::Loop &Fused, llvm::BasicBlock *Fallback,
                    llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
