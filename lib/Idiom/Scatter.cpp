//===- Scatter.cpp - loops over places and taps that move C together ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution may be written as a scatter:
//
//   for y < Y                               for r' < R
//     for r < R                       =>      for p < Y + R - 1
//       C[y + r] += dy[y] * w[r]                y = p - (R - 1) + r'
//                                               if (0 <= y < Y)
//                                                 C[p] += dy[y] * w[R - 1 - r']
//
// For one element p, the source's steps come in the order of the outer loop's
// counter, of which the inner one's follows. If places are outside, y goes up, and
// so taps go down; with taps outside, these go up, and y = p - r. In both cases the
// axis of steps takes the outer loop's position, and that of C the inner one's: so
// with further loops over k in between, the order of sums is that of the axes.
//
// A test whether C has the element, in a nest with padding, bounds p.
//
//===----------------------------------------------------------------------===//

#include "IterationSpace.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The first element of an axis of C, and the last one less the first.
struct Span {
  const SCEV *First, *Last;
};

} // namespace

/// \p S / \p By, rounded down; both are less than 2^32.
static const SCEV *divided(const SCEV *S, const SCEV *By, ScalarEvolution &SE) {
  const SCEV *Far = SE.getConstant(S->getType(), uint64_t(1) << 32);
  if (By->isOne())
    return S;
  const SCEV *Positive = SE.getAddExpr(S, SE.getMulExpr(Far, By));
  return SE.getMinusSCEV(SE.getUDivExpr(Positive, By), Far);
}

/// What \p Border leaves of the sums of two counters, from zero to \p Last; nothing
/// if it bounds something else.
static std::optional<Span> inside(const IterationSpace::Inside &Border,
                                  const SCEV *Last, unsigned Outer,
                                  unsigned Inner, ScalarEvolution &SE) {
  for (auto [Axis, Step] : enumerate(Border.Position.Step))
    if ((Axis == Outer || Axis == Inner) != (Step != nullptr))
      return std::nullopt;
  const SCEV *Step = Border.Position.Step[Outer], *Base = Border.Position.Base;
  auto *Known = dyn_cast<SCEVConstant>(Step);
  if (Step != Border.Position.Step[Inner] || !Known ||
      Known->getAPInt().abs().ugt(IterationSpace::MaxDistance))
    return std::nullopt;
  const SCEV *One = SE.getOne(Last->getType());
  const SCEV *Greatest = SE.getMinusSCEV(Border.Extent, One);
  bool IsOneSided = Border.Extent == IterationSpace::withoutEnd(SE);
  bool GoesUp = Known->getAPInt().isStrictlyPositive();
  const SCEV *By = GoesUp ? Step : SE.getNegativeSCEV(Step);
  auto RoundedUp = [&](const SCEV *S) {
    return divided(SE.getAddExpr(S, SE.getMinusSCEV(By, One)), By, SE);
  };
  auto Length = [&](const SCEV *First, const SCEV *End) {
    return SE.getMinusSCEV(End, First);
  };
  if (GoesUp) {
    const SCEV *First = RoundedUp(SE.getNegativeSCEV(Base));
    return Span{
        First,
        Length(First, IsOneSided
                          ? Last
                          : divided(SE.getMinusSCEV(Greatest, Base), By, SE))};
  }
  const SCEV *End = divided(Base, By, SE);
  const SCEV *First = IsOneSided ? SE.getZero(Last->getType())
                                 : RoundedUp(SE.getMinusSCEV(Base, Greatest));
  return Span{First, Length(First, End)};
}

bool IterationSpace::gather(unsigned Outer, unsigned Inner, bool PlacesAreOuter,
                            bool MayHaveChannels, const LoopNest &In) {
  const SCEV *Zero = SE->getZero(Last[Outer]->getType());
  const SCEV *One = SE->getOne(Zero->getType());
  Span OfC{Zero, SE->getAddExpr(Last[Outer], Last[Inner])};
  for (unsigned I = Borders.size(); I--;) {
    const AffineSum &Position = Borders[I].Position;
    if (!Position.dependsOn(Outer) && !Position.dependsOn(Inner))
      continue;
    std::optional<Span> Left = inside(Borders[I], OfC.Last, Outer, Inner, *SE);
    if (!Left || !OfC.First->isZero())
      return false;
    // Elements that no step leads to are not touched.
    require(ICmpInst::ICMP_SGE, Left->First, Zero);
    require(ICmpInst::ICMP_SLE, SE->getAddExpr(Left->First, Left->Last),
            OfC.Last);
    OfC = *Left;
    WrapChecks.push_back({Position.Base, {}, PositionBits, /*Signed=*/true});
    Borders.erase(Borders.begin() + I);
  }
  unsigned Places = PlacesAreOuter ? Outer : Inner;
  unsigned Taps = PlacesAreOuter ? Inner : Outer;
  Inside Image{
      {Zero, {}},
      SE->getAddExpr(Last[Places], One),
      {cast<BranchInst>(In.Chain[Places]->getLoopLatch()->getTerminator())}};
  Image.Position.Step.resize(Last.size());
  Image.Position.Step[Places] = One;

  if (PlacesAreOuter)
    Changes.push_back({Change::Gather, Outer, Inner, Last[Taps]});
  else
    Changes.push_back({Change::Shear, Outer, Inner, One});
  if (!OfC.First->isZero())
    Changes.push_back({Change::Begin, Inner, Inner, OfC.First});
  Last[Outer] = Last[Taps];
  Last[Inner] = OfC.Last;
  IsGathered = true;
  ScattersTaps |= Taps == In.Chain.size() - 1;
  // A kernel spends time on steps beyond the border, so most must be inside. Without
  // a sum over channels, clang is faster with long rows of taps.
  auto [Most, Of] = MayHaveChannels ? std::pair(2, 3) : std::pair(4, 5);
  auto Times = [&](int64_t N, const SCEV *S) {
    return SE->getMulExpr(SE->getConstant(S->getType(), N), S);
  };
  require(ICmpInst::ICMP_SGE, OfC.Last, Zero);
  require(ICmpInst::ICMP_SGT, Times(Of, Image.Extent), Times(Most, OfC.Last));

  toAxes(Image.Position);
  addInside(std::move(Image));
  return true;
}

/// Adds a border that the source does not test.
void IterationSpace::addInside(Inside Border) {
  const SCEV *Zero = SE->getZero(Border.Extent->getType());
  WrapCheck Check{Border.Position.Base, {}, PositionBits, /*Signed=*/true};
  for (auto [Step, Greatest] : zip_equal(Border.Position.Step, Last))
    if (Step)
      Check.Terms.push_back({Step, Greatest});
  WrapChecks.push_back(std::move(Check));
  require(ICmpInst::ICMP_SGT, Border.Extent, Zero);
  require(ICmpInst::ICMP_SLE, Border.Extent, withoutEnd(*SE));
  Borders.push_back(std::move(Border));
}

} // namespace tilesmith
