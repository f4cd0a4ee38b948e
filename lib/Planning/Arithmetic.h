//===- Arithmetic.h - alpha and beta of a contraction -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLANNING_ARITHMETIC_H
#define TILESMITH_LIB_PLANNING_ARITHMETIC_H

#include "tilesmith/Planning/Library.h"

namespace tilesmith {

/// What scales a contraction's products, one by one, and C.
struct Scales {
  llvm::SmallVector<Coefficient, 1> Alpha;
  Coefficient Beta;
  bool MayDropZeros = true; ///< see LibraryCalls
};

/// Takes the expressions of \p Op apart, and looks at the flags of what it
/// meets.
std::variant<Scales, Refusal> scalesOf(const Contraction &Op);

} // namespace tilesmith

#endif
