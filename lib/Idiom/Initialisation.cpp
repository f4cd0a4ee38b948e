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
  std::variant<std::array<Loop *, ChainLength>, Refusal>
  loopsOver(StoreInst &Store);
  Refused requireSameElements(const AffineForm &Form, Instruction &Where);
  Refused requireEqual(const SCEV *X, const SCEV *Y, Instruction &Where);
  Refused apply(Instruction &Init, Expression Value);

  /// The position in the chain of C's second loop; the first one is the root.
  unsigned innerPosition() const { return ChainLength - By.Position[K]; }
  bool isRootSummed() const { return By.Position[K] == 0; }

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
  if (!X || !Y || X->getType() != Y->getType() ||
      SE.isKnownPredicate(ICmpInst::ICMP_NE, X, Y))
    return Refusal{Reason::InitMismatch, &Where};
  if (!SE.isKnownPredicate(ICmpInst::ICMP_EQ, X, Y))
    Of.MustHold.push_back({ICmpInst::ICMP_EQ, X, Y});
  return std::nullopt;
}

Refused Initialisation::requireSameElements(const AffineForm &Form,
                                            Instruction &Where) {
  if (Refused No = requireEqual(Form.Base, By.C.Base, Where))
    return No;
  for (auto [Step, StepOfC] : zip(Form.Step, By.C.Step))
    if (Refused No = requireEqual(Step, StepOfC, Where))
      return No;
  requireNoWrap(Form, By, Of);
  return std::nullopt;
}

/// The loops around an initialising store, each in its dimension's place.
std::variant<std::array<Loop *, ChainLength>, Refusal>
Initialisation::loopsOver(StoreInst &Store) {
  Loop *Around = In.Analyses->LI.getLoopFor(Store.getParent());
  if (Around == In.Chain[1] && innerPosition() == 1)
    return In.Chain;
  if (!is_contained(In.Siblings, Around))
    return Refusal{Reason::OtherStore, &Store};
  if (isRootSummed() || Around->getParentLoop() != &In.root())
    return Refusal{Reason::InitMismatch, &Store};

  auto MaybeCount = tripCount(*Around, In);
  if (auto *No = std::get_if<Refusal>(&MaybeCount))
    return *No;
  const TripCount &Count = std::get<TripCount>(MaybeCount);
  const SCEV *CountOfC = In.Counts[innerPosition()].Backedges;
  Type *Wide = SE.getWiderType(Count.Backedges->getType(), CountOfC->getType());
  if (Refused No = requireEqual(SE.getNoopOrZeroExtend(Count.Backedges, Wide),
                                SE.getNoopOrZeroExtend(CountOfC, Wide), Store))
    return *No;
  if (Count.ValidIf)
    Of.MustHold.push_back(*Count.ValidIf);
  std::array<Loop *, ChainLength> Loops{&In.root(), nullptr, nullptr};
  Loops[innerPosition()] = Around;
  return Loops;
}

Refused Initialisation::matchStore(StoreInst &Store) {
  auto Loops = loopsOver(Store);
  if (auto *No = std::get_if<Refusal>(&Loops))
    return *No;
  ElementOfC Element{In.addressOf(Store), Store.getValueOperand()->getType()};
  std::optional<AffineForm> Form;
  if (Element.Address)
    Form = affineForm(Element.Address, In,
                      std::get<std::array<Loop *, ChainLength>>(Loops));
  if (!Form || Element.Ty != Of.C.ElemTy)
    return Refusal{Reason::OtherStore, &Store};
  if (requireSameElements(*Form, Store))
    return Refusal{Reason::OtherStore, &Store};

  auto Known = [&](const Value &V) -> std::optional<Leaf> {
    return Element.isReadBy(V, In) ? std::optional(Leaf::C) : std::nullopt;
  };
  Expression Value;
  if (Refused No = lift(Store.getValueOperand(), In, Known, Value))
    return No;
  return apply(Store, Value);
}

/// The memset covers what the inner loop over C would, for one counter of the
/// root.
Refused Initialisation::matchMemSet(MemSetInst &MemSet) {
  auto *Byte = dyn_cast<ConstantInt>(MemSet.getValue());
  const SCEV *Address = SE.getSCEV(MemSet.getDest());
  std::optional<AffineForm> Form =
      affineForm(Address, In, {&In.root(), nullptr, nullptr});
  if (!Byte || !Byte->isZero() || !Form || isRootSummed() ||
      In.Analyses->LI.getLoopFor(MemSet.getParent()) != &In.root())
    return Refusal{Reason::InitMismatch, &MemSet};

  const DataLayout &DL = MemSet.getDataLayout();
  Type *IndexTy = DL.getIndexType(MemSet.getDest()->getType());
  if (MemSet.getLength()->getType() != IndexTy)
    return Refusal{Reason::InitMismatch, &MemSet};
  const SCEV *ElementSize =
      SE.getConstant(IndexTy, DL.getTypeStoreSize(Of.C.ElemTy));
  const SCEV *Extent = SE.getAddExpr(
      SE.getTruncateOrZeroExtend(In.Counts[innerPosition()].Backedges, IndexTy),
      SE.getOne(IndexTy));
  if (Refused No = requireEqual(SE.getMulExpr(Extent, ElementSize),
                                SE.getSCEV(MemSet.getLength()), MemSet))
    return No;
  Form->Step[innerPosition()] = ElementSize;
  if (Refused No = requireSameElements(*Form, MemSet))
    return No;
  Expression Zero;
  Zero.Root = Constant::getNullValue(Of.C.ElemTy);
  return apply(MemSet, Zero);
}

/// \p Init gives each element of C \p Value. A sum that starts from the element
/// starts from that value.
Refused Initialisation::apply(Instruction &Init, Expression Value) {
  if (!In.precedes(Init, *Of.UpdateStore))
    return Refusal{Reason::OtherStore, &Init};
  if (Of.Finish.uses(Leaf::C))
    return Refusal{Reason::InitMismatch, &Init};
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
                            Contraction &Of) {
  SmallVector<StoreInst *, 4> Stores(make_filter_range(
      All.Stores, [&](StoreInst *S) { return S != Of.UpdateStore; }));
  if (Stores.size() + All.MemSets.size() > 1) {
    Instruction *Second = Stores.size() > 1 ? (Instruction *)Stores[1]
                                            : (Instruction *)All.MemSets.back();
    return Refusal{Reason::OtherStore, Second};
  }
  Initialisation Init(In, By, Of);
  if (!Stores.empty())
    return Init.matchStore(*Stores.front());
  if (!All.MemSets.empty())
    return Init.matchMemSet(*All.MemSets.front());
  return std::nullopt;
}

} // namespace tilesmith
