//===- Symmetry.cpp - matrices of which one half is stored ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k: c[i][j] += (k < i ? a[i][k] : a[k][i]) * b[k][j];
//   for k: c[i][j] += a[max(i, k)][min(i, k)] * b[k][j];
//
// LLVM selects the address, or a part of it. Each side is an affine form of its
// own, and so are the counters that are compared. That both sides are the same
// half of a matrix is told once the loops have their roles (Roles.cpp).
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Patterns.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// Writes an address for one side of the one comparison that it depends on.
class OneSide : public SCEVRewriteVisitor<OneSide> {
public:
  OneSide(const LoopNest &In, bool IsLess)
      : SCEVRewriteVisitor(In.Analyses->SE), In(In), IsLess(IsLess) {}

  /// Less < More, or Less <= More.
  struct Comparison {
    const SCEV *Less, *More;
    bool Signed, OrEqual;
    bool operator==(const Comparison &O) const {
      return Less == O.Less && More == O.More && Signed == O.Signed &&
             OrEqual == O.OrEqual;
    }
  };
  std::optional<Comparison> Decides;
  bool IsOnly = true;

  const SCEV *visitUnknown(const SCEVUnknown *Unknown);
  const SCEV *visitSMaxExpr(const SCEVSMaxExpr *S) { return visitMinMax(S); }
  const SCEV *visitSMinExpr(const SCEVSMinExpr *S) { return visitMinMax(S); }
  const SCEV *visitUMaxExpr(const SCEVUMaxExpr *S) { return visitMinMax(S); }
  const SCEV *visitUMinExpr(const SCEVUMinExpr *S) { return visitMinMax(S); }

private:
  const SCEV *visitMinMax(const SCEVMinMaxExpr *S);
  bool decide(Comparison By) {
    IsOnly &= !Decides || *Decides == By;
    Decides = By;
    return IsLess;
  }

  const LoopNest &In;
  bool IsLess;
};

const SCEV *OneSide::visitMinMax(const SCEVMinMaxExpr *S) {
  if (In.isInvariant(S) || S->getNumOperands() != 2)
    return S;
  bool Signed = isa<SCEVSMaxExpr, SCEVSMinExpr>(S);
  bool IsMax = isa<SCEVSMaxExpr, SCEVUMaxExpr>(S);
  // Both have their operands in the same order.
  const SCEV *X = S->getOperand(0), *Y = S->getOperand(1);
  return decide({X, Y, Signed, /*OrEqual=*/true}) == IsMax ? Y : X;
}

const SCEV *OneSide::visitUnknown(const SCEVUnknown *Unknown) {
  auto *Select = dyn_cast<SelectInst>(Unknown->getValue());
  CmpPredicate Predicate;
  Value *Less, *More, *IfLess, *OtherSide;
  if (!Select || In.isInvariant(Select) ||
      !match(Select, m_Select(m_Less(Predicate, m_Value(Less), m_Value(More)),
                              m_Value(IfLess), m_Value(OtherSide))) ||
      !Less->getType()->isIntegerTy())
    return Unknown;
  auto ValueOf = [&](Value *V) {
    const SCEV *S =
        SE.getSCEVAtScope(In.resolve(SE.getSCEV(V)),
                          In.Analyses->LI.getLoopFor(Select->getParent()));
    IsOnly &= !In.isMisplaced(S, *Select);
    return S;
  };
  return ValueOf(
      decide({ValueOf(Less), ValueOf(More), CmpInst::isSigned(Predicate),
              ICmpInst::isLE(Predicate)})
          ? IfLess
          : OtherSide);
}

/// \p S as a sum of counters, exactly.
std::optional<AffineForm> exactForm(const SCEV *S, bool Signed,
                                    const LoopNest &In,
                                    const LoopChain &Loops) {
  ScalarEvolution &SE = In.Analyses->SE;
  Type *Wide = Type::getInt64Ty(SE.getContext());
  if (SE.getTypeSizeInBits(S->getType()) > 64)
    return std::nullopt;
  bool IsWide = S->getType() == Wide;
  if (!IsWide)
    S = Signed ? SE.getSignExtendExpr(S, Wide) : SE.getZeroExtendExpr(S, Wide);
  std::optional<AffineForm> Form = affineForm(S, In, Loops);
  if (Form && IsWide)
    Form->MustNotWrap.push_back({Form->Base, Form->Step, /*Bits=*/63, Signed});
  return Form;
}

/// \p X - \p Y
AffineSum difference(const AffineSum &X, const AffineSum &Y,
                     ScalarEvolution &SE) {
  AffineSum Result;
  Result.Base = SE.getMinusSCEV(X.Base, Y.Base);
  const SCEV *Zero = SE.getZero(Result.Base->getType());
  for (auto [Up, Down] : zip_equal(X.Step, Y.Step)) {
    const SCEV *Step = SE.getMinusSCEV(Up ? Up : Zero, Down ? Down : Zero);
    Result.Step.push_back(Step->isZero() ? nullptr : Step);
  }
  return Result;
}

} // namespace

std::optional<AffineForm> chosenForm(const SCEV *S, const LoopNest &In,
                                     const LoopChain &Loops) {
  ScalarEvolution &SE = In.Analyses->SE;
  OneSide IfTrue(In, true), IfFalse(In, false);
  std::optional<AffineForm> Form = affineForm(IfTrue.visit(S), In, Loops),
                            OtherSide = affineForm(IfFalse.visit(S), In, Loops);
  if (!Form || !OtherSide || Form->Row || OtherSide->Row || !IfTrue.Decides ||
      !IfTrue.IsOnly || !IfFalse.IsOnly)
    return std::nullopt;
  auto [Less, More, Signed, OrEqual] = *IfTrue.Decides;
  std::optional<AffineForm> Low = exactForm(Less, Signed, In, Loops),
                            High = exactForm(More, Signed, In, Loops);
  if (!Low || !High || Low->Row || High->Row)
    return std::nullopt;
  AffineSum Side = difference(*High, *Low, SE);
  if (!OrEqual)
    Side.Base = SE.getMinusSCEV(Side.Base, SE.getOne(Side.Base->getType()));
  for (AffineForm *Part : {&*OtherSide, &*Low, &*High})
    Form->MustNotWrap.append(Part->MustNotWrap);
  Form->Chosen = AffineForm::Choice{Side, *OtherSide};
  return Form;
}

} // namespace tilesmith
