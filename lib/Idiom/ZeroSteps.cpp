//===- ZeroSteps.cpp - loops beyond borders, with zeros -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a border does not move with the loops inside, LLVM makes loops of their own
// for what is beyond it:
//
//   for r
//     if (y + r < H)
//       for s … sum += in[y + r][x + s] * w[r][s];
//     else
//       for s   sum += 0 * w[r][s];
//
// They are compared with those of the nest, value by value.
//
//===----------------------------------------------------------------------===//

#include "ZeroSteps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Pairs the loops around the two values, from the innermost ones to where both
/// are in one; they must run equally often.
bool ZeroSteps::pairLoops(const Loop *Beyond, const Loop *Made) {
  ScalarEvolution &SE = In.Analyses->SE;
  for (; Beyond != Made;
       Beyond = Beyond->getParentLoop(), Made = Made->getParentLoop()) {
    if (!Beyond || !Made || !Beyond->getLoopLatch() ||
        !Beyond->getLoopPredecessor() || !Made->getLoopPredecessor() ||
        Beyond->getExitingBlock() != Beyond->getLoopLatch())
      return false;
    Pairs.push_back({Beyond, Made});
  }
  // Of one of the two, LLVM may have widened the counter.
  auto CountOf = [&](const Loop *L) -> const SCEV * {
    const SCEV *Count = SE.getBackedgeTakenCount(L);
    auto *I64 = Type::getInt64Ty(SE.getContext());
    return isa<SCEVCouldNotCompute>(Count) ||
                   SE.getTypeSizeInBits(Count->getType()) > 64
               ? nullptr
               : SE.getNoopOrZeroExtend(Count, I64);
  };
  return all_of(Pairs, [&](LoopPair Pair) {
    const SCEV *Beyond = CountOf(Pair.Beyond), *Made = CountOf(Pair.Made);
    return Beyond && Made && areEqual(Beyond, Made);
  });
}

const ZeroSteps::LoopPair *ZeroSteps::pairOf(const Loop *Beyond) const {
  auto *Found =
      find_if(Pairs, [&](LoopPair Pair) { return Pair.Beyond == Beyond; });
  return Found == Pairs.end() ? nullptr : Found;
}

/// Whether \p X and \p Y are equal in iterations of the same number.
bool ZeroSteps::areEqual(const SCEV *X, const SCEV *Y) const {
  if (X == Y)
    return true;
  if (X->getSCEVType() != Y->getSCEVType() || X->getType() != Y->getType() ||
      X->operands().empty() || X->operands().size() != Y->operands().size())
    return false;
  if (auto *Rec = dyn_cast<SCEVAddRecExpr>(X)) {
    const Loop *Made = cast<SCEVAddRecExpr>(Y)->getLoop();
    const LoopPair *Pair = pairOf(Rec->getLoop());
    if (Rec->getLoop() != Made && (!Pair || Pair->Made != Made))
      return false;
  }
  return all_of(zip_equal(X->operands(), Y->operands()), [&](auto Operands) {
    auto [OfX, OfY] = Operands;
    return areEqual(OfX, OfY);
  });
}

/// Two phis of headers: the sums so far.
bool ZeroSteps::areCarried(PHINode *Beyond, PHINode *Made) {
  const LoopInfo &LI = In.Analyses->LI;
  const Loop *OfBeyond = LI.getLoopFor(Beyond->getParent()),
             *OfMade = LI.getLoopFor(Made->getParent());
  const LoopPair *Pair = pairOf(OfBeyond);
  if (!Pair || Pair->Made != OfMade ||
      Beyond->getParent() != OfBeyond->getHeader() ||
      Made->getParent() != OfMade->getHeader())
    return false;
  if (!Compared.insert({Beyond, Made}).second)
    return true; // if the rest is
  auto From = [](PHINode *Phi, BasicBlock *BB) {
    return Phi->getIncomingValueForBlock(BB);
  };
  bool Are = areEqual(From(Beyond, OfBeyond->getLoopLatch()),
                      From(Made, OfMade->getLoopLatch())) &&
             areEqual(From(Beyond, OfBeyond->getLoopPredecessor()),
                      From(Made, OfMade->getLoopPredecessor()));
  Differ |= !Are;
  return Are;
}

/// What \p V is, behind the loops that it comes out of.
Value *ZeroSteps::resolve(Value *V) const {
  V = In.resolve(V);
  for (auto *Phi = dyn_cast<PHINode>(V);
       Phi && Phi->getNumIncomingValues() == 1; Phi = dyn_cast<PHINode>(V))
    V = In.resolve(Phi->getIncomingValue(0));
  return V;
}

bool ZeroSteps::areEqual(Value *Beyond, Value *Made) {
  Beyond = resolve(Beyond);
  Made = In.resolve(Made);
  if (Beyond == Made)
    return true;
  if (IsImage(Made)) {
    auto *Zero = dyn_cast<Constant>(Beyond);
    return Zero && Zero->isNullValue();
  }
  auto *X = dyn_cast<Instruction>(Beyond), *Y = dyn_cast<Instruction>(Made);
  if (!X || !Y || X->getType() != Y->getType())
    return false;
  if (auto *Phi = dyn_cast<PHINode>(X))
    return isa<PHINode>(Y) && areCarried(Phi, cast<PHINode>(Y));
  if (!X->isSameOperationAs(Y) || !X->hasSameSubclassOptionalData(Y))
    return false;
  if (auto *Load = dyn_cast<LoadInst>(X)) {
    ScalarEvolution &SE = In.Analyses->SE;
    return Load->isSimple() &&
           areEqual(SE.getSCEV(Load->getPointerOperand()),
                    SE.getSCEV(getLoadStorePointerOperand(Y)));
  }
  if (X->mayReadOrWriteMemory())
    return false;
  auto Equal = [&](unsigned I, unsigned J) {
    return areEqual(X->getOperand(I), Y->getOperand(J));
  };
  unsigned Next = 0;
  if (X->isCommutative() && X->getNumOperands() >= 2) {
    if (!(Equal(0, 0) && Equal(1, 1)) && !(Equal(0, 1) && Equal(1, 0)))
      return false;
    Next = 2;
  }
  for (; Next < X->getNumOperands(); ++Next)
    if (!Equal(Next, Next))
      return false;
  return true;
}

bool ZeroSteps::hasSum(Value *Beyond, Instruction *Sum) {
  auto *Last = dyn_cast<Instruction>(resolve(Beyond));
  if (!Last)
    return false;
  Pairs.clear();
  Compared.clear();
  Differ = false;
  const LoopInfo &LI = In.Analyses->LI;
  return pairLoops(LI.getLoopFor(Last->getParent()),
                   LI.getLoopFor(Sum->getParent())) &&
         !Pairs.empty() && areEqual(Last, Sum) && !Differ;
}

} // namespace tilesmith
