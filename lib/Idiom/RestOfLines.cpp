//===- RestOfLines.cpp - what vectors leave over is fused otherwise -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for j, for l, for i:   c[j][i] += a[l][i] * s[l][j] + b[l][i] * t[l][j]
//
// LLVM makes vectors along i, of which both products are fused, and what these leave
// over of a column, the last n mod 4 iterations, say, is made one by one: there both
// products are a vector of two, and rounded. A trial of LLVM's passes has shown it.
// Then the loop over i is one of rows, or of columns, of C, and the lines of C end as
// the loop does.
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// How many additions of \p L are fused in parts.
static unsigned countParted(const Loop &L) {
  unsigned Count = 0;
  for (const BasicBlock *BB : L.blocks())
    Count += count_if(
        *BB, [](const Instruction &I) { return notedParts(I).has_value(); });
  return Count;
}

/// Rounds the products of \p Update as both parts do, in it and in \p Rest. False if
/// that is not known of each addition, or if they do not agree in where parts end.
static bool roundInParts(Expression &Update, RestOfLines &Rest) {
  SmallSetVector<Value *, 4> Fused[2], Rounded[2];
  bool IsKnown = true;
  Update.contains([&](const Instruction &Add) {
    if (!match(&Add, m_Addition()) || none_of(Add.operands(), mayBeProduct))
      return false;
    std::optional<FusedInParts> Noted = notedParts(Add);
    if (Noted) {
      IsKnown &= !Rest.Step || Rest.Step == Noted->Step;
      Rest.Step = Noted->Step;
    } else if (std::optional<FusedOperand> InBoth = notedFused(Add)) {
      Noted = {*InBoth, *InBoth, 0};
    } else {
      return IsKnown = false;
    }
    const FusedOperand OfParts[] = {Noted->InVectors, Noted->InRest};
    for (auto [Part, Which] : enumerate(OfParts))
      for (Value *Op : Add.operands()) {
        if (!contractable(Op))
          continue;
        bool IsFused = Which != FusedOperand::None &&
                       Add.getOperand(Which == FusedOperand::Second) == Op;
        // A product that is added twice would have to be both.
        Value *Multiply = Update.resolve(Op);
        IsKnown &= Multiply == contractable(Op) &&
                   isUsedOnce(*contractable(Op)) &&
                   !Fused[Part].contains(Multiply) &&
                   !Rounded[Part].contains(Multiply);
        (IsFused ? Fused : Rounded)[Part].insert(Multiply);
      }
    return false;
  });
  if (!IsKnown || !isPowerOf2_32(Rest.Step))
    return false;
  Rest.Update = Update;
  Expression *const OfParts[] = {&Update, &Rest.Update};
  for (auto [Part, Of] : enumerate(OfParts)) {
    Of->Rounded.clear();
    Of->Rounded.insert_range(Rounded[Part]);
  }
  return true;
}

/// Describes the last iterations of the innermost loop, if they are noted as others.
Refused Recognizer::describeRestOfLines() {
  if (!hasNotedParts(In.root()))
    return std::nullopt;
  const Refusal No{Reason::MixedFusion, &Store};
  Contraction &Op = Result.Op;
  const unsigned Last = In.Chain.size() - 1;
  std::optional<Dim> Along;
  for (Dim D : {M, N})
    if (By.Axes[D].size() == 1 && By.Axes[D].front() == Last &&
        dimOf(Last) == D)
      Along = D;
  auto *Step = dyn_cast_or_null<SCEVConstant>(By.COverLoops.Step[Last]);
  uint64_t Size = Store.getDataLayout().getTypeStoreSize(Op.C.ElemTy);
  const Loop &L = In.innermost();
  if (!Along || !Step || Step->getAPInt() != Size ||
      !isFusionNoted(In.root(), /*InParts=*/true) || L.getNumBlocks() != 1 ||
      !L.contains(&Store) || May.Apart || !Op.Outer.empty() ||
      !Op.C.isUnit(*Along, Store.getDataLayout()) || Op.hasPairings() ||
      (Op.Domain && (!Op.Domain->isOfC() || Op.Domain->Parts)))
    return No;
  // All of them are replaced.
  unsigned InUpdate = 0;
  Op.Update.contains([&](const Instruction &I) {
    InUpdate += notedParts(I).has_value();
    return false;
  });
  RestOfLines Rest{*Along, 0, {}};
  if (InUpdate != countParted(In.root()) || !roundInParts(Op.Update, Rest))
    return No;
  Op.Rest = std::move(Rest);
  return std::nullopt;
}

} // namespace tilesmith
