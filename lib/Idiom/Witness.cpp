//===- Witness.cpp - sizes for which tests hold ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Witness.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <random>

using namespace llvm;

namespace tilesmith {

/// Attempts with the usual sizes, and of any kind.
static constexpr unsigned UsualAttempts = 8, MaxAttempts = 128;

static void collectNumbers(const SCEV *S, SmallVectorImpl<const Value *> &To) {
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      if (Unknown->getType()->isIntegerTy())
        To.push_back(Unknown->getValue());
    return false;
  });
}

Witness::Witness(ArrayRef<const SCEV *> Counts, ScalarEvolution &SE) : SE(SE) {
  SmallVector<const Value *, 8> OfCounts;
  for (const SCEV *Count : Counts)
    if (Count)
      collectNumbers(Count, OfCounts);
  for (const Value *V : OfCounts)
    Numbers.try_emplace(V, Number{unsigned(Numbers.size()), /*IsExtent=*/true});
}

/// In this attempt; always the same.
uint64_t Witness::valueOf(const Value *V) {
  unsigned Next = Numbers.size();
  auto [Index, IsExtent] =
      Numbers.try_emplace(V, Number{Next, /*IsExtent=*/false}).first->second;
  std::minstd_rand Random(1 + Attempt * 1000 + Index);
  Random.discard(2);
  auto OneOf = [&](ArrayRef<uint64_t> Values) {
    return Values[Random() % Values.size()];
  };
  bool IsUsual = Attempt < UsualAttempts;
  if (IsExtent)
    return IsUsual ? 24 + 8 * (Random() % 5) : OneOf({1, 2, 3, 24, 40, 64});
  return IsUsual ? 1024 * (1 + Random() % 8)
                 : OneOf({0, 1, 2, 8, 40, 64, 1024, 8192});
}

const SCEV *Witness::evaluate(const SCEV *S) {
  SmallVector<const Value *, 8> In;
  collectNumbers(S, In);
  ValueToSCEVMapTy Values;
  for (const Value *V : In)
    Values[V] = SE.getConstant(V->getType(), valueOf(V));
  return SCEVParameterRewriter::rewrite(S, SE, Values);
}

bool Witness::holds(const Requirement &Test) {
  return !SE.isKnownPredicate(CmpInst::getInversePredicate(Test.Predicate),
                              evaluate(Test.X), evaluate(Test.Y));
}

bool Witness::allows(const Requirement &New, ArrayRef<Requirement> Tests) {
  if (holds(New))
    return true;
  unsigned Before = Attempt;
  for (Attempt = 0; Attempt < MaxAttempts; ++Attempt)
    if (holds(New) && all_of(Tests, [&](const Requirement &Test) {
          return CmpInst::isEquality(Test.Predicate) || holds(Test);
        }))
      return true;
  Attempt = Before;
  return false;
}

} // namespace tilesmith
