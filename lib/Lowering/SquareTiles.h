//===- SquareTiles.h - squares in AMX's registers ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_SQUARETILES_H
#define TILESMITH_LIB_LOWERING_SQUARETILES_H

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
struct MatrixProduct;

/// Replaces the squares around \p Seed by registers of AMX, if the target has
/// them for such products, and all sums are loaded, added to and stored only.
bool lowerToSquareTiles(const MatrixProduct &Seed,
                        const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
