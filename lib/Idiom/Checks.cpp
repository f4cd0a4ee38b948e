//===- Checks.cpp - what a product must not be ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// The guard makes the source's checks of bounds for all iterations at once:
/// the greatest subscript, computed without overflow, is less than the length.
/// Whether rows in tables are long enough is found out where these are read.
Refused Recognizer::requireChecks() {
  ScalarEvolution &SE = In.Analyses->SE;
  Type *I64 = Type::getInt64Ty(SE.getContext());
  auto Require = [&](const SCEV *X, const SCEV *Y) {
    if (!SE.isKnownPredicate(ICmpInst::ICMP_ULT, X, Y))
      Result.Tests.MustHold.push_back({ICmpInst::ICMP_ULT, X, Y});
  };
  auto Power = [&](unsigned Bits) {
    return SE.getConstant(I64, uint64_t(1) << Bits);
  };
  bool AnyOfRow = false;
  for (const Check &C : In.Checks) {
    Refusal No{Reason::EarlyExit, C.Branch};
    Value *Condition = C.Branch->getCondition();
    // Nothing is poison where the check holds in this way.
    if (auto *Freeze = dyn_cast<FreezeInst>(Condition))
      Condition = Freeze->getOperand(0);
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || !Compare->getOperand(0)->getType()->isIntegerTy())
      return No;
    CmpInst::Predicate P =
        C.GoesOn ? Compare->getPredicate() : Compare->getInversePredicate();
    const Loop *Scope = In.Analyses->LI.getLoopFor(C.Branch->getParent());
    Value *Limit = Compare->getOperand(1);
    const SCEV *X = SE.getSCEVAtScope(Compare->getOperand(0), Scope),
               *Y = SE.getSCEVAtScope(Limit, Scope);
    if (In.isInvariant(X) && In.isInvariant(Y)) {
      Result.Tests.MustHold.push_back({P, X, Y});
      continue;
    }
    bool IsTurned =
        P == ICmpInst::ICMP_NE
            ? In.isInvariant(X) || isRowLength(*Compare->getOperand(0))
            : P == ICmpInst::ICMP_UGT;
    if (IsTurned) {
      std::swap(X, Y);
      Limit = Compare->getOperand(0);
      P = ICmpInst::getSwappedPredicate(P);
    }
    // What is less than the limit throughout is never equal to it.
    bool IsLimit = P == ICmpInst::ICMP_ULT || P == ICmpInst::ICMP_NE;
    bool IsOfRow = !In.isInvariant(Y);
    if (!IsLimit || Y->getType() != I64)
      return No;
    std::optional<AffineForm> Form = affineForm(X, In, In.Chain);
    if (!Form || Form->Row || In.isMisplaced(X, *C.Branch))
      return No;
    for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
      Result.Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
    // At most nine counters: all terms together fit into 64 bits.
    const SCEV *Greatest = Form->Base;
    Require(Form->Base, Power(60));
    for (auto [Loop, Step] : enumerate(Form->Step)) {
      if (!Step)
        continue;
      const SCEV *Last = By.Space.lastOfLoop(Loop);
      Require(Step, Power(30));
      Require(Last, Power(30));
      Greatest = SE.getAddExpr(Greatest, SE.getMulExpr(Step, Last));
    }
    if (!IsOfRow)
      Require(Greatest, Y);
    else if (!addRowLength(*Limit, Greatest))
      return No;
    AnyOfRow |= IsOfRow;
  }
  if (AnyOfRow && !orderTables())
    return Refusal{Reason::EarlyExit, In.Checks.front().Branch};
  return std::nullopt;
}

/// The sum has a type that kernels exist for; elements of A and B lie in memory
/// one by one.
Refused Recognizer::checkTypes() const {
  Type *Sum = Result.Op.SumTy;
  if (!Sum->isHalfTy() && !Sum->isFloatTy() && !Sum->isDoubleTy() &&
      !Sum->isIntegerTy(32) && !Sum->isIntegerTy(64))
    return Refusal{Reason::ElementType, &Store};
  for (const Term &T : Result.Op.Terms)
    for (const Access *X : {&T.A, &T.B}) {
      Type *Ty = X->ElemTy;
      bool Known = Ty->isIntegerTy(8) || Ty->isIntegerTy(16) ||
                   Ty->isIntegerTy(32) || Ty->isIntegerTy(64) ||
                   Ty->isHalfTy() || Ty->isBFloatTy() || Ty->isFloatTy() ||
                   Ty->isDoubleTy();
      if (!Known)
        return Refusal{Reason::ElementType, T.Product};
    }
  return std::nullopt;
}

/// Whole rows of factors in tables are copied.
Refused Recognizer::checkRowTables() const {
  bool IsTriangleOfFactor = Result.Op.Domain && !Result.Op.Domain->isOfC();
  if (Result.Op.hasRowTables() &&
      (May.Apart || (IsTriangleOfFactor && !May.Vector) ||
       Result.Op.hasMadeFactors()))
    return Refusal{Reason::RowTable, &Store};
  return std::nullopt;
}

/// In loops over k that the sum is not carried through, each pass must go on
/// with the elements that the one before has stored.
Refused Recognizer::checkOuterSums() const {
  if (OuterSums.empty())
    return std::nullopt;
  const Loop *L = In.Chain[OuterSums.back()];
  auto *First = dyn_cast<LoadInst>(Result.Op.Start.Root);
  if (!Result.Op.Start.isLeaf(Leaf::C) || !Result.Op.storesSum() || !First ||
      !L->contains(First) || !L->contains(&Store))
    return Refusal{Reason::IndexRoles, &Store};
  return std::nullopt;
}

} // namespace tilesmith
