//===- OuterProducts.h - whether there is an array for sums -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AArch64's SME adds outer products of vectors to an array of sums (see
// lib/Lowering/OuterTiles.cpp). That is worth it for tiles which vector
// registers do not hold.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_OUTERPRODUCTS_H
#define TILESMITH_TARGET_OUTERPRODUCTS_H

namespace llvm {
class Function;
class Type;
} // namespace llvm

namespace tilesmith {

/// Whether code of \p F may use such an array, for sums of type \p Ty.
bool hasOuterProducts(const llvm::Function &F, const llvm::Type *Ty);

} // namespace tilesmith

#endif
