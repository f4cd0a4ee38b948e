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
#include "LoopNest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

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
  ScalarEvolution &SE = In.Analyses->SE;
  auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;

  CmpInst::Predicate Predicate = Branch->getSuccessor(0) == L.getHeader()
                                     ? Compare->getPredicate()
                                     : Compare->getInversePredicate();
  const SCEV *Counter = In.resolve(SE.getSCEV(Compare->getOperand(0)));
  const SCEV *Bound = In.resolve(SE.getSCEV(Compare->getOperand(1)));
  if (In.isInvariant(Counter)) {
    std::swap(Counter, Bound);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  auto *Rec = dyn_cast<SCEVAddRecExpr>(Counter);
  if (!Rec || Rec->getLoop() != &L || !Rec->isAffine() ||
      !In.isInvariant(Rec->getStart()) || !In.isInvariant(Bound))
    return std::nullopt;
  auto *Step = dyn_cast<SCEVConstant>(Rec->getStepRecurrence(SE));
  if (!Step)
    return std::nullopt;
  return Continuation{Rec->getStart(), Step->getAPInt(), Predicate, Bound};
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

/// The load of what the counter is compared with, if that may change.
const Instruction *loadedBound(const Loop &L, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  auto *Branch = cast<BranchInst>(L.getLoopLatch()->getTerminator());
  auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  for (unsigned I : {0, 1}) {
    Value *Bound = Compare->getOperand(I);
    while (auto *Cast = dyn_cast<CastInst>(Bound))
      Bound = Cast->getOperand(0);
    auto *Load = dyn_cast<LoadInst>(Bound);
    if (Load && Load->isSimple() && L.contains(Load) &&
        isa<SCEVAddRecExpr>(SE.getSCEV(Compare->getOperand(1 - I))))
      return Load;
  }
  return nullptr;
}

} // namespace

std::variant<TripCount, Refusal> tripCount(const Loop &L, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  // Checks that would end the program do not count.
  const SCEV *Known = SE.getExitCount(&L, L.getLoopLatch());
  // Where it starts may be where another loop has ended.
  if (!isa<SCEVCouldNotCompute>(Known))
    return TripCount{SE.getSCEVAtScope(In.resolve(Known), L.getParentLoop()),
                     std::nullopt};
  if (std::optional<TripCount> Count = countUnderGuard(L, In))
    return *Count;
  if (const Instruction *Bound = loadedBound(L, In))
    return Refusal{Reason::BoundVaries, Bound};
  return Refusal{Reason::UnknownTripCount, L.getLoopLatch()->getTerminator()};
}

} // namespace tilesmith
