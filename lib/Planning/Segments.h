//===- Segments.h - plans for steps in segments -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_SEGMENTS_H
#define TILESMITH_LIB_PLANNING_SEGMENTS_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Decides how \p Op, a matrix times a vector in segments, goes by: the rows whose
/// parts are in registers (MR), and the steps of each that are loaded together (NR).
Refused decideSegments(Plan &P, const Contraction &Op,
                       const TargetModel &Target);

/// From which size on it is worth it.
void setBreakEvenOfSegments(Plan &P);

} // namespace tilesmith

#endif
