//===- RolledLoop.cpp - the loop that an unrolled sum becomes -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block of the sum is cut behind its last addition:
//
//   head:   all that stands in front, and the first addresses
//   rolled: k, the sum; loads, the arithmetic of one step, a partial sum's store
//   tail:   what becomes of the sum
//
//===----------------------------------------------------------------------===//

#include "UnrolledSum.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/Surroundings.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace tilesmith {

bool UnrolledSum::mayMove(FunctionAnalysisManager &FAM) const {
  Function &F = *Around->getHeader()->getParent();
  auto &AA = FAM.getResult<AAManager>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto IsWrittenBy = [&](Instruction &I, const LoadInst &Load) {
    // Of any iteration.
    return I.mayWriteToMemory() &&
           isModSet(AA.getModRefInfo(
               &I, MemoryLocation::getBeforeOrAfter(Load.getPointerOperand(),
                                                    Load.getAAMetadata())));
  };
  // Partial sums of the same step and of later ones are stored later anyway.
  SmallPtrSet<const Instruction *, 24> Own;
  for (const Step &S : reverse(Steps)) {
    Own.insert(S.Partial);
    for (LoadInst *Load : S.Loads) {
      Loop *L = LI.getLoopFor(Load->getParent());
      bool IsNear = Load->getParent() == Last.Add->getParent();
      auto IsWritten = [&](Instruction &I) {
        return !(IsNear && Own.contains(&I)) && IsWrittenBy(I, *Load);
      };
      if (IsNear
              ? any_of(make_range(Load->getIterator(), Last.Add->getIterator()),
                       IsWritten)
              : !L || any_of(L->blocks(), [&](BasicBlock *BB) {
                  return any_of(*BB, IsWritten);
                }))
        return false;
    }
  }
  return StoresInOnePlace && mayMoveStores();
}

/// Whether only the factors are accessed between stores of partial sums.
bool UnrolledSum::mayMoveStores() const {
  const StoreInst *First = Steps.front().Partial;
  if (!First)
    return true;
  SmallPtrSet<const Instruction *, 32> Known;
  for (const Step &S : Steps) {
    Known.insert(S.Partial);
    Known.insert_range(S.Loads);
  }
  return all_of(
      make_range(First->getIterator(), std::as_const(*Last.Add).getIterator()),
      [&](const Instruction &I) {
        return !I.mayReadOrWriteMemory() || Known.contains(&I);
      });
}

bool UnrolledSum::isContractable() const {
  return any_of(Steps, [](const Step &S) {
    return any_of(S.Add->operands(), [](const Value *Op) {
      auto *I = dyn_cast<Instruction>(Op);
      return I && tilesmith::isContractable(*I);
    });
  });
}

namespace {

/// Copies the arithmetic of a step to the end of a block.
class StepCloner {
  static constexpr unsigned MaxDepth = 8; ///< of casts and the like

public:
  StepCloner(IRBuilder<> &B, ArrayRef<LoadInst *> From, ArrayRef<Value *> To)
      : B(B) {
    for (auto [Load, New] : zip(From, To))
      Cloned[Load] = New;
  }

  Value *clone(Value *V) {
    if (Value *Known = Cloned.lookup(V))
      return Known;
    auto *I = dyn_cast<Instruction>(V);
    if (!I || !hasClonedPart(*I))
      return V;
    Instruction *New = I->clone();
    if (!isa<FPMathOperator>(New))
      New->dropPoisonGeneratingFlags();
    for (Use &Op : New->operands())
      Op.set(clone(Op));
    B.Insert(New);
    return Cloned[V] = New;
  }

  void map(Value *From, Value *To) { Cloned[From] = To; }

private:
  bool hasClonedPart(const Instruction &I, unsigned Depth = MaxDepth) {
    return Depth && !isa<PHINode, LoadInst>(I) &&
           any_of(I.operands(), [&](Value *Op) {
             auto *Part = dyn_cast<Instruction>(Op);
             return Part &&
                    (Cloned.contains(Part) || hasClonedPart(*Part, Depth - 1));
           });
  }

  IRBuilder<> &B;
  DenseMap<Value *, Value *> Cloned;
};

} // namespace

/// Control goes on from \p Pre only if all numbers that must be equal are.
void UnrolledSum::emitTest(BasicBlock *Pre, BasicBlock *Fallback,
                           SCEVExpander &Expander, DominatorTree &DT,
                           LoopInfo &LI) const {
  Value *Hold = nullptr;
  for (const Equation &E : MustHold) {
    auto Expand = [&](const SCEV *S) {
      return Expander.expandCodeFor(S, nullptr, Pre->getTerminator());
    };
    Value *X = Expand(E.X), *Y = Expand(E.Y);
    IRBuilder<> B(Pre->getTerminator());
    Value *IsEqual = B.CreateICmpEQ(X, Y);
    Hold = Hold ? B.CreateAnd(Hold, IsEqual) : IsEqual;
  }
  BasicBlock *After = SplitBlock(Pre, Pre->getTerminator(), &DT, &LI);
  IRBuilder<> B(Pre->getTerminator());
  Value *Frozen = B.CreateFreeze(Hold);
  B.CreateCondBr(Frozen, After, Fallback);
  Pre->getTerminator()->eraseFromParent();
}

/// Factor \p I of step \p K, \p Stride bytes from one step to the next.
LoadInst *UnrolledSum::emitLoad(IRBuilderBase &B, unsigned I, Value *K,
                                Value *Stride) const {
  LoadInst *First = Steps.front().Loads[I];
  Type *Index =
      First->getDataLayout().getIndexType(First->getPointerOperandType());
  Value *Counter = B.CreateZExtOrTrunc(K, Index);
  Value *Step = B.CreateSExtOrTrunc(Stride, Index);
  Value *Offset = B.CreateMul(Counter, Step);
  Value *Address = B.CreatePtrAdd(First->getPointerOperand(), Offset);
  Align Alignment = First->getAlign();
  AAMDNodes Tags = First->getAAMetadata();
  for (const UnrolledSum::Step &S : Steps) {
    Alignment = std::min(Alignment, S.Loads[I]->getAlign());
    Tags = Tags.merge(S.Loads[I]->getAAMetadata());
  }
  LoadInst *Load = B.CreateAlignedLoad(First->getType(), Address, Alignment);
  Load->setAAMetadata(Tags);
  Load->setDebugLoc(First->getDebugLoc());
  return Load;
}

/// What the sum starts from, in front of the loop.
Value *UnrolledSum::emitStart(Instruction *At) const {
  Type *Ty = Last.Add->getType();
  Value *Nothing = Ty->isFloatingPointTy() ? ConstantFP::getNegativeZero(Ty)
                                           : Constant::getNullValue(Ty);
  Value *Start = Steps.front().Lower ? Steps.front().Lower : Nothing;
  for (Value *Other : Others)
    Start = BinaryOperator::CreateAdd(Start, Other, "start", At->getIterator());
  return Start;
}

/// The loop's one block, from \p Head to \p Tail. Returns the sum.
Value *UnrolledSum::emitLoop(BasicBlock *Body, BasicBlock *Head,
                             BasicBlock *Tail,
                             ArrayRef<Value *> Strides) const {
  IRBuilder<> B(Body);
  B.SetCurrentDebugLocation(Last.Add->getDebugLoc());
  PHINode *K = B.CreatePHI(B.getInt64Ty(), 2, "k");
  PHINode *Sum = B.CreatePHI(Last.Add->getType(), 2, "sum");
  SmallVector<Value *, 2> Loads;
  for (auto [I, By] : enumerate(Strides))
    Loads.push_back(emitLoad(B, I, K, By));
  StepCloner Cloner(B, Last.Loads, Loads);
  Cloner.map(Last.Lower, Sum);
  Value *Next = Cloner.clone(Last.Add);
  if (StoreInst *First = Steps.front().Partial) {
    Instruction *Store = First->clone();
    Store->setOperand(0, Next);
    B.Insert(Store);
  }
  Value *NextK = B.CreateAdd(K, B.getInt64(1));
  Value *IsLast = B.CreateICmpEQ(NextK, B.getInt64(Steps.size()));
  B.CreateCondBr(IsLast, Tail, Body);
  K->addIncoming(B.getInt64(0), Head);
  K->addIncoming(NextK, Body);
  Sum->addIncoming(emitStart(Head->getTerminator()), Head);
  Sum->addIncoming(Next, Body);
  return Next;
}

Loop *UnrolledSum::roll(Loop &Root, BasicBlock *Fallback, ScalarEvolution &SE,
                        FunctionAnalysisManager &FAM) const {
  Function &F = *Around->getHeader()->getParent();
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  BasicBlock *Pre = Root.getLoopPreheader();
  SCEVExpander Expander(SE, "tilesmith");
  SmallVector<Value *, 2> Strides;
  for (const SCEV *S : Stride)
    Strides.push_back(Expander.expandCodeFor(S, nullptr, Pre->getTerminator()));
  if (Fallback && !MustHold.empty())
    emitTest(Pre, Fallback, Expander, DT, LI);

  Instruction *Add = Last.Add;
  BasicBlock *Head = Add->getParent();
  BasicBlock *Tail = SplitBlock(Head, std::next(Add->getIterator()), &DT, &LI);
  BasicBlock *Body = BasicBlock::Create(F.getContext(), "rolled", &F, Tail);
  Head->getTerminator()->replaceSuccessorWith(Tail, Body);
  Add->replaceAllUsesWith(emitLoop(Body, Head, Tail, Strides));
  for (const Step &S : Steps)
    if (S.Partial)
      S.Partial->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Add);

  DT.recalculate(F);
  Loop *Rolled = LI.AllocateLoop();
  Around->addChildLoop(Rolled);
  Rolled->addBasicBlockToLoop(Body, LI);
  if (IsAdjacent)
    addStringMetadataToLoop(Rolled, WrittenOutMark, 1);
  return Rolled;
}

} // namespace tilesmith
