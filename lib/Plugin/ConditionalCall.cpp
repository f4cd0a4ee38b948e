//===- ConditionalCall.cpp - c = s > 0 ? s : expm1f(s) --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConditionalCall.h"
#include "tilesmith/Idiom/Expression.h"
#include "tilesmith/Support/Attributes.h"
#include "tilesmith/Support/Choice.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// `Head: br Condition, Then, Else`, both of which go on to Join, where Numbers
/// are phis. One of them may be Join itself. Other ways lead to them, too: LLVM knows
/// the condition of an empty sum.
struct Choice {
  BranchInst *Branch;
  BasicBlock *Head, *Join;
  SmallVector<BasicBlock *, 2> Arms;
  SmallVector<PHINode *, 2> Numbers;
};

/// Whether fusion, which is decided within a block, might be decided anew.
bool mayFuse(const Instruction &I) {
  return (isa<BinaryOperator>(I) && isa<FPMathOperator>(I)) &&
         I.hasAllowContract() && !I.hasAllowReassoc() &&
         mayFuseProducts(*I.getFunction());
}

/// Whether \p BB only computes numbers.
bool isArm(const BasicBlock &BB) {
  return all_of(
      make_range(BB.begin(), std::prev(BB.end())), [](const Instruction &I) {
        return isa<PHINode>(I) || (isScalarArithmetic(I) && !mayFuse(I));
      });
}

bool callsFunction(const BasicBlock &BB) {
  return any_of(BB, [](const Instruction &I) { return !isLanewise(I); });
}

/// The phis of \p Join that are not the same on the ways from \p Preds.
SmallVector<PHINode *, 2> numbersOf(BasicBlock &Join,
                                    ArrayRef<BasicBlock *> Preds) {
  SmallVector<PHINode *, 2> Result;
  for (PHINode &Phi : Join.phis())
    if (!all_equal(map_range(Preds, [&](BasicBlock *Pred) {
          return Phi.getIncomingValueForBlock(Pred);
        })))
      Result.push_back(&Phi);
  return Result;
}

/// What \p Arms compute for \p Number.
SmallSetVector<Instruction *, 8> partFor(PHINode &Number,
                                         ArrayRef<BasicBlock *> Arms) {
  SmallSetVector<Instruction *, 8> Part;
  auto Add = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if (I && !isa<PHINode>(I) && is_contained(Arms, I->getParent()))
      Part.insert(I);
  };
  for_each(Number.incoming_values(), Add);
  for (unsigned At = 0; At < Part.size(); ++At)
    for_each(Part[At]->operand_values(), Add);
  return Part;
}

/// Whether each call is made for one of the numbers: they get a function each.
bool canPart(const Choice &C) {
  SmallDenseMap<Instruction *, unsigned, 4> NumParts;
  for (PHINode *Number : C.Numbers) {
    Type *Ty = Number->getType();
    if (!Ty->isIntegerTy() && !Ty->isFloatingPointTy())
      return false;
    for (Instruction *I : partFor(*Number, C.Arms))
      ++NumParts[I];
  }
  return all_of(C.Arms, [&](BasicBlock *Arm) {
    return all_of(*Arm, [&](Instruction &I) {
      return !I.mayHaveSideEffects() || NumParts.lookup(&I) == 1;
    });
  });
}

std::optional<Choice> choiceFrom(BasicBlock &Head) {
  auto *Branch = dyn_cast<BranchInst>(Head.getTerminator());
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  auto IsJoin = [&](BasicBlock *BB, BasicBlock *Other) {
    return Other->getSingleSuccessor() == BB;
  };
  BasicBlock *First = Branch->getSuccessor(0),
             *Second = Branch->getSuccessor(1);
  Choice Found{Branch, &Head, /*Join=*/nullptr, {}, {}};
  if (IsJoin(First, Second))
    Found.Join = First;
  else if (IsJoin(Second, First))
    Found.Join = Second;
  else if (BasicBlock *Join = First->getSingleSuccessor();
           Join && IsJoin(Join, First) && IsJoin(Join, Second))
    Found.Join = Join;
  else
    return std::nullopt;
  SmallVector<BasicBlock *, 2> Preds;
  for (BasicBlock *BB : {First, Second}) {
    if (BB == Found.Join) {
      Preds.push_back(&Head);
      continue;
    }
    if (!isArm(*BB))
      return std::nullopt;
    Preds.push_back(BB);
    Found.Arms.push_back(BB);
  }
  if (Found.Join == &Head || is_contained(Found.Arms, &Head) ||
      none_of(Found.Arms, [](BasicBlock *BB) { return callsFunction(*BB); }))
    return std::nullopt;
  Found.Numbers = numbersOf(*Found.Join, Preds);
  return canPart(Found) ? std::optional(Found) : std::nullopt;
}

/// What \p Number is chosen by and from: values from outside.
SmallSetVector<Value *, 4>
inputsOf(const Choice &C, PHINode &Number,
         const SmallSetVector<Instruction *, 8> &Part) {
  SmallSetVector<Value *, 4> Inputs;
  auto Add = [&](Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    if ((I && !Part.contains(I)) || isa<Argument>(V))
      Inputs.insert(V);
  };
  Add(C.Branch->getCondition());
  for (Instruction *I : Part)
    for_each(I->operand_values(), Add);
  for_each(Number.incoming_values(), Add);
  return Inputs;
}

/// A call of a function that chooses \p Number.
Value *chooseByCall(const Choice &C, PHINode &Number) {
  auto Part = partFor(Number, C.Arms);
  SmallVector<Value *, 4> Inputs = inputsOf(C, Number, Part).takeVector();
  Function &Caller = *C.Head->getParent();
  auto TypeOf = [](Value *V) { return V->getType(); };
  auto *F = Function::Create(
      FunctionType::get(Number.getType(),
                        SmallVector<Type *, 4>(map_range(Inputs, TypeOf)),
                        /*isVarArg=*/false),
      GlobalValue::InternalLinkage, ChoiceMark, Caller.getParent());
  F->addFnAttrs(attributesOfPart(Caller));
  F->addFnAttr(ChoiceMark);
  F->setWillReturn();
  bool MayWrite = any_of(
      Part, [](const Instruction *I) { return I->mayHaveSideEffects(); });
  F->setMemoryEffects(MayWrite ? MemoryEffects::errnoMemOnly(ModRefInfo::Mod)
                               : MemoryEffects::none());

  ValueToValueMapTy Map;
  for (auto [Input, Arg] : zip_equal(Inputs, F->args()))
    Map[Input] = &Arg;
  BasicBlock *Entry = BasicBlock::Create(F->getContext(), "entry", F),
             *Join = BasicBlock::Create(F->getContext(), "join");
  Map[C.Head] = Entry;
  Map[C.Join] = Join;
  SmallVector<BasicBlock *, 4> Blocks{Entry};
  for (BasicBlock *Arm : C.Arms) {
    auto *Copy = BasicBlock::Create(F->getContext(), "arm", F);
    for (Instruction &I : *Arm)
      if (Part.contains(&I) || I.isTerminator()) {
        Instruction *New = I.clone();
        New->insertInto(Copy, Copy->end());
        Map[&I] = New;
      }
    Map[Arm] = Copy;
    Blocks.push_back(Copy);
  }
  Join->insertInto(F);
  Blocks.push_back(Join);
  IRBuilder<> B(Entry);
  B.Insert(C.Branch->clone());
  B.SetInsertPoint(Join);
  B.CreateRet(B.Insert(Number.clone()));
  remapInstructionsInBlocks(Blocks, Map);
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *BB)
      I.setDebugLoc(DebugLoc());
  return IRBuilder<>(C.Branch).CreateCall(F, Inputs, "choice");
}

/// Gives the ways to \p Arm that do not come from \p Head a copy of it.
void copyForOthers(BasicBlock &Arm, BasicBlock &Head, DomTreeUpdater &Updater,
                   LoopInfo &LI) {
  SmallVector<BasicBlock *, 2> Others;
  for (BasicBlock *Pred : predecessors(&Arm))
    if (Pred != &Head)
      Others.push_back(Pred);
  if (!Others.empty()) {
    BasicBlock *Join = Arm.getSingleSuccessor();
    ValueToValueMapTy Map;
    BasicBlock *Copy = CloneBasicBlock(&Arm, Map, ".other", Arm.getParent());
    LI.getLoopFor(&Arm)->addBasicBlockToLoop(Copy, LI);
    remapInstructionsInBlocks({Copy}, Map);
    for (PHINode &Phi : Join->phis()) {
      Value *V = Phi.getIncomingValueForBlock(&Arm);
      Value *Mapped = Map.lookup(V);
      Phi.addIncoming(Mapped ? Mapped : V, Copy);
    }
    SmallVector<DominatorTree::UpdateType, 4> Changes{
        {DominatorTree::Insert, Copy, Join}};
    for (BasicBlock *Pred : Others) {
      Pred->getTerminator()->replaceSuccessorWith(&Arm, Copy);
      Arm.removePredecessor(Pred, /*KeepOneInputPHIs=*/true);
      Changes.push_back({DominatorTree::Insert, Pred, Copy});
      Changes.push_back({DominatorTree::Delete, Pred, &Arm});
    }
    Copy->removePredecessor(&Head, /*KeepOneInputPHIs=*/true);
    Updater.applyUpdates(Changes);
  }
  FoldSingleEntryPHINodes(&Arm);
}

void outline(Choice C, DominatorTree &DT, LoopInfo &LI) {
  DomTreeUpdater Updater(DT, DomTreeUpdater::UpdateStrategy::Eager);
  for (BasicBlock *Arm : C.Arms)
    copyForOthers(*Arm, *C.Head, Updater, LI);
  // Other ways that lead to the same place stay.
  SmallVector<BasicBlock *, 2> Preds(C.Arms);
  if (C.Arms.size() == 1)
    Preds.push_back(C.Head);
  if (!C.Join->hasNPredecessors(Preds.size())) {
    C.Join = SplitBlockPredecessors(C.Join, Preds, ".choice", &Updater, &LI);
    C.Numbers = numbersOf(*C.Join, Preds);
  }
  for (PHINode *Number : C.Numbers) {
    Number->replaceAllUsesWith(chooseByCall(C, *Number));
    Number->eraseFromParent();
  }
  for (PHINode &Phi : make_early_inc_range(C.Join->phis())) {
    Phi.replaceAllUsesWith(Phi.getIncomingValue(0));
    Phi.eraseFromParent();
  }
  IRBuilder<>(C.Branch).CreateBr(C.Join);
  SmallVector<DominatorTree::UpdateType, 4> Changes;
  for (BasicBlock *Arm : C.Arms)
    Changes.push_back({DominatorTree::Delete, C.Head, Arm});
  if (C.Arms.size() == 2)
    Changes.push_back({DominatorTree::Insert, C.Head, C.Join});
  C.Branch->eraseFromParent();
  Updater.applyUpdates(Changes);
  for (BasicBlock *Arm : C.Arms)
    LI.removeBlock(Arm);
  DeleteDeadBlocks(C.Arms, &Updater);
  MergeBlockIntoPredecessor(C.Join, &Updater, &LI);
}

} // namespace

bool hasConditionalCall(const Loop &L) {
  for (const Loop *Around = L.getParentLoop(); Around;
       Around = Around->getParentLoop())
    for (BasicBlock *BB : Around->blocks())
      if (!L.contains(BB) && choiceFrom(*BB))
        return true;
  return false;
}

void outlineChoices(Loop &Root, DominatorTree &DT, LoopInfo &LI) {
  for (bool Changed = true; std::exchange(Changed, false);)
    for (BasicBlock *BB : Root.blocks())
      if (!LI.getLoopFor(BB)->isInnermost())
        if (auto Found = choiceFrom(*BB)) {
          outline(*Found, DT, LI);
          Changed = true;
          break;
        }
}

void removeChoices(Module &M) {
  SmallVector<Function *, 2> Choices;
  for (Function &F : M)
    if (F.hasFnAttribute(ChoiceMark))
      Choices.push_back(&F);
  SmallSetVector<Function *, 2> Callers;
  for (Function *F : Choices)
    for (User *U : F->users())
      Callers.insert(cast<CallInst>(U)->getFunction());
  for_each(Callers, [](Function *F) { inlineChoices(*F); });
  for (Function *F : Choices)
    F->eraseFromParent();
}

} // namespace tilesmith
