//===- NarrowProduct.h - products of narrow elements ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some instructions multiply vectors of narrow elements and add the products of
// neighbours to one wide sum. They want so many steps over k, a group, next to
// each other: a group of a row or column is one element of a packed panel.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_NARROWPRODUCT_H
#define TILESMITH_TARGET_NARROWPRODUCT_H

#include "llvm/IR/Type.h"

namespace llvm {
class FastMathFlags;
class Function;
} // namespace llvm

namespace tilesmith {

/// The elements of a factor: i8 or i16, with how they are widened, or bfloat
/// or half.
struct NarrowType {
  llvm::Type *Ty = nullptr;
  bool IsSigned = true; ///< of an integer

  bool operator==(const NarrowType &Other) const {
    return Ty == Other.Ty && IsSigned == Other.IsSigned;
  }
};

/// Factors whose products are summed in SumTy.
struct NarrowProduct {
  NarrowType A, B;
  llvm::Type *SumTy;
  unsigned GroupBits = 32; ///< of the steps that are one element of a panel

  unsigned steps() const { return GroupBits / A.Ty->getScalarSizeInBits(); }
  /// Adds up pairs of products first, without rounding as the source does.
  bool isReassociated() const { return SumTy->isFloatingPointTy(); }
};

/// Whether arithmetic with \p Flags in \p F may take denormal numbers for zero:
/// as the function says, or with all of -ffast-math, with which programs are
/// linked to start in that mode.
bool flushesDenormals(const llvm::Function &F, llvm::FastMathFlags Flags);

} // namespace tilesmith

#endif
