//===- Fusion.cpp - where the bits depend on what is fused ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Fusion.h"
#include "FusionPatterns.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

bool isContractable(const Instruction &I) {
  return I.getOpcode() == Instruction::FMul && I.hasAllowContract() &&
         !I.hasAllowReassoc() && mayFuseProducts(*I.getFunction());
}

const Instruction *contractable(const Value *V) {
  const Instruction *Product;
  return match(V, m_Contractable(m_Instruction(Product))) ? Product : nullptr;
}

bool multiplyTheSame(const Instruction &X, const Instruction &Y) {
  return X.isSameOperationAs(&Y) &&
         match(&Y, m_c_BinOp(m_Specific(X.getOperand(0)),
                             m_Specific(X.getOperand(1))));
}

bool isUsedOnce(const Instruction &Product) {
  return Product.hasOneUse() &&
         none_of(*Product.getParent(), [&](const Instruction &I) {
           return &I != &Product && multiplyTheSame(Product, I);
         });
}

bool inOneBlock(const Instruction &X, const Instruction &Y) {
  const BasicBlock *To = Y.getParent();
  while (To != X.getParent()) {
    const BasicBlock *Pred = To->getSinglePredecessor();
    if (!Pred || Pred->getSingleSuccessor() != To)
      return false;
    To = Pred;
  }
  return true;
}

bool mayBeProduct(const Value *V) {
  auto *Phi = dyn_cast<PHINode>(V);
  return contractable(V) ||
         (Phi && any_of(Phi->incoming_values(), [](const Use &U) {
            return contractable(U) != nullptr;
          }));
}

bool addsTwoProducts(const Loop &L) {
  return hasMatch(L, m_Addition(m_Contractable(), m_Contractable()));
}

bool addsProductsInTurn(const Loop &L) {
  return L.getNumBlocks() == 1 &&
         none_of(L.getHeader()->phis(),
                 [](const PHINode &Phi) {
                   return Phi.getType()->isFloatingPointTy();
                 }) &&
         hasMatch(L, m_Addition(m_Contractable(),
                                m_Addition(m_Contractable(), m_Value())));
}

SmallVector<const Use *, 4> roundedUses(const Loop &L) {
  SmallVector<const Use *, 4> Result;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (!match(&I, m_Addition()) || notedFused(I))
        continue;
      bool IsFused = false;
      for (const Use &U : I.operands()) {
        if (!mayBeProduct(U))
          continue;
        const Instruction *Product = contractable(U);
        if (IsFused || !Product || !inOneBlock(*Product, I))
          Result.push_back(&U);
        // With other uses, it is not the first choice.
        else
          IsFused = isUsedOnce(*Product);
      }
    }
  return Result;
}

void keepRounded(const Loop &L, ValueToValueMapTy &Copies) {
  for (const Use *U : roundedUses(L)) {
    auto *Source = cast<Instruction>(U->getUser());
    auto *User = dyn_cast_or_null<Instruction>(Copies.lookup(Source));
    if (!User || !User->isSameOperationAs(Source))
      continue;
    Use &Copied = User->getOperandUse(U->getOperandNo());
    IRBuilder<> Builder(User);
    Copied.set(Builder.CreateArithmeticFence(Copied, Copied->getType()));
  }
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      auto *Copy = dyn_cast_or_null<Instruction>(Copies.lookup(&I));
      if (notedFused(I) && Copy && Copy->isSameOperationAs(&I))
        fixFused(*Copy);
    }
}

/// Whether \p X and \p Y, in two arms of a branch, are one value when LLVM has
/// moved what both compute in front of it.
static bool areOneInFront(const Value *X, const Value *Y, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8;
  if (X == Y)
    return true;
  auto *I = dyn_cast<Instruction>(X), *J = dyn_cast<Instruction>(Y);
  return I && J && Depth < MaxDepth && !isa<PHINode>(I) &&
         I->isSameOperationAs(J) &&
         all_of(
             zip_equal(I->operands(), J->operands()),
             [&](const auto &Ops) {
               return areOneInFront(std::get<0>(Ops), std::get<1>(Ops),
                                    Depth + 1);
             });
}

bool mayLeaveArm(const BranchInst &Br) {
  if (!Br.isConditional())
    return false;
  for (unsigned Side : {0, 1}) {
    const BasicBlock *Arm = Br.getSuccessor(Side),
                     *Other = Br.getSuccessor(1 - Side);
    if (Arm->getSinglePredecessor() != Br.getParent())
      continue;
    for (const Instruction &I : *Arm)
      for (const Value *Op : I.operands()) {
        const Instruction *Product =
            match(&I, m_Addition()) ? contractable(Op) : nullptr;
        if (Product && Product->getParent() == Arm &&
            any_of(*Other, [&](const Instruction &Same) {
              return areOneInFront(&Same, Product);
            }))
          return true;
      }
  }
  return false;
}

} // namespace tilesmith
