//===- Sinking.cpp - instructions next to their first users ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sinking.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

static bool isPrefetch(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getIntrinsicID() == Intrinsic::prefetch;
}

void sinkToFirstUse(BasicBlock &BB) {
  Instruction *NextWrite = nullptr;
  for (Instruction &I : make_early_inc_range(reverse(BB))) {
    if (isa<PHINode>(I) || I.isTerminator() || isPrefetch(I))
      continue;
    if (I.mayHaveSideEffects()) {
      NextWrite = &I;
      continue;
    }
    Instruction *First = nullptr;
    bool IsLocal = all_of(I.users(), [&](User *U) {
      auto *UserI = cast<Instruction>(U);
      if (!First || (UserI != First && UserI->comesBefore(First)))
        First = UserI;
      return UserI->getParent() == &BB && !isa<PHINode>(UserI);
    });
    if (!First || !IsLocal)
      continue;
    if (I.mayReadFromMemory() && NextWrite && NextWrite->comesBefore(First))
      continue;
    I.moveBefore(First->getIterator());
  }
}

} // namespace tilesmith
