//===- Positions.cpp - the positions in an image that borders bound -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each comparison of a border (see Borders.cpp) says that an affine sum of
// counters is not negative. Two whose sum is the same everywhere bound one
// position, from zero to an extent.
//
//===----------------------------------------------------------------------===//

#include "Borders.h"
#include "SpaceBuilder.h"

using namespace llvm;

namespace tilesmith {

AffineSum SpaceBuilder::difference(const AffineSum &X,
                                   const AffineSum &Y) const {
  AffineSum Result{SE.getMinusSCEV(X.Base, Y.Base), {}};
  for (auto [Of, Less] : zip_equal(X.Step, Y.Step)) {
    const SCEV *Step = !Less ? Of
                       : Of  ? SE.getMinusSCEV(Of, Less)
                             : SE.getNegativeSCEV(Less);
    Result.Step.push_back(Step && Step->isZero() ? nullptr : Step);
  }
  return Result;
}

/// \p S over the loops, 64 bits wide.
std::optional<AffineSum> SpaceBuilder::positionOf(const SCEV *S, bool Signed) {
  const SCEV *Exact = exactly(In.resolve(S), Signed);
  std::optional<AffineForm> Form;
  if (Exact)
    Form = affineForm(Exact, In, In.Chain);
  if (!Form || Form->Row || !addChecks(*Form))
    return std::nullopt;
  return AffineSum(*Form);
}

/// Whether \p Border, known on both sides, begins where \p Position does, as
/// `p <= i && i < h + p` of unsigned numbers: from zero to h is i - p.
bool SpaceBuilder::beginsLater(IterationSpace::Inside &Border,
                               const AffineSum &Position) const {
  AffineSum Cut = difference(Border.Position, Position);
  if (!Border.Extent ||
      any_of(Cut.Step, [](const SCEV *Step) { return Step; }) ||
      !SE.isKnownNonNegative(Cut.Base))
    return false;
  Border.Position = Position;
  Border.Extent = SE.getMinusSCEV(Border.Extent, Cut.Base);
  return true;
}

/// \p Position must not be negative. Together with another one that is to be so,
/// it may bound a position on both sides.
void SpaceBuilder::addHalf(AffineSum Position, const BranchInst &Branch) {
  for (IterationSpace::Inside &Other : Space.Borders) {
    if (beginsLater(Other, Position)) {
      Other.Branches.push_back(&Branch);
      return;
    }
    AffineSum Sum = Position;
    Sum.Base = SE.getAddExpr(Sum.Base, Other.Position.Base);
    bool IsBound = !Other.Extent;
    for (auto [Step, Of] : zip_equal(Sum.Step, Other.Position.Step))
      IsBound &=
          (!Step && !Of) || (Step && Of && SE.getAddExpr(Step, Of)->isZero());
    if (!IsBound)
      continue;
    Other.Extent = SE.getAddExpr(Sum.Base, SE.getOne(I64));
    Other.Branches.push_back(&Branch);
    // Either is a position, counted from one end: the one that goes up.
    if (all_of(Position.Step, [&](const SCEV *Step) {
          return !Step || SE.isKnownPositive(Step);
        }))
      Other.Position = std::move(Position);
    return;
  }
  Space.Borders.push_back({std::move(Position), nullptr, {&Branch}});
}

/// Whether \p Sum is known not to be negative in any iteration.
bool SpaceBuilder::isNeverNegative(const AffineSum &Sum) const {
  const SCEV *Least = Sum.Base;
  for (auto [Step, Last] : zip(Sum.Step, Space.LastOfLoop)) {
    if (!Step || SE.isKnownNonNegative(Step))
      continue;
    if (!Step->isAllOnesValue())
      return false;
    Least = SE.getMinusSCEV(Least, Last);
  }
  return SE.isKnownNonNegative(Least);
}

/// What a maximum (or minimum) of signed numbers is made of, or \p S itself.
static ArrayRef<const SCEV *> partsOf(const SCEV *const &S, bool Max,
                                      ScalarEvolution &SE) {
  bool IsSigned = Max ? isa<SCEVSMaxExpr>(S) : isa<SCEVSMinExpr>(S);
  bool IsUnsigned = Max ? isa<SCEVUMaxExpr>(S) : isa<SCEVUMinExpr>(S);
  bool AreSame = IsUnsigned && all_of(S->operands(), [&](const SCEV *Part) {
                   return SE.isKnownNonNegative(Part);
                 });
  return IsSigned || AreSame ? S->operands() : ArrayRef(S);
}

/// A maximum is less than a minimum if each of its parts is less than each part of
/// that.
bool SpaceBuilder::addComparison(const BorderGuard &Guard,
                                 BorderGuard::Comparison Comparison) {
  auto [P, Low, High] = orderOf(Comparison, SE);
  auto IsNotNegative = [&](const SCEV *S) { return SE.isKnownNonNegative(S); };
  if (ICmpInst::isUnsigned(P) && isa<SCEVMinMaxExpr>(High) &&
      all_of(High->operands(), IsNotNegative) && IsNotNegative(Low))
    P = ICmpInst::getSignedPredicate(P);
  if (!ICmpInst::isSigned(P))
    return addOrder(Guard, P, Low, High);
  for (const SCEV *Part : partsOf(Low, /*Max=*/true, SE))
    for (const SCEV *Of : partsOf(High, /*Max=*/false, SE))
      if (!addOrder(Guard, P, Part, Of))
        return false;
  return true;
}

bool SpaceBuilder::addOrder(const BorderGuard &Guard, CmpInst::Predicate P,
                            const SCEV *Low, const SCEV *High) {
  auto Varies = [](const AffineSum &Sum) {
    return any_of(Sum.Step, [](const SCEV *Step) { return Step; });
  };
  std::optional<AffineSum> Less = positionOf(Low, /*Signed=*/true),
                           More = positionOf(High, /*Signed=*/true);
  if (More && Varies(*More) && ICmpInst::isUnsigned(P)) {
    // Of two counters that are not negative, as the guard tests.
    P = ICmpInst::getSignedPredicate(P);
    Less = positionOf(Low, /*Signed=*/false);
    More = positionOf(High, /*Signed=*/false);
  }
  if (!Less || !More)
    return false;
  const SCEV *One = SE.getOne(I64);
  AffineSum Half = difference(*More, *Less);
  if (ICmpInst::isUnsigned(P)) {
    // From zero on, if the bound is not negative.
    const SCEV *Extent =
        P == ICmpInst::ICMP_ULT ? More->Base : SE.getAddExpr(More->Base, One);
    require(ICmpInst::ICMP_SGE, Extent, constant(0));
    Space.Borders.push_back({std::move(*Less), Extent, {Guard.Branch}});
    return true;
  }
  bool MayBeEqual = ICmpInst::isLE(P);
  if (P == ICmpInst::ICMP_NE) {
    // The first one is never less: so it is greater.
    Half = difference(*Less, *More);
    if (!isNeverNegative(Half))
      return false;
  } else if (!MayBeEqual && !ICmpInst::isLT(P)) {
    return false;
  }
  if (!MayBeEqual)
    Half.Base = SE.getMinusSCEV(Half.Base, One);
  if (!Varies(Half))
    require(ICmpInst::ICMP_SGE, Half.Base, constant(0));
  else
    Halves.push_back({std::move(Half), Guard.Branch});
  return true;
}

/// What must hold in all iterations, where sums of counters are least.
bool SpaceBuilder::requireCertain() {
  for (const BorderGuard &Guard : In.Certain)
    for (const BorderGuard::Comparison &Comparison : Guard.Comparisons)
      if (Triangle || !addComparison(Guard, Comparison))
        return false;
  for (const auto &[Half, Branch] : Halves) {
    const SCEV *Least = Half.Base;
    for (auto [Step, Last] : zip(Half.Step, Space.LastOfLoop))
      if (Step)
        Least = SE.getAddExpr(
            Least, SE.getSMinExpr(SE.getMulExpr(Step, Last), SE.getZero(I64)));
    require(ICmpInst::ICMP_SGE, Least, constant(0));
  }
  Halves.clear();
  return Space.Borders.empty();
}

/// Whether \p Half follows from another one: bounds that are clipped have been
/// compared in front of their loop, too. Or from an unsigned comparison, which bounds
/// a position from both sides.
bool SpaceBuilder::isImplied(const AffineSum &Half) const {
  auto BoundsIt = [&](const IterationSpace::Inside &Border) {
    if (!Border.Extent)
      return false;
    AffineSum Last{SE.getMinusSCEV(Border.Extent, SE.getOne(I64)), {}};
    Last.Step.resize(Half.Step.size());
    AffineSum FromEnd = difference(Last, Border.Position);
    return isNeverNegative(difference(Half, Border.Position)) ||
           isNeverNegative(difference(Half, FromEnd));
  };
  if (any_of(Space.Borders, BoundsIt))
    return true;
  return any_of(Halves, [&](const auto &Other) {
    const AffineSum &By = Other.first;
    return By.Step != Half.Step && isNeverNegative(difference(Half, By));
  });
}

/// A nest whose bounds are clipped spends no time on what is outside, but a kernel
/// does: no clipped loop must be empty, and half of all positions inside.
void SpaceBuilder::requireMostInside(const IterationSpace::Inside &Border) {
  const SCEV *Zero = SE.getZero(I64), *Low = Border.Position.Base, *High = Low;
  const SCEV *Span = SE.getOne(I64), *OfClipped = Zero;
  for (auto [Step, Last] : zip(Border.Position.Step, Space.LastOfLoop)) {
    if (!Step)
      continue;
    // The innermost of these loops is the clipped one.
    Low = SE.getAddExpr(Low, SE.getSMinExpr(OfClipped, Zero));
    High = SE.getAddExpr(High, SE.getSMaxExpr(OfClipped, Zero));
    OfClipped = SE.getMulExpr(Step, Last);
    Span = SE.getAddExpr(Span, SE.getAbsExpr(OfClipped, /*IsNSW=*/false));
  }
  Low = SE.getAddExpr(Low, SE.getSMaxExpr(OfClipped, Zero));
  High = SE.getAddExpr(High, SE.getSMinExpr(OfClipped, Zero));
  require(ICmpInst::ICMP_SGE, Low, Zero);
  require(ICmpInst::ICMP_SLT, High, Border.Extent);
  require(ICmpInst::ICMP_SGE, SE.getMulExpr(constant(2), Border.Extent), Span);
}

const SCEV *IterationSpace::withoutEnd(ScalarEvolution &SE) {
  return SE.getConstant(APInt::getOneBitSet(64, PositionBits - 1));
}

/// The borders of the nest, over the axes.
Refused SpaceBuilder::addBorders() {
  if (!requireCertain())
    return Refusal{Reason::Branch, In.Certain.front().Branch};
  if (In.Borders.empty())
    return std::nullopt;
  for (const BorderGuard &Guard : In.Borders)
    for (const BorderGuard::Comparison &Comparison : Guard.Comparisons)
      if (Triangle || !addComparison(Guard, Comparison))
        return Refusal{Reason::Branch, Guard.Branch};
  for (const auto &[Half, Branch] : Halves)
    if (!isImplied(Half))
      addHalf(Half, *Branch);
  const SCEV *WithoutEnd = IterationSpace::withoutEnd(SE);
  for (IterationSpace::Inside &Border : Space.Borders) {
    if (Border.Extent)
      require(ICmpInst::ICMP_SGE, Border.Extent, constant(0));
    else
      Border.Extent = WithoutEnd;
    require(ICmpInst::ICMP_SLE, Border.Extent, WithoutEnd);
    Space.WrapChecks.push_back(
        Space.wrapCheck({Border.Position.Base, Border.Position.Step,
                         IterationSpace::PositionBits, /*Signed=*/true}));
    if (any_of(Border.Branches, [](const BranchInst *Branch) {
          return Branch->hasMetadata(ClippedMark);
        }))
      requireMostInside(Border);
    if (!Space.toAxes(Border.Position))
      return Refusal{Reason::Branch, Border.Branches.front()};
  }
  return std::nullopt;
}

/// \p S divided by \p By, as far as it is written as a product with that; null if it
/// is not.
static const SCEV *quotient(const SCEV *S, const SCEV *By,
                            ScalarEvolution &SE) {
  auto *Number = dyn_cast<SCEVConstant>(S), *Part = dyn_cast<SCEVConstant>(By);
  if (By->isOne())
    return S;
  if (Number && Part && !Part->isZero()) {
    APInt Result, Rest;
    APInt::sdivrem(Number->getAPInt(), Part->getAPInt(), Result, Rest);
    return Rest.isZero() ? SE.getConstant(Result) : nullptr;
  }
  if (S == By)
    return SE.getOne(S->getType());
  auto *Product = dyn_cast<SCEVMulExpr>(S);
  if (!Product)
    return nullptr;
  SmallVector<const SCEV *, 4> Factors(Product->operands());
  for (const SCEV *&Factor : Factors)
    if (const SCEV *Left = quotient(Factor, By, SE)) {
      Factor = Left;
      return SE.getMulExpr(Factors);
    }
  return nullptr;
}

SmallVector<IterationSpace::Place, 2>
IterationSpace::placesIn(const AffineSum &Sum, const Instruction &At,
                         const LoopNest &In) const {
  SmallVector<Place, 2> Places;
  if (!isPlain() || Domain)
    return Places;
  auto Around = In.bordersAround(At);
  for (const Inside &Border : Borders) {
    auto IsAround = [&](const BranchInst *Branch) {
      return any_of(Around, [&](const BorderGuard *Guard) {
        return Guard->Branch == Branch;
      });
    };
    if (!all_of(Border.Branches, IsAround))
      continue;
    const SCEV *Times = nullptr;
    bool IsPart = true;
    for (auto [OfSum, Step] : zip(Sum.Step, Border.Position.Step)) {
      IsPart &= OfSum || !Step;
      // The innermost loop that moves it shows how often.
      if (OfSum && Step)
        if (const SCEV *Here = quotient(OfSum, Step, *SE))
          Times = Here;
    }
    if (IsPart && Times)
      Places.push_back({&Border, Times});
  }
  return Places;
}

} // namespace tilesmith
