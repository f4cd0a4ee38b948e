//===- RowGroups.cpp - rows that build on each other, in groups -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops that come out:
//
//   group:    how the next rows' steps overlap; too little: source's rows
//   begin:    each row of the group up to the steps that all rows make
//   common:   these, which are a product
//   end:      what remains of each row
//
// Values that parts of a row hand over are in tables with an element for each row
// of a group.
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"
#include "Driver.h"
#include "FunctionCopy.h"
#include "RowGroup.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Rows of fewer, and groups with fewer steps in common, are left to the source's
/// loops. (Measured on Zen 5.)
constexpr uint64_t MinRows = 80, MinCommon = 24;

/// More rows or steps than these are no number to compute with.
constexpr uint64_t Many = uint64_t(1) << 31;

/// Sums of a group, in bytes: as many as a kernel makes at a time.
constexpr unsigned GroupBytes = 128;

/// Makes the loops.
class GroupBuilder {
public:
  GroupBuilder(RowGroup &G, ScalarEvolution &SE, LoopInfo &LI,
               DominatorTree &DT)
      : G(G), F(*G.Body->getParent()), SE(SE), LI(LI), DT(DT),
        B(F.getContext()), I64(B.getInt64Ty()), Ptr(B.getPtrTy()),
        Expander(SE, "tilesmith", /*PreserveLCSSA=*/false) {}

  bool mayExpand();
  /// Returns the block of the steps in common.
  BasicBlock *run(bool OfAnySize);

private:
  using Map = ValueToValueMapTy;

  BasicBlock *block(const Twine &Name) {
    return BasicBlock::Create(F.getContext(), Name, &F);
  }
  Value *expand(const SCEV *S);
  Value *inRow(const SCEV *S, Value *Row) { return expand(G.inRow(S, Row)); }
  Value *moved(Value *Pointer, Value *Times, int64_t Step) {
    return B.CreatePtrAdd(Pointer, B.CreateMul(Times, B.getInt64(Step)));
  }
  Value *elementOf(const Value *Of, Type *Ty, Value *R);
  Value *load(const Value *Of, Type *Ty, Value *R) {
    return B.CreateLoad(Ty, elementOf(Of, Ty, R));
  }
  void store(const Value *Of, Value *V, Value *R) {
    B.CreateStore(V, elementOf(Of, V->getType(), R));
  }
  /// Where the steps of \p Row begin and end, as numbers that go up.
  std::pair<Value *, Value *> rangeOf(Value *Row);
  Value *placesBetween(Value *From, Value *To) {
    return B.CreateAShr(B.CreateSub(To, From), B.getInt64(Log2_64(G.size())));
  }
  /// Begins a loop over the rows of a group in \p Header; returns the row's number.
  PHINode *beginRows(BasicBlock *Header, BasicBlock *From, Map &Of,
                     const Twine &Name);
  void endRows(PHINode *R, BasicBlock *Header, BasicBlock *Next);
  Value *cloneInto(Value *V, Map &Of);
  void nextRow(Map &Of, BasicBlock *Header);
  /// A loop of \p Count steps; returns what comes out of those of \p Of.
  void emitSteps(Map &Of, Value *Count, BasicBlock *After, const Twine &Name);
  Value *areLong();
  void emitChoice(BasicBlock *Slow);
  void emitBegin();
  void emitCommon();
  BasicBlock *emitEnd();
  void markFallbacks(BasicBlock *SlowHead);
  Value *areApart(Value *AllBeginAtOnce);

  RowGroup &G;
  Function &F;
  ScalarEvolution &SE;
  LoopInfo &LI;
  DominatorTree &DT;
  IRBuilder<> B;
  Type *I64, *Ptr;
  SCEVExpander Expander;
  DenseMap<const Value *, AllocaInst *> Tables;
  unsigned NumRows = 0;      ///< of a group
  PHINode *Number = nullptr; ///< of the group's first row
  Value *AllRows = nullptr;
  Map OfGroup; ///< the first row's counters
  Value *From = nullptr, *To = nullptr, *Common = nullptr;
  BasicBlock *GroupHead, *BoundsHead, *Test, *Fast, *BeginHead, *BeginEnd,
      *RowsHead, *StepsHead, *RowsEnd, *EndHead, *EndJoin, *GroupEnd;
  SmallVector<std::pair<const Instruction *, Value *>, 4> Firsts;
};

/// Whether all numbers can be computed in front of the rows.
bool GroupBuilder::mayExpand() {
  auto May = [&](const SCEV *S) {
    return Expander.isSafeToExpandAt(
        S, G.Rows->getLoopPredecessor()->getTerminator());
  };
  Value *Zero = B.getInt64(0);
  auto InRow = [&](const SCEV *S) { return May(G.inRow(S, Zero)); };
  return May(G.LastRow) && InRow(G.NumSteps) &&
         all_of(G.Touches, [&](const RowTouch &T) { return InRow(T.At); }) &&
         all_of(G.Guards,
                [&](const RowGuard &Guard) {
                  return InRow(Guard.Left) && InRow(Guard.Right);
                }) &&
         all_of(G.Narrow,
                [&](const NarrowCounter &N) { return InRow(N.First); }) &&
         all_of(G.Places, [&](const auto &P) {
           return P.second.IsTable || May(P.second.ToNext);
         });
}

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

Value *GroupBuilder::elementOf(const Value *Of, Type *Ty, Value *R) {
  AllocaInst *&Table = Tables[Of];
  if (!Table) {
    IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
    Table = Entry.CreateAlloca(ArrayType::get(Ty, NumRows), nullptr, "of.rows");
    Table->setAlignment(Align(64));
  }
  return B.CreateInBoundsGEP(Ty, Table, R);
}

std::pair<Value *, Value *> GroupBuilder::rangeOf(Value *Row) {
  Value *Begin = B.CreatePtrToInt(inRow(G.First->At, Row), I64);
  if (G.First->Step < 0)
    Begin = B.CreateNeg(Begin);
  Value *Bytes = B.CreateMul(inRow(G.NumSteps, Row), B.getInt64(G.size()));
  return {Begin, B.CreateAdd(Begin, Bytes)};
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
void GroupBuilder::nextRow(Map &Of, BasicBlock *Header) {
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
  BasicBlock *Before = B.GetInsertBlock(), *Steps = block(Name);
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

/// Whether no row stores what another one has moved across, by where the elements
/// of rows are: behind the steps in common, or in front of them.
Value *GroupBuilder::areApart(Value *AllBeginAtOnce) {
  Value *Result = B.getTrue(),
        *LastOfGroup = B.CreateAdd(Number, B.getInt64(NumRows - 1));
  for (const StoredVector &V : G.Stored) {
    if (!V.OfSteps || !V.OfRow)
      continue;
    int64_t Step = V.OfSteps->Step, Size = std::abs(Step);
    auto Up = [&](Value *Pointer) {
      Value *At = B.CreatePtrToInt(Pointer, I64);
      return Step < 0 ? B.CreateNeg(At) : At;
    };
    Value *Skipped = placesBetween(rangeOf(Number).first, From);
    Value *Begin = Up(inRow(V.OfSteps->At, Number));
    Value *First = B.CreateAdd(Begin, B.CreateMul(Skipped, B.getInt64(Size)));
    Value *End = B.CreateAdd(First, B.CreateMul(Common, B.getInt64(Size)));
    Value *One = Up(inRow(V.OfRow->At, Number));
    Value *Other = Up(inRow(V.OfRow->At, LastOfGroup));
    Value *Low = B.CreateBinaryIntrinsic(Intrinsic::smin, One, Other);
    Value *High = B.CreateBinaryIntrinsic(Intrinsic::smax, One, Other);
    Value *Before = B.CreateICmpSLE(B.CreateAdd(High, B.getInt64(Size)), First);
    if (!V.IsBehind)
      Before = B.CreateAnd(Before, AllBeginAtOnce);
    bool MayFollow = !V.StoresInPrefix && !(V.LoadsInPrefix && V.StoresSteps);
    Value *Behind = MayFollow ? B.CreateICmpSGE(Low, End) : B.getFalse();
    Result = B.CreateLogicalAnd(Result, B.CreateOr(Before, Behind));
  }
  return Result;
}

/// Looks at the next rows' steps.
void GroupBuilder::emitChoice(BasicBlock *Slow) {
  B.SetInsertPoint(BoundsHead);
  BoundsHead->getTerminator()->eraseFromParent();
  B.SetInsertPoint(BoundsHead);
  PHINode *R = B.CreatePHI(I64, 2, "r");
  R->addIncoming(B.getInt64(0), GroupHead);
  auto Collected = [&](Value *Start) {
    PHINode *Phi = B.CreatePHI(Start->getType(), 2);
    Phi->addIncoming(Start, GroupHead);
    return Phi;
  };
  Value *Least = B.getInt64(INT64_MIN), *Most = B.getInt64(INT64_MAX);
  PHINode *Last = Collected(Least), *Earliest = Collected(Most),
          *End = Collected(Most), *Are = Collected(B.getTrue()),
          *Ones = Collected(B.getInt64(-1)), *Any = Collected(B.getInt64(0));
  auto Close = [&](PHINode *Phi, Value *V) {
    Phi->addIncoming(V, BoundsHead);
    return V;
  };
  Value *Row = B.CreateAdd(Number, R);
  Value *Fits = Are;
  for (const RowGuard &Guard : G.Guards) {
    Value *Left = inRow(Guard.Left, Row), *Right = inRow(Guard.Right, Row);
    Fits = B.CreateLogicalAnd(Fits, B.CreateICmp(Guard.Predicate, Left, Right));
  }
  Value *Steps = inRow(G.NumSteps, Row);
  Fits = B.CreateLogicalAnd(
      Fits, B.CreateICmpULT(Steps, B.getInt64(uint64_t(1) << 31)));
  for (const NarrowCounter &N : G.Narrow) {
    Value *First = inRow(N.First, Row);
    Value *Begin =
        N.IsSigned ? B.CreateSExt(First, I64) : B.CreateZExt(First, I64);
    Value *Behind = B.CreateAdd(Begin, B.CreateMul(Steps, B.getInt64(N.Step)));
    Value *Back = B.CreateTrunc(Behind, First->getType());
    Back = N.IsSigned ? B.CreateSExt(Back, I64) : B.CreateZExt(Back, I64);
    Fits = B.CreateLogicalAnd(Fits, B.CreateICmpEQ(Back, Behind));
  }
  auto [Begin, Stop] = rangeOf(Row);
  From = Close(Last, B.CreateBinaryIntrinsic(Intrinsic::smax, Last, Begin));
  Value *First = Close(
      Earliest, B.CreateBinaryIntrinsic(Intrinsic::smin, Earliest, Begin));
  To = Close(End, B.CreateBinaryIntrinsic(Intrinsic::smin, End, Stop));
  Close(Are, Fits);
  Value *InAll = Close(Ones, B.CreateAnd(Ones, Begin));
  Value *InAny = Close(Any, B.CreateOr(Any, Begin));
  endRows(R, BoundsHead, Test);

  Test->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Test);
  Value *Odd = B.CreateAnd(B.CreateXor(InAll, InAny), B.getInt64(G.size() - 1));
  Value *IsFast = B.CreateLogicalAnd(Fits, B.CreateIsNull(Odd));
  Common = B.CreateAShr(B.CreateSub(To, From), B.getInt64(Log2_64(G.size())));
  IsFast = B.CreateLogicalAnd(IsFast,
                              B.CreateICmpSGE(Common, B.getInt64(MinCommon)));
  IsFast = B.CreateLogicalAnd(IsFast, areApart(B.CreateICmpEQ(First, From)));
  B.CreateCondBr(B.CreateFreeze(IsFast), Fast, Slow);

  Fast->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Fast);
  Common = B.CreateFreeze(Common, "common");
  Value *Skipped = placesBetween(rangeOf(Number).first, From);
  for (const RowTouch &T : G.Touches)
    if (T.IsStep && !G.Places[T.I].IsTable)
      Firsts.push_back({T.I, moved(inRow(T.At, Number), Skipped, T.Step)});
  B.CreateBr(BeginHead);
}

/// The rows up to the steps in common.
void GroupBuilder::emitBegin() {
  BeginHead->getTerminator()->eraseFromParent();
  BeginEnd->getTerminator()->eraseFromParent();
  Map Of;
  PHINode *R = beginRows(BeginHead, Fast, Of, "r");
  for (BasicBlock *BB : G.Prefix)
    for (Instruction &I : *BB) {
      if (isa<PHINode>(I) || I.isTerminator())
        continue;
      Instruction *Copy = I.clone();
      B.Insert(Copy);
      Of[&I] = Copy;
      RemapInstruction(Copy, Of,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
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
  nextRow(Of, BeginHead);
  endRows(R, BeginHead, RowsHead);
}

/// The steps in common.
void GroupBuilder::emitCommon() {
  for (BasicBlock *BB : {RowsHead, StepsHead, RowsEnd})
    BB->getTerminator()->eraseFromParent();
  B.SetInsertPoint(RowsHead);
  B.SetCurrentDebugLocation(G.Body->getTerminator()->getDebugLoc());
  PHINode *R = B.CreatePHI(I64, 2, "r");
  R->addIncoming(B.getInt64(0), BeginEnd);
  Map Of;
  for (Instruction *I : G.Crossing)
    if (any_of(I->users(), [&](User *U) {
          return is_contained(G.Data, cast<Instruction>(U));
        }))
      Of[I] = load(I, I->getType(), R);
  DenseMap<const Instruction *, Value *> RowsAt;
  for (const RowTouch &T : G.Touches)
    if (T.IsStep && G.Places[T.I].IsTable)
      RowsAt[T.I] = load(T.I, Ptr, R);
  for (auto [I, First] : Firsts) {
    const SCEV *ToNext = G.Places[I].ToNext;
    Value *Distance =
        Expander.expandCodeFor(ToNext, I64, Fast->getTerminator());
    RowsAt[I] = ToNext->isZero()
                    ? First
                    : B.CreatePtrAdd(First, B.CreateMul(R, Distance));
  }
  SmallVector<Value *, 2> Starts;
  for (PHINode *Sum : G.Sums)
    Starts.push_back(load(Sum, Sum->getType(), R));
  B.CreateBr(StepsHead);

  B.SetInsertPoint(StepsHead);
  PHINode *Step = B.CreatePHI(I64, 2, "k");
  Step->addIncoming(B.getInt64(0), RowsHead);
  for (auto [Sum, Start] : zip_equal(G.Sums, Starts)) {
    PHINode *Phi = B.CreatePHI(Sum->getType(), 2, Sum->getName());
    Phi->addIncoming(Start, RowsHead);
    Of[Sum] = Phi;
  }
  for (const RowTouch &T : G.Touches)
    if (T.IsStep)
      RowsAt[T.I] = moved(RowsAt[T.I], Step, T.Step);
  for (Instruction *I : G.Data) {
    Instruction *Copy = I->clone();
    B.Insert(Copy);
    Of[I] = Copy;
    if (auto *Load = dyn_cast<LoadInst>(Copy)) {
      Load->setOperand(Load->getPointerOperandIndex(), RowsAt[I]);
      continue;
    }
    if (auto *Store = dyn_cast<StoreInst>(Copy))
      Store->setOperand(Store->getPointerOperandIndex(), RowsAt[I]);
    RemapInstruction(Copy, Of,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  }
  Value *Next = B.CreateAdd(Step, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Step->addIncoming(Next, StepsHead);
  SmallVector<Value *, 2> Ends;
  for (PHINode *Sum : G.Sums) {
    Value *Back = Sum->getIncomingValueForBlock(G.Body);
    Value *Is = Of.lookup(Back);
    Ends.push_back(Is ? Is : Back);
    cast<PHINode>(Of[Sum])->addIncoming(Ends.back(), StepsHead);
  }
  B.CreateCondBr(B.CreateICmpEQ(Next, Common), RowsEnd, StepsHead);

  B.SetInsertPoint(RowsEnd);
  for (auto [Sum, End] : zip_equal(G.Sums, Ends)) {
    PHINode *Phi = B.CreatePHI(Sum->getType(), 1);
    Phi->addIncoming(End, StepsHead);
    store(Sum, Phi, R);
  }
  endRows(R, RowsHead, EndHead);
  B.SetCurrentDebugLocation(DebugLoc());
}

/// What remains of the rows. Returns their last block, which goes on to the next
/// group.
BasicBlock *GroupBuilder::emitEnd() {
  EndHead->getTerminator()->eraseFromParent();
  EndJoin->getTerminator()->eraseFromParent();
  Map Of;
  PHINode *R = beginRows(EndHead, RowsEnd, Of, "r");
  for (Instruction *I : G.Crossing)
    if (!isa<PHINode>(I))
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
  auto *Latch = cast<BasicBlock>(Of[G.Rows->getLoopLatch()]);
  Latch->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Latch);
  nextRow(Of, EndHead);
  endRows(R, EndHead, GroupEnd);
  for (PHINode &Old : G.Rows->getHeader()->phis()) {
    Value *V = Old.getIncomingValueForBlock(G.Rows->getLoopLatch());
    Value *Is = Of.lookup(V);
    OfGroup[&Old] = Is ? Is : V; // of the next group
  }
  return Latch;
}

/// Whether the first row, the last one, or the one in the middle has many steps: the
/// rows of a narrow band have nothing in common.
Value *GroupBuilder::areLong() {
  Value *Result = B.getFalse(), *Last = B.CreateSub(AllRows, B.getInt64(1));
  Value *Rows[] = {B.getInt64(0), B.CreateLShr(Last, B.getInt64(1)), Last};
  for (Value *Row : Rows) {
    uint64_t Least = MinCommon + NumRows;
    Value *Beyond = B.CreateSub(inRow(G.NumSteps, Row), B.getInt64(Least));
    Result = B.CreateOr(
        Result, B.CreateFreeze(B.CreateICmpULT(Beyond, B.getInt64(Many))));
  }
  return Result;
}

BasicBlock *GroupBuilder::run(bool OfAnySize) {
  Type *SumTy = G.Sums.front()->getType();
  NumRows = GroupBytes / F.getDataLayout().getTypeStoreSize(SumTy);
  auto AddPreheader = [&](Loop &L) {
    return InsertPreheaderForLoop(&L, &DT, &LI, /*MSSAU=*/nullptr,
                                  /*PreserveLCSSA=*/false);
  };
  if (!G.Rows->getLoopPreheader())
    AddPreheader(*G.Rows);
  if (!G.Inner->getLoopPreheader())
    G.Prefix.push_back(AddPreheader(*G.Inner));
  BasicBlock *First = G.Rows->getLoopPreheader();
  BasicBlock *Exit = G.Rows->getUniqueExitBlock();
  BasicBlock *Pre = SplitBlock(First, First->getTerminator(), &DT, &LI);
  BasicBlock *Source = SplitBlock(Pre, Pre->getTerminator(), &DT, &LI);
  Map OfSlow;
  SmallVector<BasicBlock *, 8> SlowBlocks;
  Loop *Slow = cloneLoopWithPreheader(Source, Pre, G.Rows, OfSlow, ".rows", &LI,
                                      &DT, SlowBlocks);
  remapInstructionsInBlocks(SlowBlocks, OfSlow);
  BasicBlock *SlowPre = Slow->getLoopPreheader(),
             *SlowLatch = Slow->getLoopLatch();

  for (auto [BB, Name] :
       std::initializer_list<std::pair<BasicBlock **, StringRef>>{
           {&GroupHead, "group"},
           {&BoundsHead, "group.bounds"},
           {&Test, "group.test"},
           {&Fast, "group.rows"},
           {&BeginHead, "begin"},
           {&BeginEnd, "begin.end"},
           {&RowsHead, "common.rows"},
           {&StepsHead, "common.steps"},
           {&RowsEnd, "common.end"},
           {&EndHead, "end"},
           {&EndJoin, "end.join"},
           {&GroupEnd, "group.end"}})
    *BB = block(Name);
  // All blocks lead to others from the start, so that dominators are known.
  BasicBlock *Chain[] = {GroupHead, BoundsHead, Test,     Fast,
                         BeginHead, BeginEnd,   RowsHead, StepsHead,
                         RowsEnd,   EndHead,    EndJoin,  GroupEnd};
  for (auto [BB, Next] :
       zip(ArrayRef(Chain).drop_back(), ArrayRef(Chain).drop_front()))
    BranchInst::Create(Next, BB);

  First->getTerminator()->eraseFromParent();
  B.SetInsertPoint(First);
  AllRows = B.CreateAdd(expand(G.LastRow), B.getInt64(1));
  Value *Few = B.getInt64(OfAnySize ? NumRows : MinRows);
  Value *AreSome = B.CreateICmpULT(B.CreateSub(AllRows, Few), B.getInt64(Many));
  AreSome = B.CreateFreeze(AreSome);
  AllRows = B.CreateFreeze(AllRows);
  B.CreateCondBr(AreSome, Pre, Source);
  Pre->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Pre);
  B.CreateCondBr(OfAnySize ? B.getTrue() : areLong(), GroupHead, Source);

  B.SetInsertPoint(GroupEnd);
  PHINode *NextNumber = B.CreatePHI(I64, 2, "next.group");
  SmallVector<PHINode *, 4> Nexts;
  for (PHINode &Old : G.Rows->getHeader()->phis())
    Nexts.push_back(B.CreatePHI(Old.getType(), 2));
  B.CreateCondBr(B.CreateICmpEQ(NextNumber, AllRows), Exit, GroupHead);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValueForBlock(G.Rows->getLoopLatch()),
                    GroupEnd);

  GroupHead->getTerminator()->eraseFromParent();
  B.SetInsertPoint(GroupHead);
  Number = B.CreatePHI(I64, 2, "number");
  Number->addIncoming(B.getInt64(0), Pre);
  Number->addIncoming(NextNumber, GroupEnd);
  for (auto [Old, Next] : zip_equal(G.Rows->getHeader()->phis(), Nexts)) {
    PHINode *Phi = B.CreatePHI(Old.getType(), 2);
    Phi->addIncoming(Old.getIncomingValueForBlock(Source), Pre);
    Phi->addIncoming(Next, GroupEnd);
    OfGroup[&Old] = Phi;
    cast<PHINode>(OfSlow[&Old])->setIncomingValueForBlock(SlowPre, Phi);
  }
  Value *Left = B.CreateSub(AllRows, Number);
  Value *IsGroup = B.CreateICmpUGE(Left, B.getInt64(NumRows));
  B.CreateCondBr(IsGroup, BoundsHead, SlowPre);

  // The source's rows, as many as a group has.
  B.SetInsertPoint(Slow->getHeader(), Slow->getHeader()->begin());
  PHINode *Row = B.CreatePHI(I64, 2, "row");
  Row->addIncoming(Number, SlowPre);
  Instruction *OldExit = SlowLatch->getTerminator();
  B.SetInsertPoint(OldExit);
  Value *NextRow =
      B.CreateAdd(Row, B.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Row->addIncoming(NextRow, SlowLatch);
  Value *Done = B.CreateSub(NextRow, Number);
  Value *IsDone = B.CreateOr(B.CreateICmpEQ(NextRow, AllRows),
                             B.CreateICmpEQ(Done, B.getInt64(NumRows)));
  B.CreateCondBr(IsDone, GroupEnd, Slow->getHeader());
  OldExit->eraseFromParent();
  NextNumber->addIncoming(NextRow, SlowLatch);
  for (auto [Old, Next] : zip_equal(G.Rows->getHeader()->phis(), Nexts)) {
    Value *V = Old.getIncomingValueForBlock(G.Rows->getLoopLatch());
    Value *Is = OfSlow.lookup(V);
    Next->addIncoming(Is ? Is : V, SlowLatch);
  }
  DT.recalculate(F);

  emitChoice(SlowPre);
  emitBegin();
  emitCommon();
  BasicBlock *Latch = emitEnd();
  for (auto [Old, Next] : zip_equal(G.Rows->getHeader()->phis(), Nexts))
    Next->addIncoming(OfGroup[&Old], Latch);
  B.SetInsertPoint(Fast->getTerminator());
  NextNumber->addIncoming(B.CreateAdd(Number, B.getInt64(NumRows)), Latch);
  markFallbacks(SlowPre->getSingleSuccessor());
  return StepsHead;
}

/// Only the steps in common are of interest from now on.
void GroupBuilder::markFallbacks(BasicBlock *SlowHead) {
  BasicBlock *SourceHead = G.Rows->getHeader();
  DT.recalculate(F);
  LI.releaseMemory();
  LI.analyze(DT);
  for (BasicBlock *Header : {SourceHead, SlowHead, BeginHead, EndHead})
    addStringMetadataToLoop(LI.getLoopFor(Header), FallbackMark, 1);
  addStringMetadataToLoop(LI.getLoopFor(GroupHead), AroundMark, 1);
}

} // namespace

/// Calls \p Fn with the rows around \p Inner, if they may go in groups.
static bool ifGrouped(Loop &Inner, FunctionAnalysisManager &FAM,
                      function_ref<void(GroupBuilder &)> Fn) {
  Function &F = *Inner.getHeader()->getParent();
  ScalarEvolution SE = scalarEvolution(F, FAM);
  RowGroup Group(Inner, SE, FAM.getResult<AAManager>(F));
  if (!Group.prepare())
    return false;
  GroupBuilder Builder(Group, SE, FAM.getResult<LoopAnalysis>(F),
                       FAM.getResult<DominatorTreeAnalysis>(F));
  if (!Builder.mayExpand())
    return false;
  Fn(Builder);
  return true;
}

/// Whether it will be of use, which a copy of the function tells.
static bool sharesProduct(Loop &Inner, FunctionAnalysisManager &FAM,
                          Judge Ask) {
  FunctionCopy Copied(*Inner.getHeader()->getParent(), FAM);
  Function &Copy = Copied.get();
  bool Is = false;
  ifGrouped(Copied.loopOf(Inner), FAM, [&](GroupBuilder &Builder) {
    BasicBlock *Steps = Builder.run(/*OfAnySize=*/false);
    Loop *Common = FAM.getResult<LoopAnalysis>(Copy).getLoopFor(Steps);
    Is = std::holds_alternative<FoundProduct>(Ask(Copy, Common).front());
  });
  return Is;
}

bool groupRows(Function &F, FunctionAnalysisManager &FAM,
               ArrayRef<Loop *> Candidates, bool OfAnySize, Judge Ask) {
  SmallVector<BasicBlock *, 2> Found;
  SmallVector<Loop *, 2> Possible;
  if (F.hasOptSize() || !FunctionCopy::isPossible(F))
    return false;
  for (Loop *L : Candidates)
    if (L->isInnermost() && ifGrouped(*L, FAM, [](GroupBuilder &) {}))
      Possible.push_back(L);
  if (Possible.empty())
    return false;
  for (const auto &[L, Is] : zip_equal(Possible, Ask(F, Possible)))
    if (std::holds_alternative<Refusal>(Is) && sharesProduct(*L, FAM, Ask))
      Found.push_back(L->getHeader());
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  for (BasicBlock *Header : Found)
    ifGrouped(*LI.getLoopFor(Header), FAM,
              [&](GroupBuilder &Builder) { Builder.run(OfAnySize); });
  return !Found.empty();
}

} // namespace tilesmith
