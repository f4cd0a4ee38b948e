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
  explicit LoadCollector(const Nest &In) : In(In) {}

  /// False if something else in the tree of \p V varies.
  bool visit(Value *V) {
    V = In.resolve(V);
    if (isa<Function>(V) || In.isInvariant(V) || !Seen.insert(V).second)
      return true;
    auto *I = cast<Instruction>(V);
    if (auto *Load = dyn_cast<LoadInst>(I)) {
      Loads.insert(Load);
      return true;
    }
    return isElementwise(*I) &&
           all_of(I->operands(), [&](Value *Op) { return visit(Op); });
  }

  LoadSet Loads;

private:
  const Nest &In;
  SmallPtrSet<Value *, 8> Seen;
};

std::optional<LoadSet> varyingLoads(Value *V, const Nest &In) {
  LoadCollector Collector(In);
  if (!Collector.visit(V))
    return std::nullopt;
  return Collector.Loads;
}

class UpdateFinder {
public:
  UpdateFinder(const Nest &In, StoreInst &Store)
      : In(In), Store(Store),
        Target{In.addressOf(Store), Store.getValueOperand()->getType()} {}

  std::variant<Update, Refusal> run() {
    if (!findSum(Store.getValueOperand()))
      return Refusal{NotFound, &Store};
    if (Refused No = findProduct())
      return *No;
    if (Refused No = liftAll())
      return *No;
    return std::move(Result);
  }

private:
  bool findSum(Value *V);
  bool isCarried(const Value &V, const Instruction &Sum) const;
  Refused findProduct();
  Refused descend(Value *V);
  Refused meet(Value *X, Value *Y, Instruction &Where, bool &Met);
  Refused liftAll();

  const Nest &In;
  StoreInst &Store;
  ElementOfC Target;
  Update Result;
  unsigned CarriedOperand = 0;
  Reason NotFound = Reason::NoUpdate; ///< what findSum has seen instead
  SmallPtrSet<Value *, 8> Seen;
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

/// Searches the tree of \p V for the addition. Operations that no expression
/// may contain are refused later, with a better reason than that nothing was
/// found.
bool UpdateFinder::findSum(Value *V) {
  auto *I = dyn_cast<Instruction>(In.resolve(V));
  if (!I || !In.Live.contains(I->getParent()) ||
      !isa<UnaryOperator, BinaryOperator, CastInst, SelectInst, IntrinsicInst>(
          I) ||
      !Seen.insert(I).second)
    return false;
  for (unsigned Op : addends(*I)) {
    Value *Carried = In.resolve(I->getOperand(Op));
    if (isCarried(*Carried, *I)) {
      Result.Sum = I;
      Result.Carried = Carried;
      CarriedOperand = Op;
      return true;
    }
    // What is carried is further up in the tree: c = f * (c + ...), or an 'if'
    // that has become c = x ? c + ... : c.
    if (auto *Phi = dyn_cast<PHINode>(Carried);
        Phi && Phi->getParent() == In.innermost().getHeader())
      if (Value *Last = In.incomingFromLatch(*Phi); Seen.contains(Last))
        NotFound = isa<SelectInst>(Last) ? Reason::Branch : Reason::ScaledSum;
  }
  return any_of(I->operands(), [&](Value *Op) { return findSum(Op); });
}

Refused UpdateFinder::findProduct() {
  Instruction &Sum = *Result.Sum;
  if (!isFusedMultiplyAdd(Sum))
    return descend(Sum.getOperand(1 - CarriedOperand));
  bool Met = false;
  Value *X = Sum.getOperand(0), *Y = Sum.getOperand(1);
  if (Refused No = meet(X, Y, Sum, Met); No || Met)
    return No;
  return descend(In.isInvariant(In.resolve(X)) ? Y : X);
}

/// Goes down to the product, through negations and scaling by invariants.
Refused UpdateFinder::descend(Value *V) {
  auto *I = dyn_cast<Instruction>(In.resolve(V));
  if (!I)
    return Refusal{Reason::NotProduct, Result.Sum};
  switch (I->getOpcode()) {
  case Instruction::FNeg:
    return descend(I->getOperand(0));
  case Instruction::Shl:
    if (In.isInvariant(In.resolve(I->getOperand(1))))
      return descend(I->getOperand(0));
    return Refusal{Reason::NotProduct, I};
  case Instruction::Mul:
  case Instruction::FMul: {
    bool Met = false;
    Value *X = I->getOperand(0), *Y = I->getOperand(1);
    if (Refused No = meet(X, Y, *I, Met); No || Met)
      return No;
    return descend(In.isInvariant(In.resolve(X)) ? Y : X);
  }
  default:
    return Refusal{
        isa<CastInst>(I) ? Reason::WidenedProduct : Reason::NotProduct, I};
  }
}

/// Do two elements meet in the product of \p X and \p Y? If not, one of the two
/// is invariant, or it is no product of two elements.
Refused UpdateFinder::meet(Value *X, Value *Y, Instruction &Where, bool &Met) {
  std::optional<LoadSet> LoadsX = varyingLoads(X, In),
                         LoadsY = varyingLoads(Y, In);
  if (!LoadsX || !LoadsY)
    return Refusal{Reason::VaryingScalar, &Where};
  Met = LoadsX->size() == 1 && LoadsY->size() == 1;
  if (!Met) {
    if (LoadsX->empty() != LoadsY->empty())
      return std::nullopt;
    return Refusal{Reason::NotProduct, &Where};
  }
  Result.Product = &Where;
  Result.LoadOfA = LoadsX->front();
  Result.LoadOfB = LoadsY->front();
  if (Result.LoadOfA == Result.LoadOfB)
    return Refusal{Reason::NotProduct, &Where};
  return std::nullopt;
}

Refused UpdateFinder::liftAll() {
  auto Only = [](const Value *Which, Leaf Kind) {
    return [Which, Kind](const Value &V) -> std::optional<Leaf> {
      return &V == Which ? std::optional(Kind) : std::nullopt;
    };
  };
  Value *X = Result.Product->getOperand(0), *Y = Result.Product->getOperand(1);
  if (Refused No = lift(X, In, Only(Result.LoadOfA, Leaf::A), Result.AMap))
    return No;
  if (Refused No = lift(Y, In, Only(Result.LoadOfB, Leaf::B), Result.BMap))
    return No;
  if (Result.isFused())
    return std::nullopt;
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (&V == Result.Carried)
      return Leaf::Sum;
    return &V == Result.Product ? std::optional(Leaf::Product) : std::nullopt;
  };
  return lift(Result.Sum, In, Known, Result.Tree);
}

} // namespace

std::variant<Update, Refusal> findUpdate(const Nest &In, StoreInst &Store) {
  return UpdateFinder(In, Store).run();
}

} // namespace tilesmith
