//===- Segments.cpp - steps in segments with sums of their own ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i {
//     s = 0;
//     for g {                                    the loop over segments
//       part = 0;
//       for k part += a[i][g][k] * x[g][k];      in integers
//       s += (float)part * scale[i][g] * other[g];
//     }
//     y[i] = s;                                  or s + bias[i]
//   }
//
// The order of the steps in a segment is free, that of the segments must stay.
// Quantised weights are multiplied so.
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// \p Load as an element that rows and segments move, but no steps.
std::optional<Access>
Recognizer::operandOfSegments(LoadInst &Load,
                              SmallVectorImpl<WrapCheck> &Checks,
                              SmallVectorImpl<Requirement> &Needed) const {
  if (!Load.isSimple() || In.innermost().contains(&Load))
    return std::nullopt;
  const SCEV *Address = In.addressOf(Load);
  std::optional<AffineForm> Form;
  if (Address)
    Form = groupedForm(Address, In, In.Chain);
  if (!Form || Form->Row || Form->Chosen || Form->Groups)
    return std::nullopt;
  Needed.append(Form->MustHold);
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Checks.push_back(By.Space.wrapCheck(Sum));
  if (!By.Space.toAxes(*Form) || !isFused(*Form, M) ||
      By.stride(*Form, tilesmith::K))
    return std::nullopt;
  return accessBy(Load, *Form);
}

/// What a row starts from, and what is stored of its \p Sum: of C as it was, and of
/// elements that rows alone move.
bool Recognizer::liftRowOfSegments(Value &Start, const Value &Sum,
                                   SmallVectorImpl<WrapCheck> &Checks) {
  Contraction &Op = Result.Op;
  auto OfStart = [&](const Value &V) {
    return leafOfOthers(V, In.Chain, Op.StartOperands, Checks);
  };
  if (lift(&Start, In, OfStart, Op.Start))
    return false;
  Epilogue Last;
  auto OfStored = [&](const Value &V) {
    return &V == &Sum ? std::optional(Leaf::Sum)
                      : leafOfOthers(V, In.Chain, Last.Operands, Checks);
  };
  if (lift(Store.getValueOperand(), In, OfStored, Last.Value))
    return false;
  if (!Last.uses(Leaf::C) && Last.Operands.empty()) {
    Op.Finish = std::move(Last.Value);
    return true;
  }
  Op.Finish.Root = const_cast<Value *>(&Sum);
  Op.Finish.Leaves[Op.Finish.Root] = Leaf::Sum;
  Op.After = std::move(Last);
  return true;
}

/// What the sums of segments, \p From, go into: the loop around them carries it.
Refused Recognizer::describeSegments(const Update &From) {
  Contraction &Op = Result.Op;
  const Refusal No{Reason::ScaledGroups, From.Sum};
  auto *Part = dyn_cast<PHINode>(From.Carried);
  Value *Zero = Part ? In.incomingFromOutside(*Part) : nullptr;
  if (By.Loops[K].size() != 2 || !By.Space.isPlain() || !In.Guards.empty() ||
      !In.Checks.empty() || In.Zeros || Op.hasPairings() || Op.hasRowTables() ||
      Op.hasMadeFactors() || By.Bordered || !Zero ||
      !match(In.resolve(Zero), m_Zero()))
    return No;
  const Loop &Segments = *In.Chain[By.Loops[K].front()];
  if (Segments.contains(&Store))
    return No;

  SegmentedSum Found;
  Found.PartTy = From.Sum->getType();
  Found.Update = std::move(Op.Update);
  SmallVector<WrapCheck, 2> Checks;
  SmallVector<Requirement, 2> Needed;
  PHINode *Carried = nullptr;
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (&V == Carried)
      return Leaf::Sum;
    if (&V == From.Sum)
      return Leaf::Product;
    auto *Load = dyn_cast<LoadInst>(const_cast<Value *>(&V));
    if (!Load || In.isInvariant(Load))
      return std::nullopt;
    std::optional<Access> X = operandOfSegments(*Load, Checks, Needed);
    if (!X)
      return std::nullopt;
    if (none_of(Found.Operands,
                [&](const FurtherOperand &Of) { return Of.Load == Load; }))
      Found.Operands.push_back({Load, std::move(*X)});
    return Leaf::Further;
  };
  for (PHINode &Phi : Segments.getHeader()->phis())
    if (Phi.getType()->isFloatingPointTy())
      Carried = Carried ? nullptr : &Phi;
  auto *Sum =
      Carried ? dyn_cast<Instruction>(In.incomingFromLatch(*Carried)) : nullptr;
  Op.Update = Expression();
  if (!Sum || lift(Sum, In, Known, Op.Update, mayUpdate) ||
      !Op.Update.uses(Leaf::Sum) || !Op.Update.uses(Leaf::Product))
    return No;

  Op.SumTy = Sum->getType();
  Value *Start = In.incomingFromOutside(*Carried);
  if (!Start || !liftRowOfSegments(*Start, *Sum, Checks))
    return No;
  requireNoWraps(Checks);
  requireAll(Needed);
  Op.Segments = std::move(Found);
  InitMismatch = Refusal{Reason::OtherStore, &Store};
  return checkTypes();
}

} // namespace tilesmith
