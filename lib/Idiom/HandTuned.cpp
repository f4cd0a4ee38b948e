//===- HandTuned.cpp - several sums at once -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops tuned by hand make several sums at once, of neighbouring elements or of
// every U-th step:
//
//   s00 += a[k] * b[k];    s01 += a[k] * d[k];         s0 += a[k] * b[k];
//   s10 += c[k] * b[k];    s11 += c[k] * d[k];         s1 += a[k+1] * b[k+1];
//
// What Reroll does not make one contraction of would become a product for each
// sum, with a kernel of its own, over strided factors and a matrix of sums:
// larger and slower than the source. Such nests are left alone.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// The elements that a product of the innermost loop brings together.
struct Factors {
  const Instruction *A, *B;
};

/// The first product that is added to the sum \p Carried in an iteration.
std::optional<Factors> productOf(const PHINode &Carried, const Loop &L) {
  SmallVector<const Value *, 8> Work{
      Carried.getIncomingValueForBlock(L.getLoopLatch())};
  SmallPtrSet<const Value *, 8> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second)
      continue;
    const LoadInst *A, *B;
    if (match(I, m_Product(m_Cast(m_Loaded(A)), m_Cast(m_Loaded(B)))))
      return Factors{A, B};
    if (isFusedMultiplyAdd(*I) || !addends(*I).empty())
      append_range(Work, I->operands());
  }
  return std::nullopt;
}

/// How far elements of one array are apart in each iteration of a nest; null if
/// that varies, or if they are of different arrays.
const SCEV *distance(const Instruction &From, const Instruction &To,
                     const LoopNest &In) {
  // Factors may be copied from where they are.
  if (!getLoadStorePointerOperand(&From) || !getLoadStorePointerOperand(&To))
    return nullptr;
  ScalarEvolution &SE = In.Analyses->SE;
  auto Address = [&](const Instruction &I) {
    return SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&I)));
  };
  const SCEV *X = Address(From), *Y = Address(To);
  if (SE.getPointerBase(X) != SE.getPointerBase(Y))
    return nullptr;
  const SCEV *Distance = SE.getMinusSCEV(Y, X);
  return !isa<SCEVCouldNotCompute>(Distance) &&
                 SE.isLoopInvariant(Distance, &In.innermost())
             ? Distance
             : nullptr;
}

/// The value that \p Op's sums have before a step.
const Value *carriedBy(const Contraction &Op) {
  for (const auto &[V, Kind] : Op.Update.Leaves)
    if (Kind == Leaf::Sum)
      return V;
  return nullptr;
}

/// Whether both pairs of elements are of the same two arrays.
bool areOfSameArrays(const Factors &X, const Factors &Y, const LoopNest &In) {
  ScalarEvolution &SE = In.Analyses->SE;
  auto ArrayOf = [&](const Instruction &I) -> const SCEV * {
    const Value *Address = getLoadStorePointerOperand(&I);
    return Address ? SE.getPointerBase(SE.getSCEV(const_cast<Value *>(Address)))
                   : nullptr;
  };
  const SCEV *A = ArrayOf(*X.A), *B = ArrayOf(*X.B), *C = ArrayOf(*Y.A),
             *D = ArrayOf(*Y.B);
  return (A == C && B == D) || (A == D && B == C);
}

/// Whether \p V comes out of a loop beside the chain that is as deep as its
/// innermost one, and adds up products of the same arrays, or anything else.
bool isOfOtherSteps(const Value *V, const Factors &Own, const LoopNest &In) {
  auto Next = [&](Instruction &I) {
    return In.root().contains(&I) ? Operands(I.op_begin(), I.op_end())
                                  : Operands();
  };
  auto HasOtherSteps = [&](Instruction &I) {
    const Loop *L = In.Analyses->LI.getLoopFor(I.getParent());
    if (!In.root().contains(&I) || is_contained(In.Chain, L) ||
        L->getLoopDepth() < In.innermost().getLoopDepth())
      return false;
    bool HasProduct = false;
    for (const PHINode &Phi : L->getHeader()->phis())
      if (std::optional<Factors> Of = productOf(Phi, *L)) {
        HasProduct = true;
        if (areOfSameArrays(*Of, Own, In))
          return true;
      }
    return !HasProduct;
  };
  return match(V, m_Reached(Written, Next, m_If<Instruction>(HasOtherSteps)));
}

/// Whether \p V is what a loop that makes one step at a time has summed up, and
/// nothing is done with that.
bool isOneSum(const Value *V, const LoopNest &In) {
  SmallVector<const Value *, 4> Work{V};
  SmallPtrSet<const Value *, 8> Seen;
  bool HasSum = false;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second || isa<LoadInst>(I))
      continue;
    const Loop *L = In.Analyses->LI.getLoopFor(I->getParent());
    auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && !(L && Phi->getParent() == L->getHeader())) {
      append_range(Work, Phi->incoming_values());
      continue;
    }
    bool GoesOn = L && any_of(L->getHeader()->phis(), [&](const PHINode &Sum) {
                    return is_contained(I->operands(), &Sum) &&
                           is_contained(Sum.incoming_values(), I);
                  });
    if (!GoesOn)
      return false;
    HasSum = true;
  }
  return HasSum;
}

} // namespace

Refused Recognizer::checkOtherSums(ArrayRef<Nest> Copies) const {
  const Loop &Innermost = In.innermost();
  ScalarEvolution &SE = In.Analyses->SE;
  const Term &First = Result.Op.Terms.front();
  // What is left over of such a loop goes on with its sum.
  for (const InitialValue &Initial : Result.Source.Initials)
    if (isOfOtherSteps(Initial.Value, {First.A.Inst, First.B.Inst}, In))
      return Refusal{isOneSum(Initial.Value, In) ? Reason::SumInParts
                                                 : Reason::SumTile,
                     cast<Instruction>(Initial.Value)};
  // The sums that this contraction accounts for, and the products of others.
  SmallPtrSet<const Value *, 16> Own{carriedBy(Result.Op)};
  SmallVector<Factors, 16> Others;
  for (const Nest &Copy : Copies) {
    if (is_contained(Result.Source.Absorbed, Copy.Source.UpdateStore))
      Own.insert(carriedBy(Copy.Op));
    else if (isa_and_nonnull<LoadInst>(carriedBy(Copy.Op)) &&
             Copy.Source.UpdateStore != Result.Source.UpdateStore)
      Others.push_back(
          {Copy.Op.Terms.front().A.Inst, Copy.Op.Terms.front().B.Inst});
  }
  for (const PHINode &Phi : Innermost.getHeader()->phis())
    if (!Own.contains(&Phi))
      if (std::optional<Factors> Of = productOf(Phi, Innermost))
        Others.push_back(*Of);

  constexpr unsigned MaxSums = 2; // as of complex numbers
  unsigned Sums = 1;
  for (const Factors &Of : Others) {
    const SCEV *ToA = distance(*First.A.Inst, *Of.A, In),
               *ToB = distance(*First.B.Inst, *Of.B, In);
    if (!ToA || !ToB) {
      ToA = distance(*First.A.Inst, *Of.B, In);
      ToB = distance(*First.B.Inst, *Of.A, In);
    }
    if (!ToA || !ToB || (ToA->isZero() && ToB->isZero()))
      continue;
    ++Sums;
    bool IsOtherStep =
        Result.Source.sumsInnermost() && !ToA->isZero() && !ToB->isZero() &&
        SE.getMulExpr(ToA, SE.getTruncateOrSignExtend(First.B.Stride[K],
                                                      ToA->getType())) ==
            SE.getMulExpr(ToB, SE.getTruncateOrSignExtend(First.A.Stride[K],
                                                          ToB->getType()));
    if (IsOtherStep || (Sums > MaxSums && Result.Op.Terms.size() == 1))
      return Refusal{Reason::SumTile, Of.A};
  }
  return std::nullopt;
}

} // namespace tilesmith
