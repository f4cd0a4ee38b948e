//===- Narrow.h - which factors stay narrow ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_NARROW_H
#define TILESMITH_LIB_PLANNING_NARROW_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Whether the tile can be made of squares that registers hold.
bool isTileOfSquares(const Plan &P);

/// Decides whether factors stay narrow, where it is not said.
Refused decideGroups(Plan &P, const Contraction &View,
                     const TargetModel &Target);

} // namespace tilesmith

#endif
