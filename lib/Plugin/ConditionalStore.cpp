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
#include "llvm/Transforms/Utils/Local.h"

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

bool Conditional::isIfTrue() const { return Branch->getSuccessor(0) == Then; }

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

/// The only store of \p Then, if that does nothing else besides arithmetic; null if
/// there is more, or none.
static StoreInst *onlyStore(BasicBlock &Then) {
  StoreInst *Only = nullptr;
  for (Instruction &I : make_range(Then.begin(), std::prev(Then.end()))) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Store ? Only || !Store->isSimple()
              : I.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&I))
      return nullptr;
    if (Store)
      Only = Store;
  }
  return Only;
}

/// What ends in a store in \p Then, whatever the element was before.
static std::optional<Conditional> storeUnderCondition(BasicBlock &Then) {
  std::optional<Conditional> Found = branchAround(Then);
  if (Found)
    Found->Store = onlyStore(Then);
  return Found && Found->Store ? Found : std::nullopt;
}

/// Whether \p Store stores the same in all steps of \p L, each to another element: what
/// that was before does not matter, but that it was stored.
static bool storesConstant(const StoreInst &Store, const Loop &L) {
  return isa<ConstantInt>(Store.getValueOperand()) && L.getLoopDepth() > 2;
}

std::optional<Conditional> conditionalStore(BasicBlock &Then, const Loop &L) {
  std::optional<Conditional> Found = storeUnderCondition(Then);
  if (Found)
    Found->Old = elementBefore(*Found->Store, *Found->Head, *Found->Join, L);
  return Found && (Found->Old || storesConstant(*Found->Store, L))
             ? Found
             : std::nullopt;
}

/// The element that \p Test, a comparison with what stays the same in \p L, is of.
static LoadInst *testedElement(const Value &Test, const Loop &L) {
  auto *Asked = dyn_cast<CmpInst>(&Test);
  auto *Element = Asked ? dyn_cast<LoadInst>(Asked->getOperand(0)) : nullptr;
  return Element && Element->isSimple() && L.contains(Element) &&
                 isa<Constant>(Asked->getOperand(1))
             ? Element
             : nullptr;
}

/// Finds the loads and the store of \p Block for \p Found, which does nothing else
/// besides arithmetic: one load of an element that is not stored to, and the last load
/// in front of the store of the one that is.
static bool findAccesses(BasicBlock &Block, Conditional &Found) {
  SmallVector<LoadInst *, 2> Loads;
  for (Instruction &I : make_range(Block.begin(), std::prev(Block.end()))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if (Load && Load->isSimple())
      Loads.push_back(Load);
    else if (Store && Store->isSimple() && !Found.Store)
      Found.Store = Store;
    else if (I.mayReadOrWriteMemory() ||
             (!isa<PHINode>(I) && !isSafeToSpeculativelyExecute(&I)))
      return false;
  }
  for (LoadInst *Load : Loads) {
    if (Found.Store &&
        Load->getPointerOperand() == Found.Store->getPointerOperand()) {
      if (Found.Old || !Load->comesBefore(Found.Store) ||
          Load->getType() != Found.Store->getValueOperand()->getType())
        return false;
      Found.Old = Load;
    } else {
      if (Found.Load)
        return false;
      Found.Load = Load;
    }
  }
  return Found.Load;
}

/// Whether \p Block multiplies by \p Tested, or what may be fused: such steps are left
/// out in another way.
static bool multiplies(const BasicBlock &Block, const LoadInst &Tested) {
  return any_of(Block, [&](const Instruction &I) {
    return (I.getOpcode() == Instruction::FMul &&
            (I.hasAllowContract() || is_contained(I.operands(), &Tested))) ||
           match(&I, PatternMatch::m_Intrinsic<Intrinsic::fmuladd>());
  });
}

/// What \p Then loads, in the innermost loop \p L, if another element passes a test,
/// and maybe stores.
static std::optional<Conditional> conditionalLoad(BasicBlock &Then,
                                                  const Loop &L) {
  std::optional<Conditional> Found = branchAround(Then);
  if (!Found || !L.contains(Found->Join) || !L.contains(Found->Head))
    return std::nullopt;
  // The test may be the same for all steps of a line.
  const LoadInst *Tested =
      testedElement(*Found->Branch->getCondition(), *L.getParentLoop());
  if (!Tested || !findAccesses(Then, *Found) || multiplies(Then, *Tested))
    return std::nullopt;
  if (Found->Store ? !Found->Old : Found->Join->phis().empty())
    return std::nullopt;
  return Found;
}

/// The same, where the test is in front of the steps of \p L, which are one block.
static std::optional<Conditional> conditionalLine(const Loop &L) {
  const Loop *Around = L.getParentLoop();
  BasicBlock *Steps = L.getHeader(), *Before = L.getLoopPredecessor(),
             *After = L.getUniqueExitBlock();
  if (!Around || L.getNumBlocks() != 1 || !Before || !After)
    return std::nullopt;
  BasicBlock *Then = Before->getSingleSuccessor() ? Before : Steps;
  BasicBlock *Head = Then == Before ? Then->getSinglePredecessor() : Before;
  auto *Branch = Head ? dyn_cast<BranchInst>(Head->getTerminator()) : nullptr;
  if (!Branch || !Branch->isConditional() || !Around->contains(Head))
    return std::nullopt;
  const LoadInst *Tested = testedElement(*Branch->getCondition(), *Around);
  BasicBlock *Join = Branch->getSuccessor(Branch->getSuccessor(0) == Then);
  if (After != Join && After->getSingleSuccessor() != Join)
    return std::nullopt;
  auto DoesNothing = [](const BasicBlock *BB) {
    return none_of(*BB, [](const Instruction &I) {
      return isa<PHINode>(I) || I.mayReadOrWriteMemory() ||
             !(I.isTerminator() || isSafeToSpeculativelyExecute(&I));
    });
  };
  if ((Then != Steps && !DoesNothing(Then)) ||
      (After != Join && !DoesNothing(After)) || !Join->phis().empty())
    return std::nullopt;
  Conditional Found{Branch,         Head, Then, Join, /*Store=*/nullptr,
                    /*Old=*/nullptr};
  if (!Tested || !findAccesses(*Steps, Found) || !Found.Store || !Found.Old ||
      multiplies(*Steps, *Tested))
    return std::nullopt;
  return Found;
}

bool hasConditionalLoad(const Loop &L) {
  return L.isInnermost() && L.getLoopDepth() > 2 &&
         any_of(L.blocks(), [&](BasicBlock *BB) {
           return BB != L.getHeader() && conditionalLoad(*BB, L);
         });
}

bool isLineUnderCondition(const Loop &L) {
  return L.isInnermost() && L.getLoopDepth() > 2 &&
         conditionalLine(L).has_value();
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

/// \p V where \p C stores; elsewhere, what leaves an element as it is that is changed by
/// \p Opcode.
static Value *orNothing(IRBuilderBase &B, const Conditional &C, Value *V,
                        Instruction::BinaryOps Opcode) {
  Constant *Nothing = ConstantExpr::getBinOpIdentity(Opcode, V->getType());
  bool IsIfTrue = C.isIfTrue();
  return B.CreateSelect(C.Branch->getCondition(), IsIfTrue ? V : Nothing,
                        IsIfTrue ? Nothing : V);
}

/// Whether steps that \p New makes of \p Old may add what changes nothing. Of numbers,
/// a negative zero does, but that a signalling NaN becomes a quiet one: there must be
/// other steps that do that.
static bool mayChangeByNothing(const Conditional &C,
                               const BinaryOperator &New) {
  return New.getType()->isIntegerTy() ||
         (C.Load && C.Store && New.getOpcode() == Instruction::FAdd);
}

/// \p New where \p C stores, and \p Old elsewhere. What changes \p Old by another number
/// changes it by one that does nothing there: the sum is one of such steps then. And
/// what is stored in a part of these cases is stored where both conditions hold.
static Value *choose(IRBuilderBase &B, const Conditional &C, Value *New,
                     Value *Old) {
  auto *Changed = dyn_cast<BinaryOperator>(New);
  if (Changed && Changed->isCommutative() &&
      is_contained(Changed->operands(), Old) &&
      Changed->getOperand(0) != Changed->getOperand(1) &&
      mayChangeByNothing(C, *Changed)) {
    bool IsFirst = Changed->getOperand(0) == Old;
    Value *By =
        orNothing(B, C, Changed->getOperand(IsFirst), Changed->getOpcode());
    Value *Result = B.CreateBinOp(Changed->getOpcode(), IsFirst ? Old : By,
                                  IsFirst ? By : Old);
    if (auto *Made = dyn_cast<Instruction>(Result))
      Made->copyFastMathFlags(Changed);
    return Result;
  }
  Value *Condition = C.Branch->getCondition();
  bool IsIfTrue = C.isIfTrue();
  auto *Part = dyn_cast<SelectInst>(New);
  bool IsOldIfTrue = Part && Part->getTrueValue() == Old;
  if (IsOldIfTrue || (Part && Part->getFalseValue() == Old)) {
    Value *OfPart = Part->getCondition();
    if (IsOldIfTrue == IsIfTrue)
      OfPart = B.CreateNot(OfPart);
    New = IsOldIfTrue ? Part->getFalseValue() : Part->getTrueValue();
    Condition = IsIfTrue ? B.CreateLogicalAnd(Condition, OfPart)
                         : B.CreateLogicalOr(Condition, OfPart);
  }
  return B.CreateSelect(Condition, IsIfTrue ? New : Old, IsIfTrue ? Old : New);
}

/// Notes that \p C loads only where its test passes.
static void markLoad(const Conditional &C) {
  LLVMContext &Ctx = C.Load->getContext();
  MDNode *Pair =
      MDNode::getDistinct(Ctx, ConstantAsMetadata::get(ConstantInt::getBool(
                                   Type::getInt1Ty(Ctx), C.isIfTrue())));
  C.Load->setMetadata(LoadedIfMark, Pair);
  cast<CmpInst>(C.Branch->getCondition())->setMetadata(LoadedIfMark, Pair);
}

/// Stores the element as it is where \p C does not store. Returns what is stored.
static Value *storeAlways(IRBuilderBase &B, Conditional &C) {
  B.SetInsertPoint(C.Store);
  Value *Stored = C.Store->getValueOperand();
  MDNode *Empty = MDNode::get(B.getContext(), {});
  if (!C.Old) {
    LoadInst *Load = B.CreateAlignedLoad(
        Stored->getType(), C.Store->getPointerOperand(), C.Store->getAlign());
    Load->setMetadata(NotLoadedMark, Empty);
    C.Old = Load;
  }
  Value *Element = choose(B, C, Stored, C.Old);
  C.Store->setOperand(0, Element);
  RecursivelyDeleteTriviallyDeadInstructions(Stored);
  C.Store->setMetadata(StoresChangesMark, Empty);
  return Element;
}

/// Branches from the head of \p C to Then in any case.
static void takeAlways(const Conditional &C, DominatorTree &DT) {
  C.Join->removePredecessor(C.Head);
  BranchInst *Always = BranchInst::Create(C.Then, C.Branch->getIterator());
  Always->setDebugLoc(C.Branch->getDebugLoc());
  C.Branch->eraseFromParent();
  DT.deleteEdge(C.Head, C.Join);
}

/// Head goes on to Then, and Then to Join.
static void makeUnconditional(Conditional C, DominatorTree &DT, LoopInfo &LI) {
  IRBuilder<> B(C.Then->getTerminator());
  Value *Stored = C.Store ? C.Store->getValueOperand() : nullptr,
        *Element = C.Store ? storeAlways(B, C) : nullptr;
  if (C.Load)
    markLoad(C);
  B.SetInsertPoint(C.Then->getTerminator());
  for (PHINode &Phi : C.Join->phis()) {
    Value *New = Phi.getIncomingValueForBlock(C.Then),
          *Old = Phi.getIncomingValueForBlock(C.Head);
    bool IsElement = C.Store && New == Stored && Old == C.Old;
    Phi.setIncomingValueForBlock(C.Then,
                                 IsElement ? Element : choose(B, C, New, Old));
  }
  takeAlways(C, DT);
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  MergeBlockIntoPredecessor(C.Then, &Updater, &LI);
  if (C.Join->getSinglePredecessor() == C.Head)
    MergeBlockIntoPredecessor(C.Join, &Updater, &LI);
}

/// The steps of \p L are made in any case.
static void makeLineUnconditional(Loop &L, DominatorTree &DT) {
  std::optional<Conditional> Found = conditionalLine(L);
  if (!Found)
    return;
  IRBuilder<> B(L.getHeader()->getTerminator());
  storeAlways(B, *Found);
  markLoad(*Found);
  takeAlways(*Found, DT);
}

/// A byte that is one or zero, as all of type bool, is compared with zero.
static void compareTruthValues(Loop &L) {
  for (BasicBlock *BB : L.blocks()) {
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    auto *Truth = Branch && Branch->isConditional()
                      ? dyn_cast<TruncInst>(Branch->getCondition())
                      : nullptr;
    if (!Truth || !Truth->hasNoUnsignedWrap() ||
        !isa<LoadInst>(Truth->getOperand(0)))
      continue;
    IRBuilder<> B(Truth);
    Branch->setCondition(B.CreateIsNotNull(Truth->getOperand(0)));
  }
}

void makeUnconditional(Loop &L, DominatorTree &DT, LoopInfo &LI) {
  if (!L.isInnermost())
    return;
  if (L.getLoopDepth() > 2)
    compareTruthValues(*L.getParentLoop());
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
  if (L.getLoopDepth() > 2)
    makeLineUnconditional(L, DT);
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
