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
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
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

/// Sums in memory are kept apart if each row of them begins with values of its
/// own, which nothing changes until the loop over k is over.
void Recognizer::startRowOfSums(const Update &From) {
  AAResults *AA = In.Analyses->AA;
  Nest Tried = Result;
  SmallVector<Instruction *, 2> Rest;
  matchInitialisation(In, All, By, Tried, Rest);
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  for (const Instruction *Write : Rest)
    if (Sum.contains(Write) ||
        (!In.precedes(Store, *Write) &&
         (!AA ||
          isModSet(AA->getModRefInfo(Write, MemoryLocation::getBeforeOrAfter(
                                                Store.getPointerOperand()))))))
      return;
  if (Store.getValueOperand() != From.Sum)
    return;
  Result = std::move(Tried);
}

std::variant<Nest, Refusal> Recognizer::completeApart() {
  // What a row of sums begins with is set where the last sums are stored.
  RestOfNest Rest{All.writes(), {}, All.ComputedResults};
  if (Result.Source.ToScratch->Once)
    erase_if(Rest.Writes, [&](Instruction *Write) {
      return is_contained(Result.Source.Absorbed, Write);
    });
  append_range(Rest.Writes, All.OtherSide);
  for (const Instruction *Write : In.MayBreakBuffers)
    return Refusal{Reason::OtherStore, Write};
  findScalarLoopsOfRest();
  if (Refused No = checkCalls(/*HasRest=*/true))
    return *No;
  Refusal Why = Rest.Writes.empty()
                    ? Refusal{Reason::UsedAfter, Rest.Results.front()}
                    : Refusal{Reason::OtherStore, Rest.Writes.front()};
  describeTransposed();
  if (Refused No = placeRest(In, Rest, By, Why, Result))
    return *No;
  if (Refused No = collectInvariantLoads())
    return *No;
  if (Refused No = refuseRecurrence(Result, In.Analyses->SE))
    return *No;
  return std::move(Result);
}

/// Whether \p V is the sum, or what it starts from where there are no steps.
bool Recognizer::isSumOrStart(const Value &V, const Update &From) const {
  auto *Phi = dyn_cast<PHINode>(&V);
  auto *Carried = dyn_cast<PHINode>(From.Carried);
  if (!Phi || !Carried || In.Analyses->LI.isLoopHeader(Phi->getParent()))
    return false;
  Value *First = In.incomingFromOutside(*Carried);
  bool HasSum = false;
  // Behind the loop, a start is another value: s > 0 ? s : 0.
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
    Value *Incoming = In.resolve(Phi->getIncomingValue(I));
    bool IsSum = Incoming == From.Sum;
    HasSum |= IsSum;
    if (!IsSum && (!First || Incoming != In.resolve(First) ||
                   In.Analyses->DT.dominates(In.innermost().getHeader(),
                                             Phi->getIncomingBlock(I))))
      return false;
  }
  return HasSum;
}

/// Whether \p V is the sum where it is stored.
bool Recognizer::isStoredSum(const Value &V, const Update &From) const {
  return &V == From.Sum || (May.mayStoreEmpty() && isSumOrStart(V, From));
}

/// What is stored, of the sum and the element before.
Refused Recognizer::liftFinish(const Update &From) {
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (isStoredSum(V, From))
      return Leaf::Sum;
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  Refused No = lift(Store.getValueOperand(), In, Known, Result.Op.Finish);
  if (!No && Result.Op.C.ElemTy != Result.Op.SumTy)
    No = Refusal{Reason::ElementType, &Store};
  if (No && liftEpilogue(From)) {
    WithoutEpilogue = No;
    return std::nullopt;
  }
  if (No)
    return No;
  // Stored in each iteration, the arithmetic is repeated on its own result.
  bool Repeated = In.innermost().contains(&Store);
  if (From.isInMemory() ? !Result.Op.storesSum()
                        : Repeated && Result.Op.Finish.uses(Leaf::C))
    return Refusal{Reason::ScaledSum, &Store};
  return std::nullopt;
}

/// What the sum is before the first iteration over k.
Refused Recognizer::liftStart(const Update &From) {
  bool HasElement = !May.Apart || From.isInMemory();
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    return HasElement && Element.isReadBy(V, In) ? std::optional(Leaf::C)
                                                 : std::nullopt;
  };
  Value *First = From.Carried;
  OuterSums = By.Loops[K];
  OuterSums.pop_back();
  if (auto *Phi = dyn_cast<PHINode>(First)) {
    First = In.incomingFromOutside(*Phi);
    // A sum may be carried through several loops, one around the other.
    while (!OuterSums.empty()) {
      Loop *L = In.Chain[OuterSums.back()];
      auto *Outer = dyn_cast_or_null<PHINode>(First);
      if (!Outer || Outer->getParent() != L->getHeader() ||
          OuterSums.back() + 1 != By.Loops[K][OuterSums.size()] ||
          In.incomingFromLatch(*Outer) != From.Sum)
        break;
      First = In.incomingFromOutside(*Outer);
      OuterSums.pop_back();
    }
  }
  if (!First)
    return Refusal{Reason::VaryingScalar, From.Sum};
  Started = First;
  Refused No = lift(First, In, Known, Result.Op.Start);
  return No && (liftStartOfOthers(*First, From) || startElsewhere(*First))
             ? std::nullopt
             : No;
}

/// \p V, or a phi that stands for it because the other side of a test does not
/// run, where the store is; null if there is none.
Value *Recognizer::knownAtStore(Value &V) const {
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || In.Analyses->DT.dominates(I, &Store))
    return I;
  for (User *U : I->users())
    if (auto *Phi = dyn_cast<PHINode>(U); Phi && In.resolve(Phi) == I)
      if (Value *Known = knownAtStore(*Phi))
        return Known;
  return nullptr;
}

/// C can be given the values that the sums start from, before the product: in a
/// copy of the nest that stores \p First, which must not come from C itself.
/// Whether rows in tables overlap C is only known when the kernel is called.
bool Recognizer::startElsewhere(Value &First) {
  if (StoreInst *Before = storeBeforeSums(First)) {
    startFromC(*Before, First);
    return true;
  }
  Value *Known = knownAtStore(First);
  ArrayRef<unsigned> Sums = By.Loops[K];
  auto *Address = dyn_cast<Instruction>(Store.getPointerOperand());
  bool InSum = any_of(
      Sums, [&](unsigned Loop) { return In.Chain[Loop]->contains(&Store); });
  if (May.Apart || In.Zeros || !OuterSums.empty() || Result.Op.hasRowTables() ||
      storesChangesOnly(Store) || !Result.Op.sumsRestInC() ||
      (Result.Op.Domain && !Result.Op.Domain->isOfC() &&
       !May.mayStoreEmpty()) ||
      Result.Op.Finish.uses(Leaf::C) || First.getType() != Result.Op.C.ElemTy ||
      !Known ||
      (InSum &&
       (Sums.size() > 1 || (Address && In.innermost().contains(Address)))))
    return false;
  startFromC(Store, *Known);
  return true;
}

/// Sums start from the elements of C, where \p By stores \p First before.
void Recognizer::startFromC(StoreInst &By, Value &First) {
  Result.Source.Initials.push_back({&By, &First});
  Result.Op.Start = Expression();
  Result.Op.Start.Root = &First;
  Result.Op.Start.Leaves[&First] = Leaf::C;
}

/// What stores \p First, which sums in memory start from, in front of all loops
/// over k.
StoreInst *Recognizer::storeBeforeSums(Value &First) const {
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  if (May.Apart || In.Zeros || Result.Op.hasRowTables() || Result.Op.Domain ||
      By.Loops[K].size() < 2 || Result.Op.Finish.uses(Leaf::C))
    return nullptr;
  auto *Found = find_if(All.Stores, [&](StoreInst *Other) {
    return !Sum.contains(Other) &&
           In.resolve(Other->getValueOperand()) == &First &&
           In.addressOf(*Other) == Element.Address &&
           Other->getValueOperand()->getType() == Result.Op.C.ElemTy &&
           In.precedes(*Other, Store);
  });
  return Found == All.Stores.end() ? nullptr : *Found;
}

/// Whether \p Guard is around the steps alone, and not around the store.
bool Recognizer::isAroundSum(const VaryingGuard &Guard) const {
  const Loop &Sum = In.innermost();
  return !Sum.contains(&Store) && Result.Source.sumsInnermost() &&
         Sum.getParentLoop()->contains(Guard.Branch) && By.Loops[K].size() == 1;
}

/// Whether what the sum starts from is finished and stored where \p Guard lets
/// no step be made.
bool Recognizer::storeEmpty(const VaryingGuard &Guard) {
  auto &Domain = Result.Op.Domain;
  if (May.Saved && !isStoredAlone())
    return finishElsewhere(Guard);
  // Outer indices may be inside of blocks, and tables are copied row by row.
  if (!May.mayStoreEmpty() || !Domain || Domain->isOfC() ||
      (!May.Vector &&
       (!Result.Op.Outer.empty() || In.Zeros || Result.Op.hasRowTables())) ||
      !isAroundSum(Guard) || !is_contained(By.Space.DomainGuards, Guard.Branch))
    return false;
  Domain->StoresEmpty = true;
  return true;
}

/// The copy of the nest that stores what sums start from can store what becomes
/// of those without steps.
bool Recognizer::finishElsewhere(const VaryingGuard &Guard) {
  if (!isAroundSum(Guard) || !Started ||
      (Result.Source.Initials.empty() && !startElsewhere(*Started)))
    return false;
  for (InitialValue &Initial : Result.Source.Initials)
    Initial.IsFinishedIfEmpty = true;
  return true;
}

/// Where arrays might overlap, LLVM leaves stores of partial sums in the loop
/// over k. They are overwritten with the result, and must not be read.
Refused Recognizer::findPartialSums(const Update &From) {
  // Kept apart, every store of them is left to the rest, and made once.
  if (May.Apart) {
    for (StoreInst *Other : All.Stores)
      if (In.innermost().contains(Other) &&
          From.Sum == Other->getValueOperand() &&
          In.Analyses->SE.isLoopInvariant(
              In.Analyses->SE.getSCEV(Other->getPointerOperand()),
              &In.innermost()))
        Result.Source.Absorbed.push_back(Other);
    return std::nullopt;
  }
  for (StoreInst *Other : All.Stores)
    if (Other != &Store && In.innermost().contains(Other) &&
        In.addressOf(*Other) == Element.Address &&
        From.isPartialSum(In.resolve(Other->getValueOperand())) &&
        In.precedes(*Other, Store))
      Result.Source.Absorbed.push_back(Other);
  if (Result.Source.Absorbed.empty())
    return std::nullopt;
  if (Result.Op.Finish.uses(Leaf::C))
    return Refusal{Reason::InitMismatch, Result.Source.Absorbed.front()};
  for (BasicBlock *BB : In.innermost().blocks())
    for (Instruction &I : *BB)
      if (&I != From.Carried && Element.isReadBy(I, In))
        return Refusal{Reason::InitMismatch, Result.Source.Absorbed.front()};
  return std::nullopt;
}

/// What the guard computes of values, not of expressions of ScalarEvolution.
SetVector<Value *> Recognizer::scalars() const {
  SetVector<Value *> Scalars;
  for (const Assumption &A : Result.Tests.Assumptions)
    if (!A.Entered)
      Scalars.insert(A.Condition);
  for (const Expression *E : Result.Op.expressions())
    E->collectInvariants(Scalars);
  return Scalars;
}

/// Where the nest goes, what it accesses and what it sums must not depend on
/// whether a value is loaded again. What else it stores may.
Refused Recognizer::requireReloads() {
  ScalarEvolution &SE = In.Analyses->SE;
  SmallVector<Value *, 32> Used = scalars().takeVector();
  Result.visitSCEVs([&](const SCEV *S) {
    SCEVExprContains(S, [&](const SCEV *Part) {
      if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
        Used.push_back(Unknown->getValue());
      return false;
    });
  });
  // A rest that sums are kept apart from may be on the other side of a guard.
  const auto &Sums = Result.Source.ToScratch;
  for (BasicBlock *BB : Sums ? In.root().getBlocks() : In.Live.getArrayRef())
    for (Instruction &I : *BB) {
      if (Value *Pointer = getLoadStorePointerOperand(&I))
        Used.push_back(Pointer);
      else if (I.isTerminator() || isa<MemIntrinsic>(I))
        Used.push_back(&I);
    }
  Used.push_back(Sums ? Sums->Sum : Store.getValueOperand());
  if (Sums && Sums->Second)
    Used.push_back(Sums->Second);
  for (Instruction *Write : Result.Source.Absorbed)
    Used.push_back(Write);
  for (const InitialValue &Initial : Result.Source.Initials)
    Used.push_back(Initial.Value);

  for (auto &[Phi, Found] : In.reloadsBehind(Used)) {
    Result.Tests.Reloads[Phi] = Found.Load;
    if (Found.Again.empty())
      continue;
    auto Again = find_if(Found.Again,
                         [&](LoadInst *Load) { return In.isInvariant(Load); });
    if (Again == Found.Again.end())
      return Refusal{Reason::UnknownTripCount, Found.Load};
    Requirement Same{ICmpInst::ICMP_EQ, SE.getSCEV(Found.Load),
                     SE.getSCEV(*Again)};
    if (!is_contained(Result.Tests.MustHold, Same))
      Result.Tests.MustHold.push_back(Same);
  }
  return std::nullopt;
}

/// Whether \p Call may set what \p Load reads, as errno, which is an int.
static bool maySet(const Instruction &Call, const LoadInst &Load,
                   AAResults *AA) {
  return Load.getType()->isIntegerTy(32) &&
         (!AA ||
          isModSet(AA->getModRefInfo(&Call, MemoryLocation::get(&Load))));
}

/// Gathers what the guard has to load, and divisors.
Refused Recognizer::collectInvariantLoads() {
  if (Refused No = requireReloads())
    return No;
  SmallVector<const SCEV *, 32> Terms;
  Result.visitSCEVs([&](const SCEV *S) { Terms.push_back(S); });

  SmallSetVector<const SCEV *, 2> Divisors;
  for (const SCEV *S : Terms)
    SCEVExprContains(S, [&](const SCEV *Part) {
      if (auto *Div = dyn_cast<SCEVUDivExpr>(Part))
        if (!In.Analyses->SE.isKnownNonZero(Div->getRHS()))
          Divisors.insert(Div->getRHS());
      return false;
    });
  for (const SCEV *By : Divisors)
    Result.Tests.MustHold.push_back(
        {ICmpInst::ICMP_NE, By, In.Analyses->SE.getZero(By->getType())});

  SetVector<LoadInst *> Loads;
  for (Value *V : scalars())
    In.collectLoads(V, Loads);
  for (const SCEV *S : Terms)
    In.collectLoads(S, Loads);
  for (LoadInst *Load : Loads)
    for (const Instruction *Call : All.Calls)
      if (maySet(*Call, *Load, In.Analyses->AA))
        return Refusal{Reason::Call, Call};
  if (Refused No = requireStep(Loads, Terms))
    return No;
  Result.Tests.InvariantLoads.append(Loads.begin(), Loads.end());
  Result.Tests.LoadsNeedAssumptions =
      any_of(Loads, [&](LoadInst *Load) { return In.needsAssumptions(Load); });
  if (!Result.Tests.LoadsNeedAssumptions)
    erase_if(Result.Tests.Assumptions,
             [](const Assumption &A) { return A.Entered.has_value(); });
  return std::nullopt;
}

/// What is loaded in a step that a zero may leave out is loaded in front if an
/// element passes its test. That is found out late, so nothing else may depend
/// on such loads.
Refused Recognizer::requireStep(const SetVector<LoadInst *> &Loads,
                                ArrayRef<const SCEV *> Terms) {
  auto NeedsStep = [&](const LoadInst *Load) { return In.needsStep(*Load); };
  auto Late = find_if(Loads, NeedsStep);
  if (Late == Loads.end())
    return std::nullopt;
  SetVector<LoadInst *> Early;
  for (const SCEV *S : Terms)
    In.collectLoads(S, Early);
  for (const Assumption &A : Result.Tests.Assumptions)
    if (!A.Entered)
      In.collectLoads(A.Condition, Early);
  for (LoadInst *Load : Loads)
    In.collectLoads(Load->getPointerOperand(), Early);
  bool HasElement = any_of(Result.Op.accesses(), [](const Access *X) {
    return X->Zeros && X->Zeros->Tested.isElement() && !X->IsMade;
  });
  if (!HasElement || any_of(Early, NeedsStep))
    return Refusal{Reason::Branch, *Late};
  Result.Tests.LoadsNeedStep = true;
  return std::nullopt;
}

/// Whether each element is stored behind its loop over k.
bool Recognizer::storesBehindSum() const {
  return By.Loops[K].size() == 1 && Result.Source.sumsInnermost() &&
         !In.innermost().contains(&Store);
}

Refused Recognizer::findInPlace() {
  // What sums start from is stored to all rows first, if it is another array's.
  if (!Result.Op.Domain || Result.Op.Domain->isOfC() || May.Saved ||
      Result.Op.isComplex() || !Result.Source.Initials.empty())
    return std::nullopt;
  if (StartsInSteps) {
    markInPlace(Result, /*StoresLast=*/false, In.Analyses->SE);
    return std::nullopt;
  }
  if (By.Space.Reversed) {
    // Where the last row is may not be known to be where the first one ends.
    ScalarEvolution &SE = In.Analyses->SE;
    const Access &C = Result.Op.C;
    for (const Term &T : Result.Op.Terms)
      for (auto [X, P, Q] : {std::tuple(&T.A, N, M), {&T.B, M, N}})
        if (SE.getPointerBase(X->Base) == SE.getPointerBase(C.Base) &&
            X->Stride[K] == C.Stride[P] && X->Stride[Q] == C.Stride[Q])
          return Refusal{Reason::Recurrence, X->Inst};
    return std::nullopt;
  }
  // Rows must be initialised in their turn, or they would be read with their
  // new values.
  unsigned Row = By.Axes[Result.Op.Domain->boundOfK()].back();
  for (const Instruction *Write : Result.Source.Absorbed)
    if (!By.Space.isPlainBut(By.Axes[K].back()) ||
        !In.Chain[Row]->contains(Write))
      return std::nullopt;
  bool StoresLast = Result.Source.HasStepBefore ||
                    (storesBehindSum() && Result.Source.Absorbed.empty());
  markInPlace(Result, StoresLast, In.Analyses->SE);
  return std::nullopt;
}

void Recognizer::queryAliases() {
  AAResults *AA = In.Analyses->AA;
  if (!AA)
    return;
  auto MayAlias = [&](const Access &X) {
    if (Result.Op.C.Rows || X.Rows)
      return true;
    if (X.Saved || X.IsMade)
      return false;
    return !AA->isNoAlias(MemoryLocation::getBeforeOrAfter(Result.Op.C.Pointer),
                          MemoryLocation::getBeforeOrAfter(X.Pointer));
  };
  for (Term &T : Result.Op.Terms) {
    T.CMayAliasA = MayAlias(T.A);
    T.CMayAliasB = MayAlias(T.B);
  }
  for (FurtherOperand *Further : Result.Op.further())
    Further->CMayAlias = MayAlias(Further->X);
  if (auto &Other = Result.Op.Transposed)
    Other->Of.CMayAliasB = MayAlias(Other->Of.B);
}

} // namespace tilesmith
