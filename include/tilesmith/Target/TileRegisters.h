//===- TileRegisters.h - registers that hold squares ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Advanced Matrix Extensions (AMX) of x86 have eight registers of 16 rows
// of 64 bytes: a square of 16 x 16 sums, or of groups of narrow elements
// (DotProduct.h). One instruction multiplies two squares of groups and adds to
// the sums. In IR, with groups of four,
//
//   %sum = phi <256 x i32>                     ; 16 x 16, in columns
//   %a   = call @llvm.matrix.column.major.load ; 16 rows x 16 groups of steps
//   %an  = bitcast <256 x i32> %a to <1024 x i8>
//   %at  = shufflevector %an: the elements of each group, step by step
//   %ax  = sext <1024 x i8> %at to <1024 x i32>
//   %b   = call @llvm.matrix.column.major.load ; 16 groups of steps x 16 columns
//   %bn  = bitcast <256 x i32> %b to <1024 x i8>
//   %bx  = sext <1024 x i8> %bn to <1024 x i32>
//   %ab  = call <256 x i32> @llvm.matrix.multiply(%ax, %bx, 16, 64, 16)
//   %next = add <256 x i32> %sum, %ab
//
// is such a product. Linux gives these registers to processes that ask for them
// only.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_TILEREGISTERS_H
#define TILESMITH_TARGET_TILEREGISTERS_H

#include "tilesmith/Target/NarrowProduct.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

namespace tilesmith {

/// The rows, columns and groups of a square.
inline constexpr unsigned SquareEdge = 16;
inline constexpr unsigned NumTileRegisters = 8;
/// An instruction that multiplies squares.
struct SquareProduct {
  llvm::Intrinsic::ID Multiply;

  /// Whether code of \p F may use it for products and sums with \p Flags.
  bool isAllowed(const NarrowProduct &Of, const llvm::Function &F,
                 llvm::FastMathFlags Flags) const;
};

/// What code of \p F may use for \p Of, once the system permits it; nothing if
/// there is no such instruction.
std::optional<SquareProduct> findSquareProduct(const llvm::Function &F,
                                               const NarrowProduct &Of);

/// Where, in columns of \p Rows groups of \p Steps elements each, element
/// number i of the same columns taken step by step is.
llvm::SmallVector<int, 0> stepwiseMask(unsigned Rows, unsigned Steps,
                                       unsigned Columns);

} // namespace tilesmith

#endif
