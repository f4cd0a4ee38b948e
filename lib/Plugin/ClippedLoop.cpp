//===- ClippedLoop.cpp - bounds that are clipped to an image --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClippedLoop.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

Value *withoutExtension(Value *V) {
  Value *Narrow;
  return match(V, m_ZExtOrSExt(m_Value(Narrow))) ? Narrow : V;
}

/// A bound of a loop, in the type in which the source compares: the greatest, or
/// the least, of a number that does not change in the nest and others that do.
struct Bound {
  Value *Narrow = nullptr;
  Value *Whole = nullptr;
  SmallVector<Value *, 1> Clips;
};

/// The counter of a loop, which goes up by one, and what it is compared with.
struct Counting {
  PHINode *Counter;
  Value *End;
};

std::optional<Counting> countingOf(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  auto *Br = Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  if (!Br || !Br->isConditional() || L.getExitingBlock() != Latch ||
      !L.getLoopPreheader())
    return std::nullopt;
  CmpPredicate P;
  Value *Next, *End;
  if (!match(Br->getCondition(), m_ICmp(P, m_Value(Next), m_Value(End))))
    return std::nullopt;
  bool GoesOn = Br->getSuccessor(0) == L.getHeader();
  CmpInst::Predicate Passes =
      GoesOn ? CmpInst::Predicate(P) : CmpInst::getInversePredicate(P);
  if (Passes != ICmpInst::ICMP_NE && !ICmpInst::isLT(Passes))
    return std::nullopt;
  for (PHINode &Phi : const_cast<Loop &>(L).getHeader()->phis())
    if (Phi.getIncomingValueForBlock(Latch) == Next &&
        match(Next, m_c_Add(m_Specific(&Phi), m_One())) &&
        L.isLoopInvariant(End))
      return Counting{&Phi, End};
  return std::nullopt;
}

/// A maximum (or minimum), of unsigned numbers only if these \p MayBeUnsigned.
bool matchExtreme(Value *V, bool Max, bool MayBeUnsigned, Value *&X,
                  Value *&Y) {
  if (Max ? match(V, m_SMax(m_Value(X), m_Value(Y)))
          : match(V, m_SMin(m_Value(X), m_Value(Y))))
    return true;
  return MayBeUnsigned && (Max ? match(V, m_UMax(m_Value(X), m_Value(Y)))
                               : match(V, m_UMin(m_Value(X), m_Value(Y))));
}

bool isExtreme(Value *V, bool Max) {
  Value *X, *Y;
  return matchExtreme(withoutExtension(V), Max, /*MayBeUnsigned=*/true, X, Y);
}

class Widener {
public:
  Widener(Loop &L, FunctionAnalysisManager &FAM)
      : L(L), F(*L.getHeader()->getParent()),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
           FAM.getResult<AssumptionAnalysis>(F), DT, LI) {}

  /// Finds the bounds; false if they are not clipped, or if more depends on them
  /// than which steps are made.
  bool prepare() {
    std::optional<Counting> Found = countingOf(L);
    if (!Found)
      return false;
    Counter = Found->Counter;
    Value *Start = Counter->getIncomingValueForBlock(L.getLoopPreheader());
    return parse(Start, First, /*IsFirst=*/true) &&
           parse(Found->End, End, /*IsFirst=*/false) &&
           (!First.Clips.empty() || !End.Clips.empty()) && isEntered() &&
           carriesValues();
  }

  void run() {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch();
    BasicBlock *Body = SplitBlock(Header, Header->getFirstNonPHIIt(), &DT, &LI);
    if (Latch == Header)
      Latch = Body;
    BasicBlock *Next = SplitBlock(Latch, Latch->getTerminator(), &DT, &LI);
    makeTest(*Header, *Body, *Next);
    DT.changeImmediateDominator(Next, Header);
    carryValues(*Header, *Latch, *Next);
    count(*Next);
  }

private:
  /// Splits \p V into what clips the loop, and the bound that it has elsewhere.
  bool parse(Value *V, Bound &To, bool IsFirst) {
    To.Narrow = withoutExtension(V);
    SmallVector<Value *, 4> Work{To.Narrow};
    while (!Work.empty()) {
      Value *Part = Work.pop_back_val(), *X, *Y;
      if (!root().isLoopInvariant(Part) &&
          (matchExtreme(Part, IsFirst, /*MayBeUnsigned=*/false, X, Y) ||
           (matchExtreme(Part, IsFirst, /*MayBeUnsigned=*/true, X, Y) &&
            SE.isKnownNonNegative(SE.getSCEV(X)) &&
            SE.isKnownNonNegative(SE.getSCEV(Y))))) {
        Work.append({X, Y});
      } else if (!root().isLoopInvariant(Part)) {
        To.Clips.push_back(Part);
      } else if (To.Whole) {
        return false;
      } else {
        To.Whole = Part;
      }
    }
    return To.Whole != nullptr;
  }

  Loop &root() const { return *L.getOutermostLoop(); }

  /// Whether the loop is entered only if it begins before it ends, as signed
  /// numbers.
  bool isEntered() {
    return First.Narrow->getType() == End.Narrow->getType() &&
           SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_SLT,
                                       SE.getSCEV(First.Narrow),
                                       SE.getSCEV(End.Narrow));
  }

  /// Whether what an iteration changes is the counter and sums, which stay as
  /// they are where no step is made.
  bool carriesValues() {
    SmallPtrSet<const Value *, 4> Carried;
    for (PHINode &Phi : L.getHeader()->phis()) {
      if (&Phi != Counter && SE.isSCEVable(Phi.getType()) &&
          isa<SCEVAddRecExpr>(SE.getSCEV(&Phi)))
        return false;
      if (&Phi != Counter)
        Carried.insert(Phi.getIncomingValueForBlock(L.getLoopLatch()));
    }
    return all_of(L.blocks(), [&](const BasicBlock *BB) {
      return all_of(*BB, [&](const Instruction &I) {
        return Carried.contains(&I) || all_of(I.users(), [&](const User *U) {
                 return L.contains(cast<Instruction>(U));
               });
      });
    });
  }

  /// \p V as wide as the counter.
  Value *widened(IRBuilder<> &B, Value *V) {
    return B.CreateSExt(V, Counter->getType());
  }

  void makeTest(BasicBlock &Header, BasicBlock &Body, BasicBlock &Next) {
    IRBuilder<> B(Header.getTerminator());
    Value *IsInside = nullptr;
    auto Test = [&](CmpInst::Predicate P, Value *Clip) {
      Value *Passes = B.CreateICmp(P, Counter, widened(B, Clip));
      IsInside = IsInside ? B.CreateAnd(IsInside, Passes) : Passes;
    };
    for (Value *Clip : First.Clips)
      Test(ICmpInst::ICMP_SGE, Clip);
    for (Value *Clip : End.Clips)
      Test(ICmpInst::ICMP_SLT, Clip);
    B.CreateCondBr(IsInside, &Body, &Next)
        ->setMetadata(ClippedMark, MDNode::get(F.getContext(), {}));
    Header.getTerminator()->eraseFromParent();
  }

  /// Sums stay as they were where there is no step.
  void carryValues(BasicBlock &Header, BasicBlock &Latch, BasicBlock &Next) {
    for (PHINode &Phi : Header.phis()) {
      if (&Phi == Counter)
        continue;
      Value *Sum = Phi.getIncomingValueForBlock(&Next);
      PHINode *After = PHINode::Create(Sum->getType(), 2, "", Next.begin());
      After->addIncoming(&Phi, &Header);
      After->addIncoming(Sum, &Latch);
      Sum->replaceUsesWithIf(After, [&](Use &U) {
        auto *User = cast<Instruction>(U.getUser());
        return User == &Phi || !L.contains(User);
      });
    }
  }

  /// Counts from the first number to the last one.
  void count(BasicBlock &Next) {
    auto *Old = cast<BranchInst>(Next.getTerminator());
    IRBuilder<> B(L.getLoopPreheader()->getTerminator());
    Value *From = widened(B, First.Whole), *To = widened(B, End.Whole);
    B.SetInsertPoint(Old);
    Value *Following =
        B.CreateAdd(Counter, ConstantInt::get(From->getType(), 1));
    bool GoesOn = Old->getSuccessor(0) == L.getHeader();
    Old->setCondition(B.CreateICmp(
        GoesOn ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, Following, To));
    Counter->setIncomingValueForBlock(L.getLoopPreheader(), From);
    Counter->setIncomingValueForBlock(&Next, Following);
  }

  Loop &L;
  Function &F;
  LoopInfo &LI;
  DominatorTree &DT;
  ScalarEvolution SE;
  PHINode *Counter = nullptr;
  Bound First, End;
};

} // namespace

bool mayBeClipped(const Loop &L) {
  std::optional<Counting> Found = countingOf(L);
  return Found && (isExtreme(Found->End, /*Max=*/false) ||
                   isExtreme(Found->Counter->getIncomingValueForBlock(
                                 L.getLoopPreheader()),
                             /*Max=*/true));
}

bool makeWhole(Loop &L, FunctionAnalysisManager &FAM) {
  Widener Made(L, FAM);
  bool IsClipped = Made.prepare();
  if (IsClipped)
    Made.run();
  return IsClipped;
}

} // namespace tilesmith
