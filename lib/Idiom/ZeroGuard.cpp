//===- ZeroGuard.cpp - steps with a zero are left out ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i for k
//     if (a[i][k] != 0)
//       for j c[i][j] += a[i][k] * b[k][j];
//
// The test may be of alpha * a[i][k], and there may be several: SYR2K makes the
// steps with a[i][k] != 0 || b[i][k] != 0, and of complex numbers both parts are
// tested. Of a factor that is made of the elements tested (see Making), the values
// are looked at: if all elements are zero, it is zero, or no number.
//
// The test reads all of A, or all that the product needs, so a kernel may read
// it first. See ZeroTest in Access.h.
//
//===----------------------------------------------------------------------===//

#include "ZeroGuard.h"
#include "Lift.h"
#include "Patterns.h"
#include "Update.h"
#include "tilesmith/Idiom/StepTests.h"
#include "tilesmith/Idiom/Windows.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// Whether steps are made where an element is not zero.
bool isUnequal(CmpInst::Predicate P) {
  return P == ICmpInst::ICMP_NE || P == FCmpInst::FCMP_UNE ||
         P == FCmpInst::FCMP_ONE;
}

struct ZeroComparison_match {
  const LoopNest &In;
  bool Passes;
  ZeroComparison &Test;

  template <typename ITy> bool match(ITy *V) const {
    CmpPredicate Predicate;
    Value *Compared;
    LoadSet Elements;
    auto Varying =
        m_CombineAnd(m_Elementwise(In, Elements), m_Unless(m_Invariant(In)));
    if (!m_Cmp(Predicate, m_Value(Compared, m_Seen(In, Varying)),
               m_CombineOr(m_Zero(), m_AnyZeroFP()))
             .match(V) ||
        Elements.size() != 1)
      return false;
    CmpInst::Predicate P = Predicate;
    if (!Passes)
      P = CmpInst::getInversePredicate(P);
    Test = {Compared, Elements.front(), P};
    return isUnequal(P);
  }
};

/// A comparison of an element, or of what is made of it, with zero, which is
/// true if it \p Passes, or if it does not.
auto m_ZeroComparison(const LoopNest &In, bool Passes, ZeroComparison &Test) {
  return ZeroComparison_match{In, Passes, Test};
}

} // namespace

/// Adds the comparisons of elements with zero that \p Condition is made of: it
/// \p Passes where one of them does.
bool LoopNest::collectZeroTests(Value *Condition, bool Passes,
                                SmallVectorImpl<ZeroComparison> &Tests) const {
  constexpr unsigned MaxTests = 4; // two complex numbers
  ZeroComparison Test;
  if (match(Condition, m_ZeroComparison(*this, Passes, Test))) {
    Tests.push_back(Test);
    return Tests.size() <= MaxTests;
  }
  Value *X, *Y;
  return (Passes ? match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))
                 : match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))) &&
         collectZeroTests(X, Passes, Tests) &&
         collectZeroTests(Y, Passes, Tests);
}

/// Adds the tests of \p BB, on the other side of the guard, if it does nothing but
/// test other elements for the same steps: if (a != 0 || b != 0). Returns the
/// block on its other side.
const BasicBlock *LoopNest::addZeroTests(const BasicBlock &BB) {
  auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
  if (!Br || !Br->isConditional() || BB.getSinglePredecessor() == nullptr ||
      any_of(BB, [](const Instruction &I) { return I.mayHaveSideEffects(); }))
    return nullptr;
  const BasicBlock *Made = Zeros->made();
  bool Enters = Br->getSuccessor(0) == Made;
  // The steps must not tell which test has passed.
  for (const PHINode &Phi : Made->phis())
    if (Phi.getBasicBlockIndex(&BB) < 0 ||
        Phi.getIncomingValueForBlock(&BB) !=
            Phi.getIncomingValueForBlock(Zeros->Branch->getParent()))
      return nullptr;
  SmallVector<ZeroComparison, 2> Tests;
  if ((!Enters && Br->getSuccessor(1) != Made) ||
      !collectZeroTests(Br->getCondition(), Enters, Tests))
    return nullptr;
  Zeros->Tests.append(Tests);
  return Br->getSuccessor(Enters ? 1 : 0);
}

/// Whether \p Br parts zeros from other elements, perhaps on some assumptions
/// as well. (How often a loop runs may be compared with zero, too, but that
/// does not come from an operand.)
bool LoopNest::followZeroGuard(BranchInst &Br) {
  if (Zeros)
    return false;
  Value *Condition = resolve(Br.getCondition());
  for (bool Enters : {true, false}) {
    SmallVector<ZeroComparison, 1> Tests;
    Value *Other = nullptr;
    if (!collectZeroTests(Condition, Enters, Tests)) {
      Tests.resize(1);
      auto First = m_ZeroComparison(*this, Enters, Tests.front());
      auto Assumed = m_Value(Other, m_Invariant(*this));
      if (!(Enters ? match(Condition, m_c_LogicalAnd(First, Assumed))
                   : match(Condition, m_c_LogicalOr(First, Assumed))))
        continue;
      Assumptions.push_back({Other, Enters, needsAssumptions(Other), {}});
    }
    Zeros = {&Br, Enters, Tests};
    const BasicBlock *Next = Other ? nullptr : Br.getSuccessor(Enters ? 1 : 0);
    while (Next)
      Next = addZeroTests(*Next);
    return true;
  }
  return false;
}

namespace {

/// What is zero, in the tree of \p E, if each of its elements or products is.
auto m_ZeroWithLeaf(const Expression &E) {
  return m_Scaled(E, m_Leaf(E, Leaf::A, Leaf::B, Leaf::Product));
}

/// Whether a step that is left out leaves all values as they are: where the two
/// ways meet again, nothing but the sum depends on which was taken.
bool keepsValues(const LoopNest &In, const Update &From) {
  for (BasicBlock *BB : In.Live)
    for (PHINode &Phi : BB->phis())
      for (auto [Incoming, Pred] : zip(Phi.incoming_values(), Phi.blocks())) {
        // Other live blocks are left by the other way on assumptions.
        if (In.isLive(Pred, BB) || !In.root().contains(Pred) ||
            (In.Live.contains(Pred) && Pred != In.Zeros->Branch->getParent()))
          continue;
        if (In.resolve(&Phi) != From.Sum || Incoming.get() != From.Carried)
          return false;
      }
  return true;
}

} // namespace

/// What \p Test compares, over an element of \p X; nothing if it is not made of
/// one, or not the same in vectors.
static std::optional<Expression> liftTested(const ZeroComparison &Test,
                                            const Access &X, Leaf Kind,
                                            const LoopNest &In) {
  const SCEV *Address = In.addressWhereRun(*Test.Load);
  if (!Address || In.addressOf(*X.Inst) != Address ||
      X.ElemTy != Test.Load->getType())
    return std::nullopt;
  auto Known = [&](const Value &V) {
    return &V == Test.Load ? std::optional(Kind) : std::nullopt;
  };
  Expression Tested;
  if (lift(Test.Compared, In, Known, Tested) ||
      match(Tested.Root,
            m_Contains(Tested,
                       m_CombineOr(m_Addition(),
                                   m_FusedMultiplyAdd(m_Value(), m_Value(),
                                                      m_Value())))))
    return std::nullopt;
  return Tested;
}

/// Whether \p Of adds the product to the sum, or subtracts it, as it is: a product
/// that is zero changes nothing but the sign of a zero.
bool addsProduct(const Contraction &Of) {
  const Expression &E = Of.Update;
  auto Sum = m_Leaf(E, Leaf::Sum);
  Value *Root = E.resolve(E.Root), *Addend;
  if (E.Fused.contains(Root))
    return match(Root,
                 m_FusedMultiplyAdd(m_Value(), m_Value(), m_Value(Addend))) &&
           match(E.resolve(Addend), Sum);
  return match(Root, m_Accumulation(Sum, m_Leaf(E, Leaf::Product)));
}

/// Whether nothing but a zero is told from others by \p Test.
static bool isUnequal(const ZeroComparison &Test) {
  return Test.Passes == CmpInst::FCMP_UNE || Test.Passes == CmpInst::FCMP_ONE;
}

namespace {

/// Whether \p V, in the tree of \p E, is zero or no number if all leaves are that
/// \p MayBeZero.
bool isZeroWith(const Expression &E, Value *V,
                function_ref<bool(Value *)> MayBeZero) {
  auto Of = [&](Value *Part) { return isZeroWith(E, Part, MayBeZero); };
  V = E.resolve(V);
  Value *X, *Y, *Z;
  if (E.Leaves.contains(V))
    return MayBeZero(V);
  if (match(V, m_FNeg(m_Value(X))))
    return Of(X);
  if (match(V, m_CombineOr(m_FAdd(m_Value(X), m_Value(Y)),
                           m_FSub(m_Value(X), m_Value(Y)))))
    return Of(X) && Of(Y);
  if (match(V, m_FMul(m_Value(X), m_Value(Y))))
    return Of(X) || Of(Y);
  if (match(V, m_FusedMultiplyAdd(m_Value(X), m_Value(Y), m_Value(Z))))
    return (Of(X) || Of(Y)) && Of(Z);
  return match(V, m_AnyZeroFP());
}

} // namespace

/// Where factors are made of the elements that are tested, and of no others: if
/// one of them is other than zero everywhere, all steps are made.
static bool matchMadeFactors(const LoopNest &In, Contraction &Of) {
  auto IsTested = [&](const FurtherOperand &Element) {
    const SCEV *Address = In.addressOf(*Element.X.Inst);
    return any_of(In.Zeros->Tests, [&](const ZeroComparison &Test) {
      return Test.Compared == Test.Load && isUnequal(Test) && Address &&
             In.addressWhereRun(*Test.Load) == Address;
    });
  };
  bool IsMatched = false;
  for (Term &T : Of.Terms)
    for (auto [X, Made] : {std::pair(&T.A, &T.MadeA), {&T.B, &T.MadeB}}) {
      if (!*Made)
        continue;
      const Expression &Value = (*Made)->Value;
      const auto &Operands = (*Made)->Operands;
      if (!all_of(Operands, IsTested))
        return false;
      if (!isZeroWith(Value, Value.Root, [&](const llvm::Value *Leaf) {
            return any_of(Operands, [&](const FurtherOperand &Each) {
              return Each.Load == Leaf;
            });
          }))
        continue;
      ZeroTest &Zeros = X->Zeros.emplace();
      Zeros.Passes = CmpInst::FCMP_ONE;
      Zeros.Tested = X == &T.A ? T.AMap : T.BMap;
      IsMatched = true;
    }
  return IsMatched;
}

SmallVector<StepTest, 2> stepTests(const Contraction &Of) {
  SmallVector<StepTest, 2> Result;
  for (const Term &T : Of.Terms)
    for (auto [X, Made] : {std::pair(&T.A, &T.MadeA), {&T.B, &T.MadeB}}) {
      if (!X->Zeros)
        continue;
      // All that a factor is made of is tested then.
      if (*Made)
        for (const FurtherOperand &Part : (*Made)->Operands)
          Result.push_back({&Part.X, CmpInst::FCMP_ONE});
      else if (X->Zeros->Tested.isElement())
        Result.push_back({X, X->Zeros->Passes});
    }
  return Result;
}

Refused matchZeroGuard(const LoopNest &In, const Update &From, Nest &Result) {
  if (!In.Zeros)
    return std::nullopt;
  Refusal No{Reason::Branch, In.Zeros->Branch};
  Contraction &Of = Result.Op;
  // What is copied from tables is read before a kernel can look at it.
  if (!In.Sources.empty() || Of.hasRowTables() || Result.Source.ToScratch ||
      (Of.Domain && !Of.Domain->isOfC() && !Of.isSaved()) ||
      (Of.isSaved() && In.Zeros->Tests.size() > 1))
    return No;
  if (Of.hasMadeFactors())
    return matchMadeFactors(In, Of) ? Refused() : No;
  auto Match = [&](const ZeroComparison &Test) {
    for (Term &T : Of.Terms)
      for (auto [X, Map, Kind] :
           {std::tuple(&T.A, &T.AMap, Leaf::A), {&T.B, &T.BMap, Leaf::B}}) {
        auto Tested = X->Zeros ? std::nullopt : liftTested(Test, *X, Kind, In);
        if (!Tested || (Of.isSaved() && !Tested->isElement()))
          continue;
        bool SkippedAreIdle =
            In.Zeros->Tests.size() == 1 && Tested->isElement() &&
            Of.Terms.size() == 1 && !Of.hasPairings() && !Of.Domain &&
            Of.SumTy->isIntegerTy() && match(Map->Root, m_ZeroWithLeaf(*Map)) &&
            match(Of.Update.resolve(Of.Update.Root),
                  m_Accumulation(m_Leaf(Of.Update, Leaf::Sum),
                                 m_ZeroWithLeaf(Of.Update))) &&
            keepsValues(In, From);
        bool SkippedMayBeIdle =
            In.Zeros->Tests.size() == 1 && Of.Terms.size() == 1 &&
            !Of.hasPairings() && !Of.Domain && !Of.isSaved() && !Of.After &&
            isUnequal(Test) &&
            (Of.SumTy->isFloatTy() || Of.SumTy->isDoubleTy()) &&
            ((Tested->isElement() &&
              match(Map->Root, m_CombineOr(m_ZeroWithLeaf(*Map),
                                           m_FNeg(m_ZeroWithLeaf(*Map))))) ||
             Tested->resolve(Tested->Root) == Map->resolve(Map->Root)) &&
            addsProduct(Of) && keepsValues(In, From);
        ZeroTest &Zeros = X->Zeros.emplace();
        Zeros.SkippedMayBeIdle = SkippedMayBeIdle;
        Zeros.Passes = Test.Passes;
        Zeros.Tested = std::move(*Tested);
        Zeros.SkippedAreIdle = SkippedAreIdle;
        return true;
      }
    return false;
  };
  // If one of two tests passes wherever it is made, the other does not matter.
  bool Matches = false;
  for (const ZeroComparison &Test : In.Zeros->Tests)
    Matches |= Match(Test);
  return Matches ? Refused() : No;
}

const char LoadedIfMark[] = "tilesmith.loaded-if";
const char NotLoadedMark[] = "tilesmith.not-loaded";

bool isLoadedUnderCondition(const Instruction &I) {
  return isa<LoadInst>(I) && I.hasMetadata(LoadedIfMark);
}

/// The test of elements of \p Tested on which \p Load depends, if it is a part of
/// the step.
static std::optional<ZeroTest> testOfLoad(const Instruction &Load,
                                          const Access &Tested, Leaf Kind,
                                          const Contraction &Of) {
  MDNode *Pair = Load.getMetadata(LoadedIfMark);
  const CmpInst *Test = nullptr;
  auto IsTest = [&](const Instruction &I) {
    auto *Asked = dyn_cast<CmpInst>(&I);
    bool Is = Asked && Asked->getMetadata(LoadedIfMark) == Pair &&
              Asked->getOperand(0) == Tested.Inst;
    if (Is)
      Test = Asked;
    return Is;
  };
  if (!Of.Terms.front().Pairing->contains(IsTest) &&
      !Of.Update.contains(IsTest))
    return std::nullopt;
  bool IsIfTrue = mdconst::extract<ConstantInt>(Pair->getOperand(0))->isOne();
  bool IsOfZero = isa<ICmpInst>(Test) && Test->isEquality() &&
                  match(Test->getOperand(1), m_Zero());
  ZeroTest Result;
  // LeafOf takes constants, and nothing is changed here.
  Result.Tested.Root = IsOfZero ? Tested.Inst : const_cast<CmpInst *>(Test);
  Result.Tested.Leaves[Tested.Inst] = Kind;
  Result.Passes = IsOfZero ? Test->getPredicate() : ICmpInst::ICMP_NE;
  if (!IsIfTrue)
    Result.Passes = CmpInst::getInversePredicate(Result.Passes);
  Result.SkippedAreIdle = true;
  return Result;
}

Refused matchConditionalLoads(Nest &Result) {
  Contraction &Of = Result.Op;
  for (const Term &T : Of.Terms)
    for (const Access *X : {&T.A, &T.B})
      if (isLoadedUnderCondition(*X->Inst) &&
          (!T.Pairing || Of.Terms.size() > 1 || Of.hasRowTables() ||
           Of.Domain || !Of.Outer.empty() || Of.isMatrixVector() ||
           Result.Source.ToScratch ||
           isLoadedUnderCondition(*T.A.Inst) ==
               isLoadedUnderCondition(*T.B.Inst)))
        return Refusal{Reason::Branch, X->Inst};
  for (Term &T : Of.Terms)
    for (auto [X, Tested, Kind] :
         {std::tuple(&T.A, &T.B, Leaf::B), {&T.B, &T.A, Leaf::A}})
      if (isLoadedUnderCondition(*X->Inst)) {
        Tested->Zeros = testOfLoad(*X->Inst, *Tested, Kind, Of);
        if (!Tested->Zeros)
          return Refusal{Reason::Branch, X->Inst};
      }
  return std::nullopt;
}

bool searchesVector(Contraction &Of) {
  if (Of.Domain || Of.vectorMoves() || isFilter(Of) ||
      any_of(Of.Terms, [](const Term &T) { return T.A.Zeros.has_value(); }))
    return false;
  for (Term &T : Of.Terms)
    if (T.B.Zeros)
      T.B.Zeros->SkippedAreIdle = T.B.Zeros->SkippedMayBeIdle = false;
  return true;
}

} // namespace tilesmith
