//===- DeadEnd.cpp - where control cannot go on ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/DeadEnd.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

bool isDeadEnd(const BasicBlock &BB) {
  constexpr unsigned MaxBlocks = 16;
  SmallVector<const BasicBlock *, 8> Work{&BB};
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Work.empty()) {
    const BasicBlock *Next = Work.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    const Instruction *End = Next->getTerminator();
    if (Seen.size() > MaxBlocks ||
        !isa<UnreachableInst, BranchInst, InvokeInst, ResumeInst>(End))
      return false;
    append_range(Work, successors(Next));
  }
  return true;
}

} // namespace tilesmith
