//===- Transposition.h - squares of registers -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_TRANSPOSITION_H
#define TILESMITH_LIB_LOWERING_TRANSPOSITION_H

namespace llvm {
class IRBuilderBase;
class IntrinsicInst;
class TargetTransformInfo;
class Value;
} // namespace llvm

namespace tilesmith {

/// The matrix \p V, of \p Rows times \p Columns elements, transposed.
llvm::Value *emitTransposition(llvm::IRBuilderBase &B, llvm::Value *V,
                               unsigned Rows, unsigned Columns,
                               const llvm::TargetTransformInfo &TTI);

/// Replaces a call of llvm.matrix.transpose, unless its elements have no
/// registers of their own.
bool lowerTransposition(llvm::IntrinsicInst &Call,
                        const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
