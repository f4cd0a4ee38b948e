//===- BorderValues.cpp - what a nest does beyond a border ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond the border of an image (see Borders.cpp), a nest leaves out the step, or
// makes it with zero for the image's element, or for the product. Nothing else may
// differ there.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Recognizer.h"
#include "ZeroGuard.h"
#include "ZeroSteps.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether each value that comes from beyond \p Border is that of a step that is
/// made, or MayDiffer(value, that of a step).
static bool agreeBeyond(const LoopNest &In, const BorderGuard &Border,
                        function_ref<bool(Value *, Value *)> MayDiffer) {
  auto Agree = [&](BasicBlock *Pred, BasicBlock *BB) {
    return all_of(BB->phis(), [&](PHINode &Phi) {
      Value *V = In.resolve(Phi.getIncomingValueForBlock(Pred));
      Value *Live = In.resolve(&Phi);
      return V == Live || MayDiffer(V, Live);
    });
  };
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> Work{
      {Border.Branch->getParent(), Border.leftOut()}};
  SmallPtrSet<BasicBlock *, 4> Seen;
  while (!Work.empty()) {
    auto [Pred, BB] = Work.pop_back_val();
    if (In.Live.contains(BB)) {
      if (!Agree(Pred, BB))
        return false;
      continue;
    }
    if (!In.root().contains(BB))
      return false;
    if (Seen.insert(BB).second)
      for (BasicBlock *Succ : successors(BB))
        Work.push_back({BB, Succ});
  }
  return true;
}

/// Whether \p V is what the sum was before the steps beyond \p Border: what a loop
/// around carries, or what the loops behind the branch start from.
static bool isSumBefore(const LoopNest &In, const BorderGuard &Border,
                        const Update &From, Value *V) {
  if (!is_contained(In.bordersAround(*From.Sum), &Border))
    return false;
  const Loop *Around = In.Analyses->LI.getLoopFor(Border.Branch->getParent());
  auto *Carried = dyn_cast<PHINode>(V);
  if (Carried && Carried->getParent() == Around->getHeader() &&
      In.incomingFromLatch(*Carried) == From.Sum)
    return true;
  auto Behind = find_if(
      In.Chain, [&](const Loop *L) { return !L->contains(Border.Branch); });
  return Behind != In.Chain.end() &&
         any_of((*Behind)->getHeader()->phis(), [&](PHINode &Phi) {
           Value *First = In.incomingFromOutside(Phi);
           return First && In.resolve(First) == V &&
                  In.incomingFromLatch(Phi) == From.Sum;
         });
}

/// Where a step is left out, each value is what it was before, or does not depend
/// on it.
static bool keepsValues(const LoopNest &In, const BorderGuard &Border,
                        const Update &From) {
  return is_contained(In.bordersAround(*From.Sum), &Border) &&
         agreeBeyond(In, Border, [&](Value *V, Value *Live) {
           return Live == From.Sum && isSumBefore(In, Border, From, V);
         });
}

static bool isNull(const Value *V) {
  auto *Zero = dyn_cast<Constant>(V);
  return Zero && Zero->isNullValue();
}

/// Whether something differs beyond \p Border, and nothing but what \p MayDiffer.
static bool differBeyond(const LoopNest &In, const BorderGuard &Border,
                         function_ref<bool(Value *, Value *)> MayDiffer) {
  bool IsAny = false;
  bool Agree = agreeBeyond(In, Border, [&](Value *V, Value *Live) {
    IsAny = true;
    return MayDiffer(V, Live);
  });
  return Agree && IsAny;
}

/// Whether nothing differs beyond \p Border but that zero stands for what \p IsZeroed
/// says, or that the sum is \p IsSum.
static bool isZeroBeyond(const LoopNest &In, const BorderGuard &Border,
                         Instruction *Sum, function_ref<bool(Value *)> IsZeroed,
                         function_ref<bool(Value *)> IsSum = nullptr) {
  return differBeyond(In, Border, [&](Value *V, Value *Live) {
    if (Live == Sum)
      return (IsSum && IsSum(V)) || ZeroSteps(In, IsZeroed).hasSum(V, Sum);
    return isNull(V) && IsZeroed(Live);
  });
}

/// Whether \p Zeroed is what \p V would be if \p IsLoaded were zero.
static bool isMadeOfZero(Value *Zeroed, Value *V,
                         function_ref<bool(Value *)> IsLoaded) {
  if (isNull(Zeroed) && IsLoaded(V))
    return true;
  auto *X = dyn_cast<Instruction>(Zeroed), *Y = dyn_cast<Instruction>(V);
  if (auto *Negated = dyn_cast<Constant>(Zeroed))
    return match(Negated, m_NegZeroFP()) && Y && match(Y, m_FNeg(m_Value(V))) &&
           IsLoaded(V);
  return Zeroed == V ||
         (X && Y && !isa<PHINode>(X) && !X->mayReadOrWriteMemory() &&
          X->isSameOperationAs(Y) && X->hasSameSubclassOptionalData(Y) &&
          all_of(zip_equal(X->operands(), Y->operands()), [&](auto Operands) {
            auto [OfX, OfY] = Operands;
            return isMadeOfZero(OfX, OfY, IsLoaded);
          }));
}

/// What is done beyond \p Border: a step with zero for what the image's element is
/// converted to, or for all that becomes of it; with zero for the product; or none.
std::optional<Beyond> Recognizer::beyond(const BorderGuard &Border,
                                         const Update &From) const {
  const Term &T = Result.Op.Terms.front();
  bool IsA = *By.Bordered == M;
  const Expression &Map = IsA ? T.AMap : T.BMap;
  const Instruction *Load = (IsA ? T.A : T.B).Inst;
  auto WithoutCasts = [&](Value *V) {
    while (auto *Cast = dyn_cast<CastInst>(V))
      V = Map.resolve(In.resolve(Cast->getOperand(0)));
    return V;
  };
  Value *Root = Map.resolve(Map.Root);
  auto IsImage = [&](Value *V) {
    return V == Root || (WithoutCasts(V) == Load && WithoutCasts(Root) == Load);
  };
  if (isZeroBeyond(In, Border, From.Sum, IsImage))
    return Beyond::ZeroElement;
  auto IsLoaded = [&](Value *V) { return WithoutCasts(V) == Load; };
  if (!(IsA ? T.MadeA : T.MadeB) &&
      (isZeroBeyond(In, Border, From.Sum, IsLoaded) ||
       differBeyond(In, Border, [&](Value *V, Value *Live) {
         return isMadeOfZero(V, Live, IsLoaded);
       })))
    return Beyond::ZeroLoaded;
  // Zero does not change what follows.
  if (!addsProduct(Result.Op) ||
      match(Result.Op.Finish.Root,
            m_Contains(Result.Op.Finish, m_FDiv(m_Value(), m_Value()))))
    return std::nullopt;
  if (keepsValues(In, Border, From))
    return Beyond::NoStep;
  auto IsProduct = [&](Value *V) { return V == T.Product; };
  // Once for all steps of a loop.
  auto AddsZero = [&](Value *V) {
    Value *Before;
    return match(V, m_FAdd(m_Value(Before), m_PosZeroFP())) &&
           isSumBefore(In, Border, From, In.resolve(Before));
  };
  if (!isZeroBeyond(In, Border, From.Sum, IsProduct, AddsZero))
    return std::nullopt;
  // Subtracting zero changes nothing.
  bool Subtracts = From.Sum->getOpcode() == Instruction::FSub;
  return Subtracts ? Beyond::NoStep : Beyond::ZeroProduct;
}

/// Whether adding zero, or a product with it, is leaving out the step: of integers,
/// or as flags permit.
static bool isZeroIdle(const Contraction &Op) {
  auto *Sum = dyn_cast<FPMathOperator>(Op.Update.resolve(Op.Update.Root));
  auto *Product = dyn_cast<FPMathOperator>(Op.Terms.front().Product);
  return !Sum || !Product ||
         (Sum->hasNoSignedZeros() && Product->hasNoNaNs() &&
          Product->hasNoInfs());
}

Refused Recognizer::checkBorders(const Update &From) {
  if (By.Space.DomainIsTested)
    return std::nullopt;
  Contraction &Op = Result.Op;
  std::optional<Beyond> All;
  bool MayHave = By.Bordered && !In.Zeros && !Op.Domain && !Op.hasPairings() &&
                 Op.Terms.size() == 1 && !Op.hasRowTables() && !May.Apart &&
                 !May.Saved;
  // What is scattered nowhere is no step.
  if (By.Space.IsGathered) {
    if (!MayHave || !addsProduct(Op))
      return Refusal{Reason::IndexRoles, &Store};
    All = Beyond::NoStep;
  }
  for (const BorderGuard &Border : In.Borders) {
    Refusal No{Reason::Branch, Border.Branch};
    if (!MayHave)
      return No;
    std::optional<Beyond> Here = beyond(Border, From);
    if (Here && All && *Here != *All && isZeroIdle(Op))
      Here = All = Beyond::NoStep;
    if (!Here || (All && *Here != *All))
      return No;
    All = Here;
  }
  if (All) {
    Term &T = Op.Terms.front();
    (*By.Bordered == M ? T.A : T.B).BeyondBorders = *All;
  }
  return std::nullopt;
}

/// The nest writes nothing but sums, and these where a step is made at most.
Refused Recognizer::checkWritesAtBorders(ArrayRef<Instruction *> Rest) const {
  // Loops of a scatter are not those of C, which others would be compared with.
  if (By.Space.IsGathered &&
      (!Rest.empty() || !Result.Source.Absorbed.empty() ||
       !All.ComputedResults.empty() || !In.Checks.empty()))
    return Refusal{Reason::IndexRoles, &Store};
  if (In.Borders.empty())
    return std::nullopt;
  Refusal No{Reason::Branch, In.Borders.front().Branch};
  if (!Rest.empty() || Result.Source.HasStepBefore ||
      !Result.Op.C.Copies.empty())
    return No;
  // What is stored on both sides of a diagonal, a kernel would store on one.
  for (const Instruction *Write : All.writes())
    if (Write != &Store &&
        In.bordersAround(*Write).empty() == By.Space.DomainIsTested)
      return No;
  return std::nullopt;
}

} // namespace tilesmith
