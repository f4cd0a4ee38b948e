//===- AlongSteps.h - against vectors along the steps -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_ALONGSTEPS_H
#define TILESMITH_LIB_PLANNING_ALONGSTEPS_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Raises the break-even of \p P, no plan of pairs, where clang makes vectors along k.
void setOfVectorsAlongSteps(Plan &P, const Nest &View);

/// Raises the break-even of \p P, a plan of pairs, where their sums are narrow.
void setOfNarrowSums(Plan &P, const Contraction &Op);

/// Refuses sums of integers that clang makes vectors of along k, as both factors
/// are adjacent there: of bytes and shorts, these hold more of them than ours.
/// (Measured on Emerald Rapids, with SSE2, AVX2 and AVX-512.)
Refused refuseVectorizedPairs(const Plan &P, const Nest &View);

} // namespace tilesmith

#endif
