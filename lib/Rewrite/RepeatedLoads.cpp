//===- RepeatedLoads.cpp - values that new code loads again ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedLoads.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p V is loaded from what a parameter points to, and nothing can have written
/// since: \p Pointer, at which it may be loaded again.
static bool isRepeatable(const Value *V, const Instruction *&Pointer) {
  auto *Load = dyn_cast<LoadInst>(V);
  if (!Load || !Load->isSimple())
    return false;
  const Value *Of = Load->getPointerOperand();
  auto *Place = dyn_cast<GetElementPtrInst>(Of);
  if (Place && Place->hasAllConstantIndices())
    Of = Place->getPointerOperand();
  auto *Given = dyn_cast<Argument>(Of);
  Pointer = Place;
  return Given && Given->hasNoAliasAttr() && Given->onlyReadsMemory();
}

void loadAgain(ArrayRef<BasicBlock *> Blocks) {
  BasicBlock &First = *Blocks.front();
  if (none_of(instructions(*First.getParent()),
              [](const Instruction &I) { return notedNest(I); }))
    return;
  auto At = First.getFirstInsertionPt();
  SmallMapVector<Value *, Instruction *, 8> Again;
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *BB)
      for (Use &U : I.operands()) {
        const Instruction *Pointer;
        if (isa<PHINode>(I) || !isRepeatable(U, Pointer) ||
            is_contained(Blocks, cast<LoadInst>(U)->getParent()))
          continue;
        Instruction *&Copy = Again[U];
        if (!Copy) {
          Copy = cast<LoadInst>(U)->clone();
          if (Pointer) {
            Instruction *Place = Pointer->clone();
            Place->insertBefore(First, At);
            Copy->setOperand(0, Place);
          }
          Copy->insertBefore(First, At);
        }
        U = Copy;
      }
}

} // namespace tilesmith
