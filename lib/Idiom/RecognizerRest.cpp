//===- RecognizerRest.cpp - what a nest does besides one product ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "ComplexParts.h"
#include "Recognizer.h"
#include "Recurrence.h"
#include "Reroll.h"
#include "Rest.h"
#include "ZeroGuard.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// Whether \p Rest is nothing but what is stored outside of all loops over k.
bool Recognizer::isOutsideSteps(const RestOfNest &Rest) const {
  const Loop &Steps = *In.Chain[By.Loops[K].front()];
  return Rest.OtherSide.empty() && Rest.Results.empty() &&
         none_of(Rest.Writes, [&](const Instruction *Write) {
           return Steps.contains(Write);
         });
}

/// Whether what tells which steps are made are elements of factors, or what these are
/// made of. Then nothing else is stored there, and a copy of the loops tells it again.
bool Recognizer::isToldByFactors(const ZeroGuard &Zeros) const {
  SmallPtrSet<const SCEV *, 8> Elements;
  for (const Access *X : Result.Op.accesses())
    if (X != &Result.Op.C && !X->IsMade)
      Elements.insert(In.addressOf(*X->Inst));
  for (const Making *Of : Result.Op.makings())
    if (Of)
      for (const FurtherOperand &Each : Of->Operands)
        Elements.insert(In.addressOf(*Each.X.Inst));
  Elements.erase(nullptr);
  return all_of(Zeros.Tests, [&](const ZeroComparison &Test) {
    return Elements.contains(In.addressWhereRun(*Test.Load));
  });
}

/// Whether \p Write sets what an operand consists of, be it forgotten afterwards.
bool Recognizer::isForOperand(const Instruction &Write) const {
  ScalarEvolution &SE = In.Analyses->SE;
  auto *Copy = dyn_cast<MemIntrinsic>(&Write);
  const Value *To = Copy ? Copy->getRawDest() : getPointerOperand(&Write);
  if (!To)
    return true;
  const SCEV *Array = SE.getPointerBase(SE.getSCEV(const_cast<Value *>(To)));
  return any_of(Result.Op.allAccesses(), [&](const Access *X) {
    return X != &Result.Op.C && SE.getPointerBase(X->Base) == Array;
  });
}

/// Makes one update of copies that somebody has unrolled, or of the parts of
/// numbers.
Refused Recognizer::joinCopies(ArrayRef<Nest> Copies) {
  if (!May.Apart && !Result.Source.HasStepBefore && mayRoll())
    rollCopies(Result, Copies, In.Analyses->SE);
  if (mayJoinParts(Copies))
    joinParts(Result, Copies, In.Analyses->SE);
  if (May.Vector && In.Zeros && Result.Op.isComplex())
    return Refusal{Reason::Branch, In.Zeros->Branch};
  if (Refused No = checkNumbers())
    return No;
  return checkOtherSums(Copies);
}

/// Writes that no loops of their own can do.
Refused Recognizer::checkWrites(ArrayRef<Instruction *> Writes) const {
  for (const Instruction *Write : In.MayBreakBuffers)
    if (is_contained(Writes, Write))
      return Refusal{Reason::OtherStore, Write};
  for (const Instruction *Write : Writes)
    if (storesChangesOnly(*Write))
      return Refusal{Reason::Branch, Write};
  return checkWritesAtBorders(Writes);
}

/// Without what nobody reads afterwards.
std::variant<RestOfNest, Refusal> Recognizer::findRest() {
  RestOfNest Rest{{}, All.OtherSide, All.ComputedResults};
  for (Instruction *Write : All.writes())
    if (Write != &Store && !is_contained(Result.Source.Absorbed, Write))
      Rest.Writes.push_back(Write);
  if (Refused No = checkWrites(Rest.Writes))
    return *No;
  bool HasInitialisation =
      any_of(Result.Source.Absorbed, [&](Instruction *Write) {
        return In.bordersAround(*Write).empty();
      });
  Result.Tests.StoresNeedStep =
      By.Space.IsGathered || (!In.bordersAround(Store).empty() &&
                              !By.Space.DomainIsTested && !HasInitialisation);
  if (all_of(Rest.Writes,
             [&](Instruction *I) {
               return isForgotten(*I, In) && !isForOperand(*I);
             }) &&
      Rest.OtherSide.empty() && Rest.Results.empty()) {
    append_range(Result.Source.Absorbed, Rest.Writes);
    Rest.Writes.clear();
  }
  return Rest;
}

/// What the description has that other work in the nest would not leave as it
/// is, or that loops of their own cannot have.
Refused Recognizer::checkBesideRest(const RestOfNest &Rest) const {
  if (!Result.Op.Outer.empty() && In.Zeros)
    return Refusal{Reason::IndexRoles, &Store};
  bool HasRest = !Rest.empty();
  // No copy of the nest may make loads that the source leaves out.
  if (HasRest || !Result.Source.Initials.empty())
    for (const Access *X : Result.Op.accesses())
      if (isLoadedUnderCondition(*X->Inst))
        return Refusal{Reason::Branch, X->Inst};
  // The sums of a C that is turned by numbers are stored as they are.
  const auto &After = Result.Op.After;
  bool IsTurned = Result.Op.C.Parts && After && After->Value.isLeaf(Leaf::Sum);
  bool IsHalf = Result.Op.Domain && Result.Op.Domain->Parts;
  bool IsOfNest =
      After && !IsTurned &&
      ((After->isOfNumbers() && !IsHalf) || After->StoresChangesOnly);
  if (HasRest &&
      (IsOfNest || (Result.Op.Domain && !Result.Op.StartOperands.empty())))
    return Refusal{Reason::OtherStore,
                   Rest.Writes.empty() ? &Store : Rest.Writes.front()};
  if (Refused No = checkCalls(HasRest))
    return No;
  for (const Access *X : Result.Op.accesses())
    if (X->IsSymmetric && (HasRest || In.Zeros || Result.Op.hasRowTables()))
      return Refusal{Reason::NotAffine, X->Inst};
  ArrayRef<InitialValue> Initials = Result.Source.Initials;
  if (!Initials.empty() && HasRest && !May.Saved)
    return Refusal{Reason::VaryingScalar,
                   cast<Instruction>(Initials.front().Value)};
  if (HasRest || !Initials.empty())
    return checkCopiedExits();
  return std::nullopt;
}

/// Copies of the nest pass the checks in front of which control comes, but also
/// have the blocks where it never comes.
Refused Recognizer::checkCopiedExits() const {
  if (const Instruction *Exit = exitOffPath())
    return Refusal{Reason::EarlyExit, Exit};
  return std::nullopt;
}

/// Where the nest is left off the product's way; null if it is not.
const Instruction *Recognizer::exitOffPath() const {
  for (BasicBlock *BB : In.root().blocks())
    if (!In.Live.contains(BB) && any_of(successors(BB), [&](BasicBlock *To) {
          return !In.root().contains(To);
        }))
      return BB->getTerminator();
  return nullptr;
}

/// Why there is no contraction if \p Rest has no place.
Refusal Recognizer::whyRestMatters(const RestOfNest &Rest) const {
  if (!Rest.Writes.empty()) {
    Refusal Why = *InitMismatch;
    ScalarEvolution &SE = In.Analyses->SE;
    // SE is not const-correct.
    auto *Other = dyn_cast<StoreInst>(const_cast<Instruction *>(Why.Where));
    if (Other && SE.getPointerBase(SE.getSCEV(Other->getPointerOperand())) !=
                     SE.getPointerBase(Result.Op.C.Base))
      Why.Why = Reason::OtherStore;
    return Why;
  }
  if (ArrayRef<InitialValue> Initials = Result.Source.Initials;
      !Initials.empty())
    return {Reason::VaryingScalar, cast<Instruction>(Initials.front().Value)};
  if (!Rest.OtherSide.empty())
    return {Reason::Branch, In.Guards.front().Branch};
  if (!Rest.Results.empty())
    return {Reason::UsedAfter, Rest.Results.front()};
  return {Reason::OtherStore};
}

/// Rows that are set first might be read with their new values.
Refused Recognizer::checkSavedRows(const RestOfNest &Rest) const {
  if (May.Saved && !Result.Source.Absorbed.empty() && !StartsInRows)
    return Refusal{Reason::Recurrence, Result.Source.Absorbed.front()};
  if (ReadsOwnRow && !Rest.Writes.empty())
    return Refusal{Reason::Recurrence, Rest.Writes.front()};
  if (May.Saved && !Rest.OtherSide.empty())
    return Refusal{Reason::Recurrence, Rest.OtherSide.front()};
  return std::nullopt;
}

/// Finds a place for \p Rest, before the product or after it.
Refused Recognizer::place(const RestOfNest &Rest, const Refusal &Why) {
  if (!Rest.empty()) {
    if (any_of(Result.Op.Outer, [](const Index &I) { return !I.isBatch(); }))
      return Refusal{Reason::IndexRoles, Why.Where};
    if (Result.Op.C.Rows)
      return Refusal{Reason::RowTable, Why.Where};
    if (In.Zeros && !May.Saved && !isOutsideSteps(Rest) &&
        !(Rest.OtherSide.empty() && Rest.Results.empty() &&
          isToldByFactors(*In.Zeros)))
      return Refusal{Reason::Branch, In.Zeros->Branch};
    if (Result.Source.HasStepBefore)
      return Refusal{Reason::OtherStore, Why.Where};
    findScalarLoopsOfRest();
  }
  describeTransposed();
  if (Refused No = placeRest(In, Rest, By, Why, Result))
    return No;
  if (Refused No = collectInvariantLoads())
    return No;
  // The other side may write what invariant loads read.
  for (Instruction *Write : Rest.OtherSide)
    for (LoadInst *Load : Result.Tests.InvariantLoads)
      if (In.mayWrite(*Write, *Load))
        return Why;
  return std::nullopt;
}

std::variant<Nest, Refusal> Recognizer::complete(ArrayRef<Nest> Copies) {
  for (const Instruction *Marker : All.Lifetimes)
    if (!isForgotten(*Marker, In))
      return Refusal{Reason::OtherStore, Marker};
  if (Refused No = joinCopies(Copies))
    return *No;
  if (May.Apart)
    return completeApart();
  // The copies are tested by the first one's element.
  for (Term &T : Result.Op.Terms)
    for (Access *X : {&T.A, &T.B})
      if (X->Zeros && !Result.Op.C.Copies.empty())
        X->Zeros->SkippedAreIdle = false;
  auto MaybeRest = findRest();
  if (auto *No = std::get_if<Refusal>(&MaybeRest))
    return *No;
  const RestOfNest &Rest = std::get<RestOfNest>(MaybeRest);
  if (Refused No = checkBesideRest(Rest))
    return *No;
  if (Refused No = checkSavedRows(Rest))
    return *No;
  if (Refused No = place(Rest, whyRestMatters(Rest)))
    return *No;
  if (Rest.empty())
    packSavedFirst();
  queryAliases();
  if (Refused No = findInPlace())
    return *No;
  if (Refused No = refuseRecurrence(Result, In.Analyses->SE))
    return *No;
  return std::move(Result);
}

} // namespace tilesmith
