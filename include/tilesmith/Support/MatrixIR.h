//===- MatrixIR.h - what matrix intrinsics do not say -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels say about calls of llvm.matrix.*, and Lowering reads.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_MATRIXIR_H
#define TILESMITH_SUPPORT_MATRIXIR_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class IRBuilderBase;
class Value;
} // namespace llvm

namespace tilesmith {

/// Marks a call of llvm.matrix.multiply whose product must be fused with the
/// following addition, on targets without such an instruction, too.
inline constexpr char MustFuse[] = "tilesmith-fma";

/// An operand bundle of llvm.matrix.column.major.load and store, of an i64: so
/// many rows exist, from the first one on; the others are not accessed. At
/// least one exists, and less than a register of them do not. It must be the
/// same on all accesses to a tile, whose columns must be whole registers; an
/// access without it may be made only if all rows exist. What a load gives for
/// rows that do not, and in which register a row is, is left open.
inline constexpr char ExistingRows[] = "tilesmith.rows";

/// The same of a tile that is turned: its rows are what is adjacent in memory.
/// So the tile is llvm.matrix.transpose of what llvm.matrix.column.major.load
/// gives, or what is stored is one of the tile; and so many columns of what is
/// accessed exist, which are rows of the tile; as many as a register has lanes
/// at least. A constant says that all do.
inline constexpr char ExistingColumns[] = "tilesmith.columns";

/// Of such a store: so many rows of what is accessed are not stored.
inline constexpr char SkippedRows[] = "tilesmith.skipped";

/// Another one, of an i64 and a constant i64: so many columns exist, and so many
/// of the last ones are moved up, so that they end where these do. Neither the
/// columns that are moved nor the others are more than exist. Those that both
/// have are loaded, and stored, twice. The first one is an argument of the function.
inline constexpr char MovedColumns[] = "tilesmith.moved";

/// Another one, of an i64, a constant i1 and a constant i64: the elements of row
/// i and column j with j - i <= the first are wanted if the second is true, else
/// those with j - i >= it; the others are not accessed. They are in so many of
/// the first rows, or else in so many of the last: the third. The columns must
/// be whole registers. What a load gives for unwanted elements is left open.
inline constexpr char WantedElements[] = "tilesmith.wanted";

/// Transposes the square matrices that lie side by side in these rows, each in
/// place. Their size is a power of two.
void transposeSquare(llvm::IRBuilderBase &B,
                     llvm::MutableArrayRef<llvm::Value *> Rows);

} // namespace tilesmith

#endif
