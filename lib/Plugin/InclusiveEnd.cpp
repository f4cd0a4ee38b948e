//===- InclusiveEnd.cpp - ranges that include their end -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InclusiveEnd.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

struct InclusiveEnd {
  BranchInst *Latch;
  Value *IsAtEnd; ///< the counter is not less than the end
  Instruction *Next;
  Value *Counter;
};

std::optional<InclusiveEnd> inclusiveEnd(const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch();
  auto *Branch = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  Value *First, *Second;
  if (!Branch || !Branch->isConditional() ||
      L.contains(Branch->getSuccessor(0)) ||
      !match(Branch->getCondition(),
             m_LogicalOr(m_Value(First), m_Value(Second))))
    return std::nullopt;
  Value *Counter, *End;
  CmpPredicate AtEnd, Beyond;
  Instruction *Next;
  if (!match(First, m_ICmp(AtEnd, m_Value(Counter), m_Value(End))) ||
      !match(Second, m_ICmp(Beyond, m_Instruction(Next), m_Specific(End))) ||
      !L.isLoopInvariant(End) || !ICmpInst::isGE(AtEnd) ||
      Beyond != ICmpInst::getStrictPredicate(AtEnd) ||
      !match(Next,
             m_c_Add(m_Specific(Counter), m_ZExt(m_Not(m_Specific(First))))))
    return std::nullopt;
  auto *Phi = dyn_cast<PHINode>(Counter);
  bool IsCounter = Phi && Phi->getParent() == L.getHeader() &&
                   Phi->getIncomingValueForBlock(Latch) == Next &&
                   all_of(Next->users(), [&](const User *U) {
                     return U == Phi || U == Second;
                   });
  return IsCounter ? std::optional(InclusiveEnd{Branch, First, Next, Counter})
                   : std::nullopt;
}

} // namespace

bool hasInclusiveEnd(const Loop &L) { return inclusiveEnd(L).has_value(); }

void countBeyondEnd(Loop &L) {
  std::optional<InclusiveEnd> Found = inclusiveEnd(L);
  if (!Found)
    return;
  // Behind the end, it might wrap; nobody looks at it then.
  IRBuilder<> B(Found->Next);
  Value *Next = B.CreateAdd(Found->Counter,
                            ConstantInt::get(Found->Counter->getType(), 1));
  Value *Condition = Found->Latch->getCondition();
  Found->Latch->setCondition(Found->IsAtEnd);
  RecursivelyDeleteTriviallyDeadInstructions(Condition);
  Found->Next->replaceAllUsesWith(Next);
  RecursivelyDeleteTriviallyDeadInstructions(Found->Next);
}

} // namespace tilesmith
