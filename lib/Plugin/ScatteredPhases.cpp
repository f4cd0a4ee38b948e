//===- ScatteredPhases.cpp - scatters a distance apart --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "FunctionCopy.h"
#include "LoopShape.h"
#include "NestForms.h"
#include "PhaseLoops.h"
#include "PhasedNests.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

/// The nest that ends in one loop, as far as it scatters products.
class ScatteredPhases : public PhasedNest, NestForms {
public:
  using NestForms::NestForms;

  /// Whether it may be one, as far as can be told before LLVM has made all
  /// counters as wide as addresses.
  bool isLikely() {
    return Nest.size() >= MinChainLength && findAccesses() && findTaps();
  }

  bool prepare() override {
    if (Nest.size() < MinChainLength || leavesValues(*Nest.front()) ||
        !findAccesses() || !findTaps() ||
        !all_of(
            Taps,
            [&](const Tap &T) { return hasOnlyCounters(*Nest[T.Position]); }) ||
        !areKnownInFront())
      return false;
    findWidths();
    return true;
  }

  /// Makes the copy. The loops are others then.
  /// The source's are a fall-back, unless they are a product where taps are few.
  /// Small ones are phased if \p OfAnySize.
  Phases run(bool IsProduct, bool OfAnySize) override {
    PhaseLoops Copy(*Nest.front(), LI, DT);
    expandAll(&Copy.front());
    Copy.copy(condition(&Copy.front(), OfAnySize));
    for (Tap &T : reverse(Taps)) {
      PHINode *Phase = Copy.addPhases(T.By);
      IRBuilder<> B(Phase->getParent()->getTerminator());
      Value *Last = B.CreateUDiv(B.CreateSub(T.Last, Phase), T.By);
      Copy.countFrom(*Nest[T.Position], Phase, T.By, Last, Steps);
    }
    return Copy.finish(*Nest.back(), /*IsFallback=*/!IsProduct);
  }

private:
  /// A loop over taps, and how many of them are as far apart as two places.
  struct Tap {
    unsigned Position, Places;
    const SCEV *Distance; ///< in 64 bits
    /// How many steps apart elements of one row are at most, as the nest tests, or
    /// null.
    const SCEV *Width = nullptr;
    Value *By = nullptr, *Last = nullptr;
  };

  /// One store, of C, and loads of C and of two factors or more.
  bool findAccesses() {
    SmallVector<LoadInst *, 4> Loads;
    for (BasicBlock *BB : Nest.front()->blocks())
      for (Instruction &I : *BB) {
        noteExtension(I);
        const Value *Pointer = getLoadStorePointerOperand(&I);
        if (Pointer && Pointer->getType()->getPointerAddressSpace() != 0)
          return false;
        if (auto *Load = dyn_cast<LoadInst>(&I))
          Loads.push_back(Load);
        if (!isa<StoreInst>(I))
          continue;
        if (Store)
          return false;
        Store = cast<StoreInst>(&I);
      }
    std::optional<Form> Stored =
        Store ? formOf(Store->getPointerOperand()) : std::nullopt;
    if (!Stored)
      return false;
    C = *Stored;
    const SCEV *Element = SE.getSCEV(Store->getPointerOperand());
    for (LoadInst *Load : Loads) {
      if (SE.getSCEV(Load->getPointerOperand()) == Element)
        continue;
      std::optional<Form> Read = formOf(Load->getPointerOperand());
      if (!Read)
        return false;
      Factors.push_back({Load, *Read});
    }
    return Factors.size() >= 2;
  }

  /// Whether one factor moves with the loop at \p Places, another one with that at
  /// \p Taps, and none with both.
  bool areOfTwoFactors(unsigned Places, unsigned Taps) const {
    bool HasPlaces = false, HasTaps = false;
    for (const auto &[Load, Of] : Factors) {
      bool MovesPlaces = Of.Step[Places], MovesTaps = Of.Step[Taps];
      if (MovesPlaces && MovesTaps)
        return false;
      HasPlaces |= MovesPlaces;
      HasTaps |= MovesTaps;
    }
    return HasPlaces && HasTaps;
  }

  /// How many steps of taps are one of places, if that is a small number.
  const SCEV *distance(const SCEV *OfPlaces, const SCEV *OfTaps) {
    constexpr unsigned Most = 8;
    for (unsigned N = 2; N <= Most; ++N) {
      const SCEV *S = SE.getConstant(OfTaps->getType(), N);
      if (SE.getMulExpr(OfTaps, S) == OfPlaces)
        return S;
    }
    return nullptr;
  }

  bool findTaps() {
    SmallBitVector Taken(Nest.size());
    for (unsigned Places = 0; Places < Nest.size(); ++Places)
      for (unsigned Of = 0; Of < Nest.size(); ++Of) {
        if (Of == Places || !C.Step[Of] || !C.Step[Places] ||
            !areOfTwoFactors(Places, Of))
          continue;
        const SCEV *By = distance(C.Step[Places], C.Step[Of]);
        if (!By)
          continue;
        // No two taps of so few lead to one element.
        const SCEV *Last = SE.getBackedgeTakenCount(Nest[Of]);
        if (auto *Known = dyn_cast<SCEVConstant>(Last);
            Known && Known->getAPInt().ult(
                         cast<SCEVConstant>(By)->getAPInt().getZExtValue()))
          continue;
        if (Taken.test(Places) || Taken.test(Of))
          return false;
        Taken.set(Places);
        Taken.set(Of);
        Taps.push_back({Of, Places, By});
      }
    return !Taps.empty();
  }

  bool areKnownInFront() {
    return areTestsKnownInFront() && isKnownInFront(C) &&
           all_of(Factors, [&](const auto &Factor) {
             return isKnownInFront(Factor.second);
           });
  }

  /// A bound of places and taps together, which the nest tests.
  struct Bound {
    const SCEV *Index, *Limit; ///< the least value, or the greatest one
    bool IsLower;
  };

  /// Calls \p Fn with what is known where \p Condition is \p Holds.
  template <typename FnT> void forBounds(Value *Condition, bool Holds, FnT Fn) {
    Value *X, *Y;
    if (Holds ? match(Condition, m_LogicalAnd(m_Value(X), m_Value(Y)))
              : match(Condition, m_LogicalOr(m_Value(X), m_Value(Y)))) {
      forBounds(X, Holds, Fn);
      forBounds(Y, Holds, Fn);
      return;
    }
    auto *Compare = dyn_cast<ICmpInst>(Condition);
    if (!Compare || !SE.isSCEVable(Compare->getOperand(0)->getType()) ||
        !Compare->getOperand(0)->getType()->isIntegerTy())
      return;
    CmpPredicate Is =
        Holds ? Compare->getPredicate() : Compare->getInversePredicate();
    const SCEV *Index = SE.getSCEV(Compare->getOperand(0)),
               *Limit = SE.getSCEV(Compare->getOperand(1));
    if (SE.isLoopInvariant(Index, Nest.front())) {
      std::swap(Index, Limit);
      Is = ICmpInst::getSwappedPredicate(Is);
    }
    bool IsUnsigned = ICmpInst::isUnsigned(Is);
    const SCEV *Wide = IsUnsigned ? SE.getNoopOrZeroExtend(Limit, I64)
                                  : SE.getNoopOrSignExtend(Limit, I64);
    bool IsLower = ICmpInst::isGT(Is) || ICmpInst::isGE(Is);
    if (!(IsLower || ICmpInst::isLT(Is) || ICmpInst::isLE(Is)) ||
        (IsLower && IsUnsigned))
      return;
    int Strict = ICmpInst::isStrictPredicate(Is) ? IsLower ? 1 : -1 : 0;
    Fn(Bound{Index, SE.getAddExpr(Wide, SE.getConstant(I64, Strict, true)),
             IsLower});
    if (IsUnsigned)
      Fn(Bound{Index, SE.getZero(I64), /*IsLower=*/true});
  }

  /// Whether \p S moves by one with each tap of \p T, and with nothing but its
  /// places and taps.
  bool isIndexOf(const SCEV *S, const Tap &T) {
    std::optional<Form> Of = formOf(S);
    if (!Of)
      return false;
    for (auto [Position, Step] : enumerate(Of->Step)) {
      if (Position != T.Position && Position != T.Places) {
        if (Step)
          return false;
        continue;
      }
      if (!Step || Step != (Position == T.Position
                                ? SE.getOne(Step->getType())
                                : SE.getTruncateOrZeroExtend(T.Distance,
                                                             Step->getType())))
        return false;
    }
    return true;
  }

  /// Whether \p S is a small constant.
  static bool isSmall(const SCEV *S) {
    auto *Constant = dyn_cast<SCEVConstant>(S);
    return Constant && Constant->getAPInt().abs().ult(1 << 20);
  }

  /// Looks for the tests that the store stands behind.
  void findWidths() {
    SmallVector<Bound, 8> Bounds;
    BasicBlock *At = Store->getParent();
    for (auto *Node = DT.getNode(At)->getIDom();
         Node && Nest.front()->contains(Node->getBlock());
         Node = Node->getIDom()) {
      auto *Branch = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (!Branch || Branch->isUnconditional())
        continue;
      for (unsigned Side : {0, 1})
        if (DT.dominates(
                BasicBlockEdge(Node->getBlock(), Branch->getSuccessor(Side)),
                At))
          forBounds(Branch->getCondition(), Side == 0,
                    [&](const Bound &Of) { Bounds.push_back(Of); });
    }
    for (Tap &T : Taps)
      for (const Bound &Low : Bounds)
        for (const Bound &High : Bounds) {
          if (!Low.IsLower || High.IsLower || !isIndexOf(Low.Index, T) ||
              !isIndexOf(High.Index, T) ||
              Low.Index->getType() != High.Index->getType())
            continue;
          // Where indices differ, neither wraps close to small numbers.
          const SCEV *Between = SE.getMinusSCEV(Low.Index, High.Index);
          if (!Between->isZero() && (!isSmall(Between) || !isSmall(Low.Limit)))
            continue;
          const SCEV *Width =
              SE.getAddExpr(SE.getMinusSCEV(High.Limit, Low.Limit),
                            SE.getNoopOrSignExtend(Between, I64));
          if (isKnownInFront(Width))
            T.Width = Width;
        }
  }

  void expandAll(Instruction *At) {
    SCEVExpander Expander(SE, "tilesmith");
    for (Tap &T : Taps) {
      T.By = Expander.expandCodeFor(T.Distance, I64, At);
      T.Last = Expander.expandCodeFor(lastOf(T.Position), I64, At);
      for (PHINode &Phi : Nest[T.Position]->getHeader()->phis()) {
        auto *Rec = cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
        const SCEV *Step = Rec->getStepRecurrence(SE);
        Steps[&Phi] = Expander.expandCodeFor(Step, Step->getType(), At);
      }
    }
  }

  /// Whether the loop at \p Position is over places or taps.
  bool isOfPair(unsigned Position) const {
    return any_of(Taps, [&](const Tap &T) {
      return T.Position == Position || T.Places == Position;
    });
  }

  /// The steps that lead to elements of C: those of places and taps are of one
  /// length.
  SmallVector<Range, 8> rangesOfC() {
    SmallVector<Range, 8> Ranges;
    for (const Tap &T : Taps) {
      const SCEV *OfPlaces = SE.getMulExpr(
          SE.getTruncateOrZeroExtend(T.Distance, I64), lastOf(T.Places));
      Ranges.push_back({C.Step[T.Position],
                        SE.getAddExpr(OfPlaces, lastOf(T.Position)), T.Width});
    }
    for (auto [Position, Step] : enumerate(C.Step))
      if (Step && !isOfPair(Position))
        Ranges.push_back({Step, lastOf(Position)});
    return Ranges;
  }

  /// Whether phases may be made, and pay.
  Value *condition(Instruction *At, bool OfAnySize) {
    SCEVExpander Expander(SE, "tilesmith");
    IRBuilder<> B(At);
    Value *Result = B.getTrue();
    auto Require = [&](Value *V) { Result = B.CreateAnd(Result, V); };
    Value *Work = B.getInt64(1); // steps of a phase that has one tap
    for (const Tap &T : Taps) {
      // Each phase has a tap, and one of them has more: or else no two steps lead
      // to one element.
      Require(B.CreateICmpUGE(T.Last, T.By));
      Value *Places = Expander.expandCodeFor(lastOf(T.Places), I64, At);
      Work = B.CreateMul(Work, B.CreateAdd(Places, B.getInt64(1)));
      if (!OfAnySize)
        Require(B.CreateICmpUGE(Places, B.getInt64(MinPlaces - 1)));
    }
    Require(leadsApart(rangesOfC(), Store->getValueOperand()->getType(), B,
                       Expander));
    Value *Images = B.getInt64(1), *Sums = B.getInt64(1);
    for (unsigned Position = 0; Position < Nest.size(); ++Position)
      if (!isOfPair(Position)) {
        Value *Last = Expander.expandCodeFor(lastOf(Position), I64, At);
        Value *&Of = C.Step[Position] ? Images : Sums;
        Of = B.CreateMul(Of, B.CreateAdd(Last, B.getInt64(1)));
      }
    if (!OfAnySize) {
      Require(B.CreateICmpUGE(Images, B.getInt64(MinImages)));
      Require(B.CreateICmpUGE(Sums, B.getInt64(MinSums)));
      Work = B.CreateMul(Work, B.CreateMul(Images, Sums));
      Require(B.CreateICmpUGE(Work, B.getInt64(MinWork)));
    }
    Require(allFit(B, Expander));
    for (const auto &[Load, Of] : Factors)
      if (!areNoAliases(*Store, *Load))
        Require(lieApart(C, *Store, Of, *Load, B, Expander));
    return B.CreateFreeze(Result);
  }

  /// For fewer, rows of a phase are too short for a kernel.
  static constexpr uint64_t MinPlaces = 10;
  /// So many channels of C, and of what is scattered, are enough for a kernel, and so
  /// many steps: a phase with a single tap is a product of that size. (Measured on
  /// Zen 5.)
  static constexpr uint64_t MinImages = 10, MinSums = 4, MinWork = 16384;

  StoreInst *Store = nullptr;
  Form C;
  SmallVector<std::pair<LoadInst *, Form>, 2> Factors;
  SmallVector<Tap, 3> Taps;
  DenseMap<PHINode *, Value *> Steps; ///< of counters of taps
};

} // namespace

std::unique_ptr<PhasedNest> scatteredPhases(Loop &Inner, AAResults &AA,
                                            LoopInfo &LI, DominatorTree &DT,
                                            ScalarEvolution &SE) {
  return std::make_unique<ScatteredPhases>(Inner, AA, LI, DT, SE);
}

bool isLikelyScattered(Loop &Inner, AAResults &AA, LoopInfo &LI,
                       DominatorTree &DT, ScalarEvolution &SE) {
  return Inner.getLoopDepth() >= MinChainLength &&
         ScatteredPhases(Inner, AA, LI, DT, SE).isLikely();
}

} // namespace tilesmith
