//===- SumReasons.h - reasons that are about sums ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the steps that a loop makes for a sum, which are left out, made elsewhere, or
// made in another way than 's += a*b'? Each function returns the instruction that
// tells, or null.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_SUMREASONS_H
#define TILESMITH_LIB_IDIOM_SUMREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// A sum of \p Innermost that goes on from that of a loop beside it, or the other
/// way about: the addition in the second loop.
const llvm::Instruction *sumFromOtherLoop(const llvm::Loop &Innermost);

/// What finds out how much an addition has lost, to add it again (Kahan, Neumaier).
const llvm::Instruction *compensation(const llvm::Loop &Innermost);

/// A branch that leaves out the step whose number is that of the row.
const llvm::Instruction *skipOfDiagonal(const llvm::Loop &Innermost,
                                        llvm::ScalarEvolution &SE);

/// Where a row's sum changes the vector that the next row is multiplied by: the
/// store, which one of two loops beside each other makes.
const llvm::Instruction *changeOfVector(const llvm::Loop &Innermost,
                                        llvm::ScalarEvolution &SE);

/// A sum of products of adjacent integers, of which LLVM makes vectors.
const llvm::Instruction *sumOfIntegers(const llvm::Loop &Innermost,
                                       llvm::ScalarEvolution &SE);

/// What loads a vector in \p Innermost, or in a loop beside it.
const llvm::Instruction *operationOnVectors(const llvm::Loop &Innermost);

} // namespace tilesmith

#endif
