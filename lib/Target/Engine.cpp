//===- Engine.cpp - what multiplies ---------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/Engine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

ArrayRef<const Engine *> engines() {
  static const Engine *const All[] = {
#define ENGINE(Name) &get##Name(),
#include "tilesmith/Target/Engines.def"
  };
  return All;
}

TileShape asWanted(TileShape Best, TileShape Wanted, unsigned VL) {
  if (Wanted.Rows)
    Best.Rows = alignTo(Wanted.Rows, VL);
  if (Wanted.Columns)
    Best.Columns = PowerOf2Ceil(Wanted.Columns);
  return Best;
}

unsigned Engine::multiplyAdds(TileShape Tile, unsigned VL) const {
  return divideCeil(Tile.Rows, VL) * Tile.Columns;
}

} // namespace tilesmith
