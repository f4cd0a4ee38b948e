//===- JoinedSteps.cpp - one loop of two that skip and make steps ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedSteps.h"
#include "tilesmith/Idiom/SkippedSteps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

class Joiner {
public:
  Joiner(Loop &Skip, LoopInfo &LI, DominatorTree &DT)
      : Skip(Skip), Steps(*Skip.getParentLoop()), Header(*Steps.getHeader()),
        LI(LI), DT(DT) {}

  /// Finds out what changes where a step is skipped; false if the loops cannot be
  /// one.
  bool prepare() {
    SmallVector<BasicBlock *, 2> Exits;
    Skip.getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      if (Steps.contains(Exit))
        FoldSingleEntryPHINodes(Exit);
    SkipLatch = Skip.getLoopLatch();
    StepLatch = Steps.getLoopLatch();
    if (Skip.getLoopPreheader() != &Header || !SkipLatch || !StepLatch ||
        !isa<BranchInst>(SkipLatch->getTerminator()) ||
        (StepLatch->getUniqueSuccessor() != &Header && !endAlike()))
      return false;
    for (PHINode &Phi : Skip.getHeader()->phis()) {
      auto *First = cast<PHINode>(Phi.getIncomingValueForBlock(&Header));
      if (!Counters.insert({First, &Phi}).second)
        return false;
    }
    for (auto [First, Counter] : Counters)
      for (User *U : First->users())
        if (U != Counter && !isKnownEnd(*U, *First, *Counter))
          return false;
    return all_of(Header, [&](const Instruction &I) {
      return isa<PHINode>(I) || I.isTerminator() || !I.mayReadOrWriteMemory();
    });
  }

  void run() {
    for (auto [Compare, Max] : Ends)
      compareEnd(*Compare, *Max);
    BasicBlock *Latch = BasicBlock::Create(
        Header.getContext(), "", Header.getParent(), StepLatch->getNextNode());
    for (PHINode &Phi : Header.phis())
      carry(Phi, *Latch);
    BasicBlock *First = Skip.getHeader();
    SmallVector<DominatorTree::UpdateType, 8> Updates{
        {DominatorTree::Insert, StepLatch, Latch},
        {DominatorTree::Insert, SkipLatch, Latch},
        {DominatorTree::Insert, Latch, &Header},
        {DominatorTree::Delete, StepLatch, &Header},
        {DominatorTree::Delete, SkipLatch, First}};
    if (End)
      endAt(*Latch, Updates);
    else
      BranchInst::Create(&Header, Latch)
          ->setDebugLoc(StepLatch->getTerminator()->getDebugLoc());
    StepLatch->getTerminator()->replaceSuccessorWith(&Header, Latch);
    SkipLatch->getTerminator()->replaceSuccessorWith(First, Latch);
    for (auto [Start, Counter] : Counters) {
      Counter->replaceAllUsesWith(Start);
      Counter->eraseFromParent();
    }
    Steps.addBasicBlockToLoop(Latch, LI);
    DT.applyUpdates(Updates);
    LI.erase(&Skip);
    removeEnds();
    MergeBlockIntoPredecessor(First, /*DTU=*/nullptr, &LI, /*MSSAU=*/nullptr,
                              /*MemDep=*/nullptr,
                              /*PredecessorWithTwoSuccessors=*/false, &DT);
  }

private:
  /// The block behind both loops that \p Latch of \p L may lead to, perhaps through
  /// one that does nothing; null if there is none.
  BasicBlock *endBehind(const Loop &L, BasicBlock &Latch,
                        BasicBlock *&Through) const {
    auto *Br = cast<BranchInst>(Latch.getTerminator());
    if (!Br->isConditional())
      return nullptr;
    BasicBlock *Exit = Br->getSuccessor(Br->getSuccessor(0) == L.getHeader());
    if (Steps.contains(Exit))
      return nullptr;
    if (Exit->getSinglePredecessor() && Exit->getSingleSuccessor() &&
        Exit->getFirstNonPHIIt() == Exit->getTerminator()->getIterator()) {
      Through = Exit;
      return Exit->getSingleSuccessor();
    }
    return Exit;
  }

  static CmpInst::Predicate signedPredicate(const ICmpInst &Compare) {
    return Compare.hasSameSign() ? Compare.getSignedPredicate()
                                 : Compare.getPredicate();
  }

  /// Whether both latches ask the same, and go on to the same block if they leave
  /// the loops.
  bool endAlike() {
    auto *OfStep = dyn_cast<BranchInst>(StepLatch->getTerminator());
    auto *OfSkip = cast<BranchInst>(SkipLatch->getTerminator());
    if (!OfStep)
      return false;
    // Blocks that do nothing may be in front of either.
    BasicBlock *Exit = endBehind(Steps, *StepLatch, ThroughStep);
    if (!Exit || Exit != endBehind(Skip, *SkipLatch, ThroughSkip) ||
        Steps.contains(Exit) || (ThroughStep && ThroughStep == ThroughSkip))
      return false;
    auto *X = dyn_cast<ICmpInst>(OfStep->getCondition()),
         *Y = dyn_cast<ICmpInst>(OfSkip->getCondition());
    bool GoesOn = OfStep->getSuccessor(0) == &Header;
    if (!X || !Y || GoesOn != (OfSkip->getSuccessor(0) == Skip.getHeader()) ||
        signedPredicate(*X) != signedPredicate(*Y) ||
        !equal(X->operands(), Y->operands()) ||
        !all_of(X->operands(), [&](const Use &Op) {
          return DT.dominates(Op.get(), StepLatch->getTerminator()) &&
                 DT.dominates(Op.get(), SkipLatch->getTerminator());
        }))
      return false;
    End = Exit;
    return true;
  }

  /// The loop ends at \p Latch, where the two latches ended.
  void endAt(BasicBlock &Latch,
             SmallVectorImpl<DominatorTree::UpdateType> &Updates) {
    auto *OfStep = cast<BranchInst>(StepLatch->getTerminator());
    auto *OfSkip = cast<BranchInst>(SkipLatch->getTerminator());
    BasicBlock *FromStep = ThroughStep ? ThroughStep : StepLatch;
    BasicBlock *FromSkip = ThroughSkip ? ThroughSkip : SkipLatch;
    for (BasicBlock *BB : {ThroughStep, ThroughSkip})
      if (BB)
        FoldSingleEntryPHINodes(BB);
    for (PHINode &Phi : End->phis()) {
      Value *V = merged(Phi.getIncomingValueForBlock(FromStep),
                        Phi.getIncomingValueForBlock(FromSkip), Phi, Latch);
      // Blocks in front of it are removed later.
      for (BasicBlock *From : {FromStep, FromSkip})
        if (From == StepLatch || From == SkipLatch)
          Phi.removeIncomingValue(From, /*DeletePHIIfEmpty=*/false);
      Phi.addIncoming(V, &Latch);
    }
    IRBuilder<> B(&Latch);
    B.SetCurrentDebugLocation(OfStep->getDebugLoc());
    auto *Asked = cast<ICmpInst>(OfStep->getCondition());
    Value *Again = B.CreateICmp(signedPredicate(*Asked), Asked->getOperand(0),
                                Asked->getOperand(1));
    bool GoesOn = OfStep->getSuccessor(0) == &Header;
    B.CreateCondBr(Again, GoesOn ? &Header : End, GoesOn ? End : &Header);
    Updates.push_back({DominatorTree::Insert, &Latch, End});
    Updates.push_back(
        {DominatorTree::Delete, StepLatch, ThroughStep ? ThroughStep : End});
    Updates.push_back(
        {DominatorTree::Delete, SkipLatch, ThroughSkip ? ThroughSkip : End});
    ReplaceInstWithInst(OfStep, BranchInst::Create(&Header));
    ReplaceInstWithInst(OfSkip, BranchInst::Create(Skip.getHeader()));
  }

  /// Removes what no way leads to any more.
  void removeEnds() {
    for (BasicBlock *BB : {ThroughStep, ThroughSkip})
      if (End && BB) {
        LI.removeBlock(BB);
        DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
        DeleteDeadBlock(BB, &Updater);
      }
  }

  /// \p Made where a step was made, and \p Skipped where it was not.
  Value *merged(Value *Made, Value *Skipped, const PHINode &Of,
                BasicBlock &Latch) const {
    if (Made == Skipped)
      return Made;
    PHINode *Next = PHINode::Create(Of.getType(), 2, "", Latch.begin());
    Next->setDebugLoc(Of.getDebugLoc());
    Next->addIncoming(Made, StepLatch);
    Next->addIncoming(Skipped, SkipLatch);
    return Next;
  }

  /// Whether \p U is the greater one of \p First and an end, as LLVM has it where a
  /// loop might begin behind its end, and nothing but the test whether \p Counter
  /// has come to it.
  bool isKnownEnd(User &U, const PHINode &First, const PHINode &Counter) {
    auto *Max = dyn_cast<MinMaxIntrinsic>(&U);
    if (!Max || Max->getParent() != &Header || !Max->hasOneUse() ||
        !ICmpInst::isGT(Max->getPredicate()) ||
        !Steps.isLoopInvariant(endOf(*Max, First)) ||
        !match(Counter.getIncomingValueForBlock(SkipLatch),
               m_c_Add(m_Specific(&Counter), m_One())))
      return false;
    auto *Compare = dyn_cast<ICmpInst>(*Max->user_begin());
    if (!Compare || !Compare->isEquality() ||
        !is_contained(Compare->operands(), &Counter) ||
        !leaves(*Compare, *Skip.getHeader()))
      return false;
    Ends.push_back({Compare, Max});
    return true;
  }

  static Value *endOf(const MinMaxIntrinsic &Max, const PHINode &First) {
    return Max.getLHS() == &First ? Max.getRHS() : Max.getLHS();
  }

  /// Whether \p BB goes on in the loop only where the two sides of \p Compare differ.
  bool leaves(const ICmpInst &Compare, const BasicBlock &BB) const {
    auto *Br = dyn_cast<BranchInst>(BB.getTerminator());
    bool IfEqual = Compare.getPredicate() == ICmpInst::ICMP_EQ;
    return Br && Br->isConditional() && Br->getCondition() == &Compare &&
           !Steps.contains(Br->getSuccessor(IfEqual ? 0 : 1));
  }

  /// The counter goes up by one until it is \p Max, so it is less than the end of the
  /// loop before, and no less then.
  static void compareEnd(ICmpInst &Compare, MinMaxIntrinsic &Max) {
    bool IsSigned = Max.isSigned();
    CmpInst::Predicate Reached =
        IsSigned ? ICmpInst::ICMP_SGE : ICmpInst::ICMP_UGE;
    bool MaxIsFirst = Compare.getOperand(0) == &Max;
    Value *Counter = Compare.getOperand(MaxIsFirst);
    auto *Start = cast<PHINode>(
        cast<PHINode>(Counter)->getIncomingValueForBlock(Max.getParent()));
    Compare.setPredicate(Compare.getPredicate() == ICmpInst::ICMP_EQ
                             ? Reached
                             : ICmpInst::getInversePredicate(Reached));
    Compare.dropPoisonGeneratingFlags();
    Compare.setOperand(0, Counter);
    Compare.setOperand(1, endOf(Max, *Start));
    Max.eraseFromParent();
  }

  /// What \p Phi is in the next iteration: where a step is skipped, the counter goes
  /// on, and a sum stays as it was.
  void carry(PHINode &Phi, BasicBlock &Latch) {
    PHINode *Counter = Counters.lookup(&Phi);
    int I = Phi.getBasicBlockIndex(StepLatch);
    Value *Made = Phi.getIncomingValue(I);
    Value *Skipped =
        Counter ? Counter->getIncomingValueForBlock(SkipLatch) : &Phi;
    Phi.setIncomingBlock(I, &Latch);
    Phi.setIncomingValue(I, merged(Made, Skipped, Phi, Latch));
  }

  Loop &Skip, &Steps;
  BasicBlock &Header;
  LoopInfo &LI;
  DominatorTree &DT;
  BasicBlock *SkipLatch = nullptr, *StepLatch = nullptr;
  /// Where both latches leave the loops, if they do, and blocks in front of it.
  BasicBlock *End = nullptr, *ThroughStep = nullptr, *ThroughSkip = nullptr;
  /// Counters of the loop that skips, by those of the one around it.
  MapVector<PHINode *, PHINode *> Counters;
  SmallVector<std::pair<ICmpInst *, MinMaxIntrinsic *>, 1> Ends;
};

} // namespace

bool joinSteps(Loop &Skip, LoopInfo &LI, DominatorTree &DT) {
  if (!skipsSteps(Skip))
    return false;
  Joiner Join(Skip, LI, DT);
  if (!Join.prepare())
    return false;
  Join.run();
  return true;
}

} // namespace tilesmith
