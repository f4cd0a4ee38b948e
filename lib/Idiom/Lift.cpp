//===- Lift.cpp - expressions out of instructions -------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lift.h"
#include "tilesmith/Idiom/Fusion.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

namespace {

class Lifter {
public:
  Lifter(const LoopNest &In, LeafOf Known, Expression &Into,
         bool (*May)(const Instruction &))
      : In(In), Known(Known), Into(Into), May(May) {}

  Refused lift(Value *V) {
    if (isa<Constant>(V) || !Seen.insert(V).second)
      return std::nullopt;
    if (Value *Only = In.resolve(V); Only != V) {
      Into.Forwards[V] = Only;
      return lift(Only);
    }
    if (std::optional<Leaf> Kind = Known(*V)) {
      Into.Leaves[V] = *Kind;
      return std::nullopt;
    }
    if (In.isInvariant(V)) {
      Into.Leaves[V] = Leaf::Invariant;
      return std::nullopt;
    }
    auto *I = cast<Instruction>(V);
    if (isa<PHINode>(I) || isa<LoadInst>(I))
      return Refusal{Reason::VaryingScalar, I};
    if (!May(*I))
      return Refusal{Reason::OtherOperation, I};
    for (Value *Op : I->operands())
      if (!isa<Function>(Op))
        if (Refused No = lift(Op))
          return No;
    return std::nullopt;
  }

private:
  const LoopNest &In;
  LeafOf Known;
  Expression &Into;
  bool (*May)(const Instruction &);
  SmallPtrSet<Value *, 8> Seen;
};

/// Follows the edges of a tree, each from a user to what it uses.
class RoundedFinder {
public:
  RoundedFinder(Expression &E, const LoopNest &In) : E(E), In(In) {}

  Refused run() {
    visit(E.Root);
    for (const Instruction *I : Visited)
      if (Refused No = roundAddend(*I))
        return No;
    if (all_of(Visited,
               [](const Instruction *I) {
                 return !match(I, m_Addition()) || notedFused(*I) ||
                        none_of(I->operands(), [](const Value *Op) {
                          return contractable(Op) != nullptr;
                        });
               }) &&
        any_of(Visited, [](const Instruction *I) { return notedFused(*I); }))
      return roundNoted();
    for (Instruction *Multiply : Multiplications)
      if (Refused No = settle(*Multiply))
        return No;
    for (const Instruction *I : Visited)
      roundSecond(*I);
    return std::nullopt;
  }

private:
  void visit(Value *V) {
    auto *I = dyn_cast<Instruction>(V);
    auto Known = E.Leaves.find(V);
    bool IsLeaf = Known != E.Leaves.end();
    if (IsLeaf && Known->second == Leaf::Invariant)
      return visitInvariant(I);
    if (!I || (IsLeaf && Known->second != Leaf::Product) ||
        !Visited.insert(I).second)
      return;
    if (isContractable(*I))
      Multiplications.push_back(I);
    if (IsLeaf)
      return;
    for (Value *Op : I->operands())
      visit(E.resolve(Op));
  }

  /// Invariants are computed in front of the nest. Those in it stand behind a
  /// load that LLVM could not move.
  void visitInvariant(Instruction *I) {
    while (I && In.root().contains(I) && Visited.insert(I).second) {
      if (isContractable(*I))
        Multiplications.push_back(I);
      Operands Exact = exactOperand(*I);
      I = Exact.empty() ? nullptr : dyn_cast<Instruction>(Exact.front());
    }
  }

  /// Rounds products as a trial has shown.
  Refused roundNoted() {
    for (const Instruction *Add : Visited) {
      if (!notedFused(*Add))
        continue;
      for (Value *Op : Add->operands()) {
        Instruction *Multiply;
        if (!match(Op, m_Exact(E, m_Instruction(Multiply))) ||
            !isContractable(*Multiply))
          continue;
        bool IsFused = isNotedAsFused(*Add, *Op);
        // What is used twice would have to be both.
        if (E.Rounded.contains(Multiply) || FusedOnes.contains(Multiply))
          return Refusal{Reason::MixedFusion, Multiply};
        if (IsFused)
          FusedOnes.insert(Multiply);
        else
          E.Rounded.insert(Multiply);
      }
    }
    return std::nullopt;
  }

  /// Fusion is decided within a block. A multiplication that has other users as
  /// well is fused on some targets.
  Refused settle(Instruction &Multiply) {
    bool Added = false, Fused = false, Apart = false;
    SmallVector<const Instruction *, 4> Work{&Multiply};
    while (!Work.empty()) {
      const Instruction *From = Work.pop_back_val();
      // What becomes of a value in a buffer is not in its block.
      if (any_of(E.Forwards, [&](const auto &Forward) {
            return isa<LoadInst>(Forward.first) &&
                   E.resolve(Forward.first) == From;
          }))
        Added = Apart = true;
      for (const User *U : From->users()) {
        auto *To = cast<Instruction>(U);
        if (isa<PHINode>(To) &&
            (E.Forwards.contains(const_cast<Instruction *>(To)) ||
             To->getNumOperands() == 1))
          Work.push_back(To);
        else if (!Visited.contains(To))
          Apart = true;
        else if (!exactOperand(*To).empty())
          Work.push_back(To);
        else if (match(To, m_Addition())) {
          Added = true;
          (inOneBlock(Multiply, *To) ? Fused : Apart) = true;
        }
      }
    }
    bool IsScalar = In.isInvariant(&Multiply);
    if (!Added || !(IsScalar ? Fused : Apart))
      return std::nullopt;
    if (Fused || E.Leaves.contains(&Multiply))
      return Refusal{Reason::MixedFusion, &Multiply};
    E.Rounded.insert(&Multiply);
    return std::nullopt;
  }

  /// What a fused multiply-add of the source adds is rounded before, also if it is a
  /// product that may be fused with what adds it in the kernel.
  Refused roundAddend(const Instruction &I) {
    Instruction *Product;
    if (!match(&I, m_CombineOr(m_Intrinsic<Intrinsic::fma>(),
                               m_Intrinsic<Intrinsic::fmuladd>())) ||
        !match(I.getOperand(2), m_Exact(E, m_Instruction(Product))) ||
        !isContractable(*Product))
      return std::nullopt;
    if (!isUsedOnce(*Product))
      return Refusal{Reason::MixedFusion, Product};
    E.Rounded.insert(Product);
    return std::nullopt;
  }

  /// If \p Add adds two products, the first one is fused. Passes that exchange
  /// its operands in the kernel must not change that.
  void roundSecond(const Instruction &Add) {
    auto MayFuse = m_If<Instruction>([&](Instruction &I) {
      return isContractable(I) && !E.Rounded.contains(&I) && inOneBlock(I, Add);
    });
    Instruction *First, *Second;
    if (match(&Add, m_Addition(m_Exact(E, m_Instruction(First, MayFuse)),
                               m_Exact(E, m_Instruction(Second, MayFuse)))) &&
        isUsedOnce(*First) && !E.Leaves.contains(Second))
      E.Rounded.insert(Second);
  }

  Expression &E;
  const LoopNest &In;
  SmallPtrSet<const Instruction *, 8> Visited;
  SmallVector<Instruction *, 4> Multiplications;
  SmallPtrSet<const Instruction *, 4> FusedOnes;
};

} // namespace

Refused findRounded(Expression &E, const LoopNest &In) {
  return RoundedFinder(E, In).run();
}

Refused lift(Value *V, const LoopNest &In, LeafOf Known, Expression &Into,
             bool (*May)(const Instruction &)) {
  Into.Root = In.resolve(V);
  if (Refused No = Lifter(In, Known, Into, May).lift(Into.Root))
    return No;
  return findRounded(Into, In);
}

} // namespace tilesmith
