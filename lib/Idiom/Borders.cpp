//===- Borders.cpp - windows that leave an image --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k for y for x for c for r for s
//     if (y + r - 1 >= 0 && y + r - 1 < H && x + s - 1 >= 0 && x + s - 1 < W)
//       out[k][y][x] += in[c][y + r - 1][x + s - 1] * w[k][c][r][s];
//
// Or the nest makes these steps with zeros:
//
//       out[k][y][x] += (… ? in[c][y + r - 1][x + s - 1] : 0) * w[k][c][r][s];
//
// The nest leaves out steps, as one whose window is padded. Each comparison says
// that an affine sum of counters is not negative. Two of them whose sum is the
// same everywhere bound one position, from zero to an extent: a Border.
//
// A kernel that makes steps with zeros that the nest leaves out comes to the same
// sums, but for the cases that emitExactZeros() in the room Kernel looks for.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Recognizer.h"
#include "SpaceBuilder.h"
#include "ZeroSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

//===-- The branches ------------------------------------------------------===//

/// Adds what \p Of says, of both numbers if it is said of all bits of either, taken
/// together: these are zero, or no negative number.
static void addComparisons(BorderGuard::Comparison Of, BorderGuard &To) {
  auto &[P, X, Y, Mask] = Of;
  if (P == ICmpInst::ICMP_EQ && match(Y, m_Zero()) && !Mask)
    match(X, m_And(m_Value(X), m_APInt(Mask)));
  Value *First, *Second;
  if ((Mask || (P == ICmpInst::ICMP_SGT && match(Y, m_AllOnes()))) &&
      match(X, m_Or(m_Value(First), m_Value(Second))) &&
      !match(X, m_DisjointOr(m_Value(), m_Value()))) {
    addComparisons({P, First, Y, Mask}, To);
    addComparisons({P, Second, Y, Mask}, To);
    return;
  }
  To.Comparisons.push_back(Of);
}

/// Adds the comparisons that all come out as they must where \p Condition is \p
/// Holds, and the invariant conditions that do; false if it is made of something
/// else.
bool LoopNest::collectComparisons(Value *Condition, bool Holds,
                                  BorderGuard &To) const {
  if (isInvariant(Condition)) {
    To.Assumed.push_back(
        {Condition, Holds, needsAssumptions(Condition), /*Entered=*/{}});
    return true;
  }
  if (auto *Freeze = dyn_cast<FreezeInst>(Condition))
    return collectComparisons(Freeze->getOperand(0), Holds, To);
  Value *X, *Y;
  if (match(Condition, m_Not(m_Value(X))))
    return collectComparisons(X, !Holds, To);
  if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
            : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y))))
    return collectComparisons(X, Holds, To) && collectComparisons(Y, Holds, To);
  auto *Compare = dyn_cast<ICmpInst>(Condition);
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy() ||
      requirement(*To.Branch, Compare, Holds))
    return false;
  X = Compare->getOperand(0);
  Y = Compare->getOperand(1);
  CmpInst::Predicate P =
      Holds ? Compare->getPredicate() : Compare->getInversePredicate();
  // What has the same sign is compared with it.
  if (Compare->hasSameSign() && ICmpInst::isUnsigned(P))
    P = ICmpInst::getSignedPredicate(P);
  addComparisons({P, X, Y}, To);
  return true;
}

namespace {

/// `Low Predicate High` holds; the predicate is none of "greater".
struct Order {
  CmpInst::Predicate Predicate;
  const SCEV *Low, *High;
};

} // namespace

/// Whether the lower bits of a number may be what the source converts it to. Fewer
/// are a test of every second element, or every fourth one.
static bool isTypeOfSource(unsigned Bits) {
  return Bits >= 8 && isPowerOf2_32(Bits);
}

/// What \p Of says of two numbers, as LLVM writes it: `(X & 0xfffffff0) == 0` says
/// that the lower 32 bits of X are below 16, with 0x80000000 that they are not
/// negative; so does `X - 16 >= -16`, unsigned, if X has so many.
static Order orderOf(BorderGuard::Comparison Of, ScalarEvolution &SE) {
  auto [P, X, Y, Mask] = Of;
  unsigned Lowest, Bits;
  if (Mask && Mask->isShiftedMask(Lowest, Bits) &&
      isTypeOfSource(Lowest + Bits)) {
    auto *Ty = IntegerType::get(X->getContext(), Lowest + Bits);
    const SCEV *Number = SE.getTruncateOrNoop(SE.getSCEV(X), Ty);
    if (Bits == 1)
      return {ICmpInst::ICMP_SLE, SE.getZero(Ty), Number};
    return {ICmpInst::ICMP_ULT, Number,
            SE.getConstant(APInt::getOneBitSet(Ty->getBitWidth(), Lowest))};
  }
  const SCEV *Low = SE.getSCEV(X), *High = SE.getSCEV(Y);
  if (ICmpInst::isGT(P) || ICmpInst::isGE(P)) {
    std::swap(Low, High);
    P = CmpInst::getSwappedPredicate(P);
  }
  if (auto *C = dyn_cast<SCEVConstant>(Low);
      C && P == ICmpInst::ICMP_ULE && C->getAPInt().isNegative())
    return {ICmpInst::ICMP_ULT, SE.getMinusSCEV(High, Low),
            SE.getNegativeSCEV(Low)};
  return {P, Low, High};
}

/// Whether nothing is done where \p Border leaves out a step, perhaps in loops that
/// are empty there, until control is where it comes to from a step that is made.
bool LoopNest::isIdleBeyond(const BorderGuard &Border) const {
  // Loops beyond it may read the other factor (see ZeroSteps).
  bool IsStep =
      Analyses->LI.getLoopFor(Border.Branch->getParent()) == &innermost();
  SmallVector<const BasicBlock *, 4> Work{Border.leftOut()};
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (!Seen.insert(BB).second || reachesInNest(Border.made(), BB))
      continue;
    if (!root().contains(BB) || any_of(*BB, [&](const Instruction &I) {
          return IsStep ? I.mayReadOrWriteMemory() : I.mayHaveSideEffects();
        }))
      return false;
    append_range(Work, successors(BB));
  }
  return true;
}

/// Whether loops of the chain inside \p Br run equally often each time.
bool LoopNest::haveFixedLengthsBehind(const BranchInst &Br) const {
  return all_of(Chain, [&](const Loop *L) {
    if (L->contains(&Br))
      return true;
    auto Count = tripCount(*L, *this);
    auto *Known = std::get_if<TripCount>(&Count);
    return Known && isInvariant(Known->Backedges);
  });
}

/// Whether \p Br does nothing but leave out steps where counters are beyond a
/// border, as far as its place tells.
bool LoopNest::followBorder(BranchInst &Br) {
  const Loop *L = Analyses->LI.getLoopFor(Br.getParent());
  if (!is_contained(Chain, L))
    return false;
  for (bool Enters : {true, false}) {
    BorderGuard Found{&Br, Enters, {}, {}};
    if (!isIdleBeyond(Found) ||
        (L != &innermost() &&
         (!reachesInNest(Found.made(), innermost().getHeader()) ||
          reachesInNest(Found.leftOut(), innermost().getHeader()))) ||
        !collectComparisons(Br.getCondition(), Enters, Found) ||
        Found.Comparisons.empty() || !haveFixedLengthsBehind(Br))
      continue;
    Assumptions.append(Found.Assumed);
    Borders.push_back(std::move(Found));
    return true;
  }
  return false;
}

/// Whether \p Br tests if loops are empty whose bounds are clipped. LLVM may have
/// moved that out of loops that do something else then: such loops must not be.
bool LoopNest::followCertain(BranchInst &Br) {
  auto IsClipped = [&](const BorderGuard::Comparison &Of) {
    return isa<SCEVMinMaxExpr>(Analyses->SE.getSCEV(Of.X)) ||
           isa<SCEVMinMaxExpr>(Analyses->SE.getSCEV(Of.Y));
  };
  if (!is_contained(Chain, Analyses->LI.getLoopFor(Br.getParent())))
    return false;
  for (bool Enters : {true, false}) {
    BorderGuard Found{&Br, Enters, {}, {}};
    if (!reachesInNest(Found.made(), innermost().getHeader()) ||
        reachesInNest(Found.leftOut(), innermost().getHeader()) ||
        !collectComparisons(Br.getCondition(), Enters, Found) ||
        !any_of(Found.Comparisons, IsClipped) || !haveFixedLengthsBehind(Br))
      continue;
    Assumptions.append(Found.Assumed);
    Certain.push_back(std::move(Found));
    return true;
  }
  return false;
}

SmallVector<const BorderGuard *, 2>
LoopNest::bordersAround(const Instruction &I) const {
  SmallVector<const BorderGuard *, 2> Result;
  for (const BorderGuard &Border : Borders)
    if (Analyses->DT.dominates(
            BasicBlockEdge(Border.Branch->getParent(), Border.made()),
            I.getParent()))
      Result.push_back(&Border);
  return Result;
}

namespace {

/// How often \p S goes on by \p Position, as the innermost loop that moves that one
/// shows; null if that is no positive number.
const SCEV *timesIn(const SCEV *S, const SCEV *Position, ScalarEvolution &SE) {
  auto StepIn = [&](const SCEV *Of, const Loop *L) -> const SCEVConstant * {
    while (auto *Rec = dyn_cast<SCEVAddRecExpr>(Of)) {
      if (Rec->getLoop() == L)
        return dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
      Of = Rec->getStart();
    }
    return nullptr;
  };
  auto *Moves = dyn_cast<SCEVAddRecExpr>(Position);
  if (!Moves || S->getType() != Position->getType())
    return nullptr;
  auto *Step = StepIn(S, Moves->getLoop()),
       *Once = StepIn(Moves, Moves->getLoop());
  if (!Step || !Once)
    return nullptr;
  APInt Times = Step->getAPInt().sdiv(Once->getAPInt());
  return Times.isStrictlyPositive() &&
                 Times * Once->getAPInt() == Step->getAPInt()
             ? SE.getConstant(Times)
             : nullptr;
}

/// Extends what is not negative with its sign.
struct SignExtender : SCEVRewriteVisitor<SignExtender> {
  const SmallSetVector<const SCEV *, 4> &NotNegative;
  /// Positions that are below constants, too.
  const SmallMapVector<const SCEV *, APInt, 2> &Below;
  SignExtender(ScalarEvolution &SE,
               const SmallSetVector<const SCEV *, 4> &NotNegative,
               const SmallMapVector<const SCEV *, APInt, 2> &Below)
      : SCEVRewriteVisitor(SE), NotNegative(NotNegative), Below(Below) {}

  /// The position whose lowest bits are \p S, and no others are set; null if there
  /// is none. `(16 * X) & 240` is 16 X where X is below 16.
  const SCEV *positionOfBits(const SCEV *S) {
    unsigned Bits = SE.getTypeSizeInBits(S->getType());
    for (auto &[Position, End] : Below)
      if ((End - 1).isIntN(Bits) &&
          SE.getTypeSizeInBits(Position->getType()) > Bits &&
          SE.getTruncateExpr(Position, S->getType()) == S)
        return Position;
    return nullptr;
  }

  /// Whether \p S is positions that are not negative, some times each, and
  /// something else that is not.
  bool isNotNegative(const SCEV *S) {
    if (NotNegative.contains(S))
      return true;
    // Where S is narrower, the guard tests that it fits.
    for (const SCEV *Position : NotNegative) {
      if (SE.getTypeSizeInBits(Position->getType()) >
          SE.getTypeSizeInBits(S->getType()))
        Position = SE.getTruncateExpr(Position, S->getType());
      if (const SCEV *Times = timesIn(S, Position, SE))
        S = SE.getMinusSCEV(S, SE.getMulExpr(Times, Position));
    }
    return SE.isKnownNonNegative(S);
  }

  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *Cast) {
    const SCEV *S = Cast->getOperand();
    if (const SCEV *Position = positionOfBits(S))
      return SE.getTruncateOrSignExtend(Position, Cast->getType());
    return isNotNegative(S)
               ? SE.getSignExtendExpr(S, Cast->getType())
               : SCEVRewriteVisitor<SignExtender>::visitZeroExtendExpr(Cast);
  }
};

} // namespace

/// \p S at \p Where, without extensions that rely on borders around it: beyond
/// these, the counters make it negative.
const SCEV *LoopNest::insideBorders(const SCEV *S,
                                    const Instruction &Where) const {
  if (Borders.empty())
    return S;
  ScalarEvolution &SE = Analyses->SE;
  SmallSetVector<const SCEV *, 4> NotNegative;
  SmallMapVector<const SCEV *, APInt, 2> Below;
  for (const BorderGuard *Border : bordersAround(Where))
    for (const BorderGuard::Comparison &Comparison : Border->Comparisons) {
      auto [P, Low, High] = orderOf(Comparison, SE);
      const SCEV *X = resolve(Low), *Y = resolve(High);
      // Of two numbers that differ, X is the greater one (see addComparison()).
      if (ICmpInst::isUnsigned(P) && ICmpInst::isRelational(P))
        NotNegative.insert(X);
      else if (P == ICmpInst::ICMP_NE)
        NotNegative.insert(
            SE.getMinusSCEV(SE.getMinusSCEV(X, Y), SE.getOne(X->getType())));
      else if (ICmpInst::isLT(P))
        NotNegative.insert(
            SE.getMinusSCEV(SE.getMinusSCEV(Y, X), SE.getOne(X->getType())));
      else
        NotNegative.insert(SE.getMinusSCEV(Y, X));
      if (auto *End = dyn_cast<SCEVConstant>(Y); End && P == ICmpInst::ICMP_ULT)
        Below.insert({X, End->getAPInt()});
    }
  return SignExtender(SE, NotNegative, Below).visit(S);
}

//===-- Positions ---------------------------------------------------------===//

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
std::optional<AffineSum> SpaceBuilder::positionOf(const SCEV *S) {
  const SCEV *Exact = exactly(In.resolve(S), /*Signed=*/true);
  std::optional<AffineForm> Form;
  if (Exact)
    Form = affineForm(Exact, In, In.Chain);
  if (!Form || Form->Row || !addChecks(*Form))
    return std::nullopt;
  return AffineSum(*Form);
}

/// \p Position must not be negative. Together with another one that is to be so,
/// it may bound a position on both sides.
void SpaceBuilder::addHalf(AffineSum Position, const BranchInst &Branch) {
  for (IterationSpace::Inside &Other : Space.Borders) {
    AffineSum Sum = Position;
    Sum.Base = SE.getAddExpr(Sum.Base, Other.Position.Base);
    bool IsBound = !Other.Extent;
    for (auto [Step, Of] : zip_equal(Sum.Step, Other.Position.Step))
      IsBound &=
          (!Step && !Of) || (Step && Of && SE.getAddExpr(Step, Of)->isZero());
    if (!IsBound)
      continue;
    Other.Extent = SE.getAddExpr(Sum.Base, SE.getOne(I64));
    return;
  }
  Space.Borders.push_back({std::move(Position), nullptr, &Branch});
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
  std::optional<AffineSum> Less = positionOf(Low), More = positionOf(High);
  if (!Less || !More)
    return false;
  const SCEV *One = SE.getOne(I64);
  AffineSum Half = difference(*More, *Less);
  if (ICmpInst::isUnsigned(P)) {
    // From zero on, if the bound is not negative.
    bool Varies = any_of(More->Step, [](const SCEV *Step) { return Step; });
    const SCEV *Extent =
        P == ICmpInst::ICMP_ULT ? More->Base : SE.getAddExpr(More->Base, One);
    if (Varies)
      return false;
    require(ICmpInst::ICMP_SGE, Extent, constant(0));
    Space.Borders.push_back({std::move(*Less), Extent, Guard.Branch});
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
  if (none_of(Half.Step, [](const SCEV *Step) { return Step; }))
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
/// compared in front of their loop, too.
bool SpaceBuilder::isImplied(const AffineSum &Half) const {
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
  constexpr unsigned PositionBits = 32;
  for (IterationSpace::Inside &Border : Space.Borders) {
    if (Border.Extent)
      require(ICmpInst::ICMP_SGE, Border.Extent, constant(0));
    else
      Border.Extent = constant(INT64_C(1) << (PositionBits - 1));
    require(ICmpInst::ICMP_SLE, Border.Extent,
            constant(INT64_C(1) << (PositionBits - 1)));
    Space.WrapChecks.push_back(
        Space.wrapCheck({Border.Position.Base, Border.Position.Step,
                         PositionBits, /*Signed=*/true}));
    if (Border.Branch->hasMetadata(ClippedMark))
      requireMostInside(Border);
    if (!Space.toAxes(Border.Position))
      return Refusal{Reason::Branch, Border.Branch};
  }
  return std::nullopt;
}

//===-- What else must be true --------------------------------------------===//

/// Whether each value that comes from beyond \p Border is that of a step that is
/// made, or MayDiffer(value, that of a step).
static bool agreeBeyond(const LoopNest &In, const BorderGuard &Border,
                        function_ref<bool(Value *, Value *)> MayDiffer) {
  auto Agree = [&](BasicBlock *Pred, BasicBlock *BB) {
    return all_of(BB->phis(), [&](PHINode &Phi) {
      Value *V = In.resolve(Phi.getIncomingValueForBlock(Pred));
      Value *Live = In.resolve(&Phi);
      return V == Live || MayDiffer(V, Live);
    });
  };
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Work{
      {Border.Branch->getParent(), Border.leftOut()}};
  SmallPtrSet<BasicBlock *, 4> Seen;
  while (!Work.empty()) {
    auto [Pred, BB] = Work.pop_back_val();
    if (In.Live.contains(BB)) {
      if (!Agree(Pred, BB))
        return false;
      continue;
    }
    if (!In.root().contains(BB))
      return false;
    if (Seen.insert(BB).second)
      for (BasicBlock *Succ : successors(BB))
        Work.push_back({BB, Succ});
  }
  return true;
}

/// Where a step is left out, each value is what it was before: the sum that a
/// loop around carries, or that the loops behind the branch start from, or one
/// that does not depend on it.
static bool keepsValues(const LoopNest &In, const BorderGuard &Border,
                        const Update &From) {
  const Loop *Around = In.Analyses->LI.getLoopFor(Border.Branch->getParent());
  auto Behind = find_if(
      In.Chain, [&](const Loop *L) { return !L->contains(Border.Branch); });
  auto StartsFrom = [&](Value *V) {
    return Behind != In.Chain.end() &&
           any_of((*Behind)->getHeader()->phis(), [&](PHINode &Phi) {
             Value *First = In.incomingFromOutside(Phi);
             return First && In.resolve(First) == V &&
                    In.incomingFromLatch(Phi) == From.Sum;
           });
  };
  return is_contained(In.bordersAround(*From.Sum), &Border) &&
         agreeBeyond(In, Border, [&](Value *V, Value *Live) {
           auto *Phi = dyn_cast<PHINode>(V);
           bool IsCarried = Phi && Phi->getParent() == Around->getHeader() &&
                            In.incomingFromLatch(*Phi) == From.Sum;
           return Live == From.Sum && (IsCarried || StartsFrom(V));
         });
}

/// Whether the step is made with zero for what the image's element is converted
/// to, or for all that becomes of it.
bool Recognizer::isZeroBeyond(const BorderGuard &Border,
                              const Update &From) const {
  const Term &T = Result.Op.Terms.front();
  bool IsA = *By.Bordered == M;
  const Expression &Map = IsA ? T.AMap : T.BMap;
  const Instruction *Load = (IsA ? T.A : T.B).Inst;
  auto WithoutCasts = [&](Value *V) {
    while (auto *Cast = dyn_cast<CastInst>(V))
      V = Map.resolve(In.resolve(Cast->getOperand(0)));
    return V;
  };
  Value *Root = Map.resolve(Map.Root);
  auto IsImage = [&](Value *V) {
    return V == Root || (WithoutCasts(V) == Load && WithoutCasts(Root) == Load);
  };
  bool IsAny = false;
  bool Agree = agreeBeyond(In, Border, [&](Value *V, Value *Live) {
    IsAny = true;
    if (Live == From.Sum)
      return ZeroSteps(In, IsImage).hasSum(V, From.Sum);
    auto *Zero = dyn_cast<Constant>(V);
    return Zero && Zero->isNullValue() && IsImage(Live);
  });
  return Agree && IsAny;
}

/// Whether \p Of adds the product to the sum, or subtracts it, as it is: a product
/// that is zero changes nothing but the sign of a zero.
static bool addsProduct(const Contraction &Of) {
  const Expression &E = Of.Update;
  auto Sum = m_Leaf(E, Leaf::Sum);
  Value *Root = E.resolve(E.Root), *Addend;
  if (E.Fused.contains(Root))
    return match(Root,
                 m_FusedMultiplyAdd(m_Value(), m_Value(), m_Value(Addend))) &&
           match(E.resolve(Addend), Sum);
  return match(Root, m_Accumulation(Sum, m_Leaf(E, Leaf::Product)));
}

Refused Recognizer::checkBorders(const Update &From) {
  Contraction &Op = Result.Op;
  unsigned LeaveOut = 0;
  for (const BorderGuard &Border : In.Borders) {
    Refusal No{Reason::Branch, Border.Branch};
    if (!By.Bordered || In.Zeros || Op.Domain || Op.hasPairings() ||
        Op.Terms.size() > 1 || Op.hasRowTables() || May.Apart || May.Saved)
      return No;
    if (isZeroBeyond(Border, From))
      continue;
    ++LeaveOut;
    if (!keepsValues(In, Border, From) || !addsProduct(Op) ||
        match(Op.Finish.Root,
              m_Contains(Op.Finish, m_FDiv(m_Value(), m_Value()))))
      return No;
  }
  if (In.Borders.empty() || LeaveOut == In.Borders.size())
    return std::nullopt;
  // Of integers, adding zero is leaving out.
  if (LeaveOut && !Op.SumTy->isIntegerTy())
    return Refusal{Reason::Branch, In.Borders.front().Branch};
  Term &T = Op.Terms.front();
  (*By.Bordered == M ? T.A : T.B).IsZeroBeyond = LeaveOut == 0;
  return std::nullopt;
}

/// The nest writes nothing but sums, and these where a step is made at most.
Refused Recognizer::checkWritesAtBorders(ArrayRef<Instruction *> Rest) const {
  if (In.Borders.empty())
    return std::nullopt;
  Refusal No{Reason::Branch, In.Borders.front().Branch};
  if (!Rest.empty() || Result.Source.HasStepBefore ||
      !Result.Op.C.Copies.empty())
    return No;
  for (const Instruction *Write : All.writes())
    if (Write != &Store && !In.bordersAround(*Write).empty())
      return No;
  return std::nullopt;
}

} // namespace tilesmith
