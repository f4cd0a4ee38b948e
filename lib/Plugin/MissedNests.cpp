//===- MissedNests.cpp - the nests that are left alone --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MissedNests.h"
#include "Driver.h"
#include "PartialSum.h"
#include "ProtectedLoops.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

//===-- Replaced nests ----------------------------------------------------===//

void ReplacedNests::add(const DebugLoc &Start, const Loop *LeftOver) {
  Starts.push_back(Start);
  if (LeftOver)
    StartsInRests.push_back(LeftOver->getStartLoc());
}

bool ReplacedNests::isReplacedInRest(const Loop &L) const {
  DebugLoc Start = L.getStartLoc();
  return Start && isInFallback(L) && is_contained(StartsInRests, Start);
}

bool ReplacedNests::isVersionOfReplaced(const Loop &L) const {
  DebugLoc Start = L.getOutermostLoop()->getStartLoc();
  return isInFallback(L) || (Start && is_contained(Starts, Start));
}

//===-- What is worth telling ---------------------------------------------===//

/// The outermost of the three loops that end in \p L, or of two.
static const Loop &nestOf(const Loop &L) {
  const Loop &Steps = *L.getParentLoop();
  return Steps.getParentLoop() ? *Steps.getParentLoop() : Steps;
}

/// Whether loops are refused for what they do to something else's sum, or
/// before anything is known of a product in them.
static bool isAboutLoops(Reason Why) {
  return is_contained({Reason::NoUpdate, Reason::VaryingScalar, Reason::Branch,
                       Reason::ConditionalLoad, Reason::BoundVaries,
                       Reason::TwoDiagonals, Reason::RowSetBefore,
                       Reason::UnknownTripCount, Reason::ExtraLoop,
                       Reason::EarlyExit, Reason::UsedAfter},
                      Why);
}

/// Whether loops are certainly of a kin of products.
static bool isOfKin(Reason Why) {
  return is_contained({Reason::Band, Reason::ScaledGroups, Reason::Convolution,
                       Reason::ThreeFactors, Reason::TwoOrders,
                       Reason::BestStep},
                      Why);
}

/// What is left of a nest is worth telling only if it is a product of its
/// own, not the last iterations of the loop that was replaced. Likewise two
/// loops, of which one might stand for two, or which multiply a vector.
static bool isWorthTelling(const Loop &L, const WhyNot &No, const WhyNot &Told,
                           bool IsLeftOver) {
  if (L.getLoopDepth() < MinChainLength) {
    bool MayBeTwo = fusedCounter(*L.getParentLoop()).has_value();
    return (MayBeTwo && !isAboutLoops(Told.Why) &&
            Told.Why != Reason::NotProduct) ||
           (!MayBeTwo && !IsLeftOver && Told.Why != Reason::NotProduct &&
            Likeness::of(L).isLikelyVector());
  }
  return !IsLeftOver || !isAboutLoops(No.Why);
}

/// Whether no other candidate is in the same nest.
bool MissedNests::isAlone(const Loop &L) const {
  return none_of(Candidates, [&](const Loop *Other) {
    return Other != &L && Other->getOutermostLoop() == L.getOutermostLoop();
  });
}

/// Whether another product ends in a loop beside \p L, or beside the one around it:
/// one of the two may be what the other one, unrolled by hand, leaves over.
bool MissedNests::isBesideOther(const Loop &L) const {
  return any_of(Candidates, [&](const Loop *Other) {
    return Other != &L && &nestOf(*Other) == &nestOf(L);
  });
}

/// Whether another candidate is in another version of the nest, as LLVM makes them
/// of a test that does not change in it.
bool MissedNests::isVersionOfOther(const Loop &L) const {
  DebugLoc Start = nestOf(L).getStartLoc();
  return Start && any_of(Candidates, [&](const Loop *Other) {
           return &nestOf(*Other) != &nestOf(L) &&
                  nestOf(*Other).getStartLoc() == Start;
         });
}

/// Whether something has been told of the nest.
bool MissedNests::isTold(const Loop &L) const {
  return is_contained(ToldNests, nestOf(L).getStartLoc());
}

/// Whether another candidate of the same nest may be a product of matrices.
bool MissedNests::isBesideMatrices(const Loop &L) const {
  return any_of(Candidates, [&](const Loop *Other) {
    return Other != &L && Other->getLoopDepth() >= MinChainLength &&
           Other->getOutermostLoop() == L.getOutermostLoop();
  });
}

/// Whether it is a matrix times a vector, of which the reason may not be true: it
/// was found where matrices were looked for, or beside other products.
bool MissedNests::isVagueOfVector(const Loop &L, const WhyNot &Told) const {
  return Opts.Remarks != RemarkLevel::All && Likeness::of(L).isLikelyVector() &&
         (is_contained({Reason::IndexRoles, Reason::VaryingScalar}, Told.Why) ||
          isBesideMatrices(L));
}

//===-- Telling -----------------------------------------------------------===//

/// Whether the user has been told of the nest when its innermost loops were about to
/// be unrolled, of which \p L may have been made again.
static bool isToldBefore(const Loop &L) {
  const Loop *Around = L.getParentLoop();
  return tilesmith::isTold(L) || (Around && tilesmith::isTold(*Around));
}

void MissedNests::tell(const Loop &L, const WhyNot &No) {
  if (isToldBefore(L))
    return;
  ToldNests.push_back(nestOf(L).getStartLoc());
  remarkMissed(L, No, Opts, Log, ORE);
}

void MissedNests::tellProduct(const Loop &L, const WhyNot &No, StringRef What) {
  if (isToldBefore(L))
    return;
  ToldNests.push_back(nestOf(L).getStartLoc());
  remarkProductMissed(L, No, Log, ORE, What);
}

void MissedNests::tellUnplanned(const Loop &L, const WhyNot &No,
                                StringRef What) {
  if (No.Why == Reason::TooSmall && (isBesideOther(L) || isVersionOfOther(L)))
    OfRests.push_back({&L, No});
  else
    tellProduct(L, No, What);
}

/// What was found in a copy of \p L, brought into shape, says more; what is added
/// to a sum that is no product's, too.
WhyNot MissedNests::moreOf(const Loop &L, const WhyNot &No) const {
  auto It = InOtherShape.find(&L);
  bool IsKnown =
      is_contained({Reason::Sparse, Reason::Band, Reason::RowBefore}, No.Why);
  const WhyNot &Told = It != InOtherShape.end() && !IsKnown ? It->second : No;
  if (Told.Why != Reason::IndexRoles)
    return Told;
  if (const Instruction *Added = partialSumInOrder(L, DT))
    return WhyNot::of({Reason::PartialSum, Added});
  if (const Instruction *Taken = groupInOtherSum(L))
    return WhyNot::of({Reason::ScaledGroups, Taken});
  if (const Instruction *Taken = sumInOtherSum(L))
    return WhyNot::of({Reason::InnerSum, Taken});
  return Told;
}

void MissedNests::explain(const Loop &L, const WhyNot &No, bool IsLeftOver) {
  WhyNot Told = moreOf(L, No);
  // Of steps that are made several at a time, and those left over, the first tells.
  bool IsOfRest =
      is_contained({Reason::SumInParts, Reason::BoundVaries}, Told.Why) ||
      (Told.Why == Reason::SumTile && isTold(L));
  if (IsOfRest && isBesideOther(L)) {
    OfRests.push_back({&L, Told});
    return;
  }
  if (Told.Why == Reason::ScaledGroups && L.getLoopDepth() < MinChainLength)
    return; // One row is a scalar product.
  if (!IsLeftOver && isOfKin(Told.Why))
    return tellProduct(L, Told, "sum of products not replaced: ");
  if (!IsLeftOver && Told.Why == Reason::Mask &&
      PossibleProducts::of(L).Matrices)
    return tellProduct(L, Told);
  if (!IsLeftOver &&
      (Told.Why == Reason::TruthValues ||
       (Told.Why == Reason::NarrowSum && PossibleProducts::of(L).Matrices)))
    return tellProduct(L, Told, "pairwise reduction not replaced: ");
  if (!IsLeftOver && Told.Why == Reason::Sparse &&
      L.getLoopDepth() < MinChainLength)
    return tellProduct(L, Told, "product of a sparse matrix not replaced: ");
  bool IsRankUpdate = !IsLeftOver && Told.Why == Reason::RankUpdate;
  if (!IsRankUpdate &&
      (!isWorthTelling(L, No, Told, IsLeftOver) || isVagueOfVector(L, Told)))
    return;
  if (IsRankUpdate || Told.Why == Reason::NoUpdate)
    WithoutUpdate.push_back({&L, Told});
  else
    tell(L, Told);
}

void MissedNests::note(const Loop &L, const WhyNot &No, bool IsLeftOver) {
  if (IsLeftOver || isAlone(L))
    explain(L, No, IsLeftOver);
  else
    Refused.emplace_back(&L, No);
}

void MissedNests::tellRest(const ReplacedNests &Replaced) {
  for (const auto &[L, No] : Refused)
    if (!Replaced.isReplacedInRest(*L))
      explain(*L, No, /*IsLeftOver=*/false);
  // A loop may add the first steps to a sum with which a product goes on: of
  // what is left of that one's nest, it makes a product, too.
  for (const auto &[L, No] : WithoutUpdate)
    if (No.Why == Reason::RankUpdate && !Replaced.isVersionOfReplaced(*L))
      tellProduct(*L, No, "rank update not replaced: ");
    else if (No.Why == Reason::NoUpdate && !isInFallback(*L))
      tell(*L, No);
  for (const auto &[L, No] : OfRests)
    if (!Replaced.isVersionOfReplaced(*L) && !isTold(*L))
      tell(*L, No);
}

} // namespace tilesmith
