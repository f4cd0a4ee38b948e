//===- DotProduct.h - instructions that add several products ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some instructions multiply vectors of narrow elements and add the products of
// neighbours to one wide sum: sum[i] += a[4i] * b[4i] + ... + a[4i+3] *
// b[4i+3]. A micro kernel uses them on factors of which so many steps over k, a
// group, are adjacent. In IR, with groups of four,
//
//   %a  = <mr x i32>, a group in each element
//   %an = bitcast <mr x i32> %a to <mr*4 x i8>
//   %at = call <mr*4 x i8> @llvm.matrix.transpose(%an, i32 4, i32 mr)
//   %ax = sext <mr*4 x i8> %at to <mr*4 x i32>
//   %b  = <nr x i32>
//   %bn = bitcast <nr x i32> %b to <nr*4 x i8>
//   %bx = sext <nr*4 x i8> %bn to <nr*4 x i32>
//   %ab = call <mr*nr x i32> @llvm.matrix.multiply(%ax, %bx, mr, 4, nr)
//
// is a product in groups: nothing of it belongs to one target. This is the one
// table of what targets have; Planning looks up here what Lowering will find.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_DOTPRODUCT_H
#define TILESMITH_TARGET_DOTPRODUCT_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

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

/// An instruction for registers of each of three widths, or none.
struct DotProduct {
  llvm::StringRef Name; ///< for remarks: "VNNI"
  llvm::Intrinsic::ID OfWidth[3] =
      {};                   ///< 128, 256 and 512 bits; 0: there is none
  bool IsExchanged = false; ///< takes the element of B first
  bool AddsApart = false;   ///< gives the products only, to be added
  bool FlushesDenormals = false;
  bool RoundsToOdd = false; ///< not to the nearest number
  bool IsScalable = false;  ///< those of 256 and 512 bits: registers of SVE

  /// Registers it needs besides the sums and the elements of A.
  unsigned temporaries() const { return AddsApart ? 2 : 1; }
  /// The widest one, in bits.
  unsigned widest() const;

  /// Whether code of \p F may use it for products with \p Flags.
  bool isAllowed(const NarrowProduct &Of, const llvm::Function &F,
                 llvm::FastMathFlags Flags) const;

  /// \p Sum plus the dot products of \p A and \p B, which are vectors of
  /// groups, as integers, of the same number of elements.
  llvm::Value *emit(llvm::IRBuilderBase &Builder, const NarrowProduct &Of,
                    llvm::Value *Sum, llvm::Value *A, llvm::Value *B) const;
};

/// What code of \p F may use for \p Of; nothing if there is no such
/// instruction.
std::optional<DotProduct> findDotProduct(const llvm::Function &F,
                                         const NarrowProduct &Of);

/// Whether arithmetic with \p Flags in \p F may take denormal numbers for zero:
/// as the function says, or with all of -ffast-math, with which programs are
/// linked to start in that mode.
bool flushesDenormals(const llvm::Function &F, llvm::FastMathFlags Flags);

} // namespace tilesmith

#endif
