//===- EngineChoice.h - which engine multiplies -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_ENGINECHOICE_H
#define TILESMITH_LIB_PLANNING_ENGINECHOICE_H

#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// The ways in which the factors of \p Op could be packed without widening
/// them, the best first.
llvm::SmallVector<NarrowPlan, 3> waysToStayNarrow(const Contraction &Op);

/// Whether a step adds its products to the sum (1), or subtracts all of them
/// (-1), and does nothing else, in an order that does not matter; 0 if not.
int signOfProducts(const Contraction &Op);

/// Whether a product is added without a register in between.
bool fusesMultiplyAdd(const Contraction &Op, const TargetModel &Target);

/// Decides the engine of a kernel that has blocks or is small, and whether
/// factors stay narrow for it, where the scheme of \p P does not say it.
Refused chooseEngine(Plan &P, const Contraction &View,
                     const TargetModel &Target);

} // namespace tilesmith

#endif
