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

#include "IterationSpace.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

//===-- The change of variables -------------------------------------------===//

bool IterationSpace::toAxes(AffineSum &Form) const {
  auto Typed = [&](const SCEV *S, const SCEV *Like) {
    return SE->getTruncateOrSignExtend(S, Like->getType());
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
    }
  }
  return true;
}

WrapCheck IterationSpace::wrapCheck(const AffineForm::NarrowSum &Sum) const {
  WrapCheck Check{Sum.Start, {}, Sum.Bits, Sum.Signed, Sum.Factor};
  for (auto [Step, LoopLast] : zip(Sum.Step, LastOfLoop))
    if (Step)
      Check.Terms.push_back({Step, LoopLast});
  return Check;
}

//===-- Finding it --------------------------------------------------------===//

namespace {

/// Replaces one node of a SCEV.
struct NodeReplacer : SCEVRewriteVisitor<NodeReplacer> {
  const SCEV *Old, *New;
  NodeReplacer(ScalarEvolution &SE, const SCEV *Old, const SCEV *New)
      : SCEVRewriteVisitor(SE), Old(Old), New(New) {}
  const SCEV *visit(const SCEV *S) {
    return S == Old ? New : SCEVRewriteVisitor<NodeReplacer>::visit(S);
  }
};

} // namespace

class SpaceBuilder {
public:
  explicit SpaceBuilder(const Nest &In)
      : In(In), SE(In.Analyses->SE), I64(Type::getInt64Ty(SE.getContext())) {
    Space.SE = &SE;
  }

  std::variant<SmallVector<IterationSpace, 1>, Refusal> run();

private:
  bool addLoop(unsigned Position);
  bool addTile(unsigned Position, const SCEV *Backedges);
  bool addTriangle(unsigned Position, const SCEV *Backedges);
  bool implyGuards();

  SmallVector<IterationSpace, 1> layOutTriangle() const;

  std::optional<AffineForm> formOf(const SCEV *S);
  std::optional<unsigned> onlyAxis(const AffineForm &Form) const;
  const SCEV *withoutClamp(const SCEV *S, const APInt &Below);
  const SCEVMinMaxExpr *findMinMax(const SCEV *S, bool Max) const;
  bool boundsOperand(const SCEV *S, bool Signed);
  void require(CmpInst::Predicate Predicate, const SCEV *X, const SCEV *Y);
  const SCEV *atEnd(const AffineForm &Form, unsigned Axis) const;
  const SCEV *constant(int64_t V) const {
    return SE.getConstant(I64, V, /*isSigned=*/true);
  }

  const Nest &In;
  ScalarEvolution &SE;
  Type *I64;
  IterationSpace Space;

  /// A loop that runs Start + Slope * x times, x being the counter of axis X.
  struct Varying {
    unsigned X, Y;
    const SCEV *Start;
    int Slope;
  };
  std::optional<Varying> Triangle;
  /// How often each loop runs, as far as it varies.
  SmallVector<const SCEV *, 4> Counts;
};

void SpaceBuilder::require(CmpInst::Predicate Predicate, const SCEV *X,
                           const SCEV *Y) {
  if (!SE.isKnownPredicate(Predicate, X, Y))
    Space.MustHold.push_back({Predicate, X, Y});
}

/// \p S over the axes so far.
std::optional<AffineForm> SpaceBuilder::formOf(const SCEV *S) {
  std::optional<AffineForm> Form = affineForm(S, In, In.Chain);
  if (!Form)
    return std::nullopt;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap) {
    for (unsigned I = Space.LastOfLoop.size(); I < Sum.Step.size(); ++I)
      if (Sum.Step[I])
        return std::nullopt;
    Space.WrapChecks.push_back(Space.wrapCheck(Sum));
  }
  if (!Space.toAxes(*Form))
    return std::nullopt;
  return Form;
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

/// The outermost maximum (or minimum) in \p S that varies.
const SCEVMinMaxExpr *SpaceBuilder::findMinMax(const SCEV *S, bool Max) const {
  const SCEVMinMaxExpr *Found = nullptr;
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (Found)
      return true;
    auto *MinMax = dyn_cast<SCEVMinMaxExpr>(Part);
    if (MinMax && !In.isInvariant(MinMax) &&
        Max == isa<SCEVSMaxExpr, SCEVUMaxExpr>(MinMax))
      Found = MinMax;
    return Found != nullptr;
  });
  return Found;
}

/// ScalarEvolution allows for loops that are entered with nothing to do: max(1,
/// count). If the count is at least one, which the caller has to see to, the
/// maximum is the other operand. In terms of \p S, the operand to drop gives a
/// constant less than \p Below.
const SCEV *SpaceBuilder::withoutClamp(const SCEV *S, const APInt &Below) {
  const SCEVMinMaxExpr *Max = findMinMax(S, /*Max=*/true);
  if (!Max || Max->getNumOperands() != 2)
    return S;
  for (unsigned I : {0, 1}) {
    const SCEV *Dropped = NodeReplacer(SE, Max, Max->getOperand(I)).visit(S);
    auto *Value = dyn_cast<SCEVConstant>(Dropped);
    if (Value && Value->getAPInt().ult(
                     Below.zextOrTrunc(Value->getAPInt().getBitWidth())))
      return NodeReplacer(SE, Max, Max->getOperand(1 - I)).visit(S);
  }
  return S;
}

/// The operand of a minimum must not wrap.
bool SpaceBuilder::boundsOperand(const SCEV *S, bool Signed) {
  if (In.isInvariant(S))
    return true;
  std::optional<AffineForm> Form = affineForm(S, In, In.Chain);
  if (!Form)
    return false;
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  Form->MustNotWrap.push_back({Form->Base, Form->Step, Bits, Signed});
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap) {
    for (unsigned I = Space.LastOfLoop.size(); I < Sum.Step.size(); ++I)
      if (Sum.Step[I])
        return false;
    Space.WrapChecks.push_back(Space.wrapCheck(Sum));
  }
  return true;
}

/// T(x) = min(t, n - t*x): \p Backedges is the minimum of t-1 and n-1 - t*x,
/// divided by the step of the loop.
bool SpaceBuilder::addTile(unsigned Position, const SCEV *Backedges) {
  while (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(Backedges))
    Backedges = Cast->getOperand();
  APInt Divisor(64, 1);
  if (auto *Div = dyn_cast<SCEVUDivExpr>(Backedges)) {
    auto *By = dyn_cast<SCEVConstant>(Div->getRHS());
    if (!By)
      return false;
    Divisor = By->getAPInt().zextOrTrunc(64);
    Backedges = Div->getLHS();
  }
  const SCEV *Distance = withoutClamp(Backedges, Divisor);
  const SCEVMinMaxExpr *Min = findMinMax(Distance, /*Max=*/false);
  if (!Min)
    return false;
  bool Signed = isa<SCEVSMinExpr>(Min);

  std::optional<APInt> Size;         // t - 1
  std::optional<AffineForm> Rest;    // n - 1 - t*x
  SmallVector<AffineForm, 2> Others; // over the loops
  for (const SCEV *Operand : Min->operands()) {
    if (!boundsOperand(Operand, Signed))
      return false;
    const SCEV *Choice = NodeReplacer(SE, Min, Operand).visit(Distance);
    // The distance goes up with the operand.
    const SCEV *Next =
        NodeReplacer(SE, Min,
                     SE.getAddExpr(Operand, SE.getOne(Operand->getType())))
            .visit(Distance);
    if (!SE.getMinusSCEV(Next, Choice)->isOne())
      return false;
    Choice = SE.getTruncateOrSignExtend(Choice, I64);
    if (auto *C = dyn_cast<SCEVConstant>(Choice)) {
      if (Size)
        return false;
      Size = C->getAPInt();
      continue;
    }
    std::optional<AffineForm> Form = affineForm(Choice, In, In.Chain);
    if (!Form)
      return false;
    Others.push_back(*Form);
  }
  if (!Size || Size->isNegative())
    return false;
  APInt Tile = *Size + 1;
  if (Tile.urem(Divisor) != 0)
    return false;
  for (const AffineForm &Form : Others) {
    // What is never less than the tile, such as the end of a larger one around
    // it, does not matter.
    ConstantRange Least(Size->getBitWidth(), /*isFullSet=*/false);
    auto *Base = dyn_cast<SCEVConstant>(Form.Base);
    bool Redundant = Base != nullptr;
    APInt Lowest = Base ? Base->getAPInt() : APInt(64, 0);
    for (auto [Loop, Step] : enumerate(Form.Step)) {
      if (!Step)
        continue;
      auto *By = dyn_cast<SCEVConstant>(Step);
      auto *Last = Loop < Space.LastOfLoop.size()
                       ? dyn_cast<SCEVConstant>(Space.LastOfLoop[Loop])
                       : nullptr;
      if (!By || !Last || Last->getAPInt().getActiveBits() > 31) {
        Redundant = false;
        break;
      }
      if (By->getAPInt().isNegative())
        Lowest += By->getAPInt() * Last->getAPInt();
    }
    if (Redundant && Lowest.sge(*Size))
      continue;
    if (Rest)
      return false;
    Rest = Form;
    for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap)
      Space.WrapChecks.push_back(Space.wrapCheck(Sum));
    if (!Space.toAxes(*Rest))
      return false;
  }
  if (!Rest)
    return false;
  std::optional<unsigned> Outer = onlyAxis(*Rest);
  if (!Outer || *Outer >= Position || !Space.Last[*Outer] ||
      Rest->Step[*Outer] != SE.getConstant(-Tile))
    return false;

  // All tiles but the last are full, and that one is not empty.
  const SCEV *Size64 = SE.getConstant(Tile), *X = Space.Last[*Outer];
  require(ICmpInst::ICMP_ULE, SE.getMulExpr(Size64, X), Rest->Base);
  require(ICmpInst::ICMP_ULT, Rest->Base,
          SE.getMulExpr(Size64, SE.getAddExpr(X, SE.getOne(I64))));
  require(ICmpInst::ICMP_ULT, X, constant(int64_t(1) << 31));

  const SCEV *Step = SE.getConstant(Divisor);
  APInt PerTile = Tile.udiv(Divisor);
  Space.Changes.push_back({IterationSpace::Change::Merge, *Outer, Position,
                           SE.getConstant(PerTile)});
  Space.Last[*Outer] = nullptr;
  Space.Last.push_back(SE.getUDivExpr(Rest->Base, Step));
  Space.LastOfLoop.push_back(SE.getConstant(PerTile - 1));
  Counts.push_back(
      SE.getAddExpr(SE.getTruncateOrSignExtend(Distance, I64), SE.getOne(I64)));
  return true;
}

bool SpaceBuilder::addTriangle(unsigned Position, const SCEV *Backedges) {
  std::optional<AffineForm> Form =
      formOf(SE.getTruncateOrSignExtend(Backedges, I64));
  if (!Form || Triangle)
    return false;
  std::optional<unsigned> X = onlyAxis(*Form);
  if (!X || *X >= Position || !Space.Last[*X])
    return false;
  const SCEV *Slope = Form->Step[*X];
  if (!Slope->isOne() && !Slope->isAllOnesValue())
    return false;
  Triangle = Varying{*X, Position, SE.getAddExpr(Form->Base, SE.getOne(I64)),
                     Slope->isOne() ? 1 : -1};
  const SCEV *Start = Form->Base, *End = atEnd(*Form, *X);
  // Empty rows are well, but not less than that.
  for (const SCEV *Count : {Start, End})
    require(ICmpInst::ICMP_SGE, Count, constant(-1));
  Space.Last.push_back(Slope->isOne() ? End : Start);
  Space.LastOfLoop.push_back(Space.Last.back());
  Counts.push_back(SE.getAddExpr(SE.getTruncateOrSignExtend(Backedges, I64),
                                 SE.getOne(I64)));
  return true;
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
  return addTile(Position, Count.Backedges) ||
         addTriangle(Position, Count.Backedges);
}

/// Each varying guard must be no more than the test whether the loop inside has
/// something to do.
bool SpaceBuilder::implyGuards() {
  for (const VaryingGuard &Guard : In.Guards) {
    auto *Compare = cast<ICmpInst>(Guard.Branch->getCondition());
    CmpInst::Predicate Predicate =
        Guard.Enters ? Compare->getPredicate() : Compare->getInversePredicate();
    Value *Less = Compare->getOperand(0), *More = Compare->getOperand(1);
    if (!Less->getType()->isIntegerTy())
      return false;
    if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate)) {
      std::swap(Less, More);
      Predicate = CmpInst::getSwappedPredicate(Predicate);
    }
    bool Signed = CmpInst::isSigned(Predicate);
    bool IsUnequal = Predicate == ICmpInst::ICMP_NE;
    if (!IsUnequal && !ICmpInst::isLT(Predicate) && !ICmpInst::isLE(Predicate))
      return false;

    // The loop is entered if More - Less, plus one for "or equal", is positive.
    auto Extended = [&](Value *V) {
      const SCEV *S = SE.getSCEV(V);
      return Signed ? SE.getNoopOrSignExtend(S, I64)
                    : SE.getNoopOrZeroExtend(S, I64);
    };
    if (Less->getType()->getIntegerBitWidth() > 64)
      return false;
    const SCEV *Low = Extended(Less), *High = Extended(More);
    const SCEV *Excess = SE.getMinusSCEV(High, Low);
    if (ICmpInst::isLE(Predicate))
      Excess = SE.getAddExpr(Excess, SE.getOne(I64));
    const SCEV *Opposite = SE.getNegativeSCEV(Excess);
    bool Known = any_of(Counts, [&](const SCEV *Count) {
      return Count && (Count == Excess || (IsUnequal && Count == Opposite));
    });
    if (!Known)
      return false;
    // The difference is the count, and not 2^64 away from it.
    if (!IsUnequal)
      for (const SCEV *Side : {Low, High})
        if (!boundsOperand(Side, Signed))
          return false;
  }
  return true;
}

/// See the top of this file.
SmallVector<IterationSpace, 1> SpaceBuilder::layOutTriangle() const {
  using Change = IterationSpace::Change;
  auto [X, Y, Start, Slope] = *Triangle;
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
  if (Triangle)
    return layOutTriangle();
  return SmallVector<IterationSpace, 1>{Space};
}

std::variant<SmallVector<IterationSpace, 1>, Refusal>
IterationSpace::of(const Nest &In) {
  return SpaceBuilder(In).run();
}

} // namespace tilesmith
