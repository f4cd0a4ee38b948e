//===- Options.cpp - what a user can set ----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Options.h"
#include "tilesmith/Support/Quoted.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <optional>

using namespace llvm;

namespace tilesmith {

namespace {

/// Reads \p Text into \p Value; if it is not a value of the option, returns
/// what that would be, and otherwise "".
std::string parseNumber(StringRef Text, uint64_t Min, uint64_t Max,
                        uint64_t &Value) {
  if (!Text.getAsInteger(0, Value) && Value >= Min && Value <= Max)
    return "";
  return ("a number between " + Twine(Min) + " and " + Twine(Max)).str();
}

/// The same of a power of two, or 0.
std::string parseWidth(StringRef Text, uint64_t Min, uint64_t Max,
                       uint64_t &Value) {
  if (parseNumber(Text, Min, Max, Value).empty() && isPowerOf2_64(Value))
    return "";
  if (!Text.getAsInteger(0, Value) && Value == 0)
    return "";
  return ("0 or a power of two between " + Twine(Min) + " and " + Twine(Max))
      .str();
}

template <typename T>
std::string parseChoice(StringRef Text, StringRef Values, T &Value) {
  SmallVector<StringRef> Names;
  Values.split(Names, ',');
  auto Chosen = find(Names, Text);
  Value = static_cast<T>(Chosen - Names.begin());
  return Chosen != Names.end() ? "" : "one of " + join(Names, ", ");
}

std::string parseScheme(StringRef Text, Scheme &Value) {
  Expected<Scheme> Parsed = Scheme::parseOrRead(Text);
  if (!Parsed)
    return "a scheme: " + toString(Parsed.takeError());
  Value = *Parsed;
  return "";
}

std::string parseTable(StringRef Text,
                       std::shared_ptr<const TuningTable> &Value) {
  auto Read = TuningTable::read(Text);
  if (!Read)
    return "a tuning table: " + toString(Read.takeError());
  Value = std::move(*Read);
  return "";
}

/// One row of Options.def.
struct OptionInfo {
  StringLiteral Name;
  std::string (*Parse)(StringRef Text, Options &Into);
};

constexpr OptionInfo AllOptions[] = {
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  {Name, [](StringRef Text, Options &Into) {                                   \
     return parseNumber(Text, Min, Max, Into.Field);                           \
   }},
#define TILESMITH_WIDTH(Field, Name, Min, Max, Description)                    \
  {Name, [](StringRef Text, Options &Into) {                                   \
     return parseWidth(Text, Min, Max, Into.Field);                            \
   }},
#define TILESMITH_CHOICE(Field, Name, Type, Values, Description)               \
  {Name, [](StringRef Text, Options &Into) {                                   \
     return parseChoice(Text, Values, Into.Field);                             \
   }},
#define TILESMITH_SCHEME(Field, Name, Description)                             \
  {Name, [](StringRef Text, Options &Into) {                                   \
     return parseScheme(Text, Into.Field);                                     \
   }},
#define TILESMITH_TABLE(Field, Name, Description)                              \
  {Name, [](StringRef Text, Options &Into) {                                   \
     return parseTable(Text, Into.Field);                                      \
   }},
#include "tilesmith/Planning/Options.def"
};

/// What the user may have meant.
std::string suggestionFor(StringRef Name) {
  // Not 'nr' of 'no', or 'mc' of 'm'.
  if (Name.size() < 3)
    return "; 'off' turns Tilesmith off";
  const unsigned MaxDistance = Name.size() / 3;
  StringRef Best = "off";
  unsigned Least = MaxDistance + 1;
  for (const OptionInfo &I : AllOptions)
    if (unsigned Distance = I.Name.edit_distance_insensitive(
            Name, /*AllowReplacements=*/true, MaxDistance);
        Distance < Least) {
      Best = I.Name;
      Least = Distance;
    }
  return Least <= MaxDistance ? ("; did you mean '" + Best + "'?").str()
                              : "; 'off' turns Tilesmith off";
}

cl::OptionCategory Category("Tilesmith options");

#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  cl::opt<std::string> Field##Option("tilesmith-" Name, cl::value_desc("n"),   \
                                     cl::desc(Description),                    \
                                     cl::cat(Category));
#define TILESMITH_WIDTH(Field, Name, Min, Max, Description)                    \
  TILESMITH_OPTION(Field, Name, , , , Description)
#define TILESMITH_CHOICE(Field, Name, Type, Values, Description)               \
  cl::opt<std::string> Field##Option(                                          \
      "tilesmith-" Name, cl::value_desc(Values), cl::desc(Description),        \
      cl::cat(Category));
#define TILESMITH_SCHEME(Field, Name, Description)                             \
  cl::opt<std::string> Field##Option(                                          \
      "tilesmith-" Name, cl::value_desc("scheme|@file"),                       \
      cl::desc(Description), cl::cat(Category));
#define TILESMITH_TABLE(Field, Name, Description)                              \
  cl::opt<std::string> Field##Option(                                          \
      "tilesmith-" Name, cl::value_desc("file"), cl::desc(Description),        \
      cl::cat(Category));
#include "tilesmith/Planning/Options.def"

} // namespace

Expected<Options> Options::with(StringRef List) const {
  Options Result = *this;
  SmallVector<StringRef> Items;
  List.split(Items, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    if (Item.trim().equals_insensitive("off") || Item.trim() == "0") {
      Result.Enable = 0;
      continue;
    }
    auto [Name, Text] = Item.trim().split('=');
    const OptionInfo *Info = find_if(
        AllOptions, [N = Name](const OptionInfo &I) { return I.Name == N; });
    if (Info == std::end(AllOptions))
      return createStringError("unknown Tilesmith option " + quoted(Name) +
                               suggestionFor(Name));
    StringRef Value = Item.contains('=') ? Text : "1";
    if (std::string Expected = Info->Parse(Value, Result); !Expected.empty())
      return createStringError("value " + quoted(Value) +
                               " of Tilesmith option '" + Name + "' is not " +
                               Expected);
  }
  return Result;
}

Expected<Options> Options::fromProcess() {
  Options Result;
  if (std::optional<std::string> Text = sys::Process::GetEnv("TILESMITH")) {
    Expected<Options> Parsed = Result.with(*Text);
    if (!Parsed)
      return createStringError("in the environment variable TILESMITH: " +
                               toString(Parsed.takeError()));
    Result = *Parsed;
  }

  std::string CommandLine;
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  if (Field##Option.getNumOccurrences())                                       \
    CommandLine += Name "=" + Field##Option + ";";
#define TILESMITH_WIDTH(Field, Name, Min, Max, Description)                    \
  TILESMITH_OPTION(Field, Name, , , , Description)
#define TILESMITH_CHOICE(Field, Name, Type, Values, Description)               \
  TILESMITH_OPTION(Field, Name, , , , Description)
#define TILESMITH_SCHEME(Field, Name, Description)                             \
  TILESMITH_OPTION(Field, Name, , , , Description)
#define TILESMITH_TABLE(Field, Name, Description)                              \
  TILESMITH_OPTION(Field, Name, , , , Description)
#include "tilesmith/Planning/Options.def"
  return Result.with(CommandLine);
}

Expected<Options> Options::forFunction(const Function &F) const {
  if (!F.hasFnAttribute("tilesmith"))
    return *this;
  Expected<Options> Result =
      with(F.getFnAttribute("tilesmith").getValueAsString());
  if (!Result)
    return createStringError("in the attribute \"tilesmith\" of function '" +
                             F.getName() +
                             "': " + toString(Result.takeError()));
  return Result;
}

} // namespace tilesmith
