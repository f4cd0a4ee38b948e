//===- RestLoops.h - a nest without its product -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_RESTLOOPS_H
#define TILESMITH_LIB_REWRITE_RESTLOOPS_H

#include "tilesmith/Idiom/Recognize.h"

namespace tilesmith {

/// A copy of a nest, entered and left by these blocks.
struct NestCopy {
  llvm::Loop *Root;
  llvm::BasicBlock *Entry, *Exiting;
};

/// The sums of a contraction that are kept apart: where element (0, 0) is, or
/// would be if the domain had it, the strides in bytes, and
/// the numbers of iterations of Scratch's counters.
struct SumMatrix {
  llvm::Value *Origin, *RowStride, *ColumnStride;
  llvm::SmallVector<llvm::Value *, 2> Rows, Columns;
};

/// Copies the nest of \p Found, to be entered from \p From, without its product: a
/// value that the product stores and that is used further is loaded from C. The
/// copy leaves to where the nest does; phis there are completed.
/// If sums are kept apart, they are taken from \p Sums. \p Made, if given, is a store of
/// the rest that the kernel makes, too.
NestCopy copyWithoutProduct(const Nest &Found, llvm::BasicBlock *From,
                            const NestAnalyses &Analyses,
                            const llvm::Instruction *Made = nullptr,
                            const SumMatrix *Sums = nullptr);

/// The same with the product, and without the rest.
NestCopy copyWithoutRest(const Nest &Found, llvm::BasicBlock *From,
                         const NestAnalyses &Analyses);

} // namespace tilesmith

#endif
