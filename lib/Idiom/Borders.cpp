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

#include "Borders.h"
#include "LoopNest.h"
#include "Patterns.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

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

/// Whether the lower bits of a number may be what the source converts it to. Fewer
/// are a test of every second element, or every fourth one.
static bool isTypeOfSource(unsigned Bits) {
  return Bits >= 8 && isPowerOf2_32(Bits);
}

Order orderOf(BorderGuard::Comparison Of, ScalarEvolution &SE) {
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

/// Whether another value stands for an element where \p Border leads past it, and
/// the loops inside go on with either.
static bool choosesElement(const LoopNest &In, const BorderGuard &Border) {
  return any_of(Border.leftOut()->phis(), [&](const PHINode &Phi) {
    return In.isInvariant(
        Phi.getIncomingValueForBlock(Border.Branch->getParent()));
  });
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
        (L != &innermost() && (!leadsTo(*Found.made(), innermost()) ||
                               (leadsTo(*Found.leftOut(), innermost()) &&
                                !choosesElement(*this, Found)))) ||
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
    if (!leadsTo(*Found.made(), innermost()) ||
        leadsTo(*Found.leftOut(), innermost()) ||
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

/// Whether LLVM says of all that \p Access extends in \p Root, to form its address,
/// that it is not negative where the access is made.
bool extendsNoNegatives(const Instruction &Access, const Loop &Root) {
  // What an extension says is lost where its value is frozen, or not chosen.
  SmallSetVector<PointerIntPair<const Instruction *, 1, bool>, 16> Behind;
  auto Add = [&](const Value *V, bool IsLost) {
    auto *I = dyn_cast<Instruction>(V);
    if (I && Root.contains(I))
      Behind.insert({I, IsLost});
  };
  Add(getLoadStorePointerOperand(&Access), /*IsLost=*/false);
  for (unsigned N = 0; N < Behind.size(); ++N) {
    const Instruction *I = Behind[N].getPointer();
    bool IsLost = Behind[N].getInt();
    // Masks and remainders are extensions for ScalarEvolution.
    if (I->getOpcode() == Instruction::And ||
        I->getOpcode() == Instruction::URem ||
        (isa<ZExtInst>(I) && (IsLost || !I->hasNonNeg())))
      return false;
    if (isa<LoadInst>(I))
      continue;
    for (const Use &Operand : I->operands())
      Add(Operand, IsLost || isa<FreezeInst, SelectInst>(I));
  }
  return true;
}

/// Extends what is not negative with its sign.
struct SignExtender : SCEVRewriteVisitor<SignExtender> {
  const SmallSetVector<const SCEV *, 4> &NotNegative;
  /// Positions that are below constants, too.
  const SmallMapVector<const SCEV *, APInt, 2> &Below;
  /// Nothing is that varies with it; null if that is not known.
  const Loop *NoNegativesIn;
  SignExtender(ScalarEvolution &SE,
               const SmallSetVector<const SCEV *, 4> &NotNegative,
               const SmallMapVector<const SCEV *, APInt, 2> &Below,
               const Loop *NoNegativesIn)
      : SCEVRewriteVisitor(SE), NotNegative(NotNegative), Below(Below),
        NoNegativesIn(NoNegativesIn) {}

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
    if (NotNegative.contains(S) ||
        (NoNegativesIn && !SE.isLoopInvariant(S, NoNegativesIn)))
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
  const Loop *NoNegativesIn =
      extendsNoNegatives(Where, root()) ? &root() : nullptr;
  return SignExtender(SE, NotNegative, Below, NoNegativesIn).visit(S);
}

} // namespace tilesmith
