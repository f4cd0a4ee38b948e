//===- Choice.cpp - one of two numbers ------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/Choice.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

void inlineChoices(Function &F) {
  // One may call another one, which is found once the first is inlined.
  for (SmallVector<CallInst *, 4> Calls;; Calls.clear()) {
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I))
        if (const Function *Callee = Call->getCalledFunction();
            Callee && Callee->hasFnAttribute(ChoiceMark))
          Calls.push_back(Call);
    if (Calls.empty())
      return;
    for (CallInst *Call : Calls) {
      InlineFunctionInfo Info;
      InlineFunction(*Call, Info);
    }
  }
}

} // namespace tilesmith
