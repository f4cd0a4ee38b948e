//===- Tuning.cpp - plans that were measured ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/Tuning.h"
#include "tilesmith/Idiom/Contraction.h"
#include "tilesmith/Support/Quoted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tilesmith {

//===-- Keys --------------------------------------------------------------===//

/// The axis along which \p X is adjacent: one of \p First and \p Second.
static char axisOf(const Access &X, Dim First, Dim Second,
                   const DataLayout &DL) {
  for (Dim D : {First, Second})
    if (X.isUnit(D, DL))
      return "mnk"[D];
  return '-';
}

TuningKey TuningKey::of(const Contraction &View, unsigned VectorBits) {
  const DataLayout &DL = View.getDataLayout();
  TuningKey Key;
  Key.Kind = View.kind().str();
  Key.Type = typeName(View.SumTy);
  Key.VectorBits = VectorBits;
  for (Dim D : {M, N, K})
    Key.Extent[D] = View.constantExtent(D);
  const Term &First = View.Terms.front();
  Key.Layout = {axisOf(View.C, M, N, DL), axisOf(First.A, M, K, DL),
                axisOf(First.B, N, K, DL)};
  return Key;
}

static Error failAt(size_t Position, const Twine &What) {
  return createStringError("column " + Twine(Position + 1) + ": " + What);
}

static Error parseExtents(StringRef Text, size_t Position,
                          PerDim<std::optional<uint64_t>> &Into) {
  SmallVector<StringRef, 3> Words;
  Text.split(Words, 'x');
  uint64_t Value = 0;
  auto IsExtent = [&](StringRef Word) {
    return Word == "*" || (!Word.getAsInteger(10, Value) && Value);
  };
  if (Words.size() != NumDims || !all_of(Words, IsExtent))
    return failAt(Position, quoted(Text) +
                                " is not three extents as 8x*x16, each a "
                                "number from 1 on or '*'");
  for (Dim D : {M, N, K})
    if (IsExtent(Words[D]) && Words[D] != "*")
      Into[D] = Value;
  return Error::success();
}

Expected<TuningKey> TuningKey::parse(StringRef Text) {
  // From its end on, as a kind may be several words.
  SmallVector<std::pair<StringRef, size_t>, 4> Words;
  StringRef Rest = Text.rtrim();
  while (Words.size() < 4) {
    auto Begin = Rest.find_last_of(" \t") + 1; // npos + 1 is zero.
    Words.push_back({Rest.drop_front(Begin), Begin});
    Rest = Rest.take_front(Begin).rtrim();
  }
  constexpr StringLiteral Types[] = {"f64", "f32", "f16", "i64", "i32"};
  constexpr unsigned Narrowest = 64, Widest = 2048;
  size_t KindAt = std::min(Text.find_first_not_of(" \t"), Text.size());
  if (Rest.empty())
    return failAt(KindAt, "a key is a kind, a type, the bits of a vector, "
                          "extents and a layout, as GEMM f64 512 8x*x16 mmk");
  TuningKey Key;
  Key.Kind = Rest.ltrim().str();
  if (!is_contained(Contraction::kinds(), Key.Kind))
    return failAt(KindAt, quoted(Key.Kind) + " is none of " +
                              join(Contraction::kinds(), ", "));
  auto [Layout, LayoutAt] = Words[0];
  auto [Extents, ExtentsAt] = Words[1];
  auto [Bits, BitsAt] = Words[2];
  auto [Type, TypeAt] = Words[3];
  Key.Type = Type.str();
  if (!is_contained(Types, Type))
    return failAt(TypeAt,
                  quoted(Type) + " is none of " + join(ArrayRef(Types), ", "));
  if (Bits.getAsInteger(10, Key.VectorBits) || !isPowerOf2_32(Key.VectorBits) ||
      Key.VectorBits < Narrowest || Key.VectorBits > Widest)
    return failAt(BitsAt, quoted(Bits) + " is no width of a vector: a power "
                                         "of two between 64 and 2048");
  if (Error E = parseExtents(Extents, ExtentsAt, Key.Extent))
    return E;
  Key.Layout = Layout.str();
  const StringRef Axes[] = {"mn-", "mk-", "nk-"};
  if (Layout.size() != 3 || !all_of(enumerate(Layout), [&](auto Axis) {
        return Axes[Axis.index()].contains(Axis.value());
      }))
    return failAt(LayoutAt, quoted(Layout) +
                                " is no layout: the axis, m, n, k or -, along "
                                "which each of C, A and B is adjacent");
  return Key;
}

bool TuningKey::matches(const TuningKey &Nest) const {
  constexpr uint64_t LargestSmall = 64;
  for (Dim D : {M, N, K})
    if (Extent[D] ? Extent[D] != Nest.Extent[D]
                  : Nest.Extent[D] && *Nest.Extent[D] <= LargestSmall)
      return false;
  return Kind == Nest.Kind && Type == Nest.Type &&
         VectorBits == Nest.VectorBits && Layout == Nest.Layout;
}

std::string TuningKey::str() const {
  SmallVector<std::string, 3> Extents;
  for (const auto &E : Extent)
    Extents.push_back(E ? std::to_string(*E) : "*");
  return Kind + " " + Type + " " + std::to_string(VectorBits) + " " +
         join(Extents, "x") + " " + Layout;
}

//===-- Tables ------------------------------------------------------------===//

const TuningTable::Entry *TuningTable::find(const TuningKey &Nest) const {
  const Entry *Best = nullptr;
  auto Constants = [](const Entry &E) {
    return count_if(E.For.Extent, [](const auto &X) { return X.has_value(); });
  };
  for (const Entry &E : Entries)
    if (E.For.matches(Nest) && (!Best || Constants(E) > Constants(*Best)))
      Best = &E;
  return Best;
}

/// What a line without its comment says.
static Expected<TuningTable::Entry> parseEntry(StringRef Line) {
  size_t Colon = Line.find(':');
  if (Colon == StringRef::npos)
    return failAt(Line.size(), "there is no ':' between a key and a scheme");
  Expected<TuningKey> Key = TuningKey::parse(Line.take_front(Colon));
  if (!Key)
    return Key.takeError();
  // Blanks in place of the key, for the columns to be those of the line.
  std::string Words(Colon + 1, ' ');
  Words += Line.drop_front(Colon + 1);
  Expected<Scheme> ChosenScheme = Scheme::parse(Words);
  if (!ChosenScheme)
    return ChosenScheme.takeError();
  return TuningTable::Entry{std::move(*Key), *ChosenScheme};
}

Expected<TuningTable> TuningTable::parse(StringRef Text) {
  // What some editors begin a file with.
  if (Text.starts_with("\xEF\xBB\xBF"))
    return createStringError("line 1, column 1: the file begins with a byte "
                             "order mark; save it without one");
  TuningTable Table;
  StringSet<> Keys;
  SmallVector<StringRef> Lines;
  Text.split(Lines, '\n');
  for (auto [Number, Whole] : enumerate(Lines)) {
    StringRef Line = Whole.split('#').first.rtrim();
    if (Line.empty())
      continue;
    Expected<Entry> E = parseEntry(Line);
    if (E && !Keys.insert(E->For.str()).second)
      E = failAt(0, quoted(E->For.str()) + " has an entry already");
    if (!E)
      return createStringError("line " + Twine(Number + 1) + ", " +
                               toString(E.takeError()));
    Table.Entries.push_back(std::move(*E));
  }
  return Table;
}

Expected<std::shared_ptr<const TuningTable>> TuningTable::read(StringRef File) {
  auto Buffer = MemoryBuffer::getFile(File, /*IsText=*/true);
  if (!Buffer)
    return createStringError(quoted(File) +
                             " cannot be read: " + Buffer.getError().message());
  Expected<TuningTable> Table = parse((*Buffer)->getBuffer());
  if (!Table)
    return createStringError("in " + quoted(File) + ": " +
                             toString(Table.takeError()));
  return std::make_shared<const TuningTable>(std::move(*Table));
}

} // namespace tilesmith
