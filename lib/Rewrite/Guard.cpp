//===- Guard.cpp - may the fast path be taken? ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what is not known at compile time is tested; IRBuilder and
// ScalarEvolution fold the rest. Extents are limited to 2^31 and strides to
// 2^30 bytes, so that the safety tests cannot overflow in 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "tilesmith/Idiom/StepTests.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

GuardBuilder::GuardBuilder(const Nest &View, const Plan &ThePlan,
                           ScalarEvolution &SE, Instruction *At)
    : Op(View.Op), Tests(View.Tests), Source(View.Source), ThePlan(ThePlan),
      SE(SE), At(At), Expander(SE, "tilesmith"),
      B(At->getContext(), InstSimplifyFolder(At->getDataLayout())),
      I64(B.getInt64Ty()) {
  B.SetInsertPoint(At);
}

namespace {

/// Makes divisors that may be zero one instead, which the contraction rules
/// out.
class DivisorRewriter : public SCEVRewriteVisitor<DivisorRewriter> {
public:
  /// \p Freeze: a divisor, computed once and not poison.
  DivisorRewriter(ScalarEvolution &SE,
                  function_ref<const SCEV *(const SCEV *)> Freeze)
      : SCEVRewriteVisitor(SE), Freeze(Freeze) {}

  const SCEV *visitUDivExpr(const SCEVUDivExpr *Div) {
    const SCEV *By = visit(Div->getRHS());
    if (!SE.isKnownNonZero(By))
      By = SE.getUMaxExpr(Freeze(By), SE.getOne(By->getType()));
    return SE.getUDivExpr(visit(Div->getLHS()), By);
  }

private:
  function_ref<const SCEV *(const SCEV *)> Freeze;
};

} // namespace

bool canBuildGuard(const Nest &View, ScalarEvolution &SE) {
  SCEVExpander Expander(SE, "tilesmith");
  // Divisions are the one thing that SCEV holds and that cannot be hoisted
  // freely.
  auto Same = [](const SCEV *S) { return S; };
  bool IsSafe = true;
  View.visitSCEVs([&](const SCEV *S) {
    IsSafe =
        IsSafe && Expander.isSafeToExpand(DivisorRewriter(SE, Same).visit(S));
  });
  return IsSafe;
}

bool mayBeLargeEnough(const Nest &View, const Plan &ThePlan,
                      ScalarEvolution &SE) {
  const Contraction &Op = View.Op;
  auto MostOf = [&](const SCEV *BackedgeCount) {
    const SCEV *Last = SE.applyLoopGuards(BackedgeCount, View.Source.Root);
    return SaturatingAdd(SE.getUnsignedRangeMax(Last).getLimitedValue(),
                         uint64_t(1));
  };
  PerDim<uint64_t> Most;
  for (Dim D : {M, N, K}) {
    Most[D] = MostOf(Op.BackedgeCount[D]);
    if (Most[D] < ThePlan.MinExtent[D])
      return false;
  }
  uint64_t Elements = SaturatingMultiply(Most[M], Most[N]);
  uint64_t Work = SaturatingMultiply(Elements, Most[K]);
  for (auto [I, D] : enumerate(Op.Outer))
    if (ThePlan.countsAsWork(Op, I))
      Work = SaturatingMultiply(Work, MostOf(D.BackedgeCount));
  return Elements >= ThePlan.MinElements && Work >= ThePlan.MinWork;
}

Value *GuardBuilder::valueOf(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Source.Root->contains(I))
    return V;
  if (Value *Done = InFront.lookup(V))
    return Done;
  if (Value *Load = Tests.Reloads.lookup(V))
    return valueOf(Load);
  Instruction *Clone = I->clone();
  for (Use &U : Clone->operands())
    U.set(valueOf(U.get()));
  Clone->dropUBImplyingAttrsAndMetadata();
  B.Insert(Clone, I->getName());
  return InFront[V] = Clone;
}

/// \p S with what is computed inside the nest replaced by its value in front.
const SCEV *GuardBuilder::inFront(const SCEV *S) {
  ValueToSCEVMapTy Map;
  SCEVExprContains(S, [&](const SCEV *Part) {
    if (auto *Unknown = dyn_cast<SCEVUnknown>(Part))
      if (Value *V = valueOf(Unknown->getValue()); V != Unknown->getValue())
        Map[Unknown->getValue()] = SE.getUnknown(V);
    return false;
  });
  return Map.empty() ? S : SCEVParameterRewriter::rewrite(S, SE, Map);
}

Value *GuardBuilder::expand(const SCEV *S, Type *Ty) {
  auto Freeze = [&](const SCEV *Divisor) {
    return SE.getUnknown(B.CreateFreeze(
        Expander.expandCodeFor(Divisor, Divisor->getType(), At)));
  };
  Value *&V = Expanded[S];
  if (!V)
    V = Expander.expandCodeFor(DivisorRewriter(SE, Freeze).visit(inFront(S)),
                               S->getType(), At);
  return Ty ? B.CreateZExtOrTrunc(V, Ty) : V;
}

Value *GuardBuilder::skippedBytes(const Access &X) {
  Value *Skipped = B.getInt64(0);
  for (Dim D : {M, N}) {
    Value *First = first(D);
    Skipped = B.CreateAdd(Skipped, B.CreateMul(First, stride(X, D)));
  }
  return Skipped;
}
Value *GuardBuilder::base(const Access &X) {
  Value *Base = expand(X.Base);
  return B.CreatePtrAdd(Base, skippedBytes(X));
}
Value *GuardBuilder::stride(const Access &X, Dim D) {
  return B.CreateSExtOrTrunc(expand(X.Stride[D]), I64);
}
Value *GuardBuilder::outerStride(const Access &X, unsigned I) {
  return B.CreateSExtOrTrunc(expand(X.OuterStride[I]), I64);
}
Value *GuardBuilder::outerExtent(unsigned I) {
  return countTo(Op.Outer[I].BackedgeCount);
}
std::array<Value *, 4> GuardBuilder::rows(const RowTable &Rows) {
  auto Bytes = [&](const SCEV *S) {
    return B.CreateSExtOrTrunc(expand(S), I64);
  };
  Value *Distance = Bytes(Rows.Distance), *Step = Bytes(Rows.Step);
  Value *Entry = expand(Rows.Entry);
  Entry = B.CreatePtrAdd(Entry, B.CreateMul(first(Rows.PointerDim), Distance));
  Value *Offset = Bytes(Rows.Offset);
  Offset = B.CreateAdd(Offset, B.CreateMul(first(Rows.ElementDim), Step));
  return {Entry, Distance, Offset, Step};
}
Value *GuardBuilder::countTo(const SCEV *Last) {
  return B.CreateAdd(expand(Last, I64), B.getInt64(1));
}
Value *GuardBuilder::number(const SCEV *S) {
  return B.CreateSExtOrTrunc(expand(S), I64);
}
Value *GuardBuilder::valueAfter(const ValueAfter &R) { return expand(R.After); }

/// The first place on the diagonal, along rows or columns of C, of the domain.
Value *GuardBuilder::firstPlace(Dim D) {
  bool IsCut = Op.Domain && Op.Domain->isOfC();
  Dim Cut = IsCut && Op.Domain->isLower() ? M : N;
  if (!IsCut || D != Cut)
    return B.getInt64(0);
  Value *Offset = offsetOfDomain();
  return B.CreateBinaryIntrinsic(Intrinsic::smax, B.getInt64(0),
                                 Cut == M ? B.CreateNeg(Offset) : Offset);
}

/// So many rows (or columns) as \p Places are on the diagonal.
Value *GuardBuilder::ofPlaces(Value *Places, Dim D) {
  bool AreParts = Op.Domain && Op.Domain->elementsPerPlace(D) == 2;
  return AreParts ? B.CreateShl(Places, 1) : Places;
}

/// The index of the first row or column of C in the domain.
Value *GuardBuilder::first(Dim D) { return ofPlaces(firstPlace(D), D); }

Value *GuardBuilder::extent(Dim D) {
  Value *End = count(D);
  if (Op.Domain && Op.Domain->isOfC() && D != K &&
      (D == N) == Op.Domain->isLower()) {
    Dim Across = mirrored(D);
    Value *Other = count(Across), *Offset = offsetOfDomain();
    if (Op.Domain->elementsPerPlace(Across) == 2)
      Other = B.CreateLShr(Other, 1);
    Value *Places =
        D == N ? B.CreateAdd(Other, Offset) : B.CreateSub(Other, Offset);
    End = B.CreateBinaryIntrinsic(Intrinsic::smin, End, ofPlaces(Places, D));
  }
  return B.CreateSub(End, first(D));
}

Value *GuardBuilder::diagonal() {
  Value *Offset = offsetOfDomain();
  Value *Diagonal = B.CreateAdd(Offset, firstPlace(M));
  return B.CreateSub(Diagonal, firstPlace(N));
}

/// n - m <= the offset (Lower), or n - m >= the offset.
Value *GuardBuilder::offsetOfDomain() {
  Value *Offset = B.CreateSExtOrTrunc(expand(Op.Domain->Offset), I64);
  return Op.Domain->isOffset() ? Offset : B.CreateNeg(Offset);
}

Value *GuardBuilder::count(Dim D) {
  return B.CreateAdd(expand(Op.BackedgeCount[D], I64), B.getInt64(1));
}

/// Each condition is frozen by itself: one that fails must not be undone by
/// another that is poison because the source would not have reached it.
void GuardBuilder::require(Value *Condition) {
  if (!isGuaranteedNotToBeUndefOrPoison(Condition))
    Condition = B.CreateFreeze(Condition);
  Result = Result ? B.CreateAnd(Result, Condition) : Condition;
}

void GuardBuilder::requireAssumption(Value *Condition) {
  Value *Others = std::exchange(Result, nullptr);
  require(Condition);
  Assumptions = Assumptions ? B.CreateAnd(Assumptions, Result) : Result;
  if (Others)
    Result = B.CreateAnd(Others, Result);
}

/// The number of steps is worth it; it is computed modulo 2^64.
void GuardBuilder::requireWork() {
  Value *Work = count(M);
  for (Dim D : {N, K})
    Work = B.CreateMul(Work, count(D));
  for (unsigned I = 0; I < Op.Outer.size(); ++I)
    if (ThePlan.countsAsWork(Op, I))
      Work = B.CreateMul(Work, outerExtent(I));
  require(B.CreateICmpUGE(Work, B.getInt64(ThePlan.MinWork)));
}

void GuardBuilder::requireExtents() {
  if (ThePlan.MinElements > 1) {
    Value *Rows = count(M);
    require(B.CreateICmpUGE(B.CreateMul(Rows, count(N)),
                            B.getInt64(ThePlan.MinElements)));
  }
  for (Dim D : {M, N, K})
    if (ThePlan.MinExtent[D] > 1)
      require(B.CreateICmpUGE(count(D), B.getInt64(ThePlan.MinExtent[D])));
  if (ThePlan.MinLanes > 1)
    require(B.CreateICmpUGE(outerExtent(*ThePlan.LaneIndex),
                            B.getInt64(ThePlan.MinLanes)));
  if (ThePlan.MinApart > 1) {
    const Access &Image = Op.Terms.front().A;
    uint64_t Size = At->getDataLayout().getTypeStoreSize(Image.ElemTy);
    Value *IsUnit = B.CreateICmpEQ(stride(Image, M), B.getInt64(Size));
    require(B.CreateOr(
        IsUnit, B.CreateICmpUGE(count(M), B.getInt64(ThePlan.MinApart))));
  }
  if (ThePlan.Adjacent.Sixteenths)
    requireFilledRegisters();
}

/// Rows fill their registers well enough, and there are enough of them.
void GuardBuilder::requireFilledRegisters() {
  const Access &Image = Op.Terms.front().A;
  uint64_t Size = At->getDataLayout().getTypeStoreSize(Image.ElemTy);
  Value *IsUnit = B.CreateICmpEQ(stride(Image, M), B.getInt64(Size));
  Value *Columns = count(M), *Rows = outerExtent(*ThePlan.Bundled[M]);
  Value *Held = B.getInt64(ThePlan.VL);
  Value *Places = B.CreateMul(
      B.CreateUDiv(B.CreateAdd(Columns, B.getInt64(ThePlan.VL - 1)), Held),
      Held);
  auto IsEnough = [&](const Plan::Filling &Of) {
    Value *Least = B.CreateMul(B.CreateMul(Places, B.getInt64(Of.Sixteenths)),
                               B.CreateAdd(Rows, B.getInt64(Of.Extra)));
    return B.CreateICmpUGE(
        B.CreateMul(B.CreateMul(Columns, Rows), B.getInt64(16)), Least);
  };
  Value *IsFilled = IsEnough(ThePlan.Adjacent);
  require(B.CreateSelect(IsUnit, IsFilled, IsEnough(ThePlan.Apart)));
}

void GuardBuilder::requireModerateStride(Value *Stride) {
  constexpr uint64_t MaxStride = uint64_t(1) << 30;
  require(B.CreateICmpULT(B.CreateAdd(Stride, B.getInt64(MaxStride)),
                          B.getInt64(2 * MaxStride)));
}

void GuardBuilder::requireModerateCount(Value *Last) {
  constexpr uint64_t MaxCount = uint64_t(1) << 31;
  Type *Ty = Last->getType();
  if (Ty->getIntegerBitWidth() > 31)
    require(B.CreateICmpULT(Last, ConstantInt::get(Ty, MaxCount - 1)));
}

void GuardBuilder::requireModerateCounts() {
  for (Dim D : {M, N, K}) {
    Value *Last = expand(Op.BackedgeCount[D]);
    if (Last->getType()->getIntegerBitWidth() > 64) {
      requireModerateCount(Last);
      continue;
    }
    // The count itself is what the kernel takes anyway.
    require(B.CreateIsNotNull(count(D)));
    require(B.CreateICmpULT(count(D), B.getInt64(uint64_t(1) << 31)));
  }
  for (const Index &D : Op.Outer)
    requireModerateCount(expand(D.BackedgeCount));
}

void GuardBuilder::requireModerateStrides() {
  for (const Access *X : Op.allAccesses()) {
    for (auto [Stride, Extent] : reach(*X))
      requireModerateStride(Stride);
    if (X->Rows) {
      auto [Entry, Distance, Offset, Step] = rows(*X->Rows);
      requireModerateStride(Distance);
      requireModerateStride(Step);
    }
  }
}

/// \p Start and, of each of \p Spans, which begin at zero, the end that \p Taken takes.
Value *GuardBuilder::addEnds(Value *Start, ArrayRef<Value *> Spans,
                             Intrinsic::ID Taken) {
  Value *Zero = ConstantInt::get(Start->getType(), 0);
  for (Value *Span : Spans)
    Start = B.CreateAdd(Start, B.CreateBinaryIntrinsic(Taken, Span, Zero));
  return Start;
}

/// The least that the sum of \p Check can be where its places are not negative: the
/// least of the rest that remains without them. Of a place with large numbers nothing
/// is known; counts are moderate (requireModerateCounts()).
Value *GuardBuilder::leastInside(const WrapCheck &Check) {
  Type *I64 = B.getInt64Ty(), *I128 = B.getInt128Ty();
  auto Wide = [&](Value *V) { return B.CreateSExt(V, I128); };
  Value *Least = Wide(expand(Check.Start));
  SmallVector<Value *, 4> Steps;
  for (const Sweep &T : Check.Terms)
    Steps.push_back(Wide(expand(T.Step)));
  for (const WrapCheck::Place &Place : Check.Places) {
    Value *Times = expand(Place.Times);
    Value *IsKnown = B.CreateIsNotNeg(Times);
    auto Small = [&](Value *V) {
      Value *Low = B.CreateSExt(B.CreateTrunc(V, B.getInt32Ty()), I64);
      IsKnown = B.CreateAnd(IsKnown, B.CreateICmpEQ(Low, V));
      return V;
    };
    Small(Times);
    Value *Start = Small(expand(Place.Start));
    SmallVector<Value *, 4> PlaceSteps;
    for (const SCEV *Step : Place.Steps)
      PlaceSteps.push_back(Small(expand(Step)));
    Times = B.CreateSelect(IsKnown, Times, ConstantInt::get(I64, 0));
    Least = B.CreateSub(Least, Wide(B.CreateMul(Times, Start)));
    for (auto [Step, OfPlace] : zip_equal(Steps, PlaceSteps))
      Step = B.CreateSub(Step, Wide(B.CreateMul(Times, OfPlace)));
  }
  SmallVector<Value *, 4> Spans;
  for (auto [T, Step] : zip_equal(Check.Terms, Steps))
    Spans.push_back(B.CreateMul(Step, B.CreateZExt(expand(T.Last), I128)));
  return addEnds(Least, Spans, Intrinsic::smin);
}

/// Start + sum(Step * counter) stays in its narrow type, at the ends of the
/// counters' ranges and hence everywhere.
void GuardBuilder::requireNoWrap(const WrapCheck &Check) {
  Type *I128 = B.getInt128Ty();
  auto Wide = [&](const SCEV *S) { return B.CreateSExt(expand(S), I128); };
  auto RequireMultiple = [&](const SCEV *S) {
    if (Check.Factor > 1)
      require(B.CreateIsNull(B.CreateAnd(
          expand(S), ConstantInt::get(S->getType(), Check.Factor - 1))));
  };
  Value *Start = Wide(Check.Start);
  RequireMultiple(Check.Start);
  SmallVector<Value *, 4> Spans;
  for (const Sweep &T : Check.Terms) {
    RequireMultiple(T.Step);
    Value *Last = B.CreateZExt(expand(T.Last), I128);
    Spans.push_back(B.CreateMul(Wide(T.Step), Last));
  }
  Value *Low = addEnds(Start, Spans, Intrinsic::smin),
        *High = addEnds(Start, Spans, Intrinsic::smax);
  if (!Check.Places.empty())
    Low = B.CreateBinaryIntrinsic(Intrinsic::smax, Low, leastInside(Check));
  APInt Min = Check.Signed ? APInt::getSignedMinValue(Check.Bits).sext(128)
                           : APInt::getZero(128);
  APInt Max = Check.Signed ? APInt::getSignedMaxValue(Check.Bits).sext(128)
                           : APInt::getMaxValue(Check.Bits).zext(128);
  require(B.CreateICmpSGE(Low, ConstantInt::get(I128, Min)));
  require(B.CreateICmpSLE(High, ConstantInt::get(I128, Max)));
}

Value *GuardBuilder::takeResult() { return std::exchange(Result, nullptr); }

void GuardBuilder::moveTo(Instruction *NewAt) {
  At = NewAt;
  B.SetInsertPoint(At);
  // It remembers values by the address of the instruction they were expanded
  // at, which may be one of those erased since.
  Expander.clear();
}

Value *GuardBuilder::emitSizeTest() {
  Assumptions = nullptr;
  auto IsForItself = [&] { return Result && !isa<Constant>(Result); };
  // The work alone sends back the smallest nests, unless it is loaded behind
  // an assumption.
  if (!Tests.LoadsNeedAssumptions && !std::exchange(IsWorkTested, true))
    requireWork();
  if (IsForItself())
    return takeResult();
  for (; Assumed < Tests.Assumptions.size(); ++Assumed) {
    const Assumption &A = Tests.Assumptions[Assumed];
    if (A.NeedsOthers && Result)
      return takeResult();
    if (const auto &R = A.Entered) {
      Value *X = expand(R->X);
      requireAssumption(B.CreateICmp(R->Predicate, X, expand(R->Y)));
      continue;
    }
    Value *Condition = valueOf(A.Condition);
    requireAssumption(A.Value ? Condition : B.CreateNot(Condition));
  }
  if (Tests.LoadsNeedAssumptions && Result)
    return takeResult();
  if (!std::exchange(IsWorkTested, true))
    requireWork();
  if (!std::exchange(AreExtentsTested, true))
    requireExtents();
  return takeResult();
}

/// A matrix of sums, or a copy of C, can be allocated: its bytes are half of all
/// addresses at most.
void GuardBuilder::requireModerateSize(Value *Rows, Value *Columns) {
  const DataLayout &DL = At->getDataLayout();
  uint64_t Size = DL.getTypeStoreSize(Op.SumTy);
  uint64_t Most =
      std::min(uint64_t(1) << 40,
               (uint64_t(1) << (DL.getPointerSizeInBits() - 1)) / Size);
  Value *Elements = B.CreateMul(Rows, Columns);
  require(B.CreateICmpULT(Elements, B.getInt64(Most)));
}

/// A kernel reads a block of a triangular factor at the diagonal as a whole. The
/// elements on the other side are between others if the strides have one sign.
void GuardBuilder::requireDiagonalInside() {
  Dim P = Op.Domain->boundOfK();
  for (const Term &T : Op.Terms) {
    const Access &X = P == M ? T.A : T.B;
    Value *Signs = B.CreateXor(stride(X, P), stride(X, K));
    require(B.CreateICmpSGE(Signs, B.getInt64(0)));
  }
}

Value *GuardBuilder::emitSafetyTest(DomTreeUpdater &DTU, LoopInfo &LI) {
  if (Op.Domain)
    for (Dim D : {M, N})
      require(B.CreateICmpSGT(extent(D), B.getInt64(0)));
  if (Op.Domain && !Op.Domain->isOfC() && !ThePlan.isStreamed())
    requireDiagonalInside();
  requireModerateCounts();
  requireModerateStrides();
  requireDistinctElements();
  for (const WrapCheck &Check : Tests.WrapChecks)
    requireNoWrap(Check);
  for (const Requirement &R : Tests.MustHold) {
    Value *X = expand(R.X);
    require(B.CreateICmp(R.Predicate, X, expand(R.Y)));
  }

  // Where all steps are made, each weight is read.
  if (const Access *Image = Op.borderedFactor();
      Image && !Image->hasStepsBeyond())
    for (const Border &Of : Image->Borders)
      requireInside(Of, Image == &Op.Terms.front().A ? M : N);
  if (Source.ToScratch) {
    Value *Rows = extent(M);
    requireModerateSize(Rows, extent(N));
  }
  if (const Access *Factor = Op.savedFactor()) {
    Value *Rows = savedRows(*Factor->Saved);
    requireModerateSize(Rows, extent(mirrored(Op.Domain->boundOfK())));
  }
  for (const Term &T : Op.Terms) {
    if (T.MadeA)
      requireModerateSize(extent(M), extent(K));
    if (T.MadeB)
      requireModerateSize(extent(N), extent(K));
  }
  // Where C is, unless it is a matrix of our own, or only the call finds out.
  std::optional<Range> RangeC;
  if (!Source.ToScratch && !Op.C.Rows)
    RangeC = rangeOf(Op.C);
  if (RangeC)
    for (const Access *X : Op.apartFromC())
      requireNoOverlapWithC(*X, *RangeC);
  for (const Conditions::Apart &Pair : Tests.MustBeApart)
    if (const Access &X = *Op.testedAccesses()[Pair.Operand]; !X.Rows)
      requireNoOverlap(rangeOf(Pair.Region), rangeOf(X));
  for (LoadInst *Load : Tests.InvariantLoads) {
    Value *Address = B.CreatePtrToInt(valueOf(Load->getPointerOperand()), I64);
    uint64_t Size = At->getDataLayout().getTypeStoreSize(Load->getType());
    Range Read{Address, B.CreateAdd(Address, B.getInt64(Size))};
    if (RangeC)
      requireNoOverlap(*RangeC, Read);
    for (const MemoryRegion &Written : Tests.RestWritten)
      requireNoOverlap(rangeOf(Written), Read);
  }
  requireOthersBetweenRows(DTU, LI);
  return takeResult();
}

Value *GuardBuilder::emitStepTest() {
  Value *Passes = B.getFalse();
  for (const StepTest &Test : stepTests(Op)) {
    const Access &X = *Test.Element;
    Value *Element = B.CreateAlignedLoad(X.ElemTy, base(X), X.Alignment);
    Passes = B.CreateOr(Passes, B.CreateCmp(Test.Passes, Element,
                                            Constant::getNullValue(X.ElemTy)));
  }
  require(Passes);
  return takeResult();
}

Value *GuardBuilder::emitLastTest() {
  return Result ? takeResult() : B.getTrue();
}

} // namespace tilesmith
