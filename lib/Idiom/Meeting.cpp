//===- Meeting.cpp - where rest and product meet --------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cases that Rest.cpp lists: may an access of the rest and an operand of
// the product touch the same memory, and in which iterations?
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Distribution.h"
#include "Recurrence.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
using namespace llvm;

namespace tilesmith {

/// The guard tests what is not known; false if it cannot be.
bool Distribution::require(CmpInst::Predicate Predicate, const SCEV *X,
                           const SCEV *Y) {
  if (SE.isKnownPredicate(Predicate, X, Y))
    return true;
  Requirement New{Predicate, X, Y};
  if (SE.isKnownPredicate(CmpInst::getInversePredicate(Predicate), X, Y) ||
      !Sizes.allows(New, Tests.MustHold))
    return false;
  Tests.MustHold.push_back(New);
  return true;
}

/// Whether \p T and an operand are of other arrays. \p Checks: what the guard must
/// test for that.
bool Distribution::isApart(const Touch &T, unsigned Operand,
                           SmallVectorImpl<Conditions::Apart> &Checks) const {
  const Access &X = *Of.testedAccesses()[Operand];
  if (X.Rows) {
    if (In.mayWrite(*T.I, *cast<LoadInst>(X.Inst)) ||
        In.mayWrite(*T.I, *X.Rows->Load))
      Checks.push_back({T.Region, Operand});
    return true;
  }
  if (SE.getPointerBase(T.Form->Base) == SE.getPointerBase(X.Base))
    return false;
  AAResults *AA = In.Analyses->AA;
  if (!AA || !AA->isNoAlias(MemoryLocation::getBeforeOrAfter(T.Pointer),
                            MemoryLocation::getBeforeOrAfter(X.Pointer)))
    Checks.push_back({T.Region, Operand});
  return true;
}

/// All strides are multiples of a size, and within that the two do not overlap. Both
/// parts of a number are the operand's, and numbers are twice the stride apart.
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
  for (Dim D : {M, N, K})
    Include(X.Parts && X.Parts->Along == D
                ? SE.getMulExpr(X.Stride[D],
                                SE.getConstant(X.Stride[D]->getType(), 2))
                : X.Stride[D]);
  for (const SCEV *Step : X.OuterStride)
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
  if (X.Parts)
    Size *= 2;
  Offset &= Period - 1;
  return Offset.uge(Size) && (Offset + T.Region.Bytes).ule(Period);
}

bool Distribution::isSameElement(const Touch &T) const {
  return In.addressOf(*T.I) == In.addressOf(*Source.UpdateStore) &&
         T.Ty == Of.C.ElemTy;
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
  for (const Sweep &Part : X.Copies)
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

/// Whether loops that are not \p Still, or unrolled ones, go on by more than a
/// constant: where \p Step is one, they stay within it only if they run once.
/// Such a test is not worth making.
bool Distribution::isColumnAsRow(const SCEV *Step, const Touch &T,
                                 unsigned Operand,
                                 const SmallBitVector &Still) const {
  auto Varies = [](const SCEV *S) { return S && !isa<SCEVConstant>(S); };
  auto AnyVaries = [&](const AffineForm &Form) {
    return any_of(enumerate(Form.Step), [&](auto Of) {
      return Varies(Of.value()) &&
             (Of.index() >= Still.size() || !Still[Of.index()]);
    });
  };
  return !Varies(Step) &&
         (AnyVaries(By.formOverLoops(Operand)) || AnyVaries(*T.Form) ||
          any_of(Of.accesses()[Operand]->Copies,
                 [&](const Sweep &Part) { return Varies(Part.Step); }));
}

/// Whether both together are no longer than a step.
bool Distribution::isWithin(const Cover &Both, const SCEV *Step) {
  const SCEV *Width = SE.getMinusSCEV(SE.getSMaxExpr(Both.HighX, Both.HighT),
                                      SE.getSMinExpr(Both.LowX, Both.LowT));
  return require(ICmpInst::ICMP_SLE, Width,
                 SE.getSMaxExpr(Step, SE.getNegativeSCEV(Step)));
}

/// How many numbers that are not known \p Step multiplies.
static unsigned numFactors(const SCEV *Step) {
  if (auto *Cast = dyn_cast<SCEVCastExpr>(Step))
    return numFactors(Cast->getOperand());
  if (auto *Product = dyn_cast<SCEVMulExpr>(Step))
    return sum_of(map_range(Product->operands(), numFactors));
  return !isa<SCEVConstant>(Step);
}

/// The known one.
static uint64_t knownFactor(const SCEV *Step) {
  if (auto *Product = dyn_cast<SCEVMulExpr>(Step))
    Step = Product->getOperand(0);
  auto *Known = dyn_cast<SCEVConstant>(Step);
  return Known ? Known->getAPInt().abs().getLimitedValue() : 1;
}

/// In each loop around both, all of the region and all of the operand that
/// other loops make up lie within one step, which is the same for both; what
/// loops with longer steps make up apart. Which steps are longer is a guess,
/// which the guard tests. A loop further in that moves one of them as far would
/// have to run only once.
bool Distribution::staysInRow(const Touch &T, unsigned Operand) {
  const AffineForm &Form = By.formOverLoops(Operand);
  SmallVector<unsigned, 4> Around;
  for (auto [Loop, L] : enumerate(In.Chain)) {
    if (!L->contains(T.I))
      break;
    if (!Form.Step[Loop] || Form.Step[Loop] != T.Form->Step[Loop])
      return false;
    Around.push_back(Loop);
  }
  // The longest steps first, as far as that is known.
  stable_sort(Around, [&](unsigned X, unsigned Y) {
    auto Length = [&](unsigned Loop) {
      return std::pair(numFactors(Form.Step[Loop]),
                       knownFactor(Form.Step[Loop]));
    };
    return Length(X) > Length(Y);
  });
  SmallBitVector Still(In.Chain.size());
  for (unsigned Loop : Around) {
    Still.set(Loop);
    const SCEV *Step = Form.Step[Loop];
    auto IsAsLong = [&](const SCEV *Other) {
      return Other == Step || (Other && Other == SE.getNegativeSCEV(Step));
    };
    if (Source.ToScratch &&
        (any_of(drop_begin(Form.Step, Loop + 1), IsAsLong) ||
         any_of(drop_begin(T.Form->Step, Loop + 1), IsAsLong)))
      return false;
    std::optional<Cover> Both = cover(T, Operand, Still);
    if (!Both || isColumnAsRow(Step, T, Operand, Still) ||
        !isWithin(*Both, Step))
      return false;
  }
  return true;
}

/// They are in the same rows, where one comes to its end in front of the other.
/// A constant distance between rows of any length is not worth a test, and so
/// is a distance between rows that varies within elements of constant size.
bool Distribution::isBeside(const Touch &T, unsigned Operand) {
  const AffineForm &Form = By.formOverLoops(Operand);
  const SCEV *Distance = SE.getMinusSCEV(T.Form->Base, Form.Base);
  SmallBitVector Still(In.Chain.size());
  std::optional<Cover> Both;
  for (unsigned Loop = 0; Loop < In.Chain.size(); ++Loop) {
    const SCEV *Step = Form.Step[Loop];
    if (!Step || Step != T.Form->Step[Loop] || !In.Chain[Loop]->contains(T.I))
      continue;
    if (Both && isa<SCEVConstant>(Step) && !isa<SCEVConstant>(Distance))
      break;
    Still.set(Loop);
    Both = cover(T, Operand, Still);
    if (!Both || isColumnAsRow(Step, T, Operand, Still) ||
        !isWithin(*Both, Step))
      return false;
  }
  if (!Both)
    return false;
  return SE.isKnownPredicate(ICmpInst::ICMP_SLE, Both->HighT, Both->LowX) ||
         SE.isKnownPredicate(ICmpInst::ICMP_SLE, Both->HighX, Both->LowT) ||
         (!isa<SCEVConstant>(Both->Distance) &&
          require(ICmpInst::ICMP_SLE, Both->HighX, Both->LowT));
}

/// The rows of C must be long enough for \p Margin more columns, in front of
/// the first or behind \p Last, to be elements of their own.
bool Distribution::requireLongRows(const SCEV *Row, const SCEV *Column,
                                   const SCEV *Last, unsigned Margin) {
  auto Abs = [&](const SCEV *S) {
    return SE.getSMaxExpr(S, SE.getNegativeSCEV(S));
  };
  const SCEV *Room = SE.getAddExpr(Last, SE.getConstant(I64, 1 + Margin));
  const SCEV *All = SE.getMulExpr(
      Column, SE.getTruncateOrZeroExtend(Room, Column->getType()));
  return require(ICmpInst::ICMP_SGE, Abs(Row), Abs(All));
}

/// The same for a matrix of which it is not known whether rows or columns are
/// the shorter steps; rows begin \p RowsInFront in front of the first.
bool Distribution::requireDistinctRows(const SCEV *Row, const SCEV *LastRow,
                                       unsigned RowsInFront, const SCEV *Column,
                                       const SCEV *LastColumn) {
  auto *R = dyn_cast<SCEVConstant>(Row), *C = dyn_cast<SCEVConstant>(Column);
  if (!R && !C)
    return false;
  bool RowsAreOuter = !R || (C && R->getAPInt().abs().uge(C->getAPInt().abs()));
  return RowsAreOuter ? requireLongRows(Row, Column, LastColumn, 0)
                      : requireLongRows(Column, Row, LastRow, RowsInFront);
}

/// The address of \p T over the axes of a product without a batch, if no loop of
/// its own moves it.
std::optional<AffineForm> Distribution::overAxes(const Touch &T) const {
  if (!Of.Outer.empty())
    return std::nullopt;
  AffineForm Form = *T.Form;
  for (const SCEV *Step : drop_begin(Form.Step, In.Chain.size()))
    if (Step)
      return std::nullopt;
  Form.Step.resize(In.Chain.size());
  return By.Space.toAxes(Form) ? std::optional(Form) : std::nullopt;
}

/// Whether a step is \p Expected, maybe extended in another place.
bool Distribution::isAs(const SCEV *Step, const SCEV *Expected) {
  if (!Step || Step == Expected)
    return Step;
  SmallVector<WrapCheck, 4> Checks;
  if (withoutCasts(Step, SE, Checks) != withoutCasts(Expected, SE, Checks))
    return false;
  Tests.WrapChecks.append(Checks);
  return true;
}

/// How many steps \p Form begins from where C does, if that is a few; of complex
/// numbers, from either part of one.
std::optional<int> Distribution::stepsFromC(const AffineForm &Form,
                                            const SCEV *Step) {
  if (std::optional<int> Steps = stepsFrom(By.C.Base, Form, Step);
      Steps || !Of.isComplex())
    return Steps;
  const SCEV *OtherPart = SE.getAddExpr(By.C.Base, Of.C.Copies.front().Step);
  return stepsFrom(OtherPart, Form, Step);
}

std::optional<int> Distribution::stepsFrom(const SCEV *Base,
                                           const AffineForm &Form,
                                           const SCEV *Step) {
  auto StepsIn = [&](const SCEV *Difference) -> std::optional<int> {
    for (int Steps : {-2, -1, 0, 1, 2})
      if (Difference ==
          SE.getMulExpr(Step, SE.getConstant(Step->getType(), Steps, true)))
        return Steps;
    return std::nullopt;
  };
  const SCEV *Difference = SE.getMinusSCEV(Form.Base, Base);
  if (std::optional<int> Steps = StepsIn(Difference);
      Steps || isa<SCEVCouldNotCompute>(Difference))
    return Steps;
  // Narrow counters are extended in different places.
  SmallVector<WrapCheck, 4> Checks;
  std::optional<int> Steps = StepsIn(withoutCasts(Difference, SE, Checks));
  if (Steps)
    Tests.WrapChecks.append(Checks);
  return Steps;
}

/// The element of C across the diagonal: (y + d, x - d) for (x, y). If what is
/// across is not computed, or only the diagonal itself, which is the same
/// element, they do not meet elsewhere.
bool Distribution::isMirrored(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  if (!Domain || !Of.Domain->isOfC() || By.Space.Reversed ||
      T.Form->Step.size() != In.Chain.size() || T.Ty != Of.C.ElemTy)
    return false;
  std::optional<AffineForm> Form = overAxes(T);
  const SCEV *StepX = By.C.Step[Domain->X], *StepY = By.C.Step[Domain->Y];
  if (!Form || Form->Step[Domain->X] != StepY ||
      Form->Step[Domain->Y] != StepX || By.stride(*Form, K))
    return false;
  std::optional<int> Distance =
      stepsFromC(*Form, SE.getMinusSCEV(StepX, StepY));
  if (!Distance)
    return false;
  const SCEV *Across =
      SE.getAddExpr(Domain->Offset, SE.getConstant(I64, *Distance, true));
  if (Domain->Below ? !SE.isKnownNonPositive(Across)
                    : !SE.isKnownNonNegative(Across))
    return false;
  return requireLongRows(
      StepX, StepY,
      SE.getSMaxExpr(By.Space.Last[Domain->X], By.Space.Last[Domain->Y]),
      std::abs(*Distance));
}

/// An element (d, d + Distance) of C, beyond the diagonal that bounds it. C's
/// rows must be long enough for that to be another element.
bool Distribution::isOffDiagonal(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  if (!Domain || !Of.Domain->isOfC() || By.Space.Reversed ||
      T.Region.Bytes > T.I->getDataLayout().getTypeStoreSize(Of.C.ElemTy))
    return false;
  std::optional<AffineForm> Form = overAxes(T);
  if (!Form)
    return false;
  const SCEV *StepX = By.C.Step[Domain->X], *StepY = By.C.Step[Domain->Y];
  const SCEV *Diagonal = SE.getAddExpr(StepX, StepY);
  for (auto [Axis, Step] : enumerate(Form->Step))
    if (Axis == Domain->X ? !isAs(Step, Diagonal) : Step != nullptr)
      return false;
  std::optional<int> Distance = stepsFromC(*Form, StepY);
  return Distance && isBeyondDiagonal(*Distance) &&
         requireLongRows(StepX, StepY, By.Space.Last[Domain->Y],
                         std::abs(*Distance));
}

/// An element (x, x + Distance) of C, while the outermost loop, over x, makes
/// the product's row x. C's rows must be long enough for that to be in no other
/// one.
bool Distribution::isOnDiagonalOfRow(const Touch &T) {
  if (!By.Space.isPlain() || In.Chain[1]->contains(T.I))
    return false;
  for (auto [Rows, Columns] : {std::pair(M, N), {N, M}}) {
    if (By.Axes[Rows] != SmallVector<unsigned, 2>{0} ||
        By.Axes[Columns].size() != 1)
      continue;
    std::optional<AffineForm> Form = overAxes(T);
    const SCEV *Row = By.stride(By.C, Rows), *Column = By.stride(By.C, Columns);
    if (!Form || !isAs(Form->Step[0], SE.getAddExpr(Row, Column)) ||
        any_of(drop_begin(Form->Step), [](const SCEV *Step) { return Step; }))
      return false;
    std::optional<int> Distance = stepsFromC(*Form, Column);
    return Distance &&
           requireLongRows(Row, Column,
                           SE.getSMaxExpr(By.Last[Rows], By.Last[Columns]),
                           std::abs(*Distance));
  }
  return false;
}

/// Whether y = x + \p Distance is known to be outside the domain.
bool Distribution::isBeyondDiagonal(int Distance) {
  const auto &Domain = By.Space.Domain;
  SmallVector<WrapCheck, 4> Checks;
  const SCEV *Offset = Domain->Offset;
  if (!isa<SCEVConstant>(Offset))
    Offset = withoutCasts(Offset, SE, Checks);
  if (!SE.isKnownPredicate(Domain->Below ? ICmpInst::ICMP_SGT
                                         : ICmpInst::ICMP_SLT,
                           SE.getConstant(I64, Distance, true), Offset))
    return false;
  Tests.WrapChecks.append(Checks);
  return true;
}

/// At step k, \p T is in row k + d of C (or column), and the diagonal bounds by
/// k what rows the product updates. If it comes to that row at later steps
/// only, the rest goes before it; if at earlier ones only, after it.
std::optional<Places> Distribution::byDiagonal(const Touch &T) {
  const auto &Domain = By.Space.Domain;
  // A vector's elements are in no rows.
  if (!Domain || Of.isMatrixVector() || Source.ToScratch || Of.Domain->X != K ||
      By.Loops[K].size() != 1 || T.Ty != Of.C.ElemTy ||
      Of.C.Copies.size() != Of.isComplex())
    return std::nullopt;
  std::optional<AffineForm> Form = overAxes(T);
  if (!Form)
    return std::nullopt;
  unsigned X = Domain->X, Y = Domain->Y;
  const SCEV *StepY = By.C.Step[Y];
  for (auto [Axis, Step] : enumerate(Form->Step))
    if (Step != (Axis == X ? StepY : Axis == Y ? nullptr : By.C.Step[Axis]))
      return std::nullopt;
  std::optional<int> Distance = stepsFromC(*Form, StepY);
  if (!Distance || !isBeyondDiagonal(*Distance))
    return std::nullopt;
  // Rows that only one of them comes to must be elements of their own, too.
  const SCEV *LastRow = SE.getSMaxExpr(
      By.Space.Last[Y],
      SE.getAddExpr(By.Space.Last[X], SE.getConstant(I64, *Distance, true)));
  Dim Other = Of.Domain->Y == M ? N : M;
  if (!requireDistinctRows(StepY, LastRow, std::max(-*Distance, 0),
                           By.stride(By.C, Other), By.Last[Other]))
    return std::nullopt;
  return Domain->Below ? Places{true, false} : Places{false, true};
}

/// \p T is in row p of the iteration, and a diagonal bounds by p which rows of
/// the same matrix the operand consists of: those that the nest has not come to
/// yet, and maybe p itself. So all of them are read before \p T is there.
///
///   for i = m-1 ... 0 { for k <= i sum += a[i][k] * b[k]; b[i] = sum; }
bool Distribution::isReadBefore(const Touch &T, unsigned Operand) {
  if (!Of.Domain || Of.Domain->isOfC() || isInSum(*T.I))
    return false;
  Dim P = Of.Domain->boundOfK(), Q = P == M ? N : M;
  bool IsB = Operand % 2 == 0;
  const Access &X = *Of.accesses()[Operand];
  if (IsB != (P == M) || By.Axes[P].size() != 1 || By.Axes[Q].size() != 1 ||
      !X.Copies.empty() || !Of.C.Copies.empty())
    return false;
  std::optional<AffineForm> Form = overAxes(T);
  if (!Form)
    return false;
  Access Matrix;
  Matrix.Base = Form->Base;
  Matrix.ElemTy = T.Ty;
  for (Dim D : {P, Q})
    Matrix.Stride[D] = std::exchange(Form->Step[By.Axes[D].back()], nullptr);
  if (!Matrix.Stride[P] || !Matrix.Stride[Q] ||
      any_of(Form->Step, [](const SCEV *Step) { return Step; }))
    return false;
  std::optional<RowsRead> Rows = rowsRead(Of, X, Matrix, SE);
  bool IsDown = By.Space.Reversed == By.Axes[P].back();
  if (!Rows || (By.Space.Reversed && !IsDown) ||
      Of.Domain->isFrom() == IsDown ||
      (IsDown ? Rows->Ahead > 0 : Rows->Ahead < 0) ||
      (Rows->Ahead == 0 && In.precedes(*T.I, *X.Inst)))
    return false;
  auto Last = [&](Dim D) {
    return SE.getTruncateOrZeroExtend(Of.BackedgeCount[D], I64);
  };
  const SCEV *LastRow = SE.getSMaxExpr(
      Last(P), SE.getAddExpr(Last(K), SE.getConstant(I64, Rows->Shift, true)));
  if (!requireDistinctRows(Matrix.Stride[P], LastRow,
                           std::max<int64_t>(-Rows->Shift, 0), Matrix.Stride[Q],
                           Last(Q)))
    return false;
  Rows->addTo(Tests);
  return true;
}

} // namespace tilesmith
