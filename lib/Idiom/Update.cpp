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
// If that is not found, a pairwise update may be: the sum is any lane-wise
// function of its own value before, and of one value that is a lane-wise function
// of two elements.
//
//===----------------------------------------------------------------------===//

#include "Update.h"
#include "Address.h"
#include "Lift.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether \p I rounds to integers, or is fused, by a function on some targets.
static bool isRounding(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && is_contained(ArrayRef<Intrinsic::ID>(
                                  {Intrinsic::floor, Intrinsic::ceil,
                                   Intrinsic::trunc, Intrinsic::rint,
                                   Intrinsic::nearbyint, Intrinsic::round,
                                   Intrinsic::roundeven, Intrinsic::fma}),
                              Call->getIntrinsicID());
}

/// Whether \p I may be part of a pairwise update. It is made for elements of tiles
/// that do not exist, too, so it must not trap: see findDivisors. Where vectors
/// would be taken apart, for functions to be called or for wide integers, tiles of
/// them would not fit into registers.
bool mayUpdate(const Instruction &I) {
  return isScalarArithmetic(I) && isLanewise(I) && !isRounding(I) &&
         I.getType()->getScalarSizeInBits() <= 64;
}

namespace {

class UpdateFinder {
public:
  /// \p IsPairwise: for runPairwise().
  UpdateFinder(const LoopNest &In, StoreInst &Store, bool Apart,
               bool IsPairwise, const Instruction *Except)
      : In(In), Store(Store), Apart(Apart), IsPairwise(IsPairwise),
        Except(Except),
        Target{In.addressOf(Store), Store.getValueOperand()->getType()} {}

  std::variant<Update, Refusal> run() {
    if (!findSum(Store.getValueOperand()))
      return Refusal{NotFound, &Store};
    // What is made of an element's sum before the next step reads it is no sum.
    if (isa<LoadInst>(Result.Carried) &&
        In.resolve(Store.getValueOperand()) != Result.Sum)
      return Refusal{Reason::ScaledSum, Result.Sum};
    if (Refused No = liftAddend(Result.Sum))
      return *No;
    Result.Tree.Root = Result.Sum;
    if (Result.Products.empty())
      return Refusal{Reason::NotProduct, Result.Sum};
    if (Refused No = findRounded(Result.Tree, In))
      return *No;
    return std::move(Result);
  }

  /// The same for a pairwise update.
  std::variant<Update, Refusal> runPairwise() {
    if (!findSum(Store.getValueOperand()))
      return Refusal{NotFound, &Store};
    SmallSetVector<Instruction *, 2> Pairs;
    collectPairs(*Result.Sum, Pairs);
    // Others may be made of the one that counts.
    auto Counts = [&](Instruction *One) {
      return all_of(Pairs, [&](Instruction *Other) {
        return match(Other, m_Contains(In, m_Specific(One)));
      });
    };
    // Of several, each further one is made of the same elements.
    auto *Only = find_if(Pairs, Counts);
    bool AreSeveral = Only == Pairs.end();
    Refused No = Refusal{Reason::NotProduct, Result.Sum};
    Instruction *Pair = nullptr;
    for (Instruction *One : AreSeveral ? Pairs.getArrayRef() : ArrayRef(*Only))
      if (!Pair && !(No = pair(*One)))
        Pair = One;
    // Or each is made of one of both elements: a && b || s.
    for (Instruction *One :
         AreSeveral ? Pairs.getArrayRef() : ArrayRef<Instruction *>())
      if (!Pair && !(No = pair(*One, Pairs.getArrayRef())))
        Pair = One;
    if (!Pair)
      return *No;
    auto Known = [&](const Value &V) -> std::optional<Leaf> {
      if (&V == Result.Carried)
        return Leaf::Sum;
      if (&V == Pair)
        return Leaf::Product;
      return AreSeveral ? factor(V) : std::nullopt;
    };
    if (Refused No = lift(Result.Sum, In, Known, Result.Tree, mayUpdate))
      return *No;
    // A sum that is a product is fused with what the next step adds to it, but
    // only where both are in one block: where the loop is unrolled.
    auto IsCarried = m_Exact(Result.Tree, m_Specific(Result.Carried));
    if (contractable(Result.Sum) &&
        match(Result.Sum,
              m_Contains(Result.Tree, m_Addition(IsCarried, m_Value()))))
      return Refusal{Reason::MixedFusion, Result.Sum};
    for (const Expression *E : {&*Result.Products[0].Pairing, &Result.Tree})
      if (Refused No = findDivisors(*E))
        return *No;
    return std::move(Result);
  }

private:
  bool findSum(Value *V);
  Value *findCarried(Value *V, const Instruction &Sum) const;
  Refused liftAddend(Value *V);
  void collectPairs(Instruction &I, SmallSetVector<Instruction *, 2> &Pairs);
  Refused findDivisors(const Expression &E);
  Refused pair(Instruction &Where, ArrayRef<Instruction *> Others = {});
  std::optional<Leaf> factor(const Value &V) const;
  Refused liftProduct(Value *X, Value *Y, Instruction &Where);
  LoadInst *mainElement(const LoadSet &Elements) const;
  Refused liftFactor(Value *V, const LoadSet &Elements, LoadInst &Main,
                     Leaf Kind, Expression &Into) const;
  Refused meet(Value *X, const LoadSet &OfX, Value *Y, const LoadSet &OfY,
               Instruction &Where);

  const LoopNest &In;
  StoreInst &Store;
  const bool Apart, IsPairwise;
  const Instruction *Except;
  ElementOfC Target;
  Update Result;
  SmallMapVector<Value *, LoadInst *, 2> Factors; ///< of the pair
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
  constexpr unsigned MaxSteps = 64;
  auto Next = [](Instruction &I) {
    return mayUpdate(I) ? Operands(I.operands()) : Operands();
  };
  if (IsPairwise)
    match(V, m_Reached(In, Next, m_Value(Carried, FromBefore), MaxSteps));
  else
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
  if (I == Except)
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
  return Refusal{Reason::NotProduct, I};
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
  if (!OfX.empty() && !OfY.empty()) {
    if (Refused No = meet(X, OfX, Y, OfY, Where))
      return No;
  } else if (match(OfX.empty() ? X : Y, m_Contains(In, m_Phi()))) {
    return Refusal{Reason::VaryingScalar, &Where};
  } else if (OfX.empty() && OfY.empty()) {
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

/// What the tree of \p I, a part of a pairwise update, is made of besides what is
/// carried.
void UpdateFinder::collectPairs(Instruction &I,
                                SmallSetVector<Instruction *, 2> &Pairs) {
  for (Value *Op : I.operands()) {
    Op = In.resolve(Op);
    auto *Part = dyn_cast<Instruction>(Op);
    if (!Part || Part == Result.Carried || In.isInvariant(Op) ||
        !mayUpdate(*Part))
      continue;
    if (!match(Part, m_Contains(In, m_Specific(Result.Carried))))
      Pairs.insert(Part);
    else if (Seen.insert(Part).second)
      collectPairs(*Part, Pairs);
  }
}

/// What integers are divided by in \p E. It must not vary, so that it can be
/// tested in front of the nest.
Refused UpdateFinder::findDivisors(const Expression &E) {
  auto IsUnknown = m_If<BinaryOperator>([&](BinaryOperator &I) {
    if (!I.isIntDivRem())
      return false;
    Value *By = In.resolve(I.getOperand(1));
    if (auto *Constant = dyn_cast<ConstantInt>(By))
      return Constant->isZero() || Constant->isMinusOne();
    bool IsSigned = I.getOpcode() == Instruction::SDiv ||
                    I.getOpcode() == Instruction::SRem;
    Result.Divisors.push_back({By, IsSigned});
    return !In.isInvariant(By);
  });
  if (match(E.Root, m_Contains(E, IsUnknown)))
    return Refusal{Reason::NotProduct, Result.Sum};
  return std::nullopt;
}

/// The extension of \p Load to \p SumTy, if that is all that is made of it besides
/// comparisons which come out the same for such extensions: x < y of bytes.
static CastInst *widenedForComparison(LoadInst &Load, const Type &SumTy) {
  auto ExtensionOf = [&](const Value &Of) -> CastInst * {
    for (const User *U : Of.users())
      if (isa<SExtInst, ZExtInst>(U) && U->getType() == &SumTy)
        return cast<CastInst>(const_cast<User *>(U));
    return nullptr;
  };
  CastInst *Wide = ExtensionOf(Load);
  auto ComesOutTheSame = [&](const User *U) {
    if (isa<CastInst>(U))
      return true;
    auto *Compare = dyn_cast<ICmpInst>(U);
    if (!Compare ||
        (Compare->isRelational() && Compare->isSigned() != isa<SExtInst>(Wide)))
      return false;
    return all_of(Compare->operands(), [&](const Use &Op) {
      auto *Other = dyn_cast<LoadInst>(Op);
      CastInst *OfOther = Other ? ExtensionOf(*Other) : nullptr;
      return OfOther && OfOther->getOpcode() == Wide->getOpcode();
    });
  };
  return Wide && all_of(Load.users(), ComesOutTheSame) ? Wide : nullptr;
}

/// Which factor of a pair \p V is.
std::optional<Leaf> UpdateFinder::factor(const Value &V) const {
  auto *At = find_if(Factors, [&](const auto &F) { return F.first == &V; });
  if (At == Factors.end())
    return std::nullopt;
  return At == Factors.begin() ? Leaf::A : Leaf::B;
}

/// \p Where is made of two elements, each as it is or widened, and of nothing
/// else that varies; or of one of two that it and \p Others are made of.
Refused UpdateFinder::pair(Instruction &Where, ArrayRef<Instruction *> Others) {
  Refusal No{Reason::NotProduct, &Where};
  Type *SumTy = Result.Sum->getType();
  auto SizeOf = [](const Type &Ty) { return Ty.getPrimitiveSizeInBits(); };
  Factors.clear();
  SmallMapVector<LoadInst *, CastInst *, 2> Widened;
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    // LeafOf takes constants, and nothing is changed here.
    auto *Factor = const_cast<Value *>(&V);
    auto *Load = dyn_cast<LoadInst>(Factor);
    if (isa<SExtInst, ZExtInst, FPExtInst>(V))
      Load = dyn_cast<LoadInst>(In.resolve(cast<CastInst>(V).getOperand(0)));
    if (!Load || In.isInvariant(Load))
      return std::nullopt;
    if (Factor == Load && SizeOf(*V.getType()) < SizeOf(*SumTy))
      if (CastInst *Wide = widenedForComparison(*Load, *SumTy)) {
        Widened[Load] = Wide;
        Factor = Wide;
      }
    Type *Ty = Factor->getType();
    bool IsWider = SizeOf(*Ty) > SizeOf(*SumTy);
    if (IsWider && Factor == Load)
      No.Why = Reason::NarrowSum;
    // Few CPUs compute with halves.
    bool IsHeld = SumTy->isIntegerTy()
                      ? Ty->isIntegerTy() || Ty->isFloatTy() || Ty->isDoubleTy()
                      : Ty->isFloatTy();
    if (Ty != SumTy && (IsWider || !IsHeld))
      return std::nullopt;
    Factors[Factor] = Load;
    return factor(*Factor);
  };
  Expression Pairing;
  if (lift(&Where, In, Known, Pairing, mayUpdate))
    return No;
  for (Instruction *Other : Others) {
    Expression OfOther;
    if (lift(Other, In, Known, OfOther, mayUpdate))
      return No;
  }
  if (Factors.size() != 2)
    return No;
  auto [X, A] = *Factors.begin();
  auto [Y, B] = Factors.back();
  if (A == B)
    return No;
  for (auto [Load, Wide] : Widened) {
    Pairing.Leaves.erase(Load);
    Pairing.Leaves[Wide] = *factor(*Wide);
    Pairing.Forwards[Load] = Wide;
  }
  Product Found{&Where, A, B, {}, {}, std::move(Pairing)};
  for (auto [Factor, Load, Map, Kind] :
       {std::tuple(X, A, &Found.AMap, Leaf::A), {Y, B, &Found.BMap, Leaf::B}})
    if (Refused Not = lift(
            Factor, In,
            [&, Load = Load, Kind = Kind](const Value &V) {
              return &V == Load ? std::optional(Kind) : std::nullopt;
            },
            *Map))
      return Not;
  Result.Products.push_back(std::move(Found));
  return std::nullopt;
}

/// The one of a factor's \p Elements that moves in all loops in which others do;
/// null if there is none.
LoadInst *UpdateFinder::mainElement(const LoadSet &Elements) const {
  if (Elements.size() == 1)
    return Elements.front();
  auto LoopsOf = [&](const LoadInst *Load) {
    const SCEV *Address = In.addressOf(*Load);
    std::optional<AffineForm> Form;
    if (Address)
      Form = groupedForm(Address, In, In.Chain);
    SmallBitVector Loops(In.Chain.size());
    for (unsigned I = 0; Form && I < Loops.size(); ++I)
      Loops[I] = static_cast<AffineSum &>(*Form).dependsOn(I) ||
                 (Form->Groups && Form->Groups->Loop == I);
    return Loops;
  };
  SmallBitVector All(In.Chain.size());
  for (const LoadInst *Load : Elements)
    All |= LoopsOf(Load);
  auto *Main = find_if(
      Elements, [&](const LoadInst *Load) { return LoopsOf(Load) == All; });
  return Main == Elements.end() ? nullptr : *Main;
}

/// \p V, of its \p Main element, which is \p Kind, and of others.
Refused UpdateFinder::liftFactor(Value *V, const LoadSet &Elements,
                                 LoadInst &Main, Leaf Kind,
                                 Expression &Into) const {
  auto Known = [&](const Value &Part) -> std::optional<Leaf> {
    if (&Part == &Main)
      return Kind;
    if (counterOfLoop(In, Part))
      return Leaf::Index;
    auto *Load = dyn_cast<LoadInst>(const_cast<Value *>(&Part));
    bool IsOther = Load && Elements.contains(Load) && !In.isInvariant(Load);
    return IsOther ? std::optional(Leaf::Further) : std::nullopt;
  };
  return lift(V, In, Known, Into, mayMap);
}

/// Elements of which \p X and \p Y are functions meet.
Refused UpdateFinder::meet(Value *X, const LoadSet &OfX, Value *Y,
                           const LoadSet &OfY, Instruction &Where) {
  LoadInst *A = mainElement(OfX), *B = mainElement(OfY);
  if (!A || !B || A == B)
    return Refusal{Reason::NotProduct, &Where};
  Product Found{&Where, A, B, {}, {}};
  if (Refused No = liftFactor(X, OfX, *A, Leaf::A, Found.AMap))
    return No;
  if (Refused No = liftFactor(Y, OfY, *B, Leaf::B, Found.BMap))
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
                                         bool Apart,
                                         const Instruction *Except) {
  return UpdateFinder(In, Store, Apart, /*IsPairwise=*/false, Except).run();
}

std::variant<Update, Refusal> findPairwiseUpdate(const LoopNest &In,
                                                 StoreInst &Store, bool Apart) {
  return UpdateFinder(In, Store, Apart, /*IsPairwise=*/true, /*Except=*/nullptr)
      .runPairwise();
}

} // namespace tilesmith
