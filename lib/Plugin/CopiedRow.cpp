//===- CopiedRow.cpp - rows that memcpy copies ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopiedRow.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tilesmith {

/// The type of the elements that loops in \p Root store where \p Copy does, if it is
/// one.
static Type *elementType(const MemCpyInst &Copy, const Loop &Root) {
  const Value *Object = getUnderlyingObject(Copy.getRawDest());
  Type *Found = nullptr;
  for (const BasicBlock *BB : Root.blocks())
    for (const Instruction &I : *BB) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store || getUnderlyingObject(Store->getPointerOperand()) != Object)
        continue;
      Type *Ty = Store->getValueOperand()->getType();
      if ((Found && Ty != Found) ||
          !(Ty->isFloatingPointTy() || Ty->isIntegerTy()))
        return nullptr;
      Found = Ty;
    }
  return Found;
}

/// A call, and the elements that it copies.
namespace {
struct RowCopy {
  MemCpyInst *Call;
  Type *ElemTy;
  uint64_t ElemSize;
};
} // namespace

/// The calls that loops around \p L, or other loops with loops inside, make.
static SmallVector<RowCopy, 1> findCopies(const Loop &Root) {
  SmallVector<RowCopy, 1> Result;
  for (BasicBlock *BB : Root.blocks())
    for (Instruction &I : *BB) {
      auto *Call = dyn_cast<MemCpyInst>(&I);
      if (!Call || Call->isVolatile() || Call->isForceInlined())
        continue;
      Type *Ty = elementType(*Call, Root);
      const DataLayout &DL = I.getDataLayout();
      if (Ty && DL.getTypeSizeInBits(Ty) == DL.getTypeAllocSizeInBits(Ty))
        Result.push_back({Call, Ty, DL.getTypeStoreSize(Ty)});
    }
  return Result;
}

bool hasCopiedRow(const Loop &L) {
  const Loop *Root = L.getOutermostLoop();
  return any_of(findCopies(*Root), [&](const RowCopy &Copy) {
    const BasicBlock *BB = Copy.Call->getParent();
    return !L.contains(BB) &&
           any_of(Root->getLoopsInPreorder(), [&](const Loop *In) {
             return In->contains(BB) && In->contains(&L);
           });
  });
}

/// Copies \p Count elements, at least one, between \p Head and \p Tail.
static BasicBlock *emitLoop(const RowCopy &Copy, Value *Count, BasicBlock &Head,
                            BasicBlock &Tail) {
  BasicBlock *Body = BasicBlock::Create(Head.getContext(), "tilesmith.row",
                                        Head.getParent(), &Tail);
  IRBuilder<> B(Body);
  B.SetCurrentDebugLocation(Copy.Call->getDebugLoc());
  Type *Ty = Count->getType();
  PHINode *Index = B.CreatePHI(Ty, 2, "element");
  auto At = [&](Value *Base) {
    return B.CreateInBoundsGEP(Copy.ElemTy, Base, Index);
  };
  Align OfElement(Copy.ElemSize);
  Value *Element = B.CreateAlignedLoad(
      Copy.ElemTy, At(Copy.Call->getRawSource()),
      std::min(OfElement, Copy.Call->getSourceAlign().valueOrOne()));
  B.CreateAlignedStore(
      Element, At(Copy.Call->getRawDest()),
      std::min(OfElement, Copy.Call->getDestAlign().valueOrOne()));
  Value *Next = B.CreateNUWAdd(Index, ConstantInt::get(Ty, 1));
  B.CreateCondBr(B.CreateICmpEQ(Next, Count), &Tail, Body);
  Index->addIncoming(ConstantInt::get(Ty, 0), &Head);
  Index->addIncoming(Next, Body);
  return Body;
}

/// Makes a loop of \p Copy.
static void unfold(const RowCopy &Copy, LoopInfo &LI, DominatorTree &DT,
                   ScalarEvolution &SE) {
  MemCpyInst &Call = *Copy.Call;
  const SCEV *Length = SE.getSCEV(Call.getLength());
  if (SE.getConstantMultiple(Length).urem(Copy.ElemSize) != 0)
    return;
  BasicBlock *Head = Call.getParent();
  bool IsEntered = SE.isBasicBlockEntryGuardedByCond(
      Head, ICmpInst::ICMP_NE, Length, SE.getZero(Length->getType()));
  IRBuilder<> B(&Call);
  Value *Count = B.CreateExactUDiv(
      Call.getLength(),
      ConstantInt::get(Call.getLength()->getType(), Copy.ElemSize));
  BasicBlock *Tail = SplitBlock(Head, &Call, &DT, &LI);
  if (!IsEntered) {
    BasicBlock *Front = SplitEdge(Head, Tail, &DT, &LI);
    B.SetInsertPoint(Head->getTerminator());
    B.CreateCondBr(B.CreateIsNotNull(Count), Front, Tail);
    Head->getTerminator()->eraseFromParent();
    DT.insertEdge(Head, Tail);
    Head = Front;
  }
  BasicBlock *Body = emitLoop(Copy, Count, *Head, *Tail);
  Head->getTerminator()->replaceSuccessorWith(Tail, Body);
  DT.applyUpdates({{DominatorTree::Insert, Head, Body},
                   {DominatorTree::Insert, Body, Tail},
                   {DominatorTree::Delete, Head, Tail}});
  Loop *New = LI.AllocateLoop();
  if (Loop *Parent = LI.getLoopFor(Head))
    Parent->addChildLoop(New);
  else
    LI.addTopLevelLoop(New);
  New->addBasicBlockToLoop(Body, LI);
  Call.eraseFromParent();
}

void unfoldCopiedRows(Loop &Root, Function &F, FunctionAnalysisManager &FAM) {
  auto Copies = findCopies(Root);
  if (Copies.empty())
    return;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  ScalarEvolution SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
                     FAM.getResult<AssumptionAnalysis>(F), DT, LI);
  for (const RowCopy &Copy : Copies) {
    unfold(Copy, LI, DT, SE);
    SE.forgetAllLoops();
  }
}

} // namespace tilesmith
