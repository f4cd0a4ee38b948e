//===- Initialisation.cpp - values given to C inside the nest -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three places are understood:
//
//   for i for j { c[i][j] = v; for k c[i][j] += ... }              at the
//   element for i { for j' c[i][j'] = v; for j for k c[i][j] += ... }      in a
//   sibling for i { memset(c[i], 0, ...); for j for k c[i][j] += ... }     as a
//   memset
//
// In each, v may depend on the element: v = beta * c[i][j]. The loops over j
// and k may be interchanged in the last two.
//
//===----------------------------------------------------------------------===//

#include "Initialisation.h"
#include "Arithmetic.h"
#include "Lift.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

class Initialisation {
public:
  /// If an access \p MustRun, the guard tests what lets control to it.
  Initialisation(const LoopNest &In, const Roles &By, Nest &Result,
                 bool MustRun = true)
      : In(In), SE(In.Analyses->SE), By(By), Of(Result.Op), Tests(Result.Tests),
        Source(Result.Source), MustRun(MustRun) {}

  Refused matchStore(StoreInst &Store);
  Refused matchElement(Instruction &Access);
  Refused matchMemSet(MemSetInst &MemSet);

private:
  std::variant<LoopChain, Refusal> loopsOver(Instruction &Access);
  std::variant<LoopChain, Refusal> chainAround(Instruction &Init);
  Refused requireSameElements(const AffineForm &Form, Instruction &Where);
  Refused requireSame(const AffineSum &X, const AffineSum &Y,
                      Instruction &Where);
  Refused requireEqual(const SCEV *X, const SCEV *Y, Instruction &Where);
  Refused requireExtent(const SCEV *Extent, const SCEV *Unit, unsigned Position,
                        Instruction &Where);
  bool turnRound(AffineForm &Form, unsigned Position);
  Refused apply(Instruction &Init, Expression Value);
  bool isStepBefore(const LoadInst &Load, const AffineForm &Factor,
                    const LoopChain &Loops);
  bool applyFirstStep(StoreInst &Store);
  bool startsFromC(const StoreInst &Init) const;

  bool isSummed(unsigned Position) const {
    return is_contained(By.Loops[K], Position);
  }

  const LoopNest &In;
  ScalarEvolution &SE;
  const Roles &By;
  Contraction &Of;
  Conditions &Tests;
  Surroundings &Source;
  bool MustRun;
};

/// \p X and \p Y must be equal: known now, or tested by the guard.
Refused Initialisation::requireEqual(const SCEV *X, const SCEV *Y,
                                     Instruction &Where) {
  if (X == Y)
    return std::nullopt;
  if (!X || !Y || X->getType() != Y->getType() || !In.isInvariant(X) ||
      !In.isInvariant(Y) || SE.isKnownPredicate(ICmpInst::ICMP_NE, X, Y))
    return Refusal{Reason::InitMismatch, &Where};
  // A single row or element is a distance that only empty matrices do without.
  if (X->getType()->isPointerTy()) {
    SmallVector<WrapCheck, 2> Checks;
    const SCEV *Distance = withoutCasts(SE.getMinusSCEV(X, Y), SE, Checks);
    if (!Distance->isZero() && !isa<SCEVAddExpr, SCEVCouldNotCompute>(Distance))
      return Refusal{Reason::InitMismatch, &Where};
  }
  if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, X, Y))
    Tests.MustHold.push_back({ICmpInst::ICMP_EQ, X, Y});
  return std::nullopt;
}

Refused Initialisation::requireSame(const AffineSum &X, const AffineSum &Y,
                                    Instruction &Where) {
  if (Refused No = requireEqual(X.Base, Y.Base, Where))
    return No;
  for (auto [StepX, StepY] : zip(X.Step, Y.Step))
    if (Refused No = requireEqual(StepX, StepY, Where))
      return No;
  return std::nullopt;
}

Refused Initialisation::requireSameElements(const AffineForm &Form,
                                            Instruction &Where) {
  const AffineForm &FormOfC = By.COverLoops;
  if (Refused No = requireSame(Form, FormOfC, Where))
    return No;
  if (Form.Row.has_value() != FormOfC.Row.has_value())
    return Refusal{Reason::InitMismatch, &Where};
  if (Form.Row)
    if (Refused No = requireSame(*Form.Row, *FormOfC.Row, Where))
      return No;
  for (const AffineForm::NarrowSum &Sum : Form.MustNotWrap)
    Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return std::nullopt;
}

/// \p Extent is that of the loop at \p Position, in units of \p Unit.
Refused Initialisation::requireExtent(const SCEV *Extent, const SCEV *Unit,
                                      unsigned Position, Instruction &Where) {
  Type *Ty = Extent->getType();
  auto InUnits = [&](const SCEV *Backedges) {
    return SE.getMulExpr(
        SE.getAddExpr(SE.getTruncateOrZeroExtend(Backedges, Ty), SE.getOne(Ty)),
        Unit);
  };
  const SCEV *Wanted = InUnits(In.Counts[Position].Backedges);
  const auto &Rows = By.Space.Backedges;
  if (Extent == Wanted || !Rows || By.Space.Domain->Y != Position ||
      Ty != Rows->Base->getType())
    return requireEqual(Wanted, Extent, Where);
  std::optional<AffineForm> Form =
      affineForm(By.Space.whereRun(Extent, Where, In, Tests), In, In.Chain);
  if (!Form)
    return Refusal{Reason::InitMismatch, &Where};
  AffineSum Row = *Rows;
  Row.Base = InUnits(Row.Base);
  for (const SCEV *&Step : Row.Step)
    if (Step)
      Step = SE.getMulExpr(Step, Unit);
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return requireSame(*Form, Row, Where);
}

/// The loops of the chain around \p Init, in their places. None of them may be
/// over k, or the sum would begin anew.
std::variant<LoopChain, Refusal>
Initialisation::chainAround(Instruction &Init) {
  LoopChain Loops(In.Chain.size());
  for (auto [Position, L] : enumerate(In.Chain)) {
    if (!L->contains(&Init))
      continue;
    if (isSummed(Position))
      return Refusal{Reason::InitMismatch, &Init};
    Loops[Position] = L;
  }
  return Loops;
}

/// The loops around an access: those of C, of which a sibling may
/// take the last place.
std::variant<LoopChain, Refusal>
Initialisation::loopsOver(Instruction &Access) {
  Loop *Around = In.Analyses->LI.getLoopFor(Access.getParent());
  bool InSibling = is_contained(In.Siblings, Around);
  auto MaybeLoops = chainAround(Access);
  if (std::holds_alternative<Refusal>(MaybeLoops)) {
    if (!InSibling)
      return Refusal{Reason::OtherStore, &Access};
    return MaybeLoops;
  }
  LoopChain &Loops = std::get<LoopChain>(MaybeLoops);
  std::optional<unsigned> Missing;
  for (unsigned Position = 0; Position < Loops.size(); ++Position) {
    if (Loops[Position] || isSummed(Position))
      continue;
    if (Missing)
      return Refusal{Reason::InitMismatch, &Access};
    Missing = Position;
  }
  if (!InSibling) {
    if (!Missing)
      return Loops;
    return Refusal{Reason::OtherStore, &Access};
  }
  if (!Missing)
    return Refusal{Reason::InitMismatch, &Access};

  auto MaybeCount = tripCount(*Around, In);
  if (auto *No = std::get_if<Refusal>(&MaybeCount))
    return *No;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  const SCEV *CountOfC = In.Counts[*Missing].Backedges;
  Type *Wide = SE.getWiderType(Count.Backedges->getType(), CountOfC->getType());
  const SCEV *One = SE.getOne(Wide);
  const SCEV *Extent =
      SE.getAddExpr(SE.getNoopOrZeroExtend(Count.Backedges, Wide), One);
  if (Refused No = requireExtent(Extent, One, *Missing, Access))
    return *No;
  if (Count.ValidIf)
    Tests.MustHold.push_back(*Count.ValidIf);
  if (MustRun &&
      !In.addEntryConditions(Access, Tests.Assumptions, Tests.MustHold))
    return Refusal{Reason::InitMismatch, &Access};
  Loops[*Missing] = Around;
  return Loops;
}

/// \p Access goes through the elements of C, in the order in which the product
/// does.
Refused Initialisation::matchElement(Instruction &Access) {
  auto Loops = loopsOver(Access);
  if (auto *No = std::get_if<Refusal>(&Loops))
    return *No;
  const SCEV *Address = In.addressOf(Access);
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, In, std::get<LoopChain>(Loops));
  if (!Form || getLoadStoreType(&Access) != Of.C.ElemTy ||
      requireSameElements(*Form, Access))
    return Refusal{Reason::OtherStore, &Access};
  return std::nullopt;
}

Refused Initialisation::matchStore(StoreInst &Store) {
  if (Refused No = matchElement(Store))
    return No;
  ElementOfC Element{In.addressOf(Store), Store.getValueOperand()->getType()};

  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  Expression Value;
  Refused No = lift(Store.getValueOperand(), In, Known, Value);
  // The kernel sets the elements itself, and this is overwritten unread.
  if (!Of.StartOperands.empty() && !Of.Start.uses(Leaf::C))
    return apply(Store, Value);
  if (No && Source.Initials.empty() && !startsFromC(Store))
    return applyFirstStep(Store) ? Refused() : No;
  if (No && Source.Initials.empty())
    Source.Initials.push_back({&Store, Store.getValueOperand()});
  return apply(Store, Value);
}

/// Whether the nest stores what it likes with \p Init, in front of all loops over
/// k, and sums in memory start from that: a copy of the nest can store it.
bool Initialisation::startsFromC(const StoreInst &Init) const {
  const Loop &Sum = *In.Chain[By.Loops[K].front()];
  return !Of.Outer.empty() && Of.Start.isLeaf(Leaf::C) &&
         !Of.Finish.uses(Leaf::C) && !In.Zeros && !Of.hasRowTables() &&
         !Of.Domain && !Source.ToScratch && !Sum.contains(&Init);
}

/// Whether \p Load is of the element of a factor one step before its first.
bool Initialisation::isStepBefore(const LoadInst &Load,
                                  const AffineForm &Factor,
                                  const LoopChain &Loops) {
  const SCEV *Address = In.addressOf(Load);
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, In, Loops);
  unsigned AxisK = By.Axes[K].back();
  const SCEV *Step = Factor.Step[AxisK];
  if (!Form || Form->Row || Factor.Row || !Step || !By.Space.toAxes(*Form))
    return false;
  AffineForm Before = Factor;
  Before.Step[AxisK] = nullptr;
  const SCEV *Distance = SE.getMinusOne(Step->getType());
  if (const auto &Domain = Of.Domain) {
    // Steps begin at the diagonal.
    const SCEV *Offset = Domain->isOffset()
                             ? Domain->Offset
                             : SE.getNegativeSCEV(Domain->Offset);
    Distance = SE.getAddExpr(
        Distance, SE.getTruncateOrSignExtend(Offset, Step->getType()));
    const SCEV *&Row = Before.Step[By.Axes[Domain->boundOfK()].back()];
    Row = Row ? SE.getAddExpr(Row, Step) : Step;
  }
  Before.Base = SE.getAddExpr(Before.Base, SE.getMulExpr(Distance, Step));
  if (Form->Base != Before.Base || Form->Step != Before.Step)
    return false;
  for (const AffineForm::NarrowSum &Sum : Form->MustNotWrap)
    Tests.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return true;
}

/// The product of one more step, with which the sum begins, is stored first:
///   c[j] = a[0] * b[0][j], then c[j] += a[k] * b[k][j] for k from 1 on
/// A negative zero plus the product is the product.
bool Initialisation::applyFirstStep(StoreInst &Store) {
  auto Around = loopsOver(Store);
  if (std::holds_alternative<Refusal>(Around))
    return false;
  const LoopChain &Loops = std::get<LoopChain>(Around);
  const auto &Domain = Of.Domain;
  const Term &T = Of.Terms.front();
  if (In.Zeros || Of.Terms.size() != 1 || Of.hasPairings() ||
      By.Loops[K].size() != 1 ||
      (Domain && (Domain->isOfC() || !Domain->isFrom())) ||
      !Of.Start.isLeaf(Leaf::C) || !Of.storesSum() || !T.AMap.isLeaf(Leaf::A) ||
      !T.BMap.isLeaf(Leaf::B) || !In.precedes(Store, *Source.UpdateStore) ||
      !In.precedes(Store, *cast<LoadInst>(Of.Start.Root)))
    return false;
  if (!match(Of.Update.Root, m_MultiplyAdd(m_Specific(T.Product),
                                           m_Leaf(Of.Update, Leaf::Sum))))
    return false;
  // It is stored in each row, whether that makes more steps or not.
  for (const VaryingGuard &Guard : In.Guards)
    if (!In.Analyses->DT.dominates(Store.getParent(),
                                   Guard.Branch->getParent()))
      return false;
  auto StepBefore = [&](const AffineForm &Factor) {
    return m_Seen(In, m_If<LoadInst>([&](LoadInst &Load) {
                    return isStepBefore(Load, Factor, Loops);
                  }));
  };
  const Roles::Factors &P = By.Products.front();
  if (!match(In.resolve(Store.getValueOperand()),
             m_Times(StepBefore(P.A), StepBefore(P.B))))
    return false;
  Source.HasStepBefore = true;
  Of.BackedgeCount[K] = SE.getAddExpr(
      Of.BackedgeCount[K], SE.getOne(Of.BackedgeCount[K]->getType()));
  for (Access *Factor : {&Of.Terms.front().A, &Of.Terms.front().B})
    Factor->Base =
        SE.getAddExpr(Factor->Base, SE.getNegativeSCEV(Factor->Stride[K]));
  Of.Start = Expression();
  Of.Start.Root = Of.SumTy->isFloatingPointTy()
                      ? ConstantFP::getNegativeZero(Of.SumTy)
                      : Constant::getNullValue(Of.SumTy);
  return true;
}

/// \p Form, whose last loop goes through a row from its first element on,
/// becomes that of a loop which comes from the last one.
bool Initialisation::turnRound(AffineForm &Form, unsigned Position) {
  const SCEV *&Step = Form.Step[Position];
  Type *Ty = Step->getType();
  AffineSum Last;
  Last.Base = In.Counts[Position].Backedges;
  Last.Step.resize(Form.Step.size());
  if (By.Space.Backedges && By.Space.Domain->Y == Position)
    Last = *By.Space.Backedges;
  else if (!In.isInvariant(Last.Base))
    return false;
  auto Times = [&](const SCEV *Number) {
    return SE.getMulExpr(Step, SE.getTruncateOrZeroExtend(Number, Ty));
  };
  Form.Base = SE.getAddExpr(Form.Base, Times(Last.Base));
  for (auto [Sum, Number] : zip_equal(Form.Step, Last.Step))
    if (Number)
      Sum = Sum ? SE.getAddExpr(Sum, Times(Number)) : Times(Number);
  Step = SE.getNegativeSCEV(Step);
  return true;
}

/// The memset covers what the inner loop over C would.
Refused Initialisation::matchMemSet(MemSetInst &MemSet) {
  Refusal No{Reason::InitMismatch, &MemSet};
  auto *Byte = dyn_cast<ConstantInt>(MemSet.getValue());
  auto Loops = chainAround(MemSet);
  if (!Byte || !Byte->isZero() || !In.runsAlways(MemSet) ||
      std::holds_alternative<Refusal>(Loops))
    return No;
  LoopChain &Chain = std::get<LoopChain>(Loops);
  std::optional<unsigned> Missing;
  for (unsigned Position = 0; Position < Chain.size(); ++Position) {
    if (Chain[Position] || isSummed(Position))
      continue;
    if (Missing)
      return No;
    Missing = Position;
  }
  const SCEV *Address =
      By.Space.whereRun(SE.getSCEV(MemSet.getDest()), MemSet, In, Tests);
  std::optional<AffineForm> Form = affineForm(Address, In, Chain);
  if (!Missing || !Form)
    return No;

  const DataLayout &DL = MemSet.getDataLayout();
  Type *IndexTy = DL.getIndexType(MemSet.getDest()->getType());
  if (MemSet.getLength()->getType() != IndexTy)
    return No;
  const SCEV *ElementSize =
      SE.getConstant(IndexTy, DL.getTypeStoreSize(Of.C.ElemTy));
  if (requireExtent(SE.getSCEV(MemSet.getLength()), ElementSize, *Missing,
                    MemSet))
    return No;
  Form->Step[*Missing] = ElementSize;
  if (By.COverLoops.Step[*Missing] == SE.getNegativeSCEV(ElementSize) &&
      !turnRound(*Form, *Missing))
    return No;
  if (Refused Different = requireSameElements(*Form, MemSet))
    return Different;
  Expression Zero;
  Zero.Root = Constant::getNullValue(Of.C.ElemTy);
  return apply(MemSet, Zero);
}

/// \p Init gives each element of C \p Value. A sum that starts from the element
/// starts from that value.
Refused Initialisation::apply(Instruction &Init, Expression Value) {
  if (!In.precedes(Init, *Source.UpdateStore))
    return Refusal{Reason::OtherStore, &Init};
  // Kernels do not store elements without a single step.
  if (Of.Domain && !Of.Domain->isOfC())
    for (const VaryingGuard &Guard : In.Guards) {
      const BasicBlock *Inside = Guard.Branch->getSuccessor(!Guard.Enters);
      if (!In.Analyses->DT.dominates(
              BasicBlockEdge(Guard.Branch->getParent(), Inside),
              Init.getParent()))
        return Refusal{Reason::InitMismatch, &Init};
    }
  if (Of.After && Of.After->uses(Leaf::C))
    return Refusal{Reason::InitMismatch, &Init};
  // What is added to the element when the sum is complete is the value.
  SmallVector<llvm::Value *, 1> Finished;
  for (const auto &[Element, Kind] : Of.Finish.Leaves)
    if (Kind == Leaf::C)
      Finished.push_back(Element);
  for (llvm::Value *Element : Finished) {
    if (!isa<Constant>(Value.Root) ||
        !In.precedes(Init, *cast<LoadInst>(Element)))
      return Refusal{Reason::InitMismatch, &Init};
    Of.Finish.Leaves.erase(Element);
    Of.Finish.Forwards[Element] = Value.Root;
  }
  if (!Source.Initials.empty())
    return std::nullopt; // So is this one.
  for (const auto &[Element, Kind] : Of.Start.Leaves) {
    if (Kind != Leaf::C || !In.precedes(Init, *cast<LoadInst>(Element)))
      continue;
    if (Element != Of.Start.Root)
      return Refusal{Reason::InitMismatch, &Init};
    Of.Start = std::move(Value);
    return std::nullopt;
  }
  // The initial value is overwritten unread, since k runs at least once.
  return std::nullopt;
}

} // namespace

bool hasSameElements(const LoopNest &In, Instruction &Access, const Roles &By,
                     Nest &Of) {
  Nest Tried = Of;
  if (Initialisation(In, By, Tried, /*MustRun=*/false).matchElement(Access))
    return false;
  // Where only a test could tell, there may be a better way to part the two.
  for (const Requirement &R :
       drop_begin(Tried.Tests.MustHold, Of.Tests.MustHold.size()))
    if (R.Predicate == ICmpInst::ICMP_EQ)
      return false;
  Of = std::move(Tried);
  return true;
}

Refused matchInitialisation(const LoopNest &In, const Effects &All,
                            const Roles &By, Nest &Of,
                            SmallVectorImpl<Instruction *> &Rest) {
  Refused FirstNo;
  bool HasOne = false;
  auto Match = [&](Instruction *Write, auto Matcher) {
    Nest Tried = Of;
    Refused No;
    if (HasOne)
      No = Refusal{Reason::OtherStore, Write};
    else
      No = Matcher(Initialisation(In, By, Tried));
    if (!No) {
      Of = std::move(Tried);
      Of.Source.Absorbed.push_back(Write);
      HasOne = true;
      return;
    }
    Rest.push_back(Write);
    if (!FirstNo)
      FirstNo = No;
  };
  for (StoreInst *Store : All.Stores)
    if (Store != Of.Source.UpdateStore &&
        !is_contained(Of.Source.Absorbed, Store))
      Match(Store, [&](Initialisation I) { return I.matchStore(*Store); });
  for (MemCpyInst *MemCpy : All.MemCpys)
    if (!FirstNo)
      FirstNo = Refusal{Reason::OtherStore, MemCpy};
  for (MemSetInst *MemSet : All.MemSets)
    Match(MemSet, [&](Initialisation I) { return I.matchMemSet(*MemSet); });
  return FirstNo;
}

} // namespace tilesmith
