//===- Nest.h - a recognised nest of loops ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_NEST_H
#define TILESMITH_IDIOM_NEST_H

#include "tilesmith/Idiom/Conditions.h"
#include "tilesmith/Idiom/Contraction.h"
#include "tilesmith/Idiom/Surroundings.h"

namespace tilesmith {

/// A recognised nest of loops.
struct Nest {
  Contraction Op;      ///< what is computed
  Conditions Tests;    ///< what must be tested for that to be true
  Surroundings Source; ///< what else stands in the source around it

  /// Shows \p Visit everything that may be computed in front of the nest: what
  /// it is not shown, the guard must not expand.
  void visitSCEVs(SCEVVisitor Visit) const;
  /// Those of Tests.MustBeApart whose operand is in a table. Where its rows are is only
  /// known when the kernel is called, which tests it.
  llvm::SmallVector<const Conditions::Apart *, 2> apartFromRows() const;
  /// The same nest with Op mirrored.
  Nest mirrored() const;
  void print(llvm::raw_ostream &OS) const;
};

} // namespace tilesmith

#endif
