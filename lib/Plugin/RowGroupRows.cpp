//===- RowGroupRows.cpp - parts of the rows of a group --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroupBuilder.h"
#include "tilesmith/Idiom/Fusion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

Value *GroupBuilder::elementOf(const Value *Of, Type *Ty, Value *R) {
  AllocaInst *&Table = Tables[Of];
  if (!Table) {
    IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
    Table = Entry.CreateAlloca(ArrayType::get(Ty, NumRows), nullptr, "of.rows");
    Table->setAlignment(Align(64));
  }
  return B.CreateInBoundsGEP(Ty, Table, R);
}

PHINode *GroupBuilder::beginRows(BasicBlock *Header, BasicBlock *Before,
                                 Map &Of, const Twine &Name) {
  B.SetInsertPoint(Header);
  PHINode *R = B.CreatePHI(I64, 2, Name);
  R->addIncoming(B.getInt64(0), Before);
  for (PHINode &Old : G.Rows->getHeader()->phis()) {
    PHINode *Phi = B.CreatePHI(Old.getType(), 2, Old.getName());
    Phi->addIncoming(OfGroup[&Old], Before);
    Of[&Old] = Phi;
  }
  return R;
}

/// Ends it, where the builder is.
void GroupBuilder::endRows(PHINode *R, BasicBlock *Header, BasicBlock *Next) {
  Value *After = B.CreateAdd(R, B.getInt64(1), "", /*HasNUW=*/true,
                             /*HasNSW=*/true);
  R->addIncoming(After, B.GetInsertBlock());
  B.CreateCondBr(B.CreateICmpEQ(After, B.getInt64(NumRows)), Next, Header);
}

/// What \p V is in the row that \p Of is about, computed where the builder is.
Value *GroupBuilder::cloneInto(Value *V, Map &Of) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !G.Rows->contains(I))
    return V;
  if (Value *Known = Of.lookup(V))
    return Known;
  SmallVector<Value *, 4> Operands;
  for (Value *Operand : I->operands())
    Operands.push_back(cloneInto(Operand, Of));
  Instruction *Copy = I->clone();
  for (auto [K, Operand] : enumerate(Operands))
    Copy->setOperand(K, Operand);
  B.Insert(Copy);
  Of[V] = Copy;
  return Copy;
}

/// Hands the counters over to the next row.
void GroupBuilder::nextRow(Map &Of) {
  SmallVector<std::pair<PHINode *, Value *>, 4> Next;
  for (PHINode &Old : G.Rows->getHeader()->phis())
    Next.push_back(
        {cast<PHINode>(Of[&Old]),
         cloneInto(Old.getIncomingValueForBlock(G.Rows->getLoopLatch()), Of)});
  for (auto [Phi, V] : Next)
    Phi->addIncoming(V, B.GetInsertBlock());
}

/// A loop of \p Count steps, which may be none, from where the builder is to
/// \p After. \p Of says what sums and counters begin with, and what they are then.
void GroupBuilder::emitSteps(Map &Of, Value *Count, BasicBlock *After,
                             const Twine &Name) {
  BasicBlock *Before = B.GetInsertBlock(),
             *Steps = BasicBlock::Create(F.getContext(), Name, &F);
  B.CreateCondBr(B.CreateIsNull(Count), After, Steps);
  Map Inside;
  for (const auto &Entry : Of)
    Inside[Entry.first] = Entry.second;
  B.SetInsertPoint(Steps);
  PHINode *Done = B.CreatePHI(I64, 2, "steps.done");
  Done->addIncoming(B.getInt64(0), Before);
  for (PHINode &Old : G.Body->phis()) {
    PHINode *Phi = B.CreatePHI(Old.getType(), 2, Old.getName());
    Phi->addIncoming(Of[&Old], Before);
    Inside[&Old] = Phi;
  }
  for (Instruction &Old : *G.Body) {
    if (isa<PHINode>(Old) || Old.isTerminator() || &Old == G.Exit)
      continue;
    Instruction *Copy = Old.clone();
    B.Insert(Copy);
    Inside[&Old] = Copy;
    RemapInstruction(Copy, Inside,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  Value *Next = B.CreateAdd(Done, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Done->addIncoming(Next, Steps);
  B.CreateCondBr(B.CreateICmpEQ(Next, Count), After, Steps);
  auto Mapped = [&](Value *V) {
    Value *Is = Inside.lookup(V);
    return Is ? Is : V;
  };
  B.SetInsertPoint(After);
  for (PHINode &Old : G.Body->phis()) {
    Value *Back = Mapped(Old.getIncomingValueForBlock(G.Body));
    cast<PHINode>(Inside[&Old])->addIncoming(Back, Steps);
    PHINode *Result = B.CreatePHI(Old.getType(), 2, Old.getName());
    Result->addIncoming(Of[&Old], Before);
    Result->addIncoming(Back, Steps);
    Of[&Old] = Result;
  }
}

/// What a row does before its steps, with its choices, up to where the builder is
/// then.
void GroupBuilder::copyPrefix(Map &Of) {
  Of[G.Rows->getHeader()] = BeginHead;
  for (BasicBlock *BB : drop_begin(G.Prefix))
    Of[BB] = BasicBlock::Create(F.getContext(), BB->getName(), &F, BeginJoin);
  Of[G.Body] = BeginJoin;
  for (BasicBlock *BB : G.Prefix) {
    auto *Copy = cast<BasicBlock>(Of[BB]);
    B.SetInsertPoint(Copy);
    for (Instruction &I : *BB) {
      if (I.isTerminator() || (isa<PHINode>(I) && BB == G.Rows->getHeader()))
        continue;
      Instruction *InCopy = I.clone();
      B.Insert(InCopy);
      Of[&I] = InCopy;
      RemapInstruction(InCopy, Of,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
    // A test that leads around the steps has been made for all rows.
    SmallVector<BasicBlock *, 2> Next;
    for (BasicBlock *Succ : successors(BB))
      if (Value *Is = Of.lookup(Succ))
        Next.push_back(cast<BasicBlock>(Is));
    if (Next.size() == 1) {
      B.CreateBr(Next.front());
      continue;
    }
    Instruction *Choice = B.Insert(BB->getTerminator()->clone());
    RemapInstruction(Choice, Of,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  // A row of a group has steps in any case, so its blocks may become one.
  keepRounded(*G.Rows, Of);
  B.SetInsertPoint(BeginJoin);
}

/// The rows up to the steps in common.
void GroupBuilder::emitBegin() {
  for (BasicBlock *BB : {BeginHead, BeginJoin, BeginEnd})
    BB->getTerminator()->eraseFromParent();
  Map Of;
  PHINode *R = beginRows(BeginHead, Fast, Of, "r");
  copyPrefix(Of);
  for (Instruction *I : G.Crossing)
    store(I, Of[I], R);
  Value *Row = B.CreateAdd(Number, R);
  Value *Count = placesBetween(rangeOf(Row).first, From);
  for (const RowTouch &T : G.Touches)
    if (T.IsStep && G.Places[T.I].IsTable)
      store(T.I, moved(inRow(T.At, Row), Count, T.Step), R);
  for (PHINode &Phi : G.Body->phis()) {
    Value *V = Phi.getIncomingValueForBlock(G.Inner->getLoopPredecessor());
    Value *Is = Of.lookup(V);
    Of[&Phi] = Is ? Is : V;
  }
  emitSteps(Of, Count, BeginEnd, "begin.steps");
  for (PHINode &Phi : G.Body->phis())
    store(&Phi, Of[&Phi], R);
  nextRow(Of);
  endRows(R, BeginHead, RowsHead);
}

/// What the steps in common of row \p R take from the blocks before.
void GroupBuilder::loadRow(CommonRow &Row, Value *R,
                           ArrayRef<Instruction *> Data) {
  for (Instruction *I : G.Crossing)
    if (any_of(I->users(), [&](User *U) {
          return is_contained(Data, cast<Instruction>(U));
        }))
      Row.Of[I] = load(I, I->getType(), R);
  for (const RowTouch &T : G.Touches)
    if (is_contained(Data, T.I) && G.Places[T.I].IsTable)
      Row.At[T.I] = load(T.I, Ptr, R);
  for (auto [I, First] : Firsts) {
    if (!is_contained(Data, I))
      continue;
    const SCEV *ToNext = G.Places[I].ToNext;
    Value *Distance =
        Expander.expandCodeFor(ToNext, I64, Fast->getTerminator());
    Row.At[I] = ToNext->isZero()
                    ? First
                    : B.CreatePtrAdd(First, B.CreateMul(R, Distance));
  }
}

/// Whether the steps of \p Data are made from the last one on. Of a row, each step that
/// stores has an element of its own, so without sums, any order will do; a product by
/// columns wants elements that follow each other in memory.
bool GroupBuilder::runsBackwards(ArrayRef<Instruction *> Data) const {
  return G.First->Step < 0 &&
         none_of(
             Data,
             [&](const Instruction *I) {
               return any_of(I->operands(), [&](const Value *V) {
                 return is_contained(G.Sums, dyn_cast<PHINode>(V));
               });
             });
}

/// The arithmetic of \p Data in \p Row, whose accesses are where they are in step
/// \p Step then.
void GroupBuilder::copyStep(CommonRow &Row, ArrayRef<Instruction *> Data,
                            Value *Step) {
  if (runsBackwards(Data))
    Step = B.CreateSub(B.CreateSub(Common, B.getInt64(1)), Step);
  for (const RowTouch &T : G.Touches)
    if (is_contained(Data, T.I))
      Row.At[T.I] = moved(Row.At[T.I], Step, T.Step);
  for (Instruction *I : Data) {
    Instruction *Copy = I->clone();
    B.Insert(Copy);
    Row.Of[I] = Copy;
    if (auto *Load = dyn_cast<LoadInst>(Copy)) {
      Load->setOperand(Load->getPointerOperandIndex(), Row.At[I]);
      continue;
    }
    if (auto *Store = dyn_cast<StoreInst>(Copy))
      Store->setOperand(Store->getPointerOperandIndex(), Row.At[I]);
    RemapInstruction(Copy, Row.Of,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
}

/// The loop over the steps in common of \p Row, whose sums are then what they
/// have become.
void GroupBuilder::emitCommonSteps(CommonRow &Row) {
  B.SetInsertPoint(StepsHead);
  PHINode *Step = B.CreatePHI(I64, 2, "k");
  Step->addIncoming(B.getInt64(0), RowsHead);
  for (auto [Sum, Start] : zip_equal(G.Sums, Row.Sums)) {
    PHINode *Phi = B.CreatePHI(Sum->getType(), 2, Sum->getName());
    Phi->addIncoming(Start, RowsHead);
    Row.Of[Sum] = Phi;
  }
  copyStep(Row, G.Data, Step);
  Value *Next = B.CreateAdd(Step, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Step->addIncoming(Next, StepsHead);
  for (auto [Sum, End] : zip_equal(G.Sums, Row.Sums)) {
    Value *Back = Sum->getIncomingValueForBlock(G.Body);
    Value *Is = Row.Of.lookup(Back);
    End = Is ? Is : Back;
    cast<PHINode>(Row.Of[Sum])->addIncoming(End, StepsHead);
  }
  B.CreateCondBr(B.CreateICmpEQ(Next, Common), RowsEnd, StepsHead);

  B.SetInsertPoint(RowsEnd);
  for (Value *&End : Row.Sums) {
    PHINode *Phi = B.CreatePHI(End->getType(), 1);
    Phi->addIncoming(End, StepsHead);
    End = Phi;
  }
}

/// The steps in common.
void GroupBuilder::emitCommon() {
  for (BasicBlock *BB : {RowsHead, StepsHead, RowsEnd})
    BB->getTerminator()->eraseFromParent();
  B.SetInsertPoint(RowsHead);
  B.SetCurrentDebugLocation(G.Body->getTerminator()->getDebugLoc());
  PHINode *R = B.CreatePHI(I64, 2, "r");
  R->addIncoming(B.getInt64(0), BeginEnd);
  CommonRow Row;
  loadRow(Row, R, G.Data);
  for (PHINode *Sum : G.Sums)
    Row.Sums.push_back(load(Sum, Sum->getType(), R));
  B.CreateBr(StepsHead);
  emitCommonSteps(Row);
  for (auto [Sum, End] : zip_equal(G.Sums, Row.Sums))
    store(Sum, End, R);
  endRows(R, RowsHead, StoresHead);
  B.SetCurrentDebugLocation(DebugLoc());
}

/// What remains of the rows. Returns their last block, which goes on to the next
/// group.
BasicBlock *GroupBuilder::emitEnd() {
  EndHead->getTerminator()->eraseFromParent();
  EndJoin->getTerminator()->eraseFromParent();
  Map Of;
  PHINode *R = beginRows(EndHead, StoresEnd, Of, "r");
  for (Instruction *I : G.Crossing)
    if (!G.isCounterOfRows(*I))
      Of[I] = load(I, I->getType(), R);
  for (PHINode &Phi : G.Body->phis())
    Of[&Phi] = load(&Phi, Phi.getType(), R);
  for (PHINode *Phi : G.Counters) {
    auto *Rec = cast<SCEVAddRecExpr>(SE.getSCEV(Phi));
    int64_t Step =
        cast<SCEVConstant>(Rec->getOperand(1))->getAPInt().getSExtValue();
    Value *Begin = Of[Phi];
    Value *By = B.CreateMul(Common, B.getInt64(Step));
    if (Begin->getType()->isPointerTy())
      Of[Phi] = B.CreatePtrAdd(Begin, By);
    else
      Of[Phi] = B.CreateAdd(Begin, B.CreateSExtOrTrunc(By, Begin->getType()));
  }
  Value *Stop = rangeOf(B.CreateAdd(Number, R)).second;
  emitSteps(Of, placesBetween(To, Stop), EndJoin, "end.steps");
  for (PHINode *Sum : G.Sums) {
    Value *Result = Of.lookup(Sum);
    Of[Sum->getIncomingValueForBlock(G.Body)] = Result;
  }
  Of[G.Body] = EndJoin;
  SmallVector<BasicBlock *, 8> Blocks;
  for (BasicBlock *BB : G.Rows->blocks())
    if (BB != G.Body && !is_contained(G.Prefix, BB)) {
      Blocks.push_back(CloneBasicBlock(BB, Of, ".end", &F));
      Of[BB] = Blocks.back();
    }
  B.CreateBr(cast<BasicBlock>(Of[G.Inner->getUniqueExitBlock()]));
  for (BasicBlock *BB : Blocks) {
    for (PHINode &Phi : make_early_inc_range(BB->phis()))
      for (BasicBlock *Pre : G.Prefix)
        if (int At = Phi.getBasicBlockIndex(Pre); At >= 0)
          Phi.removeIncomingValue(At, /*DeletePHIIfEmpty=*/false);
  }
  remapInstructionsInBlocks(Blocks, Of);
  keepRounded(*G.Rows, Of);
  auto *Latch = cast<BasicBlock>(Of[G.Rows->getLoopLatch()]);
  Latch->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Latch);
  nextRow(Of);
  endRows(R, EndHead, GroupEnd);
  for (PHINode &Old : G.Rows->getHeader()->phis()) {
    Value *V = Old.getIncomingValueForBlock(G.Rows->getLoopLatch());
    Value *Is = Of.lookup(V);
    OfGroup[&Old] = Is ? Is : V; // of the next group
  }
  return Latch;
}

} // namespace tilesmith
