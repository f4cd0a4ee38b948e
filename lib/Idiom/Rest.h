//===- Rest.h - what a nest does besides its product ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_REST_H
#define TILESMITH_LIB_IDIOM_REST_H

#include "Effects.h"
#include "Roles.h"

namespace tilesmith {

/// Finds a place, before or after the product \p Of, for the writes \p Rest,
/// which are neither its own nor an initialisation, and for those on the
/// \p OtherSide, in iterations in which the product is not entered: they will
/// run in loops of their own. Adds what the guard has to test. If there is no
/// such place, the refusal is \p Why, or a better one.
Refused placeRest(const LoopNest &In, llvm::ArrayRef<llvm::Instruction *> Rest,
                  llvm::ArrayRef<llvm::Instruction *> OtherSide,
                  const Roles &By, const Refusal &Why, Nest &Of);

} // namespace tilesmith

#endif
