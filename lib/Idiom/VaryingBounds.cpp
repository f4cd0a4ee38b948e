//===- VaryingBounds.cpp - loops whose bounds vary ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ScalarEvolution says of a loop whose bounds depend on an outer counter:
// is it a tile, a row of a triangle, or as long each time?
//
//===----------------------------------------------------------------------===//

#include "SpaceBuilder.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/Analysis/ScalarEvolutionPatternMatch.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

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

/// \p Backedges without its casts and without the division by the loop's step,
/// which is returned, too.
static std::optional<std::pair<const SCEV *, APInt>>
dividend(const SCEV *Backedges) {
  while (auto *Cast = dyn_cast<SCEVIntegralCastExpr>(Backedges))
    Backedges = Cast->getOperand();
  auto *Div = dyn_cast<SCEVUDivExpr>(Backedges);
  if (!Div)
    return std::pair(Backedges, APInt(64, 1));
  auto *By = dyn_cast<SCEVConstant>(Div->getRHS());
  if (!By)
    return std::nullopt;
  return std::pair(Div->getLHS(), By->getAPInt().zextOrTrunc(64));
}

/// \p Distance is a minimum: takes out its constant, t - 1, and what varies with
/// loops.
std::optional<SpaceBuilder::TileBounds>
SpaceBuilder::boundsOfTile(const SCEV *Distance) {
  const SCEVMinMaxExpr *Min = findMinMax(Distance, /*Max=*/false);
  if (!Min)
    return std::nullopt;
  std::optional<APInt> Last;
  TileBounds Bounds;
  for (const SCEV *Operand : Min->operands()) {
    if (!boundsOperand(Operand, /*Signed=*/isa<SCEVSMinExpr>(Min)))
      return std::nullopt;
    const SCEV *Choice = NodeReplacer(SE, Min, Operand).visit(Distance);
    // The distance goes up with the operand.
    const SCEV *Next =
        NodeReplacer(SE, Min,
                     SE.getAddExpr(Operand, SE.getOne(Operand->getType())))
            .visit(Distance);
    if (!SE.getMinusSCEV(Next, Choice)->isOne())
      return std::nullopt;
    Choice = SE.getTruncateOrSignExtend(Choice, I64);
    if (auto *C = dyn_cast<SCEVConstant>(Choice)) {
      if (Last)
        return std::nullopt;
      Last = C->getAPInt();
      continue;
    }
    std::optional<AffineForm> Form = affineForm(Choice, In, In.Chain);
    if (!Form)
      return std::nullopt;
    Bounds.Others.push_back(*Form);
  }
  if (!Last || Last->isNegative())
    return std::nullopt;
  Bounds.Last = *Last;
  return Bounds;
}

/// Whether \p Form is never less than \p Least, such as the end of a larger tile
/// around this one.
bool SpaceBuilder::isAtLeast(const AffineForm &Form, const APInt &Least) const {
  auto *Base = dyn_cast<SCEVConstant>(Form.Base);
  if (!Base)
    return false;
  APInt Lowest = Base->getAPInt();
  for (auto [Loop, Step] : enumerate(Form.Step)) {
    if (!Step)
      continue;
    auto *By = dyn_cast<SCEVConstant>(Step);
    auto *Last = Loop < Space.LastOfLoop.size()
                     ? dyn_cast<SCEVConstant>(Space.LastOfLoop[Loop])
                     : nullptr;
    if (!By || !Last || Last->getAPInt().getActiveBits() > 31)
      return false;
    if (By->getAPInt().isNegative())
      Lowest += By->getAPInt() * Last->getAPInt();
  }
  return Lowest.sge(Least);
}

/// The one bound that matters beside the tile's size, n - 1 - t*x, by axes.
std::optional<AffineForm> SpaceBuilder::restOfTiles(const TileBounds &Bounds) {
  std::optional<AffineForm> Rest;
  for (const AffineForm &Form : Bounds.Others) {
    if (isAtLeast(Form, Bounds.Last))
      continue;
    if (Rest)
      return std::nullopt;
    Rest = Form;
    for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap)
      Space.WrapChecks.push_back(Space.wrapCheck(Sum));
    if (!Space.toAxes(*Rest))
      return std::nullopt;
  }
  return Rest;
}

/// T(x) = min(t, n - t*x): \p Backedges is the minimum of t-1 and n-1 - t*x,
/// divided by the step of the loop.
bool SpaceBuilder::addTile(unsigned Position, const SCEV *Backedges) {
  auto Divided = dividend(Backedges);
  if (!Divided)
    return false;
  const APInt &Divisor = Divided->second;
  const SCEV *Distance = withoutClamp(Divided->first, Divisor);
  std::optional<TileBounds> Bounds = boundsOfTile(Distance);
  if (!Bounds)
    return false;
  APInt Tile = Bounds->Last + 1;
  if (Tile.urem(Divisor) != 0)
    return false;
  std::optional<AffineForm> Rest = restOfTiles(*Bounds);
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

/// A loop between two ends that an outer one moves together, such as pointers
/// into a row: \p Backedges is (max(end, first + step) - first - 1) / step.
bool SpaceBuilder::addMoving(const SCEV *Backedges) {
  auto *Div = dyn_cast<SCEVUDivExpr>(Backedges);
  auto *Step = dyn_cast<SCEVConstant>(Div ? Div->getRHS()
                                          : SE.getOne(Backedges->getType()));
  const SCEV *Divided = Div ? Div->getLHS() : Backedges;
  if (!Step || Divided->getType() != I64)
    return false;
  const SCEVMinMaxExpr *Max = findMinMax(Divided, /*Max=*/true);
  if (!Max || Max->getNumOperands() != 2 || Max->getType() != I64)
    return false;
  const SCEV *Rest = SE.getMinusSCEV(Divided, Max);
  for (unsigned I : {0, 1}) {
    const SCEV *Distance = SE.getAddExpr(Rest, Max->getOperand(I));
    auto *Least =
        dyn_cast<SCEVConstant>(SE.getAddExpr(Rest, Max->getOperand(1 - I)));
    if (!Least || Least->getAPInt().uge(Step->getAPInt()) ||
        !In.isInvariant(Distance))
      continue;
    // This is the greater one if neither wraps.
    for (const SCEV *End : Max->operands())
      if (!exactly(End, isa<SCEVSMaxExpr>(Max)))
        return false;
    require(ICmpInst::ICMP_SGE, Distance, Least);
    Space.Last.push_back(SE.getUDivExpr(Distance, Step));
    Space.LastOfLoop.push_back(Space.Last.back());
    Counts.push_back(nullptr);
    return true;
  }
  return false;
}

/// How often the loop runs, less one, or less than zero where a guard keeps it
/// from being entered: ScalarEvolution gives max(End, First) - First, or, if it
/// counts down, First - min(End, First).
const SCEV *SpaceBuilder::distance(const SCEV *Backedges) {
  const SCEV *S = Backedges;
  while (auto *Cast = dyn_cast<SCEVZeroExtendExpr>(S))
    S = Cast->getOperand();
  const SCEVMinMaxExpr *Max = findMinMax(S, /*Max=*/true);
  const SCEVMinMaxExpr *Min = findMinMax(S, /*Max=*/false);
  const SCEVMinMaxExpr *Either = Max ? Max : Min;
  if (!Either)
    return SE.getTruncateOrSignExtend(Backedges, I64);
  if (Either->getNumOperands() != 2 || Either->getType() != S->getType())
    return nullptr;
  const SCEV *First = Max ? SE.getMinusSCEV(Max, S) : SE.getAddExpr(S, Min);
  for (unsigned I : {0, 1}) {
    if (First != Either->getOperand(I))
      continue;
    bool Signed = isa<SCEVSMaxExpr, SCEVSMinExpr>(Either);
    const SCEV *Low = exactly(First, Signed);
    const SCEV *High = exactly(Either->getOperand(1 - I), Signed);
    if (!Low || !High)
      return nullptr;
    return Max ? SE.getMinusSCEV(High, Low) : SE.getMinusSCEV(Low, High);
  }
  return nullptr;
}

/// \p S, with the sum of a minimum and a constant widened one by one: it does not
/// wrap, as that of the operand that does not vary does not.
const SCEV *SpaceBuilder::withoutNarrowSum(const SCEV *S) {
  const SCEVMinMaxExpr *Min = findMinMax(S, /*Max=*/false);
  if (!Min || !isa<SCEVUMinExpr>(Min))
    return S;
  auto Whole = find_if(Min->operands(), [&](const SCEV *Operand) {
    return In.isInvariant(Operand);
  });
  const SCEV *Sum = nullptr;
  const APInt *More = nullptr;
  SCEVExprContains(S, [&](const SCEV *Part) {
    using namespace SCEVPatternMatch;
    if (!match(Part, m_scev_ZExt(
                         m_scev_Add(m_scev_APInt(More), m_scev_Specific(Min)))))
      return false;
    Sum = Part;
    return true;
  });
  if (!Sum || Whole == Min->operands().end())
    return S;
  require(ICmpInst::ICMP_ULE, *Whole, SE.getConstant(~*More));
  const SCEV *Widened = SE.getAddExpr(
      SE.getZeroExtendExpr(Min, Sum->getType()),
      SE.getConstant(More->zext(SE.getTypeSizeInBits(Sum->getType()))));
  return NodeReplacer(SE, Sum, Widened).visit(S);
}

/// What \p Backedges is where it is not cut off by another bound, which does not
/// vary: that is the loop's last value then, \p Cut.
///   for p < n, break if p > i          min(n - 1, i)
const SCEV *SpaceBuilder::withoutCut(const SCEV *Backedges, const SCEV *&Cut) {
  const SCEV *Count = withoutNarrowSum(withoutClamp(Backedges, APInt(64, 1)));
  const SCEVMinMaxExpr *Min = findMinMax(Count, /*Max=*/false);
  if (!Min || Min->getNumOperands() != 2 ||
      In.isInvariant(Min->getOperand(0)) == In.isInvariant(Min->getOperand(1)))
    return Backedges;
  bool IsFirst = In.isInvariant(Min->getOperand(0));
  const SCEV *Whole = Min->getOperand(!IsFirst),
             *Row = Min->getOperand(IsFirst);
  if (!boundsOperand(Row, isa<SCEVSMinExpr>(Min)))
    return Backedges;
  auto With = [&](const SCEV *Operand) {
    return NodeReplacer(SE, Min, Operand).visit(Count);
  };
  const SCEV *Next = With(SE.getAddExpr(Row, SE.getOne(Row->getType())));
  if (!SE.getMinusSCEV(Next, With(Row))->isOne())
    return Backedges;
  Cut = SE.getTruncateOrSignExtend(With(Whole), I64);
  require(ICmpInst::ICMP_SGE, Cut, constant(0));
  return With(Row);
}

bool SpaceBuilder::addTriangle(unsigned Position, const SCEV *Backedges) {
  const SCEV *Cut = nullptr, *All = Backedges;
  Backedges = withoutCut(Backedges, Cut);
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
  if (!Slope->isOne() && !(Slope->isAllOnesValue() && !Cut))
    return false;
  if (Cut)
    Distance = SE.getTruncateOrSignExtend(
        withoutNarrowSum(withoutClamp(All, APInt(64, 1))), I64);
  else
    Space.Backedges = *affineForm(Distance, In, In.Chain);
  Triangle = Varying{*X, Position, SE.getAddExpr(Form->Base, SE.getOne(I64)),
                     Slope->isOne() ? 1 : -1, Cut != nullptr};
  const SCEV *Last = Slope->isOne() ? atEnd(*Form, *X) : Form->Base;
  Space.Last.push_back(Cut ? SE.getSMinExpr(Last, Cut) : Last);
  Space.LastOfLoop.push_back(Space.Last.back());
  Counts.push_back(SE.getAddExpr(Distance, SE.getOne(I64)));
  return true;
}

/// Which operand is the greater one where the loop of the triangle runs: their
/// distance is how often it does, less one.
const SCEV *SpaceBuilder::greaterWhereRun(const SCEVMinMaxExpr &MinMax) {
  bool Signed = isa<SCEVSMaxExpr, SCEVSMinExpr>(MinMax);
  SmallVector<AffineForm, 2> Forms;
  for (const SCEV *Operand : MinMax.operands()) {
    const SCEV *Exact = exactly(Operand, Signed);
    std::optional<AffineForm> Form;
    if (Exact)
      Form = affineForm(Exact, In, In.Chain);
    if (!Form || !addChecks(*Form))
      return nullptr;
    Forms.push_back(*Form);
  }
  const SCEV *Zero = SE.getZero(I64);
  auto OrZero = [&](const SCEV *Step) { return Step ? Step : Zero; };
  for (unsigned I : {0, 1}) {
    const AffineForm &Greater = Forms[I], &Less = Forms[1 - I];
    bool IsDistance = true;
    for (auto [High, Low, Step] :
         zip_equal(Greater.Step, Less.Step, Space.Backedges->Step))
      IsDistance &= SE.getMinusSCEV(OrZero(High), OrZero(Low)) == OrZero(Step);
    const SCEV *Base = SE.getMinusSCEV(Greater.Base, Less.Base);
    if (!IsDistance ||
        SE.isKnownPredicate(ICmpInst::ICMP_NE, Base, Space.Backedges->Base))
      continue;
    require(ICmpInst::ICMP_EQ, Base, Space.Backedges->Base);
    return MinMax.getOperand(I);
  }
  return nullptr;
}

const SCEV *IterationSpace::whereRun(const SCEV *S, const Instruction &Where,
                                     const LoopNest &In,
                                     Conditions &Tests) const {
  if (!Backedges || any_of(In.Guards, [&](const VaryingGuard &Guard) {
        const BasicBlock *Inside = Guard.Branch->getSuccessor(!Guard.Enters);
        return !In.Analyses->DT.dominates(
            BasicBlockEdge(Guard.Branch->getParent(), Inside),
            Where.getParent());
      }))
    return S;
  SpaceBuilder Builder(In);
  Builder.Space = *this;
  Builder.Space.WrapChecks.clear();
  Builder.Space.MustHold.clear();
  const SCEV *Result = S;
  for (bool Max : {true, false})
    while (const SCEVMinMaxExpr *MinMax = Builder.findMinMax(Result, Max)) {
      const SCEV *Greater = MinMax->getNumOperands() == 2
                                ? Builder.greaterWhereRun(*MinMax)
                                : nullptr;
      if (!Greater)
        return S;
      bool IsFirst = Greater == MinMax->getOperand(0);
      Result =
          NodeReplacer(*SE, MinMax, MinMax->getOperand(IsFirst == Max ? 0 : 1))
              .visit(Result);
    }
  Tests.WrapChecks.append(Builder.Space.WrapChecks);
  Tests.MustHold.append(Builder.Space.MustHold);
  return Result;
}

} // namespace tilesmith
