//===- RowReasons.h - what a nest does with rows beside sums ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is in the way of a product of matrices is often what the loops do with each
// row: they set it to a bias first, sum it in a buffer, or make it of rows that
// they made before. These are looked for once a nest is refused, to tell why.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ROWREASONS_H
#define TILESMITH_LIB_IDIOM_ROWREASONS_H

namespace llvm {
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Whether \p Innermost and the loop around it read other elements of an array than
/// they update: those of steps before, or after.
bool readsUpdated(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether the loop around \p Innermost stores other elements of the array that
/// \p Innermost updates.
bool updatesBeside(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether what \p Innermost and the loop around it update and read is a vector, each
/// element of which needs others of it.
bool isSubstitution(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether elements are divided, or a root is taken of one, around \p Innermost, as
/// pivots are.
bool hasPivots(const llvm::Loop &Innermost);

/// What sets the rows that \p Innermost updates, beside it, to what is loaded from
/// other arrays; null if nothing does.
const llvm::Instruction *rowSetBefore(const llvm::Loop &Innermost,
                                      llvm::ScalarEvolution &SE);

/// What sums in a buffer that the third loop fills again for each row, and whose
/// elements are read behind; null if nothing does.
const llvm::Instruction *sumInRowBuffer(const llvm::Loop &Innermost,
                                        llvm::ScalarEvolution &SE);

/// What stores the sum of \p Innermost where another loop beside it stores one, so
/// that one goes on from the other; null if nothing does.
const llvm::Instruction *sumOfOtherLoop(const llvm::Loop &Innermost,
                                        llvm::ScalarEvolution &SE);

/// What reads the row that a loop around \p Innermost has made in its iteration
/// before; null if nothing does.
const llvm::Instruction *readOfRowBefore(const llvm::Loop &Innermost,
                                         llvm::ScalarEvolution &SE);

/// An update that goes on with the elements that another nest beside it, in the loop
/// over rows, has updated, or the other way about; null if there is none.
const llvm::Instruction *updateInOtherNest(const llvm::Loop &Innermost,
                                           llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
