//===- StreamingFunction.h - outer products of a tile -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_STREAMINGFUNCTION_H
#define TILESMITH_LIB_LOWERING_STREAMINGFUNCTION_H

namespace llvm {
class Function;
class Type;
} // namespace llvm

namespace tilesmith {

/// A function in the streaming mode of SME, with an array of its own,
///
///   tilesmith.outer(A, step of A, B, step of B, K, C to start from, its
///                   stride, C, its stride, rows, columns)
///
/// for elements of float or double (\p ElementTy): C = start + A * B. Steps are
/// in bytes, strides in elements. A null pointer is a start from zeros. It
/// covers the tile by two times two squares of the array at a time, and works
/// with vectors of any length. It is made for \p Caller's module, unless there
/// is one.
llvm::Function *streamingFunction(llvm::Function &Caller,
                                  llvm::Type *ElementTy);

} // namespace tilesmith

#endif
