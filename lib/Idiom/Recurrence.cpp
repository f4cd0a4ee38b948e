//===- Recurrence.cpp - does the nest depend on its own results? ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recurrence.h"
#include "Arithmetic.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

namespace {

/// Bytes, counted from the first element of C: [Low, High).
struct Range {
  const SCEV *Low, *High;
};

/// The range grows by \p Last steps.
void extend(Range &R, const SCEV *Step, const SCEV *Last, ScalarEvolution &SE) {
  Type *Ty = R.Low->getType();
  const SCEV *Span = SE.getMulExpr(SE.getTruncateOrSignExtend(Step, Ty),
                                   SE.getTruncateOrZeroExtend(Last, Ty));
  R.Low = SE.getAddExpr(R.Low, SE.getSMinExpr(Span, SE.getZero(Ty)));
  R.High = SE.getAddExpr(R.High, SE.getSMaxExpr(Span, SE.getZero(Ty)));
}

Range rangeOf(const Access &X, const SCEV *Start, const Contraction &Op,
              ScalarEvolution &SE) {
  Type *Ty = Start->getType();
  Range R{Start, Start};
  const DataLayout &DL = Op.getDataLayout();
  const SCEV *Size = SE.getConstant(Ty, DL.getTypeStoreSize(X.ElemTy));
  for (Dim D : {M, N, K}) {
    const SCEV *Step = X.Stride[D], *Last = Op.BackedgeCount[D];
    // The numbers, of which the second part is an element further.
    if (X.Parts && X.Parts->Along == D) {
      Step = SE.getAddExpr(Step, Step);
      Last = SE.getUDivExpr(Last, SE.getConstant(Last->getType(), 2));
      R.High = SE.getAddExpr(R.High, Size);
    }
    extend(R, Step, Last, SE);
  }
  for (auto [D, Stride] : zip_equal(Op.Outer, X.OuterStride))
    extend(R, Stride, D.BackedgeCount, SE);
  R.High = SE.getAddExpr(R.High, Size);
  return R;
}

bool mustOverlap(const Range &X, const Range &Y, ScalarEvolution &SE) {
  return SE.isKnownPredicate(ICmpInst::ICMP_SLT, X.Low, Y.High) &&
         SE.isKnownPredicate(ICmpInst::ICMP_SLT, Y.Low, X.High);
}

/// A stride and the index's last value.
using Reach = std::pair<const SCEV *, const SCEV *>;

/// Whether steps along two dimensions of C are as long, or the strides known
/// are such that what one moves through lies apart along neither of them.
bool mustCoincide(Reach X, Reach Y, uint64_t ElementSize, ScalarEvolution &SE) {
  bool SameLength =
      X.first == Y.first || X.first == SE.getNegativeSCEV(Y.first);
  if (SameLength && !X.second->isZero() && !Y.second->isZero())
    return true;
  const SCEV *Size = SE.getConstant(X.first->getType(), ElementSize);
  auto Abs = [&](Reach D) {
    return SE.getSMaxExpr(D.first, SE.getNegativeSCEV(D.first));
  };
  auto AreNever = [&](Reach Inner, Reach Outer) {
    Range Row{SE.getZero(Size->getType()), Size};
    extend(Row, Abs(Inner), Inner.second, SE);
    return SE.isKnownPredicate(ICmpInst::ICMP_SLT, Abs(Inner), Size) ||
           SE.isKnownPredicate(ICmpInst::ICMP_SLT, Abs(Outer), Row.High);
  };
  return AreNever(X, Y) && AreNever(Y, X);
}

/// The same for any two dimensions of C.
bool mustCoincide(const Contraction &Op, ScalarEvolution &SE) {
  // Both were looked at as elements of their own.
  if (Op.C.Parts)
    return false;
  SmallVector<Reach, 4> Dims;
  Dims.push_back({Op.C.Stride[M], Op.BackedgeCount[M]});
  if (!Op.isMatrixVector())
    Dims.push_back({Op.C.Stride[N], Op.BackedgeCount[N]});
  // A loop around the product is no gain if it may only run once.
  for (auto [D, Stride] : zip_equal(Op.Outer, Op.C.OuterStride))
    if (D.Bundle != K)
      Dims.push_back({Stride, SE.getOne(D.BackedgeCount->getType())});
  uint64_t Size = Op.getDataLayout().getTypeStoreSize(Op.C.ElemTy);
  for (auto [I, X] : enumerate(Dims))
    for (Reach Y : ArrayRef(Dims).take_front(I))
      if (mustCoincide(X, Y, Size, SE))
        return true;
  return false;
}

bool mustWrap(const WrapCheck &Check, ScalarEvolution &SE) {
  Type *Ty = Check.Start->getType();
  unsigned Width = SE.getTypeSizeInBits(Ty);
  if (Check.Bits >= Width)
    return false;
  Range Sum{Check.Start, Check.Start};
  for (const Sweep &T : Check.Terms)
    extend(Sum, T.Step, T.Last, SE);
  APInt Least = Check.Signed ? APInt::getSignedMinValue(Check.Bits).sext(Width)
                             : APInt::getZero(Width);
  APInt Most = Check.Signed ? APInt::getSignedMaxValue(Check.Bits).sext(Width)
                            : APInt::getMaxValue(Check.Bits).zext(Width);
  return (Check.Places.empty() &&
          SE.isKnownPredicate(ICmpInst::ICMP_SLT, Sum.Low,
                              SE.getConstant(Least))) ||
         SE.isKnownPredicate(ICmpInst::ICMP_SGT, Sum.High,
                             SE.getConstant(Most));
}

} // namespace

/// If \p X consists of rows P of \p C: of which step k is, less k. It may take
/// \p Checks to tell.
static std::optional<int64_t> shiftOf(const Access &C, const Access &X, Dim P,
                                      ScalarEvolution &SE,
                                      SmallVectorImpl<WrapCheck> &Checks) {
  Dim Q = P == M ? N : M;
  if (X.ElemTy != C.ElemTy || X.Rows || C.Rows ||
      SE.getPointerBase(X.Base) != SE.getPointerBase(C.Base))
    return std::nullopt;
  for (bool AsWritten : {true, false}) {
    auto Plain = [&](const SCEV *S) {
      return AsWritten ? S : withoutCasts(S, SE, Checks);
    };
    const SCEV *Row = Plain(C.Stride[P]);
    if (Plain(X.Stride[K]) != Row || Plain(X.Stride[Q]) != Plain(C.Stride[Q]))
      continue;
    const SCEV *Difference = Plain(SE.getMinusSCEV(X.Base, C.Base));
    for (int64_t Shift : {-1, 0, 1, 2})
      if (Difference == SE.getMulExpr(Row, SE.getConstant(Row->getType(), Shift,
                                                          /*isSigned=*/true)))
        return Shift;
  }
  return std::nullopt;
}

/// Whether \p X consists of rows of C, in place or not.
static bool hasRowsOfC(const Contraction &Op, const Access &X, Dim P,
                       ScalarEvolution &SE) {
  SmallVector<WrapCheck, 4> Checks;
  return shiftOf(Op.C, X, P, SE, Checks).has_value();
}

/// Whether \p X has the rows of C that the nest has made just before, or makes
/// next, for each value of \p D: h[t + 1] += W * h[t] in a recurrent layer.
static bool hasRowsBeside(const Contraction &Op, const Access &X, Dim D,
                          ScalarEvolution &SE) {
  if (Op.isMatrixVector() || X.ElemTy != Op.C.ElemTy || X.Rows || Op.C.Rows ||
      SE.getPointerBase(X.Base) != SE.getPointerBase(Op.C.Base))
    return false;
  SmallVector<WrapCheck, 4> Checks;
  for (bool AsWritten : {true, false}) {
    auto Plain = [&](const SCEV *S) {
      return AsWritten ? S : withoutCasts(S, SE, Checks);
    };
    const SCEV *Row = Plain(Op.C.Stride[D]);
    if (Plain(X.Stride[D]) != Row)
      continue;
    const SCEV *Difference = Plain(SE.getMinusSCEV(X.Base, Op.C.Base));
    if (Difference == Row || Difference == SE.getNegativeSCEV(Row))
      return true;
  }
  return false;
}

std::optional<RowsRead> rowsRead(const Contraction &Op, const Access &X,
                                 const Access &Matrix, ScalarEvolution &SE) {
  SmallVector<WrapCheck, 4> Checks;
  std::optional<int64_t> Shift =
      shiftOf(Matrix, X, Op.Domain->boundOfK(), SE, Checks);
  auto *Offset = dyn_cast<SCEVConstant>(Op.Domain->Offset);
  if (Shift && !Offset)
    Offset =
        dyn_cast<SCEVConstant>(withoutCasts(Op.Domain->Offset, SE, Checks));
  if (!Shift || !Offset)
    return std::nullopt;
  int64_t Diagonal = Offset->getAPInt().getSExtValue();
  return RowsRead{*Shift,
                  *Shift + (Op.Domain->isOffset() ? Diagonal : -Diagonal),
                  std::move(Checks)};
}

void RowsRead::addTo(Conditions &Tests) const {
  for (const WrapCheck &Check : Checks)
    if (!is_contained(Tests.WrapChecks, Check))
      Tests.WrapChecks.push_back(Check);
}

void markInPlace(Nest &Result, bool StoresLast, ScalarEvolution &SE) {
  Contraction &Op = Result.Op;
  if (!Op.Domain->isFrom())
    return;
  bool IsB = Op.Domain->boundOfK() == M;
  bool MustBegin = !Op.Start.isLeaf(Leaf::C);
  for (Term &T : Op.Terms) {
    // Rows that are still to come are packed by kernels before they are
    // updated.
    std::optional<RowsRead> Rows = rowsRead(Op, IsB ? T.B : T.A, Op.C, SE);
    if (!Rows || Rows->Ahead < (StoresLast ? 0 : 1))
      continue;
    // What sums start from is set in tiles, whose rows must have been read by
    // then: row i begins with step i (KernelFrame::startsWhatIsRead).
    if (MustBegin && Rows->Ahead < Rows->Shift)
      continue;
    Rows->addTo(Result.Tests);
    (IsB ? T.BIsC : T.AIsC) = true;
    T.Ahead = Rows->Ahead;
  }
}

Refused refuseRecurrence(const Nest &Found, ScalarEvolution &SE) {
  const Contraction &Op = Found.Op;
  const Conditions &Tests = Found.Tests;
  bool HasArray = !Found.Source.ToScratch;
  for (const WrapCheck &Check : Tests.WrapChecks)
    if (mustWrap(Check, SE))
      return Refusal{Reason::NotAffine, Op.store()};
  for (const Requirement &R : Tests.MustHold)
    if (SE.isKnownPredicate(CmpInst::getInversePredicate(R.Predicate), R.X,
                            R.Y))
      return Refusal{Reason::BoundVaries, Op.store()};
  if (mustCoincide(Op, SE))
    return Refusal{Reason::Recurrence, Op.store()};

  // Rows are compared at run time, unless they are found in the same place.
  if (Op.C.Rows)
    for (const Access *X : Op.accesses())
      if (X != &Op.C && X->startsAt(Op.C))
        return Refusal{Reason::Recurrence, X->Inst};

  const DataLayout &DL = Op.getDataLayout();
  Type *Ty = DL.getIndexType(Op.C.Pointer->getType());
  Range RangeOfC = rangeOf(Op.C, SE.getZero(Ty), Op, SE);
  auto StartOf = [&](const SCEV *Base) -> const SCEV * {
    if (Op.C.Rows)
      return nullptr;
    const SCEV *Start = SE.getMinusSCEV(Base, Op.C.Base);
    return isa<SCEVCouldNotCompute>(Start) ? nullptr : Start;
  };
  SmallVector<const Access *, 2> InPlace{&Op.C};
  for (const Term &T : Op.Terms) {
    if (T.AIsC || T.A.Saved)
      InPlace.push_back(&T.A);
    else if (HasArray &&
             (hasRowsOfC(Op, T.A, N, SE) || hasRowsBeside(Op, T.A, M, SE)))
      return Refusal{Reason::Recurrence, T.A.Inst};
    if (T.BIsC || T.B.Saved)
      InPlace.push_back(&T.B);
    else if (HasArray &&
             (hasRowsOfC(Op, T.B, M, SE) || hasRowsBeside(Op, T.B, N, SE)))
      return Refusal{Reason::Recurrence, T.B.Inst};
  }
  for (const Access *X : Op.allAccesses())
    if (!is_contained(InPlace, X) && !X->Rows)
      if (const SCEV *Start = StartOf(X->Base))
        if (Start->isZero() ||
            mustOverlap(RangeOfC, rangeOf(*X, Start, Op, SE), SE))
          return Refusal{Reason::Recurrence, X->Inst};
  for (LoadInst *Load : Tests.InvariantLoads)
    if (const SCEV *Start = StartOf(SE.getSCEV(Load->getPointerOperand()))) {
      const SCEV *End = SE.getAddExpr(
          Start, SE.getConstant(Ty, DL.getTypeStoreSize(Load->getType())));
      if (Start->isZero() || mustOverlap(RangeOfC, {Start, End}, SE))
        return Refusal{Reason::Recurrence, Load};
    }
  // Each region contains its base.
  auto Operands = Op.testedAccesses();
  for (const Conditions::Apart &Pair : Tests.MustBeApart)
    if (Pair.Region.Base == Operands[Pair.Operand]->Base)
      return Refusal{Reason::OtherStore, Operands[Pair.Operand]->Inst};
  for (LoadInst *Load : Tests.InvariantLoads)
    for (const MemoryRegion &Written : Tests.RestWritten)
      if (SE.getSCEV(Load->getPointerOperand()) == Written.Base)
        return Refusal{Reason::OtherStore, Load};
  return std::nullopt;
}

} // namespace tilesmith
