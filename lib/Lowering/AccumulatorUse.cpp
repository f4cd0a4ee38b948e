//===- AccumulatorUse.cpp - whether a group is for accumulators -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix unit makes the products of a group if it knows their types, all of
// them may be fused, and the sums can stay in accumulators in the loops that
// add to them.
//
//===----------------------------------------------------------------------===//

#include "AccumulatorTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

/// What the elements of \p Product are, if they are groups.
std::optional<NarrowProduct>
AccumulatorTiles::getGroups(const MatrixProduct &Product) const {
  auto Found = Group.InGroups.find(Product.Call);
  if (Found == Group.InGroups.end())
    return std::nullopt;
  return Found->second.first.Types;
}

/// Whether all of \p Product may be fused, in \p Result, which is itself or the
/// addition that it joins.
static bool mayFuse(const MatrixProduct &Product, const Instruction &Result) {
  if (&Result == Product.Call && Product.Inner == 1)
    return true;
  return Product.Call->hasAllowContract() && Result.hasAllowContract();
}

/// The products that the unit may make; false if there are none, or not all
/// alike. Others are made as without it.
bool AccumulatorTiles::findProducts() {
  for (auto [I, C] : Group.Members) {
    std::optional<MatrixProduct> Product = MatrixProduct::match(I);
    if (!Product)
      continue;
    Instruction *Result = I;
    if (I->hasOneUse() && Group.contains(I->user_back()))
      if (auto Joined = getJoinedProduct(*I->user_back());
          Joined && Joined->Call == I)
        Result = I->user_back();
    if (I->getType() != Group.getSeed().getType())
      continue;
    std::optional<NarrowProduct> Groups = getGroups(*Product);
    if (Groups) {
      if (!Products.empty() && IsTransposed != Unit.isTransposed(*Groups))
        return false;
      IsTransposed = Unit.isTransposed(*Groups);
    } else if (!Unit.multiplies(I->getType()->getScalarType()) ||
               !mayFuse(*Product, *Result)) {
      continue;
    }
    Columns = Product->Columns;
    Products.insert({Result, *Product});
    Factors.insert(Groups ? Group.InGroups.find(I)->second.first.A
                          : Product->A);
  }
  return !Products.empty();
}

/// Sums, and phis of sums.
void AccumulatorTiles::findHeld() {
  for (auto &[I, Product] : Products)
    Held.insert(I);
  for (unsigned I = 0; I != Held.size(); ++I)
    for (User *U : Held[I]->users())
      if (auto *Phi = dyn_cast<PHINode>(U);
          Phi && Group.Members.lookup(Phi) == Cut::Columns &&
          Group.contains(Phi))
        Held.insert(Phi);
}

/// Whether sums would have to be moved in a loop all along which they could
/// be held.
bool AccumulatorTiles::movesInLoop(const LoopInfo &LI) const {
  SmallPtrSet<Loop *, 4> Loops;
  for (Instruction *I : Held)
    if (isa<PHINode>(I) && LI.isLoopHeader(I->getParent()))
      Loops.insert(LI.getLoopFor(I->getParent()));
  auto IsInLoop = [&](BasicBlock *BB) {
    return any_of(Loops, [&](Loop *L) { return L->contains(BB); });
  };
  for (Instruction *I : Held) {
    for (User *U : I->users())
      if (!isHeld(U) &&
          IsInLoop(Group.contains(U) ? cast<Instruction>(U)->getParent()
                                     : I->getParent()))
        return true;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      for (auto [Incoming, BB] : zip(Phi->incoming_values(), Phi->blocks()))
        if (!isHeld(Incoming) && IsInLoop(BB))
          return true;
    } else if (Products.lookup(I).Call != I && IsInLoop(I->getParent()) &&
               none_of(I->operand_values(),
                       [&](Value *V) { return isHeld(V); })) {
      return true;
    }
  }
  return false;
}

bool AccumulatorTiles::isSuited() {
  // Fewer columns leave half of an accumulator idle, or more; but of groups,
  // nothing else makes products.
  if (!findProducts() ||
      (Group.InGroups.empty() && 2 * Columns <= Unit.Columns) ||
      any_of(Column, [&](Piece P) { return P.Lanes > lanes(); }))
    return false;
  findHeld();
  DominatorTree DT(F);
  LoopInfo LI(DT);
  bool IsInLoop = any_of(Held, [&](Instruction *I) {
    return isa<PHINode>(I) && LI.isLoopHeader(I->getParent());
  });
  if (Column.size() * columnGroups() > Unit.Accumulators) {
    // A few accumulators after the other.
    Held.clear();
    if (IsInLoop)
      return false;
  }
  if (IsInLoop)
    return !movesInLoop(LI);
  // Moving sums takes as long as a few steps.
  constexpr unsigned FewSteps = 4;
  unsigned Steps = 0;
  for (auto &[I, Product] : Products)
    Steps += getGroups(Product) ? 1 : Product.Inner;
  HasProducts = true; // Loads move down to them.
  return Steps >= (Held.empty() ? Products.size() : 1) * FewSteps;
}

} // namespace tilesmith
