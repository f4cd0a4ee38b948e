//===- WholeGroups.cpp - windows that are copied with more channels -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Planning/WholeGroups.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

namespace {

using Line = std::optional<unsigned>;

/// The indices of lines along \p P.
SmallVector<Line, 3> linesOf(const Gathering &Found, Dim P) {
  SmallVector<Line, 3> Lines{std::nullopt};
  append_range(Lines, Found.Chains[P]);
  return Lines;
}

/// The one border that moves with \p Step; two are one too many.
std::optional<SmallVector<unsigned, 1>> bordersAlong(const Access &Image,
                                                     unsigned Step) {
  SmallVector<unsigned, 1> Result;
  for (auto [I, Of] : enumerate(Image.Borders))
    if (!Of.OuterStride[Step]->isZero())
      Result.push_back(I);
  return Result.size() > 1 ? std::nullopt : std::optional(Result);
}

bool movesWith(const Border &Of, Dim P, Line Index) {
  return !(Index ? Of.OuterStride[*Index] : Of.Stride[P])->isZero();
}

/// Takes the line that belongs to \p Step out of \p Left; false if there is none.
bool takeLine(Directions &To, SmallVectorImpl<Line> &Left, const Access &Image,
              unsigned Step) {
  auto Borders = bordersAlong(Image, Step);
  if (!Borders)
    return false;
  auto Suits = [&](Line Index) {
    return all_of(enumerate(Image.Borders), [&](auto Of) {
      return movesWith(Of.value(), To.Image, Index) ==
             is_contained(*Borders, Of.index());
    });
  };
  auto *Found = find_if(Left, Suits);
  if (Found == Left.end())
    return false;
  To.Pairs.push_back(
      {*Found, Step,
       Borders->empty() ? std::nullopt : std::optional(Borders->front())});
  Left.erase(Found);
  return true;
}

} // namespace

std::optional<Directions> directionsOf(const Contraction &Op,
                                       const Gathering &Found) {
  const DataLayout &DL = Op.getDataLayout();
  Directions Result;
  Result.Image = Found.OfA ? M : N;
  const Dim Other = mirrored(Result.Image);
  const Term &T = Op.Terms.front();
  const Access &Image = Found.OfA ? T.A : T.B, &Weights = Found.OfA ? T.B : T.A;
  bool IsPossible = Found.OfA != Found.OfB && DL.isLittleEndian() &&
                    Image.isUnit(K, DL) &&
                    (Weights.isUnit(Other, DL) || Weights.isUnit(K, DL)) &&
                    !Found.Chains[K].empty() &&
                    all_of(seq<unsigned>(0, Op.Outer.size()),
                           [&](unsigned I) { return Found.contains(I); });
  if (!IsPossible)
    return std::nullopt;
  SmallVector<Line, 3> Left = linesOf(Found, Result.Image);
  for (unsigned Step : Found.Chains[K])
    if (!takeLine(Result, Left, Image, Step))
      return std::nullopt;
  Result.Others.assign(Left.begin(), Left.end());
  for (const Border &Of : Image.Borders)
    if (any_of(Left, [&](Line I) { return movesWith(Of, Result.Image, I); }))
      return std::nullopt;
  return Result;
}

bool Plan::fillsGroups(const Contraction &View) const {
  return mayHaveRaggedGroups(View) && directionsOf(View, *Gathered);
}

} // namespace tilesmith
