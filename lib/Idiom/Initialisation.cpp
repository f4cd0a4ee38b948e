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
#include "Lift.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

namespace {

class Initialisation {
public:
  Initialisation(const Nest &In, const Roles &By, Contraction &Of)
      : In(In), SE(In.Analyses->SE), By(By), Of(Of) {}

  Refused matchStore(StoreInst &Store);
  Refused matchMemSet(MemSetInst &MemSet);

private:
  std::variant<LoopChain, Refusal> loopsOver(StoreInst &Store);
  std::variant<LoopChain, Refusal> chainAround(Instruction &Init);
  Refused requireSameElements(const AffineForm &Form, Instruction &Where);
  Refused requireSame(const AffineSum &X, const AffineSum &Y,
                      Instruction &Where);
  Refused requireEqual(const SCEV *X, const SCEV *Y, Instruction &Where);
  Refused apply(Instruction &Init, Expression Value);
  bool isStepBefore(const LoadInst &Load, const AffineForm &Factor,
                    const LoopChain &Loops);
  bool applyFirstStep(StoreInst &Store, const LoopChain &Loops);

  bool isSummed(unsigned Position) const {
    return is_contained(By.Loops[K], Position);
  }

  const Nest &In;
  ScalarEvolution &SE;
  const Roles &By;
  Contraction &Of;
};

/// \p X and \p Y must be equal: known now, or tested by the guard.
Refused Initialisation::requireEqual(const SCEV *X, const SCEV *Y,
                                     Instruction &Where) {
  if (X == Y)
    return std::nullopt;
  if (!X || !Y || X->getType() != Y->getType() || !In.isInvariant(X) ||
      !In.isInvariant(Y) || SE.isKnownPredicate(ICmpInst::ICMP_NE, X, Y))
    return Refusal{Reason::InitMismatch, &Where};
  if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, X, Y))
    Of.MustHold.push_back({ICmpInst::ICMP_EQ, X, Y});
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
    Of.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return std::nullopt;
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

/// The loops around an initialising store: those of C, of which a sibling may
/// take the last place.
std::variant<LoopChain, Refusal> Initialisation::loopsOver(StoreInst &Store) {
  Loop *Around = In.Analyses->LI.getLoopFor(Store.getParent());
  bool InSibling = is_contained(In.Siblings, Around);
  auto MaybeLoops = chainAround(Store);
  if (std::holds_alternative<Refusal>(MaybeLoops)) {
    if (!InSibling)
      return Refusal{Reason::OtherStore, &Store};
    return MaybeLoops;
  }
  LoopChain &Loops = std::get<LoopChain>(MaybeLoops);
  std::optional<unsigned> Missing;
  for (unsigned Position = 0; Position < Loops.size(); ++Position) {
    if (Loops[Position] || isSummed(Position))
      continue;
    if (Missing)
      return Refusal{Reason::InitMismatch, &Store};
    Missing = Position;
  }
  if (!InSibling) {
    if (!Missing)
      return Loops;
    return Refusal{Reason::OtherStore, &Store};
  }
  if (!Missing)
    return Refusal{Reason::InitMismatch, &Store};

  auto MaybeCount = tripCount(*Around, In);
  if (auto *No = std::get_if<Refusal>(&MaybeCount))
    return *No;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  const SCEV *CountOfC = In.Counts[*Missing].Backedges;
  Type *Wide = SE.getWiderType(Count.Backedges->getType(), CountOfC->getType());
  if (Refused No = requireEqual(SE.getNoopOrZeroExtend(Count.Backedges, Wide),
                                SE.getNoopOrZeroExtend(CountOfC, Wide), Store))
    return *No;
  if (Count.ValidIf)
    Of.MustHold.push_back(*Count.ValidIf);
  if (!In.addEntryConditions(Store, Of.Assumptions, Of.MustHold))
    return Refusal{Reason::InitMismatch, &Store};
  Loops[*Missing] = Around;
  return Loops;
}

Refused Initialisation::matchStore(StoreInst &Store) {
  auto Loops = loopsOver(Store);
  if (auto *No = std::get_if<Refusal>(&Loops))
    return *No;
  ElementOfC Element{In.addressOf(Store), Store.getValueOperand()->getType()};
  std::optional<AffineForm> Form;
  if (Element.Address)
    Form = affineForm(Element.Address, In, std::get<LoopChain>(Loops));
  if (!Form || Element.Ty != Of.C.ElemTy)
    return Refusal{Reason::OtherStore, &Store};
  if (requireSameElements(*Form, Store))
    return Refusal{Reason::OtherStore, &Store};

  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  Expression Value;
  Refused No = lift(Store.getValueOperand(), In, Known, Value);
  if (No && !Of.Initial)
    return applyFirstStep(Store, std::get<LoopChain>(Loops)) ? Refused() : No;
  return apply(Store, Value);
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
    Of.WrapChecks.push_back(By.Space.wrapCheck(Sum));
  return true;
}

/// The product of one more step, with which the sum begins, is stored first:
///   c[j] = a[0] * b[0][j], then c[j] += a[k] * b[k][j] for k from 1 on
/// A negative zero plus the product is the product.
bool Initialisation::applyFirstStep(StoreInst &Store, const LoopChain &Loops) {
  const auto &Domain = Of.Domain;
  const Term &T = Of.Terms.front();
  auto *Multiply = dyn_cast<Instruction>(In.resolve(Store.getValueOperand()));
  auto *Add = dyn_cast<Instruction>(Of.Update.Root);
  if (In.Zeros || Of.Terms.size() != 1 || By.Loops[K].size() != 1 ||
      !Multiply || !Add || (Domain && (Domain->isOfC() || !Domain->isFrom())) ||
      !Of.Start.isLeaf(Leaf::C) || !Of.storesSum() || !T.AMap.isLeaf(Leaf::A) ||
      !T.BMap.isLeaf(Leaf::B) || !In.precedes(Store, *Of.UpdateStore) ||
      !In.precedes(Store, *cast<LoadInst>(Of.Start.Root)))
    return false;
  bool IsProduct = Multiply->getOpcode() == Instruction::Mul ||
                   Multiply->getOpcode() == Instruction::FMul;
  auto IsSum = [&](Value *V) {
    auto It = Of.Update.Leaves.find(V);
    return It != Of.Update.Leaves.end() && It->second == Leaf::Sum;
  };
  bool Adds = Add == T.Product
                  ? isFusedMultiplyAdd(*Add) && IsSum(Add->getOperand(2))
                  : (Add->getOpcode() == Instruction::Add ||
                     Add->getOpcode() == Instruction::FAdd) &&
                        is_contained(Add->operands(), T.Product) &&
                        any_of(Add->operands(), IsSum);
  if (!IsProduct || !Adds)
    return false;
  // It is stored in each row, whether that makes more steps or not.
  for (const VaryingGuard &Guard : In.Guards)
    if (!In.Analyses->DT.dominates(Store.getParent(),
                                   Guard.Branch->getParent()))
      return false;
  auto *X = dyn_cast<LoadInst>(In.resolve(Multiply->getOperand(0))),
       *Y = dyn_cast<LoadInst>(In.resolve(Multiply->getOperand(1)));
  const Roles::Factors &P = By.Products.front();
  if (!X || !Y ||
      !((isStepBefore(*X, P.A, Loops) && isStepBefore(*Y, P.B, Loops)) ||
        (isStepBefore(*X, P.B, Loops) && isStepBefore(*Y, P.A, Loops))))
    return false;
  Of.HasStepBefore = true;
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
  const SCEV *Address = SE.getSCEV(MemSet.getDest());
  std::optional<AffineForm> Form = affineForm(Address, In, Chain);
  if (!Missing || !Form)
    return No;

  const DataLayout &DL = MemSet.getDataLayout();
  Type *IndexTy = DL.getIndexType(MemSet.getDest()->getType());
  if (MemSet.getLength()->getType() != IndexTy)
    return No;
  const SCEV *ElementSize =
      SE.getConstant(IndexTy, DL.getTypeStoreSize(Of.C.ElemTy));
  const SCEV *Extent = SE.getAddExpr(
      SE.getTruncateOrZeroExtend(In.Counts[*Missing].Backedges, IndexTy),
      SE.getOne(IndexTy));
  if (requireEqual(SE.getMulExpr(Extent, ElementSize),
                   SE.getSCEV(MemSet.getLength()), MemSet))
    return No;
  Form->Step[*Missing] = ElementSize;
  if (Refused Different = requireSameElements(*Form, MemSet))
    return Different;
  Expression Zero;
  Zero.Root = Constant::getNullValue(Of.C.ElemTy);
  return apply(MemSet, Zero);
}

/// \p Init gives each element of C \p Value. A sum that starts from the element
/// starts from that value.
Refused Initialisation::apply(Instruction &Init, Expression Value) {
  if (!In.precedes(Init, *Of.UpdateStore))
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
  if (Of.Finish.uses(Leaf::C))
    return Refusal{Reason::InitMismatch, &Init};
  if (Of.Initial)
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

Refused matchInitialisation(const Nest &In, const Effects &All, const Roles &By,
                            Contraction &Of,
                            SmallVectorImpl<Instruction *> &Rest) {
  Refused FirstNo;
  bool HasOne = false;
  auto Match = [&](Instruction *Write, auto Matcher) {
    Contraction Tried = Of;
    Refused No;
    if (HasOne)
      No = Refusal{Reason::OtherStore, Write};
    else
      No = Matcher(Initialisation(In, By, Tried));
    if (!No) {
      Of = std::move(Tried);
      Of.Absorbed.push_back(Write);
      HasOne = true;
      return;
    }
    Rest.push_back(Write);
    if (!FirstNo)
      FirstNo = No;
  };
  for (StoreInst *Store : All.Stores)
    if (Store != Of.UpdateStore && !is_contained(Of.Absorbed, Store))
      Match(Store, [&](Initialisation I) { return I.matchStore(*Store); });
  for (MemCpyInst *MemCpy : All.MemCpys)
    if (!FirstNo)
      FirstNo = Refusal{Reason::OtherStore, MemCpy};
  for (MemSetInst *MemSet : All.MemSets)
    Match(MemSet, [&](Initialisation I) { return I.matchMemSet(*MemSet); });
  return FirstNo;
}

} // namespace tilesmith
