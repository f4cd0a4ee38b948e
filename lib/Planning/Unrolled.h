//===- Unrolled.h - against loops that are unrolled -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_UNROLLED_H
#define TILESMITH_LIB_PLANNING_UNROLLED_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// Whether the nest that \p Source is about has no loop over steps once LLVM has done
/// with it, so that the loop around becomes vectors.
bool isUnrolledElse(const Surroundings &Source);

/// Whether kernels by \p P are against vectors across rows, with gathers: where
/// registers are shorter, LLVM's own code is as good.
bool isAgainstGathers(const Plan &P, const Surroundings &Source);

/// Raises the break-even of \p P where few known steps of few known columns are
/// unrolled by LLVM, which then makes vectors of rows or of columns.
void setOfUnrolled(Plan &P, const Nest &View);

} // namespace tilesmith

#endif
