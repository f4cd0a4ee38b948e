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
// The test reads all of A, or all that the product needs, so a kernel may read
// it first. See ZeroTest in Contraction.h.
//
//===----------------------------------------------------------------------===//

#include "ZeroGuard.h"
#include "Patterns.h"
#include "Update.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p Br parts zeros from other elements, perhaps on some assumptions
/// as well. (How often a loop runs may be compared with zero, too, but that
/// does not come from an operand.)
bool LoopNest::followZeroGuard(BranchInst &Br) {
  if (Zeros)
    return false;
  CmpPredicate Predicate;
  LoadInst *Load;
  auto Varying = m_CombineAnd(m_Loaded(Load), m_Unless(m_Invariant(*this)));
  auto Test = m_Cmp(Predicate, m_Seen(*this, Varying),
                    m_CombineOr(m_Zero(), m_AnyZeroFP()));
  Value *Condition = resolve(Br.getCondition()), *Other = nullptr;
  auto Assumed = m_Value(Other, m_Invariant(*this));
  bool IsAnd = match(Condition, m_c_LogicalAnd(Test, Assumed)),
       IsOr = match(Condition, m_c_LogicalOr(Test, Assumed));
  if (!IsAnd && !IsOr && !match(Condition, Test))
    return false;
  auto Passes = [](CmpInst::Predicate P) {
    return P == ICmpInst::ICMP_NE || P == FCmpInst::FCMP_UNE ||
           P == FCmpInst::FCMP_ONE;
  };
  CmpInst::Predicate P = Predicate;
  bool Enters = Passes(P);
  if (!Enters)
    P = CmpInst::getInversePredicate(P);
  if (!Passes(P) || (Enters ? IsOr : IsAnd))
    return false;
  if (Other)
    Assumptions.push_back({Other, Enters, needsAssumptions(Other), {}});
  Zeros = {&Br, Enters, Load, P};
  return true;
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

Refused matchZeroGuard(const LoopNest &In, const Update &From, Nest &Result) {
  if (!In.Zeros)
    return std::nullopt;
  Refusal No{Reason::Branch, In.Zeros->Branch};
  Contraction &Of = Result.Op;
  // What is copied from tables is read before a kernel can look at it.
  if (Of.Terms.size() != 1 || !In.Sources.empty() || Of.hasRowTables() ||
      Result.Source.ToScratch || (Of.Domain && !Of.Domain->isOfC()))
    return No;
  const SCEV *Address = In.addressWhereRun(*In.Zeros->Load);
  Term &T = Of.Terms.front();
  for (auto [X, Map] : {std::pair(&T.A, &T.AMap), {&T.B, &T.BMap}}) {
    if (!Address || In.addressOf(*X->Inst) != Address ||
        X->ElemTy != In.Zeros->Load->getType())
      continue;
    bool ChangeNothing = !Of.Domain && Of.SumTy->isIntegerTy() &&
                         match(Map->Root, m_ZeroWithLeaf(*Map)) &&
                         match(Of.Update.resolve(Of.Update.Root),
                               m_Accumulation(m_Leaf(Of.Update, Leaf::Sum),
                                              m_ZeroWithLeaf(Of.Update))) &&
                         keepsValues(In, From);
    X->Zeros = ZeroTest{In.Zeros->Passes, ChangeNothing};
    return std::nullopt;
  }
  return No;
}

} // namespace tilesmith
