//===- Outcome.cpp - which way a branch goes ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Outcome.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;

namespace tilesmith {

static constexpr char HintName[] = "tilesmith.outcome";

std::optional<bool> outcomeOf(const BranchInst &Br) {
  if (!Br.isConditional())
    return std::nullopt;
  if (auto *Known = dyn_cast<ConstantInt>(Br.getCondition()))
    return Known->isOne();
  const MDNode *Hint = Br.getMetadata(HintName);
  auto *Holds = Hint && Hint->getNumOperands() == 1
                    ? mdconst::dyn_extract<ConstantInt>(Hint->getOperand(0))
                    : nullptr;
  return Holds ? std::optional(!Holds->isZero()) : std::nullopt;
}

void setOutcomeHint(BranchInst &Br, bool Holds) {
  LLVMContext &Ctx = Br.getContext();
  Br.setMetadata(HintName,
                 MDNode::get(Ctx, ConstantAsMetadata::get(
                                      ConstantInt::getBool(Ctx, Holds))));
}

} // namespace tilesmith
