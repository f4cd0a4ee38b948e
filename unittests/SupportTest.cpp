//===- SupportTest.cpp - tilesmith::Options -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Options.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Type.h"
#include "llvm/Support/CommandLine.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <string>

using namespace llvm;
using tilesmith::Options;

namespace {

/// The options, or the ones a failed test must not have.
Options get(Expected<Options> E) {
  if (E)
    return *E;
  ADD_FAILURE() << toString(E.takeError());
  return Options();
}

std::string complaint(Expected<Options> E) {
  if (E)
    return "";
  return toString(E.takeError());
}

/// Sets TILESMITH while it lives.
struct Environment {
  explicit Environment(const char *Text) { setenv("TILESMITH", Text, 1); }
  ~Environment() { unsetenv("TILESMITH"); }
};

/// Gives the process a command line while it lives.
struct CommandLine {
  explicit CommandLine(std::initializer_list<const char *> Arguments) {
    SmallVector<const char *> Argv{"test"};
    Argv.append(Arguments);
    cl::ParseCommandLineOptions(Argv.size(), Argv.data());
  }
  ~CommandLine() { cl::ResetAllOptionOccurrences(); }
};

TEST(Options, DefaultsAreInRange) {
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  EXPECT_GE(uint64_t(Default), uint64_t(Min)) << Name;                         \
  EXPECT_LE(uint64_t(Default), uint64_t(Max)) << Name;                         \
  EXPECT_EQ(Options().Field, uint64_t(Default)) << Name;
#include "tilesmith/Planning/Options.def"
}

TEST(Options, EveryNameIsAccepted) {
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  EXPECT_EQ(get(Options().with(Name "=1")).Field, 1u) << Name;
#include "tilesmith/Planning/Options.def"
}

TEST(Options, EveryValueOfAChoiceIsAccepted) {
#define TILESMITH_CHOICE(Field, Name, Type, Values, Description)               \
  {                                                                            \
    SmallVector<StringRef> Texts;                                              \
    StringRef(Values).split(Texts, ',');                                       \
    EXPECT_EQ(unsigned(Options().Field), 0u) << Name;                          \
    for (auto [I, Text] : enumerate(Texts))                                    \
      EXPECT_EQ(size_t(get(Options().with((Name "=" + Text).str())).Field), I) \
          << Name;                                                             \
  }
#include "tilesmith/Planning/Options.def"
  EXPECT_EQ(get(Options().with("strategy=eigen")).Strategy,
            tilesmith::Strategy::Eigen);
  EXPECT_EQ(get(Options().with("layout=row")).Layout, tilesmith::Layout::Row);
}

TEST(Options, WidthsArePowersOfTwo) {
  for (unsigned Bits : {0, 64, 128, 2048})
    EXPECT_EQ(
        get(Options().with("vector-bits=" + std::to_string(Bits))).VectorBits,
        Bits);
  for (const char *Bits : {"1", "7", "32", "100", "384", "4096", "wide", ""})
    EXPECT_EQ(complaint(Options().with(std::string("vector-bits=") + Bits)),
              std::string("value '") + Bits +
                  "' of Tilesmith option 'vector-bits' is not 0 or a power of "
                  "two between 64 and 2048");
}

TEST(Options, NoOtherValueOfAChoiceIsAccepted) {
  for (const char *Text : {"strategy=", "strategy", "strategy=1",
                           "strategy=BLAS", "strategy=bla", "strategy=blas,"})
    EXPECT_NE(complaint(Options().with(Text)), "") << Text;
  EXPECT_EQ(complaint(Options().with("strategy=mkl")),
            "value 'mkl' of Tilesmith option 'strategy' is not one of packed, "
            "blas, eigen");
}

TEST(Options, SchemesAreParsed) {
  Options O = get(Options().with("mr=8;plan=tile=16x4 pack-a=n>5|span>6;nr=2"));
  EXPECT_EQ(O.Plan.str(), "tile=16x4 pack-a=n>5|span>6");
  EXPECT_EQ(O.NR, 2u);
  // The later one is not added to the one before.
  EXPECT_EQ(get(O.with("plan=kc=7")).Plan.str(), "kc=7");
  EXPECT_EQ(get(O.with("plan=")).Plan.str(), "");
  EXPECT_EQ(complaint(O.with("plan=kc=0")),
            "value 'kc=0' of Tilesmith option 'plan' is not a scheme: column "
            "4: '0' is not a number between 1 and 1048576");
  CommandLine L({"-tilesmith-plan=packed kc=5"});
  Environment E("plan=unpacked");
  EXPECT_EQ(get(Options::fromProcess()).Plan.str(), "packed kc=5");
}

TEST(Options, ListSetsWhatItNames) {
  Options O = get(Options().with("mr=16;nr=6"));
  EXPECT_EQ(O.MR, 16u);
  EXPECT_EQ(O.NR, 6u);
  EXPECT_EQ(O.KC, Options().KC);
}

TEST(Options, LaterItemWins) {
  EXPECT_EQ(get(Options().with("mr=16;mr=8")).MR, 8u);
  EXPECT_EQ(get(get(Options().with("mr=16")).with("nr=4")).MR, 16u);
}

TEST(Options, EmptyItemsAndSpacesAreIgnored) {
  EXPECT_EQ(get(Options().with("; mr=16 ;;")).MR, 16u);
  EXPECT_EQ(get(Options().with("")).MR, Options().MR);
}

TEST(Options, NameAloneMeansOne) {
  EXPECT_EQ(get(Options().with("verify")).Verify, 1u);
}

TEST(Options, OffDisables) {
  for (const char *Text : {"off", "OFF", "Off", " off ", "0", "mr=8;0"})
    EXPECT_EQ(get(Options().with(Text)).Enable, 0u) << Text;
  EXPECT_EQ(complaint(Options().with("false")),
            "unknown Tilesmith option 'false'; 'off' turns Tilesmith off");
  EXPECT_EQ(complaint(Options().with("min_work=8")),
            "unknown Tilesmith option 'min_work'; did you mean 'min-work'?");
  EXPECT_EQ(get(Options().with("off;enable")).Enable, 1u);
}

TEST(Options, HexadecimalValues) {
  EXPECT_EQ(get(Options().with("l2=0x100000")).L2, 1048576u);
}

TEST(Options, NonsenseIsAnErrorThatNamesIt) {
  EXPECT_NE(complaint(Options().with("mrr=16")).find("'mrr'"),
            std::string::npos);
  for (const char *Text : {"mr=many", "mr=", "mr=-1", "mr=257", "mr=1.5",
                           "mr=16x", "enable=2", "nr=99999999999999999999999"})
    EXPECT_NE(complaint(Options().with(Text)), "") << Text;
  std::string C = complaint(Options().with("mr=many"));
  EXPECT_NE(C.find("'mr'"), std::string::npos) << C;
  EXPECT_NE(C.find("'many'"), std::string::npos) << C;
}

TEST(Options, EnvironmentThenCommandLine) {
  EXPECT_EQ(get(Options::fromProcess()).MR, Options().MR);
  Environment E("mr=16;nr=6");
  EXPECT_EQ(get(Options::fromProcess()).MR, 16u);
  CommandLine L({"-tilesmith-mr=24"});
  Options O = get(Options::fromProcess());
  EXPECT_EQ(O.Strategy, tilesmith::Strategy::Packed);
  EXPECT_EQ(O.MR, 24u);
  EXPECT_EQ(O.NR, 6u);
}

TEST(Options, ChoiceOnTheCommandLine) {
  Environment E("strategy=blas;layout=column");
  CommandLine L({"-tilesmith-strategy=eigen"});
  Options O = get(Options::fromProcess());
  EXPECT_EQ(O.Strategy, tilesmith::Strategy::Eigen);
  EXPECT_EQ(O.Layout, tilesmith::Layout::Column);
}

TEST(Options, ErrorsSayWhereTheyComeFrom) {
  Environment E("mr=many");
  EXPECT_NE(complaint(Options::fromProcess()).find("TILESMITH"),
            std::string::npos);
}

TEST(Options, NonsenseOnTheCommandLine) {
  CommandLine L({"-tilesmith-mr=many"});
  EXPECT_NE(complaint(Options::fromProcess()).find("many"), std::string::npos);
}

TEST(Options, FunctionAttributeOverrides) {
  LLVMContext Context;
  Module M("test", Context);
  Function *F =
      Function::Create(FunctionType::get(Type::getVoidTy(Context), false),
                       Function::ExternalLinkage, "f", M);
  Options O = get(Options().with("mr=16;nr=6"));
  EXPECT_EQ(get(O.forFunction(*F)).MR, 16u);
  F->addFnAttr("tilesmith", "mr=8");
  EXPECT_EQ(get(O.forFunction(*F)).MR, 8u);
  EXPECT_EQ(get(O.forFunction(*F)).NR, 6u);
  F->addFnAttr("tilesmith", "off");
  EXPECT_EQ(get(O.forFunction(*F)).Enable, 0u);
  F->addFnAttr("tilesmith", "nonsense");
  EXPECT_NE(complaint(O.forFunction(*F)), "");
}

} // namespace
