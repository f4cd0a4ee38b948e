//===- Filter.h - plans for filters -----------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_FILTER_H
#define TILESMITH_LIB_PLANNING_FILTER_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Decides what registers extend over in \p Op, a filter, and how many sums are
/// in them: MR neighbours, of NR rows.
Refused decideFilter(Plan &P, const Contraction &Op, const TargetModel &Target);

/// Why \p Found is better left to clang.
Refused refuseFilter(const Nest &Found);

/// From which size on it is worth it.
void setBreakEvenOfFilter(Plan &P, const Nest &View);

/// Whether rows are known to fill the registers of \p P too little.
bool hasUnfilledRegisters(const Plan &P, const Contraction &Op);

} // namespace tilesmith

#endif
