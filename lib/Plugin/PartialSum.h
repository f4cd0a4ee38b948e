//===- PartialSum.h - sums of a loop that are added to another --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for p {                                     for p
//     part = 0;                                   for q
//     for q part += a[i][p][q] * b[p][q][j];  =>    s += a[i][p][q] * b[p][q][j];
//     s += part;
//   }
//
// This is how front ends write '#pragma omp simd reduction(+: s)' on the loop over
// q: each lane has a sum of its own, which starts from zero, and these are added
// to s in any order. One of these orders is that of the loops without the pragma,
// which is made here, in copies of nests. Sums of integers may be joined in any
// case, and those whose additions may be reassociated.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PARTIALSUM_H
#define TILESMITH_LIB_PLUGIN_PARTIALSUM_H

namespace llvm {
class DominatorTree;
class Instruction;
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether \p Innermost, or a loop around it, makes sums of its own that are only
/// added to others behind it, and may as well start from these.
bool hasPartialSum(const llvm::Loop &Innermost, const llvm::DominatorTree &DT);

/// Where \p Innermost, or a loop around it, adds a sum of its own to another one, and
/// the order of both must stay; null if there is none.
const llvm::Instruction *partialSumInOrder(const llvm::Loop &Innermost,
                                           const llvm::DominatorTree &DT);

/// Where a sum of \p Innermost, or of a loop around it, goes into another sum, or a
/// minimum or the like, of the next loop; null if there is none.
const llvm::Instruction *sumInOtherSum(const llvm::Loop &Innermost);

/// Where such a sum is one of integers, of products of two elements, and goes into a sum of
/// floating-point numbers; null if there is none.
const llvm::Instruction *groupInOtherSum(const llvm::Loop &Innermost);

/// Starts such sums of \p L from those to which they are added.
void joinPartialSums(llvm::Loop &L, const llvm::DominatorTree &DT);

} // namespace tilesmith

#endif
