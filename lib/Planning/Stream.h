//===- Stream.h - plans for a matrix times a vector -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_STREAM_H
#define TILESMITH_LIB_PLANNING_STREAM_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Decides how \p Op, a matrix times a vector, goes by: the rows whose sums
/// are in registers (MR), and the steps that are made at a time (NR).
Refused decideStream(Plan &P, const Contraction &Op, const TargetModel &Target);

/// Why \p Found is better left to clang.
Refused refuseStream(const Plan &P, const Nest &Found);

/// The thin kernel of \p P, a plan for \p View, if that is worth having.
std::vector<std::shared_ptr<const Plan>>
planThin(const Plan &P, const Contraction &View, const TargetModel &Target);

/// From which size on it is worth it.
void setBreakEvenOfStream(Plan &P, const Nest &View);

} // namespace tilesmith

#endif
