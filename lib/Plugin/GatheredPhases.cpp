//===- GatheredPhases.cpp - steps with a remainder are left out -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for y < Y                           for p < 2, r0 = (p + pad) % 2
//     for r < R                  =>       for y from p by 2
//       x = y + pad - r                     for r from r0 by 2
//       if (x % 2 == 0)                       C[y] += dy[x0 + y' - r'] * w[r]
//         C[y] += dy[x / 2] * w[r]
//
// where y' and r' count the iterations that are made, and x0 = (p + pad - r0) / 2.
// What the source does for another r is nothing.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "LoopShape.h"
#include "NestForms.h"
#include "PhaseLoops.h"
#include "PhasedNests.h"
#include "RemainderTest.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// A number whose remainder is tested, of a loop over places and one over taps.
struct Position {
  const SCEV *S = nullptr; ///< in 64 bits
  unsigned Bits = 64;      ///< that it fits
  unsigned Places = 0, Taps = 0;
  int OfPlaces = 0, OfTaps = 0; ///< steps, 1 or -1
  const SCEV *Base = nullptr;
  const SCEV *Distance = nullptr; ///< in 64 bits
  SmallVector<RemainderTest, 2> Tests;
  SmallVector<Instruction *, 2> Divisions;
  SmallVector<const SCEV *, 2> Quotients; ///< in 64 bits
  SmallVector<ICmpInst *, 2> Signs; ///< of it, or of a difference that it is
  Value *By = nullptr, *LastPlace = nullptr, *LastTap = nullptr,
        *First = nullptr;
};

/// The nest that ends in one loop, as far as it gathers products.
class GatheredPhases : public PhasedNest, NestForms {
public:
  using NestForms::NestForms;

  bool isLikely() {
    return Nest.size() >= MinChainLength && findStores() && findTests() &&
           findPositions();
  }

  bool prepare() override {
    return isLikely() && !isOneKnownLine() && !leavesValues(*Nest.front()) &&
           isKnownInFront(C) && haveIdleRests() && findUses() && areApart();
  }

  Phases run(bool IsProduct, bool OfAnySize) override {
    PhaseLoops Copy(*Nest.front(), LI, DT);
    expandAll(&Copy.front());
    Copy.copy(condition(&Copy.front(), OfAnySize));
    for (Position &Of : reverse(Positions))
      addPhases(Of, Copy);
    simplify(Copy);
    return Copy.finish(*Nest.back(), /*IsFallback=*/!IsProduct);
  }

private:
  /// Of a known number of taps in one dimension, clang tests each on its own.
  bool isOneKnownLine() const {
    return Positions.size() == 1 &&
           SE.getSmallConstantTripCount(Nest[Positions.front().Taps]) != 0;
  }

  /// Stores to elements of C, which is one for each place, and loads of others.
  bool findStores() {
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

  bool findTests() {
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
  /// \p V as a sum, where nothing that is frozen is poison.
  const SCEV *thawed(Value *V) {
    V = unfrozen(V);
    return SE.isSCEVable(V->getType()) ? widenedQuietly(SE.getSCEV(V))
                                       : SE.getCouldNotCompute();
  }

  /// Of what is tested elsewhere.
  const SCEV *widenedQuietly(const SCEV *S) {
    SmallVector<Cast, 4> Kept = Casts;
    const SCEV *Result = widened(S);
    Casts = std::move(Kept);
    return Result;
  }

  const SCEV *distance(Value *By, uint64_t Constant) {
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

  std::optional<Position> position(Value *V, const SCEV *Distance) {
    if (!V->getType()->isIntegerTy() ||
        V->getType()->getScalarSizeInBits() > 64)
      return std::nullopt;
    // All that is extended there is tested.
    const SCEV *S = widened(SE.getSCEV(unfrozen(V)));
    std::optional<Form> Of = formOf(S);
    if (!Of || !isKnownInFront(Of->Base) || !isKnownInFront(Distance))
      return std::nullopt;
    Position Result;
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
    return NumPlaces == 1 && NumTaps == 1 ? std::optional(Result)
                                          : std::nullopt;
  }

  bool findPositions() {
    SmallSet<unsigned, 8> Taken;
    for (const RemainderTest &Test : Tests)
      for (Value *V : Test.Of) {
        std::optional<Position> Of =
            position(V, distance(Test.By, Test.Constant));
        if (!Of)
          return false;
        auto *Same = find_if(Positions, [&](const Position &Other) {
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
    return all_of(Positions, [&](const Position &Of) {
      return hasOnlyCounters(*Nest[Of.Places]);
    });
  }

  /// Whether taps with a remainder do nothing.
  bool haveIdleRests() {
    return all_of(Positions, [&](const Position &Of) {
      const Loop &L = *Nest[Of.Taps];
      return leavesOnlySums(L) &&
             OtherIteration(L, Of.Tests).isIdle([&](PHINode &Phi) {
               return isCounter(Phi, L);
             });
    });
  }

  /// Whether nothing is used after \p L but what an iteration hands on to the next.
  bool leavesOnlySums(const Loop &L) {
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

  /// Finds what is to be the quotient, or its sign.
  bool findUses() {
    for (BasicBlock *BB : Nest.front()->blocks())
      for (Instruction &I : *BB) {
        if (auto *Compare = dyn_cast<ICmpInst>(&I))
          findSign(*Compare);
        std::optional<Division> Is = division(I);
        if (!Is)
          continue;
        const SCEV *S = thawed(Is->Of), *By = distance(Is->By, Is->Constant);
        auto *Of = find_if(Positions, [&](const Position &Of) {
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
    return all_of(Positions, [&](const Position &Of) {
      return !Of.Divisions.empty() &&
             all_of(Of.Tests, [&](const RemainderTest &Test) {
               auto *Rem = cast<Instruction>(Test.Compare->getOperand(0));
               return Rem->getOpcode() != Instruction::URem ||
                      isTestedFromZero(Of, *Test.Compare->getParent());
             });
    });
  }

  /// Where \p Compare, for \p Holds, says that a position and some number are zero
  /// or more together.
  std::optional<std::pair<Position *, uint64_t>> signTest(ICmpInst &Compare,
                                                          bool Holds) {
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
    for (Position &Of : Positions) {
      auto *More = dyn_cast<SCEVConstant>(SE.getMinusSCEV(Between, Of.S));
      if (More && More->getAPInt().ult(MaxDistance))
        return std::pair(&Of, More->getAPInt().getZExtValue());
    }
    return std::nullopt;
  }

  /// Of what has no remainder, it is the sign if the number is less than the
  /// distance.
  Position *signOf(ICmpInst &Compare, bool Holds) {
    auto Test = signTest(Compare, Holds);
    if (!Test)
      return nullptr;
    auto *Known = dyn_cast<SCEVConstant>(Test->first->Distance);
    uint64_t Distance = Known ? Known->getAPInt().getZExtValue() : 2;
    return Test->second < Distance ? Test->first : nullptr;
  }

  void findSign(ICmpInst &Compare) {
    for (bool Holds : {true, false})
      if (Position *Of = signOf(Compare, Holds))
        Of->Signs.push_back(&Compare);
  }

  /// Whether \p BB only runs where a comparison comes out in a way that \p IsSo.
  bool isBehind(const BasicBlock &BB,
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

  /// Whether \p BB only runs where \p Of is zero or more.
  bool isTestedFromZero(const Position &Of, const BasicBlock &BB) {
    return isBehind(BB, [&](ICmpInst &Compare, bool Holds) {
      auto Test = signTest(Compare, Holds);
      return Test && Test->first == &Of && Test->second == 0;
    });
  }

  /// Whether \p Compare is one of \p Quotient, unsigned, with what is known in front:
  /// a small number will be asked for.
  Value *limit(ICmpInst &Compare, const Instruction &Quotient) {
    Value *X = Compare.getOperand(0), *Y = Compare.getOperand(1);
    if (Y == &Quotient)
      std::swap(X, Y);
    return X == &Quotient && Compare.isUnsigned() &&
                   isKnownInFront(SE.getSCEV(Y))
               ? Y
               : nullptr;
  }

  /// Whether a negative position, whose \p Quotient is a great number for the source,
  /// and a negative one in the copy, is beyond a limit in both of them: it is only
  /// compared with limits, or part of addresses that are used below these.
  bool isOnlyUsedBelowLimits(Instruction &Quotient) {
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
          Limits.push_back(SE.getNoopOrZeroExtend(
              SE.getSCEV(limit(*Compare, Quotient)), I64));
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

  /// Quotients are numbers of their own.
  std::optional<Form> formOf(const SCEV *S) override {
    const SCEV *Rest = S;
    SmallVector<std::pair<const Position *, const SCEV *>, 2> Found;
    for (const Position &Of : Positions) {
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
  using NestForms::formOf;

  /// \p S, between -2^32 and 2^32, divided by two or more, rounded down.
  const SCEV *quotient(const SCEV *S, const SCEV *By) {
    const SCEV *Far = SE.getConstant(I64, uint64_t(1) << 31);
    if (!isa<SCEVConstant>(By)) // it may be expanded before it is tested
      By = SE.getUMaxExpr(By, SE.getOne(I64));
    return SE.getMinusSCEV(
        SE.getUDivExpr(SE.getAddExpr(S, SE.getMulExpr(Far, By)), By), Far);
  }

  /// Whether C has no element in common with what is loaded, or that can be tested.
  bool areApart() {
    for (const Position &Of : Positions)
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

  void expandAll(Instruction *At) {
    SCEVExpander Expander(SE, "tilesmith");
    for (Position &Of : Positions) {
      Of.By = Expander.expandCodeFor(Of.Distance, I64, At);
      Of.First = Expander.expandCodeFor(Of.Base, I64, At);
      Of.LastPlace = Expander.expandCodeFor(lastOf(Of.Places), I64, At);
      Of.LastTap = Expander.expandCodeFor(lastOf(Of.Taps), I64, At);
      for (unsigned Number : {Of.Places, Of.Taps})
        for (PHINode &Phi : Nest[Number]->getHeader()->phis()) {
          if (!isCounter(Phi, *Nest[Number]))
            continue;
          const SCEV *Step =
              cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))->getStepRecurrence(SE);
          Steps[&Phi] = Expander.expandCodeFor(Step, Step->getType(), At);
        }
    }
  }

  /// Whether phases may be made, and pay.
  Value *condition(Instruction *At, bool OfAnySize) {
    SCEVExpander Expander(SE, "tilesmith");
    IRBuilder<> B(At);
    Value *Result = B.getTrue();
    auto Require = [&](Value *V) { Result = B.CreateAnd(Result, V); };
    for (const Position &Of : Positions) {
      Require(B.CreateICmpULT(B.CreateSub(Of.By, B.getInt64(2)),
                              B.getInt64(MaxDistance - 1)));
      // So positions are less than 2^32, which quotients rely on.
      Value *Far = B.getInt64(uint64_t(1) << 30);
      Require(B.CreateICmpULT(B.CreateAdd(Of.First, Far),
                              B.getInt64(uint64_t(1) << 31)));
      // Each phase has a place and a tap.
      for (Value *Last : {Of.LastPlace, Of.LastTap})
        Require(B.CreateAnd(
            B.CreateICmpUGE(Last, B.CreateSub(Of.By, B.getInt64(1))),
            B.CreateICmpULT(Last, Far)));
    }
    SmallVector<Range, 8> OfC;
    for (auto [Number, Step] : enumerate(C.Step))
      if (Step)
        OfC.push_back({Step, lastOf(Number)});
    const StoreInst &Store = *Stores.front();
    Require(leadsApart(OfC, Store.getValueOperand()->getType(), B, Expander));
    Require(allFit(B, Expander));
    // A negative number is greater, if unsigned.
    for (const SCEV *Limit : Limits)
      Require(B.CreateICmpULT(Expander.expandCodeFor(Limit, I64, At),
                              B.getInt64(uint64_t(1) << 24)));
    for (const auto &[Load, Of] : Factors)
      Require(lieApart(C, Store, Of, *Load, B, Expander));
    if (!OfAnySize) {
      Value *Work = B.getInt64(1);
      for (unsigned Number = 0; Number < Nest.size(); ++Number) {
        Value *Last = Expander.expandCodeFor(lastOf(Number), I64, At);
        Work = B.CreateMul(Work, B.CreateAdd(Last, B.getInt64(1)));
      }
      Require(B.CreateICmpUGE(Work, B.getInt64(MinWork)));
    }
    return B.CreateFreeze(Result);
  }

  void addPhases(const Position &Of, PhaseLoops &Copy) {
    PHINode *Phase = Copy.addPhases(Of.By);
    IRBuilder<> B(Phase->getParent()->getTerminator());
    auto Times = [&](int Way, Value *V) {
      return Way < 0 ? B.CreateNeg(V, "", /*HasNSW=*/true) : V;
    };
    auto Plus = [&](Value *X, Value *Y) {
      return B.CreateAdd(X, Y, "", /*HasNUW=*/false, /*HasNSW=*/true);
    };
    // The first tap that leaves no remainder.
    Value *Before = Plus(Of.First, Times(Of.OfPlaces, Phase));
    Value *Rest = B.CreateSRem(Times(-Of.OfTaps, Before), Of.By);
    Value *Tap = B.CreateSelect(B.CreateICmpSLT(Rest, B.getInt64(0)),
                                Plus(Rest, Of.By), Rest);
    Value *First =
        B.CreateExactSDiv(Plus(Before, Times(Of.OfTaps, Tap)), Of.By);
    auto LastFrom = [&](Value *Last, Value *From) {
      return B.CreateUDiv(B.CreateSub(Last, From), Of.By);
    };
    Value *LastPlace = LastFrom(Of.LastPlace, Phase);
    Value *LastTap = LastFrom(Of.LastTap, Tap);
    Value *Places =
        Copy.countFrom(*Nest[Of.Places], Phase, Of.By, LastPlace, Steps);
    Value *Taps = Copy.countFrom(*Nest[Of.Taps], Tap, Of.By, LastTap, Steps);

    auto Quotient = [&](Instruction *At) {
      B.SetInsertPoint(At);
      return Plus(Plus(First, Times(Of.OfPlaces, Places)),
                  Times(Of.OfTaps, Taps));
    };
    for (Instruction *I : Of.Divisions) {
      auto *Old = cast<Instruction>(Copy.Map[I]);
      Value *New = Quotient(Old);
      Old->replaceAllUsesWith(B.CreateSExtOrTrunc(New, Old->getType()));
    }
    for (ICmpInst *Sign : Of.Signs) {
      auto *Old = cast<ICmpInst>(Copy.Map[Sign]);
      bool IsNegative = signOf(*Sign, /*Holds=*/true) != &Of;
      Value *New = Quotient(Old);
      Old->replaceAllUsesWith(IsNegative ? B.CreateICmpSLT(New, B.getInt64(0))
                                         : B.CreateICmpSGE(New, B.getInt64(0)));
    }
    for (const RemainderTest &Test : Of.Tests) {
      // One test of two positions is replaced with the first of them.
      auto *Old = dyn_cast<ICmpInst>(Copy.Map[Test.Compare]);
      if (!Old)
        continue;
      Value *IsZero = B.getTrue();
      if (Test.HasSign)
        IsZero = B.CreateICmpSGE(Quotient(Old), B.getInt64(0));
      Old->replaceAllUsesWith(Test.isTrueIfZero() ? IsZero
                                                  : B.CreateNot(IsZero));
    }
  }

  /// Does without what is known to be true now.
  void simplify(PhaseLoops &Copy) {
    SmallVector<BasicBlock *, 16> Blocks;
    for (BasicBlock *BB : Nest.front()->blocks())
      Blocks.push_back(cast<BasicBlock>(Copy.Map[BB]));
    for (BasicBlock *BB : Blocks) {
      for (Instruction &I : make_early_inc_range(*BB))
        if (Value *V = isa<PHINode>(I)
                           ? nullptr
                           : simplifyInstruction(&I, F.getDataLayout()))
          if (!I.use_empty())
            I.replaceAllUsesWith(V);
      ConstantFoldTerminator(BB, /*DeleteDeadConditions=*/true);
    }
    for (BasicBlock *BB : Blocks)
      for (Instruction &I : make_early_inc_range(reverse(*BB)))
        if (isInstructionTriviallyDead(&I))
          I.eraseFromParent();
  }

  /// More are not worth phases of their own; fewer steps are no work. (Measured on
  /// Zen 5.)
  static constexpr uint64_t MaxDistance = 64, MinWork = 4096;

  SmallVector<StoreInst *, 2> Stores;
  SmallVector<LoadInst *, 4> Loads;                    ///< of other elements
  SmallVector<std::pair<LoadInst *, Form>, 2> Factors; ///< that may overlap C
  Form C;
  SmallVector<const SCEV *, 2> Limits; ///< of unsigned quotients
  SmallVector<RemainderTest, 4> Tests;
  SmallVector<Position, 2> Positions;
  DenseMap<PHINode *, Value *> Steps;
};

} // namespace

std::unique_ptr<PhasedNest> gatheredPhases(Loop &Inner, AAResults &AA,
                                           LoopInfo &LI, DominatorTree &DT,
                                           ScalarEvolution &SE) {
  return std::make_unique<GatheredPhases>(Inner, AA, LI, DT, SE);
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
         GatheredPhases(Inner, AA, LI, DT, SE).isLikely();
}

} // namespace tilesmith
