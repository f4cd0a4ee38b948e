//===- Roles.h - which loop is which dimension ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ROLES_H
#define TILESMITH_LIB_IDIOM_ROLES_H

#include "IterationSpace.h"

namespace tilesmith {

struct Update;

/// The dimensions of a nest, and its operands' addresses.
struct Roles {
  IterationSpace Space;
  /// The axes of each dimension, outermost first. They are fused into one: a
  /// step of the last one is a step of the dimension.
  PerDim<llvm::SmallVector<unsigned, 2>> Axes;
  /// Axes that are not one with the others of their dimension, outermost first,
  /// or of a batch.
  llvm::SmallVector<std::pair<Dim, unsigned>, 1> Outer;
  /// The loops by dimension, as positions in the chain.
  PerDim<llvm::SmallVector<unsigned, 2>> Loops;
  PerDim<const llvm::SCEV *> Last{}; ///< of each dimension's index

  AffineForm COverLoops;
  AffineForm C; ///< over the axes
  struct Factors {
    AffineForm A, B; ///< over the axes
    AffineForm AOverLoops, BOverLoops;
    bool Swapped = false; ///< A is the product's second factor
  };
  llvm::SmallVector<Factors, 1> Products;

  llvm::SmallVector<Requirement, 2> MustHold;
  llvm::SmallVector<WrapCheck, 2> WrapChecks;

  /// By number in Contraction::accesses().
  const AffineForm &formOverLoops(unsigned Operand) const {
    if (Operand == 0)
      return COverLoops;
    const Factors &P = Products[(Operand - 1) / 2];
    return Operand % 2 ? P.AOverLoops : P.BOverLoops;
  }

  /// Of whose lines, rows (M) or columns (N), the factor has borders, if one has.
  std::optional<Dim> Bordered;

  /// Whose index \p Axis belongs to; none if it has been merged into another.
  std::optional<Dim> dimensionOf(unsigned Axis) const {
    for (Dim D : {M, N, K})
      if (llvm::is_contained(Axes[D], Axis))
        return D;
    for (auto [D, Other] : Outer)
      if (Other == Axis)
        return D;
    return std::nullopt;
  }

  /// The stride of \p Form along \p D; null if there is none.
  const llvm::SCEV *stride(const AffineSum &Form, Dim D) const {
    return Axes[D].empty() ? nullptr : Form.Step[Axes[D].back()];
  }
};

/// What recognition may resort to.
struct Liberties {
  /// The guard may find out that axes can be fused.
  bool TestStrides = false;
  /// Axes that cannot be fused may stay apart: those of M, N and K, or batches,
  /// too, for each value of which the product is made.
  enum { Fused, Bundled, Batched } Axes = Fused;
  /// It does not matter what the store moves with, as the sums will be stored
  /// to a matrix of their own.
  bool Apart = false;
  /// One factor is a vector: there is nothing but M and K.
  bool Vector = false;
  /// And each row's part of it begins an element later (see
  /// Contraction::vectorMoves).
  bool VectorMoves = false;
  /// A factor is read from a copy of C.
  bool Saved = false;
  /// Steps are in segments, which have sums of their own (see SegmentedSum).
  bool Segmented = false;

  /// Whether elements may be stored, too, where the loop over k does not run.
  bool mayStoreEmpty() const { return !Apart; }
};

/// Tells the loops apart: k does not move C; m moves C and A, n moves C and B.
std::variant<Roles, Refusal> findRoles(const LoopNest &In,
                                       llvm::StoreInst &Store, const Update &Of,
                                       Liberties May);

} // namespace tilesmith

#endif
