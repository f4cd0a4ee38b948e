//===- JoinedExit.cpp - last iterations that do what others do ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedExit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tilesmith {

bool isLeftElsewhere(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  return Latch && !L.isLoopExiting(Latch) && !L.hasNoExitBlocks();
}

void leaveFrom(BasicBlock &End, BranchInst &Branch, BasicBlock &Exit,
               BasicBlock &Header) {
  bool First = Branch.getSuccessor(0) == &Exit;
  Instruction *ToHeader = End.getTerminator();
  BranchInst *Leave =
      BranchInst::Create(First ? &Exit : &Header, First ? &Header : &Exit,
                         Branch.getCondition(), ToHeader->getIterator());
  Leave->setDebugLoc(Branch.getDebugLoc());
  if (MDNode *ID = ToHeader->getMetadata(LLVMContext::MD_loop))
    Leave->setMetadata(LLVMContext::MD_loop, ID);
  ToHeader->eraseFromParent();
  Branch.setSuccessor(First ? 0 : 1, &End);
}

namespace {

class ExitJoiner {
public:
  ExitJoiner(LoopInfo &LI, DominatorTree &DT) : LI(LI), DT(DT) {}

  void run(Loop &L) {
    BasicBlock *Header = L.getHeader(), *Latch = L.getLoopLatch(),
               *Exiting = L.getExitingBlock();
    if (!isLeftElsewhere(L) || !Exiting || !L.getExitBlock() ||
        LI.getLoopFor(Exiting) != &L || !DT.dominates(Exiting, Latch))
      return;
    auto *Branch = dyn_cast<BranchInst>(Exiting->getTerminator());
    BasicBlock *Before = Latch->getSinglePredecessor();
    if (!Branch || !Before || Before == Exiting ||
        Latch->getUniqueSuccessor() != Header)
      return;
    findCounting(*Latch, *Branch);
    if (!all_of(Header->phis(), [&](PHINode &Phi) {
          auto *Next =
              dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
          return !Next || DT.dominates(Next, Branch) || Counting.contains(Next);
        }))
      return;
    BasicBlock *Last = exitOfItsOwn(*Exiting, *L.getExitBlock(), *Latch);
    if (Last->getSinglePredecessor() != Exiting)
      return;
    auto Theirs = doneAgain(*Latch, *Last, *Exiting);
    if (Theirs.empty())
      return;
    for (auto [Mine, Other] : Theirs) {
      if (*isDoneSwapped(*Mine, *Other, Theirs, *Exiting))
        cast<BinaryOperator>(Other)->swapOperands();
      for (unsigned I = 0; I < Mine->getNumOperands(); ++I) {
        Value *Op = Mine->getOperand(I),
              *OfOther = Other->getOperand(I)->DoPHITranslation(Last, Exiting);
        auto *Inside = dyn_cast<Instruction>(Op);
        if (Op == OfOther || (Inside && Theirs.lookup(Inside) == OfOther))
          continue;
        PHINode *Either = PHINode::Create(
            Op->getType(), /*NumReservedValues=*/2, "stored", Latch->begin());
        Either->addIncoming(Op, Before);
        Either->addIncoming(OfOther, Exiting);
        Mine->setOperand(I, Either);
      }
      Mine->andIRFlags(Other);
      combineMetadataForCSE(Mine, Other, /*DoesKMove=*/true);
    }
    for (Instruction *Other : reverse(make_second_range(Theirs)))
      Other->eraseFromParent();
    leaveFrom(*Latch, *Branch, *Last, *Header);
    Last->replacePhiUsesWith(Exiting, Latch);
    DT.applyUpdates({{DominatorTree::Insert, Exiting, Latch},
                     {DominatorTree::Delete, Exiting, Last},
                     {DominatorTree::Insert, Latch, Last}});
  }

private:
  /// Arithmetic of \p Latch that only the next iteration needs, of what is known at
  /// \p Branch: the last one may do it, too.
  void findCounting(const BasicBlock &Latch, const Instruction &Branch) {
    for (const Instruction &I : reverse(drop_end(Latch)))
      if (!I.mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(&I) &&
          all_of(I.users(), [&](const User *U) {
            auto *Phi = dyn_cast<PHINode>(U);
            return (Phi && Phi->getParent() == Latch.getUniqueSuccessor()) ||
                   Counting.contains(U);
          }))
        Counting.insert(&I);
    for (const Instruction &I : Latch)
      if (!all_of(I.operands(), [&](const Value *Op) {
            auto *Inside = dyn_cast<Instruction>(Op);
            return !Inside || DT.dominates(Inside, &Branch) ||
                   Counting.contains(Inside);
          }))
        Counting.erase(&I);
  }

  /// The block behind \p Exit or the edge to it from \p Exiting, if it does what
  /// \p Latch does: LLVM has one for the loops on both sides of a test. Then each
  /// way there does that itself, and what comes back is the one from \p Exiting.
  BasicBlock *exitOfItsOwn(BasicBlock &Exiting, BasicBlock &Exit,
                           BasicBlock &Latch) {
    bool IsEmpty = Exit.getSinglePredecessor() == &Exiting &&
                   &Exit.front() == Exit.getTerminator();
    BasicBlock *Shared = IsEmpty ? Exit.getUniqueSuccessor() : &Exit;
    if (!Shared || Shared->getSinglePredecessor() || LI.isLoopHeader(Shared))
      return &Exit;
    BasicBlock &From = IsEmpty ? Exit : Exiting, *Result = &Exit;
    SmallSetVector<BasicBlock *, 2> Preds(pred_begin(Shared), pred_end(Shared));
    auto Done = doneAgain(Latch, *Shared, From);
    if (Done.empty() || !all_of(Preds, [](const BasicBlock *Pred) {
          return isa<BranchInst>(Pred->getTerminator());
        }))
      return &Exit;
    for (BasicBlock *Pred : Preds) {
      BasicBlock *At = Pred;
      if (!Pred->getUniqueSuccessor())
        At = SplitBlockPredecessors(Shared, Pred, ".last", &DT, &LI);
      doThere(*At, *Shared, Done);
      if (Pred == &From)
        Result = At;
    }
    for (Instruction *Other : reverse(make_second_range(Done)))
      Other->eraseFromParent();
    return Result;
  }

  /// At the end of \p At, which goes on to \p Shared, does what that begins with.
  static void doThere(BasicBlock &At, BasicBlock &Shared,
                      const MapVector<Instruction *, Instruction *> &Done) {
    SmallDenseMap<Value *, Value *, 8> Here;
    for (const Instruction *Other : make_second_range(Done)) {
      Instruction *Clone = Other->clone();
      for (Use &Op : Clone->operands()) {
        Value *There = Here.lookup(Op);
        Op = There ? There : Op->DoPHITranslation(&Shared, &At);
      }
      Clone->insertBefore(At.getTerminator()->getIterator());
      Here[const_cast<Instruction *>(Other)] = Clone;
    }
  }

  /// What \p Latch does, one store, and the arithmetic and loads of what it stores, with
  /// what \p Last begins with, if that is the same of other values, and stores to
  /// the same element, when control comes from \p Before.
  MapVector<Instruction *, Instruction *>
  doneAgain(BasicBlock &Latch, BasicBlock &Last, const BasicBlock &Before) {
    constexpr unsigned MaxDone = 8;
    MapVector<Instruction *, Instruction *> Result;
    auto Theirs = Last.getFirstNonPHIIt();
    bool HasStore = false;
    for (Instruction &Mine : drop_end(Latch)) {
      if (Counting.contains(&Mine))
        continue;
      Instruction &Other = *Theirs++;
      auto *Store = dyn_cast<StoreInst>(&Mine);
      if (Other.isTerminator() || !Mine.isSameOperationAs(&Other) ||
          Result.size() == MaxDone || HasStore ||
          (Store &&
           Store->getPointerOperand() !=
               cast<StoreInst>(Other).getPointerOperand()->DoPHITranslation(
                   &Last, &Before)))
        return {};
      // What is computed is used here alone.
      auto IsHere = [](const Instruction &I) {
        auto *Load = dyn_cast<LoadInst>(&I);
        return (Load ? Load->isSimple()
                     : isa<UnaryOperator, BinaryOperator>(I) &&
                           !I.mayHaveSideEffects()) &&
               all_of(I.users(), [&](const User *U) {
                 return cast<Instruction>(U)->getParent() == I.getParent();
               });
      };
      if (!Store && !(IsHere(Mine) && IsHere(Other)))
        return {};
      if (!isDoneSwapped(Mine, Other, Result, Before))
        return {};
      Result[&Mine] = &Other;
      HasStore = Store;
    }
    if (!HasStore)
      return {};
    auto IsDone = [&](const User *U) {
      return is_contained(make_second_range(Result), U);
    };
    if (!all_of(make_second_range(Result), [&](const Instruction *Other) {
          return all_of(Other->users(), IsDone);
        }))
      return {};
    return Result;
  }

  /// Whether \p Other does what \p Mine does with its operands exchanged, when
  /// control comes from \p Before; none if it takes what has been \p Done before,
  /// in the latch and behind it, in another place: no phi in front of the latch can
  /// stand for that.
  static std::optional<bool>
  isDoneSwapped(const Instruction &Mine, const Instruction &Other,
                const MapVector<Instruction *, Instruction *> &Done,
                const BasicBlock &Before) {
    auto IsAlike = [&](Value *V, Value *W) {
      if (auto Of = Done.find(dyn_cast<Instruction>(V)); Of != Done.end())
        return Of->second == W;
      return !is_contained(make_second_range(Done), W);
    };
    std::optional<bool> Result;
    unsigned MostEqual = 0;
    for (bool Swap : {false, true}) {
      if (Swap && !(isa<BinaryOperator>(Mine) && Mine.isCommutative()))
        break;
      unsigned Equal = 0, Alike = 0, Last = Mine.getNumOperands() - 1;
      for (unsigned I = 0; I <= Last; ++I) {
        Value *V = Mine.getOperand(I),
              *W = Other.getOperand(Swap ? Last - I : I)
                       ->DoPHITranslation(Other.getParent(), &Before);
        Equal += V == W;
        Alike += IsAlike(V, W);
      }
      if (Alike == Last + 1 && (!Result || Equal > MostEqual)) {
        Result = Swap;
        MostEqual = Equal;
      }
    }
    return Result;
  }

  LoopInfo &LI;
  DominatorTree &DT;
  SmallPtrSet<const Value *, 4> Counting; ///< of the latch
};

} // namespace

void joinExit(Loop &L, LoopInfo &LI, DominatorTree &DT) {
  ExitJoiner(LI, DT).run(L);
}

} // namespace tilesmith
