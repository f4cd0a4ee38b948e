//===- CopiedRow.cpp - rows that memcpy copies ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CopiedRow.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

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

namespace {

/// A call, and the elements that it copies.
struct RowCopy {
  MemCpyInst *Call;
  Type *ElemTy;
  uint64_t ElemSize;
};

struct CopyLength {
  Value *Count; ///< of elements
  bool IsTested;
};

} // namespace

/// The calls in \p Root.
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
  return any_of(findCopies(*L.getOutermostLoop()),
                [&](const RowCopy &Copy) { return !L.contains(Copy.Call); });
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

/// How many elements \p Copy has, and whether that must be tested in front of \p Root: a
/// loop copies one at least, and fewer than memory holds.
static std::optional<CopyLength> lengthOf(const RowCopy &Copy, const Loop &Root,
                                          ScalarEvolution &SE) {
  Value *Length = Copy.Call->getLength(), *Count;
  Type *Ty = Length->getType();
  if (auto *Known = dyn_cast<ConstantInt>(Length)) {
    APInt Elements, Rest;
    APInt::udivrem(Known->getValue(),
                   APInt(Ty->getIntegerBitWidth(), Copy.ElemSize), Elements,
                   Rest);
    if (!Rest.isZero() || Elements.isZero())
      return std::nullopt;
    return CopyLength{ConstantInt::get(Ty, Elements), /*IsTested=*/false};
  }
  if (Copy.ElemSize == 1)
    Count = Length;
  else if (!match(Length,
                  m_Mul(m_Value(Count), m_SpecificInt(Copy.ElemSize))) &&
           !match(Length,
                  m_Shl(m_Value(Count), m_SpecificInt(Log2_64(Copy.ElemSize)))))
    return std::nullopt;
  auto *Scaled = dyn_cast<OverflowingBinaryOperator>(Length);
  bool IsKnown = (Copy.ElemSize == 1 || Scaled->hasNoUnsignedWrap()) &&
                 SE.isBasicBlockEntryGuardedByCond(
                     Copy.Call->getParent(), ICmpInst::ICMP_NE,
                     SE.getSCEV(Count), SE.getZero(Ty));
  if (!IsKnown && !Root.isLoopInvariant(Count))
    return std::nullopt;
  return CopyLength{Count, !IsKnown};
}

/// Makes a loop of \p Copy, of \p Count elements.
static void unfold(const RowCopy &Copy, Value *Count, LoopInfo &LI,
                   DominatorTree &DT) {
  BasicBlock *Head = Copy.Call->getParent();
  BasicBlock *Tail = SplitBlock(Head, Copy.Call, &DT, &LI);
  BasicBlock *Body = emitLoop(Copy, Count, *Head, *Tail);
  Head->getTerminator()->replaceSuccessorWith(Tail, Body);
  DT.applyUpdates({{DominatorTree::Insert, Head, Body},
                   {DominatorTree::Insert, Body, Tail},
                   {DominatorTree::Delete, Head, Tail}});
  Loop *New = LI.AllocateLoop();
  LI.getLoopFor(Head)->addChildLoop(New);
  New->addBasicBlockToLoop(Body, LI);
  Copy.Call->eraseFromParent();
}

SmallVector<RowCount, 1> unfoldCopiedRows(Loop &Root, Function &F,
                                          FunctionAnalysisManager &FAM) {
  SmallVector<RowCount, 1> ToTest;
  auto Copies = findCopies(Root);
  if (Copies.empty())
    return ToTest;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  // All are asked for before the first loop is made.
  ScalarEvolution SE(F, FAM.getResult<TargetLibraryAnalysis>(F),
                     FAM.getResult<AssumptionAnalysis>(F), DT, LI);
  auto Lengths = map_to_vector<1>(
      Copies, [&](const RowCopy &Copy) { return lengthOf(Copy, Root, SE); });
  for (const auto &[Copy, Length] : zip_equal(Copies, Lengths)) {
    if (!Length)
      continue;
    unfold(Copy, Length->Count, LI, DT);
    if (Length->IsTested)
      ToTest.push_back({Length->Count, Copy.ElemSize});
  }
  return ToTest;
}

Value *emitTest(IRBuilderBase &B, ArrayRef<RowCount> Counts) {
  Value *All = B.getTrue();
  for (const RowCount &Of : Counts) {
    Type *Ty = Of.Count->getType();
    APInt Most = APInt::getMaxValue(Ty->getIntegerBitWidth())
                     .udiv(APInt(Ty->getIntegerBitWidth(), Of.ElemSize));
    Value *Less = B.CreateSub(Of.Count, ConstantInt::get(Ty, 1));
    Value *Fits = B.CreateICmpULT(Less, ConstantInt::get(Ty, Most));
    All = B.CreateAnd(All, B.CreateFreeze(Fits));
  }
  return All;
}

} // namespace tilesmith
