//===- TruthReasons.cpp - products of truth values ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TruthReasons.h"
#include "Movers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The loops that end in the innermost one, with what they do to truth values.
class TruthFinder {
public:
  TruthFinder(const Loop &Innermost, ScalarEvolution &SE) : SE(SE) {
    const Loop *L = &Innermost;
    for (unsigned N = 0; N < 3 && L; ++N, L = L->getParentLoop())
      Nest.push_back(L);
  }

  const Instruction *find() {
    if (Nest.size() < 3 || !findElements() || !isProduct())
      return nullptr;
    return isMadeOfTruthValues() ? Store : nullptr;
  }

private:
  /// Whether only loads, and stores to one element of integers, use memory.
  bool findElements() {
    for (const BasicBlock *BB : Nest.back()->blocks())
      for (const Instruction &I : *BB) {
        auto *Stored = dyn_cast<StoreInst>(&I);
        if (Stored && (!Stored->getValueOperand()->getType()->isIntegerTy() ||
                       (Store && addressOf(*Stored) != addressOf(*Store))))
          return false;
        if (Stored)
          Stores.push_back(Store = Stored);
        else if (auto *Load = dyn_cast<LoadInst>(&I))
          Loads.push_back(Load);
        else if (I.mayReadOrWriteMemory())
          return false;
      }
    return Store;
  }

  const SCEV *addressOf(const Instruction &I) {
    return SE.getSCEV(const_cast<Value *>(getLoadStorePointerOperand(&I)));
  }

  /// The loops that move an element, a bit for each.
  unsigned movesOf(const Instruction &I) {
    unsigned Result = 0;
    for (unsigned N = 0; N < Nest.size(); ++N)
      if (isMovedBy(addressOf(I), *Nest[N]))
        Result |= 1u << N;
    return Result;
  }

  /// Whether C, A and B are each moved by two of the loops.
  bool isProduct() {
    const unsigned OfC = movesOf(*Store);
    SmallSetVector<unsigned, 3> Others;
    for (const LoadInst *Load : Loads)
      if (addressOf(*Load) != addressOf(*Store))
        Others.insert(movesOf(*Load));
    auto HasTwo = [](unsigned Moves) { return popcount(Moves) == 2; };
    return HasTwo(OfC) && Others.size() == 2 && all_of(Others, HasTwo) &&
           !Others.contains(OfC);
  }

  /// Whether \p I asks an element of integers whether it is some constant.
  static bool isTest(const Instruction &I) {
    auto IsElement = [](const Value *V) {
      while (isa<CastInst, FreezeInst>(V))
        V = cast<Instruction>(V)->getOperand(0);
      return isa<LoadInst>(V);
    };
    if (auto *Compare = dyn_cast<ICmpInst>(&I))
      return Compare->isEquality() && isa<Constant>(Compare->getOperand(1)) &&
             IsElement(Compare->getOperand(0));
    return isa<TruncInst>(I) && I.getType()->isIntegerTy(1) &&
           IsElement(I.getOperand(0));
  }

  /// Such as one by which a loop is left once there is nothing more to find.
  static bool isTestOfElement(const Value &V) {
    auto *I = dyn_cast<Instruction>(&V);
    return I && isTest(*I);
  }

  /// Whether what is stored, and whether it is, is made of such tests, of elements
  /// and constants, without arithmetic.
  bool isMadeOfTruthValues() {
    SmallSetVector<const Value *, 16> Made;
    for (const StoreInst *Stored : Stores)
      Made.insert(Stored->getValueOperand());
    for (const BasicBlock *BB : Nest.back()->blocks())
      if (auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
          Br && Br->isConditional() &&
          (!endsLoop(*BB) || isTestOfElement(*Br->getCondition())))
        Made.insert(Br->getCondition());
    bool HasTest = false;
    for (unsigned N = 0; N < Made.size(); ++N) {
      auto *I = dyn_cast<Instruction>(Made[N]);
      if (!I || isa<LoadInst>(I) || !Nest.back()->contains(I))
        continue;
      if (!isa<ICmpInst, SelectInst, PHINode, FreezeInst, ZExtInst, SExtInst,
               TruncInst>(I) &&
          !I->isBitwiseLogicOp())
        return false;
      HasTest |= isTest(*I);
      Made.insert_range(I->operands());
    }
    return HasTest;
  }

  bool endsLoop(const BasicBlock &BB) const {
    return any_of(Nest, [&](const Loop *L) {
      return L->contains(&BB) && L->isLoopExiting(&BB);
    });
  }

  ScalarEvolution &SE;
  SmallVector<const Loop *, 3> Nest; ///< from the innermost one outwards
  const StoreInst *Store = nullptr;
  SmallVector<const StoreInst *, 2> Stores;
  SmallVector<const LoadInst *, 4> Loads;
};

} // namespace

const Instruction *storeOfTruthValues(const Loop &Innermost,
                                      ScalarEvolution &SE) {
  return TruthFinder(Innermost, SE).find();
}

} // namespace tilesmith
