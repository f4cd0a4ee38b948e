//===- Update.h - sum = sum + a*b -------------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_UPDATE_H
#define TILESMITH_LIB_IDIOM_UPDATE_H

#include "Nest.h"

namespace tilesmith {

/// `Sum = Carried + Product`, once per iteration of the innermost loop.
struct Update {
  llvm::Instruction *Sum = nullptr;
  /// A header phi of the innermost loop, or a load of the stored element.
  llvm::Value *Carried = nullptr;
  /// The multiplication that brings the elements of A and B together. It is Sum
  /// itself if that is a fused multiply-add of the two.
  llvm::Instruction *Product = nullptr;
  llvm::LoadInst *LoadOfA = nullptr, *LoadOfB = nullptr;
  Expression AMap, BMap; ///< the factors, of the elements loaded
  Expression Tree;       ///< Sum, of Carried and Product; unset if fused

  bool isFused() const { return Product == Sum; }
  /// Whether each partial sum is stored and loaded again.
  bool isInMemory() const { return llvm::isa<llvm::LoadInst>(Carried); }
};

/// Finds the update whose sums \p Store stores, possibly after some arithmetic.
std::variant<Update, Refusal> findUpdate(const Nest &In,
                                         llvm::StoreInst &Store);

} // namespace tilesmith

#endif
