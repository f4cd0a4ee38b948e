//===- GatheredNest.cpp - steps with a remainder that do nothing ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatheredNest.h"
#include "Driver.h"
#include "LoopShape.h"
#include "PhasedNests.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

bool GatheredNest::isLikely() {
  return Nest.size() >= MinChainLength && findStores() && findTests() &&
         findPositions();
}

bool GatheredNest::isPhased() {
  return isLikely() && !isOneKnownLine() && !leavesValues(*Nest.front()) &&
         isKnownInFront(C) && haveIdleRests() && findUses() && areApart();
}

bool GatheredNest::isOneKnownLine() const {
  return Positions.size() == 1 &&
         SE.getSmallConstantTripCount(Nest[Positions.front().Taps]) != 0;
}

bool GatheredNest::findStores() {
  for (BasicBlock *BB : Nest.front()->blocks())
    for (Instruction &I : *BB) {
      noteExtension(I);
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (Pointer && Pointer->getType()->getPointerAddressSpace() != 0)
        return false;
      if (isa<StoreInst>(I))
        Stores.push_back(cast<StoreInst>(&I));
      else if (isa<LoadInst>(I))
        Loads.push_back(cast<LoadInst>(&I));
    }
  if (Stores.empty())
    return false;
  const SCEV *Element = SE.getSCEV(Stores.front()->getPointerOperand());
  Type *Ty = Stores.front()->getValueOperand()->getType();
  if (!all_of(Stores, [&](StoreInst *Store) {
        return SE.getSCEV(Store->getPointerOperand()) == Element &&
               Store->getValueOperand()->getType() == Ty;
      }))
    return false;
  erase_if(Loads, [&](LoadInst *Load) {
    return SE.getSCEV(Load->getPointerOperand()) == Element &&
           Load->getType() == Ty;
  });
  std::optional<Form> Of = formOf(Stores.front()->getPointerOperand());
  if (Of)
    C = *Of;
  return Of.has_value();
}

bool GatheredNest::findTests() {
  for (BasicBlock *BB : Nest.front()->blocks())
    for (Instruction &I : *BB)
      if (std::optional<RemainderTest> Test = remainderTest(I))
        Tests.push_back(*Test);
  return !Tests.empty();
}

static Value *unfrozen(Value *V) {
  while (isa<FreezeInst, TruncInst>(V))
    V = cast<Instruction>(V)->getOperand(0);
  return V;
}

const SCEV *GatheredNest::thawed(Value *V) {
  V = unfrozen(V);
  return SE.isSCEVable(V->getType()) ? widenedQuietly(SE.getSCEV(V))
                                     : SE.getCouldNotCompute();
}

const SCEV *GatheredNest::widenedQuietly(const SCEV *S) {
  SmallVector<Cast, 4> Kept = Casts;
  const SCEV *Result = widened(S);
  Casts = std::move(Kept);
  return Result;
}

const SCEV *GatheredNest::distance(Value *By, uint64_t Constant) {
  return By ? SE.getNoopOrSignExtend(SE.getSCEV(By), I64)
            : SE.getConstant(I64, Constant);
}

/// Whether \p S is one or minus one.
static std::optional<int> direction(const SCEV *S) {
  if (S && S->isOne())
    return 1;
  if (S && S->isAllOnesValue())
    return -1;
  return std::nullopt;
}

std::optional<TestedPosition> GatheredNest::position(Value *V,
                                                     const SCEV *Distance) {
  if (!V->getType()->isIntegerTy() || V->getType()->getScalarSizeInBits() > 64)
    return std::nullopt;
  // All that is extended there is tested.
  const SCEV *S = widened(SE.getSCEV(unfrozen(V)));
  std::optional<Form> Of = formOf(S);
  if (!Of || !isKnownInFront(Of->Base) || !isKnownInFront(Distance))
    return std::nullopt;
  TestedPosition Result;
  Result.S = S;
  Result.Bits = V->getType()->getScalarSizeInBits();
  Result.Base = Of->Base;
  Result.Distance = Distance;
  unsigned NumPlaces = 0, NumTaps = 0;
  for (auto [Number, Step] : enumerate(Of->Step)) {
    if (!Step)
      continue;
    std::optional<int> Way = direction(Step);
    if (!Way)
      return std::nullopt;
    bool IsPlaces = C.Step[Number] != nullptr;
    (IsPlaces ? Result.Places : Result.Taps) = Number;
    (IsPlaces ? Result.OfPlaces : Result.OfTaps) = *Way;
    ++(IsPlaces ? NumPlaces : NumTaps);
  }
  return NumPlaces == 1 && NumTaps == 1 ? std::optional(Result) : std::nullopt;
}

bool GatheredNest::findPositions() {
  SmallSet<unsigned, 8> Taken;
  for (const RemainderTest &Test : Tests)
    for (Value *V : Test.Of) {
      std::optional<TestedPosition> Of =
          position(V, distance(Test.By, Test.Constant));
      if (!Of)
        return false;
      auto *Same = find_if(Positions, [&](const TestedPosition &Other) {
        return Other.S == Of->S && Other.Distance == Of->Distance;
      });
      if (Same != Positions.end()) {
        Same->Bits = std::min(Same->Bits, Of->Bits);
        Same->Tests.push_back(Test);
        continue;
      }
      if (!Taken.insert(Of->Places).second || !Taken.insert(Of->Taps).second)
        return false;
      Of->Tests.push_back(Test);
      Positions.push_back(*Of);
    }
  return all_of(Positions, [&](const TestedPosition &Of) {
    return hasOnlyCounters(*Nest[Of.Places]);
  });
}

bool GatheredNest::haveIdleRests() {
  return all_of(Positions, [&](const TestedPosition &Of) {
    const Loop &L = *Nest[Of.Taps];
    return leavesOnlySums(L) &&
           OtherIteration(L, Of.Tests).isIdle([&](PHINode &Phi) {
             return isCounter(Phi, L);
           });
  });
}

bool GatheredNest::leavesOnlySums(const Loop &L) {
  SmallPtrSet<const Value *, 4> Sums;
  for (PHINode &Phi : L.getHeader()->phis())
    if (!isCounter(Phi, L))
      Sums.insert(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  return all_of(L.blocks(), [&](const BasicBlock *BB) {
    return all_of(*BB, [&](const Instruction &I) {
      return Sums.contains(&I) || all_of(I.users(), [&](const User *U) {
               return L.contains(cast<Instruction>(U));
             });
    });
  });
}

bool GatheredNest::findUses() {
  for (BasicBlock *BB : Nest.front()->blocks())
    for (Instruction &I : *BB) {
      if (auto *Compare = dyn_cast<ICmpInst>(&I))
        findSign(*Compare);
      std::optional<Division> Is = division(I);
      if (!Is)
        continue;
      const SCEV *S = thawed(Is->Of), *By = distance(Is->By, Is->Constant);
      auto *Of = find_if(Positions, [&](const TestedPosition &Of) {
        return Of.S == S && Of.Distance == By;
      });
      if (Of == Positions.end())
        continue;
      // Where a test fails, nothing is done with it.
      bool HasSign = all_of(
          Of->Tests, [](const RemainderTest &Test) { return Test.HasSign; });
      if (Is->IsUnsigned && !HasSign && !isTestedFromZero(*Of, *BB) &&
          !isOnlyUsedBelowLimits(I))
        return false;
      Of->Bits = std::min<unsigned>(Of->Bits,
                                    Is->Of->getType()->getScalarSizeInBits());
      Of->Divisions.push_back(&I);
      Of->Quotients.push_back(widenedQuietly(SE.getSCEV(&I)));
    }
  return all_of(Positions, [&](const TestedPosition &Of) {
    return !Of.Divisions.empty() &&
           all_of(Of.Tests, [&](const RemainderTest &Test) {
             auto *Rem = cast<Instruction>(Test.Compare->getOperand(0));
             return Rem->getOpcode() != Instruction::URem ||
                    isTestedFromZero(Of, *Test.Compare->getParent());
           });
  });
}

std::optional<std::pair<TestedPosition *, uint64_t>>
GatheredNest::signTest(ICmpInst &Compare, bool Holds) {
  if (!Compare.getOperand(0)->getType()->isIntegerTy())
    return std::nullopt;
  CmpInst::Predicate Is =
      Holds ? Compare.getPredicate() : Compare.getInversePredicate();
  Value *X = Compare.getOperand(0), *Y = Compare.getOperand(1);
  if (ICmpInst::isLT(Is) || ICmpInst::isLE(Is)) {
    std::swap(X, Y);
    Is = ICmpInst::getSwappedPredicate(Is);
  }
  bool AreNoNegatives = SE.isKnownNonNegative(SE.getSCEV(X)) &&
                        SE.isKnownNonNegative(SE.getSCEV(Y));
  if (!ICmpInst::isRelational(Is) ||
      (ICmpInst::isUnsigned(Is) && !AreNoNegatives))
    return std::nullopt;
  const SCEV *Between = SE.getMinusSCEV(thawed(X), thawed(Y));
  if (ICmpInst::isStrictPredicate(Is))
    Between = SE.getMinusSCEV(Between, SE.getOne(I64));
  for (TestedPosition &Of : Positions) {
    auto *More = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Between, Of.S));
    if (More && More->getAPInt().ult(MaxDistance))
      return std::pair(&Of, More->getAPInt().getZExtValue());
  }
  return std::nullopt;
}

TestedPosition *GatheredNest::signOf(ICmpInst &Compare, bool Holds) {
  auto Test = signTest(Compare, Holds);
  if (!Test)
    return nullptr;
  auto *Known = dyn_cast<SCEVConstant>(Test->first->Distance);
  uint64_t Distance = Known ? Known->getAPInt().getZExtValue() : 2;
  return Test->second < Distance ? Test->first : nullptr;
}

void GatheredNest::findSign(ICmpInst &Compare) {
  for (bool Holds : {true, false})
    if (TestedPosition *Of = signOf(Compare, Holds))
      Of->Signs.push_back(&Compare);
}

bool GatheredNest::isBehind(const BasicBlock &BB,
                            function_ref<bool(ICmpInst &, bool Holds)> IsSo) {
  auto Says = [&](auto &Self, Value *Condition, bool Holds) -> bool {
    Value *X, *Y;
    if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
              : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y))))
      return Self(Self, X, Holds) || Self(Self, Y, Holds);
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    return Compare && IsSo(*Compare, Holds);
  };
  for (auto *Node = DT.getNode(&BB)->getIDom();
       Node && Nest.front()->contains(Node->getBlock());
       Node = Node->getIDom()) {
    auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
    if (!Branch || Branch->isUnconditional())
      continue;
    for (bool Holds : {true, false})
      if (DT.dominates(
              BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(!Holds)),
              &BB) &&
          Says(Says, Branch->getCondition(), Holds))
        return true;
  }
  return false;
}

bool GatheredNest::isTestedFromZero(const TestedPosition &Of,
                                    const BasicBlock &BB) {
  return isBehind(BB, [&](ICmpInst &Compare, bool Holds) {
    auto Test = signTest(Compare, Holds);
    return Test && Test->first == &Of && Test->second == 0;
  });
}

Value *GatheredNest::limit(ICmpInst &Compare, const Instruction &Quotient) {
  Value *X = Compare.getOperand(0), *Y = Compare.getOperand(1);
  if (Y == &Quotient)
    std::swap(X, Y);
  return X == &Quotient && Compare.isUnsigned() && isKnownInFront(SE.getSCEV(Y))
             ? Y
             : nullptr;
}

bool GatheredNest::isOnlyUsedBelowLimits(Instruction &Quotient) {
  auto IsBelow = [&](ICmpInst &Compare, bool Holds) {
    Value *Limit = limit(Compare, Quotient);
    CmpInst::Predicate Is =
        Holds ? Compare.getPredicate() : Compare.getInversePredicate();
    if (Compare.getOperand(0) == Limit)
      Is = ICmpInst::getSwappedPredicate(Is);
    return Limit && (ICmpInst::isLT(Is) || ICmpInst::isLE(Is));
  };
  SmallSetVector<Instruction *, 8> Users;
  Users.insert(&Quotient);
  for (unsigned N = 0; N < Users.size(); ++N)
    for (User *U : Users[N]->users()) {
      auto *I = cast<Instruction>(U);
      auto *Compare = dyn_cast<ICmpInst>(I);
      if (Compare && N == 0 && limit(*Compare, Quotient)) {
        Limits.push_back(
            SE.getNoopOrZeroExtend(SE.getSCEV(limit(*Compare, Quotient)), I64));
        continue;
      }
      if (isa<LoadInst>(I) && isBehind(*I->getParent(), IsBelow))
        continue;
      if (!isa<CastInst, BinaryOperator, GetElementPtrInst>(I))
        return false;
      Users.insert(I);
    }
  return true;
}

std::optional<GatheredNest::Form> GatheredNest::formOf(const SCEV *S) {
  const SCEV *Rest = S;
  SmallVector<std::pair<const TestedPosition *, const SCEV *>, 2> Found;
  for (const TestedPosition &Of : Positions) {
    auto With = [&](uint64_t Value) {
      const SCEV *Result = Rest;
      for (const SCEV *Quotient : Of.Quotients)
        Result = NodeReplacer(SE, Quotient, SE.getConstant(I64, Value))
                     .visit(Result);
      return Result;
    };
    const SCEV *Zero = With(0);
    if (Zero == Rest)
      continue;
    const SCEV *One = With(1), *Step = SE.getMinusSCEV(One, Zero);
    if (SE.getMinusSCEV(With(2), One) != Step)
      return std::nullopt;
    Found.push_back({&Of, Step});
    Rest = Zero;
  }
  std::optional<Form> Result = NestForms::formOf(Rest);
  if (!Result)
    return std::nullopt;
  for (auto [Of, Step] : Found) {
    std::optional<Form> X = NestForms::formOf(Of->S);
    const SCEV *Least = quotient(end(*X, /*Low=*/true), Of->Distance),
               *Most = quotient(end(*X, /*Low=*/false), Of->Distance);
    Result->Base = SE.getAddExpr(Result->Base, SE.getMulExpr(Step, Least));
    Result->Others.push_back({Step, SE.getMinusSCEV(Most, Least)});
  }
  return Result;
}

const SCEV *GatheredNest::quotient(const SCEV *S, const SCEV *By) {
  const SCEV *Far = SE.getConstant(I64, uint64_t(1) << 31);
  if (!isa<SCEVConstant>(By)) // it may be expanded before it is tested
    By = SE.getUMaxExpr(By, SE.getOne(I64));
  return SE.getMinusSCEV(
      SE.getUDivExpr(SE.getAddExpr(S, SE.getMulExpr(Far, By)), By), Far);
}

bool GatheredNest::areApart() {
  for (const TestedPosition &Of : Positions)
    Casts.push_back({Of.S, Of.Bits, /*IsSigned=*/true});
  for (LoadInst *Load : Loads) {
    if (areNoAliases(*Stores.front(), *Load))
      continue;
    std::optional<Form> Of = NestForms::formOf(Load->getPointerOperand());
    if (!Of || !isKnownInFront(*Of))
      return false;
    Factors.push_back({Load, *Of});
  }
  return areTestsKnownInFront();
}

bool GatheredNest::hasAdjacentImages() const {
  const StoreInst &Store = *Stores.front();
  uint64_t Size =
      F.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  return any_of(enumerate(C.Step), [&](const auto &Of) {
    auto *Step = dyn_cast_or_null<SCEVConstant>(Of.value());
    return Step && Step->getAPInt() == Size &&
           none_of(Positions, [&](const TestedPosition &Places) {
             return Places.Places == Of.index();
           });
  });
}

bool GatheredNest::areUnrolled() const {
  return all_of(Positions, [&](const TestedPosition &Of) {
    return isa<SCEVConstant>(Of.Distance) &&
           SE.getSmallConstantTripCount(Nest[Of.Taps]) != 0;
  });
}

bool mayGather(const Loop &Inner) {
  const Loop *Root = &Inner;
  while (Root->getParentLoop())
    Root = Root->getParentLoop();
  return any_of(Root->blocks(), [](BasicBlock *BB) {
    return any_of(*BB,
                  [](Instruction &I) { return remainderTest(I).has_value(); });
  });
}

bool isLikelyGathered(Loop &Inner, AAResults &AA, LoopInfo &LI,
                      DominatorTree &DT, ScalarEvolution &SE) {
  return Inner.getLoopDepth() >= MinChainLength && mayGather(Inner) &&
         GatheredNest(Inner, AA, LI, DT, SE).isLikely();
}

} // namespace tilesmith
