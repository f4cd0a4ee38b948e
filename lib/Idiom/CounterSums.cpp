//===- CounterSums.cpp - addresses that are sums of counters --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CounterSums.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace llvm;

namespace tilesmith {

//===-- Counters ----------------------------------------------------------===//

/// The comparison that \p L ends with; null if it ends otherwise.
static const ICmpInst *lastTest(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  auto *Br = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  return Br && Br->isConditional() ? dyn_cast<ICmpInst>(Br->getCondition())
                                   : nullptr;
}

static int64_t bytesOfStep(const Instruction &I) {
  auto *Step = dyn_cast<GetElementPtrInst>(&I);
  return Step ? I.getDataLayout()
                    .getTypeAllocSize(Step->getSourceElementType())
                    .getKnownMinValue()
              : 1;
}

bool CounterSums::isStep(const Instruction &I) const {
  return (I.getOpcode() == Instruction::Add ||
          (isa<GetElementPtrInst>(I) && I.getNumOperands() == 2)) &&
         Root.isLoopInvariant(I.getOperand(1));
}

/// The counter that \p V is, perhaps one step further.
std::optional<CounterSums::Counter>
CounterSums::counterOf(const Value &V) const {
  auto *Phi = dyn_cast<PHINode>(&V);
  if (auto *Next = dyn_cast<Instruction>(&V); !Phi && Next && isStep(*Next))
    Phi = dyn_cast<PHINode>(Next->getOperand(0));
  if (!Phi || Phi->getNumIncomingValues() != 2)
    return std::nullopt;
  const Loop *L = &Innermost;
  while (L->getHeader() != Phi->getParent())
    if (std::exchange(L, L->getParentLoop()) == &Root)
      return std::nullopt;
  for (unsigned FromLatch : {0, 1}) {
    auto *Next = dyn_cast<Instruction>(Phi->getIncomingValue(FromLatch));
    if (Next && isStep(*Next) && Next->getOperand(0) == Phi)
      return Counter{Phi, Phi->getIncomingValue(1 - FromLatch),
                     Next->getOperand(1), bytesOfStep(*Next)};
  }
  return std::nullopt;
}

//===-- Ends of loops -----------------------------------------------------===//

bool CounterSums::hasFixedEnds(const Loop &L) const {
  const ICmpInst *Test = lastTest(L);
  return Test && any_of(ArrayRef<unsigned>({0, 1}), [&](unsigned I) {
           auto Of = counterOf(*Test->getOperand(I));
           return Of && Root.isLoopInvariant(Of->Start) &&
                  Root.isLoopInvariant(Test->getOperand(1 - I));
         });
}

bool CounterSums::isRectangle() {
  if (!Rectangle) {
    Rectangle = true;
    for (const Loop *L = &Innermost; L; L = L->getParentLoop())
      Rectangle = *Rectangle && hasFixedEnds(*L);
  }
  return *Rectangle;
}

uint64_t CounterSums::mostSteps() const {
  const ICmpInst *Test = lastTest(Innermost);
  for (unsigned I : {0, 1})
    if (auto Of = Test ? counterOf(*Test->getOperand(I)) : std::nullopt) {
      const auto *First = dyn_cast<ConstantInt>(Of->Start);
      const auto *Last = dyn_cast<ConstantInt>(Test->getOperand(1 - I));
      return First && Last && isa<ConstantInt>(Of->Step) &&
                     First->getBitWidth() == Last->getBitWidth() &&
                     First->getBitWidth() <= 64
                 ? AbsoluteDifference(First->getSExtValue(),
                                      Last->getSExtValue()) +
                       1
                 : 0;
    }
  return 0;
}

//===-- Sums of counters --------------------------------------------------===//

static StepLength multiply(StepLength X, StepLength Y) {
  int64_t Result;
  return X && Y && !MulOverflow(*X, *Y, Result) ? StepLength(Result)
                                                : std::nullopt;
}

static StepLength constant(const Value &V) {
  auto *C = dyn_cast<ConstantInt>(&V);
  return C ? C->getValue().trySExtValue() : std::nullopt;
}

const std::optional<CounterSum> &CounterSums::sumOf(const LoadInst &Load) {
  auto [Known, IsNew] = Sums.try_emplace(&Load);
  CounterSum Sum;
  if (IsNew && addToSum(*Load.getPointerOperand(), /*Length=*/1, Sum))
    Known->second = Sum;
  return Known->second;
}

/// \p V, which is counted in units of \p Length, is added to \p Sum.
bool CounterSums::addToSum(const Value &V, StepLength Length, CounterSum &Sum,
                           unsigned Depth) const {
  constexpr unsigned MaxDepth = 16;
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || !Root.contains(I))
    return true;
  if (Depth > MaxDepth)
    return false;
  if (isa<PHINode>(I)) {
    auto Of = counterOf(*I);
    return Of && Root.isLoopInvariant(Of->Start) &&
           Sum.try_emplace(I->getParent(),
                           multiply(Length, multiply(Of->BytesOfStep,
                                                     constant(*Of->Step))))
               .second;
  }
  auto Add = [&](const Value *Part, StepLength Times = 1) {
    return addToSum(*Part, multiply(Length, Times), Sum, Depth + 1);
  };
  const Value *X = I->getOperand(0);
  switch (I->getOpcode()) {
  case Instruction::GetElementPtr: {
    const DataLayout &DL = I->getDataLayout();
    APInt Offset(DL.getIndexTypeSizeInBits(X->getType()), 0);
    SmallMapVector<Value *, APInt, 4> Indices;
    return cast<GEPOperator>(I)->collectOffset(DL, Offset.getBitWidth(),
                                               Indices, Offset) &&
           Add(X) && all_of(Indices, [&](const auto &Index) {
             return Add(Index.first, Index.second.trySExtValue());
           });
  }
  case Instruction::Add:
    return Add(X) && Add(I->getOperand(1));
  case Instruction::Sub:
    return Add(X) && Add(I->getOperand(1), -1);
  case Instruction::SExt:
  case Instruction::ZExt:
    return Add(X);
  case Instruction::Shl: {
    StepLength Bits = constant(*I->getOperand(1));
    return Bits && *Bits >= 0 && *Bits < 63 && Add(X, INT64_C(1) << *Bits);
  }
  case Instruction::Mul:
    for (unsigned Factor : {0, 1})
      if (Root.isLoopInvariant(I->getOperand(Factor)))
        return Add(I->getOperand(1 - Factor), constant(*I->getOperand(Factor)));
    return false;
  default:
    return false;
  }
}

} // namespace tilesmith
