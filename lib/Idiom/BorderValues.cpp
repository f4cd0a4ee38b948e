//===- BorderValues.cpp - what a nest does beyond a border ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond the border of an image (see Borders.cpp), a nest leaves out the step, or
// makes it with zero for the image's element. Nothing else may differ there.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Recognizer.h"
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

/// Where a step is left out, each value is what it was before: the sum that a
/// loop around carries, or that the loops behind the branch start from, or one
/// that does not depend on it.
static bool keepsValues(const LoopNest &In, const BorderGuard &Border,
                        const Update &From) {
  const Loop *Around = In.Analyses->LI.getLoopFor(Border.Branch->getParent());
  auto Behind = find_if(
      In.Chain, [&](const Loop *L) { return !L->contains(Border.Branch); });
  auto StartsFrom = [&](Value *V) {
    return Behind != In.Chain.end() &&
           any_of((*Behind)->getHeader()->phis(), [&](PHINode &Phi) {
             Value *First = In.incomingFromOutside(Phi);
             return First && In.resolve(First) == V &&
                    In.incomingFromLatch(Phi) == From.Sum;
           });
  };
  return is_contained(In.bordersAround(*From.Sum), &Border) &&
         agreeBeyond(In, Border, [&](Value *V, Value *Live) {
           auto *Phi = dyn_cast<PHINode>(V);
           bool IsCarried = Phi && Phi->getParent() == Around->getHeader() &&
                            In.incomingFromLatch(*Phi) == From.Sum;
           return Live == From.Sum && (IsCarried || StartsFrom(V));
         });
}

/// Whether the step is made with zero for what the image's element is converted
/// to, or for all that becomes of it.
bool Recognizer::isZeroBeyond(const BorderGuard &Border,
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
  bool IsAny = false;
  bool Agree = agreeBeyond(In, Border, [&](Value *V, Value *Live) {
    IsAny = true;
    if (Live == From.Sum)
      return ZeroSteps(In, IsImage).hasSum(V, From.Sum);
    auto *Zero = dyn_cast<Constant>(V);
    return Zero && Zero->isNullValue() && IsImage(Live);
  });
  return Agree && IsAny;
}

/// Whether \p Of adds the product to the sum, or subtracts it, as it is: a product
/// that is zero changes nothing but the sign of a zero.
static bool addsProduct(const Contraction &Of) {
  const Expression &E = Of.Update;
  auto Sum = m_Leaf(E, Leaf::Sum);
  Value *Root = E.resolve(E.Root), *Addend;
  if (E.Fused.contains(Root))
    return match(Root,
                 m_FusedMultiplyAdd(m_Value(), m_Value(), m_Value(Addend))) &&
           match(E.resolve(Addend), Sum);
  return match(Root, m_Accumulation(Sum, m_Leaf(E, Leaf::Product)));
}

Refused Recognizer::checkBorders(const Update &From) {
  Contraction &Op = Result.Op;
  unsigned LeaveOut = 0;
  for (const BorderGuard &Border : In.Borders) {
    Refusal No{Reason::Branch, Border.Branch};
    if (!By.Bordered || In.Zeros || Op.Domain || Op.hasPairings() ||
        Op.Terms.size() > 1 || Op.hasRowTables() || May.Apart || May.Saved)
      return No;
    if (isZeroBeyond(Border, From))
      continue;
    ++LeaveOut;
    if (!keepsValues(In, Border, From) || !addsProduct(Op) ||
        match(Op.Finish.Root,
              m_Contains(Op.Finish, m_FDiv(m_Value(), m_Value()))))
      return No;
  }
  if (In.Borders.empty() || LeaveOut == In.Borders.size())
    return std::nullopt;
  // Of integers, adding zero is leaving out.
  if (LeaveOut && !Op.SumTy->isIntegerTy())
    return Refusal{Reason::Branch, In.Borders.front().Branch};
  Term &T = Op.Terms.front();
  (*By.Bordered == M ? T.A : T.B).IsZeroBeyond = LeaveOut == 0;
  return std::nullopt;
}

/// The nest writes nothing but sums, and these where a step is made at most.
Refused Recognizer::checkWritesAtBorders(ArrayRef<Instruction *> Rest) const {
  if (In.Borders.empty())
    return std::nullopt;
  Refusal No{Reason::Branch, In.Borders.front().Branch};
  if (!Rest.empty() || Result.Source.HasStepBefore ||
      !Result.Op.C.Copies.empty())
    return No;
  for (const Instruction *Write : All.writes())
    if (Write != &Store && !In.bordersAround(*Write).empty())
      return No;
  return std::nullopt;
}

} // namespace tilesmith
