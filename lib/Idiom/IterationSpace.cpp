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
//                             other end, y' = y - x: y' >= -x
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
  bool addChecks(const AffineForm &Form);
  std::optional<unsigned> onlyAxis(const AffineForm &Form) const;
  const SCEV *withoutClamp(const SCEV *S, const APInt &Below);
  const SCEV *distance(const SCEV *Backedges);
  const SCEVMinMaxExpr *findMinMax(const SCEV *S, bool Max) const;
  bool boundsOperand(const SCEV *S, bool Signed);
  const SCEV *exactly(const SCEV *S, bool Signed);
  bool isCount(const SCEV *Excess);
  void requireRuns();
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
  /// Whether a test keeps its loop from being entered with nothing to do.
  bool TriangleIsGuarded = false;
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
  return addChecks(*Form);
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
      (Triangle && is_contained({Triangle->X, Triangle->Y}, *Outer)) ||
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

/// \p S, 64 bits wide, provided that it can be subtracted from another one
/// without wrapping.
const SCEV *SpaceBuilder::exactly(const SCEV *S, bool Signed) {
  unsigned Bits = SE.getTypeSizeInBits(S->getType());
  if (Bits > 64)
    return nullptr;
  if (Bits < 64)
    return Signed ? SE.getSignExtendExpr(S, I64) : SE.getZeroExtendExpr(S, I64);
  std::optional<AffineForm> Form = affineForm(S, In, In.Chain);
  if (!Form || !addChecks(*Form))
    return nullptr;
  if (auto *C = dyn_cast<SCEVConstant>(S); !C || !C->getAPInt().isIntN(62))
    Space.WrapChecks.push_back(
        Space.wrapCheck({Form->Base, Form->Step, /*Bits=*/63, Signed}));
  return S;
}

/// How often the loop runs, less one, or less than zero where a guard keeps it
/// from being entered: ScalarEvolution gives max(End, First) - First.
const SCEV *SpaceBuilder::distance(const SCEV *Backedges) {
  const SCEV *S = Backedges;
  while (auto *Cast = dyn_cast<SCEVZeroExtendExpr>(S))
    S = Cast->getOperand();
  const SCEVMinMaxExpr *Max = findMinMax(S, /*Max=*/true);
  if (!Max)
    return SE.getTruncateOrSignExtend(Backedges, I64);
  if (Max->getNumOperands() != 2 || Max->getType() != S->getType())
    return nullptr;
  const SCEV *Rest = SE.getMinusSCEV(S, Max);
  for (unsigned I : {0, 1}) {
    if (Rest != SE.getNegativeSCEV(Max->getOperand(I)))
      continue;
    bool Signed = isa<SCEVSMaxExpr>(Max);
    const SCEV *First = exactly(Max->getOperand(I), Signed);
    const SCEV *End = exactly(Max->getOperand(1 - I), Signed);
    return First && End ? SE.getMinusSCEV(End, First) : nullptr;
  }
  return nullptr;
}

bool SpaceBuilder::addTriangle(unsigned Position, const SCEV *Backedges) {
  const SCEV *Distance = Triangle ? nullptr : distance(Backedges);
  std::optional<AffineForm> Form;
  if (Distance)
    Form = formOf(Distance);
  if (!Form)
    return false;
  std::optional<unsigned> X = onlyAxis(*Form);
  if (!X || *X >= Position || !Space.Last[*X])
    return false;
  const SCEV *Slope = Form->Step[*X];
  if (!Slope->isOne() && !Slope->isAllOnesValue())
    return false;
  Triangle = Varying{*X, Position, SE.getAddExpr(Form->Base, SE.getOne(I64)),
                     Slope->isOne() ? 1 : -1};
  Space.Last.push_back(Slope->isOne() ? atEnd(*Form, *X) : Form->Base);
  Space.LastOfLoop.push_back(Space.Last.back());
  Counts.push_back(SE.getAddExpr(Distance, SE.getOne(I64)));
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

/// Whether \p Excess is how often one of the loops runs.
bool SpaceBuilder::isCount(const SCEV *Excess) {
  auto Count = find(Counts, Excess);
  bool IsOfTriangle =
      Triangle && unsigned(Count - Counts.begin()) == Triangle->Y;
  if (Count == Counts.end() && Triangle) {
    // The same bound may be written in two types.
    std::optional<AffineForm> Form = formOf(Excess);
    const SCEV *Slope = constant(Triangle->Slope);
    if (!Form || onlyAxis(*Form) != Triangle->X ||
        Form->Step[Triangle->X] != Slope)
      return false;
    require(ICmpInst::ICMP_EQ, Form->Base, Triangle->Start);
    IsOfTriangle = true;
  }
  if (IsOfTriangle)
    TriangleIsGuarded = true;
  return IsOfTriangle || Count != Counts.end();
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
    bool IsUnequal = Predicate == ICmpInst::ICMP_NE;
    if (!IsUnequal && !ICmpInst::isLT(Predicate) && !ICmpInst::isLE(Predicate))
      return false;

    // The loop is entered if More - Less, plus one for "or equal", is positive.
    // The difference must be that, and not 2^64 away from it.
    bool Signed = CmpInst::isSigned(Predicate);
    const SCEV *Low = SE.getSCEV(Less), *High = SE.getSCEV(More);
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
    if (ICmpInst::isLE(Predicate))
      Excess = SE.getAddExpr(Excess, SE.getOne(I64));
    if (!isCount(Excess) && !(IsUnequal && isCount(SE.getNegativeSCEV(Excess))))
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
    require(ICmpInst::ICMP_SGE, Count, constant(TriangleIsGuarded ? -1 : 0));
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
                Backedges, Y)};
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
  if (Triangle) {
    requireRuns();
    return layOutTriangle();
  }
  return SmallVector<IterationSpace, 1>{Space};
}

std::variant<SmallVector<IterationSpace, 1>, Refusal>
IterationSpace::of(const Nest &In) {
  return SpaceBuilder(In).run();
}

} // namespace tilesmith
