//===- RolledNests.h - products whose loop over k is unrolled ---*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unrolled sums are rolled in a copy of the function first, to see whether
// there is a product then, and if so, in a copy of the nest.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ROLLEDNESTS_H
#define TILESMITH_LIB_PLUGIN_ROLLEDNESTS_H

#include "ShapeTrial.h"

namespace tilesmith {

/// Copies the nests around those of \p Innermost that end in an unrolled sum,
/// which becomes a loop there, if \p Ask accepts that. If it is given, sets \p Why
/// for others that are likely to be products. Loops and dominators of \p F are up to date
/// afterwards; no other analyses are, if a nest was copied.
llvm::SmallVector<ShapedNest, 2>
copyRolled(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
           llvm::ArrayRef<llvm::Loop *> Innermost, const Options &Opts,
           Judge Ask, WhyNots *Why);

} // namespace tilesmith

#endif
