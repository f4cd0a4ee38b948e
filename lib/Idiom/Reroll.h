//===- Reroll.h - loops unrolled by hand ------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_REROLL_H
#define TILESMITH_LIB_IDIOM_REROLL_H

#include "tilesmith/Idiom/Nest.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Makes one term of those that are successive steps over k:
///   s += a[k]*b[k]; s += a[k+1]*b[k+1];    with k in steps of 2
/// Leaves \p Result alone if they are not.
void rollSteps(Nest &Result, llvm::ScalarEvolution &SE);

/// Makes one contraction of \p Result and those of \p Others that update the next
/// rows or columns in the same way:
///   c[j] += …b[j]…; c[j+1] += …b[j+1]…;    with j in steps of 2
/// or both. The stores of those become writes that \p Result absorbs.
void rollCopies(Nest &Result, llvm::ArrayRef<Nest> Others,
                llvm::ScalarEvolution &SE);

/// Whether two trees are the same but for the elements and products they are
/// over.
bool areEqual(const Expression &X, const Expression &Y);

/// \p D of \p Result has \p Count times as many values. Its strides stay.
void refineExtent(Nest &Result, Dim D, uint64_t Count,
                  llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
