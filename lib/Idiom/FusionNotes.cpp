//===- FusionNotes.cpp - what a trial has shown to be fused ---------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/FusionNotes.h"
#include "Patterns.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Metadata of an addition: a FusedOperand, and the number of a nest; if the last
/// iterations are others, theirs, and the step.
static constexpr char FusedMark[] = "tilesmith.fused";

void noteFused(Instruction &Add, FusedOperand Which, unsigned Nest,
               std::optional<FusedInRest> Rest) {
  LLVMContext &Ctx = Add.getContext();
  auto Number = [&](unsigned N) {
    return ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Ctx), N));
  };
  SmallVector<Metadata *, 4> Noted = {Number(unsigned(Which)), Number(Nest)};
  if (Rest)
    Noted.append({Number(unsigned(Rest->Which)), Number(Rest->Step)});
  Add.setMetadata(FusedMark, MDNode::get(Ctx, Noted));
}

void removeFused(Instruction &Add) { Add.setMetadata(FusedMark, nullptr); }

/// Operand \p Op of what is noted at \p Add.
static std::optional<unsigned> noted(const Instruction &Add, unsigned Op) {
  const MDNode *Mark = Add.getMetadata(FusedMark);
  if (!Mark || Op >= Mark->getNumOperands())
    return std::nullopt;
  return mdconst::extract<ConstantInt>(Mark->getOperand(Op))->getZExtValue();
}

std::optional<FusedInParts> notedParts(const Instruction &Add) {
  std::optional<unsigned> First = noted(Add, 0), Rest = noted(Add, 2),
                          Step = noted(Add, 3);
  if (!First || !Rest || !Step)
    return std::nullopt;
  return FusedInParts{FusedOperand(*First), FusedOperand(*Rest), *Step};
}

std::optional<FusedOperand> notedFused(const Instruction &Add) {
  std::optional<unsigned> Which = noted(Add, 0);
  if (!Which || FusedOperand(*Which) == FusedOperand::Unknown ||
      notedParts(Add))
    return std::nullopt;
  return FusedOperand(*Which);
}

bool hasNotedParts(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) { return notedParts(I); });
  });
}

std::optional<unsigned> notedNest(const Instruction &Add) {
  return noted(Add, 1);
}

bool isNotedAsFused(const Instruction &Add, const Value &Op) {
  std::optional<FusedOperand> Which = notedFused(Add);
  return Which && *Which != FusedOperand::None &&
         Add.getOperand(*Which == FusedOperand::Second) == &Op;
}

bool isFusionNoted(const Loop &L, bool InParts) {
  bool HasAny = false;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (!match(&I, m_Addition()) || none_of(I.operands(), mayBeProduct))
        continue;
      HasAny = true;
      if (!notedFused(I) && !(InParts && notedParts(I)))
        return false;
    }
  return HasAny;
}

void fixFused(Instruction &Copy) {
  std::optional<FusedOperand> Which = notedFused(Copy);
  if (!Which)
    return;
  IRBuilder<> Builder(&Copy);
  Builder.setFastMathFlags(Copy.getFastMathFlags());
  bool IsSecond = Which == FusedOperand::Second;
  bool IsMinus = Copy.getOpcode() == Instruction::FSub;
  Value *Op = Copy.getOperand(IsSecond), *Other = Copy.getOperand(!IsSecond);
  if (Which == FusedOperand::None) {
    for (Use &U : Copy.operands())
      if (contractable(U))
        U.set(Builder.CreateArithmeticFence(U, U->getType()));
    return;
  }
  const Instruction *Product = contractable(Op);
  assert(Product && Product->getType() == Copy.getType() &&
         "what is noted as fused is a product");
  Value *X = Product->getOperand(0), *Y = Product->getOperand(1);
  if (IsMinus)
    (IsSecond ? X : Other) = Builder.CreateFNeg(IsSecond ? X : Other);
  Value *Fused =
      Builder.CreateIntrinsic(Intrinsic::fma, {Copy.getType()}, {X, Y, Other});
  Copy.replaceAllUsesWith(Fused);
  Copy.eraseFromParent();
}

} // namespace tilesmith
