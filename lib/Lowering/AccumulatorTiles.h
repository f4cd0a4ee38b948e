//===- AccumulatorTiles.h - a tile group in accumulators --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_ACCUMULATORTILES_H
#define TILESMITH_LIB_LOWERING_ACCUMULATORTILES_H

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
struct MatrixProduct;

/// Rewrites the group around \p Seed so that the target's matrix unit makes its
/// products, if there is one for them, and sums need not be moved in a loop
/// that adds to them.
bool lowerToAccumulators(const MatrixProduct &Seed,
                         const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
