//===- ZeroVersions.cpp - loops beyond borders, with zeros ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroVersions.h"
#include "FunctionCopy.h"
#include "ZeroComparison.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Of the blocks behind \p L that only choose values, one after the other.
SmallVector<BasicBlock *, 2> blocksBehind(const Loop &L) {
  SmallVector<BasicBlock *, 2> Result;
  for (BasicBlock *BB = L.getUniqueExitBlock();
       BB && BB->getSinglePredecessor() && BB->getSingleSuccessor() &&
       BB->getFirstNonPHIIt() == BB->getTerminator()->getIterator();
       BB = BB->getSingleSuccessor())
    Result.push_back(BB);
  return Result;
}

/// From the only way into \p Preheader down to it.
SmallVector<BasicBlock *, 2> blocksInFront(BasicBlock &Preheader) {
  SmallVector<BasicBlock *, 2> Result{&Preheader};
  for (BasicBlock *BB = Preheader.getSinglePredecessor();
       BB && BB->getSingleSuccessor(); BB = BB->getSinglePredecessor())
    Result.push_back(BB);
  std::reverse(Result.begin(), Result.end());
  return Result;
}

/// The versions of which \p Beyond is one, as seen from \p Head.
std::optional<Versions> versionsAt(BasicBlock &Head, Loop &Beyond,
                                   const LoopInfo &LI) {
  Versions V{dyn_cast<BranchInst>(Head.getTerminator()),
             nullptr,
             &Beyond,
             {},
             {},
             {},
             {},
             nullptr};
  V.ToBeyond = blocksInFront(*Beyond.getLoopPreheader());
  BasicBlock *First = V.ToBeyond.front();
  if (!V.Head || !V.Head->isConditional() || !First->phis().empty() ||
      LI.getLoopFor(&Head) != Beyond.getParentLoop())
    return std::nullopt;
  BasicBlock *BB = V.Head->getSuccessor(V.Head->getSuccessor(0) == First);
  for (; BB && BB->getSinglePredecessor(); BB = BB->getSingleSuccessor())
    V.ToMade.push_back(BB);
  if (V.ToMade.empty() || !BB || !LI.isLoopHeader(BB))
    return std::nullopt;
  V.Made = LI.getLoopFor(BB);
  if (V.Made == &Beyond || V.Made->getParentLoop() != Beyond.getParentLoop() ||
      V.Made->getLoopPreheader() != V.ToMade.back())
    return std::nullopt;
  V.OutOfMade = blocksBehind(*V.Made);
  V.OutOfBeyond = blocksBehind(Beyond);
  for (auto [I, BB] : enumerate(V.OutOfBeyond))
    for (auto [J, Other] : enumerate(V.OutOfMade))
      if (BB->getSingleSuccessor() == Other->getSingleSuccessor()) {
        V.Join = BB->getSingleSuccessor();
        V.OutOfBeyond.truncate(I + 1);
        V.OutOfMade.truncate(J + 1);
        return V;
      }
  return std::nullopt;
}

class Joiner {
public:
  Joiner(const Versions &V, LoopInfo &LI, DominatorTree &DT)
      : V(V), LI(LI), DT(DT) {}

  /// \p Zero stands for \p Image where the head goes beyond the border. Returns
  /// whether no other head leads to the loop beyond it, which is no more then.
  bool run(Instruction &Image, Value &Zero) {
    if (auto *Phi = dyn_cast<PHINode>(&Image))
      testInFront(*Phi, Zero);
    else
      makePhi(Image, Zero);
    return dropBeyond();
  }

private:
  /// \p From goes on to \p End beyond the border, and to \p Inside otherwise.
  void makeTest(BasicBlock &From, BasicBlock &Inside, BasicBlock &End) {
    bool BeyondIsFirst = V.Head->getSuccessor(0) == V.ToBeyond.front();
    BranchInst *Test = BranchInst::Create(BeyondIsFirst ? &End : &Inside,
                                          BeyondIsFirst ? &Inside : &End,
                                          V.Head->getCondition());
    Test->setDebugLoc(V.Head->getDebugLoc());
    ReplaceInstWithInst(From.getTerminator(), Test);
    DT.insertEdge(&From, &End);
  }

  void makePhi(Instruction &Image, Value &Zero) {
    BasicBlock *From = Image.getParent();
    BasicBlock *Inside = SplitBlock(From, &Image, &DT, &LI);
    BasicBlock *End = SplitBlock(Inside, Image.getNextNode(), &DT, &LI);
    PHINode *Phi = PHINode::Create(Image.getType(), /*NumReservedValues=*/2,
                                   "element", End->begin());
    Image.replaceAllUsesWith(Phi);
    Phi->addIncoming(&Image, Inside);
    Phi->addIncoming(&Zero, From);
    makeTest(*From, *Inside, *End);
  }

  void testInFront(PHINode &Phi, Value &Zero) {
    BasicBlock *From = DT.getNode(Phi.getParent())->getIDom()->getBlock();
    BasicBlock *Inside = SplitBlock(From, From->getTerminator(), &DT, &LI);
    Phi.addIncoming(&Zero, From);
    makeTest(*From, *Inside, *Phi.getParent());
  }

  /// The head goes to the loop that is made in any case.
  bool dropBeyond() {
    BasicBlock *Head = V.Head->getParent(), *First = V.ToBeyond.front();
    First->removePredecessor(Head);
    ReplaceInstWithInst(V.Head, BranchInst::Create(V.ToMade.front()));
    DT.deleteEdge(Head, First);
    if (!pred_empty(First))
      return false;
    SmallVector<BasicBlock *, 8> Dead(V.ToBeyond.begin(), V.ToBeyond.end());
    append_range(Dead, V.Beyond->blocks());
    append_range(Dead, V.OutOfBeyond);
    for (BasicBlock *BB : Dead)
      LI.removeBlock(BB);
    Loop *Parent = V.Beyond->getParentLoop();
    Parent->removeChildLoop(find(*Parent, V.Beyond));
    LI.destroy(V.Beyond);
    DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
    DeleteDeadBlocks(Dead, &Updater);
    return true;
  }

  const Versions &V;
  LoopInfo &LI;
  DominatorTree &DT;
};

/// Joins one pair of versions in \p Root, if there is any, and adds to \p Dropped
/// the loops that are no more.
bool joinOne(Loop &Root, FunctionAnalysisManager &FAM, Subscripts Are,
             SmallPtrSetImpl<Loop *> &Dropped) {
  Function &F = *Root.getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  ScalarEvolution SE = scalarEvolution(F, FAM);
  SmallVector<Loop *, 4> Loops = Root.getLoopsInPreorder();
  for (Loop *L : reverse(Loops)) {
    if (L == &Root || !L->getLoopPreheader())
      continue;
    BasicBlock *First = blocksInFront(*L->getLoopPreheader()).front();
    for (BasicBlock *Head : predecessors(First)) {
      std::optional<Versions> V = versionsAt(*Head, *L, LI);
      if (!V)
        continue;
      ZeroComparison Of(*V, SE, LI, DT, Are);
      if (!Of.agree())
        continue;
      Of.mark();
      SmallVector<Loop *, 4> Gone = L->getLoopsInPreorder();
      if (Joiner(*V, LI, DT).run(*Of.image(), *Of.zero()))
        Dropped.insert_range(Gone);
      return true;
    }
  }
  return false;
}

/// Whether an instruction of the innermost loop \p L, or its own operand, takes a
/// constant zero for a factor.
bool multipliesZero(const Loop &L) {
  auto IsZero = [](const Value *V) {
    auto *C = dyn_cast<ConstantFP>(V);
    return C && C->isZero();
  };
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      bool Multiplies =
          I.getOpcode() == Instruction::FMul ||
          (Call && (Call->getIntrinsicID() == Intrinsic::fmuladd ||
                    Call->getIntrinsicID() == Intrinsic::fma));
      return Multiplies && any_of(I.operands(), [&](const Use &Op) {
               auto *From = dyn_cast<Instruction>(Op);
               return IsZero(Op) || (From && !L.contains(From) &&
                                     any_of(From->operands(), IsZero));
             });
    });
  });
}

} // namespace

bool mayHaveZeroVersions(const Loop &L) {
  const Loop *Root = L.getOutermostLoop();
  return any_of(Root->getLoopsInPreorder(), [&](const Loop *Part) {
    return Part->isInnermost() && Part != Root && multipliesZero(*Part);
  });
}

SmallPtrSet<Loop *, 4>
joinZeroVersions(Loop &Root, FunctionAnalysisManager &FAM, Subscripts Are) {
  SmallPtrSet<Loop *, 4> Dropped;
  if (mayHaveZeroVersions(Root))
    while (joinOne(Root, FAM, Are, Dropped))
      ;
  return Dropped;
}

} // namespace tilesmith
