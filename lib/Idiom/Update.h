//===- Update.h - sum = sum + a*b -------------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_UPDATE_H
#define TILESMITH_LIB_IDIOM_UPDATE_H

#include "LoopNest.h"

namespace tilesmith {

/// A multiplication that brings two elements together.
struct Product {
  llvm::Instruction *Multiply = nullptr; ///< or a fused multiply-add
  /// The elements, or if a factor is made of several, that which moves in most
  /// loops.
  llvm::LoadInst *LoadOfA = nullptr, *LoadOfB = nullptr;
  /// The factors, of the elements loaded: leaf A or B, and Further for others.
  Expression AMap, BMap;
  /// If set, Multiply is no multiplication, but this, of the factors.
  std::optional<Expression> Pairing = std::nullopt;
};

/// `Sum = Carried + Products`, once per iteration of the innermost loop.
struct Update {
  llvm::Instruction *Sum = nullptr;
  /// A header phi of the innermost loop, or a load of the stored element.
  llvm::Value *Carried = nullptr;
  llvm::SmallVector<Product, 1> Products;
  Expression Tree; ///< Sum, of Carried and the products
  /// Invariant divisors of integers, by which a pairwise update must be possible.
  struct Divisor {
    llvm::Value *V;
    bool IsSigned;
  };
  llvm::SmallVector<Divisor, 0> Divisors;

  /// Whether \p V is the sum, or the sum before some of the products are added.
  bool isPartialSum(const llvm::Value *V) const;
  /// Whether each partial sum is stored and loaded again.
  bool isInMemory() const { return llvm::isa<llvm::LoadInst>(Carried); }
};

/// Whether \p I may be part of what a step makes of a sum and of a pair of elements.
bool mayUpdate(const llvm::Instruction &I);

/// Finds the update whose sums \p Store stores, possibly after some arithmetic,
/// or, if they are kept apart, after anything. \p Except is no such sum.
std::variant<Update, Refusal>
findUpdate(const LoopNest &In, llvm::StoreInst &Store, bool Apart,
           const llvm::Instruction *Except = nullptr);

/// The same for `Sum = f(Carried, g(a, b))`, where f and g are lane-wise: sums of
/// distances, minima of sums.
std::variant<Update, Refusal>
findPairwiseUpdate(const LoopNest &In, llvm::StoreInst &Store, bool Apart);

/// Whether the innermost loop moves what \p Store stores to backwards, and one
/// of the \p Factors in another way, or does not always store. Vectors of
/// products are then computed in one order, and reversed to be added, so that
/// they are not fused.
bool isReversedAlone(const LoopNest &In, const llvm::StoreInst &Store,
                     llvm::ArrayRef<const llvm::Instruction *> Factors);

} // namespace tilesmith

#endif
