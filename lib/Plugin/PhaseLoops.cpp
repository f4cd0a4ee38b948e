//===- PhaseLoops.cpp - a copy of a nest, in loops over phases ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseLoops.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

PhaseLoops::PhaseLoops(Loop &Root, LoopInfo &LI, DominatorTree &DT)
    : Root(Root), LI(LI), DT(DT) {
  for (Loop *L : Root.getLoopsInPreorder())
    if (!L->getLoopPreheader())
      InsertPreheaderForLoop(L, &DT, &LI, /*MSSAU=*/nullptr,
                             /*PreserveLCSSA=*/false);
  From = Root.getLoopPreheader();
  Source = SplitBlock(From, From->getTerminator(), &DT, &LI,
                      /*MSSAU=*/nullptr);
}

void PhaseLoops::copy(Value *IsPhased) {
  Function &F = *From->getParent();
  BasicBlock *Exit = Root.getUniqueExitBlock();
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Source, From, &Root, Map, ".phased", &LI,
                                      &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  Last = BasicBlock::Create(F.getContext(), "phased.end", &F);
  BranchInst::Create(Exit, Last);
  auto *Latch = cast<BasicBlock>(Map[Root.getLoopLatch()]);
  Latch->getTerminator()->replaceSuccessorWith(Exit, Last);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(Root.getLoopLatch()), Last);

  First = Copy->getLoopPreheader();
  Start = BasicBlock::Create(F.getContext(), "phases", &F, First);
  BranchInst *Old = cast<BranchInst>(From->getTerminator());
  BranchInst::Create(Start, Source, IsPhased, Old->getIterator());
  Old->eraseFromParent();
  First->replacePhiUsesWith(From, Start);
  BranchInst::Create(First, Start);
}

PHINode *PhaseLoops::addPhases(Value *Count) {
  Function &F = *From->getParent();
  LLVMContext &Ctx = F.getContext();
  auto *Header = BasicBlock::Create(Ctx, "phase", &F, First);
  auto *Exit = BasicBlock::Create(Ctx, "phases.end", &F);
  BasicBlock *After = Last->getUniqueSuccessor();
  Start->getTerminator()->replaceSuccessorWith(First, Header);
  First->replacePhiUsesWith(Start, Header);
  IRBuilder<> B(Header);
  PHINode *Phase = B.CreatePHI(B.getInt64Ty(), 2, "phase");
  B.CreateBr(First);
  Last->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Last);
  Value *Next = B.CreateNUWAdd(Phase, B.getInt64(1));
  B.CreateCondBr(B.CreateICmpEQ(Next, Count), Exit, Header);
  Phase->addIncoming(B.getInt64(0), Start);
  Phase->addIncoming(Next, Last);
  BranchInst::Create(After, Exit);
  After->replacePhiUsesWith(Last, Exit);
  First = Header;
  Last = Exit;
  return Phase;
}

PHINode *PhaseLoops::countFrom(const Loop &Source, Value *First, Value *By,
                               Value *Last,
                               const DenseMap<PHINode *, Value *> &Steps) {
  auto *Header = cast<BasicBlock>(Map[Source.getHeader()]);
  auto *Latch = cast<BasicBlock>(Map[Source.getLoopLatch()]);
  auto *Pre = cast<BasicBlock>(Map[Source.getLoopPreheader()]);
  IRBuilder<> B(Pre->getTerminator());
  auto Move = [&](Value *V, Value *Step, Value *Times) -> Value * {
    Value *Way = B.CreateMul(Step, B.CreateZExtOrTrunc(Times, Step->getType()));
    return V->getType()->isPointerTy() ? B.CreatePtrAdd(V, Way)
                                       : B.CreateAdd(V, Way);
  };
  for (PHINode &Old : Source.getHeader()->phis()) {
    Value *Step = Steps.lookup(&Old);
    if (!Step)
      continue;
    auto *Phi = cast<PHINode>(Map[&Old]);
    B.SetInsertPoint(Pre->getTerminator());
    Phi->setIncomingValueForBlock(
        Pre, Move(Phi->getIncomingValueForBlock(Pre), Step, First));
    B.SetInsertPoint(Latch->getTerminator());
    Phi->setIncomingValueForBlock(Latch, Move(Phi, Step, By));
  }
  B.SetInsertPoint(Header, Header->begin());
  PHINode *Count = B.CreatePHI(B.getInt64Ty(), 2);
  auto *Branch = cast<BranchInst>(Latch->getTerminator());
  B.SetInsertPoint(Branch);
  Count->addIncoming(B.getInt64(0), Pre);
  Count->addIncoming(B.CreateNUWAdd(Count, B.getInt64(1)), Latch);
  bool GoesOn = Branch->getSuccessor(0) == Header;
  Branch->setCondition(B.CreateICmp(
      GoesOn ? ICmpInst::ICMP_NE : ICmpInst::ICMP_EQ, Count, Last));
  return Count;
}

Phases PhaseLoops::finish(const Loop &Innermost, bool IsFallback) {
  auto *Sums = cast<BasicBlock>(Map[Innermost.getHeader()]);
  if (IsFallback)
    addStringMetadataToLoop(&Root, FallbackMark, 1);
  DT.recalculate(*Start->getParent());
  LI.releaseMemory();
  LI.analyze(DT);
  return {Start, Sums};
}

} // namespace tilesmith
