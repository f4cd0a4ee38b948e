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
// only, and for small loops. In C, beta may be loaded in the nest, which might
// change it: then the copies still ask, and what was asked in front of them is a
// hint, which recognition makes an assumption of.
//
// Choices between addresses, upper ? &a[k][j] : &a[j][k], are made in front, too.
//
//===----------------------------------------------------------------------===//

#include "Unswitch.h"
#include "ShapedNest.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Outcome.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

constexpr unsigned MaxCopies = 5, MaxSize = 400;

/// Whether nothing in \p Root ends the program.
bool goesOn(const Loop &Root) {
  return all_of(Root.blocks(), [](const BasicBlock *BB) {
    return isGuaranteedToTransferExecutionToSuccessor(BB);
  });
}

/// Whether \p BB runs in each iteration of \p L, before that may leave it, if
/// nothing in front of \p BB ends the program.
bool isInEachIteration(const BasicBlock &BB, const Loop &L,
                       const DominatorTree &DT) {
  SmallVector<BasicBlock *, 2> Ends;
  L.getExitingBlocks(Ends);
  L.getLoopLatches(Ends);
  return all_of(Ends,
                [&](const BasicBlock *End) { return DT.dominates(&BB, End); });
}

/// Whether \p I runs in the first iteration of \p Root, if nothing in front of it
/// ends the program.
bool runsFirst(const Instruction &I, const Loop &Root,
               const DominatorTree &DT) {
  return isInEachIteration(*I.getParent(), Root, DT) && goesOn(Root);
}

/// The innermost loop in \p Root that \p BB is in.
const Loop &innermostAround(const BasicBlock &BB, const Loop &Root) {
  for (const Loop *Part : Root.getSubLoops())
    if (Part->contains(&BB))
      return innermostAround(BB, *Part);
  return Root;
}

/// The branches that lead to \p I in the first iteration of \p Root and of the
/// loops inside that it is in: each goes on from where the one after it is always
/// come to. Nothing, if others may lead there.
std::optional<SmallVector<BranchInst *, 2>>
branchesTo(const Instruction &I, const Loop &Root, const DominatorTree &DT) {
  SmallVector<BranchInst *, 2> Result;
  const BasicBlock *At = I.getParent();
  const Loop *In = &innermostAround(*At, Root);
  while (At) {
    if (isInEachIteration(*At, *In, DT)) {
      if (In == &Root)
        return Result;
      At = In->getLoopPreheader();
      In = In->getParentLoop();
      continue;
    }
    const BasicBlock *From = At->getSinglePredecessor();
    auto *Br = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
    if (!Br || &innermostAround(*From, Root) != In)
      return std::nullopt;
    if (Br->isConditional())
      Result.push_back(const_cast<BranchInst *>(Br));
    At = From;
  }
  return std::nullopt;
}

/// What \p V is in the first iteration of \p Root, if that is known in front.
Value *atFirst(Value &V, const Loop &Root) {
  auto *Phi = dyn_cast<PHINode>(&V);
  bool IsCounter =
      Phi && Phi->getParent() == Root.getHeader() && Root.getLoopPreheader();
  return IsCounter ? Phi->getIncomingValueForBlock(Root.getLoopPreheader())
                   : &V;
}

bool canHoist(const Value &V, const Loop &Root, const DominatorTree &DT,
              bool AtFirst = false, unsigned Depth = 0);

/// Whether it can be found out in front of \p Root if \p Load, of an address that
/// does not vary, runs in the first iteration.
bool mayAskForFirst(const LoadInst &Load, const Loop &Root,
                    const DominatorTree &DT) {
  auto Branches = branchesTo(Load, Root, DT);
  return goesOn(Root) && Branches &&
         all_of(*Branches, [&](const BranchInst *Br) {
           return canHoist(*Br->getCondition(), Root, DT, /*AtFirst=*/true);
         });
}

/// Whether \p I runs in the first iteration of \p Root before anything is written.
bool readsFirst(const Instruction &I, const Loop &Root,
                const DominatorTree &DT) {
  auto Writes = [](const Instruction &Other) {
    return Other.mayWriteToMemory();
  };
  const BasicBlock *At = I.getParent();
  if (!runsFirst(I, Root, DT) ||
      any_of(make_range(At->begin(), I.getIterator()), Writes))
    return false;
  while (At != Root.getHeader()) {
    At = At->getSinglePredecessor();
    if (!At || any_of(*At, Writes))
      return false;
  }
  return true;
}

/// Whether \p V can be computed in front of \p Root, as it is in the first
/// iteration if \p AtFirst. What it loads may be changed in the nest, but not
/// before the first iteration loads it, if \p AtFirst.
bool canHoist(const Value &V, const Loop &Root, const DominatorTree &DT,
              bool AtFirst, unsigned Depth) {
  constexpr unsigned MaxDepth = 6;
  const Value &Known = AtFirst ? *atFirst(const_cast<Value &>(V), Root) : V;
  if (Root.isLoopInvariant(&Known))
    return true;
  auto *I = dyn_cast<Instruction>(&Known);
  if (!I || Depth == MaxDepth || isa<PHINode>(I))
    return false;
  auto *Load = dyn_cast<LoadInst>(I);
  bool IsSafe = isSafeToSpeculativelyExecute(I) ||
                (Load && (AtFirst ? readsFirst(*Load, Root, DT)
                                  : runsFirst(*Load, Root, DT) ||
                                        mayAskForFirst(*Load, Root, DT)));
  return IsSafe && (Load ? Load->isSimple() : !I->mayReadFromMemory()) &&
         all_of(I->operands(), [&](Value *Op) {
           return canHoist(*Op, Root, DT, AtFirst, Depth + 1);
         });
}

/// The loads in \p Root of which \p V, which can be hoisted, is made.
void findLoads(Value &V, const Loop &Root, SmallVectorImpl<LoadInst *> &Loads) {
  auto *I = dyn_cast<Instruction>(&V);
  if (!I || !Root.contains(I))
    return;
  if (auto *Load = dyn_cast<LoadInst>(I))
    Loads.push_back(Load);
  for (Value *Op : I->operands())
    findLoads(*Op, Root, Loads);
}

/// \p V, which can be hoisted, once more, as it is in the first iteration.
Value *copyInFront(Value &V, const Loop &Root, IRBuilderBase &B) {
  Value *Known = atFirst(V, Root);
  auto *I = dyn_cast<Instruction>(Known);
  if (!I || !Root.contains(I))
    return Known;
  Instruction *Copy = I->clone();
  for (Use &Op : Copy->operands())
    Op = copyInFront(*Op, Root, B);
  Copy->dropUBImplyingAttrsAndMetadata();
  return B.Insert(Copy);
}

/// \p Condition, made of \p Loads, in front of \p Root. Where they do not run in
/// the first iteration, it is false.
Value *askInFront(Value &Condition, ArrayRef<LoadInst *> Loads,
                  const Loop &Root, LoopInfo &LI, DominatorTree &DT) {
  Instruction *End = Root.getLoopPreheader()->getTerminator();
  IRBuilder<> B(End);
  Value *Runs = nullptr;
  for (LoadInst *Load : Loads) {
    if (runsFirst(*Load, Root, DT) || isSafeToSpeculativelyExecute(Load))
      continue;
    const BasicBlock *To = Load->getParent();
    const auto Branches = branchesTo(*Load, Root, DT);
    for (BranchInst *Br : *Branches) {
      Value *Leads = copyInFront(*Br->getCondition(), Root, B);
      if (Br->getSuccessor(0) != To && !DT.dominates(Br->getSuccessor(0), To))
        Leads = B.CreateNot(Leads);
      Runs = Runs ? B.CreateLogicalAnd(Leads, Runs) : Leads;
    }
  }
  if (!Runs)
    return copyInFront(Condition, Root, B);
  BasicBlock *From = End->getParent();
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  Instruction *Then = SplitBlockAndInsertIfThen(
      B.CreateFreeze(Runs), End, /*Unreachable=*/false,
      /*BranchWeights=*/nullptr, &Updater, &LI);
  IRBuilder<> InThen(Then);
  Value *Asked = copyInFront(Condition, Root, InThen);
  B.SetInsertPoint(End->getParent(), End->getParent()->begin());
  PHINode *Result = B.CreatePHI(B.getInt1Ty(), 2);
  Result->addIncoming(Asked, Then->getParent());
  Result->addIncoming(B.getFalse(), From);
  return Result;
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

/// The blocks of \p Root that tests whose outcome is known do not exclude.
SmallSetVector<BasicBlock *, 16> liveBlocks(const Loop &Root) {
  SmallSetVector<BasicBlock *, 16> Live;
  Live.insert(Root.getHeader());
  for (unsigned Next = 0; Next < Live.size(); ++Next) {
    auto *Br = dyn_cast<BranchInst>(Live[Next]->getTerminator());
    std::optional<bool> Known = Br ? outcomeOf(*Br) : std::nullopt;
    for (BasicBlock *Succ : successors(Live[Next]))
      if (Root.contains(Succ) && (!Known || Succ == Br->getSuccessor(!*Known)))
        Live.insert(Succ);
  }
  return Live;
}

/// The condition of a choice between addresses that always comes out the same:
/// upper ? &a[k][j] : &a[j][k].
Value *findChoice(const Loop &Root, ArrayRef<BasicBlock *> Live) {
  for (BasicBlock *BB : Live)
    for (Instruction &I : *BB)
      if (auto *Choice = dyn_cast<SelectInst>(&I);
          Choice && Choice->getType()->isIntOrPtrTy() &&
          Choice->getCondition()->getType()->isIntegerTy() &&
          !isa<Constant>(Choice->getCondition()) &&
          Root.isLoopInvariant(Choice->getCondition()) &&
          !Root.hasLoopInvariantOperands(Choice))
        return Choice->getCondition();
  return nullptr;
}

/// Whether \p Br only asks whether a loop has something to do.
bool isGuardOfLoop(const BranchInst &Br, const Loop &Root) {
  return isa<ICmpInst>(Br.getCondition()) &&
         any_of(Root.getLoopsInPreorder(),
                [&](const Loop *L) { return L->getLoopGuardBranch() == &Br; });
}

/// The condition of a test inside \p Root that always comes out the same, both
/// of whose sides lead to \p Inner, or come from there; the first one that runs.
/// Those before loops come last. In copies, no product would leave its block.
Value *findTest(const Loop &Root, const Loop &Inner, const LoopInfo &LI,
                const DominatorTree &DT) {
  SmallSetVector<BasicBlock *, 16> Live = liveBlocks(Root);
  if (Value *Choice = findChoice(Root, Live.getArrayRef()))
    return Choice;
  Value *OfLoop = nullptr;
  for (BasicBlock *BB : Live) {
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (Br && Br->isConditional() && !isa<Constant>(Br->getCondition()) &&
        !outcomeOf(*Br) &&
        all_of(Br->successors(),
               [&](const BasicBlock *Succ) {
                 return Root.contains(Succ) && Succ != Root.getHeader();
               }) &&
        canHoist(*Br->getCondition(), Root, DT) && !leadsPast(*Br, Inner, LI) &&
        !decidesOnWork(*Br, Root, Inner, LI) && !mayLeaveArm(*Br)) {
      if (!isGuardOfLoop(*Br, Root))
        return Br->getCondition();
      if (!OfLoop)
        OfLoop = Br->getCondition();
    }
  }
  return OfLoop;
}

/// The outcome of tests of \p Condition in \p L is known, and of those that
/// follow from it. If it is loaded in \p L, that is only a hint.
void setOutcome(const Loop &L, const Value &Condition, bool Holds) {
  const DataLayout &DL = L.getHeader()->getDataLayout();
  bool IsHint = !L.isLoopInvariant(&Condition);
  for (BasicBlock *BB : L.blocks()) {
    for (Instruction &I : make_early_inc_range(*BB))
      if (auto *Choice = dyn_cast<SelectInst>(&I);
          Choice && !IsHint && Choice->getCondition() == &Condition) {
        Choice->replaceAllUsesWith(Holds ? Choice->getTrueValue()
                                         : Choice->getFalseValue());
        Choice->eraseFromParent();
      }
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Br || !Br->isConditional() ||
        IsHint == L.isLoopInvariant(Br->getCondition()))
      continue;
    std::optional<bool> Implied =
        isImpliedCondition(&Condition, Br->getCondition(), DL, Holds);
    if (Implied && IsHint)
      setOutcomeHint(*Br, *Implied);
    else if (Implied)
      Br->setCondition(ConstantInt::getBool(Br->getContext(), *Implied));
  }
}

/// The version of the first loop of \p Inner that is in \p Nest.
Loop &firstIn(const Loop &Nest, ArrayRef<LoopVersion> Inner) {
  return *find_if(Inner, [&](const LoopVersion &Version) {
            return Version.Source == Inner.front().Source &&
                   Nest.contains(Version.L);
          })->L;
}

/// Returns the copy, in which \p Condition does not hold.
Loop &unswitchOn(Value *Condition, Loop &Root,
                 SmallVectorImpl<LoopVersion> &Inner, LoopInfo &LI,
                 DominatorTree &DT) {
  Value *InFront = Condition;
  SmallVector<LoadInst *, 2> Loads;
  findLoads(*Condition, Root, Loads);
  if (!Loads.empty()) {
    InFront = askInFront(*Condition, Loads, Root, LI, DT);
  } else {
    bool Hoisted = false;
    Root.makeLoopInvariant(Condition, Hoisted);
  }
  ValueToValueMapTy Map;
  auto [Copy, From, Preheader] = copyBeside(Root, ".other", Map, LI, DT);
  for (const LoopVersion &Version : to_vector(Inner))
    if (Value *Header = Map.lookup(Version.L->getHeader()))
      Inner.push_back(
          {LI.getLoopFor(cast<BasicBlock>(Header)), Version.Source});

  // The loop may not come to the test.
  Instruction *End = From->getTerminator();
  IRBuilder<> Builder(End);
  Builder.CreateCondBr(Builder.CreateFreeze(InFront), Preheader,
                       Copy->getLoopPreheader());
  End->eraseFromParent();
  setOutcome(Root, *Condition, true);
  Value *Copied = Map.lookup(Condition);
  setOutcome(*Copy, Copied ? *Copied : *Condition, false);
  for (Loop *L : {&Root, Copy})
    formDedicatedExitBlocks(L, &DT, &LI, /*MSSAU=*/nullptr,
                            /*PreserveLCSSA=*/true);
  // Where a test excludes the product, there is nothing to tell.
  for (Loop *Nest : {&Root, Copy})
    if (!liveBlocks(*Nest).contains(firstIn(*Nest, Inner).getHeader()))
      addStringMetadataToLoop(Nest, FallbackMark, 1);
  return *Copy;
}

} // namespace

bool canUnswitch(const Loop &Root, const Loop &Inner, const LoopInfo &LI,
                 const DominatorTree &DT) {
  unsigned Size = 0;
  for (const BasicBlock *BB : Root.blocks()) {
    Size += BB->size();
    if (Size > MaxSize || any_of(*BB, [](const Instruction &I) {
          auto *Call = dyn_cast<CallBase>(&I);
          return Call && (Call->cannotDuplicate() || Call->isConvergent());
        }))
      return false;
  }
  return Root.getUniqueExitBlock() && findTest(Root, Inner, LI, DT);
}

void unswitch(Loop &Root, SmallVectorImpl<LoopVersion> &Inner,
              SmallVectorImpl<BasicBlock *> &Headers, LoopInfo &LI,
              DominatorTree &DT) {
  SmallVector<Loop *, 4> Nests{&Root};
  for (unsigned Next = 0; Next < Nests.size(); ++Next) {
    Loop &L = *Nests[Next];
    while (Nests.size() < MaxCopies && L.getLoopPreheader() &&
           L.getUniqueExitBlock() && L.hasDedicatedExits()) {
      Value *Test = findTest(L, firstIn(L, Inner), LI, DT);
      if (!Test)
        break;
      Nests.push_back(&unswitchOn(Test, L, Inner, LI, DT));
    }
  }
  for (const Loop *Nest : Nests)
    Headers.push_back(Nest->getHeader());
}

} // namespace tilesmith
