//===- TripCount.cpp - how often a loop runs ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ScalarEvolution knows the count of most loops. It gives up on
//
//   for (unsigned i = 0; i < n; i += 3)
//
// because i may wrap around if n is among the last values of its type, and the
// loop might not end. We take the count that is right for every other n, and
// let the guard test n.
//
//===----------------------------------------------------------------------===//

#include "TripCount.h"
#include "Patterns.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ScalarEvolutionPatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// The loop goes on while `Counter Predicate Bound`; the counter's first value
/// and the bound do not change in the nest.
struct Continuation {
  const SCEV *First = nullptr;
  APInt Step;
  CmpInst::Predicate Predicate = CmpInst::BAD_ICMP_PREDICATE;
  const SCEV *Bound = nullptr;
};

std::optional<Continuation> continuation(const Loop &L, const LoopNest &In) {
  using namespace SCEVPatternMatch;
  auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  CmpPredicate Predicate;
  const SCEV *First, *Bound;
  const APInt *Step;
  auto Counter = m_scev_AffineAddRec(m_SCEV(First), m_scev_APInt(Step),
                                     m_SpecificLoop(&L));
  if (!PatternMatch::match(Branch->getCondition(),
                           m_c_ICmp(Predicate, m_Evolution(In, Counter),
                                    m_Evolution(In, m_SCEV(Bound)))) ||
      !First->getType()->isIntegerTy() || !In.isInvariant(First) ||
      !In.isInvariant(Bound))
    return std::nullopt;
  bool GoesOn = Branch->getSuccessor(0) == L.getHeader();
  return Continuation{
      First, *Step,
      GoesOn ? CmpInst::Predicate(Predicate)
             : CmpInst::getInversePredicate(CmpInst::Predicate(Predicate)),
      Bound};
}

/// `Counter != Bound` in steps of one arrives, if need be by wrapping around.
std::optional<TripCount> countUntilEqual(const Continuation &C,
                                         ScalarEvolution &SE) {
  if (C.Step.isOne())
    return TripCount{SE.getMinusSCEV(C.Bound, C.First), std::nullopt};
  if (C.Step.isAllOnes())
    return TripCount{SE.getMinusSCEV(C.First, C.Bound), std::nullopt};
  return std::nullopt;
}

/// `Counter < Bound` or `Counter <= Bound`, counting up. The counter does not
/// wrap on its way to the first value past the bound if that value exists:
/// Bound + Step - 1, or Bound + Step, is no more than the greatest of the type.
std::optional<TripCount> countUpwards(const Continuation &C,
                                      ScalarEvolution &SE) {
  if (!C.Step.isStrictlyPositive())
    return std::nullopt;
  bool Signed = CmpInst::isSigned(C.Predicate);
  bool OrEqual = CmpInst::isNonStrictPredicate(C.Predicate);
  unsigned Bits = C.Step.getBitWidth();
  APInt Greatest =
      Signed ? APInt::getSignedMaxValue(Bits) : APInt::getMaxValue(Bits);
  APInt Jump = OrEqual ? C.Step : C.Step - 1;

  TripCount Result;
  Requirement Reachable{Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, C.Bound,
                        SE.getConstant(Greatest - Jump)};
  if (!SE.isKnownPredicate(Reachable.Predicate, Reachable.X, Reachable.Y))
    Result.ValidIf = Reachable;

  const SCEV *Past =
      OrEqual ? SE.getAddExpr(C.Bound, SE.getConstant(APInt(Bits, 1)))
              : C.Bound;
  const SCEV *End =
      Signed ? SE.getSMaxExpr(Past, C.First) : SE.getUMaxExpr(Past, C.First);
  const SCEV *Distance = SE.getMinusSCEV(End, C.First);
  Result.Backedges =
      SE.getUDivExpr(SE.getAddExpr(Distance, SE.getConstant(C.Step - 1)),
                     SE.getConstant(C.Step));
  return Result;
}

/// The same relation between the complements, which order the other way round.
Continuation complement(const Continuation &C, ScalarEvolution &SE) {
  return {SE.getNotSCEV(C.First), -C.Step,
          CmpInst::getSwappedPredicate(C.Predicate), SE.getNotSCEV(C.Bound)};
}

std::optional<TripCount> countUnderGuard(const Loop &L, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  std::optional<Continuation> C = continuation(L, In);
  if (!C)
    return std::nullopt;
  if (C->Predicate == CmpInst::ICMP_NE)
    return countUntilEqual(*C, SE);
  if (ICmpInst::isLT(C->Predicate) || ICmpInst::isLE(C->Predicate))
    return countUpwards(*C, SE);
  if (ICmpInst::isGT(C->Predicate) || ICmpInst::isGE(C->Predicate))
    return countUpwards(complement(*C, SE), SE);
  return std::nullopt;
}

/// The loop goes on while \p L's counter, which goes down by a number that is only
/// known at run time, is not less than that, or not zero.
std::optional<TripCount> countDownByNumber(const Loop &L, const LoopNest &In) {
  using namespace SCEVPatternMatch;
  ScalarEvolution &SE = In.Analyses->SE;
  auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  CmpPredicate Predicate;
  const SCEV *First, *Step, *Bound;
  auto Counter =
      m_scev_AffineAddRec(m_SCEV(First), m_SCEV(Step), m_SpecificLoop(&L));
  if (!PatternMatch::match(Branch->getCondition(),
                           m_c_ICmp(Predicate, m_Evolution(In, Counter),
                                    m_Evolution(In, m_SCEV(Bound)))) ||
      !First->getType()->isIntegerTy() || !In.isInvariant(First) ||
      !In.isInvariant(Step) || isa<SCEVConstant>(Step))
    return std::nullopt;
  CmpInst::Predicate GoesOn =
      Branch->getSuccessor(0) == L.getHeader()
          ? CmpInst::Predicate(Predicate)
          : CmpInst::getInversePredicate(CmpInst::Predicate(Predicate));
  const SCEV *Size = SE.getNegativeSCEV(Step);
  const SCEV *Times = SE.getUDivExpr(First, Size);
  if (GoesOn == ICmpInst::ICMP_UGE && Bound == Size)
    return TripCount{Times, std::nullopt};
  if (GoesOn == ICmpInst::ICMP_NE && Bound->isZero())
    return TripCount{Times,
                     Requirement{ICmpInst::ICMP_EQ, SE.getURemExpr(First, Size),
                                 SE.getZero(Size->getType())}};
  return std::nullopt;
}

/// The load, in the loop, of what the counter is compared with.
const Instruction *loadedBound(const Loop &L, const LoopNest &In) {
  auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  const LoadInst *Bound;
  auto IsInLoop = [&](LoadInst &Load) {
    return Load.isSimple() && L.contains(&Load);
  };
  auto IsCounter = [&](Value &V) {
    return V.getType()->isIntegerTy() &&
           isa<SCEVAddRecExpr>(In.Analyses->SE.getSCEV(&V));
  };
  return match(Branch->getCondition(),
               m_c_ICmp(m_Cast(m_CombineAnd(m_If<LoadInst>(IsInLoop),
                                            m_Loaded(Bound))),
                        m_If(IsCounter)))
             ? Bound
             : nullptr;
}

/// \p Count of a loop that comes down from a number. That may be less than the
/// last one, and the loop ends at once, as far as ScalarEvolution knows: n -
/// min(n, 1) is n - 1 if n is at least one.
TripCount countDownwards(const SCEV *Count, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  const SCEV *From = nullptr, *Least = nullptr;
  SCEVExprContains(Count, [&](const SCEV *S) {
    auto *Min = dyn_cast<SCEVSMinExpr>(S);
    if (!Min || Min->getNumOperands() != 2 ||
        !isa<SCEVConstant>(Min->getOperand(0)) ||
        !In.isInvariant(Min->getOperand(1)))
      return false;
    Least = Min;
    From = Min->getOperand(1);
    return true;
  });
  if (!From)
    return {Count, std::nullopt};
  const SCEV *Last = cast<SCEVSMinExpr>(Least)->getOperand(0);
  return {NodeReplacer(SE, Least, Last).visit(Count),
          Requirement{ICmpInst::ICMP_SLE, Last, From}};
}

} // namespace

std::variant<TripCount, Refusal> tripCount(const Loop &L, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  // Checks that would end the program do not count.
  const SCEV *Known = SE.getExitCount(&L, L.getLoopLatch());
  // Where it starts may be where another loop has ended.
  if (!isa<SCEVCouldNotCompute>(Known))
    return countDownwards(In.atScope(In.resolve(Known), L.getParentLoop()), In);
  if (std::optional<TripCount> Count = countUnderGuard(L, In))
    return *Count;
  if (std::optional<TripCount> Count = countDownByNumber(L, In))
    return *Count;
  if (const Instruction *Bound = loadedBound(L, In))
    return Refusal{Reason::BoundVaries, Bound};
  return Refusal{Reason::UnknownTripCount, L.getLoopLatch()->getTerminator()};
}

} // namespace tilesmith
