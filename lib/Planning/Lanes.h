//===- Lanes.h - plans with a batch in lanes --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_LANES_H
#define TILESMITH_LIB_PLANNING_LANES_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// The batch that can be in lanes. If it is known to fill no register, the
/// ordinary kernel is faster.
std::optional<unsigned> laneIndexOf(const Contraction &Op,
                                    const TargetModel &Target);

/// Decides the tile and the blocks of a kernel with a batch in lanes. The block
/// of A and the panel of B of one vector stay in the second-level cache. The
/// index in lanes, if there is one, and what a step needs are known.
Refused decideLanes(Plan &P, const Contraction &View,
                    const TargetModel &Target);

} // namespace tilesmith

#endif
