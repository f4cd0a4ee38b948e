//===- Covering.cpp - an extent as a row of tiles -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Covering.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <tuple>
#include <utility>

using namespace llvm;

namespace tilesmith {

/// \p NumFirst tiles of \p First and \p NumSecond of \p Second.
static Covering ordered(unsigned First, uint64_t NumFirst, unsigned Second,
                        uint64_t NumSecond) {
  if (First == Second)
    NumFirst += std::exchange(NumSecond, 0);
  if (!NumFirst || (NumSecond && First < Second)) {
    std::swap(First, Second);
    std::swap(NumFirst, NumSecond);
  }
  return {First, NumSecond ? Second : 0, NumFirst, NumSecond};
}

Covering balancedSplit(uint64_t Extent, unsigned Max, unsigned Granule) {
  assert(Granule && Max && Max % Granule == 0 && "not whole granules");
  uint64_t Granules = divideCeil(Extent, Granule);
  uint64_t Tiles = divideCeil(Granules, Max / Granule);
  if (!Tiles)
    return Covering();
  unsigned Size = Granules / Tiles * Granule;
  uint64_t NumLarge = Granules % Tiles;
  return ordered(Size + Granule, NumLarge, Size, Tiles - NumLarge);
}

std::optional<Covering> combine(uint64_t Extent, unsigned First,
                                unsigned Second) {
  if (!Extent)
    return Covering();
  unsigned Large = std::max(First, Second), Small = std::min(First, Second);
  if (!Large)
    return std::nullopt;
  if (!Small)
    return Extent % Large ? std::nullopt
                          : std::optional(ordered(Large, Extent / Large, 0, 0));
  // With as many large tiles as possible, there are fewest of all. If it is
  // possible at all, then with less than Small tiles less than fit.
  uint64_t Most = Extent / Large;
  for (uint64_t Less = 0; Less <= Most && Less < Small; ++Less) {
    uint64_t Rest = Extent - (Most - Less) * Large;
    if (Rest % Small == 0)
      return ordered(Large, Most - Less, Small, Rest / Small);
  }
  return std::nullopt;
}

bool isMadeOf(uint64_t Extent, unsigned First, unsigned Second) {
  return combine(Extent, First, Second).has_value();
}

Covering coverBy(uint64_t Extent, ArrayRef<TileSize> Sizes) {
  assert(!Sizes.empty() && "no tile to use");
  Covering Best;
  std::optional<std::tuple<uint64_t, uint64_t, uint64_t, unsigned>> BestRank;
  if (!Extent)
    return Best;
  for (const TileSize &Good : Sizes)
    for (const TileSize &Other : Sizes) {
      // Good is the better one in the long run, so Good.Size tiles of Other
      // are never worth it: Other.Size tiles of Good are as long.
      if (uint64_t(Good.Cost) * Other.Size > uint64_t(Other.Cost) * Good.Size)
        continue;
      uint64_t Most =
          std::min<uint64_t>(divideCeil(Extent, Other.Size), Good.Size - 1);
      for (uint64_t NumOther = 0; NumOther <= Most; ++NumOther) {
        uint64_t Others = NumOther * Other.Size;
        uint64_t NumGood =
            Others < Extent ? divideCeil(Extent - Others, Good.Size) : 0;
        Covering Found = ordered(Good.Size, NumGood, Other.Size, NumOther);
        auto Rank = std::tuple(NumGood * Good.Cost + NumOther * Other.Cost,
                               Found.covered() - Extent, Found.numTiles(),
                               Found.Small ? Found.Large - Found.Small : 0);
        if (!BestRank || Rank < *BestRank) {
          Best = Found;
          BestRank = Rank;
        }
      }
    }
  return Best;
}

} // namespace tilesmith
