//===- Transposed.cpp - a matrix that is used in both directions ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i                                  t = x[i], where half of a symmetric
//     for k                                matrix is stored; or r[i], in BiCG
//       y[k] += t * a[i][k]
//       s += a[i][k] * x[k]
//     ...
//
// The other update of the loop over k is a product by itself, of the transposed
// matrix, and described as one. It is part of the rest; a kernel may make it,
// too, for some rows from one load of the matrix: in the steps that all of them
// make, and before the rest of the first of these rows. That is right if
//
//   * nothing else in the nest touches y, but its elements in places that none of
//     the rows comes to in these steps: on a diagonal beyond the domain;
//   * nothing in the nest writes t's elements.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"
#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Whether all that \p L carries besides \p Sum are counters, nothing
/// else is used behind it, and it ends in one place: rows of it can be cut.
static bool canBeCut(Loop &L, const Value *Sum, ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || L.getExitingBlock() != Latch)
    return false;
  auto IsCounter = [&](PHINode &Phi) {
    auto *Counter = SE.isSCEVable(Phi.getType())
                        ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                        : nullptr;
    return Counter && Counter->getLoop() == &L && Counter->isAffine();
  };
  if (!all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
        return Phi.getIncomingValueForBlock(Latch) == Sum || IsCounter(Phi);
      }))
    return false;
  return all_of(L.blocks(), [&](const BasicBlock *BB) {
    return all_of(*BB, [&](const Instruction &I) {
      return &I == Sum || all_of(I.users(), [&](const User *U) {
        return L.contains(cast<Instruction>(U));
      });
    });
  });
}

/// The one store of the loop over k that is neither of sums nor of partial ones.
StoreInst *Recognizer::otherStoreOfRow() const {
  StoreInst *Found = nullptr;
  for (StoreInst *Other : All.Stores) {
    if (!In.innermost().contains(Other) ||
        is_contained(Result.Source.Absorbed, Other) ||
        (!May.Apart && Other == &Store))
      continue;
    if (Found)
      return nullptr;
    Found = Other;
  }
  return Found;
}

/// Describes the other use of the matrix, if there is one. Others may be found to
/// be in its way (Distribution::separateTransposed).
void Recognizer::describeTransposed() {
  const Contraction &Op = Result.Op;
  const DataLayout &DL = Op.getDataLayout();
  ScalarEvolution &SE = In.Analyses->SE;
  if (!May.Vector || May.Saved || !Op.isMatrixVector() || !Op.Outer.empty() ||
      Op.Terms.size() != 1 || In.Chain.size() != 2 || By.Space.Reversed ||
      !Result.Source.sumsInnermost() || !Op.SumTy->isFloatingPointTy() ||
      In.root().getSubLoops().size() != 1 || Op.hasRowTables() ||
      Op.borderedFactor() || !canBeCut(In.innermost(), Sum, SE))
    return;
  const Access &A = Op.Terms.front().A;
  StoreInst *Other = otherStoreOfRow();
  if (!Other || !A.isUnit(K, DL) || A.isUnit(M, DL))
    return;
  Liberties Plain;
  Plain.Vector = true;
  Plain.Axes = Liberties::Batched;
  auto Tried = Recognizer(In, All, *Other, Plain).describe();
  auto *Found = std::get_if<Nest>(&Tried);
  if (!Found)
    return;
  Contraction &Use = Found->Op;
  auto HasAll = [&](ArrayRef<Requirement> Own) {
    return all_of(Own, [&](const Requirement &R) {
      return is_contained(Result.Tests.MustHold, R);
    });
  };
  if (!Use.isMatrixVector() || !Use.Outer.empty() || Use.Terms.size() != 1 ||
      Use.hasPairings() || Use.hasMadeFactors() || Use.hasRowTables() ||
      Use.SumTy != Op.SumTy || Use.C.ElemTy != Op.SumTy ||
      !Use.Start.isLeaf(Leaf::C) || !Use.storesSum() || Use.After ||
      Found->Source.sumsInnermost() || !Found->Source.Absorbed.empty() ||
      Found->Source.HasStepBefore ||
      Use.Domain.has_value() != Op.Domain.has_value() ||
      !HasAll(Found->Tests.MustHold) || !Use.C.isUnit(M, DL) ||
      !Use.C.Copies.empty())
    return;
  Term &T = Use.Terms.front();
  if (T.A.Base != A.Base || T.A.Stride[K] != A.Stride[M] ||
      T.A.Stride[M] != A.Stride[K] || T.A.ElemTy != A.ElemTy ||
      !T.A.Copies.empty() || !A.Copies.empty() || !T.B.Copies.empty())
    return;
  requireNoWraps(Found->Tests.WrapChecks);
  for (Access *X : {&Use.C, &T.A, &T.B})
    std::swap(X->Stride[M], X->Stride[K]);
  Result.Op.Transposed =
      TransposedUse{std::move(Use.C), std::move(T), std::move(Use.Update)};
}

/// Whether \p T, in row m, is in a place of \p X, an operand along k, that is beyond
/// the steps of that row.
bool Distribution::isBeyondSteps(const Touch &T, const Access &X) const {
  std::optional<AffineForm> Form = overAxes(T);
  if (!Of.Domain || !Form || By.Axes[M].size() != 1 || T.Ty != X.ElemTy ||
      By.stride(*Form, M) != X.Stride[K] || By.stride(*Form, K))
    return false;
  const SCEV *Distance = SE.getMinusSCEV(Form->Base, X.Base);
  if (isa<SCEVCouldNotCompute>(Distance))
    return false;
  const SCEV *Diagonal =
      SE.getTruncateOrSignExtend(Of.Domain->Offset, Distance->getType());
  if (!Of.Domain->isOffset())
    Diagonal = SE.getNegativeSCEV(Diagonal);
  Diagonal = SE.getMulExpr(Diagonal, X.Stride[K]);
  return SE.isKnownPredicate(Of.Domain->isFrom() ? ICmpInst::ICMP_SLT
                                                 : ICmpInst::ICMP_SGT,
                             Distance, Diagonal);
}

/// Whether nothing is in the way of the transposed use; the guard tests what is
/// not known.
bool Distribution::separateTransposed() {
  const TransposedUse &Use = *Of.Transposed;
  if (!Possible.After || !Source.Initials.empty())
    return false;
  SmallVector<Conditions::Apart, 4> New;
  unsigned Operand = Of.allAccesses().size(); // C, and B behind it
  const SCEV *OwnElement = In.addressOf(*Use.C.Inst);
  for (const Touch &T : Touches) {
    bool IsOwn = isInSum(*T.I) && In.addressOf(*T.I) == OwnElement;
    if (!IsOwn && !isBeyondSteps(T, Use.C) && !isApart(T, Operand, New))
      return false;
    if (T.Writes && !isApart(T, Operand + 1, New))
      return false;
  }
  // Sums are stored while rows are still to come.
  if (!Source.ToScratch &&
      SE.getPointerBase(Of.C.Base) == SE.getPointerBase(Use.Of.B.Base))
    return false;
  Tests.MustBeApart.append(New);
  return true;
}

} // namespace tilesmith
