//===- ZeroGuard.h - steps with a zero are left out -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ZEROGUARD_H
#define TILESMITH_LIB_IDIOM_ZEROGUARD_H

#include "LoopNest.h"

namespace tilesmith {

struct Update;

/// Whether \p Of adds the product to the sum, or subtracts it, as it is: a product
/// that is zero changes nothing but the sign of a zero.
bool addsProduct(const Contraction &Of);

/// Finds the operand of \p Of whose elements the nest compares with zero.
Refused matchZeroGuard(const LoopNest &In, const Update &From, Nest &Result);

/// Finds the factor whose elements are compared with zero in front of loads of the
/// other one.
Refused matchConditionalLoads(Nest &Result);

/// Whether it is the vector of \p Of whose elements are compared with zero: it is
/// searched in front of all steps, which takes as long as one row. All of them are
/// made if there is no zero.
bool searchesVector(Contraction &Of);

} // namespace tilesmith

#endif
