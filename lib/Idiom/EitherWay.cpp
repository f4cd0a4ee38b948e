//===- EitherWay.cpp - values that are the same past loops ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k {
//     for j < k { ... k * ld ... }
//     ... k * ld ...                  k == 0 ? 0 : k * ld, for LLVM
//   }
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A value in an iteration of a loop, and in any of others. It is not known where
/// there are counters wider than the number of the iteration.
struct AtIteration : SCEVRewriteVisitor<AtIteration> {
  const Loop &Of;
  const SCEV *Number;
  bool IsKnown = true;
  AtIteration(ScalarEvolution &SE, const Loop &Of, const SCEV *Number)
      : SCEVRewriteVisitor(SE), Of(Of), Number(Number) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    if (Rec->getLoop() != &Of)
      return SCEVRewriteVisitor::visitAddRecExpr(Rec);
    Type *Ty = SE.getEffectiveSCEVType(Rec->getType());
    if (SE.getTypeSizeInBits(Ty) > SE.getTypeSizeInBits(Number->getType())) {
      IsKnown = false;
      return Rec;
    }
    return Rec->evaluateAtIteration(SE.getTruncateOrNoop(Number, Ty), SE);
  }
};

/// An iteration of a loop, by its number.
struct Iteration {
  const Loop *Of;
  const SCEV *Number;
};

/// The only iteration in which \p X \p Predicate \p Y, if there is one: X counts by
/// one.
std::optional<Iteration> onlyIteration(CmpInst::Predicate Predicate,
                                       const SCEV *X, const SCEV *Y,
                                       ScalarEvolution &SE) {
  auto *Counts = dyn_cast<SCEVAddRecExpr>(X);
  if (!Counts || !Counts->isAffine() || !X->getType()->isIntegerTy())
    return std::nullopt;
  if (auto *Bound = dyn_cast<SCEVConstant>(Y)) {
    ConstantRange Region =
        ConstantRange::makeExactICmpRegion(Predicate, Bound->getAPInt());
    ConstantRange Values = Region.intersectWith(SE.getUnsignedRange(X));
    if (const APInt *Only = Values.getSingleElement()) {
      Y = SE.getConstant(*Only);
      Predicate = ICmpInst::ICMP_EQ;
    }
  }
  const SCEV *Step = Counts->getStepRecurrence(SE);
  if (Predicate != ICmpInst::ICMP_EQ ||
      !SE.isLoopInvariant(Y, Counts->getLoop()))
    return std::nullopt;
  const SCEV *Start = Counts->getStart();
  if (Step->isOne())
    return Iteration{Counts->getLoop(), SE.getMinusSCEV(Y, Start)};
  if (Step->isAllOnesValue())
    return Iteration{Counts->getLoop(), SE.getMinusSCEV(Start, Y)};
  return std::nullopt;
}

} // namespace

/// What \p Phi is where a guard lets control into loops, if that is also what it is
/// where the guard leads past them: it does so in one iteration alone.
const SCEV *LoopNest::eitherWay(PHINode &Phi) const {
  ScalarEvolution &SE = Analyses->SE;
  if (!IsWalked || Phi.getNumIncomingValues() != 2 ||
      !SE.isSCEVable(Phi.getType()) ||
      Analyses->LI.isLoopHeader(Phi.getParent()) || !root().contains(&Phi))
    return nullptr;
  for (const VaryingGuard &Guard : Guards) {
    const BasicBlock *From = Guard.Branch->getParent(),
                     *Past = Guard.Branch->getSuccessor(Guard.Enters ? 1 : 0);
    if (Past != Phi.getParent())
      From = Past->getSinglePredecessor() == From ? Past : nullptr;
    int ByPast = From ? Phi.getBasicBlockIndex(From) : -1;
    auto *Compare = dyn_cast<ICmpInst>(Guard.Branch->getCondition());
    if (ByPast < 0 || !Compare ||
        !Compare->getOperand(0)->getType()->isIntegerTy())
      continue;
    auto Resolved = [&](Value *V) { return resolve(SE.getSCEV(V)); };
    std::optional<Iteration> Skipped = onlyIteration(
        Guard.Enters ? Compare->getInversePredicate() : Compare->getPredicate(),
        Resolved(Compare->getOperand(0)), Resolved(Compare->getOperand(1)), SE);
    if (!Skipped ||
        Skipped->Number->getType() != SE.getEffectiveSCEVType(Phi.getType()))
      continue;
    const SCEV *Known = Resolved(Phi.getIncomingValue(1 - ByPast));
    AtIteration There(SE, *Skipped->Of, Skipped->Number);
    const SCEV *Value = There.visit(Known);
    if (There.IsKnown && Value == Resolved(Phi.getIncomingValue(ByPast)))
      return Known;
  }
  return nullptr;
}

} // namespace tilesmith
