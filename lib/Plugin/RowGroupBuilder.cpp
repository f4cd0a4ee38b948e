//===- RowGroupBuilder.cpp - loops over groups of rows --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroupBuilder.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

/// Fewer rows than these are left to the source's loops. (Measured on Zen 5.)
static constexpr uint64_t MinRows = 80;

/// Rows of a group, in bytes of their elements: as many sums as a kernel makes at a time.
static constexpr unsigned GroupBytes = 128;

/// Computes \p S where the builder is.
Value *GroupBuilder::expand(const SCEV *S) {
  // An expander wants an instruction to stand in front of.
  Instruction *End = B.CreateUnreachable();
  Value *Result = Expander.expandCodeFor(S, S->getType(), End);
  BasicBlock *At = End->getParent();
  End->eraseFromParent();
  // It remembers by where it stood; another instruction may get the same address.
  Expander.clear();
  B.SetInsertPoint(At);
  return Result;
}

BasicBlock *GroupBuilder::run(bool OfAnySize) {
  Type *ElemTy =
      G.Sums.empty() ? getLoadStoreType(G.First->I) : G.Sums.front()->getType();
  NumRows = GroupBytes / F.getDataLayout().getTypeStoreSize(ElemTy);
  addPreheaders();
  First = G.Rows->getLoopPreheader();
  Pre = SplitBlock(First, First->getTerminator(), &DT, &LI);
  BasicBlock *Source = SplitBlock(Pre, Pre->getTerminator(), &DT, &LI);
  copyRows(Source);
  createBlocks();
  emitEntry(Source, OfAnySize);
  emitGroups(Source);
  emitSlowRows();
  DT.recalculate(F);

  emitBounds();
  emitChoice();
  emitBegin();
  emitCommon();
  emitStores();
  BasicBlock *Latch = emitEnd();
  for (auto [Old, Next] : zip_equal(G.Rows->getHeader()->phis(), NextCounters))
    Next->addIncoming(OfGroup[&Old], Latch);
  B.SetInsertPoint(Fast->getTerminator());
  NextNumber->addIncoming(B.CreateAdd(Number, B.getInt64(NumRows)), Latch);
  markFallbacks();
  return StepsHead;
}

/// One in front of the steps is a part of the rows' beginning.
void GroupBuilder::addPreheaders() {
  auto Add = [&](Loop &L) {
    return InsertPreheaderForLoop(&L, &DT, &LI, /*MSSAU=*/nullptr,
                                  /*PreserveLCSSA=*/false);
  };
  if (!G.Rows->getLoopPreheader())
    Add(*G.Rows);
  if (!G.Inner->getLoopPreheader())
    G.Prefix.push_back(Add(*G.Inner));
}

/// Copies the source's rows, for groups with too little in common.
void GroupBuilder::copyRows(BasicBlock *Source) {
  SmallVector<BasicBlock *, 8> Blocks;
  Slow = cloneLoopWithPreheader(Source, Pre, G.Rows, OfSlow, ".rows", &LI, &DT,
                                Blocks);
  remapInstructionsInBlocks(Blocks, OfSlow);
  SlowPre = Slow->getLoopPreheader();
}

/// All blocks lead to others from the start, so that dominators are known.
void GroupBuilder::createBlocks() {
  const std::pair<BasicBlock **, StringRef> Chain[] = {
      {&GroupHead, "group"},        {&BoundsHead, "group.bounds"},
      {&Test, "group.test"},        {&Fast, "group.rows"},
      {&BeginHead, "begin"},        {&BeginJoin, "begin.join"},
      {&BeginEnd, "begin.end"},     {&RowsHead, "common.rows"},
      {&StepsHead, "common.steps"}, {&RowsEnd, "common.end"},
      {&StoresHead, "stores.rows"}, {&StoreStepsHead, "stores.steps"},
      {&StoresEnd, "stores.end"},   {&EndHead, "end"},
      {&EndJoin, "end.join"},       {&GroupEnd, "group.end"}};
  for (auto [BB, Name] : Chain)
    *BB = BasicBlock::Create(F.getContext(), Name, &F);
  for (auto [From, To] :
       zip(ArrayRef(Chain).drop_back(), ArrayRef(Chain).drop_front()))
    BranchInst::Create(*To.first, *From.first);
}

/// Whether there are enough rows, with enough steps.
void GroupBuilder::emitEntry(BasicBlock *Source, bool OfAnySize) {
  beginIn(First);
  AllRows = B.CreateAdd(expand(G.LastRow), B.getInt64(1));
  Value *Few = B.getInt64(OfAnySize ? NumRows : MinRows);
  Value *AreSome =
      B.CreateICmpULT(B.CreateSub(AllRows, Few), B.getInt64(ManyRows));
  AreSome = B.CreateFreeze(AreSome);
  AllRows = B.CreateFreeze(AllRows);
  B.CreateCondBr(AreSome, Pre, Source);
  beginIn(Pre);
  B.CreateCondBr(OfAnySize ? B.getTrue() : areLong(), GroupHead, Source);
}

/// The loop over groups: where one begins, and where the next one does.
void GroupBuilder::emitGroups(BasicBlock *Source) {
  BasicBlock *Exit = G.Rows->getUniqueExitBlock();
  BasicBlock *SourceLatch = G.Rows->getLoopLatch();
  auto Counters = G.Rows->getHeader()->phis();
  B.SetInsertPoint(GroupEnd);
  NextNumber = B.CreatePHI(I64, 2, "next.group");
  for (PHINode &Old : Counters)
    NextCounters.push_back(B.CreatePHI(Old.getType(), 2));
  B.CreateCondBr(B.CreateICmpEQ(NextNumber, AllRows), Exit, GroupHead);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(SourceLatch), GroupEnd);

  beginIn(GroupHead);
  Number = B.CreatePHI(I64, 2, "number");
  Number->addIncoming(B.getInt64(0), Pre);
  Number->addIncoming(NextNumber, GroupEnd);
  for (auto [Old, Next] : zip_equal(Counters, NextCounters)) {
    PHINode *Phi = B.CreatePHI(Old.getType(), 2);
    Phi->addIncoming(Old.getIncomingValueForBlock(Source), Pre);
    Phi->addIncoming(Next, GroupEnd);
    OfGroup[&Old] = Phi;
  }
  Value *Left = B.CreateSub(AllRows, Number);
  Value *IsGroup = B.CreateICmpUGE(Left, B.getInt64(NumRows));
  B.CreateCondBr(IsGroup, BoundsHead, SlowPre);
}

/// The source's rows, as many as a group has.
void GroupBuilder::emitSlowRows() {
  BasicBlock *Latch = Slow->getLoopLatch();
  auto Counters = G.Rows->getHeader()->phis();
  for (PHINode &Old : Counters)
    cast<PHINode>(OfSlow[&Old])
        ->setIncomingValueForBlock(SlowPre, OfGroup[&Old]);
  B.SetInsertPoint(Slow->getHeader(), Slow->getHeader()->begin());
  PHINode *Row = B.CreatePHI(I64, 2, "row");
  Row->addIncoming(Number, SlowPre);
  Instruction *OldExit = Latch->getTerminator();
  B.SetInsertPoint(OldExit);
  Value *NextRow =
      B.CreateAdd(Row, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Row->addIncoming(NextRow, Latch);
  Value *Done = B.CreateSub(NextRow, Number);
  Value *IsDone = B.CreateOr(B.CreateICmpEQ(NextRow, AllRows),
                             B.CreateICmpEQ(Done, B.getInt64(NumRows)));
  B.CreateCondBr(IsDone, GroupEnd, Slow->getHeader());
  OldExit->eraseFromParent();
  NextNumber->addIncoming(NextRow, Latch);
  for (auto [Old, Next] : zip_equal(Counters, NextCounters)) {
    Value *V = Old.getIncomingValueForBlock(G.Rows->getLoopLatch());
    Value *Is = OfSlow.lookup(V);
    Next->addIncoming(Is ? Is : V, Latch);
  }
}

/// Only the steps in common are of interest from now on.
void GroupBuilder::markFallbacks() {
  BasicBlock *SourceHead = G.Rows->getHeader();
  BasicBlock *SlowHead = SlowPre->getSingleSuccessor();
  DT.recalculate(F);
  LI.releaseMemory();
  LI.analyze(DT);
  for (BasicBlock *Header : {SourceHead, SlowHead, BeginHead, EndHead})
    addStringMetadataToLoop(LI.getLoopFor(Header), FallbackMark, 1);
  addStringMetadataToLoop(LI.getLoopFor(GroupHead), AroundMark, 1);
}

} // namespace tilesmith
