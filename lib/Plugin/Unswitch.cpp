//===- Unswitch.cpp - a copy of a nest for each side of a test ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for j {                                     if (beta == 0)
//     if (beta == 0)                              for j {
//       for i  c[i][j] = 0;                =>       for i  c[i][j] = 0;
//     else                                          for k for i  c[i][j] += …
//       for i  c[i][j] = beta * c[i][j];          }
//     for k for i  c[i][j] += …                 else
//   }                                             for j { … }
//
// The reference BLAS is written so. LLVM's own unswitching does this at -O3
// only, and for small loops.
//
//===----------------------------------------------------------------------===//

#include "Unswitch.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

constexpr unsigned MaxCopies = 4, MaxSize = 400;

/// Whether \p V can be computed in front of \p Root.
bool canHoist(const Value &V, const Loop &Root, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 4;
  if (Root.isLoopInvariant(&V))
    return true;
  auto *I = dyn_cast<Instruction>(&V);
  return I && Depth < MaxDepth && !isa<PHINode>(I) && !I->mayReadFromMemory() &&
         isSafeToSpeculativelyExecute(I) &&
         all_of(
             I->operands(),
             [&](Value *Op) { return canHoist(*Op, Root, Depth + 1); });
}

/// Whether one side of \p Br leads to \p Inner, and the other one past it.
bool leadsPast(const BranchInst &Br, const Loop &Inner, const LoopInfo &LI) {
  SmallPtrSet<BasicBlock *, 4> BackEdges;
  for (const Loop *L = LI.getLoopFor(Br.getParent()); L; L = L->getParentLoop())
    BackEdges.insert(L->getHeader());
  auto Leads = [&](unsigned Side) {
    return isPotentiallyReachable(Br.getSuccessor(Side), Inner.getHeader(),
                                  &BackEdges);
  };
  return Leads(0) != Leads(1);
}

/// Whether \p Br decides on a loop that does as much work as \p Inner: where it
/// is left out, as where loops tuned by hand have short rows, there is little
/// to do.
bool decidesOnWork(const BranchInst &Br, const Loop &Root, const Loop &Inner,
                   const LoopInfo &LI) {
  return any_of(Root.getLoopsInPreorder(), [&](const Loop *Other) {
    return Other != &Inner && Other->getLoopDepth() >= Inner.getLoopDepth() &&
           leadsPast(Br, *Other, LI);
  });
}

/// The blocks of \p Root that tests of constants do not exclude.
SmallSetVector<BasicBlock *, 16> liveBlocks(const Loop &Root) {
  SmallSetVector<BasicBlock *, 16> Live;
  Live.insert(Root.getHeader());
  for (unsigned Next = 0; Next < Live.size(); ++Next) {
    auto *Br = dyn_cast<BranchInst>(Live[Next]->getTerminator());
    auto *Known = Br && Br->isConditional()
                      ? dyn_cast<ConstantInt>(Br->getCondition())
                      : nullptr;
    for (BasicBlock *Succ : successors(Live[Next]))
      if (Root.contains(Succ) &&
          (!Known || Succ == Br->getSuccessor(Known->isZero())))
        Live.insert(Succ);
  }
  return Live;
}

/// A test inside \p Root that always comes out the same, both of whose sides
/// lead to \p Inner, or come from there; the first one that runs. In copies, no
/// product would leave its block.
BranchInst *findTest(const Loop &Root, const Loop &Inner, const LoopInfo &LI) {
  for (BasicBlock *BB : liveBlocks(Root)) {
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (Br && Br->isConditional() && !isa<Constant>(Br->getCondition()) &&
        all_of(Br->successors(),
               [&](const BasicBlock *Succ) {
                 return Root.contains(Succ) && Succ != Root.getHeader();
               }) &&
        canHoist(*Br->getCondition(), Root) && !leadsPast(*Br, Inner, LI) &&
        !decidesOnWork(*Br, Root, Inner, LI) && !mayLeaveArm(*Br))
      return Br;
  }
  return nullptr;
}

/// The outcome of tests of \p Condition in \p L is known, and of those that
/// follow from it.
void setOutcome(const Loop &L, const Value &Condition, bool Holds) {
  const DataLayout &DL = L.getHeader()->getDataLayout();
  for (BasicBlock *BB : L.blocks()) {
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br || !Br->isConditional() || !L.isLoopInvariant(Br->getCondition()))
      continue;
    if (std::optional<bool> Implied =
            isImpliedCondition(&Condition, Br->getCondition(), DL, Holds))
      Br->setCondition(ConstantInt::getBool(Br->getContext(), *Implied));
  }
}

/// Returns the copy, in which \p Test's condition does not hold.
Loop &unswitchOn(BranchInst &Test, Loop &Root, SmallVectorImpl<Loop *> &Inner,
                 LoopInfo &LI, DominatorTree &DT) {
  Value *Condition = Test.getCondition();
  bool Hoisted = false;
  Root.makeLoopInvariant(Condition, Hoisted);
  formLCSSARecursively(Root, DT, &LI, /*SE=*/nullptr);
  BasicBlock *Exit = Root.getUniqueExitBlock();
  BasicBlock *From = Root.getLoopPreheader();
  BasicBlock *Preheader =
      SplitBlock(From, From->getTerminator(), &DT, &LI, /*MSSAU=*/nullptr);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Preheader, From, &Root, Map, ".other",
                                      &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);
  for (PHINode &Phi : Exit->phis())
    for (BasicBlock *Exiting : to_vector(Phi.blocks()))
      if (auto *Copied = cast_or_null<BasicBlock>(Map.lookup(Exiting))) {
        Value *V = Phi.getIncomingValueForBlock(Exiting);
        Value *Mapped = Map.lookup(V);
        Phi.addIncoming(Mapped ? Mapped : V, Copied);
      }

  for (Loop *L : to_vector(Inner))
    if (Value *Header = Map.lookup(L->getHeader()))
      Inner.push_back(LI.getLoopFor(cast<BasicBlock>(Header)));

  // The loop may not come to the test.
  Instruction *End = From->getTerminator();
  IRBuilder<> Builder(End);
  Builder.CreateCondBr(Builder.CreateFreeze(Condition), Preheader,
                       Copy->getLoopPreheader());
  End->eraseFromParent();
  DT.changeImmediateDominator(Exit, From);
  setOutcome(Root, *Condition, true);
  setOutcome(*Copy, *Condition, false);
  for (Loop *L : {&Root, Copy})
    formDedicatedExitBlocks(L, &DT, &LI, /*MSSAU=*/nullptr,
                            /*PreserveLCSSA=*/true);
  // Where a test excludes the product, there is nothing to tell.
  for (Loop *L : Inner)
    for (Loop *Nest : {&Root, Copy})
      if (Nest->contains(L) && !liveBlocks(*Nest).contains(L->getHeader()))
        addStringMetadataToLoop(Nest, FallbackMark, 1);
  return *Copy;
}

} // namespace

bool canUnswitch(const Loop &Root, const Loop &Inner, const LoopInfo &LI) {
  unsigned Size = 0;
  for (const BasicBlock *BB : Root.blocks()) {
    Size += BB->size();
    if (Size > MaxSize || any_of(*BB, [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && (Call->cannotDuplicate() || Call->isConvergent());
        }))
      return false;
  }
  return Root.getUniqueExitBlock() && findTest(Root, Inner, LI);
}

void unswitch(Loop &Root, SmallVectorImpl<Loop *> &Inner,
              SmallVectorImpl<BasicBlock *> &Headers, LoopInfo &LI,
              DominatorTree &DT) {
  SmallVector<Loop *, 4> Nests{&Root};
  for (unsigned Next = 0; Next < Nests.size(); ++Next) {
    Loop &L = *Nests[Next];
    while (Nests.size() < MaxCopies && L.getLoopPreheader() &&
           L.getUniqueExitBlock() && L.hasDedicatedExits()) {
      BranchInst *Test = findTest(L, *Inner[Next], LI);
      if (!Test)
        break;
      Nests.push_back(&unswitchOn(*Test, L, Inner, LI, DT));
    }
  }
  for (const Loop *Nest : Nests)
    Headers.push_back(Nest->getHeader());
}

} // namespace tilesmith
