//===- Sinking.cpp - instructions stand by their first use ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of several moves by far, so that asking LLVM which of two
// comes first would number the block anew each time. Here, it is first decided
// what stays; the rest is then put, each after its operands, in front of what
// stays and needs it first.
//
//===----------------------------------------------------------------------===//

#include "Sinking.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

static bool isPrefetch(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call && Call->getIntrinsicID() == Intrinsic::prefetch;
}

void sinkToFirstUse(BasicBlock &BB) {
  DenseMap<const Instruction *, unsigned> Position;
  for (Instruction &I : BB)
    Position.insert({&I, Position.size()});

  // What moves, with the position of what it will stand in front of.
  DenseMap<const Instruction *, unsigned> Moving;
  unsigned NextWrite = Position.size();
  for (Instruction &I : reverse(BB)) {
    if (isa<PHINode>(I) || I.isTerminator() || isPrefetch(I))
      continue;
    if (I.mayHaveSideEffects()) {
      NextWrite = Position.lookup(&I);
      continue;
    }
    unsigned First = Position.size();
    bool IsLocal = all_of(I.users(), [&](User *U) {
      auto *UserI = cast<Instruction>(U);
      auto Mover = Moving.find(UserI);
      First = std::min(First, Mover == Moving.end() ? Position.lookup(UserI)
                                                    : Mover->second);
      return UserI->getParent() == &BB && !isa<PHINode>(UserI);
    });
    if (!I.use_empty() && IsLocal &&
        !(I.mayReadFromMemory() && NextWrite < First))
      Moving[&I] = First;
  }

  SmallVector<Instruction *> Stack;
  for (Instruction &Stays : BB) {
    if (isa<PHINode>(Stays) || Moving.contains(&Stays))
      continue;
    Stack.push_back(&Stays);
    while (!Stack.empty()) {
      // The operand that stood last may need the others.
      Instruction *I = Stack.back(), *Last = nullptr;
      for (Value *Operand : I->operand_values())
        if (auto *Op = dyn_cast<Instruction>(Operand);
            Op && Moving.contains(Op) &&
            (!Last || Position.lookup(Last) < Position.lookup(Op)))
          Last = Op;
      if (Last) {
        Stack.push_back(Last);
        continue;
      }
      Stack.pop_back();
      if (Moving.erase(I))
        I->moveBefore(Stays.getIterator());
    }
  }
}

} // namespace tilesmith
