//===- RoleSpace.cpp - diagonals and borders of a space -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoleFinder.h"
#include "Update.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The only border may be a diagonal, on one side of which nothing is done:
///   if (j <= i) c[i][j] += …              of C
///   if (k <= i) for j c[i][j] += …        of the steps, as in TRMM
bool RoleFinder::takeDiagonal() {
  IterationSpace &Space = Result.Space;
  if (Space.Borders.size() != 1 || Space.Domain || May.Apart || May.Saved ||
      May.Vector || Space.Borders[0].Extent != IterationSpace::withoutEnd(SE) ||
      In.bordersAround(Store).size() != In.Borders.size())
    return false;
  const AffineSum &Position = Space.Borders[0].Position;
  std::optional<unsigned> Down, Up; // X and Y of 0 <= X - Y + Offset
  for (auto [Axis, Step] : enumerate(Position.Step)) {
    if (!Step)
      continue;
    std::optional<Dim> D = Result.dimensionOf(Axis);
    bool IsOne = Step->isOne();
    std::optional<unsigned> &To = IsOne ? Down : Up;
    if (To || (!IsOne && !Step->isAllOnesValue()) || !D || *D == Batch ||
        !is_contained(Result.Axes[*D], Axis) || Result.Axes[*D].size() != 1)
      return false;
    To = Axis;
  }
  if (!Down || !Up)
    return false;
  IterationSpace::Diagonal Domain{*Down, *Up, /*Below=*/true, Position.Base};
  if ((Result.dimensionOf(*Down) == K || Result.dimensionOf(*Up) == K) &&
      !cutSteps(Domain))
    return false;
  Space.Domain = Domain;
  Space.DomainIsTested = true;
  Space.Borders.clear();
  return true;
}

/// Leaves out the steps that no row (or column) makes: the nest reads nothing of
/// them. \p Diagonal bounds the steps, and changes with where they begin.
bool RoleFinder::cutSteps(IterationSpace::Diagonal &Diagonal) {
  if (!Of.isInMemory() ||
      !allForms([](AffineForm &Form) { return !Form.Row && !Form.Chosen; }))
    return false;
  IterationSpace &Space = Result.Space;
  const SCEV *Zero = SE.getZero(Diagonal.Offset->getType());
  unsigned Steps = Result.Axes[K].front();
  if (Steps == Diagonal.Y) { // k <= m + offset
    Space.Last[Steps] =
        SE.getSMinExpr(Space.Last[Steps],
                       SE.getAddExpr(Space.Last[Diagonal.X], Diagonal.Offset));
  } else { // m <= k + offset
    const SCEV *First =
        SE.getSMaxExpr(Zero, SE.getNegativeSCEV(Diagonal.Offset));
    Diagonal.Offset = SE.getAddExpr(Diagonal.Offset, First);
    Space.beginAt(Steps, First);
  }
  Result.Last[K] = Space.Last[Steps];
  if (!SE.isKnownNonNegative(Result.Last[K]))
    Result.MustHold.push_back({ICmpInst::ICMP_SLE, Zero, Result.Last[K]});
  return changeForms();
}

/// An unsigned sum that begins in front of an image, or goes back, is negative in
/// places that \p Access does not touch: they are beyond a border. \p Check need
/// not hold there.
void RoleFinder::addPlaces(const Instruction &Access,
                           const AffineForm::NarrowSum &Sum,
                           WrapCheck &Check) const {
  const IterationSpace &Space = Result.Space;
  auto MayBeNegative = [&](const SCEV *S) {
    return S && !SE.isKnownNonNegative(S);
  };
  if (Sum.Signed || SE.getTypeSizeInBits(Sum.Start->getType()) != 64 ||
      !(MayBeNegative(Sum.Start) || any_of(Sum.Step, MayBeNegative)))
    return;
  for (auto [Border, Times] :
       Space.placesIn({Sum.Start, Sum.Step}, Access, In)) {
    WrapCheck::Place Place{Times, Border->Position.Base, {}};
    for (auto [OfSum, Step] : zip_equal(Sum.Step, Border->Position.Step))
      if (OfSum)
        Place.Steps.push_back(Step ? Step : SE.getZero(OfSum->getType()));
    Check.Places.push_back(std::move(Place));
  }
}

/// Whether rows and steps move the bordered factor as they move \p Position: it is
/// an image, of which windows overlap. In another one, a test leaves out steps that
/// a kernel would make, and it is made once for all columns where sums are in memory.
bool RoleFinder::isOfImage(const AffineSum &Position) const {
  const Roles::Factors &F = Result.Products.front();
  const AffineForm &Form = *Result.Bordered == M ? F.A : F.B;
  const SCEV *OfForm = nullptr, *OfPosition = nullptr;
  for (auto [OfX, Step] : zip(Form.Step, Position.Step)) {
    if (!Step)
      continue;
    if (!OfX)
      return false;
    const SCEV *OfP = SE.getTruncateOrSignExtend(Step, OfX->getType());
    if (OfForm && SE.getMulExpr(OfForm, OfP) != SE.getMulExpr(OfX, OfPosition))
      return false;
    OfForm = OfX;
    OfPosition = OfP;
  }
  return true;
}

/// All borders are those of one factor: a position is that of a window along rows
/// (or columns), and of a step in it. No two are along the same axis.
Refused RoleFinder::placeBorders() {
  if (takeDiagonal())
    return std::nullopt;
  SmallBitVector Seen(In.Chain.size());
  for (const IterationSpace::Inside &Border : Result.Space.Borders) {
    bool IsBand = Border.Extent != IterationSpace::withoutEnd(SE);
    const BranchInst *Branch = Border.Branches.front();
    Refusal No{Reason::Branch, Branch};
    bool HasSteps = false, HasLines = false;
    for (auto [Axis, Step] : enumerate(Border.Position.Step)) {
      if (!Step)
        continue;
      std::optional<Dim> D = Result.dimensionOf(Axis);
      if (!D || *D == Batch || Seen.test(Axis))
        return No;
      Seen.set(Axis);
      HasSteps |= *D == K;
      HasLines |= *D != K;
      if (*D == K)
        continue;
      if (Result.Bordered && *Result.Bordered != *D)
        return IsBand && !HasSteps ? Refusal{Reason::TwoDiagonals, Branch} : No;
      Result.Bordered = *D;
    }
    if (!HasSteps || !HasLines || Result.Products.size() > 1 || May.Apart ||
        May.Saved || (Of.isInMemory() && !isOfImage(Border.Position)))
      return IsBand ? Refusal{Reason::TwoDiagonals, Branch} : No;
  }
  return std::nullopt;
}

/// Whether the sums in memory are those of one row, or a part of it: the loops
/// around the one over k use the same elements again.
bool RoleFinder::isRowOfSums() {
  if (!Result.Space.isPlain() || Result.COverLoops.Row)
    return false;
  for (unsigned Loop = 0; Loop < In.Chain.size(); ++Loop)
    if (Result.COverLoops.dependsOn(Loop) != (Loop > Result.Loops[K].front()))
      return false;
  return true;
}

/// Whether more than three dimensions, if there are any, go with the domain and with
/// rows in tables.
bool RoleFinder::mayHaveOuter(bool HasRows) const {
  const IterationSpace &Space = Result.Space;
  // A diagonal bounds each product of a batch alike.
  bool HasMoreDimensions = any_of(Result.Outer, [&](auto Of) {
    return Of.first != Batch ||
           (Space.Domain &&
            (Of.second == Space.Domain->X || Of.second == Space.Domain->Y));
  });
  return Result.Outer.empty() ||
         ((Space.isPlain() || Space.IsGathered) && !HasRows &&
          !(Space.Domain && HasMoreDimensions));
}

/// Whether sums that are kept apart are made in the one loop over k.
bool RoleFinder::mayBeApart() {
  const IterationSpace &Space = Result.Space;
  auto IsMoved = [&](unsigned Axis) { return Space.moverOf(Axis).has_value(); };
  bool HasRow = any_of(seq<unsigned>(In.Chain.size()), IsMoved);
  return Result.Loops[K].size() == 1 &&
         (Space.isPlainBut(Result.Loops[K].front()) ||
          (HasRow && !Of.isInMemory())) &&
         (!Of.isInMemory() || isRowOfSums());
}

} // namespace tilesmith
