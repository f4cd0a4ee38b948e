//===- Options.cpp - what a user can set ----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Process.h"
#include <optional>

using namespace llvm;

namespace tilesmith {

namespace {

/// One row of Options.def.
struct OptionInfo {
  StringLiteral Name;
  uint64_t Options::*Field;
  uint64_t Min, Max;
};

constexpr OptionInfo AllOptions[] = {
#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  {Name, &Options::Field, Min, Max},
#include "tilesmith/Support/Options.def"
};

/// Checks \p Text against the range of \p Info; returns a complaint, or "".
std::string parseValue(const OptionInfo &Info, StringRef Text,
                       uint64_t &Value) {
  if (!Text.getAsInteger(0, Value) && Value >= Info.Min && Value <= Info.Max)
    return "";
  return ("value '" + Text + "' of Tilesmith option '" + Info.Name +
          "' is not a number between " + Twine(Info.Min) + " and " +
          Twine(Info.Max))
      .str();
}

cl::OptionCategory Category("Tilesmith options");

#define TILESMITH_OPTION(Field, Name, Default, Min, Max, Description)          \
  cl::opt<std::string> Field##Option("tilesmith-" Name, cl::value_desc("n"),   \
                                     cl::desc(Description),                    \
                                     cl::cat(Category));
#include "tilesmith/Support/Options.def"

} // namespace

Expected<Options> Options::with(StringRef List) const {
  Options Result = *this;
  SmallVector<StringRef> Items;
  List.split(Items, ';', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef Item : Items) {
    auto [Name, Text] = Item.trim().split('=');
    if (Name == "off") {
      Result.Enable = 0;
      continue;
    }
    const OptionInfo *Info = find_if(
        AllOptions, [N = Name](const OptionInfo &I) { return I.Name == N; });
    if (Info == std::end(AllOptions))
      return createStringError("unknown Tilesmith option '" + Name + "'");
    bool HasValue = Item.contains('=');
    if (std::string Complaint =
            parseValue(*Info, HasValue ? Text : "1", Result.*(Info->Field));
        !Complaint.empty())
      return createStringError(Complaint);
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
#include "tilesmith/Support/Options.def"
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
