//===- Likeness.cpp - how much of a product a nest has --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Likeness.h"
#include "Patterns.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Loops of a nest, a bit for each.
using LoopSet = uint64_t;

class LikenessFinder {
public:
  /// If \p FollowStarts, what a counter of integers starts from moves an
  /// element as well: it may be an offset, as in `a[p++]`, or a bound, as in a
  /// triangle.
  LikenessFinder(const Loop &Innermost, bool FollowStarts)
      : Innermost(Innermost), Root(&Innermost), FollowStarts(FollowStarts) {
    for (const Loop *L = &Innermost; L && Loops.size() < MaxLoops;
         L = L->getParentLoop()) {
      Loops[L->getHeader()] = LoopSet(1) << Loops.size();
      Root = L;
    }
  }

  Likeness run() {
    Likeness Best;
    unsigned Tried = 0;
    for (const BasicBlock *BB : Innermost.blocks())
      for (const Instruction &I : *BB)
        for (const Instruction *Product : productsAddedBy(I)) {
          Likeness Found = likenessOf(*Product, I);
          if (Found.isLikely() || ++Tried == MaxTried)
            return Found;
          if (!Best.HasFactors)
            Best = Found;
        }
    return Best;
  }

private:
  static constexpr LoopSet Outer = 2; ///< of two loops
  static constexpr unsigned MaxLoops = 64, MaxTried = 16, MaxSeen = 1024;

  /// The multiplications in what \p I adds: of `k * (a * b)`, both.
  SmallVector<const Instruction *, 2>
  productsAddedBy(const Instruction &I) const {
    SmallVector<const Instruction *, 2> Result;
    if (!isFusedMultiplyAdd(I) && addends(I).empty())
      return Result;
    visitOperands(I, [&](const Instruction &Part) {
      unsigned Opcode = Part.getOpcode();
      if (Opcode == Instruction::Mul || Opcode == Instruction::FMul ||
          isFusedMultiplyAdd(Part))
        Result.push_back(&Part);
      return !isa<LoadInst, PHINode>(Part);
    });
    return Result;
  }

  Likeness likenessOf(const Instruction &Product, const Instruction &Sum) {
    SmallVector<LoopSet, 2> Stores = movesOfStores(Sum);
    Likeness Best;
    for (const LoadInst *A : loadsOf(*Product.getOperand(0)))
      for (const LoadInst *B : loadsOf(*Product.getOperand(1))) {
        if (A == B)
          continue;
        LoopSet OfA = movesOf(*A), OfB = movesOf(*B);
        Likeness Found{true, (OfA & ~OfB) != 0, (OfB & ~OfA) != 0,
                       any_of(Stores, [&](LoopSet OfC) {
                         return (OfA & OfB & ~OfC) != 0;
                       })};
        // One loop may stand for two: its counter is divided.
        if (Loops.size() == 2 && fusedCounter(*Root))
          Found.HasRows = Found.HasColumns = (OfA & OfB & Outer) != 0;
        if (Found.isLikely())
          return Found;
        if (!Best.HasFactors)
          Best = Found;
      }
    return Best;
  }

  /// Calls \p Visit for what \p From is computed of in the nest, which goes on
  /// through what \p Visit returns true for.
  void visitOperands(const Value &From,
                     function_ref<bool(const Instruction &)> Visit) const {
    SmallVector<const Value *, 16> Work{&From};
    SmallPtrSet<const Value *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxSeen) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (I && Root->contains(I) && Seen.insert(I).second && Visit(*I))
        append_range(Work, I->operands());
    }
  }

  SmallVector<const LoadInst *, 2> loadsOf(const Value &Factor) const {
    SmallVector<const LoadInst *, 2> Result;
    visitOperands(Factor, [&](const Instruction &I) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Result.push_back(Load);
      return !isa<LoadInst>(I);
    });
    return Result;
  }

  /// Whether \p I is a phi that goes on from its own value, not one of a value
  /// that is loaded again.
  bool isCarried(const Instruction &I) const {
    bool Result = false;
    if (isa<PHINode>(I) && Loops.contains(I.getParent()))
      for (const Value *Next : cast<PHINode>(I).incoming_values())
        visitOperands(*Next, [&](const Instruction &Part) {
          Result |= &Part == &I;
          return !Result && !isa<LoadInst>(Part);
        });
    return Result;
  }

  /// The loops of which \p Pointer is the counter: they store a value there
  /// that is no constant.
  LoopSet countersAt(const Value &Pointer) const {
    LoopSet Result = 0;
    for (const User *U : Pointer.users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (!Store || Store->getPointerOperand() != &Pointer ||
          isa<Constant>(Store->getValueOperand()) || !Root->contains(Store))
        continue;
      const Loop *L = &Innermost;
      while (L != Root && !L->contains(Store))
        L = L->getParentLoop();
      Result |= Loops.lookup(L->getHeader());
    }
    return Result;
  }

  /// The loops that move the address of \p Access.
  LoopSet movesOf(const Instruction &Access) {
    const Value *Address = getLoadStorePointerOperand(&Access);
    if (auto It = Moves.find(Address); It != Moves.end())
      return It->second;
    LoopSet Result = 0;
    visitOperands(*Address, [&](const Instruction &I) {
      LoopSet Moved = isCarried(I) ? Loops.lookup(I.getParent()) : 0;
      Result |= Moved;
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Result |= countersAt(*Load->getPointerOperand());
      return !Moved || FollowStarts || I.getType()->isPointerTy();
    });
    return Moves[Address] = Result;
  }

  /// For each store that \p Sum leads to, the loops that move it. If there is
  /// none, the sum is used after the nest, and nothing moves.
  SmallVector<LoopSet, 2> movesOfStores(const Instruction &Sum) {
    SmallVector<LoopSet, 2> Result;
    SmallVector<const Instruction *, 16> Work{&Sum};
    SmallPtrSet<const Instruction *, 16> Seen;
    while (!Work.empty() && Seen.size() < MaxSeen) {
      const Instruction *I = Work.pop_back_val();
      if (!Root->contains(I) || !Seen.insert(I).second)
        continue;
      if (isa<StoreInst>(I))
        Result.push_back(movesOf(*I));
      else if (!isa<LoadInst>(I))
        for (const User *U : I->users())
          Work.push_back(cast<Instruction>(U));
    }
    if (Result.empty())
      Result.push_back(0);
    return Result;
  }

  const Loop &Innermost, *Root;
  bool FollowStarts;
  DenseMap<const BasicBlock *, LoopSet> Loops; ///< by their headers
  DenseMap<const Value *, LoopSet> Moves;      ///< by addresses
};

} // namespace

Likeness Likeness::of(const Loop &Innermost) {
  Likeness Found = LikenessFinder(Innermost, /*FollowStarts=*/true).run();
  return Found.isLikely()
             ? Found
             : LikenessFinder(Innermost, /*FollowStarts=*/false).run();
}

} // namespace tilesmith
