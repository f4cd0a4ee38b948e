//===- Guard.cpp - may the fast path be taken? ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what is not known at compile time is tested; IRBuilder and
// ScalarEvolution fold the rest. Extents are limited to 2^31 and strides to
// 2^30 bytes, so that the tests themselves cannot overflow in 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace tilesmith {

GuardBuilder::GuardBuilder(const Contraction &Op, const Plan &How,
                           ScalarEvolution &SE, Instruction *At)
    : Op(Op), How(How), SE(SE), At(At), Expander(SE, "tilesmith"),
      B(At->getContext(), InstSimplifyFolder(At->getDataLayout())),
      I64(B.getInt64Ty()) {
  B.SetInsertPoint(At);
}

bool canBuildGuard(const Contraction &Op, ScalarEvolution &SE) {
  SCEVExpander Expander(SE, "tilesmith");
  // Divisions are the one thing that SCEV holds and that cannot be hoisted
  // freely.
  auto Safe = [&](const SCEV *S) { return Expander.isSafeToExpand(S); };
  for (const Access *X : {&Op.C, &Op.A, &Op.B})
    if (!Safe(X->Base) || !all_of(X->Stride, Safe))
      return false;
  for (const WrapCheck &Check : Op.WrapChecks)
    if (!Safe(Check.Start) || !all_of(Check.Step, [&](const SCEV *Step) {
          return !Step || Safe(Step);
        }))
      return false;
  return all_of(Op.BackedgeCount, Safe) &&
         all_of(Op.MustHold,
                [&](const Requirement &R) { return Safe(R.X) && Safe(R.Y); });
}

Value *GuardBuilder::valueOf(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Op.Root->contains(I))
    return V;
  if (Value *Done = InFront.lookup(V))
    return Done;
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
  Value *&V = Expanded[S];
  if (!V)
    V = Expander.expandCodeFor(inFront(S), S->getType(), At);
  return Ty ? B.CreateZExtOrTrunc(V, Ty) : V;
}

Value *GuardBuilder::base(const Access &X) { return expand(X.Base); }
Value *GuardBuilder::stride(const Access &X, Dim D) {
  return B.CreateSExtOrTrunc(expand(X.Stride[D]), I64);
}
Value *GuardBuilder::extent(Dim D) {
  return B.CreateAdd(expand(Op.BackedgeCount[D], I64), B.getInt64(1));
}

/// Each condition is frozen by itself: one that fails must not be undone by
/// another that is poison because the source would not have reached it.
void GuardBuilder::require(Value *Condition) {
  if (!isGuaranteedNotToBeUndefOrPoison(Condition))
    Condition = B.CreateFreeze(Condition);
  Result = Result ? B.CreateAnd(Result, Condition) : Condition;
}

/// The extents are moderate, and the work is worth it.
void GuardBuilder::requireWork() {
  constexpr uint64_t MaxExtent = uint64_t(1) << 31;
  Value *Elements = B.getInt64(1), *Work = nullptr;
  for (Dim D : {M, N, K}) {
    Value *Count = expand(Op.BackedgeCount[D]);
    if (Count->getType()->getIntegerBitWidth() > 31)
      require(B.CreateICmpULT(
          Count, ConstantInt::get(Count->getType(), MaxExtent - 1)));
    if (How.MinExtent[D] > 1)
      require(B.CreateICmpUGE(extent(D), B.getInt64(How.MinExtent[D])));
    // The product of three extents, each cut off at 2^20, fits.
    Value *Cut = B.CreateBinaryIntrinsic(Intrinsic::umin, extent(D),
                                         B.getInt64(uint64_t(1) << 20));
    if (D == K)
      Work = B.CreateMul(Elements, Cut);
    else
      Elements = B.CreateMul(Elements, Cut);
  }
  require(B.CreateICmpUGE(Elements, B.getInt64(How.MinElements)));
  require(B.CreateICmpUGE(Work, B.getInt64(How.MinWork)));
}

void GuardBuilder::requireModerateStrides() {
  constexpr uint64_t MaxStride = uint64_t(1) << 30;
  for (const Access *X : {&Op.C, &Op.A, &Op.B})
    for (Dim D : {M, N, K})
      require(B.CreateICmpULT(B.CreateAdd(stride(*X, D), B.getInt64(MaxStride)),
                              B.getInt64(2 * MaxStride)));
}

GuardBuilder::Range GuardBuilder::rangeOf(const Access &X) {
  Value *Start = B.CreatePtrToInt(base(X), I64);
  Range R{Start, Start};
  for (Dim D : {M, N, K}) {
    Value *Span =
        B.CreateMul(stride(X, D), B.CreateSub(extent(D), B.getInt64(1)));
    Value *Zero = B.getInt64(0);
    R.Low = B.CreateAdd(R.Low,
                        B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero));
    R.High = B.CreateAdd(R.High,
                         B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero));
  }
  uint64_t Size = At->getDataLayout().getTypeStoreSize(X.ElemTy);
  R.High = B.CreateAdd(R.High, B.getInt64(Size));
  return R;
}

void GuardBuilder::requireNoOverlap(Range X, Range Y) {
  require(B.CreateOr(B.CreateICmpULE(X.High, Y.Low),
                     B.CreateICmpULE(Y.High, X.Low)));
}

/// Rows of C do not overlap each other, nor do columns.
void GuardBuilder::requireDistinctElements() {
  Value *Size = B.getInt64(At->getDataLayout().getTypeStoreSize(Op.C.ElemTy));
  auto Abs = [&](Dim D) {
    return B.CreateBinaryIntrinsic(Intrinsic::abs, stride(Op.C, D),
                                   B.getFalse());
  };
  auto Nested = [&](Dim Inner, Dim Outer) {
    Value *Span = B.CreateAdd(
        B.CreateMul(Abs(Inner), B.CreateSub(extent(Inner), B.getInt64(1))),
        Size);
    return B.CreateAnd(B.CreateICmpUGE(Abs(Inner), Size),
                       B.CreateICmpUGE(Abs(Outer), Span));
  };
  require(B.CreateOr(Nested(M, N), Nested(N, M)));
}

/// Start + sum(Step * counter) stays in its narrow type, at both ends of the
/// iteration space and hence everywhere.
void GuardBuilder::requireNoWrap(const WrapCheck &Check) {
  Type *I128 = B.getInt128Ty();
  auto Wide = [&](const SCEV *S) { return B.CreateSExt(expand(S), I128); };
  Value *Low = Wide(Check.Start), *High = Low;
  Value *Zero = ConstantInt::get(I128, 0);
  for (Dim D : {M, N, K}) {
    if (!Check.Step[D])
      continue;
    Value *Last = B.CreateSub(extent(D), B.getInt64(1));
    Value *Span = B.CreateMul(Wide(Check.Step[D]), B.CreateZExt(Last, I128));
    Low =
        B.CreateAdd(Low, B.CreateBinaryIntrinsic(Intrinsic::smin, Span, Zero));
    High =
        B.CreateAdd(High, B.CreateBinaryIntrinsic(Intrinsic::smax, Span, Zero));
  }
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
}

Value *GuardBuilder::emitSizeTest() {
  for (const Assumption &A : Op.Assumptions) {
    Value *Condition = valueOf(A.Condition);
    require(A.Value ? Condition : B.CreateNot(Condition));
  }
  requireWork();
  return takeResult();
}

Value *GuardBuilder::emitSafetyTest() {
  requireModerateStrides();
  requireDistinctElements();
  for (const WrapCheck &Check : Op.WrapChecks)
    requireNoWrap(Check);
  for (const Requirement &R : Op.MustHold)
    require(B.CreateICmp(R.Predicate, expand(R.X), expand(R.Y)));

  Range RangeC = rangeOf(Op.C);
  if (Op.CMayAliasA)
    requireNoOverlap(RangeC, rangeOf(Op.A));
  if (Op.CMayAliasB)
    requireNoOverlap(RangeC, rangeOf(Op.B));
  for (LoadInst *Load : Op.InvariantLoads) {
    Value *Address = B.CreatePtrToInt(valueOf(Load->getPointerOperand()), I64);
    uint64_t Size = At->getDataLayout().getTypeStoreSize(Load->getType());
    requireNoOverlap(RangeC, {Address, B.CreateAdd(Address, B.getInt64(Size))});
  }
  return takeResult();
}

} // namespace tilesmith
