//===- TruthReasons.h - products of truth values ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_TRUTHREASONS_H
#define TILESMITH_LIB_IDIOM_TRUTHREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// What is stored in three loops that join the truth values of two matrices, as in
/// `c[i][j] = c[i][j] || (a[i][k] && b[k][j])`. Null if they do not.
const llvm::Instruction *storeOfTruthValues(const llvm::Loop &Innermost,
                                            llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
