//===- PartialSum.cpp - sums of a loop that are added to another ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialSum.h"
#include "tilesmith/Idiom/Likeness.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <optional>

using namespace llvm;
using namespace PatternMatch;

namespace tilesmith {

namespace {

/// Whole = Running + Part, where Part is what Phi, of a header, has become, or zero.
struct PartialSum {
  PHINode *Phi;
  SmallVector<Instruction *, 4> Sums; ///< what Phi becomes, step by step
  PHINode *Merge; ///< of the sum and of the zero where the loop is not entered
  Value *Part, *Running;
  Instruction *Whole;
  bool MayJoin = false; ///< The order of both may be another one.
};

} // namespace

static bool hasMetadata(const Loop &L, StringRef Name) {
  return findOptionMDForLoop(&L, Name) != nullptr;
}

/// Whether \p L is one of '#pragma omp simd', which gives two hints. clang gives
/// both for 'vectorize(assume_safety)', too; but it says of loops that are no
/// simd loops that they come to an end, if the language does. flang has one
/// directive for each.
static bool isSimdLoop(const Loop &L) {
  constexpr StringLiteral ComesToEnd = "llvm.loop.mustprogress";
  if (!getBooleanLoopAttribute(&L, "llvm.loop.vectorize.enable") ||
      !hasMetadata(L, "llvm.loop.parallel_accesses") ||
      hasMetadata(L, ComesToEnd))
    return false;
  for (const Loop *Around = L.getParentLoop(); Around;
       Around = Around->getParentLoop())
    if (hasMetadata(*Around, ComesToEnd))
      return true;
  const NamedMDNode *Idents =
      L.getHeader()->getModule()->getNamedMetadata("llvm.ident");
  return Idents && all_of(Idents->operands(), [](const MDNode *Ident) {
           auto *Name = dyn_cast<MDString>(Ident->getOperand(0));
           return Name && Name->getString().contains("flang");
         });
}

/// The addend of \p I, an addition of a running sum \p Sum; null if it is none.
static Value *addedTo(const Instruction &I, const Value *Sum) {
  Value *X, *Y;
  if (match(&I, m_CombineOr(m_c_FAdd(m_Specific(Sum), m_Value(X)),
                            m_c_Add(m_Specific(Sum), m_Value(X)))) ||
      match(&I, m_CombineOr(m_FSub(m_Specific(Sum), m_Value(X)),
                            m_Sub(m_Specific(Sum), m_Value(X)))))
    return X;
  if (match(&I, m_Intrinsic<Intrinsic::fmuladd>(m_Value(X), m_Value(Y),
                                                m_Specific(Sum))))
    return X != Sum && Y != Sum ? X : nullptr;
  return nullptr;
}

/// What \p Phi, of the header of \p L, becomes in the loop, if that is only added
/// to, perhaps in further loops; empty otherwise.
static SmallSetVector<Instruction *, 8> runningSum(PHINode &Phi,
                                                   const Loop &L) {
  constexpr unsigned MaxValues = 64;
  SmallSetVector<Instruction *, 8> Sums;
  Sums.insert(&Phi);
  for (unsigned I = 0; I < Sums.size(); ++I)
    for (User *U : Sums[I]->users()) {
      auto *Next = cast<Instruction>(U);
      if (!L.contains(Next))
        continue;
      const Value *Added = addedTo(*Next, Sums[I]);
      if (!(isa<PHINode>(Next) || (Added && Added != Sums[I])) ||
          Sums.size() == MaxValues)
        return {};
      Sums.insert(Next);
    }
  for (Instruction *Sum : Sums) {
    unsigned NumSums = 0;
    for (Value *Op : Sum->operands())
      NumSums += Sums.contains(dyn_cast<Instruction>(Op));
    bool IsJoin = isa<PHINode>(Sum) && Sum != &Phi;
    if (NumSums != (IsJoin ? Sum->getNumOperands() : 1))
      return {};
  }
  return Sums;
}

/// The only user of \p Sum outside of \p L.
static Instruction *userBehind(const Instruction &Sum, const Loop &L) {
  Instruction *Only = nullptr;
  for (const User *U : Sum.users()) {
    auto *I = const_cast<Instruction *>(cast<Instruction>(U));
    if (L.contains(I))
      continue;
    if (Only && Only != I)
      return nullptr;
    Only = I;
  }
  return Only;
}

static bool isZero(const Value *V) {
  return match(V, m_CombineOr(m_AnyZeroFP(), m_Zero()));
}

/// Whether the order of additions may be another one: of \p Sums, and of the one
/// that adds their sum \p Part, \p Whole.
static bool mayReorder(const Loop &L, ArrayRef<Instruction *> Sums,
                       const Value *Part, const Instruction &Whole) {
  if (Whole.getType()->isIntegerTy())
    return true;
  auto IsFree = [](const Instruction *I) {
    return isa<PHINode>(I) || (I->hasAllowReassoc() && I->hasNoSignedZeros());
  };
  if (IsFree(&Whole) && all_of(Sums, IsFree))
    return true;
  // LLVM leaves out '0 +' in front of a sum of its own that is no -0.
  SimplifyQuery Query(L.getHeader()->getDataLayout(), &Whole);
  return isSimdLoop(L) && !cannotBeNegativeZero(Part, Query);
}

static std::optional<PartialSum> partialSum(PHINode &Phi, const Loop &L,
                                            const DominatorTree &DT) {
  BasicBlock *Before = L.getLoopPreheader();
  Type *Ty = Phi.getType();
  if (!Before || !L.getLoopLatch() || !L.getUniqueExitBlock() ||
      !(Ty->isIntegerTy() || Ty->isFloatingPointTy()) ||
      !isZero(Phi.getIncomingValueForBlock(Before)))
    return std::nullopt;
  auto Sums = runningSum(Phi, L);
  auto *Last =
      dyn_cast<Instruction>(Phi.getIncomingValueForBlock(L.getLoopLatch()));
  if (!Last || Last == &Phi || !Sums.contains(Last))
    return std::nullopt;
  for (Instruction *Sum : Sums)
    if (Sum != Last && userBehind(*Sum, L))
      return std::nullopt;
  PartialSum Result{&Phi,    to_vector<4>(Sums),  nullptr, Last,
                    nullptr, userBehind(*Last, L)};
  auto IsPart = [&](const Value *V) { return V == Result.Part; };
  while (auto *Join = dyn_cast_or_null<PHINode>(Result.Whole)) {
    if (!all_of(Join->incoming_values(),
                [&](const Use &Op) {
                  return IsPart(Op) || (!Result.Merge && isZero(Op));
                }) ||
        !Join->hasOneUser())
      return std::nullopt;
    if (!all_of(Join->incoming_values(), IsPart))
      Result.Merge = Join;
    Result.Part = Join;
    Result.Whole = cast<Instruction>(*Join->user_begin());
  }
  if (!Result.Whole)
    return std::nullopt;
  Value *Running;
  if (!match(Result.Whole,
             m_CombineOr(m_c_FAdd(m_Specific(Result.Part), m_Value(Running)),
                         m_c_Add(m_Specific(Result.Part), m_Value(Running)))) ||
      Running == Result.Part || isa<Constant>(Running) ||
      !DT.dominates(Running, Before->getTerminator()))
    return std::nullopt;
  Result.Running = Running;
  Result.MayJoin = mayReorder(L, Result.Sums, Result.Part, *Result.Whole);
  return Result;
}

static SmallVector<PartialSum, 1> partialSums(const Loop &L,
                                              const DominatorTree &DT) {
  SmallVector<PartialSum, 1> Result;
  if (L.getParentLoop())
    for (PHINode &Phi : L.getHeader()->phis())
      if (auto Sum = partialSum(Phi, L, DT))
        Result.push_back(*Sum);
  return Result;
}

/// The first of \p Innermost and the loops around it that may be joined or not.
static std::optional<PartialSum>
firstPartialSum(const Loop &Innermost, const DominatorTree &DT, bool MayJoin) {
  for (const Loop *L = &Innermost; L; L = L->getParentLoop())
    for (const PartialSum &S : partialSums(*L, DT))
      if (S.MayJoin == MayJoin)
        return S;
  return std::nullopt;
}

bool hasPartialSum(const Loop &Innermost, const DominatorTree &DT) {
  return firstPartialSum(Innermost, DT, /*MayJoin=*/true).has_value();
}

const Instruction *partialSumInOrder(const Loop &Innermost,
                                     const DominatorTree &DT) {
  auto Found = firstPartialSum(Innermost, DT, /*MayJoin=*/false);
  return Found ? Found->Whole : nullptr;
}

/// The first user of \p Sum behind \p L from which something is computed that the
/// loop around carries from one iteration to the next; null if there is none.
static const Instruction *goesIntoOther(const Instruction &Sum, const Loop &L) {
  constexpr unsigned MaxValues = 32;
  const Loop &Around = *L.getParentLoop();
  const Instruction *First = nullptr;
  SmallSetVector<const Instruction *, 8> Made;
  Made.insert(&Sum);
  for (unsigned I = 0; I < Made.size() && Made.size() < MaxValues; ++I)
    for (const User *U : Made[I]->users()) {
      auto *Next = cast<Instruction>(U);
      if (!Around.contains(Next) || L.contains(Next) ||
          Next->mayReadOrWriteMemory())
        continue;
      if (isa<PHINode>(Next) && Next->getParent() == Around.getHeader())
        return First ? First : Next;
      if (!First && !isa<PHINode>(Next))
        First = Next;
      Made.insert(Next);
    }
  return nullptr;
}

const Instruction *sumInOtherSum(const Loop &Innermost) {
  for (const Loop *L = &Innermost; L->getParentLoop(); L = L->getParentLoop()) {
    const BasicBlock *Before = L->getLoopPreheader(),
                     *Latch = L->getLoopLatch();
    if (!Before || !Latch)
      continue;
    for (PHINode &Phi : L->getHeader()->phis()) {
      auto *Last = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Latch));
      if (Last && !Phi.getType()->isPointerTy() &&
          !isa<PHINode>(Phi.getIncomingValueForBlock(Before)) &&
          runningSum(Phi, *L).contains(Last))
        if (const Instruction *Other = goesIntoOther(*Last, *L))
          return Other;
    }
  }
  return nullptr;
}

const Instruction *groupInOtherSum(const Loop &Innermost) {
  const Instruction *Taken = sumInOtherSum(Innermost);
  return Taken && isa<SIToFPInst>(Taken) && Likeness::of(Innermost).HasFactors
             ? Taken
             : nullptr;
}

void joinPartialSums(Loop &L, const DominatorTree &DT) {
  for (const PartialSum &S : partialSums(L, DT)) {
    if (!S.MayJoin)
      continue;
    S.Phi->setIncomingValueForBlock(L.getLoopPreheader(), S.Running);
    if (S.Merge)
      for (Use &Op : S.Merge->incoming_values())
        if (isZero(Op))
          Op.set(S.Running);
    // What the partial sums are now is another matter.
    for (Instruction *Sum : S.Sums)
      Sum->dropPoisonGeneratingFlags();
    S.Whole->replaceAllUsesWith(S.Part);
    S.Whole->eraseFromParent();
  }
}

} // namespace tilesmith
