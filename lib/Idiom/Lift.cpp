//===- Lift.cpp - expressions out of instructions -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lift.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

bool isFusedMultiplyAdd(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
                  Call->getIntrinsicID() == Intrinsic::fma);
}

bool isElementwise(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FNeg:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::FPExt:
    return true;
  default:
    return isFusedMultiplyAdd(I);
  }
}

ArrayRef<unsigned> addends(const Instruction &I) {
  static constexpr unsigned Either[] = {0, 1}, First[] = {0}, Third[] = {2};
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::Add:
    return Either;
  case Instruction::FSub:
  case Instruction::Sub:
    return First;
  default:
    return isFusedMultiplyAdd(I) ? ArrayRef<unsigned>(Third)
                                 : ArrayRef<unsigned>();
  }
}

bool ElementOfC::isReadBy(const Value &V, const Nest &In) const {
  auto *Load = dyn_cast<LoadInst>(&V);
  return Load && In.root().contains(Load) && Load->getType() == Ty &&
         In.addressOf(*Load) == Address;
}

namespace {

class Lifter {
public:
  Lifter(const Nest &In, LeafOf Known, Expression &Into)
      : In(In), Known(Known), Into(Into) {}

  Refused lift(Value *V) {
    if (isa<Constant>(V) || !Seen.insert(V).second)
      return std::nullopt;
    if (Value *Only = In.resolve(V); Only != V) {
      Into.Forwards[V] = Only;
      return lift(Only);
    }
    if (std::optional<Leaf> Kind = Known(*V)) {
      Into.Leaves[V] = *Kind;
      return std::nullopt;
    }
    if (In.isInvariant(V)) {
      Into.Leaves[V] = Leaf::Invariant;
      return std::nullopt;
    }
    auto *I = cast<Instruction>(V);
    if (isa<PHINode>(I) || isa<LoadInst>(I))
      return Refusal{Reason::VaryingScalar, I};
    if (!isElementwise(*I))
      return Refusal{Reason::OtherOperation, I};
    for (Value *Op : I->operands())
      if (!isa<Function>(Op))
        if (Refused No = lift(Op))
          return No;
    return std::nullopt;
  }

private:
  const Nest &In;
  LeafOf Known;
  Expression &Into;
  SmallPtrSet<Value *, 8> Seen;
};

} // namespace

Refused lift(Value *V, const Nest &In, LeafOf Known, Expression &Into) {
  Into.Root = In.resolve(V);
  return Lifter(In, Known, Into).lift(Into.Root);
}

} // namespace tilesmith
