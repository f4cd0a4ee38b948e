//===- BreakEven.h - the least size that is worth a kernel ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_BREAKEVEN_H
#define TILESMITH_LIB_PLANNING_BREAKEVEN_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Decides from which extents, elements of C and multiply-adds on the kernel of
/// \p P is faster than the loops as they are: P.MinExtent, P.MinElements and
/// P.MinWork.
void setBreakEven(Plan &P, const Nest &View, const TargetModel &Target);

/// Refuses sums of integers that clang makes vectors of along k, as both factors
/// are adjacent there: of bytes and shorts, these hold more of them than ours.
/// (Measured on Emerald Rapids, with SSE2, AVX2 and AVX-512.)
Refused refuseVectorizedPairs(const Plan &P, const Nest &View);

/// Whether the constant extents of \p View tell that it is below what \p P asks
/// for.
bool isBelowBreakEven(const Plan &P, const Contraction &View);

/// Unless the source adds up one long chain after the other, clang's loops are
/// fast.
bool hasChains(const Nest &View);

} // namespace tilesmith

#endif
