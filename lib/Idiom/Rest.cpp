//===- Rest.cpp - what a nest does besides its product --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i {                                    product for all i
//     for j { for k c[i][j] += ... }      =>   for i
//     for j d[i][j] = f(c[i][j]);                for j d[i][j] = f(c[i][j]);
//   }
//
// The nest is distributed: the product runs as a whole, and a copy of the nest
// without it runs all other statements, before or after. That is right if no
// two accesses to the same memory, one of them a write, change their order.
// For each access of the rest, and each operand of the product it might meet,
// one of these has to hold:
//
//   apart     they do not overlap; the guard tests it
//   a member  they lie beside each other in structures of the same size
//   the same  it is the very element of C, in the same iteration
//   by rows   both stay within a row of their own in each iteration of the
//             loops around both
//   mirrored  it is the element of C across the diagonal that bounds C
//   off       it lies on a diagonal of C beyond the one that bounds C
//   beside    both are in the same rows, in columns of their own
//   ahead     it is in the row of C that the iteration over k has come to, and
//             the product in the rows before (SYMM): the rest always comes
//             first
//
// In the third to fifth case they meet within one iteration only, and their
// order there tells where the rest has to run.
//
//===----------------------------------------------------------------------===//

#include "Rest.h"
#include "Lift.h"
#include "Update.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Where the rest may run.
struct Places {
  bool Before = true, After = true;

  void restrictTo(const Places &Other) {
    Before &= Other.Before;
    After &= Other.After;
  }
};

class Distribution {
public:
  Distribution(const Nest &In, const Roles &By, Contraction &Of)
      : In(In), SE(In.Analyses->SE), By(By), Of(Of),
        I64(Type::getInt64Ty(SE.getContext())) {}

  Refused run(ArrayRef<Instruction *> Rest, ArrayRef<Instruction *> OtherSide,
              const Refusal &Why);

private:
  /// An access of the rest.
  struct Touch {
    Instruction *I;
    bool Writes;
    Value *Pointer;
    MemoryRegion Region;
    std::optional<AffineForm> Form;    ///< over the chain's loops, then its own
    SmallVector<const SCEV *, 4> Last; ///< of each loop's counter
    /// Each is one if a loop around the access is entered, and zero if not.
    SmallVector<const SCEV *, 1> Entered;
  };

  /// What an operand covers, and what an access does, from low to high, while
  /// some of the loops stand still; the distance is that of their bases.
  struct Cover {
    const SCEV *LowX, *HighX, *LowT, *HighT, *Distance;
  };

  bool placeOtherSide();
  bool collect(Value *V, const Instruction &User);
  bool addAccess(Instruction &I);
  bool isInSum(const Instruction &I) const;
  LoopChain loopsAround(const Instruction &I) const;
  const SCEV *greatestCount(const Loop &L);
  const SCEV *isEntered(const Nest::EntryCondition &Entry);

  bool place(const Touch &T);
  bool placeBeside(const Touch &T, unsigned Operand);
  bool isApart(const Touch &T, unsigned Operand);
  bool isOtherMember(const Touch &T, unsigned Operand);
  bool isSameElement(const Touch &T) const;
  std::optional<Cover> cover(const Touch &T, unsigned Operand,
                             const SmallBitVector &Still);
  bool isWithin(const Cover &Both, const SCEV *Step);
  bool staysInRow(const Touch &T, unsigned Operand);
  bool isBeside(const Touch &T, unsigned Operand);
  bool isMirrored(const Touch &T);
  bool require(CmpInst::Predicate Predicate, const SCEV *X, const SCEV *Y);
  void requireLongRows(const SCEV *Row, const SCEV *Column, const SCEV *Last,
                       unsigned Margin);
  bool isOffDiagonal(const Touch &T);
  bool isAhead(const Touch &T);
  Places byOrder(const Instruction &I, const Instruction &Other) const;

  const Nest &In;
  ScalarEvolution &SE;
  const Roles &By;
  Contraction &Of;
  Type *I64;
  Places Possible;
  SmallVector<Touch, 4> Touches;
  SmallPtrSet<Value *, 16> Seen;
};

/// Collects the loads that \p V is computed from. The value stored to C is
/// loaded from there; nothing else of the product may be used.
bool Distribution::collect(Value *V, const Instruction &User) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !In.root().contains(I))
    return true;
  // What is stored to C will be loaded from there, once it is complete.
  const Value *Stored =
      Of.ToScratch ? Of.ToScratch->Sum : Of.UpdateStore->getValueOperand();
  bool IsStored = In.resolve(I) == In.resolve(const_cast<Value *>(Stored));
  if (IsStored && isInSum(User))
    return false;
  if (!Seen.insert(I).second)
    return true;
  if (IsStored) {
    Possible.Before = false;
    if (Of.ToScratch)
      return true;
    Of.StoredValues.push_back(I);
    auto *Address = dyn_cast<Instruction>(Of.UpdateStore->getPointerOperand());
    const DominatorTree &DT = In.Analyses->DT;
    const BasicBlock *Exit = In.innermost().getUniqueExitBlock();
    return !Address ||
           (In.innermost().contains(I) ? Exit && DT.dominates(Address, Exit)
                                       : DT.dominates(Address, I));
  }
  auto Leaf = Of.Update.Leaves.find(I);
  if (I == Of.Update.Root ||
      (Leaf != Of.Update.Leaves.end() && Leaf->second != Leaf::Invariant))
    return false;
  bool IsTouch = Of.ToScratch || In.Live.contains(I->getParent());
  if (isa<LoadInst>(I) && !(IsTouch ? addAccess(*I) : placeOtherSide()))
    return false;
  // How often a loop beside the chain runs decides what comes out of it.
  for (Loop *L = In.Analyses->LI.getLoopFor(I->getParent());
       !is_contained(In.Chain, L); L = L->getParentLoop())
    if (!collect(L->getLoopLatch()->getTerminator(), *I))
      return false;
  return all_of(I->operands(), [&](Value *Op) { return collect(Op, *I); });
}

/// Whether \p I stands between partial sums: in the innermost loop, or inside a
/// loop over k.
bool Distribution::isInSum(const Instruction &I) const {
  return In.innermost().contains(&I) ||
         any_of(By.Loops[K], [&](unsigned Position) {
           return In.Chain[Position]->contains(&I);
         });
}

/// The loops of the chain around \p I, each in its place, then others.
LoopChain Distribution::loopsAround(const Instruction &I) const {
  LoopChain Loops(In.Chain.size());
  SmallVector<Loop *, 2> Own;
  for (Loop *L = In.Analyses->LI.getLoopFor(I.getParent());
       L && In.root().contains(L); L = L->getParentLoop()) {
    auto It = find(In.Chain, L);
    if (It == In.Chain.end())
      Own.push_back(L);
    else
      Loops[It - In.Chain.begin()] = L;
  }
  append_range(Loops, reverse(Own));
  return Loops;
}

/// A bound for the counter of a loop beside the chain; null if there is none.
const SCEV *Distribution::greatestCount(const Loop &L) {
  auto MaybeCount = tripCount(L, In);
  if (std::holds_alternative<Refusal>(MaybeCount))
    return nullptr;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  if (Count.ValidIf)
    Of.MustHold.push_back(*Count.ValidIf);
  SetVector<LoadInst *> Bounds;
  In.collectLoads(Count.Backedges, Bounds);
  for (LoadInst *Load : Bounds)
    if (!collect(Load, *L.getLoopLatch()->getTerminator()))
      return nullptr;
  if (SE.getTypeSizeInBits(Count.Backedges->getType()) > 64)
    return nullptr;
  if (In.isInvariant(Count.Backedges))
    return SE.getNoopOrZeroExtend(Count.Backedges, I64);
  std::optional<AffineForm> Form =
      affineForm(SE.getNoopOrSignExtend(Count.Backedges, I64), In, In.Chain);
  if (!Form)
    return nullptr;
  const SCEV *Greatest = Form->Base;
  for (auto [Loop, Step] : enumerate(Form->Step))
    if (Step)
      Greatest = SE.getAddExpr(
          Greatest,
          SE.getSMaxExpr(SE.getZero(I64),
                         SE.getMulExpr(Step, By.Space.lastOfLoop(Loop))));
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Of.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return SE.getSMaxExpr(Greatest, SE.getZero(I64));
}

/// One or zero, or null if that is not easily computed.
const SCEV *Distribution::isEntered(const Nest::EntryCondition &Entry) {
  if (auto *A = std::get_if<Assumption>(&Entry.Condition)) {
    const SCEV *Holds = SE.getSCEV(A->Condition);
    return SE.getZeroExtendExpr(A->Value ? Holds : SE.getNotSCEV(Holds), I64);
  }
  Requirement R = std::get<Requirement>(Entry.Condition);
  if (ICmpInst::isGT(R.Predicate)) {
    std::swap(R.X, R.Y);
    R.Predicate = ICmpInst::getSwappedPredicate(R.Predicate);
  }
  const SCEV *Difference = nullptr;
  if (R.Predicate == ICmpInst::ICMP_NE)
    Difference = SE.getMinusSCEV(R.X, R.Y);
  else if (R.Predicate == ICmpInst::ICMP_SLT)
    Difference = SE.getMinusSCEV(SE.getSMaxExpr(R.X, R.Y), R.X);
  else if (R.Predicate == ICmpInst::ICMP_ULT)
    Difference = SE.getMinusSCEV(SE.getUMaxExpr(R.X, R.Y), R.X);
  if (!Difference || SE.getTypeSizeInBits(Difference->getType()) > 64)
    return nullptr;
  return SE.getUMinExpr(SE.getNoopOrZeroExtend(Difference, I64),
                        SE.getOne(I64));
}

bool Distribution::addAccess(Instruction &I) {
  Touch T;
  T.I = &I;
  T.Writes = isa<StoreInst>(I);
  T.Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I));
  if (T.Pointer->getType()->getPointerAddressSpace() != 0)
    return false;
  LoopChain Loops = loopsAround(I);
  // It may start where another loop has ended.
  const SCEV *Address =
      SE.getSCEVAtScope(In.resolve(SE.getSCEV(T.Pointer)),
                        In.Analyses->LI.getLoopFor(I.getParent()));
  T.Form = affineForm(Address, In, Loops);
  if (!T.Form || T.Form->Row)
    return false;
  for (auto [Position, L] : enumerate(Loops)) {
    T.Last.push_back(Position < In.Chain.size() ? By.Space.lastOfLoop(Position)
                                                : greatestCount(*L));
    if (!T.Last.back())
      return false;
  }
  for (const Nest::EntryCondition &Entry : In.Entries)
    if (const SCEV *Once =
            Entry.Entered->contains(&I) ? isEntered(Entry) : nullptr) {
      T.Entered.push_back(Once);
      // What is computed for a loop that is not entered may be anything.
      for (unsigned Own = In.Chain.size(); Own < Loops.size(); ++Own)
        if (Entry.Entered->contains(Loops[Own]))
          T.Last[Own] = SE.getMulExpr(T.Last[Own], Once);
    }
  auto SpanOf = [](ArrayRef<const SCEV *> Steps, ArrayRef<const SCEV *> Last) {
    SmallVector<WrapCheck::Term, 3> Span;
    for (auto [Step, L] : zip_equal(Steps, Last))
      if (Step)
        Span.push_back({Step, L});
    return Span;
  };
  for (const AffineForm::NarrowSum &Sum : T.Form->MustNotWrap)
    Of.WrapChecks.push_back(
        {Sum.Start, SpanOf(Sum.Step, T.Last), Sum.Bits, Sum.Signed});
  // Where one loop bounds another, axes fit more closely than counters.
  AffineForm Form = *T.Form;
  SmallVector<const SCEV *, 4> Last = T.Last;
  if (By.Space.toAxes(Form))
    copy(By.Space.Last, Last.begin());
  else
    Form = *T.Form;
  T.Region = {Form.Base, SpanOf(Form.Step, Last),
              I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I))};
  Touches.push_back(std::move(T));
  return true;
}

/// The guard tests what is not known; false if it cannot be.
bool Distribution::require(CmpInst::Predicate Predicate, const SCEV *X,
                           const SCEV *Y) {
  if (SE.isKnownPredicate(CmpInst::getInversePredicate(Predicate), X, Y))
    return false;
  if (!SE.isKnownPredicate(Predicate, X, Y))
    Of.MustHold.push_back({Predicate, X, Y});
  return true;
}

/// They meet within one iteration only: the rest goes to the side of the
/// product on which it stands there.
Places Distribution::byOrder(const Instruction &I,
                             const Instruction &Other) const {
  // What varies with a loop inside which both stand is in order as well.
  return In.precedes(I, Other) ? Places{true, false} : Places{false, true};
}

bool Distribution::isApart(const Touch &T, unsigned Operand) {
  const Access &X = *Of.accesses()[Operand];
  if (SE.getPointerBase(T.Form->Base) == SE.getPointerBase(X.Base))
    return false;
  AAResults *AA = In.Analyses->AA;
  if (!AA || !AA->isNoAlias(MemoryLocation::getBeforeOrAfter(T.Pointer),
                            MemoryLocation::getBeforeOrAfter(X.Pointer)))
    Of.MustBeApart.push_back({T.Region, Operand});
  return true;
}

/// All strides are multiples of a size, and within that the two do not overlap.
bool Distribution::isOtherMember(const Touch &T, unsigned Operand) {
  const Access &X = *Of.accesses()[Operand];
  const SCEV *Difference = SE.getMinusSCEV(T.Form->Base, X.Base);
  if (isa<SCEVCouldNotCompute>(Difference))
    return false;
  APInt Period(64, 0);
  auto Include = [&](const SCEV *Step) {
    APInt Multiple = SE.getConstantMultiple(Step).zextOrTrunc(64);
    Period = APIntOps::GreatestCommonDivisor(Period, Multiple);
  };
  for (const SCEV *Step : X.Stride)
    Include(Step);
  for (const SCEV *Step : T.Form->Step)
    if (Step)
      Include(Step);
  // What is invariant may be a number of structures.
  APInt Offset(64, 0);
  if (auto *C = dyn_cast<SCEVConstant>(Difference)) {
    Offset = C->getAPInt().sextOrTrunc(64);
  } else {
    auto *Sum = dyn_cast<SCEVAddExpr>(Difference);
    auto *First = Sum ? dyn_cast<SCEVConstant>(Sum->getOperand(0)) : nullptr;
    if (First)
      Offset = First->getAPInt().sextOrTrunc(64);
    Include(SE.getMinusSCEV(Difference,
                            SE.getConstant(Offset.zextOrTrunc(
                                SE.getTypeSizeInBits(Difference->getType())))));
  }
  if (!Period.isPowerOf2())
    return false;
  uint64_t Size = T.I->getDataLayout().getTypeStoreSize(X.ElemTy);
  Offset &= Period - 1;
  return Offset.uge(Size) && (Offset + T.Region.Bytes).ule(Period);
}

bool Distribution::isSameElement(const Touch &T) const {
  return In.addressOf(*T.I) == In.addressOf(*Of.UpdateStore) &&
         getLoadStoreType(T.I) == Of.C.ElemTy;
}

/// The base of the operand is zero.
std::optional<Distribution::Cover>
Distribution::cover(const Touch &T, unsigned Operand,
                    const SmallBitVector &Still) {
  const AffineForm &Form = By.formOverLoops(Operand);
  const SCEV *Start = SE.getMinusSCEV(T.Form->Base, Form.Base);
  if (isa<SCEVCouldNotCompute>(Start))
    return std::nullopt;
  Type *Ty = Start->getType();
  const SCEV *Zero = SE.getZero(Ty);
  Cover Result{Zero, Zero, Start, Start, Start};
  auto Grow = [&](const SCEV *&Low, const SCEV *&High, const SCEV *By,
                  const SCEV *Last) {
    const SCEV *Span = SE.getMulExpr(By, SE.getTruncateOrZeroExtend(Last, Ty));
    Low = SE.getAddExpr(Low, SE.getSMinExpr(Span, Zero));
    High = SE.getAddExpr(High, SE.getSMaxExpr(Span, Zero));
  };
  for (auto [Loop, Step] : enumerate(Form.Step))
    if (Step && !Still[Loop])
      Grow(Result.LowX, Result.HighX, Step, By.Space.lastOfLoop(Loop));
  const Access &X = *Of.accesses()[Operand];
  for (const WrapCheck::Term &Part : X.Copies)
    Grow(Result.LowX, Result.HighX, Part.Step, Part.Last);
  for (auto [Loop, Step, Last] : enumerate(T.Form->Step, T.Last))
    if (Step && (Loop >= Still.size() || !Still[Loop]))
      Grow(Result.LowT, Result.HighT, Step, Last);
  uint64_t Size = T.I->getDataLayout().getTypeStoreSize(X.ElemTy);
  Result.HighX = SE.getAddExpr(Result.HighX, SE.getConstant(Ty, Size));
  Result.HighT =
      SE.getAddExpr(Result.HighT, SE.getConstant(Ty, T.Region.Bytes));
  for (const SCEV *Once : T.Entered) {
    const SCEV *All = SE.getMinusSCEV(Result.HighT, Result.LowT);
    Result.HighT = SE.getAddExpr(
        Result.LowT, SE.getMulExpr(SE.getTruncateOrZeroExtend(Once, Ty), All));
  }
  return Result;
}

/// Whether both together are no longer than a step.
bool Distribution::isWithin(const Cover &Both, const SCEV *Step) {
  const SCEV *Width = SE.getMinusSCEV(SE.getSMaxExpr(Both.HighX, Both.HighT),
                                      SE.getSMinExpr(Both.LowX, Both.LowT));
  return require(ICmpInst::ICMP_SLE, Width,
                 SE.getSMaxExpr(Step, SE.getNegativeSCEV(Step)));
}

/// In each loop around both, all of the region and all of the operand that
/// loops further in make up lie within one step, which is the same for both.
bool Distribution::staysInRow(const Touch &T, unsigned Operand) {
  const AffineForm &Form = By.formOverLoops(Operand);
  SmallBitVector Still(In.Chain.size());
  for (unsigned Loop = 0; Loop < In.Chain.size(); ++Loop) {
    Still.set(Loop);
    if (!In.Chain[Loop]->contains(T.I))
      continue;
    const SCEV *Step = Form.Step[Loop];
    std::optional<Cover> Both = cover(T, Operand, Still);
    if (!Step || Step != T.Form->Step[Loop] || !Both || !isWithin(*Both, Step))
      return false;
  }
  return true;
}

/// They are in the same rows, where one comes to its end in front of the other.
/// Tests that only the smallest matrices could pass are not worth making: of a
/// column as a row, or of a constant distance between rows of any length.
bool Distribution::isBeside(const Touch &T, unsigned Operand) {
  const AffineForm &Form = By.formOverLoops(Operand);
  SmallBitVector Still(In.Chain.size());
  auto IsVaryingStep = [](const SCEV *S) { return S && !isa<SCEVConstant>(S); };
  auto IsColumn = [&](unsigned Loop) {
    if (!isa<SCEVConstant>(Form.Step[Loop]))
      return false;
    for (unsigned Other = 0; Other < T.Form->Step.size(); ++Other)
      if (Other >= Still.size()
              ? IsVaryingStep(T.Form->Step[Other])
              : !Still[Other] && (IsVaryingStep(T.Form->Step[Other]) ||
                                  IsVaryingStep(Form.Step[Other])))
        return true;
    return false;
  };
  std::optional<Cover> Both;
  for (unsigned Loop = 0; Loop < In.Chain.size(); ++Loop) {
    const SCEV *Step = Form.Step[Loop];
    if (!Step || Step != T.Form->Step[Loop] || !In.Chain[Loop]->contains(T.I))
      continue;
    Still.set(Loop);
    Both = cover(T, Operand, Still);
    if (!Both || IsColumn(Loop) || !isWithin(*Both, Step))
      return false;
  }
  if (!Both)
    return false;
  return SE.isKnownPredicate(ICmpInst::ICMP_SLE, Both->HighT, Both->LowX) ||
         SE.isKnownPredicate(ICmpInst::ICMP_SLE, Both->HighX, Both->LowT) ||
         (!isa<SCEVConstant>(Both->Distance) &&
          require(ICmpInst::ICMP_SLE, Both->HighX, Both->LowT));
}

/// The rows of C are long enough for \p Margin more columns, in front of the
/// first or behind \p Last, to be elements of their own.
void Distribution::requireLongRows(const SCEV *Row, const SCEV *Column,
                                   const SCEV *Last, unsigned Margin) {
  auto Abs = [&](const SCEV *S) {
    return SE.getSMaxExpr(S, SE.getNegativeSCEV(S));
  };
  const SCEV *Room = SE.getAddExpr(Last, SE.getConstant(I64, 1 + Margin));
  const SCEV *All = SE.getMulExpr(
      Column, SE.getTruncateOrZeroExtend(Room, Column->getType()));
  require(ICmpInst::ICMP_SGE, Abs(Row), Abs(All));
}

/// The element of C across the diagonal: (y + d, x - d) for (x, y). If what is
/// across is not computed, or only the diagonal itself, which is the same
/// element, they do not meet elsewhere.
bool Distribution::isMirrored(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  if (!Domain || !Of.Domain->isOfC() || By.Space.Reversed ||
      T.Form->Step.size() != In.Chain.size() ||
      getLoadStoreType(T.I) != Of.C.ElemTy)
    return false;
  AffineForm Form = *T.Form;
  if (!By.Space.toAxes(Form))
    return false;
  const SCEV *StepX = By.C.Step[Domain->X], *StepY = By.C.Step[Domain->Y];
  if (Form.Step[Domain->X] != StepY || Form.Step[Domain->Y] != StepX ||
      By.stride(Form, K))
    return false;
  const SCEV *Difference = SE.getMinusSCEV(Form.Base, By.C.Base);
  for (int Distance : {-2, -1, 0, 1, 2}) {
    const SCEV *D = SE.getConstant(StepY->getType(), Distance, true);
    if (Difference != SE.getMulExpr(SE.getMinusSCEV(StepX, StepY), D))
      continue;
    const SCEV *Across =
        SE.getAddExpr(Domain->Offset, SE.getConstant(I64, Distance, true));
    if (Domain->Below ? !SE.isKnownNonPositive(Across)
                      : !SE.isKnownNonNegative(Across))
      return false;
    requireLongRows(
        StepX, StepY,
        SE.getSMaxExpr(By.Space.Last[Domain->X], By.Space.Last[Domain->Y]),
        std::abs(Distance));
    return true;
  }
  return false;
}

/// An element (d, d + Distance) of C, beyond the diagonal that bounds it. C's
/// rows must be long enough for that to be another element.
bool Distribution::isOffDiagonal(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  if (!Domain || !Of.Domain->isOfC() || By.Space.Reversed)
    return false;
  AffineForm Form = *T.Form;
  // A loop of its own must not move it.
  for (const SCEV *Step : drop_begin(Form.Step, In.Chain.size()))
    if (Step)
      return false;
  Form.Step.resize(In.Chain.size());
  if (!By.Space.toAxes(Form))
    return false;
  const SCEV *StepX = By.C.Step[Domain->X], *StepY = By.C.Step[Domain->Y];
  for (auto [Axis, Step] : enumerate(Form.Step))
    if (Axis == Domain->X ? Step != SE.getAddExpr(StepX, StepY)
                          : Step != nullptr)
      return false;
  const SCEV *Difference = SE.getMinusSCEV(Form.Base, By.C.Base);
  for (int Distance : {-2, -1, 0, 1, 2}) {
    const SCEV *D = SE.getConstant(StepY->getType(), Distance, true);
    if (Difference != SE.getMulExpr(StepY, D))
      continue;
    const SCEV *D64 = SE.getConstant(I64, Distance, true);
    CmpInst::Predicate Beyond =
        Domain->Below ? ICmpInst::ICMP_SGT : ICmpInst::ICMP_SLT;
    if (!SE.isKnownPredicate(Beyond, D64, Domain->Offset))
      return false;
    requireLongRows(StepX, StepY, By.Space.Last[Domain->Y], std::abs(Distance));
    return true;
  }
  return false;
}

/// Whether \p T is in row k of C, and the step k of the product in rows before.
bool Distribution::isAhead(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  if (!Domain || Of.Domain->isOfC() || !By.Space.isPlain() ||
      Of.Domain->X != K || !Domain->Below || Domain->X != 0 ||
      !SE.isKnownNegative(Domain->Offset))
    return false;
  const auto &Others = By.Axes[Of.Domain->Y == M ? N : M];
  const AffineForm &Form = *T.Form;
  if (Form.Base != By.COverLoops.Base)
    return false;
  for (auto [Loop, Step] : enumerate(Form.Step)) {
    const SCEV *Expected = nullptr;
    if (Loop == Domain->X)
      Expected = By.C.Step[Domain->Y];
    else if (is_contained(Others, Loop))
      Expected = By.C.Step[Loop];
    if (Step != Expected)
      return false;
  }
  return true;
}

bool Distribution::placeBeside(const Touch &T, unsigned Operand) {
  if (isApart(T, Operand) || isOtherMember(T, Operand))
    return true;
  bool IsC = Operand == 0;
  if (IsC && isOffDiagonal(T))
    return true;
  if (IsC && isAhead(T)) {
    Possible.After = false;
    return true;
  }
  unsigned Required = Of.MustHold.size();
  if (isInSum(*T.I) || (!(IsC && (isSameElement(T) || isMirrored(T))) &&
                        !staysInRow(T, Operand))) {
    Of.MustHold.truncate(Required);
    return isBeside(T, Operand);
  }
  Possible.restrictTo(byOrder(*T.I, *Of.accesses()[Operand]->Inst));
  if (!IsC)
    return true;
  for (const Instruction *Write : Of.Absorbed)
    Possible.restrictTo(byOrder(*T.I, *Write));
  // C is also read.
  if (T.Writes)
    for (const Expression *E : {&Of.Start, &Of.Finish})
      for (const auto &[V, Kind] : E->Leaves)
        if (Kind == Leaf::C)
          Possible.restrictTo(byOrder(*T.I, *cast<Instruction>(V)));
  return true;
}

bool Distribution::place(const Touch &T) {
  if (T.Writes)
    Of.RestWritten.push_back(T.Region);
  unsigned Operands = T.Writes ? Of.accesses().size() : 1;
  for (unsigned Operand = Of.ToScratch ? 1 : 0; Operand < Operands; ++Operand)
    if (!placeBeside(T, Operand))
      return false;
  return true;
}

/// A diagonal on the root parts the iterations into those that enter the loops
/// inside and those that do not. One kind comes first: what is done in the
/// others goes to its side of the product.
bool Distribution::placeOtherSide() {
  const auto &Domain = By.Space.Domain;
  if (!Domain || Domain->X != 0 || In.Guards.size() != 1)
    return false;
  Possible.restrictTo(By.Space.EmptyFirst ? Places{true, false}
                                          : Places{false, true});
  return true;
}

Refused Distribution::run(ArrayRef<Instruction *> Rest,
                          ArrayRef<Instruction *> OtherSide,
                          const Refusal &Why) {
  for (Instruction *Write : Rest) {
    auto *Store = dyn_cast<StoreInst>(Write);
    if (!Store)
      return Why;
    // Partial sums: only the last one will be stored, after the loop.
    if (is_contained(Of.Absorbed, Store)) {
      if (!addAccess(*Store))
        return Why;
      continue;
    }
    // A copy of the innermost loop for something else would cost as much as the
    // product, unless that is another product.
    if (In.innermost().contains(Store) && Store != Of.UpdateStore &&
        std::holds_alternative<Refusal>(
            findUpdate(In, *Store, /*Apart=*/false)))
      return Refusal{Reason::OtherStore, Store};
    if (!addAccess(*Store) || !collect(Store->getValueOperand(), *Store))
      return Why;
  }
  for (Instruction *Write : OtherSide)
    if (!placeOtherSide() || !all_of(Write->operands(), [&](Value *Op) {
          return collect(Op, *Write);
        }))
      return Why;
  for (const Touch &T : Touches)
    if (!place(T))
      return Why;
  if (Of.ToScratch)
    Possible.Before = false;
  if (!Possible.After && !Possible.Before)
    return Why;
  Of.Rest = Possible.After ? Contraction::RestRuns::After
                           : Contraction::RestRuns::Before;
  Of.RestWrites.append(Rest.begin(), Rest.end());
  Of.RestWrites.append(OtherSide.begin(), OtherSide.end());
  return std::nullopt;
}

} // namespace

Refused placeRest(const Nest &In, ArrayRef<Instruction *> Rest,
                  ArrayRef<Instruction *> OtherSide, const Roles &By,
                  const Refusal &Why, Contraction &Of) {
  if (Rest.empty() && OtherSide.empty())
    return std::nullopt;
  return Distribution(In, By, Of).run(Rest, OtherSide, Why);
}

} // namespace tilesmith
