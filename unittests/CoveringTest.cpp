//===- CoveringTest.cpp - an extent as a row of tiles ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Covering.h"
#include "tilesmith/Target/KernelFamily.h"
#include "gtest/gtest.h"
#include <vector>

using namespace llvm;
using namespace tilesmith;

namespace {

void expect(const Covering &X, uint64_t NumLarge, unsigned Large,
            uint64_t NumSmall, unsigned Small) {
  EXPECT_EQ(X.NumLarge, NumLarge);
  EXPECT_EQ(X.Large, Large);
  EXPECT_EQ(X.NumSmall, NumSmall);
  EXPECT_EQ(X.Small, Small);
}

/// What holds of every covering.
void expectWellFormed(const Covering &X) {
  EXPECT_EQ(X.Large == 0, X.NumLarge == 0);
  EXPECT_EQ(X.Small == 0, X.NumSmall == 0);
  if (X.NumSmall) {
    EXPECT_LT(X.Small, X.Large);
  }
}

TEST(BalancedSplit, AsEqualAsPossible) {
  expect(balancedSplit(34, 12), 1, 12, 2, 11);
  expect(balancedSplit(17, 14), 1, 9, 1, 8);
  expect(balancedSplit(24, 12), 2, 12, 0, 0);
  expect(balancedSplit(5, 12), 1, 5, 0, 0);
  expect(balancedSplit(1, 1), 1, 1, 0, 0);
  expect(balancedSplit(0, 12), 0, 0, 0, 0);
}

TEST(BalancedSplit, InWholeVectors) {
  // 53 rows are 7 registers of 8: 24 + 16 + 13.
  expect(balancedSplit(53, 24, 8), 1, 24, 2, 16);
  expect(balancedSplit(33, 24, 8), 1, 24, 1, 16);
  expect(balancedSplit(48, 24, 8), 2, 24, 0, 0);
  expect(balancedSplit(1, 24, 8), 1, 8, 0, 0);
}

TEST(BalancedSplit, AsTheKernelSplitsRows) {
  // KernelFrame::splitRows: whole tiles of three registers, but steps of two
  // at the end if one register would be left over.
  constexpr unsigned VL = 8, MR = 3 * VL;
  for (unsigned Rows = 1; Rows <= 300; ++Rows) {
    unsigned Rest = Rows % MR, Regular = Rows - Rest;
    bool Thin = Rest && Rest <= VL && Rows > MR;
    std::vector<unsigned> Kernel((Thin ? Regular - MR : Regular) / MR, MR);
    if (Thin)
      Kernel.insert(Kernel.end(), 2, MR - VL);
    else if (Rest)
      Kernel.push_back((Rest + VL - 1) / VL * VL);
    Covering X = balancedSplit(Rows, MR, VL);
    std::vector<unsigned> Tiles(X.NumLarge, X.Large);
    Tiles.insert(Tiles.end(), X.NumSmall, X.Small);
    EXPECT_EQ(Tiles, Kernel) << Rows;
  }
}

TEST(BalancedSplit, FewestTilesNothingLeftOver) {
  for (unsigned Granule : {1, 2, 4, 8})
    for (unsigned Max = Granule; Max <= 5 * Granule; Max += Granule)
      for (unsigned Extent = 1; Extent <= 200; ++Extent) {
        Covering X = balancedSplit(Extent, Max, Granule);
        expectWellFormed(X);
        EXPECT_GE(X.covered(), Extent);
        EXPECT_LT(X.covered(), Extent + Granule);
        EXPECT_EQ(X.numTiles(), (Extent + Max - 1) / Max);
        EXPECT_LE(X.Large, Max);
        EXPECT_EQ(X.Large % Granule, 0u);
        if (X.Small) {
          EXPECT_EQ(X.Large - X.Small, Granule);
        }
      }
}

TEST(BalancedSplit, GoodSizesAreEnough) {
  // All sizes from Least to Max, if Max is at least twice that, less one.
  for (unsigned Least = 1; Least <= 12; ++Least)
    for (unsigned Max : {2 * Least - 1, 2 * Least, 2 * Least + 3})
      for (unsigned Extent = Least; Extent <= 300; ++Extent) {
        Covering X = balancedSplit(Extent, Max);
        EXPECT_GE(X.Small ? X.Small : X.Large, Least) << Extent << ' ' << Max;
      }
}

TEST(BalancedSplit, LargeExtents) {
  Covering X = balancedSplit(UINT64_C(1) << 40, 12);
  EXPECT_EQ(X.covered(), UINT64_C(1) << 40);
  EXPECT_EQ(X.Large, 12u);
  EXPECT_EQ(X.Small, 11u);
}

TEST(Combine, ExactlyWithTheFewest) {
  expect(*combine(34, 12, 11), 1, 12, 2, 11);
  expect(*combine(34, 11, 12), 1, 12, 2, 11);
  expect(*combine(43, 11, 7), 2, 11, 3, 7);
  expect(*combine(128, 12, 8), 10, 12, 1, 8);
  expect(*combine(40, 24, 16), 1, 24, 1, 16);
  expect(*combine(48, 24, 16), 2, 24, 0, 0);
  expect(*combine(16, 24, 16), 1, 16, 0, 0);
  expect(*combine(36, 12, 0), 3, 12, 0, 0);
  expect(*combine(36, 0, 12), 3, 12, 0, 0);
  expect(*combine(36, 12, 12), 3, 12, 0, 0);
  expect(*combine(0, 12, 8), 0, 0, 0, 0);
  EXPECT_FALSE(combine(17, 12, 8));
  EXPECT_FALSE(combine(37, 12, 0));
  EXPECT_FALSE(combine(37, 12, 12));
  EXPECT_FALSE(combine(5, 0, 0));
  EXPECT_FALSE(combine(1, 2, 3));
}

TEST(Combine, AgreesWithAllCounts) {
  for (unsigned First = 1; First <= 14; ++First)
    for (unsigned Second = 0; Second <= 14; ++Second)
      for (unsigned Extent = 1; Extent <= 120; ++Extent) {
        std::optional<unsigned> Fewest;
        for (unsigned X = 0; X * First <= Extent; ++X) {
          unsigned Rest = Extent - X * First;
          if (Second ? Rest % Second : Rest)
            continue;
          unsigned Tiles = X + (Second ? Rest / Second : 0);
          Fewest = std::min(Fewest.value_or(Tiles), Tiles);
        }
        std::optional<Covering> Found = combine(Extent, First, Second);
        ASSERT_EQ(Found.has_value(), Fewest.has_value())
            << Extent << ' ' << First << ' ' << Second;
        EXPECT_EQ(isMadeOf(Extent, First, Second), Fewest.has_value());
        if (!Found)
          continue;
        expectWellFormed(*Found);
        EXPECT_EQ(Found->covered(), Extent);
        EXPECT_EQ(Found->numTiles(), *Fewest);
      }
}

TEST(CoverBy, TheCheapest) {
  // Each tile costs what it covers, and 2 more for being called.
  TileSize Powers[] = {{8, 10}, {4, 6}, {2, 4}, {1, 3}};
  expect(coverBy(13, Powers), 2, 8, 0, 0); // 20; 8 + 5 * 1 costs 25
  expect(coverBy(12, Powers), 1, 8, 1, 4); // 16
  expect(coverBy(17, Powers), 2, 8, 1, 1); // 23
  expect(coverBy(3, Powers), 1, 4, 0, 0);  // 6; 2 + 1 costs 7
  expect(coverBy(0, Powers), 0, 0, 0, 0);
  // Without that, those that reach least beyond are the cheapest.
  TileSize Free[] = {{8, 8}, {5, 5}, {4, 4}};
  expect(coverBy(13, Free), 1, 8, 1, 5);
  expect(coverBy(18, Free), 1, 8, 2, 5);
}

TEST(CoverBy, AgreesWithAllCounts) {
  TileSize Sizes[] = {{12, 13}, {11, 13}, {7, 9}, {6, 9}, {1, 8}};
  for (unsigned Extent = 1; Extent <= 100; ++Extent) {
    uint64_t Least = UINT64_MAX;
    for (TileSize X : Sizes)
      for (TileSize Y : Sizes)
        for (unsigned NumX = 0; NumX <= Extent; ++NumX) {
          unsigned Xs = NumX * X.Size;
          unsigned NumY = Xs < Extent ? (Extent - Xs + Y.Size - 1) / Y.Size : 0;
          Least = std::min<uint64_t>(Least, NumX * X.Cost + NumY * Y.Cost);
        }
    Covering Found = coverBy(Extent, Sizes);
    expectWellFormed(Found);
    EXPECT_GE(Found.covered(), Extent);
    uint64_t Cost = 0;
    for (TileSize X : Sizes)
      Cost += (X.Size == Found.Large   ? Found.NumLarge
               : X.Size == Found.Small ? Found.NumSmall
                                       : 0) *
              X.Cost;
    EXPECT_EQ(Cost, Least) << Extent;
  }
}

TEST(KernelFamily, TheChosenTileIsAmongTheFastest) {
  for (auto [VL, Registers] : {std::pair(8, 32), {16, 32}, {4, 16}, {2, 64}}) {
    auto Family = kernelFamily(VL, Registers);
    auto [MR, NR] = chooseRegisterTile(VL, Registers, /*Temporaries=*/1);
    const KernelShape *Chosen = find_if(Family, [&, MR = MR, NR = NR](auto &X) {
      return X.MR == MR && X.NR == NR;
    });
    ASSERT_NE(Chosen, Family.end());
    EXPECT_EQ(Chosen->Percent, Family.front().Percent);
  }
}

TEST(KernelFamily, KnownFigures) {
  auto Family = kernelFamily(8, 32);
  auto Find = [&](unsigned MR, unsigned NR) {
    return find_if(
        Family, [&](const KernelShape &X) { return X.MR == MR && X.NR == NR; });
  };
  ASSERT_NE(Find(24, 8), Family.end());
  EXPECT_EQ(Find(24, 8)->Registers, 28u);
  EXPECT_EQ(Find(24, 8)->Percent, 100u);
  // Four sums wait for each other half of the time.
  EXPECT_EQ(Find(8, 4)->Percent, 50u);
  // 12 multiply-adds, 13 loads.
  EXPECT_EQ(Find(8, 12)->Percent, 92u);
  EXPECT_EQ(Find(32, 8), Family.end());
  for (const KernelShape &X : Family)
    EXPECT_LE(X.Registers, 32u);
  EXPECT_TRUE(kernelFamily(8, 2).empty());
}

} // namespace
