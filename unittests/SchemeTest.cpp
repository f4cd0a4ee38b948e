//===- SchemeTest.cpp - a plan as text ------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Scheme.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace tilesmith;

namespace {

/// What is printed of what is parsed, or the complaint.
std::string again(StringRef Text) {
  Expected<Scheme> S = Scheme::parse(Text);
  return S ? S->str() : toString(S.takeError());
}

/// In the order in which they are printed.
const char *const WellFormed[] = {
    "",
    "packed",
    "unpacked",
    "small tile=12x5",
    "lanes tile=4x4 mc=8 kc=6 pack-b=always",
    "small tile=12x5 min-work=216 min-k=4",
    "gathered tile=24x8 mc=48 kc=100",
    "tile=24x8",
    "tile=24x8+16x8",
    "tile=24x8+24x6 nc=30",
    "mc=7",
    "packed tile=48x8 group=4 kc=2048",
    ("packed tile=24x8 mc=336 nc=4096 kc=256 pack-a=n>64|span>327680 "
     "pack-b=m>216|span>327680 min-work=2197 min-mn=16 min-n=2 min-k=4"),
    "unpacked tile=16x4 mc=16 nc=4 kc=1",
    "packed pack-a=never pack-b=always",
    "pack-a=never pack-b=never",
    "pack-a=span>1 pack-b=m>18446744073709551614",
    "tile=24x8+16x8 mc=40 nc=8 edge=mask",
    "min-work=1",
    "min-work=1 min-mn=2 min-m=3 min-n=4 min-k=5",
    "min-work=18446744073709551615",
};

TEST(Scheme, PrintsWhatItParses) {
  for (const char *Text : WellFormed)
    EXPECT_EQ(again(Text), Text);
}

TEST(Scheme, FieldsAreThoseOfTheWords) {
  Expected<Scheme> S =
      Scheme::parse("packed tile=24x8+16x8 group=2 mc=40 nc=16 kc=5 "
                    "pack-a=n>6|span>7 pack-b=never "
                    "edge=mask min-work=8 min-mn=9 min-m=10 min-n=11 min-k=12");
  ASSERT_TRUE(bool(S)) << toString(S.takeError());
  EXPECT_EQ(S->Kind, KernelKind::Blocked);
  EXPECT_EQ(S->Group, 2u);
  EXPECT_EQ(S->MR, 24u);
  EXPECT_EQ(S->NR, 8u);
  EXPECT_EQ(S->SecondMR, 16u);
  EXPECT_EQ(S->SecondNR, 8u);
  EXPECT_EQ(S->MC, 40u);
  EXPECT_EQ(S->NC, 16u);
  EXPECT_EQ(S->KC, 5u);
  EXPECT_EQ(S->PackA->ExtentAbove, 6u);
  EXPECT_EQ(S->PackA->SpanAbove, 7u);
  EXPECT_TRUE(S->PackB->isNever());
  EXPECT_EQ(S->Edge, EdgeKind::Mask);
  EXPECT_EQ(S->MinWork, 8u);
  EXPECT_EQ(S->MinElements, 9u);
  EXPECT_EQ(S->MinExtent, (PerDim<uint64_t>{10, 11, 12}));
}

TEST(Scheme, OrderBlanksAndCommentsDoNotMatter) {
  EXPECT_EQ(again("  kc=5\ttile=24x8\r\n\nmc=48 # a comment, kc=7\n#another\n"
                  "packed#and another"),
            "packed tile=24x8 mc=48 kc=5");
  EXPECT_EQ(again("#"), "");
  EXPECT_EQ(again("pack-a=span>3|n>2"), "pack-a=n>2|span>3");
  EXPECT_EQ(again("packed pack-b=never pack-a=never"), "unpacked");
  EXPECT_EQ(again("edge=pad"), "edge=pad");
  EXPECT_EQ(again("min-k=4"), "min-work=1 min-k=4");
  EXPECT_EQ(again("kc=0007"), "kc=7");
}

TEST(Scheme, ComplaintsSayWhereAndWhy) {
  const std::pair<const char *, const char *> Table[] = {
      {"tile=24x8 mcc=5",
       "column 11: unknown word 'mcc'; there are packed, unpacked, small, "
       "lanes, gathered, stream, filter, tile, group, mc, nc, kc, pack-a, "
       "pack-b, "
       "edge, "
       "min-work, min-mn, min-m, min-n, min-k"},
      {"kc=0", "column 4: '0' is not a number between 1 and 1048576"},
      {"tile=0x8", "column 6: '0' is not a number between 1 and 1024"},
      {"tile=8x0", "column 8: '0' is not a number between 1 and 128"},
      {"tile=8x129", "column 8: '129' is not a number between 1 and 128"},
      {"kc=-1", "column 4: '-1' is not a number between 1 and 1048576"},
      {"kc=99999999999999999999",
       "column 4: '99999999999999999999' is not a number between 1 and "
       "1048576"},
      {"kc=", "column 1: 'kc' needs a value"},
      {"kc", "column 1: 'kc' needs a value"},
      {"packed=1", "column 1: 'packed' takes no value"},
      {"kc=4 kc=4", "column 6: 'kc' is said twice"},
      {"packed unpacked", "column 8: 'unpacked' after 'packed': one is enough"},
      {"packed packed", "column 8: 'packed' is said twice"},
      {"tile=24", "column 6: '24' is not a tile of rows x columns, as 24x8 is"},
      {"tile=24x8+",
       "column 11: '' is not a tile of rows x columns, as 24x8 is"},
      {"tile=24x8x2", "column 9: '8x2' is not a number between 1 and 128"},
      {"tile=24x8+24x8",
       "column 11: the two tiles must differ either in rows or in columns"},
      {"tile=24x8+16x4",
       "column 11: the two tiles must differ either in rows or in columns"},
      {"tile=24x8 mc=100",
       "column 11: 'mc' is no multiple of the tile's 24 rows"},
      {"nc=12 tile=24x8",
       "column 1: 'nc' is no multiple of the tile's 8 columns"},
      {"tile=24x8+16x8 mc=52",
       "column 16: 'mc' is no sum of tiles of 24 and 16 rows"},
      {"tile=24x8+24x6 mc=36",
       "column 16: 'mc' is no multiple of the tile's 24 rows"},
      {"pack-a=m>5", "column 8: 'm>5' is not one of always, never, n>number, "
                     "span>number"},
      {"pack-b=m>5|n>6", "column 12: 'n>6' is not one of always, never, "
                         "m>number, span>number"},
      {"pack-b=m>5|m>6", "column 12: 'm' is said twice"},
      {"pack-a=n>0", "column 10: '0' is not a number between 1 and "
                     "18446744073709551614"},
      {"pack-a=n>5|", "column 12: '' is not one of always, never, n>number, "
                      "span>number"},
      {"pack-a=always|n>5", "column 8: 'always' is not one of always, never, "
                            "n>number, span>number"},
      {"edge=none", "column 6: 'none' is not one of pad, mask"},
      {"unpacked pack-a=always",
       "column 10: 'pack-a' means nothing with 'unpacked'"},
      {"mc=48 small", "column 1: 'mc' means nothing with 'small'"},
      {"small edge=mask", "column 7: 'edge' means nothing with 'small'"},
      {"small tile=8x4+16x4",
       "column 7: with 'small', there is the largest tile only"},
      {"edge=pad lanes", "column 1: 'edge' means nothing with 'lanes'"},
      {"lanes tile=4x4+2x4",
       "column 7: with 'lanes', there is the largest tile only"},
      {"tile=24x8\n  kc=many # depth\n",
       "line 2, column 6: 'many' is not a number between 1 and 1048576"},
  };
  for (auto [Text, Complaint] : Table) {
    Expected<Scheme> S = Scheme::parse(Text);
    EXPECT_FALSE(S) << Text;
    if (!S) {
      EXPECT_EQ(toString(S.takeError()), Complaint) << Text;
    }
  }
}

TEST(Scheme, BreakEvenAlone) {
  Scheme S =
      cantFail(Scheme::parse("unpacked tile=16x4 kc=5 min-mn=6 min-k=7"));
  EXPECT_EQ(S.breakEven().str(), "min-work=1 min-mn=6 min-k=7");
  EXPECT_EQ(cantFail(Scheme::parse("unpacked kc=5")).breakEven().str(), "");
}

TEST(Scheme, WhatIsLeftOpenIsTakenFromAnother) {
  const char *Table[][3] = {
      {"", "packed tile=24x8 kc=5 min-k=7",
       "packed tile=24x8 kc=5 min-work=1 min-k=7"},
      {"tile=16x4 min-k=3", "packed tile=24x8+16x8 kc=5 min-mn=7",
       "packed tile=16x4 kc=5 min-work=1 min-k=3"},
      {"packed mc=48", "tile=24x8 mc=24 nc=8 kc=5 edge=mask",
       "packed tile=24x8 mc=48 nc=8 kc=5 edge=mask"},
      {"pack-a=n>4", "unpacked", "packed pack-a=n>4 pack-b=never"},
      {"packed", "unpacked", "unpacked"},
      {"tile=16x4", "small tile=8x3", "small tile=16x4"},
      // What cannot go together is not mixed.
      {"kc=4", "small tile=8x3", "kc=4"},
      {"packed", "small tile=8x3", "packed"},
      {"small", "tile=8x4 kc=5", "small"},
      {"small", "tile=8x4", "small tile=8x4"},
      {"lanes", "packed kc=4", "lanes"},
      {"kc=4", "lanes tile=4x4", "kc=4"},
  };
  for (auto [Text, Other, Both] : Table)
    EXPECT_EQ(cantFail(Scheme::parse(Text))
                  .orElse(cantFail(Scheme::parse(Other)))
                  .str(),
              Both)
        << Text << ", or else " << Other;
}

TEST(Scheme, IsReadFromAFile) {
  SmallString<64> Path;
  int FD;
  ASSERT_FALSE(sys::fs::createTemporaryFile("scheme", "txt", FD, Path));
  {
    raw_fd_ostream File(FD, /*shouldClose=*/true);
    File << "# for this machine\ntile=24x8\nkc=many\n";
  }
  Expected<Scheme> S = Scheme::parseOrRead(("@" + Path).str());
  ASSERT_FALSE(S);
  EXPECT_EQ(toString(S.takeError()),
            ("in '" + Path +
             "': line 3, column 4: 'many' is not a number between 1 and "
             "1048576")
                .str());
  std::error_code EC;
  raw_fd_ostream(Path, EC) << "# for this machine\ntile=24x8 # tall\n";
  S = Scheme::parseOrRead(("@" + Path).str());
  ASSERT_TRUE(bool(S)) << toString(S.takeError());
  EXPECT_EQ(S->str(), "tile=24x8");
  sys::fs::remove(Path);
  S = Scheme::parseOrRead(("@" + Path).str());
  ASSERT_FALSE(S);
  EXPECT_NE(toString(S.takeError()).find("cannot be read"), std::string::npos);
  S = Scheme::parseOrRead("tile=16x4");
  ASSERT_TRUE(bool(S)) << toString(S.takeError());
}

/// Whatever is accepted is printed as something that is accepted and printed as
/// the same, and whatever is not has a place.
void expectStable(StringRef Text) {
  Expected<Scheme> S = Scheme::parse(Text);
  if (!S) {
    std::string Complaint = toString(S.takeError());
    EXPECT_NE(Complaint.find("column "), std::string::npos)
        << Text.str() << ": " << Complaint;
    return;
  }
  EXPECT_EQ(again(S->str()), S->str()) << Text.str();
  EXPECT_TRUE(S->MR ? S->NR : !S->NR);
  EXPECT_TRUE(!S->MC || !S->MR || S->SecondMR || S->MC % S->MR == 0);
}

TEST(Scheme, TruncatedTextIsNoTrouble) {
  for (StringRef Text : WellFormed)
    for (size_t Begin = 0; Begin <= Text.size(); ++Begin)
      for (size_t End = Begin; End <= Text.size(); ++End)
        // A copy, for what reads beyond its end to be found.
        expectStable(std::string(Text.slice(Begin, End)));
}

TEST(Scheme, MutatedTextIsNoTrouble) {
  std::mt19937 Random(1);
  auto Below = [&](size_t Limit) { return Random() % Limit; };
  const StringRef Pieces[] = {"=",  "x",  "+",  "|",      ">",     " ",
                              "\n", "#",  "0",  "1",      "9",     "-",
                              "n>", "m>", "kc", "packed", "tile=", "span>"};
  for (unsigned Round = 0; Round < 20000; ++Round) {
    std::string Text = WellFormed[Below(std::size(WellFormed))];
    for (unsigned Changes = 1 + Below(4); Changes; --Changes) {
      size_t At = Below(Text.size() + 1);
      switch (Below(4)) {
      case 0:
        Text.insert(At, Pieces[Below(std::size(Pieces))].str());
        break;
      case 1:
        Text.erase(At, 1 + Below(3));
        break;
      case 2:
        if (At < Text.size())
          Text[At] = char(Below(256));
        break;
      default:
        StringRef Other = WellFormed[Below(std::size(WellFormed))];
        Text.replace(At, Below(8),
                     Other.substr(Below(Other.size() + 1), Below(12)).str());
      }
    }
    expectStable(Text);
  }
}

} // namespace
