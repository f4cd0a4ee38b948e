//===- Recognizer.cpp - what one store computes ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "Buffers.h"
#include "ComplexParts.h"
#include "NaNTest.h"
#include "Recurrence.h"
#include "Reroll.h"
#include "Rest.h"
#include "ZeroGuard.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

std::variant<Nest, Refusal> Recognizer::describe() {
  bool AnyWay = May.Apart || May.mayStoreEmpty();
  auto MaybeUpdate = findUpdate(In, Store, AnyWay, Except);
  if (std::holds_alternative<Refusal>(MaybeUpdate)) {
    auto Pairwise = findPairwiseUpdate(In, Store, AnyWay);
    auto *No = std::get_if<Refusal>(&Pairwise);
    if (!No || No->Why == Reason::NarrowSum)
      MaybeUpdate = std::move(Pairwise);
  }
  if (auto *No = std::get_if<Refusal>(&MaybeUpdate))
    return *No;
  Update &Found = std::get<Update>(MaybeUpdate);
  Sum = Found.Sum;
  describeUpdate(Found);
  auto MaybeRoles = findRoles(In, Store, Found, May);
  if (auto *No = std::get_if<Refusal>(&MaybeRoles))
    return *No;
  By = std::get<Roles>(MaybeRoles);

  if (May.Apart && !In.Checks.empty())
    return Refusal{Reason::EarlyExit, In.Checks.front().Branch};
  describeLoops();
  if (Refused No = describeTerms(Found))
    return *No;
  if (May.Apart)
    describeScratch(Found);
  else
    Result.Op.C = accessBy(Store, By.C);
  Result.Op.IsExchanged = areExchanged(Result.Op.Terms.front());
  if (May.Saved)
    if (Refused No = describeSaved())
      return *No;
  if (Refused No = requireChecks())
    return *No;
  if (Refused No = checkTypes())
    return *No;
  if (Refused No = checkRowTables())
    return *No;
  if (Refused No = May.Apart ? Refused() : liftFinish(Found))
    return *No;
  if (Refused No = liftStart(Found))
    return *No;
  if (Refused No = describeChanges())
    return *No;
  if (Refused No = checkFusion())
    return *No;
  if (Refused No = matchZeroGuard(In, Found, Result))
    return *No;
  if (Refused No = matchNaNTests(In, *Found.Sum, Result))
    return *No;
  if (Refused No = checkBorders(Found))
    return *No;
  if (May.Vector && In.Zeros && !searchesVector(Result.Op))
    return Refusal{Reason::Branch, In.Zeros->Branch};
  if (May.Apart) {
    if (Found.isInMemory())
      startRowOfSums(Found);
    if (Result.Op.Start.uses(Leaf::C))
      return Refusal{Found.isInMemory() ? Reason::IndexRoles
                                        : Reason::VaryingScalar,
                     &Store};
    findPartialSums(Found);
    return Result;
  }
  if (Refused No = checkOuterSums())
    return *No;
  if (Refused No = findPartialSums(Found))
    return *No;
  // An element whose loop over k is not entered must not be stored either.
  // Guards of the same loop agree.
  ArrayRef<const BranchInst *> OfDomain = By.Space.DomainGuards, None;
  for (const VaryingGuard &Guard : In.Guards)
    if (In.leadsTo(Guard, Store,
                   is_contained(OfDomain, Guard.Branch) ? OfDomain : None))
      if (!storeEmpty(Guard))
        return Refusal{Reason::EmptySum, Guard.Branch};
  SmallVector<Instruction *, 2> Rest;
  InitMismatch = matchInitialisation(In, All, By, Result, Rest);
  if (InitMismatch && (startInSteps(Rest) || startInRows(Rest)))
    InitMismatch.reset();
  // What has been stored to all elements before may be stored again.
  if (storesChangesOnly(Store) && !Result.Op.Start.isLeaf(Leaf::C))
    Result.Op.After.reset();
  if (mayRoll())
    rollSteps(Result, In.Analyses->SE);
  return Result;
}

/// Whether copies of the update that somebody has unrolled can be joined.
bool Recognizer::mayRoll() const {
  return Result.Op.Outer.empty() && !By.Bordered && !Result.Op.After &&
         !Result.Op.hasPairings() && !Result.Op.hasMadeFactors() &&
         Result.Op.StartOperands.empty() && In.NaNTests.empty() &&
         !(Result.Op.Domain && Result.Op.Domain->StoresEmpty);
}

/// Whether \p Rest is nothing but what is stored outside of all loops over k.
bool Recognizer::isOutsideSteps(const RestOfNest &Rest) const {
  const Loop &Steps = *In.Chain[By.Loops[K].front()];
  return Rest.OtherSide.empty() && Rest.Results.empty() &&
         none_of(Rest.Writes, [&](const Instruction *Write) {
           return Steps.contains(Write);
         });
}

/// Whether \p Write goes through numbers as they lie, beside the steps: one by one
/// in a loop of its own, as where C is multiplied first.
bool Recognizer::isAlongNumbers(const Instruction &Write) const {
  auto *Other = dyn_cast<StoreInst>(&Write);
  const Loop *L = In.Analyses->LI.getLoopFor(Write.getParent());
  if (!Other || is_contained(In.Chain, L))
    return false;
  // SE is not const-correct.
  auto *Address = dyn_cast<SCEVAddRecExpr>(
      In.Analyses->SE.getSCEV(const_cast<Value *>(Other->getPointerOperand())));
  auto *Step = Address && Address->getLoop() == L
                   ? dyn_cast<SCEVConstant>(Address->getOperand(1))
                   : nullptr;
  uint64_t Size = Store.getDataLayout().getTypeStoreSize(Result.Op.C.ElemTy);
  return Step && Step->getAPInt() == 2 * Size;
}

/// Whether nothing else is done with numbers on one side of a diagonal, or nothing
/// but what goes along them.
bool Recognizer::mayJoinParts(ArrayRef<Nest> Copies) const {
  auto IsTheirs = [&](const Instruction *Write) {
    return is_contained(Result.Source.Absorbed, Write) ||
           any_of(Copies, [&](const Nest &Copy) {
             return Write == Copy.Source.UpdateStore ||
                    is_contained(Copy.Source.Absorbed, Write);
           });
  };
  return !Result.Op.Domain || !Result.Op.Domain->isOfC() ||
         (!May.Apart && All.OtherSide.empty() && All.ComputedResults.empty() &&
          all_of(All.writes(), [&](const Instruction *Write) {
            return IsTheirs(Write) || isAlongNumbers(*Write);
          }));
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

std::variant<Nest, Refusal> Recognizer::complete(ArrayRef<Nest> Copies) {
  for (const Instruction *Marker : All.Lifetimes)
    if (!isForgotten(*Marker, In))
      return Refusal{Reason::OtherStore, Marker};
  if (!May.Apart && !Result.Source.HasStepBefore && mayRoll())
    rollCopies(Result, Copies, In.Analyses->SE);
  if (mayJoinParts(Copies))
    joinParts(Result, Copies, In.Analyses->SE);
  if (May.Vector && In.Zeros && Result.Op.isComplex())
    return Refusal{Reason::Branch, In.Zeros->Branch};
  if (Refused No = checkNumbers())
    return *No;
  if (Refused No = checkOtherSums(Copies))
    return *No;
  if (May.Apart)
    return completeApart();
  // The copies are tested by the first one's element.
  for (Term &T : Result.Op.Terms)
    for (Access *X : {&T.A, &T.B})
      if (X->Zeros && !Result.Op.C.Copies.empty())
        X->Zeros->SkippedAreIdle = false;
  RestOfNest Rest{{}, All.OtherSide, All.ComputedResults};
  for (Instruction *Write : All.writes())
    if (Write != &Store && !is_contained(Result.Source.Absorbed, Write))
      Rest.Writes.push_back(Write);
  for (const Instruction *Write : In.MayBreakBuffers)
    if (is_contained(Rest.Writes, Write))
      return Refusal{Reason::OtherStore, Write};
  for (const Instruction *Write : Rest.Writes)
    if (storesChangesOnly(*Write))
      return Refusal{Reason::Branch, Write};
  if (Refused No = checkWritesAtBorders(Rest.Writes))
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
  if (!Result.Op.Outer.empty() && In.Zeros)
    return Refusal{Reason::IndexRoles, &Store};
  bool HasRest = !Rest.empty();
  const auto &After = Result.Op.After;
  bool IsOfNest = After && (After->isOfNumbers() || After->StoresChangesOnly);
  if (HasRest &&
      (IsOfNest || (Result.Op.Domain && !Result.Op.StartOperands.empty())))
    return Refusal{Reason::OtherStore,
                   Rest.Writes.empty() ? &Store : Rest.Writes.front()};
  if (Refused No = checkCalls(HasRest))
    return *No;
  for (const Access *X : Result.Op.accesses())
    if (X->IsSymmetric && (HasRest || In.Zeros || Result.Op.hasRowTables()))
      return Refusal{Reason::NotAffine, X->Inst};
  ArrayRef<InitialValue> Initials = Result.Source.Initials;
  if (!Initials.empty() && HasRest && !May.Saved)
    return Refusal{Reason::VaryingScalar,
                   cast<Instruction>(Initials.front().Value)};
  // What comes before a check that fails would have to be done.
  if (!In.Checks.empty() && (!Initials.empty() || HasRest))
    return Refusal{Reason::EarlyExit, In.Checks.front().Branch};
  Refusal Why{Reason::OtherStore};
  if (!Rest.Writes.empty()) {
    Why = *InitMismatch;
    ScalarEvolution &SE = In.Analyses->SE;
    // SE is not const-correct.
    auto *Other = dyn_cast<StoreInst>(const_cast<Instruction *>(Why.Where));
    if (Other && SE.getPointerBase(SE.getSCEV(Other->getPointerOperand())) !=
                     SE.getPointerBase(Result.Op.C.Base))
      Why.Why = Reason::OtherStore;
  } else if (!Initials.empty())
    Why = {Reason::VaryingScalar, cast<Instruction>(Initials.front().Value)};
  else if (!Rest.OtherSide.empty())
    Why = {Reason::Branch, In.Guards.front().Branch};
  else if (!Rest.Results.empty())
    Why = {Reason::UsedAfter, Rest.Results.front()};
  // Rows that are set first might be read with their new values.
  if (May.Saved && !Result.Source.Absorbed.empty() && !StartsInRows)
    return Refusal{Reason::Recurrence, Result.Source.Absorbed.front()};
  if (ReadsOwnRow && !Rest.Writes.empty())
    return Refusal{Reason::Recurrence, Rest.Writes.front()};
  if (May.Saved && !Rest.OtherSide.empty())
    return Refusal{Reason::Recurrence, Rest.OtherSide.front()};
  if (HasRest) {
    if (any_of(Result.Op.Outer, [](const Index &I) { return !I.isBatch(); }))
      return Refusal{Reason::IndexRoles, Why.Where};
    if (Result.Op.hasRowTables())
      return Refusal{Reason::RowTable, Why.Where};
    if (In.Zeros && !May.Saved && !isOutsideSteps(Rest))
      return Refusal{Reason::Branch, In.Zeros->Branch};
    if (Result.Source.HasStepBefore)
      return Refusal{Reason::OtherStore, Why.Where};
    findScalarLoopsOfRest();
  }
  describeTransposed();
  if (Refused No = placeRest(In, Rest, By, Why, Result))
    return *No;
  if (Refused No = collectInvariantLoads())
    return *No;
  // The other side may write what invariant loads read.
  for (Instruction *Write : Rest.OtherSide)
    for (LoadInst *Load : Result.Tests.InvariantLoads)
      if (In.mayWrite(*Write, *Load))
        return Why;
  if (!HasRest)
    packSavedFirst();
  queryAliases();
  if (Refused No = findInPlace())
    return *No;
  if (Refused No = refuseRecurrence(Result, In.Analyses->SE))
    return *No;
  return std::move(Result);
}

} // namespace tilesmith
