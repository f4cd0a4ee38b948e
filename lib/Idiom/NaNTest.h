//===- NaNTest.h - what is done where a product is NaN ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_NANTEST_H
#define TILESMITH_LIB_IDIOM_NANTEST_H

#include "LoopNest.h"

namespace tilesmith {

/// Whether \p Call computes a product of complex numbers, for when both parts have
/// come out as NaN.
bool isComplexProduct(const llvm::CallBase &Call);

/// Finds the operands of \p Result that are moderate only if no test of \p In
/// finds a NaN. See Access::Moderate. Other tests may only be made of what becomes
/// of \p Sum, if that is kept apart.
Refused matchNaNTests(const LoopNest &In, const llvm::Instruction &Sum,
                      Nest &Result);

} // namespace tilesmith

#endif
