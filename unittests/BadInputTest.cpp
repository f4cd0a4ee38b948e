//===- BadInputTest.cpp - texts at random for every parser ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the text, it is accepted, or refused by one short line that can be
// printed. TILESMITH_ROUNDS in the environment is how many texts of each kind
// are tried.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>

using namespace llvm;
using namespace tilesmith;

namespace {

class Texts {
public:
  Texts(unsigned Seed, ArrayRef<StringRef> Words, ArrayRef<StringRef> Valid)
      : Rand(Seed), Words(Words), Valid(Valid) {}

  std::string next() {
    std::string Text;
    switch (upTo(4)) {
    case 0: // anything
      for (unsigned I = upTo(40); I; --I)
        Text += char(upTo(255));
      return Text;
    case 1: // words in any order
      for (unsigned I = upTo(8); I; --I)
        Text += Words[upTo(Words.size() - 1)];
      return Text;
    case 2: // very long
      for (unsigned I = 2000; I; --I)
        Text += Words[upTo(Words.size() - 1)];
      return Text;
    default:
      Text = Valid[upTo(Valid.size() - 1)].str();
      for (unsigned I = upTo(3); I; --I)
        change(Text);
      return Text;
    }
  }

private:
  size_t upTo(size_t Last) {
    return std::uniform_int_distribution<size_t>(0, Last)(Rand);
  }
  void change(std::string &Text) {
    size_t At = upTo(Text.size());
    switch (upTo(4)) {
    case 0:
      Text.insert(At, 1, char(upTo(255)));
      break;
    case 1:
      Text.erase(At, upTo(6));
      break;
    case 2:
      Text.insert(At, Words[upTo(Words.size() - 1)]);
      break;
    case 3:
      Text.insert(At, Text.substr(upTo(Text.size()), upTo(12)));
      break;
    case 4:
      Text.insert(At, std::string(upTo(80), char('0' + upTo(9))));
    }
  }

  std::mt19937 Rand;
  ArrayRef<StringRef> Words, Valid;
};

unsigned rounds() {
  const char *Rounds = std::getenv("TILESMITH_ROUNDS");
  return Rounds ? std::atoi(Rounds) : 3000;
}

/// A complaint is for people.
void expectClear(Error E, StringRef Text) {
  std::string What = toString(std::move(E));
  EXPECT_FALSE(What.empty());
  EXPECT_LT(What.size(), 500u) << "of a text of " << Text.size();
  EXPECT_TRUE(all_of(What, isPrint)) << What;
}

constexpr StringRef SchemeWords[] = {"packed",
                                     "unpacked",
                                     "small",
                                     "tile=",
                                     "24x8",
                                     "+16x8",
                                     "mc=",
                                     "nc=",
                                     "kc=",
                                     "168",
                                     "2048",
                                     "pack-a=",
                                     "pack-b=",
                                     "n>512",
                                     "m>",
                                     "|",
                                     "span>",
                                     "always",
                                     "never",
                                     "edge=",
                                     "pad",
                                     "mask",
                                     "min-work",
                                     "min-m=",
                                     "group=",
                                     " ",
                                     "\n",
                                     "#",
                                     "=",
                                     "x",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "-1",
                                     "0",
                                     "@",
                                     "\t",
                                     "+",
                                     "0x10",
                                     "1e3"};
constexpr StringRef Schemes[] = {
    "packed tile=24x8+16x8 mc=168 nc=2048 kc=256 pack-a=n>512|span>786432 "
    "pack-b=m>384|span>786432 edge=mask min-work=125 min-m=2 min-k=2",
    "unpacked tile=12x4 edge=pad", "small tile=16x8 min-work=1",
    "group=2 kc=10 # comment\n mc=32 nc=12"};

TEST(BadInput, Schemes) {
  Texts Any(1, SchemeWords, Schemes);
  for (unsigned I = rounds(); I; --I) {
    std::string Text = Any.next();
    Expected<Scheme> S = Scheme::parse(Text);
    if (!S) {
      expectClear(S.takeError(), Text);
      continue;
    }
    // What it prints is a scheme, and the same one.
    Expected<Scheme> Again = Scheme::parse(S->str());
    ASSERT_TRUE(bool(Again)) << Text << '\n' << toString(Again.takeError());
    EXPECT_EQ(S->str(), Again->str()) << Text;
  }
}

constexpr StringRef TableWords[] = {"GEMM",       "sum of GEMMs",
                                    " ",          "f64",
                                    "i32",        "512",
                                    "*x*x*",      "32x32x32",
                                    "mmk",        "m-k",
                                    "x",          "*",
                                    ":",          "#",
                                    "\n",         "\r\n",
                                    "4294967296", "18446744073709551616",
                                    "-1",         "packed",
                                    "tile=24x8",  "\t",
                                    "f",          "99999999999"};
constexpr StringRef Tables[] = {
    "# AMD EPYC, 2026-11-21\n"
    "GEMM f64 512 32x32x32 mmk: small tile=16x8 min-work=1   # 90 GFLOP/s\n"
    "GEMM f64 512 *x*x* mmk: packed tile=24x8 mc=168 nc=2048 kc=256\n",
    "sum of GEMMs f32 256 *x8x* m--: unpacked\n\nSYRK i32 128 1x*x2 -nk: mc=8"};

TEST(BadInput, Tables) {
  Texts Any(2, TableWords, Tables);
  for (unsigned I = rounds(); I; --I) {
    std::string Text = Any.next();
    Expected<TuningTable> T = TuningTable::parse(Text);
    if (!T) {
      expectClear(T.takeError(), Text);
      continue;
    }
    for (const TuningTable::Entry &E : T->entries()) {
      Expected<TuningKey> Key = TuningKey::parse(E.For.str());
      ASSERT_TRUE(bool(Key)) << Text << '\n' << toString(Key.takeError());
      EXPECT_EQ(Key->str(), E.For.str()) << Text;
    }
  }
}

constexpr StringRef OptionWords[] = {"enable",
                                     "verify",
                                     "strategy",
                                     "layout",
                                     "dispatch",
                                     "plan",
                                     "tuning",
                                     "mr",
                                     "nr",
                                     "min-work",
                                     "l1",
                                     "read-a",
                                     "off",
                                     "=",
                                     ";",
                                     "blas",
                                     "packed",
                                     "0",
                                     "1",
                                     "-1",
                                     "0x",
                                     "0b2",
                                     " ",
                                     "99999999999999999999",
                                     "\n",
                                     "1 ",
                                     "cpu",
                                     "/nowhere",
                                     "@",
                                     "@/",
                                     "",
                                     "@@",
                                     "tuning=/",
                                     "plan=@/dev/null",
                                     "tuning=/dev/null"};
constexpr StringRef OptionLists[] = {
    "mr=16;nr=6",
    "off",
    "verify;min-work=1;plan=packed tile=24x8 mc=168;l1=32768",
    "strategy=blas;layout=row;dispatch=cpu",
    "plan=@/nowhere/plan;tuning=/nowhere",
    "vector-bits=256;read-a=1;read-b=1;mc=0x10;nc=48;kc=24"};

TEST(BadInput, Options) {
  Texts Any(3, OptionWords, OptionLists);
  for (unsigned I = rounds(); I; --I) {
    std::string Text = Any.next();
    if (Expected<Options> O = Options().with(Text); !O)
      expectClear(O.takeError(), Text);
  }
}

TEST(BadInput, Files) {
  SmallString<64> Folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("tilesmith", Folder));
  std::string Missing = (Folder + "/missing").str();
  for (StringRef File : {Folder.str(), StringRef(Missing), StringRef("")}) {
    Expected<Scheme> S = Scheme::parseOrRead(("@" + File).str());
    EXPECT_FALSE(bool(S)) << File.str();
    expectClear(S.takeError(), File);
    auto T = TuningTable::read(File);
    EXPECT_FALSE(bool(T)) << File.str();
    expectClear(T.takeError(), File);
  }
  sys::fs::remove(Folder);
}

} // namespace
