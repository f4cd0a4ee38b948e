//===- BoundReasons.h - what bounds that vary are of ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_BOUNDREASONS_H
#define TILESMITH_LIB_IDIOM_BOUNDREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Whether \p Innermost goes through a part of a row about a diagonal: it begins
/// at a maximum that varies with the rows, or ends at such a minimum.
bool isBand(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// A test in \p Innermost, the inner one of two loops, that leaves out the steps far
/// from a diagonal; null if there is none.
const llvm::Instruction *testOfBand(const llvm::Loop &Innermost,
                                    llvm::ScalarEvolution &SE);

/// Whether the count of \p Innermost, or of a loop around it, changes with a counter.
bool hasVaryingBound(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether the count of a loop around \p Innermost, or a comparison of two counters
/// in one, tells where a row begins or ends.
bool hasDiagonal(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether more than one diagonal bounds the nest of \p Innermost, or one and
/// another bound beside it.
bool hasTwoDiagonals(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// What is stored behind the loop \p Innermost, over a row of a triangle, and is made
/// of its sum: null if there is nothing, or the sum itself is stored.
const llvm::Instruction *epilogueOfTriangle(const llvm::Loop &Innermost,
                                            llvm::ScalarEvolution &SE);

/// The test that leaves out steps beyond one border, where the bounds of a loop leave
/// out those beyond another one; null if there are not both.
const llvm::Instruction *testOfOtherBorder(const llvm::Loop &Innermost,
                                           llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
