//===- Effects.cpp - what a nest does to memory ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Effects.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Nothing may be left over for the code behind the nest but memory.
Refused checkNoResult(const Nest &In) {
  for (BasicBlock *BB : In.root().blocks())
    for (Instruction &I : *BB)
      for (User *U : I.users())
        if (!In.root().contains(cast<Instruction>(U)))
          return Refusal{Reason::UsedAfter, &I};
  return std::nullopt;
}

/// Whether \p I only tells the optimizer something.
bool isHint(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && !Call->isLifetimeStartOrEnd() &&
         (Call->isAssumeLikeIntrinsic() ||
          Call->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl);
}

Refused addEffect(Instruction &I, Effects &To) {
  if (I.isVolatile() || I.isAtomic())
    return Refusal{Reason::Volatile, &I};
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    To.Stores.push_back(Store);
    return std::nullopt;
  }
  if (auto *MemSet = dyn_cast<MemSetInst>(&I)) {
    To.MemSets.push_back(MemSet);
    return std::nullopt;
  }
  if (isHint(I))
    return std::nullopt;
  // The lifetime of a local variable would begin and end in the fall-back only.
  if (isa<MemIntrinsic>(I) || I.isLifetimeStartOrEnd())
    return Refusal{Reason::OtherStore, &I};
  if (I.mayHaveSideEffects() || (isa<CallBase>(I) && I.mayReadFromMemory()))
    return Refusal{Reason::Call, &I};
  return std::nullopt;
}

} // namespace

std::variant<Effects, Refusal> collectEffects(const Nest &In) {
  if (Refused No = checkNoResult(In))
    return *No;
  Effects Result;
  for (BasicBlock *BB : In.Live)
    for (Instruction &I : *BB)
      if (Refused No = addEffect(I, Result))
        return *No;
  return Result;
}

} // namespace tilesmith
