//===- DotProduct.h - instructions that add several products ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// They multiply vectors of narrow elements and add the products of neighbours
// to one wide sum: sum[i] += a[4i] * b[4i] + ... + a[4i+3] * b[4i+3]. A micro
// kernel uses them on factors of which a group of steps over k is adjacent. In
// IR, with groups of four,
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
// is a product in groups: nothing of it belongs to one target.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_DOTPRODUCT_H
#define TILESMITH_TARGET_DOTPRODUCT_H

#include "tilesmith/Target/Engine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Intrinsics.h"
#include <optional>

namespace tilesmith {

/// An instruction that code of a function may use, for registers of each of
/// three widths, or none.
struct DotProduct {
  llvm::Intrinsic::ID IntrinsicByWidth[3] =
      {};                        ///< 128, 256 and 512 bits; 0: there is none
  bool IsExchanged = false;      ///< takes the element of B first
  bool IsSumLast = false;        ///< takes the sum behind the factors
  bool NeedsSeparateAdd = false; ///< gives the products only, to be added
  bool IsScalable = false; ///< those of 256 and 512 bits: registers of SVE

  /// The widest one, in bits.
  unsigned widest() const;
  /// \p Sum plus the dot products of \p A and \p B, which are vectors of
  /// groups, as integers, of the same number of elements.
  llvm::Value *emit(llvm::IRBuilderBase &Builder, const NarrowProduct &Of,
                    llvm::Value *Sum, llvm::Value *A, llvm::Value *B) const;
};

/// An engine of such instructions. Sums are in vector registers.
class DotProducts final : public Engine {
public:
  enum class Signs { Both, None, Either, One };
  /// What they do otherwise than the source's arithmetic, and each other.
  enum Deviations {
    NeedsSeparateAdd = 1,
    FlushesDenormals = 2,
    RoundsToOdd = 4,
    TakesSignedFirst = 8, ///< of two factors; else the unsigned one
    TakesSumLast = 16,    ///< of its operands; else it is the first one
  };

  /// An instruction, and what it is for.
  struct Row {
    llvm::Type::TypeID Elements;
    unsigned Bits;
    Signs Signed; ///< which of the integer factors are
    llvm::Intrinsic::ID IntrinsicByWidth[3];
    /// "feature+feature", or several of these between '|'; empty if there is no
    /// such width.
    const char *Features[3];
  };

  /// Instructions of functions for which \p IsOn holds.
  DotProducts(llvm::StringRef Name, bool (*IsOn)(const llvm::Function &),
              llvm::ArrayRef<Row> Rows, unsigned Deviations = 0);

  bool suits(const EngineRequest &Of) const override;
  unsigned registerBits(const EngineRequest &Of) const override;
  TileShape chooseTile(const RegisterBudget &Of,
                       TileShape Wanted) const override {
    return getVectorRegisters().chooseTile(Of, Wanted);
  }
  bool holds(TileShape Tile, const RegisterBudget &Of) const override {
    return getVectorRegisters().holds(Tile, Of);
  }
  unsigned temporaries() const override { return needsSeparateAdd() ? 2 : 1; }
  bool needsSeparateAdd() const override { return Does & NeedsSeparateAdd; }
  void explain(TileShape Tile, const RegisterBudget &Of, unsigned LoadsOfA,
               llvm::raw_ostream &OS) const override {
    getVectorRegisters().explain(Tile, Of, LoadsOfA, OS);
  }
  const DotProducts *asDotProducts() const override { return this; }

  /// What code of \p F may use for \p Of; nothing if there is no such
  /// instruction.
  std::optional<DotProduct> find(const llvm::Function &F,
                                 const NarrowProduct &Of) const;
  /// Whether code of \p F may use it for products with \p Flags.
  bool isAllowed(const NarrowProduct &Of, const llvm::Function &F,
                 llvm::FastMathFlags Flags) const;

private:
  bool (*IsOn)(const llvm::Function &);
  llvm::ArrayRef<Row> Rows;
  unsigned Does;
};

/// What code of \p F may use for products \p Of with \p Flags, of the first
/// engine that has it.
std::optional<DotProduct> findDotProduct(const llvm::Function &F,
                                         const NarrowProduct &Of,
                                         llvm::FastMathFlags Flags);

} // namespace tilesmith

#endif
