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
#include "Update.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p Br parts zeros from other elements, perhaps on some assumptions
/// as well. (How often a loop runs may be compared with zero, too, but that
/// does not come from an operand.)
bool LoopNest::followZeroGuard(BranchInst &Br) {
  using namespace PatternMatch;
  Value *Condition = resolve(Br.getCondition()), *X = Condition, *Y = nullptr;
  bool IsAnd = match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)));
  bool IsOr = !IsAnd && match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)));
  auto IsTest = [&](Value *V) {
    auto *Compare = dyn_cast<CmpInst>(V);
    auto *Zero = Compare ? dyn_cast<Constant>(Compare->getOperand(1)) : nullptr;
    auto *Load =
        Compare ? dyn_cast<LoadInst>(resolve(Compare->getOperand(0))) : nullptr;
    return Zero && Zero->isZeroValue() && Load && root().contains(Load) &&
           !isInvariant(Load);
  };
  if (Y && IsTest(Y))
    std::swap(X, Y);
  if (Zeros || !IsTest(X) || (Y && !isInvariant(Y)))
    return false;
  auto Passes = [](CmpInst::Predicate P) {
    return P == ICmpInst::ICMP_NE || P == FCmpInst::FCMP_UNE ||
           P == FCmpInst::FCMP_ONE;
  };
  auto *Compare = cast<CmpInst>(X);
  bool Enters = Passes(Compare->getPredicate());
  CmpInst::Predicate P =
      Enters ? Compare->getPredicate() : Compare->getInversePredicate();
  if (!Passes(P) || (Enters ? IsOr : IsAnd))
    return false;
  if (Y)
    Assumptions.push_back({Y, Enters, needsAssumptions(Y), {}});
  Zeros = {&Br, Enters, cast<LoadInst>(resolve(Compare->getOperand(0))), P};
  return true;
}

namespace {

/// Whether \p V, in the tree of \p E, is zero if each of its elements or
/// products is.
bool isZeroWithLeaf(const Expression &E, Value *V) {
  SmallSetVector<Value *, 4> Parts; // one of which would do
  Parts.insert(E.resolve(V));
  for (unsigned Next = 0; Next < Parts.size(); ++Next) {
    if (auto It = E.Leaves.find(Parts[Next]); It != E.Leaves.end()) {
      if (is_contained({Leaf::A, Leaf::B, Leaf::Product}, It->second))
        return true;
      continue;
    }
    auto *I = dyn_cast<Instruction>(Parts[Next]);
    if (!I)
      continue;
    switch (I->getOpcode()) {
    case Instruction::Mul:
      Parts.insert(E.resolve(I->getOperand(1)));
      [[fallthrough]];
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Shl:
      Parts.insert(E.resolve(I->getOperand(0)));
      break;
    default:
      break;
    }
  }
  return false;
}

/// Whether the sum stays what it is if the product is zero.
bool staysWithZero(const Expression &Update) {
  auto *Add = dyn_cast<Instruction>(Update.resolve(Update.Root));
  if (!Add || (Add->getOpcode() != Instruction::Add &&
               Add->getOpcode() != Instruction::Sub))
    return false;
  auto IsSum = [&](Value *V) {
    auto It = Update.Leaves.find(Update.resolve(V));
    return It != Update.Leaves.end() && It->second == Leaf::Sum;
  };
  Value *X = Add->getOperand(0), *Y = Add->getOperand(1);
  return (IsSum(X) && isZeroWithLeaf(Update, Y)) ||
         (Add->getOpcode() == Instruction::Add && IsSum(Y) &&
          isZeroWithLeaf(Update, X));
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
                         isZeroWithLeaf(*Map, Map->Root) &&
                         staysWithZero(Of.Update) && keepsValues(In, From);
    X->Zeros = ZeroTest{In.Zeros->Passes, ChangeNothing};
    return std::nullopt;
  }
  return No;
}

} // namespace tilesmith
