//===- Transposed.cpp - a matrix that is used in both directions ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i                                  t = x[i], where half of a symmetric
//     for k                                matrix is stored; or r[i], in BiCG
//       y[k] += t * a[i][k]
//       s += a[i][k] * x[k]
//     ...
//
// The other update of the loop over k is a product by itself, of the transposed
// matrix, and described as one. It is part of the rest; a kernel may make it,
// too, for some rows from one load of the matrix: in the steps that all of them
// make, and before the rest of the first of these rows. That is right if
//
//   * nothing else in the nest touches y, but its elements in places that none of
//     the rows comes to in these steps: on a diagonal beyond the domain;
//   * nothing in the nest writes t's elements.
//
//   for i
//     s = sum over k of a[i][k] * x[k]       A'(A x)
//     for k
//       y[k] += a[i][k] * s
//
// Where the factor is the sum itself, the other product is in a loop of its own. It can
// be made with the sums, row by row, if nothing else in the nest touches y.
//
//===----------------------------------------------------------------------===//

#include "Address.h"
#include "Distribution.h"
#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether all that \p L carries besides \p Sum are counters, nothing
/// else is used behind it, and it ends in one place: rows of it can be cut.
static bool canBeCut(Loop &L, const Value *Sum, ScalarEvolution &SE) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch || L.getExitingBlock() != Latch)
    return false;
  auto IsCounter = [&](PHINode &Phi) {
    auto *Counter = SE.isSCEVable(Phi.getType())
                        ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi))
                        : nullptr;
    return Counter && Counter->getLoop() == &L && Counter->isAffine();
  };
  if (!all_of(L.getHeader()->phis(), [&](PHINode &Phi) {
        return Phi.getIncomingValueForBlock(Latch) == Sum || IsCounter(Phi);
      }))
    return false;
  return all_of(L.blocks(), [&](const BasicBlock *BB) {
    return all_of(*BB, [&](const Instruction &I) {
      return &I == Sum || all_of(I.users(), [&](const User *U) {
        return L.contains(cast<Instruction>(U));
      });
    });
  });
}

/// The one store of the loop over k that is neither of sums nor of partial ones.
StoreInst *Recognizer::otherStoreOfRow() const {
  StoreInst *Found = nullptr;
  for (StoreInst *Other : All.Stores) {
    if (!In.innermost().contains(Other) ||
        is_contained(Result.Source.Absorbed, Other) ||
        (!May.Apart && Other == &Store))
      continue;
    if (Found)
      return nullptr;
    Found = Other;
  }
  return Found;
}

/// Describes the other use of the matrix, if there is one. Others may be found to
/// be in its way (Distribution::separateTransposed).
void Recognizer::describeTransposed() {
  const Contraction &Op = Result.Op;
  const DataLayout &DL = Op.getDataLayout();
  ScalarEvolution &SE = In.Analyses->SE;
  if (!May.Vector || May.Saved || !Op.isMatrixVector() || !Op.Outer.empty() ||
      Op.Terms.size() != 1 || In.Chain.size() != 2 || By.Space.Reversed ||
      !Result.Source.sumsInnermost() || !Op.SumTy->isFloatingPointTy() ||
      In.root().getSubLoops().size() != 1 || Op.hasRowTables() ||
      Op.borderedFactor() || !canBeCut(In.innermost(), Sum, SE))
    return;
  const Access &A = Op.Terms.front().A;
  StoreInst *Other = otherStoreOfRow();
  if (!Other || !A.isUnit(K, DL) || A.isUnit(M, DL))
    return;
  Liberties Plain;
  Plain.Vector = true;
  Plain.Axes = Liberties::Batched;
  auto Tried = Recognizer(In, All, *Other, Plain).describe();
  auto *Found = std::get_if<Nest>(&Tried);
  if (!Found)
    return;
  Contraction &Use = Found->Op;
  auto HasAll = [&](ArrayRef<Requirement> Own) {
    return all_of(Own, [&](const Requirement &R) {
      return is_contained(Result.Tests.MustHold, R);
    });
  };
  if (!Use.isMatrixVector() || !Use.Outer.empty() || Use.Terms.size() != 1 ||
      Use.hasPairings() || Use.hasMadeFactors() || Use.hasRowTables() ||
      Use.SumTy != Op.SumTy || Use.C.ElemTy != Op.SumTy ||
      !Use.Start.isLeaf(Leaf::C) || !Use.storesSum() || Use.After ||
      Found->Source.sumsInnermost() || !Found->Source.Absorbed.empty() ||
      Found->Source.HasStepBefore ||
      Use.Domain.has_value() != Op.Domain.has_value() ||
      !HasAll(Found->Tests.MustHold) || !Use.C.isUnit(M, DL) ||
      !Use.C.Copies.empty())
    return;
  Term &T = Use.Terms.front();
  if (T.A.Base != A.Base || T.A.Stride[K] != A.Stride[M] ||
      T.A.Stride[M] != A.Stride[K] || T.A.ElemTy != A.ElemTy ||
      !T.A.Copies.empty() || !A.Copies.empty() || !T.B.Copies.empty())
    return;
  requireNoWraps(Found->Tests.WrapChecks);
  for (Access *X : {&Use.C, &T.A, &T.B})
    std::swap(X->Stride[M], X->Stride[K]);
  Result.Op.Transposed =
      TransposedUse{std::move(Use.C), std::move(T), std::move(Use.Update)};
}

/// Whether \p T, in row m, is in a place of \p X, an operand along k, that is beyond
/// the steps of that row.
bool Distribution::isBeyondSteps(const Touch &T, const Access &X) const {
  std::optional<AffineForm> Form = overAxes(T);
  if (!Of.Domain || !Form || By.Axes[M].size() != 1 || T.Ty != X.ElemTy ||
      By.stride(*Form, M) != X.Stride[K] || By.stride(*Form, K))
    return false;
  const SCEV *Distance = SE.getMinusSCEV(Form->Base, X.Base);
  if (isa<SCEVCouldNotCompute>(Distance))
    return false;
  const SCEV *Diagonal =
      SE.getTruncateOrSignExtend(Of.Domain->Offset, Distance->getType());
  if (!Of.Domain->isOffset())
    Diagonal = SE.getNegativeSCEV(Diagonal);
  Diagonal = SE.getMulExpr(Diagonal, X.Stride[K]);
  return SE.isKnownPredicate(Of.Domain->isFrom() ? ICmpInst::ICMP_SLT
                                                 : ICmpInst::ICMP_SGT,
                             Distance, Diagonal);
}

/// Whether nothing is in the way of the transposed use; the guard tests what is
/// not known.
bool Distribution::separateTransposed() {
  const TransposedUse &Use = *Of.Transposed;
  if (!Possible.After || !Source.Initials.empty())
    return false;
  SmallVector<Conditions::Apart, 4> New;
  unsigned Operand = Of.allAccesses().size(); // C, and B behind it
  const SCEV *OwnElement = In.addressOf(*Use.C.Inst);
  auto IsOwn = [&](const Touch &T) {
    if (Use.AfterSums)
      return T.I->getParent() == Use.C.Inst->getParent() &&
             T.Form->Base == Use.C.Base && T.Form->Step[0] == nullptr;
    return isInSum(*T.I) && In.addressOf(*T.I) == OwnElement;
  };
  for (const Touch &T : Touches) {
    if (!IsOwn(T) && !isBeyondSteps(T, Use.C) && !isApart(T, Operand, New))
      return false;
    if (T.Writes && !Use.AfterSums && !isApart(T, Operand + 1, New))
      return false;
  }
  // Sums are stored while rows are still to come.
  if (!Source.ToScratch && !Use.AfterSums &&
      SE.getPointerBase(Of.C.Base) == SE.getPointerBase(Use.Of.B.Base))
    return false;
  Tests.MustBeApart.append(New);
  return !Use.AfterSums ||
         In.addEntryConditions(*Use.C.Inst, Tests.Assumptions, Tests.MustHold);
}

/// Whether \p T goes along the elements of each row's steps, and is the same for all
/// rows, in a loop of its own beside the steps, as long as these.
bool Distribution::isRowOfColumns(const Touch &T) const {
  const Loop *L = In.Analyses->LI.getLoopFor(T.I->getParent());
  if (T.Ty != Of.SumTy || T.Form->Step.size() != In.Chain.size() + 1 ||
      L->getParentLoop() != &In.root() || L->getNumBlocks() != 1 ||
      !L->getUniqueExitBlock() || !In.runsAlways(*T.I) || !In.isEntered(*L))
    return false;
  SmallVector<Assumption, 1> Assumed;
  SmallVector<Requirement, 1> Held;
  if (!In.addEntryConditions(*T.I, Assumed, Held) ||
      SE.getTypeSizeInBits(Of.BackedgeCount[K]->getType()) > 64)
    return false;
  const SCEV *Last = SE.getNoopOrZeroExtend(Of.BackedgeCount[K], I64);
  for (const SCEV *Once : T.Entered)
    Last = SE.getMulExpr(Last, Once);
  auto *Step = dyn_cast_or_null<SCEVConstant>(T.Form->Step.back());
  return Last == T.Last.back() && Step &&
         Step->getAPInt() == Of.getDataLayout().getTypeStoreSize(T.Ty) &&
         none_of(ArrayRef(T.Form->Step).drop_back(),
                 [](const SCEV *Other) { return Other; }) &&
         In.precedes(*cast<Instruction>(Of.Update.Root), *T.I) &&
         none_of(*L->getHeader(), [&](const Instruction &I) {
           return any_of(I.users(), [&](const User *U) {
             return !L->contains(cast<Instruction>(U));
           });
         });
}

/// Whether \p V is what the contraction stores for the row: the sum, or the element
/// where it has been stored, which nothing else of the nest changes.
bool Distribution::isFinishedSum(const Value &V) const {
  if (&V == Of.Update.Root)
    return true;
  auto *Load = dyn_cast<LoadInst>(&V);
  if (!Load || Source.ToScratch || !In.precedes(*Of.C.Inst, *Load))
    return false;
  const SCEV *Address = In.addressWhereRun(*Load);
  SmallVector<Conditions::Apart, 2> Tested;
  return Address && Address == In.addressWhereRun(*Of.C.Inst) &&
         Load->getType() == Of.C.ElemTy && all_of(Touches, [&](const Touch &T) {
           return !T.Writes || isApart(T, /*Operand=*/0, Tested);
         });
}

/// Lifts `y = y + a * s`, as \p Store stores it, of elements of A and the sums.
bool Distribution::liftUseOfSums(StoreInst &Store, TransposedUse &Into) const {
  auto *Root = dyn_cast<Instruction>(Store.getValueOperand());
  const BasicBlock *Block = Store.getParent();
  auto IsOf = [&](const Value &V, const SCEV *Base, const SCEV *StepOfRow) {
    return any_of(Touches, [&](const Touch &T) {
      return T.I == &V && !T.Writes && T.I->getParent() == Block &&
             T.Form->Base == Base && T.Form->Step[0] == StepOfRow &&
             T.Form->Step.size() == In.Chain.size() + 1 &&
             T.Form->Step.back() == Into.Of.A.Stride[K];
    });
  };
  auto IsElement = m_If<LoadInst>(
      [&](LoadInst &Load) { return IsOf(Load, Into.C.Base, nullptr); });
  Value *X, *Y, *Before;
  Instruction *Product = nullptr;
  if (!Root || Root->getParent() != Block)
    return false;
  Into.Update.Root = Root;
  if (match(Root, m_FusedMultiplyAdd(m_Value(X), m_Value(Y),
                                     m_Value(Before, IsElement)))) {
    Product = Root;
    Into.Update.Fused.insert(Root);
  } else if (match(Root, m_Addition(m_Value(Before, IsElement),
                                    m_Instruction(Product))) &&
             match(Product, m_FMul(m_Value(X), m_Value(Y))) &&
             Product->hasOneUse()) {
    Into.Update.Leaves[Product] = Leaf::Product;
  } else {
    return false;
  }
  Into.Update.Leaves[Before] = Leaf::Sum;
  Into.Of.Product = Product;
  auto OfA = [&](const Value &V) -> std::optional<Leaf> {
    return IsOf(V, Into.Of.A.Base, Into.Of.A.Stride[M]) ? std::optional(Leaf::A)
                                                        : std::nullopt;
  };
  auto OfSum = [&](const Value &V) -> std::optional<Leaf> {
    return isFinishedSum(V) ? std::optional(Leaf::B) : std::nullopt;
  };
  auto Lift = [&](Value *V, LeafOf Known, Leaf Kind, Expression &Map) {
    Map = Expression();
    return !lift(V, In, Known, Map, mayMap) && Map.uses(Kind) &&
           Map.Root->getType() == Of.SumTy;
  };
  Term &T = Into.Of;
  return ((Lift(X, OfA, Leaf::A, T.AMap) && Lift(Y, OfSum, Leaf::B, T.BMap)) ||
          (Lift(Y, OfA, Leaf::A, T.AMap) && Lift(X, OfSum, Leaf::B, T.BMap))) &&
         !findRounded(Into.Update, In);
}

/// What \p T stores, if that is the product of the transposed matrix and the sums.
std::optional<TransposedUse> Distribution::useOfSums(const Touch &T) const {
  auto *Store = dyn_cast<StoreInst>(T.I);
  if (!Store || !isRowOfColumns(T))
    return std::nullopt;
  TransposedUse Use;
  Use.AfterSums = true;
  Use.C.Base = T.Form->Base;
  for (Dim D : {M, N})
    Use.C.Stride[D] = SE.getZero(T.Form->Step.back()->getType());
  Use.C.Stride[K] = T.Form->Step.back();
  Use.C.ElemTy = T.Ty;
  Use.C.Alignment = alignmentOfElement(*Store);
  Use.C.Inst = Store;
  Use.C.Pointer = Store->getPointerOperand();
  Use.Of.A = Use.Of.B = Of.Terms.front().A;
  SmallVector<Conditions::Apart, 2> Tested; // by the rest's distribution
  for (unsigned Operand = Source.ToScratch ? 1 : 0,
                End = Of.allAccesses().size();
       Operand < End; ++Operand)
    if (!isApart(T, Operand, Tested))
      return std::nullopt;
  return liftUseOfSums(*Store, Use) ? std::optional(std::move(Use))
                                    : std::nullopt;
}

/// Finds a use of the transposed matrix that takes the sums.
void Distribution::findUseOfSums() {
  const DataLayout &DL = Of.getDataLayout();
  if (!Of.isMatrixVector() || !Of.Outer.empty() || Of.Terms.size() != 1 ||
      In.Chain.size() != 2 || By.Space.Reversed || !Source.sumsInnermost() ||
      !Of.SumTy->isFloatingPointTy() || Of.hasRowTables() ||
      Of.borderedFactor() || Of.Domain || Of.After || Of.Rest ||
      Of.hasPairings() || Of.hasMadeFactors() || Of.isSaved() ||
      Of.isComplex() || !Of.storesSum() || Of.C.ElemTy != Of.SumTy ||
      !Of.C.isUnit(M, DL) || !Of.C.Copies.empty())
    return;
  const Access &A = Of.Terms.front().A;
  if (!A.isUnit(K, DL) || A.isUnit(M, DL) || !A.Copies.empty() ||
      (Source.ToScratch &&
       (Source.ToScratch->Second || Source.ToScratch->Once)))
    return;
  for (const Touch &T : Touches)
    if (std::optional<TransposedUse> Use = useOfSums(T)) {
      Of.Transposed = std::move(Use);
      return;
    }
}

} // namespace tilesmith
