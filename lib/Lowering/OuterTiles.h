//===- OuterTiles.h - a tile group in SME's array ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_OUTERTILES_H
#define TILESMITH_LIB_LOWERING_OUTERTILES_H

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
struct MatrixProduct;

/// Replaces the loop that the group around \p Seed is by a call of a function
/// in streaming mode, if the target has SME and vector registers do not hold
/// the sums.
bool lowerToOuterProducts(const MatrixProduct &Seed,
                          const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
