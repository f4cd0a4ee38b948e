//===- Chunks.cpp - arrays that are taken chunk by chunk ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for (rest = length; rest != 0; rest -= min(n, rest))
//     for (j = 0; j < min(n, rest); j++) ...
//
// The last chunk may be shorter than the others. The guard tests that it is not:
// then the rest goes down by n, and the minimum is n in every iteration. LLVM also
// counts the chunks, and takes the rest to be length - i * n.
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ScalarEvolutionPatternMatch.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace llvm::SCEVPatternMatch;

namespace tilesmith {

/// What is left of an array, \p Rest, where the minimum of that and of other values
/// is \p Min: it goes down by one of these. Chunks of constant size are tiles.
static std::optional<Chunks> chunksOf(const SCEV &Rest, const SCEVUMinExpr &Min,
                                      ScalarEvolution &SE) {
  for (const SCEV *Size : Min.operands()) {
    if (isa<SCEVConstant>(Size))
      continue;
    if (auto *Rec = dyn_cast<SCEVAddRecExpr>(&Rest))
      if (Rec->isAffine() &&
          Rec->getStepRecurrence(SE) == SE.getNegativeSCEV(Size))
        return Chunks{nullptr, Rec, Size};
  }
  return std::nullopt;
}

/// The same of a phi that goes down by the whole minimum.
static std::optional<Chunks> chunksOf(PHINode &Phi, const SCEVUMinExpr &Min,
                                      const Loop &L, ScalarEvolution &SE) {
  if (Min.getNumOperands() != 2 || Phi.getParent() != L.getHeader() ||
      Phi.getNumIncomingValues() != 2)
    return std::nullopt;
  const SCEV *Rest = SE.getSCEV(&Phi);
  const SCEV *Size = Min.getOperand(Min.getOperand(0) == Rest);
  const SCEV *Next = SE.getSCEV(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (Next != SE.getMinusSCEV(Rest, &Min))
    return std::nullopt;
  bool IsFirst = !L.contains(Phi.getIncomingBlock(0));
  const SCEV *Whole = SE.getSCEV(Phi.getIncomingValue(!IsFirst));
  auto *Rec = dyn_cast<SCEVAddRecExpr>(
      SE.getAddRecExpr(Whole, SE.getNegativeSCEV(Size), &L, SCEV::FlagAnyWrap));
  if (!Rec)
    return std::nullopt;
  return Chunks{&Phi, Rec, Size};
}

void LoopNest::findChunks() {
  ScalarEvolution &SE = Analyses->SE;
  auto IsKnown = [&](const SCEV *S) {
    return SE.isLoopInvariant(S, &root()) &&
           SE.getTypeSizeInBits(S->getType()) <= 64;
  };
  auto Add = [&](const std::optional<Chunks> &Found) {
    if (Found && IsKnown(Found->Rest->getStart()) && IsKnown(Found->Size) &&
        is_contained(Chain, Found->Rest->getLoop()) &&
        none_of(AllChunks, [&](const Chunks &Other) {
          return Other.Rest == Found->Rest && Other.Phi == Found->Phi;
        }))
      AllChunks.push_back(*Found);
  };
  for (BasicBlock *BB : root().blocks())
    for (Instruction &I : *BB) {
      auto *Call = dyn_cast<MinMaxIntrinsic>(&I);
      if (!Call || Call->getIntrinsicID() != Intrinsic::umin ||
          !SE.isSCEVable(I.getType()))
        continue;
      auto *Min = dyn_cast<SCEVUMinExpr>(SE.getSCEV(&I));
      if (!Min)
        continue;
      for (const SCEV *Rest : Min->operands()) {
        auto *Unknown = dyn_cast<SCEVUnknown>(Rest);
        auto *Phi = Unknown ? dyn_cast<PHINode>(Unknown->getValue()) : nullptr;
        Loop *L = Phi ? Analyses->LI.getLoopFor(Phi->getParent()) : nullptr;
        Add(!Phi                     ? chunksOf(*Rest, *Min, SE)
            : L && L->getLoopLatch() ? chunksOf(*Phi, *Min, *L, SE)
                                     : std::nullopt);
      }
    }
}

/// The minimum of a chunk's size and of what is left is the size.
namespace {
struct WithFullChunks : SCEVRewriteVisitor<WithFullChunks> {
  ArrayRef<Chunks> All;
  WithFullChunks(ScalarEvolution &SE, ArrayRef<Chunks> All)
      : SCEVRewriteVisitor(SE), All(All) {}
  const SCEV *visitUMinExpr(const SCEVUMinExpr *Min) {
    SmallVector<const SCEV *, 4> Left;
    for (const SCEV *Operand : Min->operands())
      if (none_of(All, [&](const Chunks &Of) {
            return Of.Rest == Operand && is_contained(Min->operands(), Of.Size);
          }))
        Left.push_back(visit(Operand));
    return SE.getUMinExpr(Left);
  }
};
} // namespace

const SCEV *LoopNest::withFullChunks(const SCEV *S) const {
  return AllChunks.empty() ? S
                           : WithFullChunks(Analyses->SE, AllChunks).visit(S);
}

bool LoopNest::isRestOfChunks(const SCEV *S) const {
  return any_of(AllChunks, [&](const Chunks &Of) { return Of.Rest == S; });
}

/// As many chunks are full as the loop over them takes, whose count is \p Count.
Refused LoopNest::requireFullChunks(const Loop &L, const TripCount &Count) {
  ScalarEvolution &SE = Analyses->SE;
  for (const Chunks &Of : AllChunks) {
    if (Of.Rest->getLoop() != &L)
      continue;
    const SCEV *Whole = Of.Rest->getStart();
    Type *Ty = Whole->getType();
    if (!isInvariant(Count.Backedges) ||
        SE.getTypeSizeInBits(Count.Backedges->getType()) >
            SE.getTypeSizeInBits(Ty))
      return Refusal{Reason::BoundVaries, L.getLoopLatch()->getTerminator()};
    MustHold.push_back({ICmpInst::ICMP_UGT, SE.getUDivExpr(Whole, Of.Size),
                        SE.getNoopOrZeroExtend(Count.Backedges, Ty)});
    // Otherwise another, shorter one might follow.
    if (Of.Phi)
      MustHold.push_back(
          {ICmpInst::ICMP_EQ, SE.getURemExpr(Whole, Of.Size), SE.getZero(Ty)});
  }
  return std::nullopt;
}

} // namespace tilesmith
