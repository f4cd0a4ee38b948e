//===- ZeroComparison.cpp - a loop beyond a border and the one inside -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ZeroComparison.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

bool ZeroComparison::agree() {
  return pairLoops(V.Beyond, V.Made) && pairStores() &&
         all_of(V.Join->phis(),
                [&](PHINode &Phi) {
                  return areEqual(
                      Phi.getIncomingValueForBlock(V.OutOfBeyond.back()),
                      Phi.getIncomingValueForBlock(V.OutOfMade.back()));
                }) &&
         !Differ && Image && mayRunBeyond();
}

void ZeroComparison::mark() const {
  LLVMContext &C = V.Head->getContext();
  for (auto [Load, Bits] : Narrow)
    Load->setMetadata(NarrowMark,
                      MDNode::get(C, ConstantAsMetadata::get(ConstantInt::get(
                                         Type::getInt32Ty(C), Bits))));
}

/// One loop in the other, each left from its latch and run in every iteration;
/// they must run equally often.
bool ZeroComparison::pairLoops(const Loop *Beyond, const Loop *Made) {
  Pairs.push_back({Beyond, Made});
  for (const Loop *L : {Beyond, Made})
    if (!L->getLoopPreheader() || !L->getLoopLatch() ||
        L->getExitingBlock() != L->getLoopLatch())
      return false;
  const SCEV *OfBeyond = countOf(Beyond), *OfMade = countOf(Made);
  if (!OfBeyond || !OfMade || !areEqual(OfBeyond, OfMade) ||
      Beyond->getSubLoops().size() != Made->getSubLoops().size() ||
      Beyond->getSubLoops().size() > 1)
    return false;
  if (Beyond->isInnermost())
    return true;
  const Loop *InBeyond = Beyond->getSubLoops().front(),
             *InMade = Made->getSubLoops().front();
  return DT.dominates(InBeyond->getHeader(), Beyond->getLoopLatch()) &&
         DT.dominates(InMade->getHeader(), Made->getLoopLatch()) &&
         pairLoops(InBeyond, InMade);
}

/// Of one of the two, LLVM may have widened the counter.
const SCEV *ZeroComparison::countOf(const Loop *L) const {
  const SCEV *Count = SE.getBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > 64)
    return nullptr;
  if (Are == Subscripts::BeingWidened)
    return widened(Count);
  return SE.getNoopOrZeroExtend(Count, Type::getInt64Ty(SE.getContext()));
}

/// Whether iterations of \p Made are those of \p Beyond.
bool ZeroComparison::arePaired(const Loop *Beyond, const Loop *Made) const {
  return (Beyond == Made && !V.Beyond->contains(Beyond)) ||
         any_of(Pairs, [&](LoopPair Pair) {
           return Pair.Beyond == Beyond && Pair.Made == Made;
         });
}

/// The only write of a loop, if it is a store made in every iteration; false if
/// there are others.
bool ZeroComparison::findStore(const Loop &L, ArrayRef<BasicBlock *> InFront,
                               StoreInst *&Store) const {
  for (BasicBlock *BB : concat<BasicBlock *const>(InFront, L.blocks()))
    for (Instruction &I : *BB) {
      if (!I.mayWriteToMemory())
        continue;
      auto *Found = dyn_cast<StoreInst>(&I);
      const Loop *Of = LI.getLoopFor(BB);
      if (Store || !Found || !Found->isSimple() || !L.contains(Of) ||
          !DT.dominates(BB, Of->getLoopLatch()))
        return false;
      Store = Found;
    }
  return true;
}

bool ZeroComparison::pairStores() {
  if (!findStore(*V.Beyond, V.ToBeyond, OfBeyond) ||
      !findStore(*V.Made, V.ToMade, OfMade) || !OfBeyond != !OfMade)
    return false;
  return !OfMade ||
         (arePaired(LI.getLoopFor(OfBeyond->getParent()),
                    LI.getLoopFor(OfMade->getParent())) &&
          areEqual(SE.getSCEV(OfBeyond->getPointerOperand()),
                   SE.getSCEV(OfMade->getPointerOperand())) &&
          areEqual(OfBeyond->getValueOperand(), OfMade->getValueOperand()));
}

/// Whether \p X and \p Y are equal in iterations of the same number.
bool ZeroComparison::areEqual(const SCEV *X, const SCEV *Y) const {
  if (X == Y)
    return true;
  if (X->getSCEVType() != Y->getSCEVType() || X->getType() != Y->getType() ||
      X->operands().empty() || X->operands().size() != Y->operands().size())
    return false;
  auto *Rec = dyn_cast<SCEVAddRecExpr>(X);
  if (Rec && !arePaired(Rec->getLoop(), cast<SCEVAddRecExpr>(Y)->getLoop()))
    return false;
  return all_of(zip_equal(X->operands(), Y->operands()), [&](auto Operands) {
    auto [OfX, OfY] = Operands;
    return areEqual(OfX, OfY);
  });
}

/// Two phis of headers: the sums so far.
bool ZeroComparison::areCarried(PHINode *Beyond, PHINode *Made) {
  const Loop *OfX = LI.getLoopFor(Beyond->getParent()),
             *OfY = LI.getLoopFor(Made->getParent());
  if (!OfX || !arePaired(OfX, OfY) || OfX == OfY ||
      Beyond->getParent() != OfX->getHeader() ||
      Made->getParent() != OfY->getHeader())
    return false;
  if (!Carried.insert({Beyond, Made}).second)
    return true; // if the rest is
  bool Are = areEqual(Beyond->getIncomingValueForBlock(OfX->getLoopLatch()),
                      Made->getIncomingValueForBlock(OfY->getLoopLatch())) &&
             areEqual(Beyond->getIncomingValueForBlock(OfX->getLoopPreheader()),
                      Made->getIncomingValueForBlock(OfY->getLoopPreheader()));
  Differ |= !Are;
  return Are;
}

/// What comes out of loops.
static Value *resolve(Value *V) {
  while (auto *Phi = dyn_cast<PHINode>(V)) {
    if (Phi->getNumIncomingValues() != 1)
      break;
    V = Phi->getIncomingValue(0);
  }
  return V;
}

bool ZeroComparison::areEqual(Value *Beyond, Value *Made) {
  Beyond = resolve(Beyond);
  Made = resolve(Made);
  if (Beyond == Made)
    return true;
  auto *Y = dyn_cast<Instruction>(Made);
  if (!Y)
    return false;
  auto *X = dyn_cast<Instruction>(Beyond);
  if ((!X || DT.dominates(X, V.Head)) && isImage(*Beyond, *Y))
    return true;
  if (!X || X->getType() != Y->getType())
    return false;
  if (auto *Phi = dyn_cast<PHINode>(X))
    return isa<PHINode>(Y) && areCarried(Phi, cast<PHINode>(Y));
  if (!X->isSameOperationAs(Y) || !X->hasSameSubclassOptionalData(Y))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(X))
    return areLoaded(*Load, cast<LoadInst>(*Y));
  return !X->mayReadOrWriteMemory() && haveEqualOperands(*X, *Y);
}

bool ZeroComparison::haveEqualOperands(Instruction &X, Instruction &Y) {
  auto Equal = [&](unsigned I, unsigned J) {
    return areEqual(X.getOperand(I), Y.getOperand(J));
  };
  unsigned Next = 0;
  if (X.isCommutative() && X.getNumOperands() >= 2) {
    auto Before = std::pair(Image, Zero);
    if (!(Equal(0, 0) && Equal(1, 1))) {
      std::tie(Image, Zero) = Before;
      if (!(Equal(0, 1) && Equal(1, 0)))
        return false;
    }
    Next = 2;
  }
  for (; Next < X.getNumOperands(); ++Next)
    if (!Equal(Next, Next))
      return false;
  return true;
}

/// From the same place, and in each iteration before the store.
bool ZeroComparison::areLoaded(LoadInst &X, LoadInst &Y) {
  bool AreSame =
      X.isSimple() && Y.isSimple() &&
      arePaired(LI.getLoopFor(X.getParent()), LI.getLoopFor(Y.getParent())) &&
      (!OfMade || (DT.dominates(&X, OfBeyond) && DT.dominates(&Y, OfMade))) &&
      (areEqual(SE.getSCEV(X.getPointerOperand()),
                SE.getSCEV(Y.getPointerOperand())) ||
       areEqualIfNarrow(X, Y) || areEqualOnceWidened(X, Y));
  if (AreSame)
    Compared.insert(&Y);
  return AreSame;
}

/// Whether \p Load is only multiplied: recognition looks at where it is from.
static bool isFactor(const LoadInst &Load) {
  auto *User =
      Load.hasOneUse() ? dyn_cast<Instruction>(Load.user_back()) : nullptr;
  auto *Call = dyn_cast_or_null<IntrinsicInst>(User);
  return User && (User->getOpcode() == Instruction::FMul ||
                  (Call && Call->getIntrinsicID() == Intrinsic::fmuladd &&
                   Call->getArgOperand(2) != &Load));
}

/// What \p Address is computed of that is cut to 32 bits, each with what it was.
static SmallVector<std::pair<Value *, Value *>, 2> cutNumbers(Value &Address) {
  constexpr unsigned MaxParts = 16;
  SmallVector<std::pair<Value *, Value *>, 2> Result;
  SmallVector<Value *, 8> Work{&Address};
  for (unsigned I = 0; I < Work.size() && I < MaxParts; ++I) {
    Value *Wide;
    if (match(Work[I], m_c_And(m_Value(Wide), m_SpecificInt(UINT32_MAX))) &&
        Wide->getType()->isIntegerTy(64))
      Result.push_back({Work[I], Wide});
    else if (isa<GetElementPtrInst, BinaryOperator>(Work[I]))
      append_range(Work, cast<Instruction>(Work[I])->operands());
  }
  return Result;
}

/// Whether they are from the same place if a number that LLVM has widened for \p Y
/// fits its narrow type, to which LLVM cuts it for \p X: subscripts were `int`. It
/// does where the distance in memory fits, of which it is the first number.
bool ZeroComparison::areEqualIfNarrow(LoadInst &X, LoadInst &Y) {
  const SCEV *At = SE.getSCEV(Y.getPointerOperand()),
             *From = SE.getSCEV(X.getPointerOperand()),
             *Distance = SE.getMinusSCEV(At, SE.getPointerBase(At));
  uint64_t Size = SE.getDataLayout().getTypeStoreSize(Y.getType());
  if (!isPowerOf2_64(Size) || !isFactor(Y))
    return false;
  for (auto [Cut, Wide] : cutNumbers(*X.getPointerOperand())) {
    const SCEV *S = SE.getSCEV(Wide);
    const SCEV *First = SE.getMinusSCEV(
        Distance, SE.getMulExpr(S, SE.getConstant(S->getType(), Size)));
    while (auto *Rec = dyn_cast<SCEVAddRecExpr>(First))
      First = Rec->getStart();
    if (!First->isZero() ||
        !areEqual(NodeReplacer(SE, SE.getSCEV(Cut), S).visit(From), At))
      continue;
    Narrow[&Y] = 32 + Log2_64(Size);
    return true;
  }
  return false;
}

/// Whether they are from the same place if no number wraps.
bool ZeroComparison::areEqualOnceWidened(LoadInst &X, LoadInst &Y) const {
  return Are == Subscripts::BeingWidened &&
         areEqual(widened(SE.getSCEV(X.getPointerOperand())),
                  widened(SE.getSCEV(Y.getPointerOperand())));
}

/// \p S, computed in 64 bits.
const SCEV *ZeroComparison::widened(const SCEV *S) const {
  if (isa<SCEVCastExpr>(S) && !isa<SCEVPtrToIntExpr>(S))
    return widened(S->operands()[0]);
  SmallVector<const SCEV *, 4> Parts;
  if (isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(S))
    for (const SCEV *Op : S->operands())
      Parts.push_back(widened(Op));
  if (isa<SCEVAddExpr>(S))
    return SE.getAddExpr(Parts);
  if (isa<SCEVMulExpr>(S))
    return SE.getMulExpr(Parts);
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(S))
    return SE.getAddRecExpr(Parts, Rec->getLoop(), SCEV::FlagAnyWrap);
  return S->getType()->isIntegerTy()
             ? SE.getTruncateOrSignExtend(S, Type::getInt64Ty(SE.getContext()))
             : S;
}

/// Whether \p Beyond stands for \p Made, which is made of the image's element
/// alone.
bool ZeroComparison::isImage(Value &Beyond, Instruction &Made) {
  if (!isOfMade(Made))
    return false;
  auto *C = dyn_cast<Constant>(&Beyond);
  if (C && (isa<CastInst>(Made) || Made.getOpcode() == Instruction::FNeg)) {
    auto *From = dyn_cast<Instruction>(Made.getOperand(0));
    Constant *Null = From ? Constant::getNullValue(From->getType()) : nullptr;
    return From &&
           ConstantFoldInstOperands(&Made, {Null}, SE.getDataLayout()) == C &&
           isImage(*Null, *From);
  }
  auto *Load = dyn_cast<LoadInst>(&Made);
  auto *Phi = dyn_cast<PHINode>(&Made);
  bool MayBe = Load ? Load->isSimple() && C && C->isNullValue()
                    : Phi && !LI.isLoopHeader(Phi->getParent()) &&
                          is_contained(Phi->incoming_values(), &Beyond) &&
                          hasSingleElement(Phi->getParent()->phis());
  if (!MayBe || (Image && Image != &Made))
    return false;
  Image = &Made;
  Zero = &Beyond;
  return true;
}

bool ZeroComparison::isOfMade(const Instruction &I) const {
  return V.Made->contains(&I) || is_contained(V.ToMade, I.getParent());
}

/// The blocks that run only for the image's element: none for a load.
SmallPtrSet<const BasicBlock *, 4> ZeroComparison::blocksOfImage() const {
  SmallPtrSet<const BasicBlock *, 4> Result;
  if (!isa<PHINode>(Image))
    return Result;
  const BasicBlock *End = Image->getParent(),
                   *Begin = DT.getNode(End)->getIDom()->getBlock();
  SmallVector<const BasicBlock *, 4> Work{End};
  while (!Work.empty())
    for (const BasicBlock *Pred : predecessors(Work.pop_back_val()))
      if (Pred != Begin && Result.insert(Pred).second)
        Work.push_back(Pred);
  return Result;
}

/// Whether all but the image's element may be made beyond the border.
bool ZeroComparison::mayRunBeyond() const {
  if (isa<PHINode>(Image) && !isOfMade(*DT.getNode(Image->getParent())
                                            ->getIDom()
                                            ->getBlock()
                                            ->getTerminator()))
    return false;
  auto OfImage = blocksOfImage();
  auto MayRun = [&](const Instruction &I) {
    return isa<PHINode>(I) || I.isTerminator() || &I == Image || &I == OfMade ||
           Compared.contains(&I) || isSafeToSpeculativelyExecute(&I);
  };
  for (BasicBlock *BB : concat<BasicBlock *const>(V.ToMade, V.Made->blocks()))
    if (!OfImage.contains(BB) && !all_of(*BB, MayRun))
      return false;
  return true;
}

} // namespace tilesmith
