//===- RowBlocks.h - a rest that goes along rows again ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_ROWBLOCKS_H
#define TILESMITH_LIB_REWRITE_ROWBLOCKS_H

#include "Backend.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Planning/Plan.h"

namespace tilesmith {

/// A matrix times a vector in a nest whose rest reads the rows of the matrix
/// once more, as A^T (A x) does, or the product of a symmetric matrix of which one
/// triangle is stored. The kernel is called for a block of rows, and
/// then the rest has these in the caches:
///
///   done = kernel(rows of the first block)         in front of the rest
///   for each row                                   of the rest
///     if the row is the first one of a block
///       kernel(rows of the block)
///     ...
///
/// That is the source's order but inside a block, where all products come
/// first, as they may in all of the nest.
class RowBlocks {
public:
  /// Whether the rest is such a one.
  static bool suit(const PlannedNest &Planned, const NestAnalyses &Analyses);

  /// Takes strides and extents from \p Guard.
  RowBlocks(const PlannedNest &Planned, Backend &By, llvm::IRBuilderBase &B,
            GuardBuilder &Guard);

  RowRange first() const { return First; }
  /// Calls the kernel in \p Rest, a copy of the nest without the product, whose
  /// sums are in \p Own if they are kept apart. What the kernel could do for the
  /// first block, it can do for all.
  void emitCalls(llvm::Loop &Rest, const NestAnalyses &Analyses,
                 llvm::Value *Own = nullptr) const;

private:
  void makeTransposed(const Plan &ThePlan, llvm::IRBuilderBase &B,
                      llvm::Value *AreBlocks);
  RowRange rangeFrom(llvm::IRBuilderBase &B, llvm::Value *Row) const;
  void cutSteps(llvm::Loop &L, llvm::Value *Steps,
                const NestAnalyses &Analyses) const;

  const Contraction &Op;
  Backend &By;
  llvm::DebugLoc Line; ///< of calls
  llvm::Value *NumRows, *NumSteps, *Diagonal = nullptr, *OfBlock = nullptr;
  bool IsTransposed = false; ///< the kernel makes the transposed use, too
  /// If so, blocks have multiples of so many rows and steps.
  unsigned Unit = 1;
  RowRange First;
};

} // namespace tilesmith

#endif
