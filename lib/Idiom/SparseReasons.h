//===- SparseReasons.h - elements that arrays tell the places of -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_SPARSEREASONS_H
#define TILESMITH_LIB_IDIOM_SPARSEREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// An element that is found by a number from an array, as in a sparse matrix:
///
///   CSR, CSC      along a row whose ends are elements of an array, too
///   ELL           each element of a matrix has its own number
///   COO           numbers tell the row and the column of each element
///   by diagonals  each diagonal has its own number
///
/// Null if there is none.
const llvm::Instruction *elementOfSparse(const llvm::Loop &Innermost,
                                         llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
