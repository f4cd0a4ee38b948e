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
// Complex numbers are adjacent along i, too, and each of their parts has an update of
// its own, of which maybe only one has parts. PartJoiner brings them together.
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

/// How many additions of a nest are fused in parts, all of them in \p Inner, and in what
/// is left over of which step. Nothing if there are others: loops that stay must not
/// have any.
struct PartedAdditions {
  unsigned Count = 0, Step = 0;
};
static std::optional<PartedAdditions> findParted(const Loop &Nest,
                                                 const Loop &Inner) {
  PartedAdditions Found;
  for (const BasicBlock *BB : Nest.blocks())
    for (const Instruction &I : *BB)
      if (std::optional<FusedInParts> Noted = notedParts(I)) {
        if (!Inner.contains(BB) || (Found.Count++ && Found.Step != Noted->Step))
          return std::nullopt;
        Found.Step = Noted->Step;
      }
  return Found;
}

/// Whether \p E has an addition that is fused in parts.
static bool hasParted(const Expression &E) {
  bool Has = false;
  E.contains([&](const Instruction &I) {
    Has |= notedParts(I).has_value();
    return Has;
  });
  return Has;
}

/// Rounds the products of \p Update as both parts do, in it and in \p Rest. False if
/// that is not known of each addition.
static bool roundInParts(Expression &Update, RestOfLines &Rest) {
  SmallSetVector<Value *, 4> Fused[2], Rounded[2];
  bool IsKnown = true;
  Update.contains([&](const Instruction &Add) {
    if (!match(&Add, m_Addition()) || none_of(Add.operands(), mayBeProduct))
      return false;
    std::optional<FusedInParts> Noted = notedParts(Add);
    std::optional<FusedOperand> InBoth = notedFused(Add);
    if (!Noted && InBoth)
      Noted = {*InBoth, *InBoth, Rest.Step};
    if (!Noted)
      return IsKnown = false;
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
  const bool IsPartOfNumber = Step && Step->getAPInt() == 2 * Size;
  std::optional<PartedAdditions> Parted = findParted(In.root(), L);
  if (!Along || !Step || !(Step->getAPInt() == Size || IsPartOfNumber) ||
      !isFusionNoted(In.root(), /*InParts=*/true) || L.getNumBlocks() != 1 ||
      !L.contains(&Store) || May.Apart || !Op.Outer.empty() ||
      !Op.C.isStep(*Along, IsPartOfNumber ? 2 * Size : Size) ||
      Op.hasPairings() ||
      (Op.Domain && (!Op.Domain->isOfC() || Op.Domain->Parts)) || !Parted)
    return No;
  // All of them are replaced, and nothing else is fused in parts.
  unsigned InUpdate = 0;
  Op.Update.contains([&](const Instruction &I) {
    InUpdate += notedParts(I).has_value();
    return false;
  });
  bool HasOther = any_of(Op.expressions(), [&](const Expression *E) {
    return E != &Op.Update && hasParted(*E);
  });
  RestOfLines Rest{*Along, Parted->Step, {}, std::nullopt};
  if ((IsPartOfNumber ? !Parted->Count : InUpdate != Parted->Count) ||
      HasOther || !roundInParts(Op.Update, Rest))
    return No;
  Op.Rest = std::move(Rest);
  return std::nullopt;
}

} // namespace tilesmith
