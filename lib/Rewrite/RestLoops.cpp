//===- RestLoops.cpp - a nest without its product -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RestLoops.h"
#include "RepeatedLoads.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "tilesmith/Support/Motion.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Whether \p L does nothing, if none of the edges is taken.
bool isDead(const Loop &L, ArrayRef<BasicBlockEdge> NeverTaken,
            const DominatorTree &DT) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (I.mayHaveSideEffects() &&
          none_of(NeverTaken, [&](const BasicBlockEdge &Edge) {
            return DT.dominates(Edge, BB);
          }))
        return false;
      if (any_of(I.users(), [&](const User *U) {
            return !L.contains(cast<Instruction>(U));
          }))
        return false;
    }
  return L.getUniqueExitBlock();
}

/// A block in front of \p L and one behind it, which no other control passes.
void isolate(Loop &L, const NestAnalyses &Analyses) {
  if (!L.getLoopPreheader())
    InsertPreheaderForLoop(&L, &Analyses.DT, &Analyses.LI, /*MSSAU=*/nullptr,
                           /*PreserveLCSSA=*/false);
  formDedicatedExitBlocks(&L, &Analyses.DT, &Analyses.LI, /*MSSAU=*/nullptr,
                          /*PreserveLCSSA=*/false);
}

/// Where a loop has been deleted behind \p First, a branch around it is one
/// around nothing.
void removeBranchAround(BasicBlock &First, const NestAnalyses &Analyses) {
  BasicBlock *Before = First.getSinglePredecessor(), *Behind = &First;
  while (Behind && Behind->size() == 1 && Behind->getSinglePredecessor())
    Behind = Behind->getSingleSuccessor();
  auto *Br = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  if (!Behind || !Br || !Br->isConditional() || !Behind->phis().empty())
    return;
  unsigned Around = Br->getSuccessor(0) == &First;
  if (Br->getSuccessor(Around) != Behind || Behind == &First)
    return;
  ReplaceInstWithInst(Br, BranchInst::Create(&First));
  Analyses.DT.deleteEdge(Before, Behind);
}

/// Deletes what the missing writes leave without use. All loops are finite:
/// their trip counts are known.
void removeDeadCode(Loop &Root, const NestAnalyses &Analyses,
                    ArrayRef<BasicBlockEdge> NeverTaken = {}) {
  SmallVector<Loop *, 4> Loops = Root.getLoopsInPreorder();
  SmallVector<WeakVH, 2> Preheaders; ///< of loops that have been deleted
  for (Loop *L : reverse(Loops)) {
    SmallVector<WeakTrackingVH> Dead;
    SmallVector<BasicBlock *, 8> Blocks(L->blocks());
    if (BasicBlock *Exit = L->getUniqueExitBlock())
      Blocks.push_back(Exit);
    for (BasicBlock *BB : Blocks) {
      DeleteDeadPHIs(BB);
      for (Instruction &I : *BB)
        if (isInstructionTriviallyDead(&I))
          Dead.push_back(&I);
    }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(Dead);
    if (L != &Root && isDead(*L, NeverTaken, Analyses.DT)) {
      isolate(*L, Analyses);
      Preheaders.emplace_back(L->getLoopPreheader());
      deleteDeadLoop(L, &Analyses.DT, /*SE=*/nullptr, &Analyses.LI);
    }
  }
  for (const WeakVH &Preheader : Preheaders)
    if (Preheader)
      removeBranchAround(*cast<BasicBlock>(Preheader), Analyses);
}

/// Deletes \p Stored, which no store of the product stores any more, and what only
/// it needs. Calls in there set errno at most: the kernel's epilogue makes them.
void deleteStored(Value *Stored) {
  SmallVector<WeakVH, 8> Work{Stored};
  while (!Work.empty()) {
    auto *I = dyn_cast_or_null<Instruction>(Work.pop_back_val());
    if (!I || !I->use_empty() ||
        !(isInstructionTriviallyDead(I) || isa<CallInst>(I)))
      continue;
    Work.append(I->op_begin(), I->op_end());
    I->eraseFromParent();
  }
}

/// What \p L leaves in its counters is computed in front of it, so that the
/// loop is not needed for that.
void computeExitValues(Loop &L, const NestAnalyses &Analyses) {
  ScalarEvolution &SE = Analyses.SE;
  SCEVExpander Expander(SE, "tilesmith.exit");
  isolate(L, Analyses);
  Instruction *At = L.getLoopPreheader()->getTerminator();
  auto IsOutside = [&](const Use &U) {
    return !L.contains(cast<Instruction>(U.getUser()));
  };
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      if (!SE.isSCEVable(I.getType()) || none_of(I.uses(), IsOutside))
        continue;
      const SCEV *Value = SE.getSCEVAtScope(SE.getSCEV(&I), L.getParentLoop());
      if (SE.isLoopInvariant(Value, &L) && Expander.isSafeToExpandAt(Value, At))
        I.replaceUsesWithIf(Expander.expandCodeFor(Value, I.getType(), At),
                            IsOutside);
    }
}

/// The guard has made all checks of \p Source's copy in \p Map: they need not lead
/// to where control cannot go on.
void passChecks(const Loop &Source, ValueToValueMapTy &Map) {
  for (const BasicBlock *BB : Source.blocks()) {
    if (BB == Source.getLoopLatch() ||
        all_of(successors(BB),
               [&](const BasicBlock *To) { return Source.contains(To); }))
      continue;
    auto *Check = cast<BranchInst>(BB->getTerminator());
    auto *Copied = cast<BranchInst>(Map[Check]);
    unsigned Passed = !Source.contains(Check->getSuccessor(0));
    ReplaceInstWithInst(Copied,
                        BranchInst::Create(Copied->getSuccessor(Passed)));
  }
}

NestCopy copyNest(const Nest &Found, BasicBlock *From,
                  const NestAnalyses &Analyses, ValueToValueMapTy &Map,
                  const Twine &Suffix) {
  BasicBlock *Exit = Found.Source.Root->getUniqueLatchExitBlock();
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Copy =
      cloneLoopWithPreheader(Exit, From, Found.Source.Root, Map, Suffix,
                             &Analyses.LI, &Analyses.DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  passChecks(*Found.Source.Root, Map);
  for (const Loop *L : Found.Source.ScalarLoops) {
    auto *Header = cast<BasicBlock>(Map[L->getHeader()]);
    addStringMetadataToLoop(Analyses.LI.getLoopFor(Header), ScalarMark, 1);
  }
  BasicBlock *Exiting = Found.Source.Root->getLoopLatch();
  auto *CopiedExiting = cast<BasicBlock>(Map[Exiting]);
  for (PHINode &Phi : Exit->phis()) {
    Value *V = Phi.getIncomingValueForBlock(Exiting);
    Value *Mapped = Map.lookup(V);
    Phi.addIncoming(Mapped ? Mapped : V, CopiedExiting);
  }
  return {Copy, Blocks.front(), CopiedExiting};
}

} // namespace

/// A copy that runs only where the guard's tests have passed need not make them:
/// \p Map's branches on them go the same way. It is no fall-back, even if the nest
/// has become one, of another product.
static void specialize(const Nest &Found, const NestCopy &Copy,
                       ValueToValueMapTy &Map) {
  LLVMContext &Ctx = Copy.Root->getHeader()->getContext();
  for (const Assumption &A : Found.Tests.Assumptions)
    for (const BasicBlock *BB : Found.Source.Root->blocks()) {
      auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
      if (A.Entered || !Br || !Br->isConditional() ||
          Br->getCondition() != A.Condition)
        continue;
      // Checks have been passed already.
      if (auto *Copied = cast<BranchInst>(Map[Br]); Copied->isConditional())
        Copied->setCondition(ConstantInt::getBool(Ctx, A.Value));
    }
  for (Loop *L : Copy.Root->getLoopsInPreorder())
    if (isMarkedAsFallback(*L))
      L->setLoopID(makePostTransformationMetadata(Ctx, L->getLoopID(),
                                                  {FallbackMark}, {}));
}

/// The counter of \p L: 0, 1, 2, …, 64 bits wide.
static Value *addCounter(const Loop &L) {
  BasicBlock *Header = L.getHeader();
  IRBuilder<> Builder(Header, Header->begin());
  PHINode *Counter = Builder.CreatePHI(Builder.getInt64Ty(), 2, "counter");
  Builder.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Next = Builder.CreateNUWAdd(Counter, Builder.getInt64(1));
  for (BasicBlock *Pred : predecessors(Header))
    Counter->addIncoming(L.contains(Pred) ? Next : Builder.getInt64(0), Pred);
  return Counter;
}

/// Replaces the sum, after its loop, by what the kernel has computed: the
/// element of \p Sums that the counters tell. A row of sums in memory is stored
/// by one pass of the loop over k.
static void takeSum(const Nest &Found, const SumMatrix &Sums,
                    ValueToValueMapTy &Map, const NestAnalyses &Analyses) {
  auto BlockOf = [&](BasicBlock *BB) { return cast<BasicBlock>(Map[BB]); };
  auto CopyOf = [&](const Loop &L) -> const Loop & {
    return *Analyses.LI.getLoopFor(BlockOf(L.getHeader()));
  };
  const Loop &Innermost = *Found.Source.Loops.back();
  BasicBlock *Exit = BlockOf(Innermost.getUniqueLatchExitBlock());
  IRBuilder<> Builder(Exit, Exit->getFirstInsertionPt());
  const Loop *Once = Found.Source.ToScratch->Once;
  if (Once)
    Builder.SetInsertPoint(cast<Instruction>(Map[Found.Source.UpdateStore]));
  auto IndexOf = [&](ArrayRef<Scratch::Counter> Counters,
                     ArrayRef<Value *> Counts) {
    Value *Index = Builder.getInt64(0);
    for (auto [C, Count] : zip_equal(Counters, Counts)) {
      Value *Counter = addCounter(CopyOf(*C.L));
      if (C.IsReversed)
        Counter = Builder.CreateSub(
            Builder.CreateSub(Count, Builder.getInt64(1)), Counter);
      if (C.MovedBy)
        Counter = Builder.CreateAdd(Counter, addCounter(CopyOf(*C.MovedBy)));
      Index = Builder.CreateAdd(Builder.CreateMul(Index, Count), Counter);
    }
    return Index;
  };
  Value *Offset = Builder.CreateMul(
      IndexOf(Found.Source.ToScratch->Rows, Sums.Rows), Sums.RowStride);
  Value *InRow =
      Builder.CreateMul(IndexOf(Found.Source.ToScratch->Columns, Sums.Columns),
                        Sums.ColumnStride);
  Offset = Builder.CreateAdd(Offset, InRow);
  Value *From = Builder.CreatePtrAdd(Sums.Origin, Offset);
  Value *Loaded =
      Builder.CreateAlignedLoad(Found.Op.SumTy, From, Found.Op.C.Alignment);
  if (Once) {
    cast<StoreInst>(Map[Found.Source.UpdateStore])->setOperand(0, Loaded);
    Loop &Copy = *Analyses.LI.getLoopFor(BlockOf(Once->getHeader()));
    computeExitValues(Copy, Analyses);
    breakLoopBackedge(&Copy, Analyses.DT, Analyses.SE, Analyses.LI,
                      /*MSSA=*/nullptr);
    return;
  }
  for (Instruction *Write : Found.Source.Absorbed) {
    auto *Partial = cast<StoreInst>(Map[Write]);
    auto *Final = cast<StoreInst>(Builder.Insert(Partial->clone()));
    Final->setOperand(0, Loaded);
    Partial->eraseFromParent();
  }
  auto Replace = [&](Value *Sum, Value *By) {
    Sum->replaceUsesWithIf(By, [&](const Use &U) {
      return !CopyOf(Innermost).contains(cast<Instruction>(U.getUser())) &&
             Analyses.DT.dominates(cast<Instruction>(By), U);
    });
    for (PHINode &Phi : make_early_inc_range(Exit->phis()))
      if (Phi.hasConstantOrUndefValue() || Phi.getNumIncomingValues() == 1)
        if (Phi.getIncomingValue(0) == Sum) {
          Phi.replaceAllUsesWith(By);
          Phi.eraseFromParent();
        }
  };
  const Scratch &Taken = *Found.Source.ToScratch;
  Replace(Map[Taken.Sum], Loaded);
  if (Taken.Second) {
    uint64_t Size = Found.Op.getDataLayout().getTypeStoreSize(Found.Op.SumTy);
    Value *Behind = Builder.CreatePtrAdd(From, Builder.getInt64(Size));
    Replace(Map[Taken.Second], Builder.CreateAlignedLoad(Found.Op.SumTy, Behind,
                                                         Found.Op.C.Alignment));
  }
}

/// What \p Store is to store: \p First if the loop over k has run, otherwise
/// what it would. Nothing else is known of the sum.
static Value *unlessEmpty(const Nest &Found, StoreInst &Store, Value &First,
                          ValueToValueMapTy &Map,
                          const NestAnalyses &Analyses) {
  const Loop &Innermost = *Found.Source.Loops.back();
  auto *Header = cast<BasicBlock>(Map[Innermost.getHeader()]);
  auto *Exit = cast<BasicBlock>(Map[Innermost.getUniqueLatchExitBlock()]);
  Loop &Copy = *Analyses.LI.getLoopFor(Header);
  Value *Sum = Map[Found.Op.Update.Root];
  Value *Unknown = PoisonValue::get(Sum->getType());
  Sum->replaceUsesWithIf(Unknown, [&](const Use &U) {
    return !Copy.contains(cast<Instruction>(U.getUser()));
  });
  IRBuilder<> Builder(&Store);
  SSAUpdater HasRun;
  HasRun.Initialize(Builder.getInt1Ty(), "has.run");
  HasRun.AddAvailableValue(Copy.getParentLoop()->getHeader(),
                           Builder.getFalse());
  HasRun.AddAvailableValue(Exit, Builder.getTrue());
  Value *Runs = HasRun.GetValueInMiddleOfBlock(Store.getParent());
  return Builder.CreateSelect(Runs, &First, Store.getValueOperand());
}

/// What sums start from takes their place, once, behind the loop over k.
static void storeInitialValues(const Nest &Found, ValueToValueMapTy &Map,
                               const NestAnalyses &Analyses) {
  const Loop &Innermost = *Found.Source.Loops.back();
  for (const InitialValue &Initial : Found.Source.Initials) {
    auto *Store = cast<StoreInst>(Map[Initial.Store]);
    if (Innermost.contains(Initial.Store)) {
      auto *Exit = cast<BasicBlock>(Map[Innermost.getUniqueLatchExitBlock()]);
      Store->moveBefore(*Exit, Exit->getFirstInsertionPt());
    }
    Value *First = Map[Initial.Value];
    if (Initial.IsFinishedIfEmpty)
      First = unlessEmpty(Found, *Store, *First, Map, Analyses);
    Store->setOperand(0, First);
  }
}

/// The block in front comes first.
static SmallVector<BasicBlock *, 16> blocksOf(const NestCopy &Copy) {
  SmallVector<BasicBlock *, 16> Result{Copy.Entry};
  append_range(Result, Copy.Root->blocks());
  return Result;
}

NestCopy copyWithoutProduct(const Nest &Found, BasicBlock *From,
                            const NestAnalyses &Analyses,
                            const Instruction *Made, const SumMatrix *Sums) {
  ValueToValueMapTy Map;
  NestCopy Copy = copyNest(Found, From, Analyses, Map, ".rest");
  // Blocks that are one without the product must not fuse more.
  keepRounded(*Found.Source.Root, Map);
  specialize(Found, Copy, Map);
  auto *Header = cast<BasicBlock>(Map[Found.Source.Loops.back()->getHeader()]);
  computeExitValues(*Analyses.LI.getLoopFor(Header), Analyses);
  if (Made)
    cast<Instruction>(Map[Made])->eraseFromParent();
  if (Sums) {
    takeSum(Found, *Sums, Map, Analyses);
    SmallVector<BasicBlockEdge, 1> NeverTaken;
    for (const Surroundings::Edge &Edge : Found.Source.NeverTaken)
      NeverTaken.push_back(
          {cast<BasicBlock>(Map[Edge.From]), cast<BasicBlock>(Map[Edge.To])});
    removeDeadCode(*Copy.Root, Analyses, NeverTaken);
    return Copy;
  }
  auto *Store = cast<StoreInst>(Map[Found.Source.UpdateStore]);
  for (Instruction *Value : Found.Source.StoredValues) {
    auto *Stored = cast<Instruction>(Map[Value]);
    BasicBlock::iterator After = *Stored->getInsertionPointAfterDef();
    if (const Loop *L = Found.Source.Loops.back(); L->contains(Value))
      After = cast<BasicBlock>(Map[L->getUniqueLatchExitBlock()])
                  ->getFirstInsertionPt();
    auto *Address = Store->getPointerOperand();
    if (canComputeBefore(*Address, *After, Analyses.DT))
      Address = computeBefore(*Address, *After, Analyses.DT);
    else
      After = Store->getIterator();
    IRBuilder<> Builder(After->getParent(), After);
    auto *Loaded = Builder.CreateAlignedLoad(Found.Op.C.ElemTy, Address,
                                             Store->getAlign());
    Stored->replaceUsesWithIf(
        Loaded, [&](const Use &U) { return Analyses.DT.dominates(Loaded, U); });
  }
  SmallVector<WeakVH, 2> OfProduct{Store->getValueOperand()};
  for (Instruction *Write : Found.Source.Absorbed)
    if (auto *Other = dyn_cast<StoreInst>(Map[Write]))
      OfProduct.emplace_back(Other->getValueOperand());
  storeInitialValues(Found, Map, Analyses);
  auto IsOfProduct = [&](const Instruction *Write) {
    return none_of(Found.Source.Initials, [&](const InitialValue &Initial) {
      return Initial.Store == Write;
    });
  };
  if (IsOfProduct(Found.Source.UpdateStore))
    Store->eraseFromParent();
  for (Instruction *Write : Found.Source.Absorbed)
    if (IsOfProduct(Write))
      cast<Instruction>(Map[Write])->eraseFromParent();
  for (const WeakVH &Stored : OfProduct)
    deleteStored(Stored);
  removeDeadCode(*Copy.Root, Analyses);
  loadAgain(blocksOf(Copy));
  return Copy;
}

NestCopy copyWithoutRest(const Nest &Found, BasicBlock *From,
                         const NestAnalyses &Analyses) {
  ValueToValueMapTy Map;
  NestCopy Copy = copyNest(Found, From, Analyses, Map, ".product");
  // Where LLVM fuses the rest of lines otherwise, a trial has shown that it does the
  // same in this copy.
  if (!Found.Op.Rest)
    keepRounded(*Found.Source.Root, Map);
  for (Instruction *Write : Found.Source.RestWrites)
    cast<Instruction>(Map[Write])->eraseFromParent();
  removeDeadCode(*Copy.Root, Analyses);
  loadAgain(blocksOf(Copy));
  return Copy;
}

} // namespace tilesmith
