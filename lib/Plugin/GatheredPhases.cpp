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

#include "GatheredNest.h"
#include "PhaseLoops.h"
#include "PhasedNests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Makes it phase by phase.
class GatheredPhases : public PhasedNest, GatheredNest {
public:
  using GatheredNest::GatheredNest;

  bool prepare() override { return isPhased(); }

  Phases run(bool IsProduct, bool OfAnySize) override {
    PhaseLoops Copy(*Nest.front(), LI, DT);
    expandAll(&Copy.front());
    Copy.copy(condition(&Copy.front(), OfAnySize));
    for (TestedPosition &Of : reverse(Positions))
      addPhases(Of, Copy);
    simplify(Copy);
    return Copy.finish(*Nest.back(), /*IsFallback=*/!IsProduct);
  }

private:
  void expandAll(Instruction *At) {
    SCEVExpander Expander(SE, "tilesmith");
    for (TestedPosition &Of : Positions) {
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
    for (const TestedPosition &Of : Positions) {
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
    if (!OfAnySize)
      Require(pays(B, Expander));
    return B.CreateFreeze(Result);
  }

  /// Whether phases are faster than the source's loops: where one of them is large
  /// enough for a kernel, its elements must suit that. Smaller ones save tests of
  /// remainders, if LLVM cannot make these as it unrolls loops.
  Value *pays(IRBuilder<> &B, SCEVExpander &Expander) {
    Value *All = B.getInt64(1), *Elements = All, *Steps = All;
    Value *AreLong = B.getInt1(hasAdjacentImages());
    for (unsigned Number = 0; Number < Nest.size(); ++Number) {
      Value *Last =
          Expander.expandCodeFor(lastOf(Number), I64, &*B.GetInsertPoint());
      Value *Count = B.CreateAdd(Last, B.getInt64(1));
      All = B.CreateMul(All, Count);
      for (const TestedPosition &Of : Positions) {
        if (Number != Of.Places && Number != Of.Taps)
          continue;
        // In a phase. That the distance is no zero is not tested yet.
        Value *By =
            B.CreateBinaryIntrinsic(Intrinsic::umax, Of.By, B.getInt64(1));
        Count = B.CreateUDiv(B.CreateAdd(Last, By), By);
        if (Number == Of.Places && &Of == &Positions.back())
          AreLong = B.CreateOr(AreLong,
                               B.CreateICmpUGE(Count, B.getInt64(MinPlaces)));
      }
      Steps = B.CreateMul(Steps, Count);
      if (C.Step[Number])
        Elements = B.CreateMul(Elements, Count);
    }
    auto IsLeast = [&](Value *V, uint64_t Least) {
      return B.CreateICmpUGE(V, B.getInt64(Least));
    };
    if (areUnrolled())
      return B.CreateAnd({AreLong, IsLeast(Elements, UnrolledElements),
                          IsLeast(Steps, UnrolledSteps)});
    Value *SuitKernel = B.CreateAnd(AreLong, IsLeast(Elements, MinElements));
    Value *IsForLoops = B.CreateNot(IsLeast(Steps, KernelSteps));
    return B.CreateAnd(IsLeast(All, MinWork),
                       B.CreateOr(SuitKernel, IsForLoops));
  }

  void addPhases(const TestedPosition &Of, PhaseLoops &Copy) {
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

  /// Fewer steps are no work. (Measured on Zen 5.)
  static constexpr uint64_t MinWork = 4096;
  /// From so many steps of a phase on, its product is a kernel's, which takes rows of
  /// so many places where these are adjacent, and so many elements in all; and more of
  /// them against loops that are unrolled. (Measured on Zen 4.)
  static constexpr uint64_t KernelSteps = 4096, MinPlaces = 3, MinElements = 72,
                            UnrolledSteps = 8192, UnrolledElements = 160;

  DenseMap<PHINode *, Value *> Steps;
};

} // namespace

std::unique_ptr<PhasedNest> gatheredPhases(Loop &Inner, AAResults &AA,
                                           LoopInfo &LI, DominatorTree &DT,
                                           ScalarEvolution &SE) {
  return std::make_unique<GatheredPhases>(Inner, AA, LI, DT, SE);
}

} // namespace tilesmith
