//===- Update.cpp - sum = sum + a*b ---------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   sum = sum + alpha * (a * b);
//
// Searched from the stored value backwards:
//
//   Sum         an addition that its own value of the iteration before leads
//               to: m_RunningSum(In, Carried)
//   Carried     m_Carried(In, Innermost, m_Specific(Sum)), or a load of what is
//               stored: m_Element(In, Target)
//   an addend   Carried, an invariant, m_Addition of two addends, m_FNeg of one,
//               m_Shl of one by an invariant, a product
//   a product   m_Product(m_Elementwise(In, A), m_Elementwise(In, B)): two
//               elements meet, or an invariant scales an addend
//
//===----------------------------------------------------------------------===//

#include "Update.h"
#include "Lift.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

class UpdateFinder {
public:
  UpdateFinder(const LoopNest &In, StoreInst &Store, bool Apart)
      : In(In), Store(Store), Apart(Apart),
        Target{In.addressOf(Store), Store.getValueOperand()->getType()} {}

  std::variant<Update, Refusal> run() {
    if (!findSum(Store.getValueOperand()))
      return Refusal{NotFound, &Store};
    if (Refused No = liftAddend(Result.Sum))
      return *No;
    Result.Tree.Root = Result.Sum;
    if (Result.Products.empty())
      return Refusal{Reason::NotProduct, Result.Sum};
    if (Refused No = findRounded(Result.Tree, In))
      return *No;
    return std::move(Result);
  }

private:
  bool findSum(Value *V);
  Value *findCarried(Value *V, const Instruction &Sum) const;
  Refused liftAddend(Value *V);
  Refused liftProduct(Value *X, Value *Y, Instruction &Where);
  Refused meet(Value *X, LoadInst &A, Value *Y, LoadInst &B,
               Instruction &Where);

  const LoopNest &In;
  StoreInst &Store;
  bool Apart;
  ElementOfC Target;
  Update Result;
  Reason NotFound = Reason::NoUpdate; ///< what findSum has seen instead
  SmallPtrSet<Value *, 8> Seen, Lifted;
};

/// The value of \p Sum one iteration before, if additions lead from it to \p V.
Value *UpdateFinder::findCarried(Value *V, const Instruction &Sum) const {
  const Loop &L = In.innermost();
  // Element by element: load and store take place in each iteration.
  auto IsInLoop = [&](LoadInst &Load) {
    return L.contains(&Load) && L.contains(&Store);
  };
  auto FromBefore = m_CombineOr(
      m_Carried(In, L, m_Specific(&Sum)),
      m_CombineAnd(m_Element(In, Target), m_If<LoadInst>(IsInLoop)));
  Value *Carried = nullptr;
  match(V, m_RunningSum(In, m_Value(Carried, FromBefore)));
  return Carried;
}

/// Searches the tree of \p V for the addition. Operations that no expression
/// may contain are refused later, with a better reason than that nothing was
/// found.
bool UpdateFinder::findSum(Value *V) {
  auto *I = dyn_cast<Instruction>(In.resolve(V));
  if (!I || !In.Live.contains(I->getParent()))
    return false;
  if (isa<PHINode>(I)) {
    if (!Apart && In.Analyses->LI.isLoopHeader(I->getParent()))
      return false;
    bool IsSum = Seen.insert(I).second &&
                 any_of(I->operands(), [&](Value *Op) { return findSum(Op); });
    // Only a sum that is kept apart may reach the store by any way.
    if (IsSum && !Apart)
      NotFound = Reason::EmptySum;
    return IsSum && Apart;
  }
  if (!(isa<IntrinsicInst>(I) || isScalarArithmetic(*I)) ||
      !Seen.insert(I).second)
    return false;
  if (Value *Carried = findCarried(I, *I)) {
    Result.Sum = I;
    Result.Carried = Carried;
    return true;
  }
  // As where the target knows no arithmetic of half.
  if (isa<FPTruncInst>(I) && I->getType()->isHalfTy() &&
      In.innermost().contains(I))
    NotFound = Reason::HalfSum;
  // What is carried is further up in the tree: c = f * (c + ...), or an 'if'
  // that has become c = x ? c + ... : c.
  Value *Last = nullptr;
  for (Value *Op : addends(*I))
    if (match(In.resolve(Op), m_Carried(In, In.innermost(), m_Value(Last))) &&
        Seen.contains(Last))
      NotFound = isa<SelectInst>(Last) ? Reason::Branch : Reason::ScaledSum;
  return any_of(I->operands(), [&](Value *Op) { return findSum(Op); });
}

/// Lifts the tree of \p V, a part of the sum: what is carried, products, and
/// invariants, connected by additions, negations, and scaling by invariants.
Refused UpdateFinder::liftAddend(Value *V) {
  Expression &Tree = Result.Tree;
  if (Value *Only = In.resolve(V); Only != V) {
    Tree.Forwards[V] = Only;
    return liftAddend(Only);
  }
  if (Tree.Leaves.contains(V) || isa<Constant>(V))
    return std::nullopt;
  if (V == Result.Carried) {
    Tree.Leaves[V] = Leaf::Sum;
    return std::nullopt;
  }
  if (In.isInvariant(V)) {
    Tree.Leaves[V] = Leaf::Invariant;
    return std::nullopt;
  }
  auto *I = cast<Instruction>(V);
  // What is added to itself again and again has exponentially many addends.
  if (!Lifted.insert(I).second)
    return Refusal{Reason::NotProduct, I};
  Value *X, *Y;
  if (match(I, m_Addition(m_Value(X), m_Value(Y))) ||
      match(I, m_Shl(m_Value(Y), m_Value(X, m_Seen(In, m_Invariant(In)))))) {
    if (Refused No = liftAddend(X))
      return No;
    return liftAddend(Y);
  }
  if (match(I, m_FNeg(m_Value(X))))
    return liftAddend(X);
  if (match(I, m_Product(m_Value(X), m_Value(Y))))
    return liftProduct(X, Y, *I);
  return Refusal{isa<CastInst>(I) ? Reason::WidenedProduct : Reason::NotProduct,
                 I};
}

/// \p X times \p Y, by \p Where: either two elements meet, or an invariant
/// scales what is lifted further.
Refused UpdateFinder::liftProduct(Value *X, Value *Y, Instruction &Where) {
  LoadSet OfX, OfY;
  if (!match(X, m_Elementwise(In, OfX)) || !match(Y, m_Elementwise(In, OfY))) {
    bool Varies =
        match(X, m_Contains(In, m_Phi())) || match(Y, m_Contains(In, m_Phi()));
    return Refusal{Varies ? Reason::VaryingScalar : Reason::OtherOperation,
                   &Where};
  }
  if (OfX.size() == 1 && OfY.size() == 1) {
    if (Refused No = meet(X, *OfX.front(), Y, *OfY.front(), Where))
      return No;
  } else if (OfX.empty() == OfY.empty()) {
    return Refusal{Reason::NotProduct, &Where};
  } else if (findCarried(OfX.empty() ? Y : X, *Result.Sum)) {
    return Refusal{Reason::ScaledSum, &Where};
  } else {
    for (Value *Factor : {X, Y})
      if (Refused No = liftAddend(Factor))
        return No;
  }
  Value *Z;
  return match(&Where, m_FusedMultiplyAdd(m_Value(), m_Value(), m_Value(Z)))
             ? liftAddend(Z)
             : std::nullopt;
}

/// The elements \p A and \p B, of which \p X and \p Y are functions, meet.
Refused UpdateFinder::meet(Value *X, LoadInst &A, Value *Y, LoadInst &B,
                           Instruction &Where) {
  if (&A == &B)
    return Refusal{Reason::NotProduct, &Where};
  auto Only = [](const Value &Which, Leaf Kind) {
    return [&Which, Kind](const Value &V) -> std::optional<Leaf> {
      return &V == &Which ? std::optional(Kind) : std::nullopt;
    };
  };
  Product Found{&Where, &A, &B, {}, {}};
  if (Refused No = lift(X, In, Only(A, Leaf::A), Found.AMap))
    return No;
  if (Refused No = lift(Y, In, Only(B, Leaf::B), Found.BMap))
    return No;
  Result.Products.push_back(std::move(Found));
  if (isFusedMultiplyAdd(Where))
    Result.Tree.Fused.insert(&Where);
  else
    Result.Tree.Leaves[&Where] = Leaf::Product;
  return std::nullopt;
}

} // namespace

bool Update::isPartialSum(const Value *V) const {
  return match(Sum, m_RunningSum(Tree, m_Specific(V)));
}

std::variant<Update, Refusal> findUpdate(const LoopNest &In, StoreInst &Store,
                                         bool Apart) {
  return UpdateFinder(In, Store, Apart).run();
}

} // namespace tilesmith
