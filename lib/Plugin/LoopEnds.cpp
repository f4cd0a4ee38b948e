//===- LoopEnds.cpp - where loops that run backwards end ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopEnds.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// The branch at the only exit of \p L, if it compares by less or greater.
static BranchInst *relationalExit(const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  auto *Br = Latch && L.getExitingBlock() == Latch
                 ? dyn_cast<BranchInst>(Latch->getTerminator())
                 : nullptr;
  auto *Test = Br ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  return Test && Test->isRelational() && Test->hasOneUse() ? Br : nullptr;
}

/// What the counter that \p Test compares becomes, by a step of one.
static BinaryOperator *nextOf(const ICmpInst &Test, const Loop &L) {
  for (PHINode &Counter : L.getHeader()->phis()) {
    auto *Next = dyn_cast<BinaryOperator>(
        Counter.getIncomingValueForBlock(L.getLoopLatch()));
    if (!Next || Next->getOpcode() != Instruction::Add ||
        Next->getOperand(0) != &Counter || Next->hasNoUnsignedWrap() ||
        !match(Next->getOperand(1), m_CombineOr(m_One(), m_AllOnes())))
      continue;
    if (is_contained(Test.operands(), Next) ||
        is_contained(Test.operands(), &Counter))
      return Next;
  }
  return nullptr;
}

static std::optional<LoopEnd> knownEnd(const Loop &L, ScalarEvolution &SE) {
  BranchInst *Br = relationalExit(L);
  const SCEV *Count = Br ? SE.getBackedgeTakenCount(&L) : nullptr;
  if (!Count || isa<SCEVCouldNotCompute>(Count))
    return std::nullopt;
  BinaryOperator *Next = nextOf(*cast<ICmpInst>(Br->getCondition()), L);
  auto *Sum = Next ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Next)) : nullptr;
  if (!Sum || Sum->getLoop() != &L || !Sum->isAffine())
    return std::nullopt;
  auto *End = dyn_cast<SCEVConstant>(Sum->evaluateAtIteration(Count, SE));
  // It must not be the number behind the last one.
  if (!End || End->getAPInt().isMaxSignedValue() ||
      End->getAPInt().isMinSignedValue())
    return std::nullopt;
  return LoopEnd{Br, Next, End->getValue()};
}

SmallVector<LoopEnd, 4> knownEnds(Loop &Nest, ScalarEvolution &SE) {
  SmallVector<LoopEnd, 4> Ends;
  for (Loop *L : Nest.getLoopsInPreorder())
    if (L->isInnermost() && SE.getSmallConstantTripCount(L) == 0)
      if (std::optional<LoopEnd> End = knownEnd(*L, SE))
        Ends.push_back(*End);
  return Ends;
}

void endAt(ArrayRef<LoopEnd> Ends) {
  for (const LoopEnd &Of : Ends) {
    // The counter's block is the header of the loop.
    auto *Counter = cast<PHINode>(Of.Next->getOperand(0));
    bool GoesOn = Of.Branch->getSuccessor(0) == Counter->getParent();
    IRBuilder<> B(Of.Branch);
    Value *Old = Of.Branch->getCondition();
    Of.Branch->setCondition(B.CreateICmp(
        GoesOn ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, Of.Next, Of.End));
    RecursivelyDeleteTriviallyDeadInstructions(Old);
  }
}

/// Adds what is known of integers where \p Condition is \p Holds.
static void addKnown(Value *Condition, bool Holds,
                     SmallVectorImpl<KnownTest> &Known) {
  constexpr unsigned MaxTests = 32;
  Value *X, *Y;
  if (Known.size() >= MaxTests)
    return;
  if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
            : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))) {
    addKnown(X, Holds, Known);
    addKnown(Y, Holds, Known);
  } else if (auto *Test = dyn_cast<ICmpInst>(Condition);
             Test && Test->getOperand(0)->getType()->isIntegerTy()) {
    Known.push_back({Test, Holds});
  }
}

SmallVector<KnownTest, 4> testsInFront(const Loop &Nest) {
  constexpr unsigned MaxBlocks = 32;
  SmallVector<KnownTest, 4> Result;
  const BasicBlock *To = Nest.getHeader(), *From = Nest.getLoopPredecessor();
  for (unsigned I = 0; From && I < MaxBlocks; ++I) {
    auto *Br = dyn_cast<BranchInst>(From->getTerminator());
    if (Br && Br->isConditional() && Br->getSuccessor(0) != Br->getSuccessor(1))
      addKnown(Br->getCondition(), Br->getSuccessor(0) == To, Result);
    To = From;
    From = From->getSinglePredecessor();
  }
  return Result;
}

void assumeInFront(const Loop &Nest, ArrayRef<KnownTest> Tests,
                   AssumptionCache &Assumptions) {
  BasicBlock *Front = Nest.getLoopPredecessor();
  if (!Front)
    return;
  IRBuilder<> B(Front->getTerminator());
  for (const KnownTest &Of : Tests) {
    Value *Holds =
        Of.Holds ? Of.Test
                 : B.CreateICmp(Of.Test->getInversePredicate(),
                                Of.Test->getOperand(0), Of.Test->getOperand(1));
    if (!isa<Constant>(Holds))
      Assumptions.registerAssumption(
          cast<AssumeInst>(B.CreateAssumption(Holds)));
  }
}

} // namespace tilesmith
