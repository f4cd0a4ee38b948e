//===- RemainderTest.cpp - tests of remainders ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemainderTest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

static void collectOrs(Value *V, SmallVectorImpl<Value *> &Into) {
  Value *X, *Y;
  if (match(V, m_Or(m_Value(X), m_Value(Y)))) {
    collectOrs(X, Into);
    collectOrs(Y, Into);
  } else {
    Into.push_back(V);
  }
}

std::optional<RemainderTest> remainderTest(Instruction &I) {
  auto *Compare = dyn_cast<ICmpInst>(&I);
  if (!Compare || !Compare->isEquality() ||
      !match(Compare->getOperand(1), m_Zero()))
    return std::nullopt;
  RemainderTest Test{Compare, {}};
  Value *Rem = Compare->getOperand(0), *X;
  const APInt *Mask;
  if (match(Rem, m_And(m_Value(X), m_APInt(Mask)))) {
    APInt Low = *Mask;
    Test.HasSign = Low.isNegative();
    Low.clearSignBit();
    if (!Low.isMask() || Low.getActiveBits() >= 32)
      return std::nullopt;
    if (Test.HasSign)
      Test.Of.push_back(X);
    else
      collectOrs(X, Test.Of);
    Test.Constant = Low.getZExtValue() + 1;
  } else if (match(Rem, m_CombineOr(m_SRem(m_Value(X), m_Value(Test.By)),
                                    m_URem(m_Value(X), m_Value(Test.By))))) {
    Test.Of.push_back(X);
    if (auto *Known = dyn_cast<ConstantInt>(Test.By)) {
      if (!Known->getValue().isStrictlyPositive() ||
          Known->getValue().getActiveBits() > 32)
        return std::nullopt;
      Test.Constant = Known->getZExtValue();
      Test.By = nullptr;
    }
  } else {
    return std::nullopt;
  }
  return Test;
}

std::optional<Division> division(Instruction &I) {
  unsigned Opcode = I.getOpcode();
  if (Opcode != Instruction::SDiv && Opcode != Instruction::UDiv &&
      Opcode != Instruction::AShr && Opcode != Instruction::LShr)
    return std::nullopt;
  bool IsShift = I.isShift();
  Division Result;
  Result.Of = I.getOperand(0);
  Result.IsUnsigned =
      Opcode == Instruction::UDiv || Opcode == Instruction::LShr;
  auto *Known = dyn_cast<ConstantInt>(I.getOperand(1));
  if (!Known) {
    Result.By = I.getOperand(1);
    return IsShift ? std::nullopt : std::optional(Result);
  }
  if (!Known->getValue().isStrictlyPositive() || Known->getValue().ugt(31))
    return std::nullopt;
  Result.Constant =
      IsShift ? uint64_t(1) << Known->getZExtValue() : Known->getZExtValue();
  return Result;
}

OtherIteration::OtherIteration(const Loop &L, ArrayRef<RemainderTest> Tests)
    : L(L), Tests(Tests) {
  SmallVector<const BasicBlock *, 16> ToDo{L.getHeader()};
  while (!ToDo.empty()) {
    const BasicBlock *BB = ToDo.pop_back_val();
    if (!Live.insert(BB).second)
      continue;
    for (const BasicBlock *Next : successors(BB))
      if (L.contains(Next) && Next != L.getHeader() && isTaken(BB, Next))
        ToDo.push_back(Next);
  }
}

bool OtherIteration::isIdle(function_ref<bool(PHINode &)> IsCounter) {
  bool Stores = any_of(Live, [](const BasicBlock *BB) {
    return any_of(*BB,
                  [](const Instruction &I) { return I.mayWriteToMemory(); });
  });
  return !Stores && Live.contains(L.getLoopLatch()) &&
         all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
           Visited.clear();
           return IsCounter(Phi) ||
                  resolve(Phi.getIncomingValueForBlock(L.getLoopLatch())) ==
                      &Phi;
         });
}

/// What \p Condition is, if that is known.
std::optional<bool> OtherIteration::known(Value *Condition) const {
  if (auto *Constant = dyn_cast<ConstantInt>(Condition))
    return Constant->isOne();
  for (const RemainderTest &Test : Tests)
    if (Test.Compare == Condition)
      return !Test.isTrueIfZero();
  Value *X, *Y;
  if (match(Condition, m_Not(m_Value(X)))) {
    std::optional<bool> Is = known(X);
    return Is ? std::optional(!*Is) : std::nullopt;
  }
  bool IsOr = match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)));
  if (IsOr || match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y))))
    for (Value *V : {X, Y})
      if (std::optional<bool> Is = known(V); Is && *Is == IsOr)
        return IsOr;
  return std::nullopt;
}

bool OtherIteration::isTaken(const BasicBlock *From,
                             const BasicBlock *To) const {
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  if (!Branch || Branch->isUnconditional())
    return true;
  std::optional<bool> Is = known(Branch->getCondition());
  return !Is || Branch->getSuccessor(!*Is) == To;
}

/// What \p V is, in the same iteration; null for a value that goes round.
Value *OtherIteration::resolve(Value *V) {
  if (auto *Choice = dyn_cast<SelectInst>(V))
    if (std::optional<bool> Is = known(Choice->getCondition()))
      return resolve(*Is ? Choice->getTrueValue() : Choice->getFalseValue());
  auto *Phi = dyn_cast<PHINode>(V);
  if (!Phi || !L.contains(Phi) || Phi->getParent() == L.getHeader())
    return V;
  if (!Visited.insert(Phi).second)
    return nullptr;
  Value *Common = nullptr;
  for (auto [Incoming, From] :
       zip_equal(Phi->incoming_values(), Phi->blocks())) {
    if (!Live.contains(From) || !isTaken(From, Phi->getParent()))
      continue;
    Value *Is = resolve(Incoming);
    if (!Is)
      continue;
    if (Common && Is != Common)
      return Phi;
    Common = Is;
  }
  return Common;
}

} // namespace tilesmith
