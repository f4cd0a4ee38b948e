//===- Covering.h - an extent as a row of tiles -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A single tile size leaves a remainder, and the smaller the extent, the more
// of the time that takes. Two sizes need not:
//
//   34 = 12 + 11 + 11            of at most 12, as equal as possible
//   43 = 11 + 11 + 7 + 7 + 7     of 11 and 7 exactly
//
// after N. Tollenaere's kernel combination (thesis, Grenoble 2022,
// section 5.3).
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_COVERING_H
#define TILESMITH_PLANNING_COVERING_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>

namespace tilesmith {

/// Tiles of one size, then tiles of a smaller one.
struct Covering {
  unsigned Large = 0, Small = 0; ///< Small is zero if there is one size
  uint64_t NumLarge = 0, NumSmall = 0;

  uint64_t numTiles() const { return NumLarge + NumSmall; }
  /// How much they cover: the extent, or more.
  uint64_t covered() const { return NumLarge * Large + NumSmall * Small; }
};

/// The fewest tiles of at most \p Max that cover \p Extent, as equal as
/// possible: with \p Granule one, all of it exactly, by two sizes that differ
/// by one. In general the sizes are multiples of \p Granule, as of a vector,
/// which \p Max must be, and the last tile may reach beyond the extent, by less
/// than a granule.
///
/// If all sizes from g to Max are good, and Max >= 2*g - 1, no extent from g on
/// gets a tile smaller than g.
///
/// For an extent that is known at run time only, the same rule is, in granules:
///   tiles = ceil(extent / Max), Small = extent / tiles, NumLarge = extent %
///   tiles, Large = Small + 1
Covering balancedSplit(uint64_t Extent, unsigned Max, unsigned Granule = 1);

/// The fewest tiles of \p First and \p Second that cover \p Extent exactly, if
/// any do. \p Second may be zero, for none.
std::optional<Covering> combine(uint64_t Extent, unsigned First,
                                unsigned Second);

/// Whether \p Extent is a sum of tiles of \p First and \p Second (or zero, for
/// none).
bool isMadeOf(uint64_t Extent, unsigned First, unsigned Second);

/// A size for which there is a kernel, and what a tile of it costs: time, in
/// any unit.
struct TileSize {
  unsigned Size, Cost;
};

/// The tiles of one or two of \p Sizes that cover \p Extent at the least cost.
/// If several do: those that reach least beyond it, then the fewest, then the
/// most equal. There must be a size, and none is zero.
Covering coverBy(uint64_t Extent, llvm::ArrayRef<TileSize> Sizes);

} // namespace tilesmith

#endif
