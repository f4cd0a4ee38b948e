//===- RecognizerMemory.cpp - what else the memory of a nest holds --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "Recurrence.h"
#include "tilesmith/Idiom/StepTests.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

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
  if (stepTests(Result.Op).empty() || any_of(Early, NeedsStep))
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
  if (auto &Other = Result.Op.Transposed; Other && !Other->AfterSums)
    Other->Of.CMayAliasB = MayAlias(Other->Of.B);
}

} // namespace tilesmith
