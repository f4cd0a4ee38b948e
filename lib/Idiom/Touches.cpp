//===- Touches.cpp - what a rest accesses ---------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each access of the rest as an affine form over the loops of the chain and those
// beside it, with the most iterations that these have. A memset is one of bytes,
// in a loop of its own.
//
// A loop may end where a row does, but begin later in each row:
//
//   for t { ...; for (u = t + 1; u < n; ++u) w[t * n + u] = 0; }
//
// Its start moves by a row and an element. Counted by v = u - 1, which goes from
// t on, but never beyond n - 2, it moves by a row alone, as the product's rows do.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Distribution.h"
#include "tilesmith/Support/NodeReplacer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

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

/// The most that \p Form comes to in the nest.
const SCEV *Distribution::greatest(const AffineForm &Form) const {
  const SCEV *Greatest = Form.Base;
  for (auto [Loop, Step] : enumerate(Form.Step))
    if (Step)
      Greatest = SE.getAddExpr(
          Greatest,
          SE.getSMaxExpr(SE.getZero(I64),
                         SE.getMulExpr(Step, By.Space.lastOfLoop(Loop))));
  return SE.getSMaxExpr(Greatest, SE.getZero(I64));
}

/// A form of \p S, which the guard tests.
std::optional<AffineForm> Distribution::formOf(const SCEV *S) {
  std::optional<AffineForm> Form = affineForm(S, In, In.Chain);
  if (Form)
    for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
      Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return Form;
}

/// How often a loop beside the chain goes on.
std::optional<Distribution::OwnCount> Distribution::countOf(const Loop &L) {
  auto MaybeCount = tripCount(L, In);
  if (std::holds_alternative<Refusal>(MaybeCount))
    return std::nullopt;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  if (Count.ValidIf)
    Tests.MustHold.push_back(*Count.ValidIf);
  SetVector<LoadInst *> Bounds;
  In.collectLoads(Count.Backedges, Bounds);
  for (LoadInst *Load : Bounds)
    if (!collect(Load, *L.getLoopLatch()->getTerminator()))
      return std::nullopt;
  if (SE.getTypeSizeInBits(Count.Backedges->getType()) > 64)
    return std::nullopt;
  if (In.isInvariant(Count.Backedges))
    return OwnCount{std::nullopt, SE.getNoopOrZeroExtend(Count.Backedges, I64)};
  std::optional<AffineForm> Form = formOf(SE.getNoopOrSignExtend(
      By.Space.whereRun(Count.Backedges, *L.getHeader()->begin(), In, Tests),
      I64));
  if (!Form)
    return std::nullopt;
  return OwnCount{Form, greatest(*Form)};
}

/// By how much one side of the comparison in front of \p BB is greater than the
/// other where control comes to it, which is one at least; null if it is not
/// known. Where the two are only known to differ, \p IsGreaterFirst says which.
const SCEV *Distribution::excessBefore(const BasicBlock &BB,
                                       bool IsGreaterFirst) {
  const BasicBlock *Pred = BB.getSinglePredecessor();
  auto *Br = Pred ? dyn_cast<BranchInst>(Pred->getTerminator()) : nullptr;
  auto *Compare = Br && Br->isConditional()
                      ? dyn_cast<ICmpInst>(Br->getCondition())
                      : nullptr;
  if (!Compare || Br->getSuccessor(0) == Br->getSuccessor(1) ||
      !Compare->getOperand(0)->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(Compare->getOperand(0)->getType()) > 64)
    return nullptr;
  CmpInst::Predicate Predicate = Br->getSuccessor(0) == &BB
                                     ? Compare->getPredicate()
                                     : Compare->getInversePredicate();
  bool Differ = Predicate == ICmpInst::ICMP_NE;
  Value *Less = Compare->getOperand(0), *More = Compare->getOperand(1);
  if (ICmpInst::isGT(Predicate) || ICmpInst::isGE(Predicate) ||
      (Differ && IsGreaterFirst)) {
    std::swap(Less, More);
    Predicate = CmpInst::getSwappedPredicate(Predicate);
  }
  if (Predicate == ICmpInst::ICMP_EQ)
    return nullptr;
  bool Signed = ICmpInst::isSigned(Predicate) || Compare->hasSameSign();
  auto Wide = [&](Value *V) {
    const SCEV *S = In.resolve(SE.getSCEV(V));
    return Signed ? SE.getNoopOrSignExtend(S, I64)
                  : SE.getNoopOrZeroExtend(S, I64);
  };
  const SCEV *Excess = SE.getMinusSCEV(Wide(More), Wide(Less));
  if (ICmpInst::isLE(Predicate))
    Excess = SE.getAddExpr(Excess, SE.getOne(I64));
  // The difference must not wrap; if the two only differ, not even be negative.
  auto MustFit = [&](const SCEV *S, bool AsSigned) {
    std::optional<AffineForm> Form = formOf(S);
    if (Form)
      Tests.WrapChecks.push_back(
          By.Space.wrapCheck({Form->Base, Form->Step, /*Bits=*/63, AsSigned}));
    return Form.has_value();
  };
  return MustFit(Wide(Less), Signed) && MustFit(Wide(More), Signed) &&
                 (!Differ || MustFit(Excess, /*AsSigned=*/false))
             ? Excess
             : nullptr;
}

/// Lower bits of what is divided by a power of two, as the count of elements is of
/// bytes, without the division: {248,+,-4} / 4 is {62,+,-1}. Less than zero, only
/// the upper bits differ.
static const SCEV *dividedExactly(const SCEV *S, ScalarEvolution &SE) {
  auto *Lower = dyn_cast<SCEVTruncateExpr>(S);
  auto *Div = Lower ? dyn_cast<SCEVUDivExpr>(Lower->getOperand()) : nullptr;
  auto *By = Div ? dyn_cast<SCEVConstant>(Div->getRHS()) : nullptr;
  auto *Rec = Div ? dyn_cast<SCEVAddRecExpr>(Div->getLHS()) : nullptr;
  if (!By || !Rec || !Rec->isAffine() || !By->getAPInt().isPowerOf2() ||
      SE.getTypeSizeInBits(S->getType()) + By->getAPInt().logBase2() >
          SE.getTypeSizeInBits(Rec->getType()))
    return S;
  auto Divided = [&](const SCEV *Part) -> const SCEV * {
    auto *Known = dyn_cast<SCEVConstant>(Part);
    if (!Known || Known->getAPInt().countr_zero() < By->getAPInt().logBase2())
      return nullptr;
    return SE.getConstant(Known->getAPInt().sdiv(By->getAPInt()));
  };
  const SCEV *Start = Divided(Rec->getStart()),
             *Step = Divided(Rec->getStepRecurrence(SE));
  if (!Start || !Step)
    return S;
  return SE.getTruncateExpr(
      SE.getAddRecExpr(Start, Step, Rec->getLoop(), SCEV::FlagAnyWrap),
      S->getType());
}

/// \p Length, as far as control comes to \p BB: a narrow count, widened as a
/// number without a sign, is less by one than the test in front says.
const SCEV *Distribution::whereTested(const SCEV *Length,
                                      const BasicBlock &BB) {
  const SCEVZeroExtendExpr *Count = nullptr;
  SCEVExprContains(Length, [&](const SCEV *Part) {
    auto *Cast = dyn_cast<SCEVZeroExtendExpr>(Part);
    if (Cast && !In.isInvariant(Cast))
      Count = Cast;
    return Count != nullptr;
  });
  if (!Count || Count->getType() != I64)
    return Length;
  const SCEV *Narrow = dividedExactly(Count->getOperand(), SE);
  const SCEV *Exact =
      SE.getAddExpr(SE.getSignExtendExpr(Narrow, I64), SE.getOne(I64));
  const SCEV *Zero = SE.getZero(I64);
  auto IsSame = [&](const SCEV *X, const SCEV *Y) {
    return (X ? X : Zero) == (Y ? Y : Zero);
  };
  for (bool IsGreaterFirst : {false, true}) {
    Conditions Before = Tests;
    const SCEV *Excess = excessBefore(BB, IsGreaterFirst);
    auto Counted = Excess ? formOf(Exact) : std::nullopt;
    auto Tested = Counted ? formOf(Excess) : std::nullopt;
    if (Tested &&
        all_of(zip_equal(Counted->Step, Tested->Step),
               [&](auto Of) { return std::apply(IsSame, Of); }) &&
        require(ICmpInst::ICMP_EQ, Counted->Base, Tested->Base))
      return NodeReplacer(SE, Count, SE.getMinusSCEV(Excess, SE.getOne(I64)))
          .visit(Length);
    Tests = std::move(Before);
  }
  return Length;
}

/// The last byte that \p MemSet sets.
std::optional<Distribution::OwnCount>
Distribution::lastByte(const MemSetInst &MemSet) {
  const SCEV *Length = In.resolve(SE.getSCEV(MemSet.getLength()));
  if (Length->getType() != I64)
    return std::nullopt;
  const SCEV *One = SE.getOne(I64);
  if (In.isInvariant(Length))
    return OwnCount{std::nullopt,
                    SE.getMinusSCEV(SE.getUMaxExpr(Length, One), One)};
  Length = By.Space.whereRun(Length, MemSet, In, Tests);
  std::optional<AffineForm> Form =
      formOf(SE.getMinusSCEV(whereTested(Length, *MemSet.getParent()), One));
  if (!Form)
    return std::nullopt;
  return OwnCount{Form, greatest(*Form)};
}

/// One or zero, or null if that is not easily computed.
const SCEV *Distribution::isEntered(const LoopNest::EntryCondition &Entry) {
  if (auto *A = std::get_if<Assumption>(&Entry.Condition)) {
    const SCEV *Holds = SE.getSCEV(A->Condition);
    return SE.getZeroExtendExpr(A->Value ? Holds : SE.getNotSCEV(Holds), I64);
  }
  if (std::holds_alternative<std::monostate>(Entry.Condition))
    return nullptr;
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

/// The step of an operand in \p Loop that is as long as \p Step, however casts are
/// written; null if there is none.
const SCEV *Distribution::stepOfOperand(unsigned Loop, const SCEV *Step) {
  for (unsigned Operand = Source.ToScratch ? 1 : 0, End = Of.accesses().size();
       Operand < End; ++Operand) {
    const SCEV *Other = By.formOverLoops(Operand).Step[Loop];
    if (Other == Step)
      return Other;
    if (!Other)
      continue;
    SmallVector<WrapCheck, 4> Checks;
    if (withoutCasts(Other, SE, Checks) != withoutCasts(Step, SE, Checks))
      continue;
    Tests.WrapChecks.append(Checks);
    return Other;
  }
  return nullptr;
}

/// See the top of this file. \p Count is that of the loop \p Own.
void Distribution::alignEnds(Touch &T, unsigned Own, const OwnCount &Count) {
  const SCEV *Step = T.Form->Step[Own];
  if (!Count.Form || !Step)
    return;
  AffineForm Longest = *Count.Form;
  for (auto [Loop, Slope] : enumerate(Count.Form->Step)) {
    auto *Shorter = dyn_cast_or_null<SCEVConstant>(Slope);
    if (!Shorter || !Shorter->getAPInt().isNegative() || !T.Form->Step[Loop])
      continue;
    const SCEV *Moved =
        SE.getAddExpr(T.Form->Step[Loop], SE.getMulExpr(Step, Slope));
    const SCEV *OfOperand = stepOfOperand(Loop, Moved);
    if (!OfOperand)
      continue;
    T.Form->Step[Loop] = OfOperand;
    Longest.Step[Loop] = nullptr;
    T.Last[Own] = greatest(Longest);
  }
}

/// \p I, of elements of \p Ty at \p Pointer, and all but where that is.
std::optional<Distribution::Touch> Distribution::touch(Instruction &I, Type *Ty,
                                                       Value *Pointer) {
  if (Pointer->getType()->getPointerAddressSpace() != 0)
    return std::nullopt;
  Touch T;
  T.I = &I;
  T.Ty = Ty;
  T.Writes = !isa<LoadInst>(I);
  T.Pointer = Pointer;
  // It may start where another loop has ended.
  const SCEV *Address = In.atScope(In.resolve(SE.getSCEV(Pointer)),
                                   In.Analyses->LI.getLoopFor(I.getParent()));
  T.Form = affineForm(Address, In, loopsAround(I));
  return T.Form && !T.Form->Row ? std::optional(T) : std::nullopt;
}

/// Each of \p Own belongs to a loop of \p T beside the chain.
void Distribution::complete(Touch &T, ArrayRef<OwnCount> Own) {
  unsigned NumOfChain = In.Chain.size();
  for (unsigned Position = 0; Position < NumOfChain; ++Position)
    T.Last.push_back(By.Space.lastOfLoop(Position));
  for (const OwnCount &Count : Own)
    T.Last.push_back(Count.Greatest);
  LoopChain Loops = loopsAround(*T.I);
  for (const LoopNest::EntryCondition &Entry : In.Entries)
    if (const SCEV *Once =
            Entry.Entered->contains(T.I) ? isEntered(Entry) : nullptr) {
      T.Entered.push_back(Once);
      // What is computed for a loop that is not entered may be anything.
      for (unsigned Loop = NumOfChain; Loop < Loops.size(); ++Loop)
        if (Entry.Entered->contains(Loops[Loop]))
          T.Last[Loop] = SE.getMulExpr(T.Last[Loop], Once);
    }
  auto SpanOf = [](ArrayRef<const SCEV *> Steps, ArrayRef<const SCEV *> Last) {
    SmallVector<Sweep, 3> Span;
    for (auto [Step, L] : zip(Steps, Last))
      if (Step)
        Span.push_back({Step, L});
    return Span;
  };
  for (const AffineForm::NarrowSum &Sum : T.Form->MustNotWrap)
    Tests.WrapChecks.push_back(
        {Sum.Start, SpanOf(Sum.Step, T.Last), Sum.Bits, Sum.Signed});
  for (auto [Position, Count] : enumerate(Own))
    alignEnds(T, NumOfChain + Position, Count);
  // Where one loop bounds another, axes fit more closely than counters.
  AffineForm Form = *T.Form;
  SmallVector<const SCEV *, 4> Last = T.Last;
  if (By.Space.toAxes(Form))
    copy(By.Space.Last, Last.begin());
  else
    Form = *T.Form;
  T.Region = {Form.Base, SpanOf(Form.Step, Last),
              T.I->getDataLayout().getTypeStoreSize(T.Ty)};
  Touches.push_back(std::move(T));
}

/// How often the loops beside the chain around \p I go on.
std::optional<SmallVector<Distribution::OwnCount, 2>>
Distribution::ownCounts(const Instruction &I) {
  SmallVector<OwnCount, 2> Counts;
  const LoopChain Loops = loopsAround(I);
  for (Loop *L : drop_begin(Loops, In.Chain.size())) {
    std::optional<OwnCount> Count = countOf(*L);
    if (!Count)
      return std::nullopt;
    Counts.push_back(*Count);
  }
  return Counts;
}

bool Distribution::addAccess(Instruction &I) {
  std::optional<Touch> T =
      touch(I, getLoadStoreType(&I),
            const_cast<Value *>(getLoadStorePointerOperand(&I)));
  auto Own = T ? ownCounts(I) : std::nullopt;
  if (Own)
    complete(*T, *Own);
  return Own.has_value();
}

/// As if it were a loop over bytes.
bool Distribution::addMemSet(MemSetInst &MemSet) {
  if (isInSum(MemSet) || !collect(MemSet.getValue(), MemSet) ||
      !collect(MemSet.getLength(), MemSet))
    return false;
  std::optional<Touch> T =
      touch(MemSet, Type::getInt8Ty(SE.getContext()), MemSet.getRawDest());
  auto Own = T ? ownCounts(MemSet) : std::nullopt;
  std::optional<OwnCount> Bytes = Own ? lastByte(MemSet) : std::nullopt;
  if (!Bytes)
    return false;
  T->Form->Step.push_back(SE.getOne(I64));
  Own->push_back(*Bytes);
  complete(*T, *Own);
  return true;
}

} // namespace tilesmith
