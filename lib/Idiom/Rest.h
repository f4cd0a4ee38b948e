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

/// What a nest does besides a product.
struct RestOfNest {
  /// Neither the product's own nor an initialisation.
  llvm::SmallVector<llvm::Instruction *, 2> Writes;
  /// Writes in iterations in which the product is not entered.
  llvm::ArrayRef<llvm::Instruction *> OtherSide;
  /// What is used after the nest.
  llvm::ArrayRef<llvm::Instruction *> Results;

  bool empty() const {
    return Writes.empty() && OtherSide.empty() && Results.empty();
  }
};

/// Finds a place, before or after the product \p Of, for \p Rest: it will run in
/// loops of its own. Adds what the guard has to test. If there is no such place,
/// the refusal is \p Why, or a better one.
Refused placeRest(const LoopNest &In, const RestOfNest &Rest, const Roles &By,
                  const Refusal &Why, Nest &Of);

} // namespace tilesmith

#endif
