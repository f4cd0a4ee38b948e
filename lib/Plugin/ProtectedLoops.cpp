//===- ProtectedLoops.cpp - loops that LLVM leaves alone for a while ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProtectedLoops.h"
#include "UnrollProtection.h"
#include "tilesmith/Idiom/Surroundings.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/BDCE.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/JumpThreading.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/MergedLoadStoreMotion.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Vectorize/VectorCombine.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

//===-- Marks -------------------------------------------------------------===//

static constexpr char UnrollDisable[] = "llvm.loop.unroll.disable";
const char StaysMark[] = "tilesmith.stays";

bool isProtected(const Loop &L) {
  return findOptionMDForLoop(&L, ProtectedMark) != nullptr;
}

bool staysLoop(const Loop &L) {
  return findOptionMDForLoop(&L, StaysMark) != nullptr;
}

void protect(Loop &L) {
  addStringMetadataToLoop(&L, ProtectedMark, 1);
  addStringMetadataToLoop(&L, UnrollDisable, 1);
}

void release(Loop &L) {
  L.setLoopID(makePostTransformationMetadata(
      L.getHeader()->getContext(), L.getLoopID(),
      {ProtectedMark, UnrollDisable, UnrollsRowsMark, StaysMark}, {}));
}

static constexpr char ToldMark[] = "tilesmith.told";

/// The line at which \p L begins, or zero.
static unsigned lineOf(const Loop &L) {
  DebugLoc Start = L.getStartLoc();
  return Start ? Start.getLine() : 0;
}

void markTold(Loop &Innermost) {
  for (Loop *L = Innermost.getParentLoop(); L; L = L->getParentLoop())
    if (!isTold(*L))
      addStringMetadataToLoop(L, ToldMark, lineOf(Innermost));
}

bool isTold(const Loop &L) {
  return findOptionMDForLoop(&L, ToldMark) != nullptr;
}

bool isVersionTold(const Loop &Innermost) {
  for (const Loop *L = Innermost.getParentLoop(); L; L = L->getParentLoop())
    if (auto Line = getOptionalIntLoopAttribute(L, ToldMark))
      return *Line != 0 && unsigned(*Line) == lineOf(Innermost);
  return false;
}

//===-- Release -----------------------------------------------------------===//

namespace {

/// Few \p Rows are left if the nest has been replaced: vectors of columns suit them,
/// not vectors across them, with gathers, whose loop LLVM enters for eight rows.
void keepRowsScalar(Loop &Rows) {
  if (isMarkedAsFallback(Rows))
    addStringMetadataToLoop(&Rows, "llvm.loop.vectorize.enable", 0);
}

bool storesIntegers(const Loop *L) {
  return any_of(L->blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      auto *Store = dyn_cast<StoreInst>(&I);
      return Store && Store->getValueOperand()->getType()->isIntegerTy();
    });
  });
}

/// Unrolls the loops that were protected, and no others.
struct ReleasePass : PassInfoMixin<ReleasePass> {
  LoopFullUnrollPass Unroll;
  IndVarSimplifyPass Simplify;
  /// The headers of loops around them.
  SmallPtrSet<const BasicBlock *, 8> Around;

  ReleasePass(ArrayRef<Loop *> Protected, unsigned SpeedupLevel)
      : Unroll(SpeedupLevel) {
    for (const Loop *L : Protected)
      while ((L = L->getParentLoop()) && Around.insert(L->getHeader()).second)
        ;
  }

  /// As LLVM does between the unrolling of loops inside and that of \p L: tests of a
  /// counter and a constant, which the steps of unrolled loops make, may be known now.
  void simplifyAround(Loop &L, LoopAnalysisManager &AM,
                      LoopStandardAnalysisResults &Results,
                      LPMUpdater &Updater) {
    if (Around.contains(L.getHeader()))
      Simplify.run(L, AM, Results, Updater);
  }

  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &Results,
                        LPMUpdater &Updater) {
    simplifyAround(L, AM, Results, Updater);
    if (!isProtected(L))
      return Around.contains(L.getHeader()) ? getLoopPassPreservedAnalyses()
                                            : PreservedAnalyses::all();
    if (findOptionMDForLoop(&L, UnrollsRowsMark))
      keepRowsScalar(*L.getParentLoop()->getParentLoop());
    const bool Stays = staysLoop(L);
    release(L);
    return Stays ? PreservedAnalyses::none()
                 : Unroll.run(L, AM, Results, Updater);
  }
};

/// LLVM peels a loop around windows, once these are unrolled, for `0 <= x && x < n`, but
/// not for `x - 1 <u n`, which it has made of that since the loop was protected.
void splitRangeTests(Loop &L, const DataLayout &Layout) {
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : make_early_inc_range(*BB)) {
      auto *Test = dyn_cast<ICmpInst>(&I);
      Value *From, *At = I.getNumOperands() ? I.getOperand(0) : nullptr;
      const APInt *Offset;
      if (!Test || !match(At, m_Add(m_Value(From), m_APInt(Offset))) ||
          !Offset->isNegative() || Offset->isMinSignedValue() ||
          !isKnownNonNegative(From, Layout) ||
          !isKnownNonNegative(Test->getOperand(1), Layout))
        continue;
      IRBuilder<> B(Test);
      auto Pred = Test->getPredicate();
      if (Pred != ICmpInst::ICMP_ULT && Pred != ICmpInst::ICMP_UGE)
        continue;
      bool IsInside = Pred == ICmpInst::ICMP_ULT;
      Constant *Least = ConstantInt::get(From->getType(), -*Offset);
      Value *Low = B.CreateICmp(
          IsInside ? ICmpInst::ICMP_SGE : ICmpInst::ICMP_SLT, From, Least);
      Value *High =
          B.CreateICmp(IsInside ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_SGE, At,
                       Test->getOperand(1));
      Test->replaceAllUsesWith(IsInside ? B.CreateAnd(Low, High)
                                        : B.CreateOr(Low, High));
      Test->eraseFromParent();
    }
}

/// While it lives, assumptions in front of loops say what branches before them do.
/// ScalarEvolution follows these from block to block, but not beyond one that several
/// lead to, as the branches in front of a fall-back do.
class KnownInFront {
public:
  KnownInFront(ArrayRef<Loop *> Protected, FunctionAnalysisManager &FAM,
               Function &F)
      : DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AC(FAM.getResult<AssumptionAnalysis>(F)) {
    SmallPtrSet<const Loop *, 4> Done;
    for (const Loop *L : Protected)
      if (Done.insert(L->getOutermostLoop()).second)
        if (BasicBlock *Front = L->getOutermostLoop()->getLoopPreheader())
          tell(*Front);
  }
  ~KnownInFront() {
    for (Value *V : reverse(Told)) {
      auto *I = dyn_cast_or_null<Instruction>(V);
      if (auto *Assume = dyn_cast_or_null<AssumeInst>(I))
        AC.unregisterAssumption(Assume);
      if (I)
        I->eraseFromParent();
    }
  }

private:
  void tell(BasicBlock &Front) {
    for (auto *Node = DT.getNode(&Front)->getIDom(); Node;
         Node = Node->getIDom()) {
      auto *Br = dyn_cast<BranchInst>(Node->getBlock()->getTerminator());
      if (!Br || !Br->isConditional())
        continue;
      for (unsigned Way : {0, 1})
        if (DT.dominates({Br->getParent(), Br->getSuccessor(Way)}, &Front))
          tell(*Br->getCondition(), /*IsTrue=*/Way == 0, Front);
    }
  }

  void tell(Value &Condition, bool IsTrue, BasicBlock &Front) {
    if (isa<Constant>(Condition))
      return;
    IRBuilder<> B(Front.getTerminator());
    Value *Holds = &Condition;
    if (!IsTrue) {
      Holds = B.CreateXor(Holds, B.getTrue());
      Told.push_back(Holds);
    }
    CallInst *Assume = B.CreateAssumption(Holds);
    AC.registerAssumption(cast<AssumeInst>(Assume));
    Told.push_back(Assume);
  }

  DominatorTree &DT;
  AssumptionCache &AC;
  SmallVector<WeakVH, 8> Told;
};

/// Where a loop counts from zero to \p End, which is at least one: the same number as
/// the source has it, with a sign.
Value *signedEnd(Loop &L, Value &End, ScalarEvolution &SE, IRBuilder<> &B) {
  auto IsPositive = [&](Value *V) {
    const SCEV *N = SE.getSCEV(V);
    return SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_SGT, N,
                                       SE.getZero(N->getType()));
  };
  Value *Narrow;
  if (match(&End, m_ZExt(m_Value(Narrow))) && IsPositive(Narrow))
    return B.CreateSExt(Narrow, End.getType());
  return IsPositive(&End) ? &End : nullptr;
}

/// Tests at the end of \p L whether the next number is below the end again, where LLVM
/// has made a test for the end itself of that: it tells more about the numbers before,
/// and the same is made of it once more.
void restoreEnd(Loop &L, ScalarEvolution &SE) {
  PHINode *Counter = L.getCanonicalInductionVariable();
  BasicBlock *Latch = L.getLoopLatch();
  if (!Counter || !Latch || !L.isLoopExiting(Latch))
    return;
  auto *Br = dyn_cast<BranchInst>(Latch->getTerminator());
  auto *Test = Br ? dyn_cast<ICmpInst>(Br->getCondition()) : nullptr;
  if (!Test || !Test->isEquality() || !Test->hasOneUse() ||
      Test->getOperand(0) != Counter->getIncomingValueForBlock(Latch) ||
      !L.isLoopInvariant(Test->getOperand(1)))
    return;
  IRBuilder<> B(L.getLoopPreheader()->getTerminator());
  Value *End = signedEnd(L, *Test->getOperand(1), SE, B);
  if (!End)
    return;
  bool GoesOn = Test->getPredicate() == ICmpInst::ICMP_NE;
  Test->setPredicate(GoesOn ? ICmpInst::ICMP_SLT : ICmpInst::ICMP_SGE);
  Test->setOperand(1, End);
  SE.forgetLoop(&L);
}

/// Unrolls the loops that are protected, with what LLVM does in between.
void unroll(ArrayRef<Loop *> Protected, Function &F,
            FunctionAnalysisManager &FAM, unsigned SpeedupLevel) {
  KnownInFront Known(Protected, FAM, F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  SmallPtrSet<Loop *, 8> Around;
  for (Loop *L : Protected)
    while ((L = L->getParentLoop()) && Around.insert(L).second)
      restoreEnd(*L, SE);
  auto Release =
      createFunctionToLoopPassAdaptor(ReleasePass(Protected, SpeedupLevel));
  PreservedAnalyses Kept = Release.run(F, FAM);
  Kept.abandon<ScalarEvolutionAnalysis>(); // which has seen the assumptions
  FAM.invalidate(F, Kept);
}

} // namespace

bool releaseProtectedLoops(Function &F, FunctionAnalysisManager &FAM,
                           unsigned SpeedupLevel) {
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (isTold(*L))
      L->setLoopID(makePostTransformationMetadata(
          F.getContext(), L->getLoopID(), {ToldMark}, {}));
  SmallVector<Loop *, 8> Protected;
  copy_if(FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder(),
          std::back_inserter(Protected),
          [](Loop *L) { return isProtected(*L); });
  if (Protected.empty())
    return false;
  bool HasIntegers = any_of(Protected, storesIntegers);
  for (Loop *L : Protected)
    if (L->isInnermost())
      splitRangeTests(*L, F.getDataLayout());
  unroll(Protected, F, FAM, SpeedupLevel);
  FunctionPassManager FPM;
  // The same passes as LLVM's own behind its unrolling, and no better ones: what
  // vectors the SLP vectoriser makes, and how often a loop around is unrolled,
  // depends on what is left to do. (See buildFunctionSimplificationPipeline.)
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(VectorCombinePass(/*TryEarlyFoldsOnly=*/true));
  FPM.addPass(MergedLoadStoreMotionPass());
  FPM.addPass(GVNPass());
  FPM.addPass(SCCPPass());
  FPM.addPass(BDCEPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(JumpThreadingPass());
  FPM.addPass(CorrelatedValuePropagationPass());
  FPM.addPass(ADCEPass());
  FPM.addPass(DSEPass());
  // Of integers in registers, LLVM would make vectors along k, of which each element
  // is loaded alone.
  if (!HasIntegers)
    FPM.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                /*UseMemorySSA=*/true));
  FPM.addPass(SimplifyCFGPass(SimplifyCFGOptions()
                                  .convertSwitchRangeToICmp(true)
                                  .hoistCommonInsts(true)
                                  .sinkCommonInsts(true)));
  FPM.addPass(InstCombinePass());
  FAM.invalidate(F, FPM.run(F, FAM));
  return true;
}

} // namespace tilesmith
