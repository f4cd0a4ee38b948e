//===- Arithmetic.cpp - expressions without casts, and halves --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "tilesmith/Idiom/Conditions.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A sum of products, if that is not too long.
const SCEV *multiplyOut(ArrayRef<const SCEV *> Factors, ScalarEvolution &SE) {
  constexpr unsigned MaxTerms = 16;
  SmallVector<const SCEV *, 4> Terms{SE.getOne(Factors.front()->getType())};
  for (const SCEV *Factor : Factors) {
    ArrayRef<const SCEV *> Addends(Factor);
    if (auto *Add = dyn_cast<SCEVAddExpr>(Factor))
      Addends = Add->operands();
    if (Terms.size() * Addends.size() > MaxTerms) {
      SmallVector<const SCEV *, 4> All(Factors);
      return SE.getMulExpr(All);
    }
    SmallVector<const SCEV *, 4> Products;
    for (const SCEV *Term : Terms)
      for (const SCEV *Addend : Addends)
        Products.push_back(SE.getMulExpr(Term, Addend));
    Terms = std::move(Products);
  }
  return SE.getAddExpr(Terms);
}

/// Equal to \p S modulo the range of its type.
const SCEV *spread(const SCEV *S, Type *Wide, ScalarEvolution &SE) {
  auto Operands = [&] {
    SmallVector<const SCEV *, 4> Result;
    for (const SCEV *Op : S->operands())
      Result.push_back(spread(Op, Wide, SE));
    return Result;
  };
  if (isa<SCEVAddExpr>(S)) {
    auto Ops = Operands();
    return SE.getAddExpr(Ops);
  }
  if (isa<SCEVMulExpr>(S)) {
    return multiplyOut(Operands(), SE);
  }
  return SE.getSignExtendExpr(S, Wide);
}

struct CastSpreader : SCEVRewriteVisitor<CastSpreader> {
  SmallVectorImpl<WrapCheck> &Checks;
  CastSpreader(ScalarEvolution &SE, SmallVectorImpl<WrapCheck> &Checks)
      : SCEVRewriteVisitor(SE), Checks(Checks) {}

  const SCEV *visitCast(const SCEVCastExpr *Cast, bool Signed) {
    const SCEV *S = Cast->getOperand();
    const SCEV *Sum = spread(S, Cast->getType(), SE);
    if (Sum == Cast)
      return Cast;
    WrapCheck Check{
        Sum, {}, unsigned(SE.getTypeSizeInBits(S->getType())), Signed};
    if (!is_contained(Checks, Check))
      Checks.push_back(Check);
    return Sum;
  }
  const SCEV *visitMulExpr(const SCEVMulExpr *Mul) {
    SmallVector<const SCEV *, 4> Factors;
    for (const SCEV *Factor : Mul->operands())
      Factors.push_back(visit(Factor));
    return multiplyOut(Factors, SE);
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *Cast) {
    return visitCast(Cast, /*Signed=*/false);
  }
  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *Cast) {
    return visitCast(Cast, /*Signed=*/true);
  }
};

} // namespace

const SCEV *withoutCasts(const SCEV *S, ScalarEvolution &SE,
                         SmallVectorImpl<WrapCheck> &Checks) {
  return CastSpreader(SE, Checks).visit(S);
}

const SCEV *halved(const SCEV *S, ScalarEvolution &SE) {
  if (auto *C = dyn_cast<SCEVConstant>(S))
    return C->getAPInt()[0] ? nullptr : SE.getConstant(C->getAPInt().ashr(1));
  SmallVector<const SCEV *, 4> Ops(S->operands());
  if (isa<SCEVMulExpr>(S)) {
    Ops[0] = halved(Ops[0], SE);
    return Ops[0] ? SE.getMulExpr(Ops) : nullptr;
  }
  if (!isa<SCEVAddExpr>(S))
    return nullptr;
  for (const SCEV *&Op : Ops)
    if (Op = halved(Op, SE); !Op)
      return nullptr;
  return SE.getAddExpr(Ops);
}

} // namespace tilesmith
