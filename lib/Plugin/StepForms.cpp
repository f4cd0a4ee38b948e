//===- StepForms.cpp - values in three loops, by their steps --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepForms.h"
#include "tilesmith/Support/Freeze.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

void StepForm::append(SmallVectorImpl<const SCEV *> &To) const {
  To.push_back(Base);
  copy_if(Step, std::back_inserter(To), [](const SCEV *S) { return S; });
}

const SCEV *StepForms::valueOf(Value *V) const {
  return replaceFreezes(
      SE.getSCEV(V), *Nest[0], SE,
      [&](const FreezeInst &Freeze) { return beforeFreeze(Freeze, SE, DT); });
}

const SCEV *takeSteps(const SCEV *S, ArrayRef<Loop *> Nest,
                      MutableArrayRef<const SCEV *> Step, ScalarEvolution &SE) {
  while (auto *Rec = dyn_cast<SCEVAddRecExpr>(S)) {
    const auto *It = find(Nest, Rec->getLoop());
    if (It == Nest.end())
      break;
    if (!Rec->isAffine())
      return nullptr;
    Step[It - Nest.begin()] = Rec->getStepRecurrence(SE);
    S = Rec->getStart();
  }
  return S;
}

std::optional<StepForm> StepForms::of(Value *V) const {
  StepForm Result;
  Result.Base = takeSteps(valueOf(V), Nest, Result.Step, SE);
  return Result.Base ? std::optional(Result) : std::nullopt;
}

bool CompanionFinder::find() {
  Value *V = Found.Store->getValueOperand();
  std::optional<StepForm> Stored = Forms.of(Found.Store->getPointerOperand());
  if (!Stored || Stored->Step[0] || !Stored->Step[1] || !Stored->Step[2])
    return false;
  Matrix = *Stored;
  Found.Load = dyn_cast<LoadInst>(V);
  if (!Found.Load)
    return takeNumber(*V);
  const Value *Address = Found.Load->getPointerOperand();
  std::optional<StepForm> Read = Forms.of(Found.Load->getPointerOperand());
  if (!Read || Read->Base != Matrix.Base || !Found.Load->isSimple() ||
      !Found.Load->hasOneUse() ||
      Found.Load->getParent() != Found.Store->getParent() ||
      getUnderlyingObject(Address) !=
          getUnderlyingObject(Found.Store->getPointerOperand()))
    return false;
  const SCEV *Row = Matrix.Step[1], *Column = Matrix.Step[2];
  using By = std::array<const SCEV *, 3>;
  Found.Kind = Read->Step == By{Row, nullptr, Column} ? Companion::OfRow
                                                      : Companion::OfColumn;
  return Found.Kind == Companion::OfRow ||
         Read->Step == By{Column, Row, nullptr};
}

/// Whether \p V depends on the number of the step alone.
bool CompanionFinder::takeNumber(Value &V) {
  if (!V.getType()->isIntegerTy())
    return false;
  std::optional<StepForm> Of = Forms.of(&V);
  if (!Of || Of->Step[1] || Of->Step[2])
    return false;
  Found.Kind = Companion::OfStep;
  Number = *Of;
  return true;
}

void CompanionFinder::turn() {
  std::swap(Matrix.Step[1], Matrix.Step[2]);
  if (Found.Kind != Companion::OfStep)
    Found.Kind =
        Found.Kind == Companion::OfRow ? Companion::OfColumn : Companion::OfRow;
}

void CompanionFinder::append(SmallVectorImpl<const SCEV *> &To) const {
  Matrix.append(To);
  if (Found.Kind == Companion::OfStep)
    Number.append(To);
}

Companion
CompanionFinder::expand(function_ref<Value *(const SCEV *)> Expand) const {
  Companion Result = Found;
  Result.Base = Expand(Matrix.Base);
  Result.RowStride = Expand(Matrix.Step[1]);
  Result.ColumnStride = Expand(Matrix.Step[2]);
  if (Found.Kind == Companion::OfStep) {
    Type *Ty = Number.Base->getType();
    Result.First = Expand(Number.Base);
    Result.Next =
        Expand(Number.Step[0] ? Number.Step[0] : Forms.SE.getZero(Ty));
  }
  return Result;
}

} // namespace tilesmith
