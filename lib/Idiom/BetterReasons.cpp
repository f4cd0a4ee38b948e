//===- BetterReasons.cpp - why a nest is refused, in terms of its source --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BetterReasons.h"
#include "BoundReasons.h"
#include "KinReasons.h"
#include "RowReasons.h"
#include "SparseReasons.h"
#include "SumReasons.h"
#include "TruthReasons.h"
#include "tilesmith/Idiom/Likeness.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// A reason that tells more than others do, if \c Find finds what it is about.
struct Explanation {
  Reason Better;
  ArrayRef<Reason> Than;
  /// The obstacle; null if this is not what stands in the way.
  const Instruction *(*Find)(const Refusal &No, const Loop &Innermost,
                             ScalarEvolution &SE);
};

} // namespace

/// Where \p L begins.
static const Instruction *start(const Loop &L) {
  return L.getHeader()->getTerminator();
}

/// Each step of a factorisation needs those before it. Where recognition has not
/// come to the recurrence, pivots tell, or rows that begin with other elements.
static const Instruction *findFactorisation(const Refusal &No,
                                            const Loop &Innermost,
                                            ScalarEvolution &SE) {
  bool Reads = readsUpdated(Innermost, SE);
  auto IsRecurrent = [&] {
    return No.Why == Reason::BoundVaries ||
           ((No.Why == Reason::Recurrence || rowSetBefore(Innermost, SE)) &&
            hasDiagonal(Innermost, SE));
  };
  // What is read may be what was just stored, such as a row by its pivot.
  auto IsPivoted = [&] {
    return hasPivots(Innermost) && (Reads || updatesBeside(Innermost, SE)) &&
           (hasVaryingBound(Innermost, SE) || hasDiagonal(Innermost, SE));
  };
  bool IsOne = (Reads && IsRecurrent()) || IsPivoted();
  if (!IsOne)
    return nullptr;
  // Of two loops, both of a row's sums may be refused.
  if (!Innermost.getParentLoop()->getParentLoop())
    return start(*Innermost.getParentLoop());
  return No.Where ? No.Where : start(Innermost);
}

/// The same of a vector.
static const Instruction *findSubstitution(const Refusal &No,
                                           const Loop &Innermost,
                                           ScalarEvolution &SE) {
  return isSubstitution(Innermost, SE) ? findFactorisation(No, Innermost, SE)
                                       : nullptr;
}

/// What leaves a substitution is in the way first.
static const Instruction *findExit(const Refusal &No, const Loop &Innermost,
                                   ScalarEvolution &SE) {
  return isSubstitution(Innermost, SE) ? No.Where : nullptr;
}

static const Instruction *findSumInParts(const Refusal &, const Loop &Innermost,
                                         ScalarEvolution &SE) {
  if (const Instruction *Stored = sumOfOtherLoop(Innermost, SE))
    return Stored;
  if (const Instruction *Sum = sumFromOtherLoop(Innermost))
    return Sum;
  return updateInOtherNest(Innermost, SE);
}

static const Instruction *findVectors(const Refusal &, const Loop &Innermost,
                                      ScalarEvolution &) {
  return operationOnVectors(Innermost);
}

static const Instruction *findTriangleEpilogue(const Refusal &,
                                               const Loop &Innermost,
                                               ScalarEvolution &SE) {
  return Likeness::of(Innermost).isLikelyVector()
             ? epilogueOfTriangle(Innermost, SE)
             : nullptr;
}

static const Instruction *
findOtherBorder(const Refusal &, const Loop &Innermost, ScalarEvolution &SE) {
  return testOfOtherBorder(Innermost, SE);
}

static const Instruction *
findCompensation(const Refusal &, const Loop &Innermost, ScalarEvolution &) {
  return compensation(Innermost);
}

static const Instruction *findDiagonal(const Refusal &, const Loop &Innermost,
                                       ScalarEvolution &SE) {
  return skipOfDiagonal(Innermost, SE);
}

static const Instruction *findChangeOfVector(const Refusal &,
                                             const Loop &Innermost,
                                             ScalarEvolution &SE) {
  return changeOfVector(Innermost, SE);
}

static const Instruction *findIntegers(const Refusal &, const Loop &Innermost,
                                       ScalarEvolution &SE) {
  return Likeness::of(Innermost).isLikelyVector() ? sumOfIntegers(Innermost, SE)
                                                  : nullptr;
}

static const Instruction *findSparse(const Refusal &, const Loop &Innermost,
                                     ScalarEvolution &SE) {
  return elementOfSparse(Innermost, SE);
}

static const Instruction *findBand(const Refusal &, const Loop &Innermost,
                                   ScalarEvolution &SE) {
  return testOfBand(Innermost, SE);
}

static const Instruction *findRowBuffer(const Refusal &, const Loop &Innermost,
                                        ScalarEvolution &SE) {
  return sumInRowBuffer(Innermost, SE);
}

static const Instruction *
findRowBefore(const Refusal &No, const Loop &Innermost, ScalarEvolution &SE) {
  return No.Why == Reason::Recurrence || rowSetBefore(Innermost, SE)
             ? readOfRowBefore(Innermost, SE)
             : nullptr;
}

static const Instruction *findRowSet(const Refusal &, const Loop &Innermost,
                                     ScalarEvolution &SE) {
  return rowSetBefore(Innermost, SE);
}

static const Instruction *findTwoDiagonals(const Refusal &No,
                                           const Loop &Innermost,
                                           ScalarEvolution &SE) {
  return hasTwoDiagonals(Innermost, SE)
             ? (No.Where ? No.Where : start(Innermost))
             : nullptr;
}

/// What chooses between addresses of the access \c Where, such as `i < m ? a : b`,
/// if these are made of nothing that is loaded.
static const Instruction *
findChosenArray(const Refusal &No, const Loop &Innermost, ScalarEvolution &) {
  const Value *Pointer = getLoadStorePointerOperand(No.Where);
  const Loop *Root = Innermost.getOutermostLoop();
  SmallSetVector<const Instruction *, 8> Made;
  auto Add = [&](const Value *V) {
    auto *I = dyn_cast_or_null<Instruction>(V);
    if (I && Root->contains(I))
      Made.insert(I);
  };
  Add(Pointer);
  const Instruction *Choice = nullptr;
  constexpr unsigned MaxValues = 32;
  for (unsigned N = 0; N < Made.size() && N < MaxValues; ++N) {
    const Instruction *I = Made[N];
    if (isa<LoadInst>(I))
      return nullptr;
    bool IsChoice = isa<SelectInst>(I) ||
                    (isa<PHINode>(I) && I->getType()->isPointerTy() &&
                     cast<PHINode>(I)->getNumIncomingValues() == 2 &&
                     none_of(Root->getLoopsInPreorder(), [&](const Loop *L) {
                       return L->getHeader() == I->getParent();
                     }));
    if (IsChoice && I->getType()->isPointerTy() && !Choice)
      Choice = I;
    if (!isa<PHINode>(I) || IsChoice)
      for (const Value *Op : I->operands())
        Add(Op);
  }
  return Choice;
}

/// What is done from \p Side to the end of an iteration of \p Around.
static SmallSetVector<const BasicBlock *, 16> blocksFrom(const BasicBlock *Side,
                                                         const Loop &Around) {
  SmallSetVector<const BasicBlock *, 16> Result;
  if (Around.contains(Side))
    Result.insert(Side);
  for (unsigned I = 0; I < Result.size(); ++I)
    if (Result[I] != Around.getLoopLatch())
      for (const BasicBlock *Next : successors(Result[I]))
        if (Around.contains(Next) && Next != Around.getHeader())
          Result.insert(Next);
  return Result;
}

/// A branch of which both sides store something, though it was taken for a test
/// whether a loop runs.
static const Instruction *findChoice(const Refusal &No, const Loop &Innermost,
                                     ScalarEvolution &) {
  auto *Branch = dyn_cast_or_null<BranchInst>(No.Where);
  if (!Branch || !Branch->isConditional())
    return nullptr;
  const Loop *Around = &Innermost;
  while (Around && !Around->contains(Branch))
    Around = Around->getParentLoop();
  if (!Around || !Around->getLoopLatch() ||
      Around->isLoopExiting(Branch->getParent()))
    return nullptr;
  auto First = blocksFrom(Branch->getSuccessor(0), *Around),
       Second = blocksFrom(Branch->getSuccessor(1), *Around);
  auto StoresAlone = [](const auto &Side, const auto &Other) {
    return any_of(Side, [&](const BasicBlock *BB) {
      return !Other.contains(BB) && any_of(*BB, [](const Instruction &I) {
        return I.mayWriteToMemory();
      });
    });
  };
  return StoresAlone(First, Second) && StoresAlone(Second, First) ? Branch
                                                                  : nullptr;
}

/// The end of a loop that runs until an element says so: the branch in front of it
/// is its first test.
static const Instruction *findElementAsBound(const Refusal &No,
                                             const Loop &Innermost,
                                             ScalarEvolution &SE) {
  for (const Loop *L = &Innermost; L; L = L->getParentLoop()) {
    const BasicBlock *Latch = L->getLoopLatch(),
                     *Test = L->getLoopPredecessor();
    while (Test && Test->getSingleSuccessor() && Test->getSinglePredecessor())
      Test = Test->getSinglePredecessor();
    if (Test && Latch && Test->getTerminator() == No.Where &&
        isa<SCEVCouldNotCompute>(SE.getExitCount(L, Latch)))
      return Latch->getTerminator();
  }
  return nullptr;
}

/// A factor whose subscript is a remainder, a quotient or a choice: an image that is
/// repeated or mirrored beyond its border. The loops around the one that reads it are
/// no product then, and those inside hand on their sum.
static const Instruction *findFolded(const Refusal &, const Loop &Innermost,
                                     ScalarEvolution &) {
  auto IsFolded = [&](const Instruction &Load) {
    SmallSetVector<const Instruction *, 8> Made;
    auto Add = [&](const Value *V) {
      auto *I = dyn_cast<Instruction>(V);
      if (I && Innermost.contains(I) && !isa<LoadInst, PHINode>(I))
        Made.insert(I);
    };
    Add(getLoadStorePointerOperand(&Load));
    for (unsigned N = 0; N < Made.size(); ++N) {
      const Instruction *I = Made[N];
      if (I->isIntDivRem() || isa<SelectInst, MinMaxIntrinsic>(I))
        return true;
      for (const Value *Op : I->operands())
        Add(Op);
    }
    return false;
  };
  for (const BasicBlock *BB : Innermost.blocks())
    for (const Instruction &I : *BB)
      if (isa<LoadInst>(I) && IsFolded(I))
        return &I;
  return nullptr;
}

static const Instruction *
findTruthValues(const Refusal &, const Loop &Innermost, ScalarEvolution &SE) {
  return storeOfTruthValues(Innermost, SE);
}

static const Instruction *
findConvolution(const Refusal &, const Loop &Innermost, ScalarEvolution &SE) {
  return fullConvolution(Innermost, SE);
}

static const Instruction *findThree(const Refusal &, const Loop &Innermost,
                                    ScalarEvolution &SE) {
  return productOfThree(Innermost, SE);
}

static const Instruction *findTwoOrders(const Refusal &, const Loop &Innermost,
                                        ScalarEvolution &SE) {
  return elementInTwoOrders(Innermost, SE);
}

static const Instruction *findStepOfBest(const Refusal &, const Loop &Innermost,
                                         ScalarEvolution &) {
  return stepOfBest(Innermost);
}

static const Instruction *findMask(const Refusal &, const Loop &Innermost,
                                   ScalarEvolution &) {
  return testOfMask(Innermost);
}

/// What may hide that a matrix is factorised.
static const Reason BeforeFactorisation[] = {
    Reason::BoundVaries,   Reason::Recurrence,      Reason::Branch,
    Reason::EarlyExit,     Reason::ExtraLoop,       Reason::UnknownTripCount,
    Reason::VaryingScalar, Reason::OtherStore,      Reason::OtherOperation,
    Reason::InitMismatch,  Reason::EmptySum,        Reason::Call,
    Reason::NoUpdate,      Reason::ConditionalLoad, Reason::RowTable};
static const Reason BeforeSumInParts[] = {
    Reason::InitMismatch, Reason::BoundVaries,   Reason::TwoDiagonals,
    Reason::OtherStore,   Reason::VaryingScalar, Reason::Recurrence};
static const Reason BeforeRowBuffer[] = {Reason::IndexRoles, Reason::StackArray,
                                         Reason::OtherStore, Reason::Recurrence,
                                         Reason::VaryingScalar};
static const Reason BeforeRows[] = {Reason::OtherStore, Reason::OtherOperation,
                                    Reason::VaryingScalar, Reason::InitMismatch,
                                    Reason::Recurrence};
static const Reason BeforeRowSet[] = {
    Reason::OtherStore, Reason::OtherOperation, Reason::VaryingScalar,
    Reason::InitMismatch};
static const Reason BeforeCompensation[] = {
    Reason::NotProduct, Reason::VaryingScalar, Reason::OtherOperation,
    Reason::NoUpdate, Reason::Branch};
static const Reason BeforeChange[] = {Reason::NotAffine,  Reason::VaryingScalar,
                                      Reason::IndexRoles, Reason::Recurrence,
                                      Reason::OtherStore, Reason::Branch};
static const Reason BeforeTriangleEpilogue[] = {
    Reason::VaryingScalar, Reason::OtherOperation, Reason::InitMismatch,
    Reason::IndexRoles};
static const Reason BeforeMixedBorders[] = {
    Reason::IndexRoles, Reason::Branch,      Reason::UsedAfter,
    Reason::OtherStore, Reason::BoundVaries, Reason::TwoDiagonals};
static const Reason BeforeVectors[] = {
    Reason::NotAffine,     Reason::VaryingScalar, Reason::InitMismatch,
    Reason::IndexRoles,    Reason::Recurrence,    Reason::OtherStore,
    Reason::OtherOperation};
static const Reason BeforeTruthValues[] = {
    Reason::NoUpdate,      Reason::Branch,         Reason::ConditionalLoad,
    Reason::VaryingScalar, Reason::OtherOperation, Reason::EarlyExit};
static const Reason OfExit[] = {Reason::EarlyExit};
static const Reason BeforeSparse[] = {Reason::BoundVaries, Reason::NotAffine,
                                      Reason::ConditionalLoad, Reason::Branch,
                                      Reason::Recurrence};
static const Reason BeforeBand[] = {Reason::ConditionalLoad, Reason::Branch,
                                    Reason::IndexRoles};
static const Reason BeforeConvolution[] = {
    Reason::RankUpdate, Reason::NotAffine,       Reason::IndexRoles,
    Reason::Branch,     Reason::ConditionalLoad, Reason::VaryingScalar,
    Reason::Band,       Reason::TwoDiagonals,    Reason::BoundVaries};
static const Reason BeforeThree[] = {Reason::IndexRoles, Reason::NotProduct,
                                     Reason::VaryingScalar};
static const Reason BeforeStep[] = {Reason::OtherStore, Reason::Branch,
                                    Reason::NoUpdate, Reason::UsedAfter,
                                    Reason::InitMismatch};
static const Reason BeforeMask[] = {Reason::Branch, Reason::ConditionalLoad,
                                    Reason::NotProduct, Reason::OtherOperation};
static const Reason OfRoles[] = {Reason::IndexRoles};
static const Reason BeforeIntegers[] = {Reason::NotProduct, Reason::IndexRoles,
                                        Reason::OtherOperation, Reason::Branch};
static const Reason OfBounds[] = {Reason::BoundVaries};
static const Reason BeforeTwoDiagonals[] = {Reason::BoundVaries,
                                            Reason::NotAffine};
static const Reason OfAddress[] = {Reason::NotAffine};
static const Reason OfBranch[] = {Reason::Branch};
static const Reason OfSums[] = {Reason::UsedAfter};

/// The first that is found tells most.
static const Explanation Explanations[] = {
    {Reason::HandVectorized, BeforeVectors, findVectors},
    {Reason::EarlyExit, OfExit, findExit},
    {Reason::Substitution, BeforeFactorisation, findSubstitution},
    {Reason::Factorisation, BeforeFactorisation, findFactorisation},
    {Reason::Compensated, BeforeCompensation, findCompensation},
    {Reason::VectorChanges, BeforeChange, findChangeOfVector},
    {Reason::Convolution, BeforeConvolution, findConvolution},
    {Reason::ThreeFactors, BeforeThree, findThree},
    {Reason::TwoOrders, OfRoles, findTwoOrders},
    {Reason::BestStep, BeforeStep, findStepOfBest},
    {Reason::SumInParts, BeforeSumInParts, findSumInParts},
    {Reason::RowBuffer, BeforeRowBuffer, findRowBuffer},
    {Reason::RowBefore, BeforeRows, findRowBefore},
    {Reason::RowSetBefore, BeforeRowSet, findRowSet},
    {Reason::VectorizedSum, BeforeIntegers, findIntegers},
    {Reason::Sparse, BeforeSparse, findSparse},
    {Reason::Band, BeforeBand, findBand},
    {Reason::TruthValues, BeforeTruthValues, findTruthValues},
    {Reason::MixedBorders, BeforeMixedBorders, findOtherBorder},
    {Reason::TriangleEpilogue, BeforeTriangleEpilogue, findTriangleEpilogue},
    {Reason::TwoDiagonals, BeforeTwoDiagonals, findTwoDiagonals},
    {Reason::Diagonal, OfBranch, findDiagonal},
    {Reason::Mask, BeforeMask, findMask},
    {Reason::Branch, OfBounds, findChoice},
    {Reason::Branch, OfAddress, findChosenArray},
    {Reason::UnknownTripCount, OfBranch, findElementAsBound},
    {Reason::NotAffine, OfSums, findFolded}};

Refusal betterReason(const Refusal &No, const Loop &Innermost,
                     ScalarEvolution &SE) {
  for (const Explanation &E : Explanations)
    if (is_contained(E.Than, No.Why))
      if (const Instruction *Where = E.Find(No, Innermost, SE))
        return {E.Better, Where};
  return No;
}

} // namespace tilesmith
