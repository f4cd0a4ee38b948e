//===- StepRows.cpp - rows that start in the step of their number ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for k                                  for i
//     for i < k                              sum = f(b[i][j], d[i]);
//       b[i][j] += a[i][k] * b[k][j];  =>    for k > i
//     b[k][j] = f(b[k][j], d[k]);              sum += a[i][k] * b[k][j];
//                                            b[i][j] = sum;
//
// TRMM with the loop over k outside. Step k stores to row k, to which only later
// steps add: row i starts from what step i stores. The last row has no steps,
// and is stored all the same. If columns are inside of rows, row k is stored in a
// loop of its own, perhaps only where d[k] is not one.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "Recognizer.h"
#include "Recurrence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether kernels may start sums that are in memory, and stored as they are.
bool Recognizer::mayStartSumsInMemory() const {
  const Contraction &Op = Result.Op;
  return !May.Apart && !May.Vector && !In.Zeros && Op.Terms.size() == 1 &&
         !Op.hasPairings() && !Op.hasMadeFactors() && !Op.hasRowTables() &&
         !Op.borderedFactor() && Op.Outer.empty() && Op.Start.isLeaf(Leaf::C) &&
         Op.storesSum() && !Op.After && Op.C.ElemTy == Op.SumTy &&
         !storesChangesOnly(Store) &&
         all_of(By.Axes, [](const auto &Axes) { return Axes.size() == 1; });
}

/// Whether the rows that sums are in may start in steps: a diagonal cuts off the
/// first ones.
bool Recognizer::mayStartInSteps() const {
  const auto &Domain = Result.Op.Domain;
  return Domain && !Domain->isOfC() && mayStartSumsInMemory();
}

/// Whether \p Init stores its own element times what \p Test compares with one,
/// and is left out where that is one, if the test comes out as \p Holds. A
/// product with one is the element (a signalling NaN, a quiet one).
static bool isIdleUnless(const Value &Test, bool Holds, const StoreInst &Init) {
  CmpPredicate Predicate;
  Value *Scale;
  if (!match(&Test, m_FCmp(Predicate, m_Value(Scale), m_SpecificFP(1.0))))
    return false;
  if ((Holds ? CmpInst::Predicate(Predicate)
             : CmpInst::getInversePredicate(Predicate)) != CmpInst::FCMP_UNE)
    return false;
  const fltSemantics &Numbers = Scale->getType()->getFltSemantics();
  return Init.getFunction()->getDenormalMode(Numbers) ==
             DenormalMode::getIEEE() &&
         match(Init.getValueOperand(),
               m_c_FMul(m_Specific(Scale),
                        m_Load(m_Specific(Init.getPointerOperand()))));
}

/// Whether \p Init, in a loop beside the chain, stores in each step, provided that
/// \p Needed holds; or else what is there already.
bool Recognizer::isEnteredInEachStep(const StoreInst &Init,
                                     Conditions &Needed) const {
  const Loop &Own = *In.Analyses->LI.getLoopFor(Init.getParent());
  if (!In.isEntered(Own))
    return false;
  // All of them come out as they must for the loop to be entered.
  SmallVector<std::pair<Value *, bool>, 4> Tests;
  for (const LoopNest::EntryCondition &Entry : In.Entries) {
    if (Entry.Entered != &Own)
      continue;
    if (auto *A = std::get_if<Assumption>(&Entry.Condition))
      Needed.Assumptions.push_back(*A);
    else if (auto *R = std::get_if<Requirement>(&Entry.Condition))
      Needed.MustHold.push_back(*R);
    else
      Tests.push_back({Entry.Branch->getCondition(),
                       In.leadsTo(*Entry.Branch->getSuccessor(0), Own)});
  }
  while (!Tests.empty()) {
    auto [Test, Holds] = Tests.pop_back_val();
    Value *X, *Y;
    if (Holds ? match(Test, m_LogicalAnd(m_Value(X), m_Value(Y)))
              : match(Test, m_LogicalOr(m_Value(X), m_Value(Y)))) {
      Tests.push_back({X, Holds});
      Tests.push_back({Y, Holds});
    } else if (In.isInvariant(Test)) {
      Needed.Assumptions.push_back(
          {Test, Holds, In.needsAssumptions(Test), {}});
    } else if (!isIdleUnless(*Test, Holds, Init)) {
      return false;
    }
  }
  return true;
}

/// The chain's loops around \p Init, if it runs in each step, once for each
/// column, and not for each row. A loop beside the chain may stand for that over
/// columns, provided that \p Needed holds.
std::optional<LoopChain> Recognizer::loopsInStep(const StoreInst &Init,
                                                 Conditions &Needed) const {
  Dim P = Result.Op.Domain->boundOfK();
  unsigned Row = By.Axes[P].back(), Column = By.Axes[mirrored(P)].back();
  LoopChain Loops(In.Chain.size());
  for (auto [Around, L] : zip_equal(Loops, In.Chain))
    Around = L->contains(&Init) ? L : nullptr;
  if (Loops[Row] || !Loops[By.Axes[K].back()] || !In.runsAlways(Init))
    return std::nullopt;
  if (!Loops[Column]) {
    Loop *Own = In.Analyses->LI.getLoopFor(Init.getParent());
    if (!is_contained(In.Siblings, Own) || !isEnteredInEachStep(Init, Needed))
      return std::nullopt;
    auto Count = tripCount(*Own, In);
    auto *Known = std::get_if<TripCount>(&Count);
    if (!Known || !In.isInvariant(Known->Backedges))
      return std::nullopt;
    if (Known->ValidIf)
      Needed.MustHold.push_back(*Known->ValidIf);
    ScalarEvolution &SE = In.Analyses->SE;
    Type *I64 = Type::getInt64Ty(SE.getContext());
    const SCEV *Last = SE.getTruncateOrZeroExtend(Known->Backedges, I64);
    const SCEV *LastColumn =
        SE.getTruncateOrZeroExtend(Result.Op.BackedgeCount[mirrored(P)], I64);
    // Where only a test could tell, a copy of C is the better way.
    if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, Last, LastColumn))
      return std::nullopt;
    Loops[Column] = Own;
  }
  const DominatorTree &DT = In.Analyses->DT;
  bool RunsInAll = all_of(In.Guards, [&](const VaryingGuard &G) {
    return DT.dominates(Init.getParent(), G.Branch->getParent()) ||
           In.leadsTo(G, Init, {});
  });
  return RunsInAll ? std::optional(Loops) : std::nullopt;
}

/// If \p Init, in \p Loops, stores to the row of C that has the number of the step:
/// which step is the first that adds to row zero. \p Checks: what must hold for
/// that.
std::optional<int64_t>
Recognizer::firstStepBehind(const StoreInst &Init, const LoopChain &Loops,
                            SmallVectorImpl<WrapCheck> &Checks) const {
  ScalarEvolution &SE = In.Analyses->SE;
  const Triangle &Domain = *Result.Op.Domain;
  Dim P = Domain.boundOfK(), Q = mirrored(P);
  const SCEV *Address = In.addressOf(Init);
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, In, Loops);
  if (!Form || Form->Row || Form->Chosen || By.C.Row || By.C.Chosen)
    return std::nullopt;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Checks.push_back(By.Space.wrapCheck(Sum));
  if (!By.Space.toAxes(*Form) || By.stride(*Form, P) ||
      By.stride(*Form, K) != By.stride(By.C, P) ||
      By.stride(*Form, Q) != By.stride(By.C, Q))
    return std::nullopt;
  const SCEV *Distance = SE.getMinusSCEV(Form->Base, By.C.Base);
  auto *First = dyn_cast<SCEVConstant>(withoutCasts(Domain.Offset, SE, Checks));
  if (!First || !withoutCasts(Distance, SE, Checks)->isZero())
    return std::nullopt;
  int64_t Offset = First->getAPInt().getSExtValue();
  return Domain.isOffset() ? Offset : -Offset;
}

/// The only other store, \p Rest; or the second one of two to one place, and the
/// first one, if that is all that is written between them:
///   b[k][j] = t;  b[k][j] = t * d[k];
static std::pair<StoreInst *, StoreInst *>
lastStoreOf(ArrayRef<Instruction *> Rest) {
  auto *Init = Rest.empty() ? nullptr : dyn_cast<StoreInst>(Rest.back());
  if (Rest.size() == 1)
    return {Init, nullptr};
  auto *Early = Rest.size() == 2 ? dyn_cast<StoreInst>(Rest.front()) : nullptr;
  if (!Init || !Early || Init->getParent() != Early->getParent())
    return {};
  if (Init->comesBefore(Early))
    std::swap(Init, Early);
  bool IsOverwritten =
      Init->isSimple() && Early->isSimple() &&
      Init->getPointerOperand() == Early->getPointerOperand() &&
      Init->getValueOperand()->getType() ==
          Early->getValueOperand()->getType() &&
      none_of(make_range(std::next(Early->getIterator()), Init->getIterator()),
              [](const Instruction &I) { return I.mayWriteToMemory(); });
  return IsOverwritten ? std::pair(Init, Early) : std::pair(nullptr, nullptr);
}

/// Whether nothing between \p Early, if there is one, and \p Init reads what that has
/// stored. The guard tests that \p Operands are apart from C.
bool Recognizer::isNotReadBefore(const StoreInst &Init, const StoreInst *Early,
                                 ArrayRef<FurtherOperand> Operands) const {
  return !Early ||
         all_of(make_range(std::next(Early->getIterator()), Init.getIterator()),
                [&](const Instruction &I) {
                  return !I.mayReadFromMemory() ||
                         any_of(Operands, [&](const FurtherOperand &Of) {
                           return Of.Load == &I;
                         });
                });
}

/// What \p Init stores to a row, of the row itself and of further operands;
/// \p Early has stored to the row just before.
bool Recognizer::liftStartOfStep(StoreInst &Init, const StoreInst *Early,
                                 SmallVectorImpl<WrapCheck> &Checks) {
  Contraction &Op = Result.Op;
  Dim P = Op.Domain->boundOfK();
  const Loop &Rows = *In.Chain[By.Axes[P].back()];
  ElementOfC Element{In.addressOf(Init), Op.C.ElemTy};
  SmallVector<FurtherOperand, 1> Operands;
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    // LeafOf takes constants, and nothing is changed here.
    auto *Load = dyn_cast<LoadInst>(const_cast<Value *>(&V));
    if (!Load || Rows.contains(Load) || !In.precedes(*Load, Init))
      return std::nullopt;
    if (Element.isReadBy(V, In))
      return Leaf::C;
    std::optional<Access> X = furtherOperand(*Load, In.Chain, P, Checks);
    if (!X)
      return std::nullopt;
    // Of step k, it is the element of row k.
    std::swap(X->Stride[P], X->Stride[K]);
    if (none_of(Operands,
                [&](const FurtherOperand &Of) { return Of.Load == Load; }))
      Operands.push_back({Load, std::move(*X)});
    return Leaf::Further;
  };
  Expression Start;
  if (lift(Init.getValueOperand(), In, Known, Start, isScalarArithmetic) ||
      !isNotReadBefore(Init, Early, Operands))
    return false;
  Op.Start = std::move(Start);
  Op.StartOperands = std::move(Operands);
  return true;
}

/// Whether steps read rows, if they read any of C, that \p Init has not set yet:
/// those that come later, or that are saved as the loop over rows comes to them.
bool Recognizer::readsOtherRows(const StoreInst &Init) const {
  const Triangle &Domain = *Result.Op.Domain;
  if (!May.Saved)
    return Domain.isFrom() && !By.Space.Reversed;
  unsigned Row = By.Axes[Domain.boundOfK()].back();
  return !ReadsOwnRow && Row < By.Axes[K].back() &&
         In.Chain[Row]->contains(&Init);
}

/// The store of \p Rest that may give rows what their sums start from: with a
/// diagonal, the only one. Without one, a copy of the nest makes what stands in front
/// of the steps, unless more stands behind them.
StoreInst *Recognizer::startOfRows(ArrayRef<Instruction *> Rest) const {
  if (!mayStartSumsInMemory())
    return nullptr;
  if (mayStartInSteps()) {
    auto *Only = Rest.size() == 1 ? dyn_cast<StoreInst>(Rest.front()) : nullptr;
    return Only && readsOtherRows(*Only) ? Only : nullptr;
  }
  auto IsInFront = [&](const Instruction *Write) {
    return In.precedes(*Write, Store);
  };
  bool IsOne =
      !Result.Op.Domain && Rest.size() > 1 && count_if(Rest, IsInFront) == 1;
  return IsOne ? dyn_cast<StoreInst>(*find_if(Rest, IsInFront)) : nullptr;
}

/// The loops over C's elements around \p Init, of which its own takes the place of the
/// one that is further in.
LoopChain Recognizer::loopsOfRows(const StoreInst &Init) const {
  LoopChain Loops(In.Chain.size());
  for (auto [Position, L] : enumerate(In.Chain))
    if (L->contains(&Init))
      Loops[Position] = L;
    else if (!is_contained(By.Loops[K], Position))
      Loops[Position] = In.Analyses->LI.getLoopFor(Init.getParent());
  return Loops;
}

/// Whether a store of \p Rest gives each row what its sums start from, of further
/// operands, in a loop of its own in front of the steps:
///   for i { for j b[i][j] *= d[i]; for k > i for j b[i][j] += ... }
bool Recognizer::startInRows(ArrayRef<Instruction *> Rest) {
  StoreInst *Init = startOfRows(Rest);
  auto *First = dyn_cast<LoadInst>(Result.Op.Start.Root);
  Nest Tried = Result;
  if (!Init || !First || !All.OtherSide.empty() ||
      !All.ComputedResults.empty() || !In.precedes(*Init, Store) ||
      !In.precedes(*Init, *First) || !hasSameElements(In, *Init, By, Tried) ||
      !In.addEntryConditions(*Init, Tried.Tests.Assumptions,
                             Tried.Tests.MustHold))
    return false;
  // Rows without steps are set as well.
  for (const VaryingGuard &Guard : In.Guards) {
    const BasicBlock *Inside = Guard.Branch->getSuccessor(!Guard.Enters);
    if (In.Analyses->DT.dominates(
            BasicBlockEdge(Guard.Branch->getParent(), Inside),
            Init->getParent()))
      continue;
    if (!Tried.Op.Domain || !is_contained(By.Space.DomainGuards, Guard.Branch))
      return false;
    Tried.Op.Domain->StoresEmpty = true;
  }
  Expression Start;
  SmallVector<FurtherOperand, 1> Operands;
  SmallVector<WrapCheck, 2> Checks;
  ElementOfC Element{In.addressOf(*Init), Result.Op.C.ElemTy};
  const LoopChain Loops = loopsOfRows(*Init);
  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    if (Element.isReadBy(V, In) && In.precedes(cast<Instruction>(V), *Init))
      return Leaf::C;
    return leafOfOthers(V, Loops, Operands, Checks);
  };
  if (lift(Init->getValueOperand(), In, Known, Start, isScalarArithmetic) ||
      Operands.empty())
    return false;
  Result = std::move(Tried);
  requireNoWraps(Checks);
  Result.Op.Start = std::move(Start);
  Result.Op.StartOperands = std::move(Operands);
  Result.Source.Absorbed.push_back(Init);
  StartsInRows = true;
  return true;
}

/// Whether the only other store, \p Rest, is in each step what the row of its
/// number starts from. Then all sums do.
bool Recognizer::startInSteps(ArrayRef<Instruction *> Rest) {
  auto [Init, Early] = lastStoreOf(Rest);
  if (!Init || !mayStartInSteps() || !Result.Op.Domain->isFrom() || May.Saved ||
      !All.OtherSide.empty() || !All.ComputedResults.empty() ||
      Init->getValueOperand()->getType() != Result.Op.C.ElemTy)
    return false;
  ScalarEvolution &SE = In.Analyses->SE;
  Contraction &Op = Result.Op;
  Dim P = Op.Domain->boundOfK();
  SmallVector<WrapCheck, 4> Checks;
  Conditions Needed;
  std::optional<LoopChain> Loops = loopsInStep(*Init, Needed);
  if (!Loops)
    return false;
  std::optional<int64_t> First = firstStepBehind(*Init, *Loops, Checks);
  // In the step itself, the row is started before it is added to.
  if (!First || *First < 0 || *First > 1 ||
      (*First == 0 && !In.precedes(*Init, Store)) ||
      !By.Space.isPlainBut(By.Axes[P].back()))
    return false;
  // A factor that is C has been read by then.
  const Term &T = Op.Terms.front();
  const Access &Factor = P == M ? T.B : T.A;
  if (auto Rows = rowsRead(Op, Factor, Op.C, SE);
      Rows && (Rows->Shift || !In.precedes(*Factor.Inst, *Init)))
    return false;
  if (!liftStartOfStep(*Init, Early, Checks))
    return false;
  requireNoWraps(Checks);
  append_range(Result.Tests.Assumptions, Needed.Assumptions);
  append_range(Result.Tests.MustHold, Needed.MustHold);

  Type *I64 = Type::getInt64Ty(SE.getContext());
  const SCEV *&LastRow = Op.BackedgeCount[P];
  LastRow = SE.getTruncateOrZeroExtend(
      SE.getAddExpr(LastRow, SE.getConstant(LastRow->getType(), *First)), I64);
  const SCEV *LastStep = SE.getTruncateOrZeroExtend(Op.BackedgeCount[K], I64);
  if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, LastRow, LastStep))
    Result.Tests.MustHold.push_back({ICmpInst::ICMP_EQ, LastRow, LastStep});
  Op.Domain->StoresEmpty = *First > 0;
  Result.Source.Absorbed.push_back(Init);
  if (Early)
    Result.Source.Absorbed.push_back(Early);
  StartsInSteps = true;
  return true;
}

} // namespace tilesmith
