//===- Roles.h - which loop is which dimension ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ROLES_H
#define TILESMITH_LIB_IDIOM_ROLES_H

#include "Address.h"

namespace tilesmith {

struct Update;

/// The dimensions of a nest, and its operands' addresses by loop.
struct Roles {
  PerDim<unsigned> Position{}; ///< of each dimension in the chain
  AffineForm C, A, B;
};

/// Tells the loops apart: k does not move C; m moves C and A, n moves C and B.
std::variant<Roles, Refusal> findRoles(const Nest &In, llvm::StoreInst &Store,
                                       const Update &Of);

/// Has the guard test that \p Form is affine.
void requireNoWrap(const AffineForm &Form, const Roles &By, Contraction &Of);

} // namespace tilesmith

#endif
