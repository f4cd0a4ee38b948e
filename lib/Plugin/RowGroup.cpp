//===- RowGroup.cpp - what rows of a group have in common -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"
#include "LoopShape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilesmith {

RowGroup::RowGroup(Loop &Inner, ScalarEvolution &SE, AAResults &AA)
    : Inner(&Inner), Rows(Inner.getParentLoop()), Body(Inner.getHeader()),
      SE(SE), AA(AA), I64(Type::getInt64Ty(SE.getContext())) {}

bool RowGroup::prepare() {
  return Rows && hasShape() && findPrefix() && findTouches() && findVectors() &&
         findPlaces() && areApart() && findValues();
}

static bool isLeftFromLatch(const Loop &L) {
  return L.getLoopPredecessor() && L.getLoopLatch() && L.getUniqueExitBlock() &&
         L.getExitingBlock() == L.getLoopLatch() &&
         isa<BranchInst>(L.getLoopLatch()->getTerminator());
}

namespace {

/// Sees x * c * 2^s, shifted to the right by s, as the low bits of x * c, extended: LLVM
/// makes this of a narrow number that is negated and widened.
struct WithoutShifts : SCEVRewriteVisitor<WithoutShifts> {
  using SCEVRewriteVisitor::SCEVRewriteVisitor;

  const SCEV *visitUnknown(const SCEVUnknown *Unknown) {
    using namespace PatternMatch;
    Value *X;
    const APInt *Times, *By;
    if (!match(Unknown->getValue(),
               m_AShr(m_Mul(m_Value(X), m_APInt(Times)), m_APInt(By))) ||
        By->isZero() || By->uge(Times->getBitWidth()) ||
        Times->countr_zero() < By->getZExtValue())
      return Unknown;
    unsigned Bits = Times->getBitWidth() - By->getZExtValue();
    const SCEV *Product = SE.getMulExpr(
        visit(SE.getSCEV(X)), SE.getConstant(Times->ashr(By->getZExtValue())));
    Type *Narrow = IntegerType::get(SE.getContext(), Bits);
    return SE.getSignExtendExpr(SE.getTruncateExpr(Product, Narrow),
                                Unknown->getType());
  }
};

} // namespace

bool RowGroup::hasShape() {
  if (!isLeftFromLatch(*Inner) || !isLeftFromLatch(*Rows) ||
      Inner->getNumBlocks() != 1 || Rows->getSubLoops().size() != 1 ||
      leavesValues(*Rows) || !Rows->isSafeToClone())
    return false;
  const SCEV *Last = SE.getBackedgeTakenCount(Rows);
  const SCEV *LastStep = SE.getBackedgeTakenCount(Inner);
  LastStep = WithoutShifts(SE).visit(LastStep);
  if (isa<SCEVCouldNotCompute>(Last) || isa<SCEVCouldNotCompute>(LastStep) ||
      SE.getTypeSizeInBits(Last->getType()) > 64 ||
      SE.getTypeSizeInBits(LastStep->getType()) > 64 ||
      !SE.isLoopInvariant(Last, Rows) || !isKnownInRow(LastStep))
    return false;
  LastRow = SE.getNoopOrZeroExtend(Last, I64);
  NumSteps =
      SE.getAddExpr(SE.getNoopOrZeroExtend(LastStep, I64), SE.getOne(I64));
  return true;
}

/// Adds the sides of \p Branch, a block each, or none; returns the block in which
/// they meet.
BasicBlock *RowGroup::addChoice(BranchInst &Branch) {
  SmallVector<BasicBlock *, 2> Sides, Behind;
  for (BasicBlock *Side : Branch.successors())
    if (Side->getSinglePredecessor() && Side->getSingleSuccessor()) {
      Sides.push_back(Side);
      Behind.push_back(Side->getSingleSuccessor());
    } else
      Behind.push_back(Side);
  if (Sides.empty() || Behind[0] != Behind[1] || Behind[0] == Body ||
      Behind[0] == Rows->getHeader() || !Rows->contains(Behind[0]))
    return nullptr;
  append_range(Prefix, Sides);
  return Behind[0];
}

/// The blocks in front of the steps: one after the other, but for choices between
/// two, and tests that lead around the steps.
bool RowGroup::findPrefix() {
  auto LeadsToSteps = [&](const BasicBlock *BB) {
    return BB == Body || (BB->getSingleSuccessor() == Body);
  };
  for (BasicBlock *BB = Rows->getHeader(); BB != Body;) {
    Prefix.push_back(BB);
    auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Branch || BB == Rows->getLoopLatch())
      return false;
    if (Branch->isUnconditional()) {
      BB = Branch->getSuccessor(0);
      continue;
    }
    if (BasicBlock *Join = addChoice(*Branch)) {
      BB = Join;
      continue;
    }
    auto *Compare = dyn_cast<ICmpInst>(Branch->getCondition());
    bool IsTrue = LeadsToSteps(Branch->getSuccessor(0));
    if (!Compare || IsTrue == LeadsToSteps(Branch->getSuccessor(1)) ||
        !SE.isSCEVable(Compare->getOperand(0)->getType()))
      return false;
    auto Side = [&](unsigned I) {
      return WithoutShifts(SE).visit(SE.getSCEV(Compare->getOperand(I)));
    };
    RowGuard Guard{IsTrue ? Compare->getPredicate()
                          : Compare->getInversePredicate(),
                   Side(0), Side(1)};
    if (!isKnownInRow(Guard.Left) || !isKnownInRow(Guard.Right))
      return false;
    Guards.push_back(Guard);
    BB = Branch->getSuccessor(IsTrue ? 0 : 1);
  }
  return true;
}

/// Whether the value of \p S in a row can be computed from its number.
bool RowGroup::isKnownInRow(const SCEV *S) {
  return !SCEVExprContains(S, [&](const SCEV *Part) {
    if (isa<SCEVCouldNotCompute>(Part) || isa<SCEVUDivExpr>(Part))
      return true;
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(Part))
      return Rec->getLoop() == Inner ||
             (Rec->getLoop() == Rows && Rec->getNumOperands() > 3);
    auto *Unknown = dyn_cast<SCEVUnknown>(Part);
    auto *I = Unknown ? dyn_cast<Instruction>(Unknown->getValue()) : nullptr;
    return I && Rows->contains(I);
  });
}

namespace {

/// What an expression is in one row.
struct InRow : SCEVRewriteVisitor<InRow> {
  const Loop *Rows;
  const SCEV *Row;
  InRow(ScalarEvolution &SE, const Loop *Rows, const SCEV *Row)
      : SCEVRewriteVisitor(SE), Rows(Rows), Row(Row) {}
  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *Rec) {
    if (Rec->getLoop() != Rows)
      return Rec;
    return Rec->evaluateAtIteration(Row, SE);
  }
};

/// Takes a phi of what moves with the rows, and of what it begins with, for the former,
/// if the latter is taken in the first row alone: LLVM has moved a product to the rows
/// that have steps.
struct WithFirstRow : SCEVRewriteVisitor<WithFirstRow> {
  const Loop *Rows;
  WithFirstRow(ScalarEvolution &SE, const Loop *Rows)
      : SCEVRewriteVisitor(SE), Rows(Rows) {}

  /// What moves with the rows.
  const SCEVAddRecExpr *counted(Value *V) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(V));
    return Rec && Rec->getLoop() == Rows && Rec->isAffine() ? Rec : nullptr;
  }
  bool isTakenFirst(const BasicBlock &From, const BasicBlock &To) {
    auto *Branch = dyn_cast<BranchInst>(From.getTerminator());
    auto *Test = Branch && Branch->isConditional()
                     ? dyn_cast<ICmpInst>(Branch->getCondition())
                     : nullptr;
    if (!Test || !Test->isEquality() ||
        Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_NE) != &To)
      return false;
    const SCEVAddRecExpr *Counter = counted(Test->getOperand(0));
    const SCEV *Count = SE.getBackedgeTakenCount(Rows);
    return Counter && Counter->getOperand(1)->isOne() &&
           SE.getTypeSizeInBits(Counter->getType()) >=
               SE.getTypeSizeInBits(Count->getType()) &&
           Counter->getStart() == SE.getSCEV(Test->getOperand(1));
  }
  const SCEV *visitUnknown(const SCEVUnknown *Unknown) {
    auto *Phi = dyn_cast<PHINode>(Unknown->getValue());
    if (!Phi || !Rows->contains(Phi) || Phi->getNumIncomingValues() != 2)
      return Unknown;
    for (unsigned I : {0, 1}) {
      const SCEVAddRecExpr *Moves = counted(Phi->getIncomingValue(1 - I));
      if (Moves && Moves->getStart() == SE.getSCEV(Phi->getIncomingValue(I)) &&
          isTakenFirst(*Phi->getIncomingBlock(I), *Phi->getParent()))
        return Moves;
    }
    return Unknown;
  }
};

/// Extends the numbers that a counter of steps begins with, instead of the counter.
struct Widening : SCEVRewriteVisitor<Widening> {
  const Loop *Inner;
  SmallVectorImpl<NarrowCounter> &Narrow;
  Widening(ScalarEvolution &SE, const Loop *Inner,
           SmallVectorImpl<NarrowCounter> &Narrow)
      : SCEVRewriteVisitor(SE), Inner(Inner), Narrow(Narrow) {}

  const SCEV *widen(const SCEVIntegralCastExpr *Cast, bool IsSigned) {
    auto *Rec = dyn_cast<SCEVAddRecExpr>(Cast->getOperand());
    auto *Step = Rec && Rec->getLoop() == Inner && Rec->isAffine()
                     ? dyn_cast<SCEVConstant>(Rec->getOperand(1))
                     : nullptr;
    if (!Step || Step->getAPInt().getSignificantBits() > 32)
      return nullptr;
    Narrow.push_back(
        {Rec->getStart(), Step->getAPInt().getSExtValue(), IsSigned});
    const SCEV *First =
        IsSigned ? SE.getSignExtendExpr(Rec->getStart(), Cast->getType())
                 : SE.getZeroExtendExpr(Rec->getStart(), Cast->getType());
    return SE.getAddRecExpr(First, SE.getSignExtendExpr(Step, Cast->getType()),
                            Inner, SCEV::FlagAnyWrap);
  }
  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *Cast) {
    const SCEV *Wide = widen(Cast, /*IsSigned=*/true);
    return Wide ? Wide : SCEVRewriteVisitor::visitSignExtendExpr(Cast);
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *Cast) {
    const SCEV *Wide = widen(Cast, /*IsSigned=*/false);
    return Wide ? Wide : SCEVRewriteVisitor::visitZeroExtendExpr(Cast);
  }
};

} // namespace

const SCEV *RowGroup::inRow(const SCEV *S, Value *Row) {
  return InRow(SE, Rows, SE.getUnknown(Row)).visit(S);
}

const SCEV *RowGroup::widened(const SCEV *S) {
  return Widening(SE, Inner, Narrow).visit(S);
}

/// All that rows do with memory.
bool RowGroup::findTouches() {
  for (BasicBlock *BB : Rows->blocks())
    for (Instruction &I : *BB) {
      auto *Load = dyn_cast<LoadInst>(&I);
      auto *Store = dyn_cast<StoreInst>(&I);
      if (Load ? !Load->isSimple() : Store && !Store->isSimple())
        return false;
      if (!Load && !Store) {
        if (I.mayReadOrWriteMemory() || I.mayHaveSideEffects())
          return false;
        continue;
      }
      Value *Pointer = getLoadStorePointerOperand(&I);
      if (Pointer->getType()->getPointerAddressSpace() != 0 ||
          getLoadStoreType(&I)->isVectorTy())
        return false;
      RowTouch Touch{&I, SE.getSCEV(Pointer), BB == Body,
                     is_contained(Prefix, BB)};
      if (Touch.IsStep) {
        auto *Rec = dyn_cast<SCEVAddRecExpr>(widened(Touch.At));
        auto *Step = Rec && Rec->getLoop() == Inner && Rec->isAffine()
                         ? dyn_cast<SCEVConstant>(Rec->getOperand(1))
                         : nullptr;
        if (!Step || Step->getAPInt().getSignificantBits() > 32)
          return false;
        Touch.At = Rec->getStart();
        Touch.Step = Step->getAPInt().getSExtValue();
      } else
        Touch.At = WithFirstRow(SE, Rows).visit(Touch.At);
      if (!isKnownInRow(Touch.At))
        return false;
      Touches.push_back(Touch);
    }
  return all_of(Narrow,
                [&](const NarrowCounter &N) { return isKnownInRow(N.First); });
}

static Type *typeOf(const RowTouch &Touch) { return getLoadStoreType(Touch.I); }

/// Adds an element of something that is stored to. Elements in the steps have one
/// address each, and those of the rows.
bool RowGroup::addStored(const RowTouch &Touch) {
  const SCEV *Base = SE.getPointerBase(Touch.At);
  auto *Of =
      find_if(Stored, [&](const StoredVector &V) { return V.Base == Base; });
  if (Of == Stored.end())
    return true; // only read
  const RowTouch *&Known = Touch.IsStep ? Of->OfSteps : Of->OfRow;
  const RowTouch *Any = Of->OfSteps ? Of->OfSteps : Of->OfRow;
  if ((Known && (Known->At != Touch.At || Known->Step != Touch.Step)) ||
      (Any && typeOf(*Any) != typeOf(Touch)))
    return false;
  Known = &Touch;
  Of->StoresSteps |= Touch.IsStep && Touch.isStore();
  Of->StoresInPrefix |= Touch.IsInPrefix && Touch.isStore();
  Of->LoadsInPrefix |= Touch.IsInPrefix && !Touch.isStore();
  return true;
}

bool RowGroup::findVectors() {
  for (const RowTouch &Touch : Touches)
    if (const SCEV *Base = SE.getPointerBase(Touch.At);
        Touch.isStore() &&
        none_of(Stored, [&](const StoredVector &V) { return V.Base == Base; }))
      Stored.push_back({Base});
  for (const RowTouch &Touch : Touches)
    if (!addStored(Touch))
      return false;
  const DataLayout &DL = Body->getDataLayout();
  for (const StoredVector &V : Stored)
    if (V.OfSteps && !First)
      First = V.OfSteps;
  if (!First || !isPowerOf2_64(size()))
    return false;
  for (StoredVector &V : Stored) {
    int64_t Bytes = 0;
    if (V.OfSteps) {
      Bytes = DL.getTypeStoreSize(typeOf(*V.OfSteps));
      if (std::abs(V.OfSteps->Step) != Bytes)
        return false;
    }
    if (!V.OfRow)
      continue;
    Bytes = DL.getTypeStoreSize(typeOf(*V.OfRow));
    auto *Rec = dyn_cast<SCEVAddRecExpr>(V.OfRow->At);
    auto *Step = Rec && Rec->isAffine() && Rec->getLoop() == Rows
                     ? dyn_cast<SCEVConstant>(Rec->getOperand(1))
                     : nullptr;
    if (!Step || Step->getAPInt().abs().ult(Bytes))
      return false;
    if (!V.OfSteps)
      continue;
    auto *Ahead =
        dyn_cast<SCEVConstant>(SE.getMinusSCEV(V.OfSteps->At, V.OfRow->At));
    if (!Ahead || Ahead->getAPInt().getSignificantBits() > 32)
      continue;
    // How far a row's element, and that of the row before, lie in front of its steps.
    int64_t Direction = V.OfSteps->Step > 0 ? 1 : -1;
    int64_t OwnAhead = Direction * Ahead->getAPInt().getSExtValue();
    int64_t ByRow = Direction * Step->getAPInt().getSExtValue();
    V.IsBehind = ByRow > 0 && OwnAhead + ByRow >= Bytes;
    // Elements of rows before are the first that a row reads, one more for each.
    bool BeginsMove = !SE.isLoopInvariant(V.OfSteps->At, Rows);
    if (OwnAhead >= Bytes && !V.IsBehind && BeginsMove)
      return false;
  }
  return true;
}

/// Where the steps of rows are, by places.
bool RowGroup::findPlaces() {
  const SCEV *OfFirst = SE.removePointerBase(First->At);
  for (const RowTouch &Touch : Touches) {
    if (!Touch.IsStep)
      continue;
    if (Touch.Step % First->Step)
      return false;
    RowPlaces Is{Touch.Step / size(), /*IsTable=*/false, nullptr};
    const SCEV *Ratio = SE.getConstant(I64, Touch.Step / First->Step, true);
    const SCEV *InPlace = SE.getMinusSCEV(SE.removePointerBase(Touch.At),
                                          SE.getMulExpr(OfFirst, Ratio));
    auto *Rec = dyn_cast<SCEVAddRecExpr>(InPlace);
    if (SE.isLoopInvariant(InPlace, Rows))
      Is.ToNext = SE.getZero(I64);
    else if (Rec && Rec->getLoop() == Rows && Rec->isAffine())
      Is.ToNext = Rec->getOperand(1);
    else
      Is.IsTable = true;
    // A vector that is stored to is seen by all rows at the same places.
    bool IsStored = any_of(Stored, [&](const StoredVector &V) {
      return V.Base == SE.getPointerBase(Touch.At);
    });
    if (IsStored && (Is.IsTable || !Is.ToNext->isZero()))
      return false;
    Places[Touch.I] = Is;
  }
  return true;
}

/// What \p Touch may touch in all of the nest.
static MemoryLocation allOf(const RowTouch &Touch) {
  return MemoryLocation(getLoadStorePointerOperand(Touch.I),
                        LocationSize::beforeOrAfterPointer(),
                        Touch.I->getAAMetadata());
}

/// Whether nothing else is where stores are.
bool RowGroup::areApart() {
  return all_of(Touches, [&](const RowTouch &X) {
    return !X.isStore() || all_of(Touches, [&](const RowTouch &Y) {
      return SE.getPointerBase(X.At) == SE.getPointerBase(Y.At) ||
             AA.isNoAlias(allOf(X), allOf(Y));
    });
  });
}

/// Which values parts of a row hand over to each other.
bool RowGroup::findValues() {
  for (PHINode &Phi : Body->phis()) {
    auto *Rec = SE.isSCEVable(Phi.getType())
                    ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                    : nullptr;
    if (!Rec) {
      Sums.push_back(&Phi);
      continue;
    }
    if (!Rec->isAffine() || Rec->getLoop() != Inner ||
        !isa<SCEVConstant>(Rec->getOperand(1)))
      return false;
    Counters.push_back(&Phi);
  }
  // What leaves the steps is handed on by them.
  for (Instruction &I : *Body)
    for (User *U : I.users())
      if (!Inner->contains(cast<Instruction>(U)) &&
          none_of(Sums, [&](PHINode *Phi) {
            return Phi->getIncomingValueForBlock(Body) == &I;
          }))
        return false;
  Value *Condition = cast<BranchInst>(Body->getTerminator())->getCondition();
  Exit = Condition->hasOneUse() ? Condition : nullptr;
  for (BasicBlock *BB : Prefix)
    for (Instruction &I : *BB)
      // What counts rows is at hand in all parts of a row but the steps.
      if (any_of(I.users(), [&](User *U) {
            BasicBlock *At = cast<Instruction>(U)->getParent();
            if (U == Exit)
              return false;
            // What the next row is handed over was loaded before the steps.
            bool IsHandedOver = isa<PHINode>(U) && At == Rows->getHeader();
            return isCounterOfRows(I)
                       ? At == Body
                       : IsHandedOver || !is_contained(Prefix, At);
          }))
        Crossing.push_back(&I);
  return findData() && countsRows();
}

/// Adds what \p Roots are made of in a step, in order: elements and what is computed
/// of them, but no counter.
bool RowGroup::collect(ArrayRef<Value *> Roots,
                       SmallVectorImpl<Instruction *> &Into) const {
  SmallVector<Value *, 16> Work(Roots);
  SmallPtrSet<Value *, 16> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || I->getParent() != Body || !Seen.insert(I).second)
      continue;
    if (auto *Phi = dyn_cast<PHINode>(I)) {
      if (!is_contained(Sums, Phi))
        return false;
      continue;
    }
    if (auto *Store = dyn_cast<StoreInst>(I))
      Work.push_back(Store->getValueOperand());
    else if (!isa<LoadInst>(I))
      append_range(Work, I->operands());
  }
  for (Instruction &I : *Body)
    if (!isa<PHINode>(I) && Seen.contains(&I))
      Into.push_back(&I);
  return true;
}

/// Whether the rows' steps go through one vector, of which each row has its part: a
/// part begins where the one before does, or an element further.
bool RowGroup::isInPlace(const RowTouch &OfSteps) {
  if (SE.isLoopInvariant(OfSteps.At, Rows))
    return !SE.isLoopInvariant(NumSteps, Rows);
  auto *Moving = dyn_cast<SCEVAddRecExpr>(OfSteps.At);
  if (!Moving || Moving->getLoop() != Rows)
    return true;
  auto *By = dyn_cast<SCEVConstant>(Moving->getStepRecurrence(SE));
  return By && By->getAPInt().abs().ule(std::abs(OfSteps.Step));
}

bool RowGroup::findData() {
  SmallVector<Value *, 4> Ends, Stores;
  for (PHINode *Sum : Sums)
    Ends.push_back(Sum->getIncomingValueForBlock(Body));
  for (Instruction &I : *Body)
    if (isa<StoreInst>(I))
      Stores.push_back(&I);
  SmallVector<Instruction *, 8> OfSums, OfStores;
  if (!collect(Ends, OfSums) || !collect(Stores, OfStores))
    return false;
  if (Sums.empty()) {
    // Columns in place, of a triangle or a band: others are a product of all columns,
    // or none.
    Data = OfStores;
    return !Data.empty() && any_of(Stored, [&](const StoredVector &V) {
      return V.isShared() && isInPlace(*V.OfSteps);
    });
  }
  if (storesApart(OfSums, OfStores)) {
    Data = OfSums;
    Apart = OfStores;
    return true;
  }
  append_range(Ends, Stores);
  return collect(Ends, Data);
}

/// Whether what a row hands over to the next one is computed of such values alone.
bool RowGroup::countsRows() {
  SmallVector<Value *, 8> Work;
  SmallPtrSet<Value *, 8> Seen;
  for (PHINode &Phi : Rows->getHeader()->phis())
    Work.push_back(Phi.getIncomingValueForBlock(Rows->getLoopLatch()));
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Rows->contains(I) || !Seen.insert(I).second ||
        is_contained(Prefix, I->getParent()))
      continue;
    if (isa<PHINode>(I) || I->mayReadOrWriteMemory())
      return false;
    append_range(Work, I->operands());
  }
  return true;
}

} // namespace tilesmith
