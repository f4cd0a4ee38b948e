//===- Making.cpp - factors that are computed of several elements ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s += (x[k][i] * w[k]) * x[k][j];         a weight per step
//   s += (q[i][k] - zero[i]) * b[k][j];      one per row
//   s += (a[i][k] * mask[i][k]) * b[k][j];   one per element
//   s += q[i][k] * scale[k / 32] * b[k][j];  one per group of steps
//
// A matrix of all values of the factor is made in front of the product, each by
// the instructions of the source. The source makes them again for each column
// (or row) of C, of the same elements, as C overlaps none of these.
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether all elements of factors along \p P are loaded, and the matrix is one for
/// the whole nest. (Where steps are left out, only of what is tested: see
/// ZeroGuard.cpp.) A matrix times a vector reads each element once, so the vector
/// alone is worth it, of complex numbers that are tested for NaN.
bool Recognizer::mayMakeFactors(Dim P) const {
  const auto &Domain = Result.Op.Domain;
  if (May.Vector)
    return P == N && !In.NaNTests.empty() && !May.Apart && !May.Saved &&
           !May.VectorMoves && !Domain && By.Outer.empty() && !By.Bordered;
  return !May.Apart && !May.Saved && By.Outer.empty() && !By.Bordered;
}

/// The index that \p Counter is, of a factor along \p P.
std::optional<IndexOfFactor> Recognizer::indexOfFactor(Value &Counter,
                                                       Dim P) const {
  std::optional<CounterOfLoop> Of = counterOfLoop(In, Counter);
  if (!Of || !By.Space.isPlain())
    return std::nullopt;
  std::optional<Dim> D = By.dimensionOf(Of->Loop);
  if (!D || (*D != P && *D != K) || By.Axes[*D].size() != 1)
    return std::nullopt;
  return IndexOfFactor{&Counter, *D, Of->First, Of->Step};
}

/// What \p Of negates; its root if that is no negation. The factors of both parts
/// of complex numbers differ in signs, and are of the same values.
static Value *withoutSigns(const Expression &Of) {
  Value *V = Of.resolve(Of.Root), *X;
  while (!Of.Leaves.contains(V) && match(V, m_FNeg(m_Value(X))))
    V = Of.resolve(X);
  return V;
}

/// If \p Map, the factor along \p P, is of several elements, the matrix of its
/// values takes the place of \p X, its main element.
Refused Recognizer::describeMaking(Access &X, Expression &Map, Dim P,
                                   std::optional<Making> &Into) {
  // Where products are tested for NaN, all that is multiplied is looked at.
  bool IsLookedAt = !In.NaNTests.empty() &&
                    !Map.Leaves.contains(withoutSigns(Map)) &&
                    mayMakeFactors(P);
  if (!Map.uses(Leaf::Further) && !Map.uses(Leaf::Index) && !X.Grouped &&
      !IsLookedAt)
    return std::nullopt;
  Refusal No{X.Grouped ? Reason::NotAffine : Reason::NotProduct, X.Inst};
  if (!mayMakeFactors(P) || X.Rows || X.IsSymmetric || By.C.Row ||
      !In.Sources.empty())
    return No;
  Into.emplace();
  Into->Value = std::move(Map);
  Value *Root = Into->Value.Root;
  Into->Value.Root = withoutSigns(Into->Value);
  SmallVector<WrapCheck, 2> Checks;
  SmallVector<Requirement, 2> OfGroups;
  for (auto &[V, Kind] : Into->Value.Leaves) {
    if (Kind == Leaf::Invariant)
      continue;
    if (Kind == Leaf::Index) {
      std::optional<IndexOfFactor> Index = indexOfFactor(*V, P);
      if (!Index)
        return No;
      Into->Indices.push_back(*Index);
      continue;
    }
    std::optional<Access> Operand = X;
    if (Kind == Leaf::Further)
      Operand = furtherOperand(*cast<LoadInst>(V), In.Chain, mirrored(P),
                               Checks, &OfGroups);
    if (!Operand)
      return No;
    Kind = Leaf::Further;
    Into->Operands.push_back({V, std::move(*Operand)});
  }
  // A triangle's rows, or steps, are not counted from the first one.
  const auto &Domain = Result.Op.Domain;
  auto IsCounted = [&](Dim D) {
    return Domain && (D != K || !Domain->isOfC());
  };
  if (any_of(Into->Operands,
             [&](auto &Of) {
               return Of.X.Grouped && IsCounted(Of.X.Grouped->Of);
             }) ||
      any_of(Into->Indices, [&](auto &Of) { return IsCounted(Of.Of); }))
    return No;
  requireNoWraps(Checks);
  requireAll(OfGroups);

  Map = Expression();
  Map.Root = Root;
  Map.Forwards = Into->Value.Forwards;
  Map.Leaves[Into->Value.Root] = P == M ? Leaf::A : Leaf::B;
  ScalarEvolution &SE = In.Analyses->SE;
  const DataLayout &DL = X.Inst->getDataLayout();
  uint64_t Bytes = DL.getTypeStoreSize(X.ElemTy);
  Dim Adjacent =
      !May.Vector && (X.isStep(P, Bytes) || X.isStep(P, 2 * Bytes)) ? P : K;
  X.IsMade = true;
  X.Grouped.reset();
  X.ElemTy = Root->getType();
  X.Alignment = Align(DL.getTypeStoreSize(X.ElemTy));
  X.Base = SE.getSCEV(Constant::getNullValue(X.Pointer->getType()));
  Type *IndexTy = DL.getIndexType(X.Pointer->getType());
  const SCEV *Size = SE.getConstant(IndexTy, DL.getTypeStoreSize(X.ElemTy));
  X.Stride[Adjacent] = Size;
  X.Stride[Adjacent == K ? P : K] =
      May.Vector ? SE.getZero(IndexTy)
                 : SE.getMulExpr(Size, extent(Adjacent, IndexTy));
  return std::nullopt;
}

} // namespace tilesmith
