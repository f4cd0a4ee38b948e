//===- NaNTest.cpp - what is done where a product is NaN ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   re = a.re * b.re - a.im * b.im, im = a.re * b.im + a.im * b.re;
//   if (isnan(re) && isnan(im))
//     {re, im} = __mulsc3(a.re, a.im, b.re, b.im);
//   c += {re, im};
//
// This is the product of complex numbers in C and C++. A sum of two products is
// no NaN if all elements are moderate: finite, and so small that neither a
// product nor the sum overflows. Then the branch is never taken, and what is
// behind it does not matter. A kernel looks at the elements first. See Moderate
// in Access.h.
//
//===----------------------------------------------------------------------===//

#include "NaNTest.h"
#include "Patterns.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// A sum of so many products of so many elements each, at most.
struct SumOfProducts {
  unsigned Products = 1, Elements = 1;
};

constexpr SumOfProducts NoSum{0, 0};
constexpr unsigned MaxProducts = 2, MaxElements = 2;

SumOfProducts checked(SumOfProducts S) {
  return S.Products <= MaxProducts && S.Elements <= MaxElements ? S : NoSum;
}

SumOfProducts plus(SumOfProducts X, SumOfProducts Y) {
  if (X.Products == 0 || Y.Products == 0)
    return NoSum;
  return checked({X.Products + Y.Products, std::max(X.Elements, Y.Elements)});
}

SumOfProducts times(SumOfProducts X, SumOfProducts Y) {
  return checked({X.Products * Y.Products, X.Elements + Y.Elements});
}

using ValueSet = SmallSetVector<Value *, 4>;

/// What \p V is, and its elements: loads, and values of \p Made, as what factors
/// are made of counts as an element. NoSum if it is something else.
SumOfProducts sumOfProducts(const LoopNest &In, Value *V,
                            ArrayRef<Value *> Made, ValueSet &Elements,
                            unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8; // with negations
  if (Depth > MaxDepth)
    return NoSum;
  V = In.resolve(V);
  auto Of = [&](Value *Part) {
    return sumOfProducts(In, Part, Made, Elements, Depth + 1);
  };
  Value *X, *Y, *Z;
  if (is_contained(Made, V) || (isa<LoadInst>(V) && !In.isInvariant(V))) {
    Elements.insert(V);
    return SumOfProducts();
  }
  if (match(V, m_FNeg(m_Value(X))))
    return Of(X);
  if (match(V, m_CombineOr(m_FAdd(m_Value(X), m_Value(Y)),
                           m_FSub(m_Value(X), m_Value(Y)))))
    return plus(Of(X), Of(Y));
  if (match(V, m_FMul(m_Value(X), m_Value(Y))))
    return times(Of(X), Of(Y));
  if (match(V, m_FusedMultiplyAdd(m_Value(X), m_Value(Y), m_Value(Z))))
    return plus(times(Of(X), Of(Y)), Of(Z));
  return NoSum;
}

/// Whether nothing is done from \p BB to \p Join but to compute a product of
/// complex numbers, whose parts are all that comes out.
bool isProductAgain(const BasicBlock &BB, const BasicBlock &Join) {
  constexpr unsigned MaxBlocks = 2; // one for the test of the other part
  auto IsPart = [](const PHINode &Phi) {
    return Phi.getType()->isFloatingPointTy();
  };
  const BasicBlock *Next = &BB;
  for (unsigned Blocks = 0; Next && Blocks < MaxBlocks; ++Blocks) {
    for (const Instruction &I : *Next) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (I.mayReadOrWriteMemory() && !(Call && isComplexProduct(*Call)))
        return false;
    }
    const BasicBlock *From = std::exchange(Next, nullptr);
    if (From->getSingleSuccessor() == &Join)
      return all_of(Join.phis(), IsPart);
    for (const BasicBlock *Succ : successors(From))
      if (Succ != &Join)
        Next = Next ? nullptr : Succ;
  }
  return false;
}

} // namespace

bool isComplexProduct(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee &&
         is_contained(ArrayRef<StringRef>({"__muldc3", "__mulsc3", "__mulxc3"}),
                      Callee->getName());
}

/// Whether one side of \p Br is for sums of products that are NaN. Beside the chain,
/// a product is the rest's: it is tested, and computed again, as in the source.
bool LoopNest::followNaNTest(BranchInst &Br) {
  if (!Analyses->LI.getLoopFor(Br.getParent())->contains(&innermost()))
    return false;
  Value *Condition = resolve(Br.getCondition());
  Value *Of = nullptr;
  for (bool Is : {true, false}) {
    // The first of two tests suffices.
    auto One = m_NaNComparison(Is, Of);
    if (!match(Condition, One) &&
        !(Is ? match(Condition, m_LogicalAnd(One, m_Value()))
             : match(Condition, m_LogicalOr(One, m_Value()))))
      continue;
    ValueSet Elements;
    Type *Ty = Of->getType();
    bool IsOfElements = (Ty->isFloatTy() || Ty->isDoubleTy()) &&
                        sumOfProducts(*this, Of, {}, Elements).Products != 0;
    if (!IsOfElements &&
        (isInvariant(Of) ||
         !isProductAgain(*Br.getSuccessor(!Is), *Br.getSuccessor(Is))))
      return false;
    NaNTests.push_back({&Br, Is, Of, IsOfElements});
    return true;
  }
  return false;
}

/// Where an element of \p X and its neighbour, an element of \p Y, are a complex
/// number, and these are adjacent, both are looked at as one matrix.
static void findPairs(Contraction &Of, ScalarEvolution &SE) {
  SmallVector<Access *, 4> Searched;
  for (Term &T : Of.Terms)
    for (Access *X : {&T.A, &T.B})
      if (X->isSearched())
        Searched.push_back(X);
  for (Access *X : Searched)
    for (Access *Y : Searched) {
      if (X->Moderate != Magnitudes::OfElements ||
          Y->Moderate != Magnitudes::OfElements || X->Stride != Y->Stride)
        continue;
      uint64_t Size = Of.getDataLayout().getTypeStoreSize(X->ElemTy);
      auto *Apart = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Y->Base, X->Base));
      if (!Apart || Apart->getAPInt() != Size ||
          none_of(PerDim<Dim>{M, N, K},
                  [&](Dim D) { return X->isStep(D, 2 * Size); }))
        continue;
      X->Moderate = Magnitudes::OfPairs;
      Y->Moderate = Magnitudes::Any;
    }
}

/// Whether \p Tested, or what takes its place where it is NaN, is added to \p Sum.
static bool isAddedTo(const Instruction &Sum, const Value *Tested) {
  return (Sum.getOpcode() == Instruction::FAdd ||
          Sum.getOpcode() == Instruction::FSub) &&
         any_of(Sum.operands(), [&](const Use &Op) {
           auto *Either = dyn_cast<PHINode>(Op);
           return Op == Tested ||
                  (Either && is_contained(Either->incoming_values(), Tested));
         });
}

namespace {

/// Marks the factors whose elements tests are of.
class TestMatcher {
public:
  TestMatcher(const LoopNest &In, Contraction &Of) : In(In), Of(Of) {
    for (Term &T : Of.Terms)
      for (auto [X, Map] : {std::pair(&T.A, &T.AMap), {&T.B, &T.BMap}})
        Factors.push_back(
            {X, X->IsMade ? In.resolve(Map->Leaves.front().first) : nullptr});
    for (const Factor &F : Factors)
      if (F.Made)
        Made.push_back(F.Made);
  }

  /// Whether \p Tested is a sum of products of factors' elements. If these are
  /// moderate, it is no NaN.
  bool match(Value *Tested) {
    ValueSet Elements; // more is known than when the branch was followed
    return sumOfProducts(In, Tested, Made, Elements).Products != 0 &&
           all_of(Elements, [&](Value *V) { return markFactors(*V); });
  }

  /// Whether \p Tested is a value of a factor. If that is NaN, so are the sums of all
  /// rows.
  bool isOfFactor(Value *Tested) const {
    return is_contained(Made, In.resolve(Tested));
  }

private:
  struct Factor {
    Access *X;
    Value *Made; ///< what its elements are, if they are made
  };

  bool markFactors(Value &Element) {
    auto *Load = dyn_cast<LoadInst>(&Element);
    const SCEV *Address = Load ? In.addressWhereRun(*Load) : nullptr;
    auto IsOf = [&](const Factor &F) {
      if (F.Made)
        return F.Made == &Element;
      return Address && In.addressOf(*F.X->Inst) == Address &&
             F.X->ElemTy == Load->getType() && !F.X->IsSymmetric;
    };
    bool IsMarked = false;
    for (const Factor &F : Factors)
      if (IsOf(F)) {
        F.X->Moderate = Magnitudes::OfElements;
        IsMarked = true;
      }
    return IsMarked;
  }

  const LoopNest &In;
  Contraction &Of;
  SmallVector<Factor, 4> Factors;
  SmallVector<Value *, 2> Made;
};

} // namespace

Refused matchNaNTests(const LoopNest &In, const Instruction &Sum,
                      Nest &Result) {
  Contraction &Of = Result.Op;
  // A kernel looks at all that the nest reads of its factors.
  bool MaySearch = In.Sources.empty() && !Of.hasRowTables() &&
                   Of.Outer.empty() && !Of.isSaved();
  for (const NaNTest &Test : In.NaNTests) {
    TestMatcher Matcher(In, Of);
    if (MaySearch && Matcher.match(Test.Of)) {
      Result.Source.TestsAddends &=
          isAddedTo(Sum, Test.Of) || Matcher.isOfFactor(Test.Of);
      Result.Source.NeverTaken.push_back(
          {Test.Branch->getParent(), Test.Branch->getSuccessor(!Test.IsNaN)});
      continue;
    }
    Refusal No{Reason::ComplexProduct, Test.Branch};
    if (Test.IsOfElements)
      return No;
    if (Of.After && any_of(Of.After->Products, [&](const NumberProduct &P) {
          return P.Test == Test.Branch;
        }))
      continue;
    if (!Result.Source.ToScratch || In.innermost().contains(Test.Branch) ||
        !In.precedes(Sum, *Test.Branch))
      return No;
  }
  findPairs(Of, In.Analyses->SE);
  return std::nullopt;
}

} // namespace tilesmith
