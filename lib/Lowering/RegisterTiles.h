//===- RegisterTiles.h - a tile group in vector registers -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_REGISTERTILES_H
#define TILESMITH_LIB_LOWERING_REGISTERTILES_H

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {
class TileGroup;

/// Rewrites \p Group into operations on native vector registers. Takes every
/// group, on every target.
bool lowerToRegisterTiles(TileGroup &Group,
                          const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
