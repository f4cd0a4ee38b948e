//===- FewRows.h - products of a row, or of a few ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_FEWROWS_H
#define TILESMITH_LIB_LOWERING_FEWROWS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
struct MatrixProduct;

/// A wide value, and the length of its columns.
using Columns = std::pair<llvm::WeakVH, unsigned>;

/// If the columns of \p Product are so short that other vectors than these pay,
/// replaces it. What is cut for that is added to \p Operands.
void lowerFewRows(const MatrixProduct &Product,
                  llvm::SmallVectorImpl<Columns> &Operands,
                  const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
