//===- TuningTest.cpp - plans that were measured --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Tuning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilesmith;

namespace {

/// What is printed of a key, or the complaint.
std::string printedAgain(StringRef Text) {
  Expected<TuningKey> Key = TuningKey::parse(Text);
  return Key ? Key->str() : toString(Key.takeError());
}

TuningTable table(StringRef Text) {
  Expected<TuningTable> Table = TuningTable::parse(Text);
  if (Table)
    return std::move(*Table);
  ADD_FAILURE() << toString(Table.takeError());
  return TuningTable();
}

/// The scheme that a table has for a nest, or "none".
std::string lookUp(const TuningTable &Table, StringRef Nest) {
  Expected<TuningKey> Key = TuningKey::parse(Nest);
  if (!Key) {
    ADD_FAILURE() << toString(Key.takeError());
    return "";
  }
  const TuningTable::Entry *Found = Table.find(*Key);
  return Found ? Found->ChosenScheme.str() : "none";
}

TEST(Tuning, KeysPrintWhatTheyParse) {
  for (const char *Text :
       {"GEMM f64 512 *x*x* mmk", "SYRK f32 256 8x*x16 ---",
        "sum of GEMMs i32 128 1x2x3 nkn", "triangular GEMM f16 64 *x*x7 m-k"})
    EXPECT_EQ(printedAgain(Text), Text);
  EXPECT_EQ(printedAgain("  GEMM\tf64  512 8x8x8   mmk "),
            "GEMM f64 512 8x8x8 mmk");
}

TEST(Tuning, FieldsAreThoseOfTheWords) {
  TuningTable Table = table("# AMD\n\nsum of GEMMs f32 256 8x*x16 mk-: "
                            "tile=24x4 kc=7 # 90 GFLOP/s: good\r\n");
  ASSERT_EQ(Table.entries().size(), 1u);
  const auto &[Key, ChosenScheme] = Table.entries().front();
  EXPECT_EQ(Key.Kind, "sum of GEMMs");
  EXPECT_EQ(Key.Type, "f32");
  EXPECT_EQ(Key.VectorBits, 256u);
  EXPECT_EQ(Key.Extent[M], 8u);
  EXPECT_FALSE(Key.Extent[N]);
  EXPECT_EQ(Key.Extent[K], 16u);
  EXPECT_EQ(Key.Layout, "mk-");
  EXPECT_EQ(ChosenScheme.str(), "tile=24x4 kc=7");
}

TEST(Tuning, TheMostSpecificEntryWins) {
  TuningTable Table = table("GEMM f64 512 *x*x* mmk: kc=1\n"
                            "GEMM f64 512 *x160x* mmk: kc=2\n"
                            "GEMM f64 512 80x*x* mmk: kc=3\n"
                            "GEMM f64 512 80x160x24 mmk: kc=4\n"
                            "GEMM f64 512 *x160x24 mmk: kc=5\n");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 *x*x* mmk"), "kc=1");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 *x160x* mmk"), "kc=2");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 80x*x* mmk"), "kc=3");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 80x160x24 mmk"), "kc=4");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 *x160x24 mmk"), "kc=5");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 100x160x24 mmk"), "kc=5");
  // Of two as specific, the first.
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 80x160x* mmk"), "kc=2");
}

TEST(Tuning, AllOfTheKeyCounts) {
  TuningTable Table = table("GEMM f64 512 8x*x* mmk: kc=1");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 8x*x* mmk"), "kc=1");
  for (const char *Nest : {"SYRK f64 512 8x*x* mmk", "GEMM f32 512 8x*x* mmk",
                           "GEMM f64 256 8x*x* mmk", "GEMM f64 512 8x*x* mkk",
                           "GEMM f64 512 9x*x* mmk", "GEMM f64 512 *x*x* mmk"})
    EXPECT_EQ(lookUp(Table, Nest), "none") << Nest;
}

TEST(Tuning, StarsAreNotForSmallConstants) {
  TuningTable Table = table("GEMM f64 512 *x*x* mmk: kc=1");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 65x1000x* mmk"), "kc=1");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 64x1000x* mmk"), "none");
  EXPECT_EQ(lookUp(Table, "GEMM f64 512 *x*x1 mmk"), "none");
}

TEST(Tuning, ComplaintsSayWhereAndWhy) {
  const std::string NoExtents = "' is not three extents as 8x*x16, each a "
                                "number from 1 on or '*'";
  const std::string NoWidth =
      "' is no width of a vector: a power of two between 64 and 2048";
  const std::pair<const char *, std::string> Table[] = {
      {"\n# x\n  GEMM f64 512 8x8x8 mmk",
       "line 3, column 25: there is no ':' between a key and a scheme"},
      {" f64 512 8x8x8 mmk: kc=1",
       "line 1, column 2: a key is a kind, a type, the bits of a vector, "
       "extents and a layout, as GEMM f64 512 8x*x16 mmk"},
      {":", "line 1, column 1: a key is a kind, a type, the bits of a vector, "
            "extents and a layout, as GEMM f64 512 8x*x16 mmk"},
      {"GEMM double 512 8x8x8 mmk:",
       "line 1, column 6: 'double' is none of f64, f32, f16, i64, i32"},
      {"# x\nGEMM f65 512 8x8x8 mmk: kc=1",
       "line 2, column 6: 'f65' is none of f64, f32, f16, i64, i32"},
      {"gemm f64 512 8x8x8 mmk:",
       "line 1, column 1: 'gemm' is none of GEMM, SYRK, SYR2K, SYMM, TRMM, "
       "triangular GEMM, sum of GEMMs, complex GEMM, GEMV, filter, pairwise "
       "reduction, complex triangular GEMM, complex TRMM, complex GEMV"},
      {"sum of  GEMMs f64 512 8x8x8 mmk:",
       "line 1, column 1: 'sum of  GEMMs' is none of GEMM, SYRK, SYR2K, SYMM, "
       "TRMM, triangular GEMM, sum of GEMMs, complex GEMM, GEMV, filter, "
       "pairwise reduction, complex triangular GEMM, complex TRMM, complex "
       "GEMV"},
      {"\xEF\xBB\xBFGEMM f64 512 8x8x8 mmk:",
       "line 1, column 1: the file begins with a byte order mark; save it "
       "without one"},
      {"GEMM f64 wide 8x8x8 mmk:", "line 1, column 10: 'wide" + NoWidth},
      {"GEMM f64 500 8x8x8 mmk:", "line 1, column 10: '500" + NoWidth},
      {"GEMM f64 32 8x8x8 mmk:", "line 1, column 10: '32" + NoWidth},
      {"GEMM f64 512 8x8 mmk:", "line 1, column 14: '8x8" + NoExtents},
      {"GEMM f64 512 8x8x8x8 mmk:", "line 1, column 14: '8x8x8x8" + NoExtents},
      {"GEMM f64 512 8x0x8 mmk:", "line 1, column 14: '8x0x8" + NoExtents},
      {"GEMM f64 512 8x-1x? mmk:", "line 1, column 14: '8x-1x?" + NoExtents},
      {"GEMM f64 512 8x8x8 rrr:",
       "line 1, column 20: 'rrr' is no layout: the axis, m, n, k or -, along "
       "which each of C, A and B is adjacent"},
      {"GEMM f64 512 8x8x8 kmk:",
       "line 1, column 20: 'kmk' is no layout: the axis, m, n, k or -, along "
       "which each of C, A and B is adjacent"},
      {"GEMM f64 512 8x8x8 mmk: kc=1 mcc=4 # x",
       "line 1, column 30: unknown word 'mcc'; there are packed, unpacked, "
       "small, lanes, gathered, stream, filter, tile, group, mc, nc, kc, "
       "pack-a, "
       "pack-b, edge, "
       "min-work, "
       "min-mn, "
       "min-m, min-n, min-k"},
      {"GEMM f64 512 8x*x8 mmk: kc=1\nGEMM  f64 512 8x*x08 mmk: kc=2",
       "line 2, column 1: 'GEMM f64 512 8x*x8 mmk' has an entry already"},
  };
  for (auto [Text, Complaint] : Table) {
    Expected<TuningTable> T = TuningTable::parse(Text);
    EXPECT_FALSE(T) << Text;
    if (!T) {
      EXPECT_EQ(toString(T.takeError()), Complaint) << Text;
    }
  }
}

TEST(Tuning, LargeTablesAreReadFast) {
  // One entry for each of 2^18 keys: minutes, if each is compared with all.
  std::string Text;
  raw_string_ostream OS(Text);
  for (unsigned I = 0; I < 1 << 18; ++I)
    OS << "GEMM f64 512 " << 1 + I % 64 << 'x' << 1 + I / 64 % 64 << 'x'
       << 1 + I / 4096 << " mmk: kc=8\n";
  EXPECT_EQ(table(Text).entries().size(), 1u << 18);
}

TEST(Tuning, TruncatedTextIsNoTrouble) {
  StringRef Text = "sum of GEMMs f32 256 8x*x16 mk-: tile=24x4 # 9";
  for (size_t Begin = 0; Begin <= Text.size(); ++Begin)
    for (size_t End = Begin; End <= Text.size(); ++End) {
      // A copy, for what reads beyond its end to be found.
      Expected<TuningTable> T =
          TuningTable::parse(std::string(Text.slice(Begin, End)));
      if (!T) {
        EXPECT_TRUE(StringRef(toString(T.takeError())).starts_with("line 1, "));
      }
    }
}

TEST(Tuning, IsReadFromAFile) {
  SmallString<64> Path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("table", "tuning", Path));
  std::error_code EC;
  raw_fd_ostream(Path, EC) << "GEMM f64 512 8x8x8 mmk: kc=1\n";
  auto Table = TuningTable::read(Path);
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  EXPECT_EQ((*Table)->entries().size(), 1u);
  raw_fd_ostream(Path, EC) << "\nGEMM\n";
  Table = TuningTable::read(Path);
  ASSERT_FALSE(Table);
  EXPECT_EQ(toString(Table.takeError()),
            ("in '" + Path +
             "': line 2, column 5: there is no ':' between a key and a scheme")
                .str());
  sys::fs::remove(Path);
  Table = TuningTable::read(Path);
  ASSERT_FALSE(Table);
  EXPECT_NE(toString(Table.takeError()).find("cannot be read"),
            std::string::npos);
}

} // namespace
