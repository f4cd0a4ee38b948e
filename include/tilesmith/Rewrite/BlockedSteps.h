//===- BlockedSteps.h - steps over one square matrix, in blocks -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_REWRITE_BLOCKEDSTEPS_H
#define TILESMITH_REWRITE_BLOCKEDSTEPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include <cstdint>
#include <optional>

namespace llvm {
class BasicBlock;
class Constant;
class LoadInst;
class Loop;
class StoreInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// A matrix of which an element is stored where one of the other matrix is: what is
/// known of the path that has been found.
struct Companion {
  llvm::StoreInst *Store; ///< of P[i][j]
  /// What is stored: P[k][j], P[i][k], or a number of step k.
  enum Value { OfRow, OfColumn, OfStep } Kind;
  llvm::LoadInst *Load = nullptr;               ///< of that element
  llvm::Value *Base, *RowStride, *ColumnStride; ///< as those of D
  /// The number of step 0, and what it goes on by: before the loops.
  llvm::Value *First = nullptr, *Next = nullptr;
};

/// For no element of the matrix, a comparison with Limit may be true.
struct ElementBound {
  llvm::CmpInst::Predicate Beyond;
  llvm::Constant *Limit;
};

/// for k, i, j: D[i][j] = f(D[i][j], D[i][k], D[k][j]), in any order of i and j.
struct SquareSteps {
  llvm::Loop *Root; ///< over k
  llvm::StoreInst *Store;
  std::optional<Companion> Beside; ///< stored where D[i][j] is
  /// Where a step begins: from here on, branches decide what it does.
  llvm::BasicBlock *First;
  bool HasTests = false; ///< whether any branch decides
  /// Where tests of D[i][k] in front of the steps over j begin, and the first of these
  /// steps: which lines are left out. Null if none are.
  llvm::BasicBlock *InFront = nullptr, *Line = nullptr;
  /// D[i][k], as these tests have it.
  llvm::SmallVector<llvm::Value *, 2> Tested;
  llvm::SmallVector<llvm::Value *, 2> Elements, OfColumn, OfRow;
  /// Whether D[i][k], or D[k][j], is what it was in front of the innermost loop.
  bool ColumnIsKept = false, RowIsKept = false;
  /// D[0][0], the bytes from row to row and from column to column, how many
  /// there are: before the loops.
  llvm::Value *Base, *RowStride, *ColumnStride, *Size;
  int64_t MinSize; ///< from which on blocks are faster
  /// Whether all checks in the loops are passed: before the loops. Null if there
  /// are none.
  llvm::Value *Passes = nullptr;
  /// If set, the elements are compared in front of the steps.
  std::optional<ElementBound> Bound;
};

struct BlockedSteps {
  llvm::BasicBlock *First; ///< dominates all others
  /// Begins the innermost loop of the sums, which are none if there is a companion.
  llvm::BasicBlock *Sums;
};

/// Makes the steps in blocks in front of the source's loops, which run if the
/// matrix is small, if its elements are not apart, or if there is no memory; else
/// \p After comes next. No analysis is kept.
BlockedSteps blockSteps(const SquareSteps &Steps, llvm::BasicBlock &After);

/// Moves the blocks that \p First dominates to a function of their own, so that
/// the source's loops do not share the registers with them. No analysis is kept.
void outlineSteps(llvm::BasicBlock &First);

} // namespace tilesmith

#endif
