//===- Likeness.h - how much of a product a nest has ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many nests have a multiply-add in their innermost loop: filters, pooling,
// index arithmetic. A likely product has the signs of
//
//   for m, n, k:  C[m,n] = C[m,n] + A[m,k] * B[k,n]
//
// whatever else stands in the way of recognition. A loop moves an element if
// the element's address depends on the loop's counter, in whatever way.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_LIKENESS_H
#define TILESMITH_IDIOM_LIKENESS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Instruction;
class Loop;
class Value;
} // namespace llvm

namespace tilesmith {

/// The signs of a product that are seen in a nest.
struct Likeness {
  bool HasFactors = false; ///< elements of two arrays, A and B, are multiplied,
                           ///< and what comes out is added
  bool HasRows = false;    ///< a loop moves A, but not B
  bool HasColumns = false; ///< a loop moves B, but not A
  bool HasSteps = false;   ///< a loop moves A and B, but not what is stored
  /// Of the two innermost loops, both move A, one moves B, and the other one moves
  /// what is stored, by enough steps: a matrix times a vector.
  bool HasVector = false;

  bool isLikely() const {
    return HasFactors && HasRows && HasColumns && HasSteps;
  }
  /// Whether it may be a matrix times a vector, and nothing larger.
  bool isLikelyVector() const { return HasVector && !isLikely(); }

  /// Those of the nest that ends in \p Innermost. It builds no SCEV.
  static Likeness of(const llvm::Loop &Innermost);
};

/// A matrix times a vector with fewer steps than these is left to clang.
constexpr unsigned FewSteps = 16;

/// Whether a nest has what every product has: one value is made of two elements,
/// and enough loops may move them. Where it has not, it is certain that it is none,
/// not even once its loops are brought into shape.
struct PossibleProducts {
  bool Matrices = false;
  bool Vector = false; ///< a matrix times a vector
  /// The sums of the matrix times a vector have less than \c FewSteps steps.
  bool HasFewSteps = false;
  /// A matrix times a vector whose steps are in segments, with sums of integers of
  /// their own that become floating-point numbers.
  bool Segments = false;
  /// The matrix times the vector is the whole nest; its sums are of integers,
  /// and their loop is the inner one, along rows.
  bool HasIntegerRows = false;

  /// Whether any may be faster than what clang makes of it.
  bool mayBeFaster() const {
    return Matrices || Segments || (Vector && !HasIntegerRows);
  }

  bool any() const { return Matrices || Vector || Segments; }

  /// Those of the nest that ends in \p Innermost. It builds no SCEV.
  static PossibleProducts of(const llvm::Loop &Innermost);
  /// The same once a sum in the loop \p Around is a loop of its own: \p Sum is
  /// its last addition, and \p Parts is what that adds, or multiplies.
  static PossibleProducts ofRolled(const llvm::Loop &Around,
                                   const llvm::Instruction &Sum,
                                   llvm::ArrayRef<const llvm::Value *> Parts);
};

} // namespace tilesmith

#endif
