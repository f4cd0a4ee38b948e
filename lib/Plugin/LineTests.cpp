//===- LineTests.cpp - tests in front of a line of steps ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineTests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// What \p Branch finds out if it leads to \p BB, as a comparison with \p V on the
/// left.
CmpInst::Predicate LineTests::foundOut(const BranchInst &Branch, const Value *V,
                                       const BasicBlock &BB) const {
  auto *Asked = dyn_cast<CmpInst>(Branch.getCondition());
  bool IsLeft = Asked && Asked->getOperand(0) == V;
  if (!IsLeft && !(Asked && Asked->getOperand(1) == V))
    return CmpInst::BAD_ICMP_PREDICATE;
  CmpInst::Predicate P =
      IsLeft ? Asked->getPredicate() : Asked->getSwappedPredicate();
  if (leadsTo(Branch, 0, BB))
    return P;
  return leadsTo(Branch, 1, BB) ? CmpInst::getInversePredicate(P)
                                : CmpInst::BAD_ICMP_PREDICATE;
}

bool LineTests::staysTrue(const BranchInst &Test) const {
  using P = CmpInst::Predicate;
  constexpr P Relations[] = {P::ICMP_SLT, P::ICMP_SGT, P::ICMP_ULT,
                             P::ICMP_UGT, P::FCMP_OLT, P::FCMP_OGT};
  return any_of(Kept, [&](const Value *V) {
    P Found = foundOut(Test, V, *Line.getHeader());
    if (Found == CmpInst::BAD_ICMP_PREDICATE)
      return false;
    P Strict = CmpInst::getStrictPredicate(Found);
    // A NaN stays one: it is never less, nor more.
    if (CmpInst::isFPPredicate(Strict))
      Strict = CmpInst::getOrderedPredicate(Strict);
    auto IsKnown = [&](const Value *Op) {
      return Op == V || All.isLoopInvariant(Op);
    };
    return is_contained(Relations, Strict) && movesElements(Strict) &&
           all_of(cast<Instruction>(Test.getCondition())->operands(), IsKnown);
  });
}

std::optional<ElementBound> LineTests::boundOf(const BranchInst &Test) const {
  using P = CmpInst::Predicate;
  constexpr std::pair<P, P> Directions[] = {
      {P::ICMP_SLT, P::ICMP_SGT}, {P::ICMP_SGT, P::ICMP_SLT},
      {P::ICMP_ULT, P::ICMP_UGT}, {P::ICMP_UGT, P::ICMP_ULT},
      {P::FCMP_OLT, P::FCMP_OGT}, {P::FCMP_OGT, P::FCMP_OLT}};
  for (const Value *V : Kept) {
    auto *Asked = dyn_cast<CmpInst>(Test.getCondition());
    auto *Far = Asked ? dyn_cast<Constant>(Asked->getOperand(1)) : nullptr;
    P Found = foundOut(Test, V, *Line.getHeader());
    if (!Far || (Found != P::ICMP_NE && Found != P::FCMP_UNE))
      continue;
    for (auto [Than, Beyond] : Directions)
      if (movesElements(Than))
        return ElementBound{Beyond, Far};
  }
  return std::nullopt;
}

/// Whether an element that is stored is \p Than what it was, or the same.
bool LineTests::movesElements(CmpInst::Predicate Than) const {
  const Value *New = Steps.Store->getValueOperand();
  auto IsOfElement = [&](const Value *V) {
    return is_contained(Steps.Elements, V);
  };
  if (auto *Choice = dyn_cast<MinMaxIntrinsic>(New))
    return Choice->getPredicate() == Than &&
           any_of(Choice->operands(), IsOfElement);
  if (auto *Choice = dyn_cast<SelectInst>(New)) {
    auto *Asked = dyn_cast<CmpInst>(Choice->getCondition());
    const Value *Old = Choice->getFalseValue(), *Other = Choice->getTrueValue();
    CmpInst::Predicate P =
        Asked ? Asked->getPredicate() : CmpInst::BAD_ICMP_PREDICATE;
    if (IsOfElement(Other)) {
      std::swap(Old, Other);
      P = CmpInst::getInversePredicate(P);
    }
    if (!Asked || !IsOfElement(Old))
      return false;
    if (Asked->getOperand(0) == Old && Asked->getOperand(1) == Other)
      P = CmpInst::getSwappedPredicate(P);
    else if (Asked->getOperand(0) != Other || Asked->getOperand(1) != Old)
      return false;
    return CmpInst::getStrictPredicate(P) == Than;
  }
  return any_of(Tests, [&](const BranchInst *Test) {
    auto *Asked = dyn_cast<CmpInst>(Test->getCondition());
    CmpInst::Predicate P = foundOut(*Test, New, *Steps.Store->getParent());
    return P != CmpInst::BAD_ICMP_PREDICATE &&
           any_of(Asked->operands(), IsOfElement) &&
           CmpInst::getStrictPredicate(P) == Than;
  });
}

bool LineTests::isElementAgain(const PHINode &Phi) const {
  const Value *First = Phi.getIncomingValueForBlock(Line.getLoopPredecessor());
  if (!Again.contains(Phi.getIncomingValueForBlock(Line.getLoopLatch())))
    return false;
  if (Kept.contains(First))
    return true;
  // Where all that counts is a test in front of the line, LLVM has a constant that
  // passes in its place.
  auto *Constant = dyn_cast<ConstantInt>(First);
  return Constant && all_of(Phi.users(), [&](const User *U) {
           auto *Asked = dyn_cast<ICmpInst>(U);
           auto *By =
               Asked ? dyn_cast<ConstantInt>(Asked->getOperand(1)) : nullptr;
           return By && any_of(Tests, [&](const BranchInst *Test) {
                    auto *InFront = dyn_cast<ICmpInst>(Test->getCondition());
                    if (!InFront || Line.contains(Test) ||
                        !Kept.contains(InFront->getOperand(0)) ||
                        InFront->getPredicate() != Asked->getPredicate() ||
                        InFront->getOperand(1) != By)
                      return false;
                    bool IsTrue =
                        ICmpInst::compare(Constant->getValue(), By->getValue(),
                                          Asked->getPredicate());
                    return leadsTo(*Test, !IsTrue, *Line.getHeader());
                  });
         });
}

/// Whether \p BB is reached on side \p Side of \p Branch only.
bool LineTests::leadsTo(const BranchInst &Branch, unsigned Side,
                        const BasicBlock &BB) const {
  return DT.dominates(
      BasicBlockEdge(Branch.getParent(), Branch.getSuccessor(Side)), &BB);
}

bool LineTests::isAskedAgain(const BranchInst &Test) const {
  auto *First = dyn_cast<Instruction>(Test.getCondition());
  // A truth value is cut off, and not compared.
  if (!First || !isa<CmpInst, TruncInst>(First))
    return false;
  auto IsSame = [&](const Value *V, const Value *InFront) {
    return V == InFront ||
           (is_contained(Kept, InFront) && is_contained(Steps.OfColumn, V));
  };
  return any_of(Tests, [&](const BranchInst *Other) {
    auto *Again = dyn_cast<Instruction>(Other->getCondition());
    if (!Line.contains(Other) || !Again || !Again->isSameOperationAs(First) ||
        !all_of(zip_equal(Again->operands(), First->operands()), [&](auto Of) {
          auto [Op, OfFirst] = Of;
          return IsSame(Op, OfFirst);
        }))
      return false;
    return any_of(seq(2), [&](unsigned Side) {
      return leadsTo(Test, Side, *Line.getHeader()) &&
             leadsTo(*Other, Side, *Steps.Store->getParent());
    });
  });
}

} // namespace tilesmith
