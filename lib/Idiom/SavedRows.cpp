//===- SavedRows.cpp - a factor that the nest overwrites ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k {                                  saved = b
//     for i < k                              for k
//       for j                                  for j b[k][j] *= d[k];
//         b[i][j] += a[i][k] * b[k][j];  =>  for i, k > i, j
//     for j b[k][j] *= d[k];                   b[i][j] += a[i][k] * saved[k][j];
//   }
//
// TRMM in place. If every row is read as a factor before anything is stored to
// it, the factor is C as it was, and a copy will do, made in front of the nest.
// The outer one of the loops over rows of C and over k is the clock:
//
//   over k     step k reads row r = k + Shift, and sums go to r at later steps
//   over rows  row p is made of rows that the loop has not come to yet
//
// What else is stored to rows must come behind their reading as well: in row r
// of step k behind all loops that read it, or in row p.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Distribution.h"
#include "Recognizer.h"
#include "Recurrence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Marks the factor that is to be read from a copy.
Refused Recognizer::describeSaved() {
  ScalarEvolution &SE = In.Analyses->SE;
  Contraction &Op = Result.Op;
  Refusal No{Reason::Recurrence, &Store};
  if (!Op.Domain || Op.Domain->isOfC() || Op.Terms.size() != 1 ||
      !Op.Outer.empty() || Op.hasRowTables() || !In.Sources.empty())
    return No;
  for (Dim D : {M, N, K})
    if (By.Axes[D].size() != (D == N && May.Vector ? 0 : 1))
      return No;
  Dim P = Op.Domain->boundOfK(), Q = mirrored(P);
  Access &X = P == M ? Op.Terms[0].B : Op.Terms[0].A;
  std::optional<RowsRead> Rows = rowsRead(Op, X, Op.C, SE);
  bool OuterIsP = By.Axes[P].back() < By.Axes[K].back();
  if (!Rows || !By.Space.isPlainBut(By.Axes[OuterIsP ? K : P].back()))
    return No;
  bool IsDown = OuterIsP && By.Space.Reversed == By.Axes[P].back();
  // A row that is stored once, behind its sums, may read itself.
  int64_t Nearest = storesBehindSum() ? 0 : 1;
  ReadsOwnRow = Rows->Ahead == 0;
  if (Op.Domain->isFrom() == IsDown ||
      (IsDown ? Rows->Ahead > -Nearest || Rows->Shift > 0
              : Rows->Ahead < Nearest))
    return No;
  Rows->addTo(Result.Tests);

  // All rows are touched, be it as a sum or as a factor.
  Type *I64 = Type::getInt64Ty(SE.getContext());
  auto Number = [&](int64_t N) { return SE.getConstant(I64, N, true); };
  auto Last = [&](Dim D) {
    return SE.getTruncateOrZeroExtend(Op.BackedgeCount[D], I64);
  };
  auto Require = [&](const SCEV *X, const SCEV *Y) {
    if (!SE.isKnownPredicate(ICmpInst::ICMP_SLE, X, Y))
      Result.Tests.MustHold.push_back({ICmpInst::ICMP_SLE, X, Y});
  };
  int64_t Diagonal = Rows->Ahead - Rows->Shift;
  const SCEV *LastRead = SE.getAddExpr(Last(K), Number(Rows->Shift));
  if (IsDown) {
    int64_t First = std::max<int64_t>(-Diagonal, 0);
    Require(LastRead, Last(P));
    Require(Number(First - Rows->Shift - 1), Last(K));
    Require(Number(std::max(First - Rows->Shift - 1, int64_t(0)) - Diagonal),
            Last(P));
  } else {
    int64_t First = std::max<int64_t>(Diagonal, 0);
    Require(Last(P), LastRead);
    Require(Number(First), Last(K));
    Require(Number(First + Rows->Shift - 1), Last(P));
  }
  X.Saved = SavedRows{Rows->Shift, IsDown ? Rows->Shift : 0,
                      IsDown ? Last(P) : LastRead};

  // Where rows of C are adjacent elements, so they are in the copy.
  const DataLayout &DL = Op.getDataLayout();
  Type *Ty = X.Stride[K]->getType();
  const SCEV *Size = SE.getConstant(Ty, DL.getTypeStoreSize(X.ElemTy));
  X.Base = SE.getSCEV(Constant::getNullValue(X.Pointer->getType()));
  X.Stride[K] = Size;
  if (May.Vector)
    return std::nullopt;
  bool IsAlongP = Op.C.isAdjacent(P, DL);
  const SCEV *Line = SE.getTruncateOrZeroExtend(
      IsAlongP ? SE.getAddExpr(X.Saved->Last, Number(1 - X.Saved->First))
               : SE.getAddExpr(Last(Q), Number(1)),
      Ty);
  X.Stride[Q] = Size;
  X.Stride[IsAlongP ? Q : K] = SE.getMulExpr(Size, Line);
  return std::nullopt;
}

/// Nothing else is done, and no step is left out: a kernel may read C itself, if
/// it packs the factor before it stores anything.
void Recognizer::packSavedFirst() {
  Contraction &Op = Result.Op;
  if (!May.Saved || May.Vector || In.Zeros || !Result.Source.Initials.empty())
    return;
  ScalarEvolution &SE = In.Analyses->SE;
  Dim P = Op.Domain->boundOfK(), Q = mirrored(P);
  Access &X = P == M ? Op.Terms[0].B : Op.Terms[0].A;
  const SCEV *Row = Op.C.Stride[P];
  const SCEV *Shift =
      SE.getConstant(Row->getType(), X.Saved->Shift, /*IsSigned=*/true);
  X.Base = SE.getAddExpr(Op.C.Base, SE.getMulExpr(Row, Shift));
  X.Stride[K] = Row;
  X.Stride[Q] = Op.C.Stride[Q];
  X.Saved->ArePacked = true;
}

/// \p T over the axes. A loop beside the chain that goes through no more than
/// the columns of C stands for the loop over them.
std::optional<AffineForm> Distribution::overColumns(const Touch &T, Dim Q) {
  AffineForm Form = *T.Form;
  unsigned Own = Form.Step.size() - In.Chain.size();
  if (Own > By.Axes[Q].size())
    return std::nullopt;
  if (Own == 1) {
    unsigned Columns = By.Axes[Q].back();
    if (Form.Step[Columns] || !require(ICmpInst::ICMP_SLE, T.Last.back(),
                                       By.Space.lastOfLoop(Columns)))
      return std::nullopt;
    Form.Step[Columns] = Form.Step.back();
    Form.Step.pop_back();
  }
  return By.Space.toAxes(Form) ? std::optional(Form) : std::nullopt;
}

/// \p T is in the row of C that the outer loop makes, or whose old elements it
/// reads, and comes behind all reading of that row as a factor.
std::optional<Places> Distribution::placeInRows(const Touch &T) {
  Dim P = Of.Domain->boundOfK(), Q = mirrored(P);
  if (T.Ty != Of.C.ElemTy || !Of.C.Copies.empty())
    return std::nullopt;
  const Access &X = *Of.savedFactor();
  Loop *LoopP = In.Chain[By.Axes[P].back()],
       *LoopK = In.Chain[By.Axes[K].back()];
  bool OuterIsP = LoopP->contains(LoopK);
  unsigned Required = Tests.MustHold.size();
  std::optional<AffineForm> Form = overColumns(T, Q);
  // The row that the index of D tells, or one that is always the same.
  auto IsRow = [&](std::optional<Dim> D, int64_t Distance) {
    const SCEV *Row = By.C.Step[By.Axes[P].back()];
    for (auto [Axis, Step] : enumerate(Form->Step)) {
      const SCEV *Wanted = D && Axis == By.Axes[*D].back()  ? Row
                           : is_contained(By.Axes[Q], Axis) ? By.C.Step[Axis]
                                                            : nullptr;
      if (Step != Wanted)
        return false;
    }
    SmallVector<WrapCheck, 4> Checks;
    const SCEV *From = SE.getMinusSCEV(Form->Base, By.C.Base);
    const SCEV *Wanted = SE.getMulExpr(
        Row, SE.getConstant(Row->getType(), Distance, /*IsSigned=*/true));
    if (From != Wanted &&
        withoutCasts(From, SE, Checks) != withoutCasts(Wanted, SE, Checks))
      return false;
    RowsRead{0, 0, std::move(Checks)}.addTo(Tests);
    return true;
  };
  // What the product needs of C is loaded before it is overwritten.
  auto IsLoadedBefore = [&](const auto &Leaf) {
    auto *I = dyn_cast<Instruction>(Leaf.first);
    return Leaf.second == tilesmith::Leaf::C && !(I && In.precedes(*T.I, *I));
  };
  bool OverwritesStart = T.Writes && In.precedes(*T.I, *Of.C.Inst) &&
                         Source.Initials.empty() &&
                         (any_of(Of.Start.Leaves, IsLoadedBefore) ||
                          any_of(Of.Finish.Leaves, IsLoadedBefore));
  if (Form && OuterIsP && LoopP->contains(T.I) && !isInSum(*T.I) &&
      !OverwritesStart && IsRow(P, 0))
    return byOrder(*T.I, *Of.C.Inst);
  // The row that comes next is not updated yet.
  int64_t Next = Of.Domain->isFrom() ? 1 : -1;
  if (Form && OuterIsP && !T.Writes && LoopP->contains(T.I) && !isInSum(*T.I) &&
      IsRow(P, Next))
    return Places{true, false};
  // A row in front of those that are updated, behind all loops that read it.
  if (Form && X.Saved->First < 0 && !LoopP->contains(T.I) &&
      !LoopK->contains(T.I) && In.precedes(*X.Inst, *T.I) &&
      IsRow(std::nullopt, X.Saved->First))
    return Places();
  if (Form && !OuterIsP && LoopK->contains(T.I) && !LoopP->contains(T.I) &&
      IsRow(K, X.Saved->Shift) && (!T.Writes || In.precedes(*X.Inst, *T.I)))
    return Places{true, false};
  Tests.MustHold.truncate(Required);
  return std::nullopt;
}

} // namespace tilesmith
