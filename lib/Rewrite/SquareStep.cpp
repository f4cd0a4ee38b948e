//===- SquareStep.cpp - one step for one element of a matrix --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (x != Far && y != Far && x + y < z) z = x + y;
//
// The branches of a step are followed from its first block on, each to both
// sides. What a phi is, or whether the store is reached, is chosen where the two
// come out different. Nothing in a step traps, so both sides may be computed.
//
//===----------------------------------------------------------------------===//

#include "SquareStep.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

SquareStep::SquareStep(const SquareSteps &Of, const DominatorTree &DT,
                       IRBuilderBase &B, const ElementsOfStep &Elements)
    : Of(Of), DT(DT), B(B) {
  for (Value *V : Of.Elements)
    Copies[V] = Elements.Element;
  for (Value *V : Of.Tested)
    Copies[V] = Elements.OfColumn;
  for (Value *V : Of.OfColumn)
    Copies[V] = Elements.OfColumn;
  for (Value *V : Of.OfRow)
    Copies[V] = Elements.OfRow;
}

Value *SquareStep::stored() { return copy(Of.Store->getValueOperand()); }

Value *SquareStep::isStored() {
  Value *IsStored = isStoredFrom(*Of.First);
  return IsStored == B.getTrue() ? nullptr : IsStored;
}

Value *SquareStep::isLineMade() { return isLineMadeFrom(*Of.InFront); }

Value *SquareStep::copy(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Of.Root->contains(I))
    return V;
  if (Value *Known = Copies.lookup(V))
    return Known;
  if (auto *Phi = dyn_cast<PHINode>(I))
    return Copies[V] = chosenFrom(
               *DT.getNode(Phi->getParent())->getIDom()->getBlock(), *Phi);
  SmallVector<Value *, 4> Operands;
  for (Value *Operand : I->operands())
    Operands.push_back(copy(Operand));
  Instruction *Made = B.Insert(I->clone());
  for (auto [Index, Operand] : enumerate(Operands))
    Made->setOperand(Index, Operand);
  if (Of.HasTests)
    Made->dropPoisonGeneratingFlags();
  return Copies[V] = Made;
}

Value *SquareStep::copyOfInverse(Value *Condition) {
  auto *Compare = dyn_cast<CmpInst>(copy(Condition));
  if (!Compare)
    return B.CreateNot(copy(Condition));
  auto *Inverse = cast<CmpInst>(B.Insert(Compare->clone()));
  Inverse->setPredicate(Compare->getInversePredicate());
  return Inverse;
}

/// The operation on integers that makes \p New of \p Old; null if none does.
static BinaryOperator *changeOf(Value *New, const Value *Old) {
  auto *Changed = dyn_cast<BinaryOperator>(New);
  return Changed && Changed->getType()->isIntegerTy() &&
                 Changed->isCommutative() &&
                 is_contained(Changed->operands(), Old) &&
                 Changed->getOperand(0) != Changed->getOperand(1)
             ? Changed
             : nullptr;
}

/// \p Change of \p Old where \p Condition \p IsTrue: a change by nothing elsewhere, so
/// that it is one of a sum in any case.
Value *SquareStep::chooseChange(Value *Condition, bool IsTrue,
                                BinaryOperator &Change, Value *Old) {
  Value *By = Change.getOperand(Change.getOperand(0) == Old);
  auto Op = Change.getOpcode();
  Constant *Nothing = ConstantExpr::getBinOpIdentity(Op, Change.getType());
  By = IsTrue ? choose(Condition, By, Nothing) : choose(Condition, Nothing, By);
  return B.CreateBinOp(Op, Old, By);
}

/// Null is no matter.
Value *SquareStep::choose(Value *Condition, Value *IfTrue, Value *IfFalse) {
  if (IfTrue == IfFalse || !IfFalse)
    return IfTrue;
  if (!IfTrue)
    return IfFalse;
  Value *Yes = B.getTrue(), *No = B.getFalse();
  if (IfTrue == Yes && IfFalse == No)
    return copy(Condition);
  if (IfTrue == No && IfFalse == Yes)
    return copyOfInverse(Condition);
  if (IfFalse == No)
    return B.CreateAnd(copy(Condition), IfTrue);
  if (IfTrue == No)
    return B.CreateAnd(copyOfInverse(Condition), IfFalse);
  if (BinaryOperator *Change = changeOf(IfTrue, IfFalse))
    return chooseChange(Condition, /*IsTrue=*/true, *Change, IfFalse);
  if (BinaryOperator *Change = changeOf(IfFalse, IfTrue))
    return chooseChange(Condition, /*IsTrue=*/false, *Change, IfTrue);
  return B.CreateSelect(copy(Condition), IfTrue, IfFalse);
}

/// What comes of the branch at the end of \p From. A check is passed.
Value *SquareStep::goOn(BasicBlock &From, EdgeFn Along) {
  auto *End = cast<BranchInst>(From.getTerminator());
  auto To = [&](unsigned Side) -> Value * {
    BasicBlock *Next = End->getSuccessor(Side);
    return DT.dominates(Next, &From) ? nullptr : Along(From, *Next);
  };
  auto IsInside = [&](unsigned Side) {
    return Of.Root->contains(End->getSuccessor(Side));
  };
  if (!End->isConditional())
    return To(0);
  if (IsInside(0) != IsInside(1))
    return To(IsInside(1));
  return choose(End->getCondition(), To(0), To(1));
}

Value *SquareStep::isStoredFrom(BasicBlock &From) {
  if (&From == Of.Store->getParent())
    return B.getTrue();
  Value *IsStored = goOn(
      From, [&](BasicBlock &, BasicBlock &To) { return isStoredFrom(To); });
  return IsStored ? IsStored : B.getFalse();
}

Value *SquareStep::isLineMadeFrom(BasicBlock &From) {
  if (&From == Of.Line)
    return B.getTrue();
  Value *IsMade = goOn(
      From, [&](BasicBlock &, BasicBlock &To) { return isLineMadeFrom(To); });
  return IsMade ? IsMade : B.getFalse();
}

Value *SquareStep::chosenFrom(BasicBlock &From, PHINode &Phi) {
  return goOn(From, [&](BasicBlock &Last, BasicBlock &To) {
    return &To == Phi.getParent() ? copy(Phi.getIncomingValueForBlock(&Last))
                                  : chosenFrom(To, Phi);
  });
}

} // namespace tilesmith
