//===- Scheme.cpp - a plan as text ----------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Scheme.h"
#include "tilesmith/Planning/Covering.h"
#include "tilesmith/Support/Quoted.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A word `name=number`.
struct NumberWord {
  StringLiteral Name;
  uint64_t &(*FieldOf)(Scheme &);
  uint64_t Unsaid, Max;
};

constexpr uint64_t MaxBlock = 1 << 20, MaxGroup = 64;
constexpr unsigned MaxRows = 1024, MaxColumns = 128;

constexpr NumberWord BlockWords[] = {
    {"group", [](Scheme &S) -> uint64_t & { return S.Group; }, 0, MaxGroup},
    {"mc", [](Scheme &S) -> uint64_t & { return S.MC; }, 0, MaxBlock},
    {"nc", [](Scheme &S) -> uint64_t & { return S.NC; }, 0, MaxBlock},
    {"kc", [](Scheme &S) -> uint64_t & { return S.KC; }, 0, MaxBlock},
};

constexpr NumberWord BreakEvenWords[] = {
    {"min-work", [](Scheme &S) -> uint64_t & { return S.MinWork; }, 0,
     UINT64_MAX},
    {"min-mn", [](Scheme &S) -> uint64_t & { return S.MinElements; }, 1,
     UINT64_MAX},
    {"min-m", [](Scheme &S) -> uint64_t & { return S.MinExtent[M]; }, 1,
     UINT64_MAX},
    {"min-n", [](Scheme &S) -> uint64_t & { return S.MinExtent[N]; }, 1,
     UINT64_MAX},
    {"min-k", [](Scheme &S) -> uint64_t & { return S.MinExtent[K]; }, 1,
     UINT64_MAX},
};

/// A word that says what kernel it is.
struct KindWord {
  StringLiteral Name;
  KernelKind Kind;
};

constexpr KindWord KindWords[] = {
    {"packed", KernelKind::Blocked},    {"unpacked", KernelKind::Blocked},
    {"small", KernelKind::Small},       {"lanes", KernelKind::Lanes},
    {"gathered", KernelKind::Gathered}, {"stream", KernelKind::Stream},
    {"filter", KernelKind::Filter},
};

const KindWord *findKind(StringRef Name) {
  const KindWord *Found =
      find_if(KindWords, [&](const KindWord &W) { return W.Name == Name; });
  return Found == std::end(KindWords) ? nullptr : Found;
}

const NumberWord *findWord(ArrayRef<NumberWord> Words, StringRef Name) {
  const NumberWord *Found =
      find_if(Words, [&](const NumberWord &W) { return W.Name == Name; });
  return Found == Words.end() ? nullptr : Found;
}

class Parser {
public:
  explicit Parser(StringRef Text) : Text(Text) {}

  Expected<Scheme> parse() {
    for (StringRef Word = next(); !Word.empty(); Word = next())
      if (Error E = parseWord(Word))
        return E;
    if (Error E = checkMeaning())
      return E;
    if (Error E = checkTiles())
      return E;
    return Result;
  }

private:
  /// The next word, or "" at the end.
  StringRef next() {
    constexpr StringLiteral Blanks = " \t\r\n";
    for (;;) {
      Pos = Text.find_first_not_of(Blanks, Pos);
      if (Pos == StringRef::npos)
        return "";
      if (Text[Pos] != '#')
        break;
      Pos = Text.find('\n', Pos);
    }
    StringRef Word = Text.drop_front(Pos).take_until(
        [&](char C) { return C == '#' || Blanks.contains(C); });
    Pos += Word.size();
    return Word;
  }

  /// \p Where is a part of the text.
  Error fail(StringRef Where, const Twine &What) const {
    StringRef Before = Text.take_front(Where.data() - Text.data());
    size_t LineBegin = Before.rfind('\n') + 1; // npos + 1 is zero.
    std::string Place =
        ("column " + Twine(Before.size() - LineBegin + 1) + ": ").str();
    if (Text.rtrim().contains('\n'))
      Place = ("line " + Twine(Before.count('\n') + 1) + ", " + Place).str();
    return createStringError(Place + What);
  }

  Error parseWord(StringRef Word) {
    auto [Name, Value] = Word.split('=');
    const KindWord *IsKind = findKind(Name);
    if (!IsKind && !isName(Name))
      return fail(
          Word,
          "unknown word " + quoted(Name) + "; there are " +
              join(map_range(KindWords,
                             [](const KindWord &W) { return W.Name.str(); }),
                   ", ") +
              ", tile, group, mc, nc, kc, pack-a, pack-b, edge, min-work, "
              "min-mn, min-m, min-n, min-k");
    if (IsKind && Word.contains('='))
      return fail(Word, quoted(Name) + " takes no value");
    if (!IsKind && Value.empty())
      return fail(Word, quoted(Name) + " needs a value");
    if (!Words.insert({Name, Word}).second)
      return fail(Word, quoted(Name) + " is said twice");
    if (IsKind)
      return setKind(*IsKind);
    if (Name == "tile")
      return parseTiles(Value);
    if (Name == "pack-a")
      return parseRule(Value, "n", Result.PackA);
    if (Name == "pack-b")
      return parseRule(Value, "m", Result.PackB);
    if (Name == "edge")
      return parseEdge(Value);
    if (const NumberWord *W = findWord(BlockWords, Name))
      return parseNumber(Value, W->Max, W->FieldOf(Result));
    // What is not said of the break-even is not demanded.
    const NumberWord *W = findWord(BreakEvenWords, Name);
    if (!Result.MinWork)
      Result.MinWork = 1;
    return parseNumber(Value, W->Max, W->FieldOf(Result));
  }

  static bool isName(StringRef Name) {
    return is_contained({"tile", "pack-a", "pack-b", "edge"}, Name) ||
           findWord(BlockWords, Name) || findWord(BreakEvenWords, Name);
  }

  Error setKind(const KindWord &Said) {
    for (const auto &[Other, Where] : Words)
      if (Other != Said.Name && !Where.contains('='))
        return fail(Words[Said.Name], quoted(Said.Name) + " after " +
                                          quoted(Other) + ": one is enough");
    Result.Kind = Said.Kind;
    return Error::success();
  }

  template <typename T>
  Error parseNumber(StringRef Text, uint64_t Max, T &Into) {
    uint64_t Value;
    if (Text.getAsInteger(10, Value) || Value < 1 || Value > Max)
      return fail(Text, quoted(Text) + " is not a number between 1 and " +
                            Twine(Max));
    Into = Value;
    return Error::success();
  }

  Error parseTile(StringRef Text, unsigned &Rows, unsigned &Columns) {
    auto [First, Second] = Text.split('x');
    if (!Text.contains('x'))
      return fail(Text, quoted(Text) +
                            " is not a tile of rows x columns, as 24x8 is");
    if (Error E = parseNumber(First, MaxRows, Rows))
      return E;
    return parseNumber(Second, MaxColumns, Columns);
  }

  Error parseTiles(StringRef Text) {
    auto [First, Second] = Text.split('+');
    if (Error E = parseTile(First, Result.MR, Result.NR))
      return E;
    if (!Text.contains('+'))
      return Error::success();
    if (Error E = parseTile(Second, Result.SecondMR, Result.SecondNR))
      return E;
    if ((Result.MR == Result.SecondMR) == (Result.NR == Result.SecondNR))
      return fail(Second, "the two tiles must differ either in rows or in "
                          "columns");
    return Error::success();
  }

  Error parseRule(StringRef Text, StringRef Extent,
                  std::optional<PackingRule> &Into) {
    if (Text == "always") {
      Into = PackingRule::always();
      return Error::success();
    }
    Into = PackingRule::never();
    if (Text == "never")
      return Error::success();
    SmallVector<StringRef, 2> Conditions;
    Text.split(Conditions, '|');
    for (StringRef Condition : Conditions) {
      auto [Name, Limit] = Condition.split('>');
      bool IsSpan = Name == "span";
      if (!Condition.contains('>') || (!IsSpan && Name != Extent))
        return fail(Condition, quoted(Condition) + " is not one of always, " +
                                   "never, " + Extent + ">number, span>number");
      uint64_t &Field = IsSpan ? Into->SpanAbove : Into->ExtentAbove;
      if (Field != PackingRule::Unlimited)
        return fail(Condition, quoted(Name) + " is said twice");
      if (Error E = parseNumber(Limit, PackingRule::Unlimited - 1, Field))
        return E;
    }
    return Error::success();
  }

  Error parseEdge(StringRef Text) {
    if (Text != "pad" && Text != "mask")
      return fail(Text, quoted(Text) + " is not one of pad, mask");
    Result.Edge = Text == "mask" ? EdgeKind::Mask : EdgeKind::Pad;
    return Error::success();
  }

  /// No word may be said that means nothing beside another.
  Error checkMeaning() {
    for (const auto &[Name, Word] : Words) {
      for (StringRef Kind : {"small", "stream", "filter"})
        if (Words.contains(Kind) && Name != Kind && Name != "tile" &&
            !findWord(BreakEvenWords, Name))
          return fail(Word,
                      quoted(Name) + " means nothing with " + quoted(Kind));
      if (Words.contains("lanes") && is_contained({"group", "edge"}, Name))
        return fail(Word, quoted(Name) + " means nothing with 'lanes'");
      if (Words.contains("unpacked") && Name.starts_with("pack-"))
        return fail(Word, quoted(Name) + " means nothing with 'unpacked'");
    }
    for (StringRef Kind : {"small", "lanes", "stream", "filter"})
      if (Words.contains(Kind) && Result.SecondMR)
        return fail(Words["tile"], "with " + quoted(Kind) +
                                       ", there is the largest tile only");
    if (Words.contains("unpacked"))
      Result.PackA = Result.PackB = PackingRule::never();
    return Error::success();
  }

  /// A block must be tiles, if those are known.
  Error checkTiles() {
    if (!Result.MR)
      return Error::success();
    if (Error E =
            checkBlock("mc", Result.MC, Result.MR, Result.SecondMR, "rows"))
      return E;
    return checkBlock("nc", Result.NC, Result.NR, Result.SecondNR, "columns");
  }

  Error checkBlock(StringRef Name, uint64_t Block, unsigned First,
                   unsigned Second, StringRef Unit) {
    if (!Block || isMadeOf(Block, First, Second))
      return Error::success();
    if (!Second || Second == First)
      return fail(Words[Name], quoted(Name) + " is no multiple of the tile's " +
                                   Twine(First) + " " + Unit);
    return fail(Words[Name], quoted(Name) + " is no sum of tiles of " +
                                 Twine(First) + " and " + Twine(Second) + " " +
                                 Unit);
  }

  StringRef Text;
  size_t Pos = 0;
  /// By name, the words so far.
  MapVector<StringRef, StringRef> Words;
  Scheme Result;
};

} // namespace

Expected<Scheme> Scheme::parse(StringRef Text) { return Parser(Text).parse(); }

Expected<Scheme> Scheme::parseOrRead(StringRef Text) {
  if (!Text.consume_front("@"))
    return parse(Text);
  auto File = MemoryBuffer::getFile(Text, /*IsText=*/true);
  if (!File)
    return createStringError(quoted(Text) +
                             " cannot be read: " + File.getError().message());
  Expected<Scheme> Result = parse((*File)->getBuffer());
  if (!Result)
    return createStringError("in " + quoted(Text) + ": " +
                             toString(Result.takeError()));
  return Result;
}

std::string str(const PackingRule &Rule, StringRef Extent) {
  if (Rule.isAlways() || Rule.isNever())
    return Rule.isAlways() ? "always" : "never";
  SmallVector<std::string, 2> Conditions;
  if (Rule.ExtentAbove != PackingRule::Unlimited)
    Conditions.push_back((Extent + ">" + Twine(Rule.ExtentAbove)).str());
  if (Rule.SpanAbove != PackingRule::Unlimited)
    Conditions.push_back(("span>" + Twine(Rule.SpanAbove)).str());
  return join(Conditions, "|");
}

Scheme Scheme::orElse(const Scheme &Other) const {
  const Scheme Unsaid;
  auto IsBlocked = [&](const Scheme &S) {
    return S.Kind == KernelKind::Blocked || S.MC || S.NC || S.KC || S.PackA ||
           S.PackB || S.Edge != Unsaid.Edge;
  };
  if ((isSmall() && IsBlocked(Other)) || (Other.isSmall() && IsBlocked(*this)))
    return *this;
  if (hasLanes() != Other.hasLanes() || isStreamed() != Other.isStreamed() ||
      isFilter() != Other.isFilter())
    return *this;
  Scheme Result = *this, Rest = Other;
  if (Kind == KernelKind::Undecided)
    Result.Kind = Other.Kind;
  if (!MR) {
    Result.MR = Other.MR;
    Result.NR = Other.NR;
    Result.SecondMR = Other.SecondMR;
    Result.SecondNR = Other.SecondNR;
  }
  for (const NumberWord &W : BlockWords)
    if (uint64_t &Field = W.FieldOf(Result); Field == W.Unsaid)
      Field = W.FieldOf(Rest);
  if (!PackA)
    Result.PackA = Other.PackA;
  if (!PackB)
    Result.PackB = Other.PackB;
  if (Edge == Unsaid.Edge)
    Result.Edge = Other.Edge;
  if (!MinWork)
    for (const NumberWord &W : BreakEvenWords)
      W.FieldOf(Result) = W.FieldOf(Rest);
  return Result;
}

Scheme Scheme::breakEven() const {
  Scheme Result;
  Result.MinWork = MinWork;
  Result.MinElements = MinElements;
  Result.MinExtent = MinExtent;
  return Result;
}

std::string Scheme::str() const {
  SmallVector<std::string, 12> Words;
  auto Say = [&](const Twine &Word) { Words.push_back(Word.str()); };
  auto SayNumbers = [&](ArrayRef<NumberWord> Which) {
    Scheme Copy = *this;
    for (const NumberWord &W : Which)
      if (uint64_t Value = W.FieldOf(Copy); Value != W.Unsaid)
        Say(W.Name + "=" + Twine(Value));
  };
  if (isUnpacked())
    Say("unpacked");
  else if (Kind != KernelKind::Undecided)
    Say(find_if(KindWords, [&](const KindWord &W) {
          return W.Kind == Kind;
        })->Name);
  if (SecondMR)
    Say("tile=" + Twine(MR) + "x" + Twine(NR) + "+" + Twine(SecondMR) + "x" +
        Twine(SecondNR));
  else if (MR)
    Say("tile=" + Twine(MR) + "x" + Twine(NR));
  SayNumbers(BlockWords);
  if (PackA && !isUnpacked())
    Say("pack-a=" + tilesmith::str(*PackA, "n"));
  if (PackB && !isUnpacked())
    Say("pack-b=" + tilesmith::str(*PackB, "m"));
  if (Edge != EdgeKind::Undecided)
    Say(Edge == EdgeKind::Mask ? "edge=mask" : "edge=pad");
  SayNumbers(BreakEvenWords);
  return join(Words, " ");
}

} // namespace tilesmith
