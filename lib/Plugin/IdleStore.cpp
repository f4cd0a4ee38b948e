//===- IdleStore.cpp - stores of what is there already --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IdleStore.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The store of a phi of the block in front, if it is all that \p BB does.
static StoreInst *onlyStore(BasicBlock &BB) {
  auto *Store = dyn_cast<StoreInst>(&BB.front());
  auto *Phi = Store ? dyn_cast<PHINode>(Store->getValueOperand()) : nullptr;
  return Phi && Store->isSimple() &&
                 Store->getNextNode() == BB.getTerminator() &&
                 BB.getSingleSuccessor() &&
                 BB.getSinglePredecessor() == Phi->getParent()
             ? Store
             : nullptr;
}

namespace {

/// Follows what is in memory at one address, backwards.
class MemoryValue {
public:
  MemoryValue(Value *Address, Type *Ty, const DominatorTree &DT)
      : Address(Address), Ty(Ty), DT(DT) {}

  /// Whether it is \p V where \p BB ends.
  bool isAtEndOf(Value *V, BasicBlock *BB) {
    constexpr unsigned MaxSeen = 64;
    if (!Seen.insert({V, BB}).second)
      return true; // if the others are
    if (Seen.size() > MaxSeen || !DT.dominates(Address, BB->getTerminator()))
      return false;
    for (Instruction &I : reverse(*BB)) {
      if (&I == Address)
        return false;
      if (getLoadStorePointerOperand(&I) == Address &&
          getLoadStoreType(&I) == Ty) {
        auto *Store = dyn_cast<StoreInst>(&I);
        if (Store || &I == V)
          return !Store || (Store->isSimple() && Store->getValueOperand() == V);
      }
      if (I.mayWriteToMemory() || (&I == V && !isa<PHINode>(I)))
        return false;
    }
    auto *Phi = dyn_cast<PHINode>(V);
    return !pred_empty(BB) && all_of(predecessors(BB), [&](BasicBlock *Pred) {
      return isAtEndOf(Phi && Phi->getParent() == BB
                           ? Phi->getIncomingValueForBlock(Pred)
                           : V,
                       Pred);
    });
  }

private:
  Value *Address;
  Type *Ty;
  const DominatorTree &DT;
  SmallDenseSet<std::pair<Value *, BasicBlock *>, 16> Seen;
};

} // namespace

bool mayHaveIdleStore(const Loop &L) {
  return any_of(L.getOutermostLoop()->blocks(),
                [](BasicBlock *BB) { return onlyStore(*BB); });
}

void dropIdleStores(Loop &Root, const DominatorTree &DT) {
  for (BasicBlock *BB : Root.blocks()) {
    StoreInst *Store = onlyStore(*BB);
    if (!Store)
      continue;
    Value *V = Store->getValueOperand();
    MemoryValue InMemory(Store->getPointerOperand(), V->getType(), DT);
    if (InMemory.isAtEndOf(V, BB->getSinglePredecessor()))
      Store->eraseFromParent();
  }
}

} // namespace tilesmith
