//===- Update.cpp - sum = sum + a*b ---------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searched from the stored value backwards: an addition one of whose operands
// is its own value of the iteration before (carried by a phi, or by the stored
// element itself), then, in the other operand, the multiplication in which two
// loaded elements meet:
//
//   sum = fadd carried, (fmul alpha, (fmul (fpext a), b))
//                                     ^ the product
//
// Everything between these landmarks may only scale by invariants.
//
//===----------------------------------------------------------------------===//

#include "Update.h"
#include "Lift.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

namespace {

using LoadSet = SmallSetVector<LoadInst *, 2>;

/// Collects the varying loads that an element-wise tree ends in.
class LoadCollector {
public:
  explicit LoadCollector(const LoopNest &In) : In(In) {}

  void visit(Value *V) {
    V = In.resolve(V);
    if (isa<Function>(V) || In.isInvariant(V) || !Seen.insert(V).second)
      return;
    auto *I = cast<Instruction>(V);
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      Loads.insert(Load);
      return;
    }
    if (isa<PHINode>(I)) {
      Varies = true;
      return;
    }
    IsOther |= !isElementwise(*I);
    for (Value *Op : I->operands())
      visit(Op);
  }

  LoadSet Loads;
  bool Varies = false;  ///< something changes with a loop
  bool IsOther = false; ///< an operation is not element-wise

private:
  const LoopNest &In;
  SmallPtrSet<Value *, 8> Seen;
};

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
  bool isCarried(const Value &V, const Instruction &Sum) const;
  Refused liftAddend(Value *V);
  Refused liftFactors(Value *X, Value *Y, Instruction &Where, bool &Met);
  Refused meet(Value *X, Value *Y, Instruction &Where, Product &Of, bool &Met);

  const LoopNest &In;
  StoreInst &Store;
  bool Apart;
  ElementOfC Target;
  Update Result;
  Reason NotFound = Reason::NoUpdate; ///< what findSum has seen instead
  SmallPtrSet<Value *, 8> Seen, Lifted;
};

/// Whether \p V is what \p Sum was one iteration before.
bool UpdateFinder::isCarried(const Value &V, const Instruction &Sum) const {
  if (auto *Phi = dyn_cast<PHINode>(&V))
    return Phi->getParent() == In.innermost().getHeader() &&
           In.incomingFromLatch(*Phi) == &Sum;
  // Element by element: load and store take place in each iteration.
  return Target.isReadBy(V, In) &&
         In.innermost().contains(cast<LoadInst>(&V)) &&
         In.innermost().contains(&Store);
}

/// The value of \p Sum one iteration before, which comes in by additions that
/// lead to \p V.
Value *UpdateFinder::findCarried(Value *V, const Instruction &Sum) const {
  constexpr unsigned MaxAdditions = 256;
  SmallSetVector<Value *, 8> Parts;
  Parts.insert(V);
  for (unsigned Next = 0; Next < std::min<size_t>(Parts.size(), MaxAdditions);
       ++Next)
    if (auto *I = dyn_cast<Instruction>(Parts[Next]))
      for (unsigned Op : addends(*I)) {
        Value *Addend = In.resolve(I->getOperand(Op));
        if (isCarried(*Addend, Sum))
          return Addend;
        Parts.insert(Addend);
      }
  return nullptr;
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
  if (!isa<UnaryOperator, BinaryOperator, CastInst, SelectInst, IntrinsicInst>(
          I) ||
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
  for (unsigned Op : addends(*I)) {
    // What is carried is further up in the tree: c = f * (c + ...), or an 'if'
    // that has become c = x ? c + ... : c.
    auto *Phi = dyn_cast<PHINode>(In.resolve(I->getOperand(Op)));
    if (Phi && Phi->getParent() == In.innermost().getHeader())
      if (Value *Last = In.incomingFromLatch(*Phi); Seen.contains(Last))
        NotFound = isa<SelectInst>(Last) ? Reason::Branch : Reason::ScaledSum;
  }
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
  auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return Refusal{Reason::NotProduct, Result.Sum};
  // What is added to itself again and again has exponentially many addends.
  if (!Lifted.insert(I).second)
    return Refusal{Reason::NotProduct, I};
  switch (I->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::Add:
  case Instruction::Sub:
    if (Refused No = liftAddend(I->getOperand(0)))
      return No;
    return liftAddend(I->getOperand(1));
  case Instruction::FNeg:
    return liftAddend(I->getOperand(0));
  case Instruction::Shl:
    if (!In.isInvariant(In.resolve(I->getOperand(1))))
      return Refusal{Reason::NotProduct, I};
    if (Refused No = liftAddend(I->getOperand(1)))
      return No;
    return liftAddend(I->getOperand(0));
  case Instruction::Mul:
  case Instruction::FMul: {
    bool Met = false;
    if (Refused No = liftFactors(I->getOperand(0), I->getOperand(1), *I, Met))
      return No;
    if (Met)
      Tree.Leaves[I] = Leaf::Product;
    return std::nullopt;
  }
  default:
    break;
  }
  if (isFusedMultiplyAdd(*I)) {
    bool Met = false;
    if (Refused No = liftFactors(I->getOperand(0), I->getOperand(1), *I, Met))
      return No;
    if (Met)
      Tree.Fused.insert(I);
    return liftAddend(I->getOperand(2));
  }
  return Refusal{isa<CastInst>(I) ? Reason::WidenedProduct : Reason::NotProduct,
                 I};
}

/// \p X times \p Y: either two elements meet, or an invariant scales what is
/// lifted further.
Refused UpdateFinder::liftFactors(Value *X, Value *Y, Instruction &Where,
                                  bool &Met) {
  Product Found;
  if (Refused No = meet(X, Y, Where, Found, Met))
    return No;
  if (Met) {
    Result.Products.push_back(std::move(Found));
    return std::nullopt;
  }
  Value *Scaled = In.isInvariant(In.resolve(X)) ? Y : X;
  // The sum itself must not be scaled.
  if (In.resolve(Scaled) == Result.Carried ||
      findCarried(In.resolve(Scaled), *Result.Sum))
    return Refusal{Reason::ScaledSum, &Where};
  if (Refused No = liftAddend(X))
    return No;
  return liftAddend(Y);
}

/// Do two elements meet in the product of \p X and \p Y? If not, one of the two
/// is invariant, or it is no product of two elements.
Refused UpdateFinder::meet(Value *X, Value *Y, Instruction &Where, Product &Of,
                           bool &Met) {
  LoadCollector OfX(In), OfY(In);
  OfX.visit(X);
  OfY.visit(Y);
  if (OfX.Varies || OfY.Varies)
    return Refusal{Reason::VaryingScalar, &Where};
  if (OfX.IsOther || OfY.IsOther)
    return Refusal{Reason::OtherOperation, &Where};
  const LoadSet &LoadsX = OfX.Loads, &LoadsY = OfY.Loads;
  Met = LoadsX.size() == 1 && LoadsY.size() == 1;
  if (!Met) {
    if (LoadsX.empty() != LoadsY.empty())
      return std::nullopt;
    return Refusal{Reason::NotProduct, &Where};
  }
  Of.Multiply = &Where;
  Of.LoadOfA = LoadsX.front();
  Of.LoadOfB = LoadsY.front();
  if (Of.LoadOfA == Of.LoadOfB)
    return Refusal{Reason::NotProduct, &Where};
  auto Only = [](const Value *Which, Leaf Kind) {
    return [Which, Kind](const Value &V) -> std::optional<Leaf> {
      return &V == Which ? std::optional(Kind) : std::nullopt;
    };
  };
  if (Refused No = lift(X, In, Only(Of.LoadOfA, Leaf::A), Of.AMap))
    return No;
  return lift(Y, In, Only(Of.LoadOfB, Leaf::B), Of.BMap);
}

} // namespace

bool Update::isPartialSum(const Value *V) const {
  // Additions only lead from what is carried to the sum.
  SmallVector<const Value *, 8> Work{Sum};
  while (!Work.empty()) {
    const Value *Part = Work.pop_back_val();
    if (Part == V)
      return true;
    auto *I = dyn_cast<Instruction>(Part);
    if (!I || I == Carried || Tree.Leaves.contains(const_cast<Value *>(Part)))
      continue;
    for (unsigned Op : addends(*I))
      Work.push_back(I->getOperand(Op));
  }
  return false;
}

std::variant<Update, Refusal> findUpdate(const LoopNest &In, StoreInst &Store,
                                         bool Apart) {
  return UpdateFinder(In, Store, Apart).run();
}

} // namespace tilesmith
