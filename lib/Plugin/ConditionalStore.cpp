//===- ConditionalStore.cpp - if (x < c) c = x -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionalStore.h"
#include "tilesmith/Idiom/Surroundings.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

/// What the element that \p Store stores is where it does not: what is carried
/// through \p L instead of the value, if it stays the same then, or what has been
/// loaded last in \p Head.
static Value *elementBefore(const StoreInst &Store, BasicBlock &Head,
                            BasicBlock &Join, const Loop &L) {
  const BasicBlock *Then = Store.getParent(), *Latch = L.getLoopLatch();
  for (PHINode &Phi : Join.phis()) {
    auto *Carried = dyn_cast<PHINode>(Phi.getIncomingValueForBlock(&Head));
    if (Phi.getIncomingValueForBlock(Then) == Store.getValueOperand() &&
        Carried && Carried->getParent() == L.getHeader() && Latch &&
        Carried->getIncomingValueForBlock(Latch) == &Phi)
      return Carried;
  }
  for (Instruction &I : reverse(Head)) {
    if (I.mayWriteToMemory())
      return nullptr;
    auto *Load = dyn_cast<LoadInst>(&I);
    if (Load && Load->isSimple() &&
        Load->getPointerOperand() == Store.getPointerOperand() &&
        Load->getType() == Store.getValueOperand()->getType())
      return Load;
  }
  return nullptr;
}

/// The branch around \p Then, if that goes on to where the branch else goes.
static std::optional<Conditional> branchAround(BasicBlock &Then) {
  BasicBlock *Head = Then.getSinglePredecessor(),
             *Join = Then.getSingleSuccessor();
  auto *Branch = Head ? dyn_cast<BranchInst>(Head->getTerminator()) : nullptr;
  if (!Join || Join == &Then || !Branch || !Branch->isConditional() ||
      !is_contained(successors(Head), Join))
    return std::nullopt;
  return Conditional{Branch,         Head, &Then, Join, /*Store=*/nullptr,
                     /*Old=*/nullptr};
}

/// The only load, or the only store, of \p Then, if that does nothing else besides
/// arithmetic; null if there is more, or none.
template <typename LoadOrStore>
static LoadOrStore *onlyAccess(BasicBlock &Then) {
  LoadOrStore *Only = nullptr;
  for (Instruction &I : make_range(Then.begin(), std::prev(Then.end()))) {
    auto *Access = dyn_cast<LoadOrStore>(&I);
    if (Access ? Only || !Access->isSimple()
               : I.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&I))
      return nullptr;
    if (Access)
      Only = Access;
  }
  return Only;
}

/// What ends in a store in \p Then, whatever the element was before.
static std::optional<Conditional> storeUnderCondition(BasicBlock &Then) {
  std::optional<Conditional> Found = branchAround(Then);
  if (Found)
    Found->Store = onlyAccess<StoreInst>(Then);
  return Found && Found->Store ? Found : std::nullopt;
}

std::optional<Conditional> conditionalStore(BasicBlock &Then, const Loop &L) {
  std::optional<Conditional> Found = storeUnderCondition(Then);
  if (Found)
    Found->Old = elementBefore(*Found->Store, *Found->Head, *Found->Join, L);
  return Found && Found->Old ? Found : std::nullopt;
}

/// What \p Then loads, in the innermost loop \p L, if an element of integers is not
/// zero (or if it is), as a step of integers.
static std::optional<Conditional> conditionalLoad(BasicBlock &Then,
                                                  const Loop &L) {
  std::optional<Conditional> Found = branchAround(Then);
  if (!Found || !L.contains(Found->Join) || !L.contains(Found->Head))
    return std::nullopt;
  auto *Test = dyn_cast<ICmpInst>(Found->Branch->getCondition());
  auto *Tested = Test ? dyn_cast<LoadInst>(Test->getOperand(0)) : nullptr;
  if (!Tested || !Test->isEquality() || !L.contains(Tested) ||
      !match(Test->getOperand(1), PatternMatch::m_Zero()))
    return std::nullopt;
  Found->Load = onlyAccess<LoadInst>(Then);
  bool AreIntegers = all_of(Found->Join->phis(), [](const PHINode &Phi) {
    return Phi.getType()->isIntegerTy();
  });
  if (!Found->Load || Found->Join->phis().empty() || !AreIntegers)
    return std::nullopt;
  return Found;
}

bool hasConditionalLoad(const Loop &L) {
  return L.isInnermost() && L.getLoopDepth() > 2 &&
         any_of(L.blocks(), [&](BasicBlock *BB) {
           return BB != L.getHeader() && conditionalLoad(*BB, L);
         });
}

/// Whether \p L reads other elements of the object that \p Store stores in, as
/// in paths by Floyd and Warshall: no order of steps but the source's will do.
static bool readsWhereItStores(const Loop &L, const StoreInst &Store) {
  const Value *C = getUnderlyingObject(Store.getPointerOperand());
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      auto *Load = dyn_cast<LoadInst>(&I);
      return Load && Load->getPointerOperand() != Store.getPointerOperand() &&
             getUnderlyingObject(Load->getPointerOperand()) == C;
    });
  });
}

bool hasConditionalStore(const Loop &L) {
  return L.isInnermost() && any_of(L.blocks(), [&](BasicBlock *BB) {
           if (BB == L.getHeader())
             return false;
           auto Found = conditionalStore(*BB, L);
           return Found && !readsWhereItStores(L, *Found->Store);
         });
}

/// \p New where \p C stores, and \p Old elsewhere. What changes \p Old by another number
/// changes it by one that does nothing there: the sum is one of such steps then.
static Value *choose(IRBuilderBase &B, const Conditional &C, Value *New,
                     Value *Old) {
  auto *Changed = dyn_cast<BinaryOperator>(New);
  if (Changed && Changed->getType()->isIntegerTy() &&
      Changed->isCommutative() && is_contained(Changed->operands(), Old) &&
      Changed->getOperand(0) != Changed->getOperand(1)) {
    Value *By = Changed->getOperand(Changed->getOperand(0) == Old);
    Constant *Nothing = ConstantExpr::getBinOpIdentity(Changed->getOpcode(),
                                                       Changed->getType());
    return B.CreateBinOp(Changed->getOpcode(), Old, choose(B, C, By, Nothing));
  }
  bool IsIfTrue = C.Branch->getSuccessor(0) == C.Then;
  return B.CreateSelect(C.Branch->getCondition(), IsIfTrue ? New : Old,
                        IsIfTrue ? Old : New);
}

/// Head goes on to Then, and Then to Join.
static void makeUnconditional(const Conditional &C, DominatorTree &DT,
                              LoopInfo &LI) {
  IRBuilder<> B(C.Then->getTerminator());
  auto Choose = [&](Value *New, Value *Old) { return choose(B, C, New, Old); };
  MDNode *Empty = MDNode::get(B.getContext(), {});
  Value *Stored = nullptr, *Element = nullptr;
  if (C.Store) {
    B.SetInsertPoint(C.Store);
    Stored = C.Store->getValueOperand();
    Element = Choose(Stored, C.Old);
    C.Store->setOperand(0, Element);
    C.Store->setMetadata(StoresChangesMark, Empty);
  } else {
    auto *Test = cast<ICmpInst>(C.Branch->getCondition());
    bool IsIfTrue = C.Branch->getSuccessor(0) == C.Then;
    bool IsIfZero = IsIfTrue == (Test->getPredicate() == ICmpInst::ICMP_EQ);
    MDNode *Pair = MDNode::getDistinct(
        B.getContext(), ConstantAsMetadata::get(B.getInt1(IsIfZero)));
    C.Load->setMetadata(LoadedIfMark, Pair);
    Test->setMetadata(LoadedIfMark, Pair);
  }
  B.SetInsertPoint(C.Then->getTerminator());
  for (PHINode &Phi : C.Join->phis()) {
    Value *New = Phi.getIncomingValueForBlock(C.Then),
          *Old = Phi.getIncomingValueForBlock(C.Head);
    bool IsElement = C.Store && New == Stored && Old == C.Old;
    Phi.setIncomingValueForBlock(C.Then,
                                 IsElement ? Element : Choose(New, Old));
  }
  C.Join->removePredecessor(C.Head);
  BranchInst *Always = BranchInst::Create(C.Then, C.Branch->getIterator());
  Always->setDebugLoc(C.Branch->getDebugLoc());
  C.Branch->eraseFromParent();
  DT.deleteEdge(C.Head, C.Join);
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  MergeBlockIntoPredecessor(C.Then, &Updater, &LI);
  if (C.Join->getSinglePredecessor() == C.Head)
    MergeBlockIntoPredecessor(C.Join, &Updater, &LI);
}

void makeUnconditional(Loop &L, DominatorTree &DT, LoopInfo &LI) {
  if (!L.isInnermost())
    return;
  for (bool Changed = true; std::exchange(Changed, false);)
    for (BasicBlock *BB : L.blocks()) {
      std::optional<Conditional> Found;
      if (BB != L.getHeader())
        Found = conditionalStore(*BB, L);
      if (!Found && BB != L.getHeader() && L.getLoopDepth() > 2)
        Found = conditionalLoad(*BB, L);
      if (!Found)
        continue;
      makeUnconditional(*Found, DT, LI);
      Changed = true;
      break;
    }
}

NotedChoice::NotedChoice(Loop &L) {
  for (BasicBlock *BB :
       L.isInnermost() ? L.getBlocks() : ArrayRef<BasicBlock *>()) {
    std::optional<Conditional> Found =
        BB == L.getHeader() ? std::nullopt : storeUnderCondition(*BB);
    if (!Found)
      continue;
    IRBuilder<> B(Found->Store);
    Value *New = Found->Store->getValueOperand();
    Old = B.CreateAlignedLoad(New->getType(), Found->Store->getPointerOperand(),
                              Found->Store->getAlign());
    Choice = dyn_cast<SelectInst>(choose(B, *Found, New, Old));
    if (Choice)
      Choice->setMetadata(ChoiceOfStoreMark, MDNode::get(B.getContext(), {}));
    return;
  }
}

NotedChoice::~NotedChoice() {
  if (Choice)
    Choice->eraseFromParent();
  if (Old)
    Old->eraseFromParent();
}

bool mustNotRun(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      return storesChangesOnly(I) || isLoadedUnderCondition(I);
    });
  });
}

} // namespace tilesmith
