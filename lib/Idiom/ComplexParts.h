//===- ComplexParts.h - both parts of complex sums --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_COMPLEXPARTS_H
#define TILESMITH_LIB_IDIOM_COMPLEXPARTS_H

#include "tilesmith/Idiom/Nest.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Makes one contraction of \p Result and one of \p Others, if they are the sums
/// of both parts of complex numbers. The store of the other one becomes a write
/// that \p Result absorbs.
void joinParts(Nest &Result, llvm::ArrayRef<Nest> Others,
               llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
