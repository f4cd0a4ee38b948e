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

inline bool hasFewRegisters(const Plan &P) { return P.VectorRegisters <= 16; }

/// Whether the source adds up one long chain after the other: if not, clang's loops
/// are fast.
inline bool hasChains(const Nest &View) {
  return View.Source.sumsInnermost() && !View.Source.MayReorder &&
         View.Op.SumTy->isFloatingPointTy();
}

/// Decides from which extents, elements of C and multiply-adds on the kernel of
/// \p P is faster than the loops as they are: P.MinExtent, P.MinElements and
/// P.MinWork.
void setBreakEven(Plan &P, const Nest &View, const TargetModel &Target);

/// Whether the constant extents of \p View tell that it is below what \p P asks
/// for.
bool isBelowBreakEven(const Plan &P, const Contraction &View);

} // namespace tilesmith

#endif
