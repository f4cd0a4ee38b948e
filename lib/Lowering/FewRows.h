//===- FewRows.h - products of a row, or of a few ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_FEWROWS_H
#define TILESMITH_LIB_LOWERING_FEWROWS_H

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
struct MatrixProduct;

/// If the columns of \p Product are so short that other vectors than these pay,
/// replaces it, and returns true.
bool lowerFewRows(const MatrixProduct &Product,
                  const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
