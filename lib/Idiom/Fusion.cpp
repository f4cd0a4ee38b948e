//===- Fusion.cpp - where the bits depend on what is fused ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffp-contract=fast, a multiplication and an addition may be fused, and
// need not be. LLVM decides that when it selects instructions, block by block:
//
//   x + a * b             fused, if both stand in one block
//   a * b + c * d         the first of them is fused, and the second rounded
//   v = <a1, a2> * <b1, b2>
//   (x + v[0]) + v[1]     none: the products were made as one vector before
//
// A kernel does what the first two lines say. The third is the work of the SLP
// vectoriser, which finds such products where steps over k are unrolled, and
// whose cost model nobody can follow: there a nest is refused.
//
//===----------------------------------------------------------------------===//

#include "Recognizer.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace tilesmith {

/// Whether LLVM may load both elements at once.
static bool areAdjacent(const Access &X, const Access &Y, ScalarEvolution &SE) {
  if (X.ElemTy != Y.ElemTy || X.Rows || Y.Rows ||
      X.Inst->getParent() != Y.Inst->getParent())
    return false;
  auto *Distance = dyn_cast<SCEVConstant>(SE.getMinusSCEV(X.Base, Y.Base));
  const DataLayout &DL = X.Inst->getDataLayout();
  return Distance &&
         Distance->getAPInt().abs() == DL.getTypeStoreSize(X.ElemTy);
}

/// Whether two products of one step may become lanes of a vector, of which
/// sums are taken one by one.
static bool mayBecomeLanes(ArrayRef<Term> Terms, ScalarEvolution &SE) {
  for (auto [I, X] : enumerate(Terms))
    for (const Term &Y : Terms.take_front(I))
      for (const Access *P : {&X.A, &X.B})
        for (const Access *Q : {&Y.A, &Y.B})
          if (areAdjacent(*P, *Q, SE))
            return true;
  return false;
}

/// The product that \p V is, if it may be fused where it is added.
static const Instruction *fusible(const Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  while (I && (I->getOpcode() == Instruction::FNeg ||
               I->getOpcode() == Instruction::FPExt ||
               (isa<PHINode>(I) && I->getNumOperands() == 1)))
    I = dyn_cast<Instruction>(I->getOperand(0));
  return I && isContractable(*I) ? I : nullptr;
}

/// Whether two products are added in \p Root, either of which may be fused.
static bool addsTwoProducts(const Loop &Root) {
  for (const BasicBlock *BB : Root.blocks())
    for (const Instruction &I : *BB)
      if ((I.getOpcode() == Instruction::FAdd ||
           I.getOpcode() == Instruction::FSub) &&
          fusible(I.getOperand(0)) && fusible(I.getOperand(1)))
        return true;
  return false;
}

/// Refuses what LLVM may fuse in another way than a kernel does:
/// * Products of one step with adjacent factors: see above. With LTO, loops are
///   unrolled before scalars become vectors, so that holds for each loop over
///   k.
/// * Neighbouring elements, such as the parts of a complex number, are computed
///   as one vector, and addends exchanged to make them alike. Which of two
///   products is fused with their addition is not known then; nor is it with
///   LTO, where products move to other blocks.
/// * Two widened products of one element may be computed as one vector, and
///   taken out of it to be added.
/// * Where C is walked backwards, but not the factors, products are computed
///   in one order, and reversed to be added.
Refused Recognizer::checkFusion() const {
  Refusal No{Reason::MixedFusion, &Store};
  ScalarEvolution &SE = In.Analyses->SE;
  auto HasNeighbour = [&] {
    return any_of(All.Stores,
                  [&](StoreInst *Other) { return isNeighbour(*Other); });
  };
  if (addsTwoProducts(In.root()) && (In.Analyses->LinksLater || HasNeighbour()))
    return No;
  if (none_of(Result.Terms,
              [](const Term &T) { return isContractable(*T.Product); }))
    return std::nullopt;
  if (In.Analyses->LinksLater && Result.SumsInnermost)
    return No;
  if (Result.Terms.size() > 1) {
    if (mayBecomeLanes(Result.Terms, SE))
      return No;
    for (const Term &T : Result.Terms)
      if (T.A.ElemTy != Result.SumTy || T.B.ElemTy != Result.SumTy)
        return No;
    if (!Result.isFusedChain() && HasNeighbour())
      return No;
  }

  SmallVector<const Instruction *, 4> Factors;
  for (const Term &T : Result.Terms)
    Factors.append({T.A.Inst, T.B.Inst});
  return isReversedAlone(In, Store, Factors) ? Refused(No) : std::nullopt;
}

bool isReversedAlone(const Nest &In, const StoreInst &Store,
                     ArrayRef<const Instruction *> Factors) {
  // How far the innermost loop moves it: nothing if that is not known.
  auto StepOf = [&](const Instruction &I) -> std::optional<APInt> {
    const SCEV *Address = In.addressOf(I);
    std::optional<AffineForm> Form;
    if (Address)
      Form = affineForm(Address, In, In.Chain);
    if (!Form)
      return std::nullopt;
    const SCEV *Step = Form->Step.back();
    if (!Step)
      return APInt::getZero(64);
    auto *Bytes = dyn_cast<SCEVConstant>(Step);
    return Bytes ? std::optional(Bytes->getAPInt().sextOrTrunc(64))
                 : std::nullopt;
  };
  std::optional<APInt> Step = StepOf(Store);
  return Step && Step->isNegative() &&
         any_of(Factors, [&](const Instruction *Factor) {
           std::optional<APInt> Other = StepOf(*Factor);
           return !Other || (!Other->isZero() && *Other != *Step);
         });
}

/// Whether \p Other stores the element next to that of this update.
bool Recognizer::isNeighbour(const StoreInst &Other) const {
  std::optional<AffineForm> X = formOf(Store), Y = formOf(Other);
  if (!X || !Y)
    return false;
  auto *Distance =
      dyn_cast<SCEVConstant>(In.Analyses->SE.getMinusSCEV(X->Base, Y->Base));
  uint64_t Size = Store.getDataLayout().getTypeStoreSize(
      Store.getValueOperand()->getType());
  return Distance && Distance->getAPInt().abs() == Size;
}

/// The address of \p Of over the loops.
std::optional<AffineForm> Recognizer::formOf(const StoreInst &Of) const {
  const SCEV *Address = In.addressOf(Of);
  return Address ? affineForm(Address, In, In.Chain) : std::nullopt;
}

} // namespace tilesmith
