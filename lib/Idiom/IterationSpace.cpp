//===- IterationSpace.cpp - loops as independent counters -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All counters run 0, 1, 2, … Let x be the counter of an outer loop, y that of
// the loop inside, which runs T(x) times.
//
//   T(x) = min(t, n - t*x)    a tile: the axis is t*x + y, from 0 to n - 1
//   T(x) = t0 + x             below a diagonal: y < t0 + x; or, counted from
//   the
//                             other end, y' = y - x: y' >= -x; or, with x' as
//                             x counted backwards, x' <= y' = y + x'
//   T(x) = t0 - x             y' = y + x lies above a diagonal: x <= y' < t0;
//                             or, y as it is, below it if x is counted
//                             backwards
//
//===----------------------------------------------------------------------===//

#include "SpaceBuilder.h"
#include "Witness.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

//===-- The change of variables -------------------------------------------===//

bool IterationSpace::toAxes(AffineSum &Form) const {
  auto Typed = [&](const SCEV *S, const SCEV *Sample) {
    return SE->getTruncateOrSignExtend(S, Sample->getType());
  };
  for (const Change &Step : Changes) {
    const SCEV *&Outer = Form.Step[Step.Outer];
    const SCEV *Inner = Form.Step[Step.Inner];
    switch (Step.Kind) {
    case Change::Merge:
      if (!Outer && !Inner)
        continue;
      if (!Outer || !Inner ||
          Outer != SE->getMulExpr(Inner, Typed(Step.Factor, Inner)))
        return false;
      Outer = nullptr;
      continue;
    case Change::Shear: {
      if (!Inner)
        continue;
      const SCEV *Moved = SE->getMulExpr(Inner, Typed(Step.Factor, Inner));
      Outer = SE->getMinusSCEV(Outer ? Outer : SE->getZero(Inner->getType()),
                               Moved);
      if (Outer->isZero())
        Outer = nullptr;
      continue;
    }
    case Change::Reverse:
      // The base moves to the other end, and the step turns round.
      if (!Outer)
        continue;
      Form.Base = SE->getAddExpr(
          Form.Base, SE->getMulExpr(Outer, Typed(Step.Factor, Outer)));
      Outer = SE->getNegativeSCEV(Outer);
      continue;
    case Change::Gather: {
      // The outer counter is that of the sum, less the inner one, which runs down.
      if (!Outer && !Inner)
        continue;
      const SCEV *Zero = SE->getZero((Outer ? Outer : Inner)->getType());
      const SCEV *OfSum = Outer ? Outer : Zero;
      Outer = SE->getMinusSCEV(OfSum, Inner ? Inner : Zero);
      Form.Base = SE->getMinusSCEV(
          Form.Base, SE->getMulExpr(Outer, Typed(Step.Factor, Outer)));
      Form.Step[Step.Inner] = OfSum->isZero() ? nullptr : OfSum;
      if (Outer->isZero())
        Outer = nullptr;
      continue;
    }
    case Change::Begin:
      if (Inner)
        Form.Base = SE->getAddExpr(
            Form.Base, SE->getMulExpr(Inner, Typed(Step.Factor, Inner)));
      continue;
    }
  }
  return true;
}

void IterationSpace::beginAt(unsigned Axis, const SCEV *First) {
  if (First->isZero())
    return;
  Changes.push_back({Change::Begin, Axis, Axis, First});
  Last[Axis] = SE->getMinusSCEV(Last[Axis], First);
}

std::optional<unsigned> IterationSpace::moverOf(unsigned Axis) const {
  if (Changes.size() != 1)
    return std::nullopt;
  const Change &Only = Changes.front();
  bool IsMoved =
      Only.Kind == Change::Shear && Only.Inner == Axis && Only.Factor->isOne();
  return IsMoved ? std::optional(Only.Outer) : std::nullopt;
}

const SCEV *IterationSpace::extent(unsigned Axis) const {
  return SE->getAddExpr(Last[Axis], SE->getOne(Last[Axis]->getType()));
}

WrapCheck IterationSpace::wrapCheck(const AffineForm::NarrowSum &Sum) const {
  // Where one loop bounds another, axes fit more closely than counters.
  AffineSum Form{Sum.Start, Sum.Step};
  bool OverAxes = Domain && Sum.Step.size() == Last.size() && toAxes(Form);
  if (!OverAxes)
    Form = {Sum.Start, Sum.Step};
  WrapCheck Check{Form.Base, {}, Sum.Bits, Sum.Signed, Sum.Factor};
  for (auto [Step, Greatest] : zip(Form.Step, OverAxes ? Last : LastOfLoop))
    if (Step)
      Check.Terms.push_back({Step, Greatest});
  return Check;
}

//===-- Finding it --------------------------------------------------------===//

void IterationSpace::require(CmpInst::Predicate Predicate, const SCEV *X,
                             const SCEV *Y) {
  if (!SE->isKnownPredicate(Predicate, X, Y))
    MustHold.push_back({Predicate, X, Y});
}

void SpaceBuilder::require(CmpInst::Predicate Predicate, const SCEV *X,
                           const SCEV *Y) {
  Space.require(Predicate, X, Y);
}

/// \p S over the axes so far.
std::optional<AffineForm> SpaceBuilder::formOf(const SCEV *S) {
  std::optional<AffineForm> Form = affineForm(S, In, In.Chain);
  if (!Form)
    return std::nullopt;
  if (!addChecks(*Form) || !Space.toAxes(*Form))
    return std::nullopt;
  return Form;
}

/// That \p Form, over the loops so far, is valid.
bool SpaceBuilder::addChecks(const AffineForm &Form) {
  for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap) {
    for (unsigned I = Space.LastOfLoop.size(); I < Sum.Step.size(); ++I)
      if (Sum.Step[I])
        return false;
    WrapCheck Check = Space.wrapCheck(Sum);
    if (!is_contained(Space.WrapChecks, Check))
      Space.WrapChecks.push_back(Check);
  }
  return true;
}

/// The one axis that \p Form depends on.
std::optional<unsigned> SpaceBuilder::onlyAxis(const AffineForm &Form) const {
  std::optional<unsigned> Only;
  for (auto [Axis, Step] : enumerate(Form.Step)) {
    if (!Step)
      continue;
    if (Only)
      return std::nullopt;
    Only = Axis;
  }
  return Only;
}

const SCEV *SpaceBuilder::atEnd(const AffineForm &Form, unsigned Axis) const {
  return SE.getAddExpr(Form.Base,
                       SE.getMulExpr(Form.Step[Axis], Space.Last[Axis]));
}

bool SpaceBuilder::addLoop(unsigned Position) {
  const TripCount &Count = In.Counts[Position];
  if (Count.ValidIf)
    Space.MustHold.push_back(*Count.ValidIf);
  if (In.isInvariant(Count.Backedges)) {
    Space.Last.push_back(SE.getTruncateOrZeroExtend(Count.Backedges, I64));
    // The guard's arithmetic is 64 bits wide.
    if (SE.getTypeSizeInBits(Count.Backedges->getType()) > 64)
      return false;
    Space.LastOfLoop.push_back(Space.Last.back());
    Counts.push_back(nullptr);
    return true;
  }
  return addMoving(Count.Backedges) || addTile(Position, Count.Backedges) ||
         addTriangle(Position, Count.Backedges);
}

/// Whether \p Excess, which \p Branch tests, is how often one of the loops
/// runs.
bool SpaceBuilder::isCount(const SCEV *Excess, const BranchInst &Branch) {
  auto Count = find(Counts, Excess);
  bool IsOfTriangle =
      Triangle && unsigned(Count - Counts.begin()) == Triangle->Y;
  if (Count == Counts.end() && Triangle) {
    // The same bound may be written in two types.
    std::optional<AffineForm> Form = formOf(Excess);
    const SCEV *Slope = constant(Triangle->Slope);
    if (!Form || onlyAxis(*Form) != Triangle->X ||
        Form->Step[Triangle->X] != Slope ||
        !Witness(Space.Last, SE)
             .allows({ICmpInst::ICMP_EQ, Form->Base, Triangle->Start}))
      return false;
    require(ICmpInst::ICMP_EQ, Form->Base, Triangle->Start);
    IsOfTriangle = true;
  }
  if (IsOfTriangle)
    Space.DomainGuards.push_back(&Branch);
  return IsOfTriangle || Count != Counts.end();
}

/// Each varying guard must be no more than the test whether the loop inside has
/// something to do.
bool SpaceBuilder::implyGuards() {
  for (const VaryingGuard &Guard : In.Guards) {
    auto *Compare =
        dyn_cast<ICmpInst>(In.resolve(Guard.Branch->getCondition()));
    if (!Compare)
      return false;
    CmpInst::Predicate Predicate =
        Guard.Enters ? Compare->getPredicate() : Compare->getInversePredicate();
    Value *Less = Compare->getOperand(0), *More = Compare->getOperand(1);
    if (!Less->getType()->isIntegerTy())
      return false;
    if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
      std::swap(Less, More);
      Predicate = CmpInst::getSwappedPredicate(Predicate);
    }
    bool IsUnequal = Predicate == ICmpInst::ICMP_NE;
    if (!IsUnequal && !ICmpInst::isLT(Predicate) && !ICmpInst::isLE(Predicate))
      return false;

    // The loop is entered if More - Less, plus one for "or equal", is positive.
    // The difference must be that, and not 2^64 away from it.
    bool Signed = CmpInst::isSigned(Predicate);
    const SCEV *Low = In.resolve(SE.getSCEV(Less)),
               *High = In.resolve(SE.getSCEV(More));
    if (!IsUnequal) {
      Low = exactly(Low, Signed);
      High = exactly(High, Signed);
    } else if (SE.getTypeSizeInBits(Low->getType()) <= 64) {
      Low = SE.getNoopOrZeroExtend(Low, I64);
      High = SE.getNoopOrZeroExtend(High, I64);
    } else {
      return false;
    }
    if (!Low || !High)
      return false;
    const SCEV *Excess = SE.getMinusSCEV(High, Low);
    if (IsUnequal && (In.isRestOfChunks(Excess) ||
                      In.isRestOfChunks(SE.getNegativeSCEV(Excess))))
      continue;
    if (ICmpInst::isLE(Predicate))
      Excess = SE.getAddExpr(Excess, SE.getOne(I64));
    if (!isCount(Excess, *Guard.Branch) &&
        !(IsUnequal && isCount(SE.getNegativeSCEV(Excess), *Guard.Branch)))
      return false;
  }
  return true;
}

/// Rows that are not entered are well, but their length must not be less.
void SpaceBuilder::requireRuns() {
  const SCEV *First = SE.getMinusSCEV(Triangle->Start, SE.getOne(I64));
  const SCEV *Last = SE.getAddExpr(
      First, SE.getMulExpr(constant(Triangle->Slope), Space.Last[Triangle->X]));
  for (const SCEV *Count : {First, Last})
    require(ICmpInst::ICMP_SGE, Count,
            constant(Space.DomainGuards.empty() ? 0 : -1));
}

/// See the top of this file.
SmallVector<IterationSpace, 1> SpaceBuilder::layOutTriangle() const {
  using Change = IterationSpace::Change;
  auto [X, Y, Start, Slope, IsCut] = *Triangle;
  const SCEV *LastX = Space.Last[X], *LastY = Space.Last[Y];
  const SCEV *Zero = SE.getZero(I64);
  const SCEV *Backedges = SE.getMinusSCEV(Start, SE.getOne(I64));
  auto Lay = [&, X = X, Y = Y](ArrayRef<Change> Changes, bool Below,
                               const SCEV *Offset,
                               std::optional<unsigned> Reversed) {
    IterationSpace Result = Space;
    Result.Changes.append(Changes.begin(), Changes.end());
    Result.Domain = IterationSpace::Diagonal{X, Y, Below, Offset};
    Result.Reversed = Reversed;
    Result.EmptyFirst = Triangle->Slope > 0;
    return Result;
  };
  Change ReverseX{Change::Reverse, X, X, LastX};
  Change ReverseY{Change::Reverse, Y, Y, LastY};
  Change Shear{Change::Shear, X, Y, constant(-Slope)};
  // Neither side of the diagonal ends where the other one does.
  if (IsCut)
    return {Lay({}, true, Backedges, std::nullopt)};
  if (Slope > 0)
    // y - x runs from -x on. Its reverse, as its distance from the end, is
    // LastY - LastX - (y - x), and lies below the diagonal again.
    return {Lay({}, true, Backedges, std::nullopt),
            Lay({Shear, Change{Change::Reverse, Y, Y, Backedges}}, true,
                Backedges, Y),
            Lay({ReverseX, Change{Change::Shear, X, Y, constant(1)}}, false,
                Zero, X)};
  return {Lay({Shear}, false, Zero, std::nullopt),
          Lay({ReverseX}, true, SE.getMinusSCEV(Backedges, LastX), X),
          Lay({ReverseY}, false, Zero, Y)};
}

std::variant<SmallVector<IterationSpace, 1>, Refusal> SpaceBuilder::run() {
  for (unsigned Position = 0; Position < In.Chain.size(); ++Position)
    if (!addLoop(Position))
      return Refusal{Reason::BoundVaries,
                     In.Chain[Position]->getLoopLatch()->getTerminator()};
  if (!implyGuards())
    return Refusal{Reason::BoundVaries, In.Guards.front().Branch};
  if (Refused No = addBorders())
    return *No;
  if (Triangle) {
    requireRuns();
    return layOutTriangle();
  }
  return SmallVector<IterationSpace, 1>{Space};
}

std::variant<SmallVector<IterationSpace, 1>, Refusal>
IterationSpace::of(const LoopNest &In) {
  return SpaceBuilder(In).run();
}

} // namespace tilesmith
