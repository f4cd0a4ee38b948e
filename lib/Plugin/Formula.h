//===- Formula.h - what a nest computes, as the source says it --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   C[i*n + j] += A[i*n + k] * B[k*n + j]
//   C[i][j] = alpha*sum(A[i][k] * B[k][j]) + beta*C[i][j]
//   D[i][j] = min(D[i][j], A[i][k] + B[k][j])
//   c(i,j) = c(i,j) + a(i,k) * b(k,j)
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FORMULA_H
#define TILESMITH_LIB_PLUGIN_FORMULA_H

#include "tilesmith/Idiom/Nest.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// The assignment that \p Of makes, in the names of the source; none where the
/// source was compiled without debug information, or LLVM has lost a name.
std::optional<std::string> formulaOf(const Nest &Of, llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
