//===- RecognizerSums.cpp - where sums start, and what is stored ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComplexParts.h"
#include "Recognizer.h"
#include "Recurrence.h"
#include "Rest.h"
#include "ZeroGuard.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

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
  if (Refused No = checkCopiedExits())
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
  // Behind the loop, a start is another value, s > 0 ? s : 0, also where both come
  // from one block: if there are no steps, it is known that 0 > 0 is not.
  for (unsigned I = 0; I < Phi->getNumIncomingValues(); ++I) {
    Value *Incoming = In.resolve(Phi->getIncomingValue(I));
    bool IsSum = Incoming == From.Sum;
    HasSum |= IsSum;
    if (!IsSum && (!First || Incoming != In.resolve(First) ||
                   In.mayFollow(*Phi->getIncomingBlock(I), In.innermost())))
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

} // namespace tilesmith
