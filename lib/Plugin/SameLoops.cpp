//===- SameLoops.cpp - whether loops are the same code --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SameLoops.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// The blocks of \p L as they stand in the function.
SmallVector<const BasicBlock *, 16> blocksOf(const Loop &L) {
  SmallVector<const BasicBlock *, 16> Result;
  for (const BasicBlock &BB : *L.getHeader()->getParent())
    if (L.contains(&BB))
      Result.push_back(&BB);
  return Result;
}

/// Pairs the values of two functions.
class Comparison {
public:
  /// Pairs what is in two loops. False if that is not alike at first sight.
  bool pair(const Loop &X, const Loop &Y);
  /// Whether all that is paired is the same.
  bool isSame();

private:
  bool areSame(const Value *X, const Value *Y);
  bool areSameOutside(const Instruction &X, const Instruction &Y);
  bool areSamePhis(const PHINode &X, const PHINode &Y);
  bool areSameInstructions(const Instruction &X, const Instruction &Y);
  /// Pairs both, unless one of them has another partner.
  bool pair(const Value *X, const Value *Y) {
    return Partner.try_emplace(X, Y).first->second == Y &&
           Reverse.try_emplace(Y, X).first->second == X;
  }

  DenseMap<const Value *, const Value *> Partner, Reverse;
  SmallVector<const Instruction *, 64> Inside;
};

bool Comparison::pair(const Loop &X, const Loop &Y) {
  auto OfX = blocksOf(X), OfY = blocksOf(Y);
  if (OfX.size() != OfY.size())
    return false;
  for (auto [BX, BY] : zip_equal(OfX, OfY)) {
    if (BX->size() != BY->size() || !pair(BX, BY))
      return false;
    for (const auto &[IX, IY] : zip_equal(*BX, *BY)) {
      if (!pair(&IX, &IY))
        return false;
      Inside.push_back(&IX);
    }
  }
  return true;
}

bool Comparison::isSame() {
  return all_of(Inside, [&](const Instruction *X) {
    return areSameInstructions(*X, *cast<Instruction>(Partner.lookup(X)));
  });
}

/// \p V as it is in front of the loops: what is frozen there has the same value.
static const Value *withoutFreeze(const Value *V) {
  auto *Frozen = dyn_cast<FreezeInst>(V);
  return Frozen ? withoutFreeze(Frozen->getOperand(0)) : V;
}

bool Comparison::areSame(const Value *X, const Value *Y) {
  if (!Partner.contains(X))
    X = withoutFreeze(X);
  if (!Reverse.contains(Y))
    Y = withoutFreeze(Y);
  if (X->getType() != Y->getType())
    return false;
  if (auto It = Partner.find(X); It != Partner.end())
    return It->second == Y;
  if (isa<BasicBlock>(X))
    return isa<BasicBlock>(Y) && !Reverse.contains(Y);
  if (auto *Given = dyn_cast<Argument>(X))
    return isa<Argument>(Y) &&
           Given->getArgNo() == cast<Argument>(Y)->getArgNo();
  if (auto *Global = dyn_cast<GlobalValue>(X))
    return isa<GlobalValue>(Y) && Global->getName() == Y->getName();
  auto *IX = dyn_cast<Instruction>(X), *IY = dyn_cast<Instruction>(Y);
  if (!IX || !IY)
    return X == Y;
  return pair(X, Y) && areSameOutside(*IX, *IY);
}

bool Comparison::areSameOutside(const Instruction &X, const Instruction &Y) {
  if (X.getOpcode() != Y.getOpcode())
    return false;
  if (isa<PHINode, LoadInst, CallBase, AllocaInst>(X))
    return true;
  return X.isSameOperationAs(&Y) && X.hasSameSubclassOptionalData(&Y) &&
         all_of(zip_equal(X.operands(), Y.operands()), [&](const auto &Ops) {
           return areSame(std::get<0>(Ops), std::get<1>(Ops));
         });
}

/// Both may name their blocks in another order.
bool Comparison::areSamePhis(const PHINode &X, const PHINode &Y) {
  if (X.getNumIncomingValues() != Y.getNumIncomingValues())
    return false;
  for (const BasicBlock *From : X.blocks()) {
    const Value *In = X.getIncomingValueForBlock(From);
    const BasicBlock *Other = nullptr;
    if (auto It = Partner.find(From); It != Partner.end())
      Other = cast<BasicBlock>(It->second);
    for (const BasicBlock *Candidate : Y.blocks())
      if (!Other && !Reverse.contains(Candidate))
        Other = Candidate;
    if (!Other || Y.getBasicBlockIndex(Other) < 0 ||
        !areSame(In, Y.getIncomingValueForBlock(Other)))
      return false;
  }
  return true;
}

bool Comparison::areSameInstructions(const Instruction &X,
                                     const Instruction &Y) {
  // What is used once may be fused.
  if (X.getOpcode() != Y.getOpcode() || X.getType() != Y.getType() ||
      !X.hasSameSubclassOptionalData(&Y) || X.hasOneUse() != Y.hasOneUse())
    return false;
  if (auto *Phi = dyn_cast<PHINode>(&X))
    return areSamePhis(*Phi, cast<PHINode>(Y));
  return X.isSameOperationAs(&Y) &&
         all_of(zip_equal(X.operands(), Y.operands()), [&](const auto &Ops) {
           return areSame(std::get<0>(Ops), std::get<1>(Ops));
         });
}

} // namespace

bool areSameLoops(ArrayRef<const Loop *> X, ArrayRef<const Loop *> Y) {
  if (X.size() != Y.size())
    return false;
  Comparison Both;
  for (auto [LX, LY] : zip_equal(X, Y))
    if (!Both.pair(*LX, *LY))
      return false;
  return Both.isSame();
}

} // namespace tilesmith
