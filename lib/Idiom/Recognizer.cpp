//===- Recognizer.cpp - what one store computes ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "NaNTest.h"
#include "Reroll.h"
#include "ZeroGuard.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The update that the store makes: a sum of products, or of other pairs.
std::variant<Update, Refusal> Recognizer::update() const {
  bool AnyWay = May.Apart || May.mayStoreEmpty();
  auto Found = findUpdate(In, Store, AnyWay, Except);
  if (std::holds_alternative<Update>(Found))
    return Found;
  auto Pairwise = findPairwiseUpdate(In, Store, AnyWay);
  auto *No = std::get_if<Refusal>(&Pairwise);
  return No && No->Why != Reason::NarrowSum ? Found : Pairwise;
}

/// The operands, and what stands around their products in a step.
Refused Recognizer::describeOperands(Update &From) {
  describeLoops();
  if (Refused No = describeTerms(From))
    return No;
  if (May.Apart)
    describeScratch(From);
  else
    Result.Op.C = accessBy(Store, By.C);
  Result.Op.IsExchanged = areExchanged(Result.Op.Terms.front());
  if (May.Saved)
    if (Refused No = describeSaved())
      return No;
  if (Refused No = requireChecks())
    return No;
  if (Refused No = checkTypes())
    return No;
  return checkRowTables();
}

/// What the sums start from, what becomes of them, and which steps are made.
Refused Recognizer::describeSums(const Update &From) {
  if (Refused No = May.Apart ? Refused() : liftFinish(From))
    return No;
  if (Refused No = liftStart(From))
    return No;
  if (Refused No = describeChanges())
    return No;
  if (Refused No = checkFusion())
    return No;
  if (Refused No = describeRestOfLines())
    return No;
  if (Refused No = matchZeroGuard(In, From, Result))
    return No;
  if (Refused No = matchConditionalLoads(Result))
    return No;
  if (Refused No = matchNaNTests(In, *From.Sum, Result))
    return No;
  if (Refused No = checkBorders(From))
    return No;
  if (May.Vector && In.Zeros && !searchesVector(Result.Op))
    return Refusal{Reason::Branch, In.Zeros->Branch};
  return std::nullopt;
}

/// The same, of sums that are kept apart.
Refused Recognizer::describeSumsApart(const Update &From) {
  if (From.isInMemory())
    startRowOfSums(From);
  if (Result.Op.Start.uses(Leaf::C))
    return Refusal{
        From.isInMemory() ? Reason::IndexRoles : Reason::VaryingScalar, &Store};
  findPartialSums(From);
  return std::nullopt;
}

/// An element whose loop over k is not entered must not be stored either.
Refused Recognizer::checkEmptySums() {
  // Guards of the same loop agree.
  ArrayRef<const BranchInst *> OfDomain = By.Space.DomainGuards, None;
  for (const VaryingGuard &Guard : In.Guards)
    if (In.leadsTo(Guard, Store,
                   is_contained(OfDomain, Guard.Branch) ? OfDomain : None))
      if (!storeEmpty(Guard))
        return Refusal{Reason::EmptySum, Guard.Branch};
  return std::nullopt;
}

std::variant<Nest, Refusal> Recognizer::describe() {
  auto MaybeUpdate = update();
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
  if (Refused No = describeOperands(Found))
    return *No;
  if (May.Segmented) {
    if (Refused No = describeSegments(Found))
      return *No;
    return Result;
  }
  if (Refused No = describeSums(Found))
    return *No;
  if (May.Apart) {
    if (Refused No = describeSumsApart(Found))
      return *No;
    return Result;
  }
  if (Refused No = checkOuterSums())
    return *No;
  if (Refused No = findPartialSums(Found))
    return *No;
  if (Refused No = checkEmptySums())
    return *No;
  SmallVector<Instruction *, 2> Rest;
  InitMismatch = matchInitialisation(In, All, By, Result, Rest);
  if (InitMismatch && (startInSteps(Rest) || startInRows(Rest)))
    InitMismatch.reset();
  // What has been stored to all elements before may be stored again.
  if (storesChangesOnly(Store) && !Result.Op.Start.isLeaf(Leaf::C))
    Result.Op.After.reset();
  if (Refused No = startBesideStored(Found))
    return *No;
  if (mayRoll())
    rollSteps(Result, In.Analyses->SE);
  return Result;
}

/// Whether copies of the update that somebody has unrolled can be joined.
bool Recognizer::mayRoll() const {
  return Result.Op.Outer.empty() && !Result.Op.Rest && !By.Bordered &&
         !Result.Op.After && !Result.Op.hasPairings() &&
         !Result.Op.hasMadeFactors() && Result.Op.StartOperands.empty() &&
         In.NaNTests.empty() &&
         !(Result.Op.Domain && Result.Op.Domain->StoresEmpty);
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

/// Whether \p Write stores an element beside the numbers of a step, with all of these in
/// loops inside: one of the diagonal.
bool Recognizer::isOnceInStep(const Instruction &Write) const {
  return isa<StoreInst>(Write) &&
         In.Chain[By.Loops[K].front()] ==
             In.Analyses->LI.getLoopFor(Write.getParent()) &&
         By.Loops[K].front() + 1 < In.Chain.size();
}

/// Whether \p Write stores something that is made of \p Sum, another part's.
static bool isMadeOf(const Instruction &Write, const Value &Sum,
                     const Loop &Nest) {
  SmallVector<const Value *, 8> Stack{&Write};
  SmallPtrSet<const Value *, 16> Seen;
  while (!Stack.empty()) {
    auto *I = dyn_cast<Instruction>(Stack.pop_back_val());
    if (!I || !Nest.contains(I) || !Seen.insert(I).second)
      continue;
    if (I == &Sum)
      return true;
    append_range(Stack, I->operand_values());
  }
  return false;
}

/// Whether nothing else is done in the steps with numbers on one side of a diagonal, or
/// nothing but what goes along them, or is beside them. With a rest of lines, parts are
/// made together or not at all.
bool Recognizer::mayJoinParts(ArrayRef<Nest> Copies) const {
  const Loop &Steps = *In.Chain[By.Loops[K].front()];
  auto IsTheirs = [&](const Instruction *Write) {
    return is_contained(Result.Source.Absorbed, Write) ||
           any_of(Copies, [&](const Nest &Copy) {
             return Write == Copy.Source.UpdateStore ||
                    is_contained(Copy.Source.Absorbed, Write);
           });
  };
  // The rest finds this part in C, and would have to sum up the other one again.
  auto NeedsOther = [&](const Instruction *Write) {
    return Write != &Store && any_of(Copies, [&](const Nest &Copy) {
             const StoreInst *Of = Copy.Source.UpdateStore;
             return Of != &Store && Of != Write &&
                    isMadeOf(*Write, *Copy.Op.Update.Root, In.root());
           });
  };
  return !Result.Op.Domain || !Result.Op.Domain->isOfC() ||
         (!May.Apart && All.OtherSide.empty() && All.ComputedResults.empty() &&
          all_of(All.writes(), [&](const Instruction *Write) {
            return !NeedsOther(Write) &&
                   (!Steps.contains(Write) || IsTheirs(Write) ||
                    isOnceInStep(*Write) || isAlongNumbers(*Write) ||
                    (Result.Op.Rest && isa<MemSetInst>(Write)));
          }));
}

} // namespace tilesmith
