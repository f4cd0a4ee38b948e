//===- FusionCheck.cpp - what LLVM may fuse in another way ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionPatterns.h"
#include "Recognizer.h"
#include "tilesmith/Idiom/FusionNotes.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace llvm::PatternMatch;

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

/// Whether a second multiplication of \p T, of a factor or of the product, may
/// become a lane: it stands beside the product, or beside the element that it
/// multiplies.
static bool isScaledInLoop(const Term &T) {
  auto IsScaled = [&](const Expression &E) {
    auto *Multiply = dyn_cast<Instruction>(E.Root);
    auto IsBeside = [&](const LoadInst &Load) {
      return Load.getParent() == Multiply->getParent();
    };
    return Multiply && !E.Leaves.contains(Multiply) &&
           match(Multiply, m_FMul(m_Value(), m_Value())) &&
           (Multiply->getParent() == T.Product->getParent() ||
            match(Multiply, m_c_FMul(m_If<LoadInst>(IsBeside), m_Value())));
  };
  return IsScaled(T.AMap) || IsScaled(T.BMap) ||
         any_of(T.Product->users(), [](const User *U) {
           return match(U, m_FMul(m_Value(), m_Value()));
         });
}

/// Whether factors of both are computed in one block: the two may be lanes of a
/// vector, also where one is a sum and the other a difference, and so may be what is
/// multiplied by them further in. Of those that are made of two matrices, the block is
/// not looked at.
static bool areComputedTogether(const Term &X, const Term &Y) {
  using Blocks = SmallVector<const BasicBlock *, 2>;
  auto Computing = [](const Term &T) {
    Blocks Result;
    for (const Expression *E : {&T.AMap, &T.BMap})
      if (auto *I = dyn_cast<Instruction>(E->Root); I && !E->Leaves.contains(I))
        Result.push_back(I->getParent());
    return Result;
  };
  auto IsMade = [](const Term &T) { return T.MadeA || T.MadeB; };
  Blocks OfX = Computing(X), OfY = Computing(Y);
  return (IsMade(X) && (IsMade(Y) || !OfY.empty())) ||
         (IsMade(Y) && !OfX.empty()) || any_of(OfX, [&](const BasicBlock *BB) {
           return is_contained(OfY, BB);
         });
}

/// Whether two products of one step may become lanes of a vector, of which
/// sums are taken one by one.
static bool mayBecomeLanes(ArrayRef<Term> Terms, ScalarEvolution &SE) {
  for (auto [I, X] : enumerate(Terms))
    for (const Term &Y : Terms.take_front(I)) {
      for (const Access *P : {&X.A, &X.B})
        for (const Access *Q : {&Y.A, &Y.B})
          if (areAdjacent(*P, *Q, SE))
            return true;
      if ((isScaledInLoop(X) && isScaledInLoop(Y)) || areComputedTogether(X, Y))
        return true;
    }
  return false;
}

/// Whether one product is added, and another one subtracted, in a block of \p L: as
/// lanes of one vector, neither may be fused.
static bool addsAndSubtracts(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    auto Has = [&](unsigned Opcode) {
      return any_of(*BB, [&](const Instruction &I) {
        return I.getOpcode() == Opcode && any_of(I.operands(), mayBeProduct);
      });
    };
    return Has(Instruction::FAdd) && Has(Instruction::FSub);
  });
}

/// Whether \p X and \p Y are the same, but for what is stored between them.
static bool areSame(const Value *X, const Value *Y, const LoopNest &In,
                    unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8;
  if (X == Y)
    return true;
  auto *I = dyn_cast<Instruction>(X), *J = dyn_cast<Instruction>(Y);
  if (!I || !J || Depth == MaxDepth || I->getOpcode() != J->getOpcode() ||
      I->getType() != J->getType())
    return false;
  auto Same = [&](unsigned OfI, unsigned OfJ) {
    return areSame(I->getOperand(OfI), J->getOperand(OfJ), In, Depth + 1);
  };
  if (isa<LoadInst>(I)) {
    const SCEV *X = In.addressWhereRun(*I), *Y = In.addressWhereRun(*J);
    return X || Y ? X == Y : Same(0, 0);
  }
  if (I->isCommutative() && I->getNumOperands() == 2 && Same(0, 1) &&
      Same(1, 0))
    return true;
  return I->isSameOperationAs(J) && !isa<PHINode>(I) &&
         !I->mayReadOrWriteMemory() &&
         all_of(seq(I->getNumOperands()),
                [&](unsigned N) { return Same(N, N); });
}

static bool mayLeaveBlock(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    auto *Br = dyn_cast<BranchInst>(BB->getTerminator());
    return Br && mayLeaveArm(*Br);
  });
}

/// Whether \p V is the same in each iteration of \p L, but for what stores of
/// the loop might change.
static bool isSameInEach(const Value *V, const Loop &L, unsigned Depth = 0) {
  constexpr unsigned MaxDepth = 8;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I))
    return true;
  return Depth < MaxDepth && !isa<PHINode>(I) &&
         (isa<LoadInst>(I) || !I->mayReadOrWriteMemory()) &&
         all_of(
             I->operands(),
             [&](const Value *Op) { return isSameInEach(Op, L, Depth + 1); });
}

/// Whether a product is computed beside its addition in each iteration of a
/// loop only because of a branch or a store that copies of the loop are
/// without.
static bool mayLeaveLoop(const LoopNest &In) {
  for (const BasicBlock *BB : In.root().blocks())
    for (const Instruction &I : *BB)
      for (const Value *Op : I.operands())
        if (const Instruction *Product =
                match(&I, m_Addition()) ? contractable(Op) : nullptr)
          if (const Loop *L = In.Analyses->LI.getLoopFor(Product->getParent());
              inOneBlock(*Product, I) && isSameInEach(Product, *L))
            return true;
  return false;
}

/// Whether a product is added to the sum of another one and what a loop has
/// summed up: where LLVM finds that the loop does not run, as in iterations
/// that are unrolled, the two products are added to each other.
static bool mayLoseSum(const Loop &L) {
  return hasMatch(
      L, m_Addition(m_Contractable(), m_Addition(m_Contractable(), m_Phi())));
}

/// Whether a loop computes a product twice, from elements that are loaded
/// again. A copy of the loop, in which it is known that nothing between changes
/// them, computes it once, and what is added twice is not fused.
static bool mayBecomeOne(const LoopNest &In) {
  const LoopInfo &LI = In.Analyses->LI;
  SmallVector<const Instruction *, 4> Products;
  for (const BasicBlock *BB : In.root().blocks())
    for (const Instruction &I : *BB)
      if (isContractable(I)) {
        if (any_of(Products, [&](const Instruction *Other) {
              return LI.getLoopFor(BB) == LI.getLoopFor(Other->getParent()) &&
                     areSame(&I, Other, In) && !multiplyTheSame(I, *Other);
            }))
          return true;
        Products.push_back(&I);
      }
  return false;
}

/// Whether LLVM may still unroll a loop, so that a product and an addition of
/// several blocks come to one.
static bool mayMergeBlocks(const LoopNest &In) {
  constexpr unsigned MaxUnrolled = 64;
  return any_of(In.root().getLoopsInPreorder(), [&](const Loop *L) {
    unsigned Count = In.Analyses->SE.getSmallConstantMaxTripCount(L);
    return Count != 0 && Count <= MaxUnrolled;
  });
}

/// Whether \p L carries a sum from each iteration to the next.
static bool carriesSum(const Loop &L) {
  return any_of(L.getHeader()->phis(), [](const PHINode &Phi) {
    return Phi.getType()->isFloatingPointTy();
  });
}

/// Whether loops behind the nest sum up products, or add two of them. Where
/// loops are unrolled before vectors are made, what is fused there depends on
/// how often; and that, on what is known behind this nest.
static bool leadsToOpenLoop(const LoopNest &In) {
  const LoopInfo &LI = In.Analyses->LI;
  return any_of(LI.getLoopsInPreorder(), [&](const Loop *L) {
    return L->isInnermost() && !In.root().contains(L) &&
           (addsTwoProducts(*L) ||
            (carriesSum(*L) && hasMatch(*L, m_MayFuse()))) &&
           isPotentiallyReachable(In.root().getHeader(), L->getHeader(),
                                  /*ExclusionSet=*/nullptr, &In.Analyses->DT,
                                  &LI);
  });
}

/// Whether LLVM may unroll all loops within the loop over k, or the vectors
/// that it makes of them, and then that loop as well: it sees products of
/// several steps in one block.
static bool mayBecomeInnermost(const AffineForm &C, const LoopNest &In) {
  constexpr unsigned MaxVectorised = 4096;
  for (auto [L, Step] : zip_equal(reverse(In.Chain), reverse(C.Step))) {
    if (!Step)
      return true;
    unsigned Count = In.Analyses->SE.getSmallConstantTripCount(L);
    if (Count == 0 || Count > MaxVectorised)
      return false;
  }
  return false;
}

/// How far \p L, of the chain, moves the address of \p I, in bytes: nothing if
/// that is not known.
static std::optional<APInt> stepOf(const Instruction &I, const Loop &L,
                                   const LoopNest &In) {
  // A factor may be copied from where it is.
  const SCEV *Address =
      getLoadStorePointerOperand(&I) ? In.addressOf(I) : nullptr;
  std::optional<AffineForm> Form;
  if (Address)
    Form = affineForm(Address, In, In.Chain);
  if (!Form)
    return std::nullopt;
  unsigned Position = find(In.Chain, &L) - In.Chain.begin();
  if (Form->Row && Form->Row->dependsOn(Position))
    return std::nullopt;
  const SCEV *Step = Form->Step[Position];
  if (!Step)
    return APInt::getZero(64);
  auto *Bytes = dyn_cast<SCEVConstant>(Step);
  return Bytes ? std::optional(Bytes->getAPInt().sextOrTrunc(64))
               : std::nullopt;
}

/// Whether the innermost loop of \p In does not go from element to element of
/// \p Factor, nor stay at one: vectors of them are gathered.
static bool isGathered(const Access &Factor, const LoopNest &In) {
  std::optional<APInt> Step = stepOf(*Factor.Inst, In.innermost(), In);
  uint64_t Size = Factor.Inst->getDataLayout().getTypeStoreSize(Factor.ElemTy);
  return !Step || (!Step->isZero() && Step->abs() != Size);
}

/// Whether \p Pairing, or an update, adds a multiplication of elements of one factor
/// to what it takes from the other one. A tile makes that once for a row or a column, and
/// what is added several times is not fused.
static bool sharesMultiplication(const Expression &Pairing) {
  auto IsOfOneFactor = [&](Value *Multiplication) {
    Expression Part = Pairing;
    Part.Root = Multiplication;
    auto Uses = [&](Leaf Kind) {
      return Part.contains([&](const Instruction &I) {
        return any_of(I.operands(), [&](Value *Op) {
          auto It = Part.Leaves.find(Part.resolve(Op));
          return It != Part.Leaves.end() && It->second == Kind;
        });
      });
    };
    return !Uses(Leaf::A) || !Uses(Leaf::B);
  };
  return Pairing.contains([&](const Instruction &I) {
    return match(&I, m_Addition()) && any_of(I.operands(), [&](Value *Op) {
             const Instruction *Product = contractable(Op);
             return Product && !Pairing.Leaves.contains(Op) &&
                    !Pairing.Rounded.contains(Op) && IsOfOneFactor(Op);
           });
  });
}

/// Refuses what LLVM may fuse in another way than a kernel does:
/// * Two products that are added to each other, where vectors are made of them:
///   in the innermost loop, for neighbouring elements, such as the parts of a
///   complex number, and with LTO, where they also move to other blocks.
/// * Products of neighbouring elements of which one is subtracted: see
///   addsAndSubtracts().
/// * Products that will be in another block: see mayLeaveBlock(),
///   mayLeaveLoop() and mayMergeBlocks(); and mayLoseSum(), mayBecomeOne().
/// * Products of one step: see mayBecomeLanes(), and where the innermost loop
///   does not go through adjacent elements of C, products may still become
///   vectors, but not their sums. With LTO, loops are unrolled first, so that
///   holds for each loop that carries a sum, be it another one, and where only
///   loops that may vanish are within the loop over k, or where factors are
///   gathered; also for what comes
///   behind the nest: see leadsToOpenLoop().
/// * Two widened products of one element may be computed as one vector, and
///   taken out of it to be added.
/// * What a tile computes once for several elements: see sharesMultiplication().
/// * Where C is walked backwards, but not the factors, or only some of its
///   elements are updated, products are computed in one order, and reversed to
///   be added.
Refused Recognizer::checkFusion() const {
  Refusal No{isComplex() ? Reason::ComplexOrder : Reason::MixedFusion, &Store};
  // Kernels that stream leave it to the code generator, and so does the trial what is
  // computed twice.
  if (isFusionNoted(In.root(), /*InParts=*/true))
    return Result.Op.isMatrixVector() || mayBecomeOne(In) ? Refused(No)
                                                          : std::nullopt;
  if (addsTwoProducts(In.root()) &&
      (In.Analyses->LinksLater || addsTwoProducts(In.innermost()) ||
       any_of(All.Stores,
              [&](StoreInst *Other) { return isNeighbour(*Other); })))
    return No;
  if (In.Analyses->LinksLater && leadsToOpenLoop(In))
    return No;
  if (any_of(Result.Op.Terms, [&](const Term &T) {
        return T.Pairing && (sharesMultiplication(*T.Pairing) ||
                             sharesMultiplication(Result.Op.Update));
      }))
    return No;
  if (none_of(Result.Op.Terms,
              [](const Term &T) { return isContractable(*T.Product); }))
    return std::nullopt;
  if (addsAndSubtracts(In.innermost()) &&
      any_of(All.Stores, [&](StoreInst *Other) { return isNeighbour(*Other); }))
    return No;
  if (mayLeaveLoop(In) || mayBecomeOne(In) ||
      (In.Analyses->HoistsLater && mayLeaveBlock(In.root())))
    return No;
  if ((!roundedUses(In.root()).empty() || mayLoseSum(In.root())) &&
      mayMergeBlocks(In))
    return No;
  if (In.Analyses->LinksLater) {
    std::optional<AffineForm> C = formOf(Store);
    if (Result.Source.sumsInnermost() || carriesSum(In.innermost()) || !C ||
        mayBecomeInnermost(*C, In) ||
        any_of(Result.Op.Terms, [&](const Term &T) {
          return isGathered(T.A, In) || isGathered(T.B, In);
        }))
      return No;
  }
  if (Result.Op.Terms.size() > 1) {
    std::optional<APInt> Step = stepOf(Store, In.innermost(), In);
    uint64_t Size = Store.getDataLayout().getTypeStoreSize(Result.Op.SumTy);
    if (!Step || Step->abs() != Size ||
        mayBecomeLanes(Result.Op.Terms, In.Analyses->SE))
      return No;
    for (const Term &T : Result.Op.Terms)
      if (T.A.ElemTy != Result.Op.SumTy || T.B.ElemTy != Result.Op.SumTy)
        return No;
  }

  SmallVector<const Instruction *, 4> Factors;
  for (const Term &T : Result.Op.Terms)
    Factors.append({T.A.Inst, T.B.Inst});
  return isReversedAlone(In, Store, Factors) ? Refused(No) : std::nullopt;
}

/// Whether vectors of what \p I loads or stores are shuffled, as \p Step, in
/// bytes, is not from each element to the next.
static bool isShuffled(const Instruction &I, const APInt &Step) {
  constexpr unsigned MaxInterleaved = 8;
  uint64_t Size = I.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  return Step.isNegative() ||
         (Step.ugt(Size) && Step.ule(MaxInterleaved * Size));
}

/// Finds loops of a rest that would not be fused as in the source. Without the
/// loops of the product inside, a loop becomes one of vectors. Where some of them
/// are shuffled, but not all in the same way, or not in each iteration, products
/// are computed in the order of memory, and shuffled to be added. Sums that are
/// kept apart are walked forwards.
void Recognizer::findScalarLoopsOfRest() {
  for (Loop *L : drop_end(In.Chain)) {
    bool IsShuffled = false, IsMixed = Result.Source.ToScratch.has_value();
    std::optional<APInt> Common;
    bool HasAddition = false;
    for (const BasicBlock *BB : L->blocks()) {
      if (In.Analyses->LI.getLoopFor(BB) != L)
        continue;
      for (const Instruction &I : *BB) {
        if (match(&I, m_MayFuse())) {
          HasAddition = true;
          IsMixed |= !In.Analyses->DT.dominates(BB, L->getLoopLatch());
        }
        std::optional<APInt> Step = stepOf(I, *L, In);
        if (!Step || Step->isZero())
          continue;
        IsShuffled |= isShuffled(I, *Step);
        IsMixed |= Common && *Common != *Step;
        Common = Step;
      }
    }
    if (HasAddition && IsShuffled && IsMixed)
      Result.Source.ScalarLoops.push_back(L);
  }
}

bool isReversedAlone(const LoopNest &In, const StoreInst &Store,
                     ArrayRef<const Instruction *> Factors) {
  std::optional<APInt> Step = stepOf(Store, In.innermost(), In);
  if (!Step || !Step->isNegative())
    return false;
  const BasicBlock *Latch = In.innermost().getLoopLatch();
  return !In.Analyses->DT.dominates(Store.getParent(), Latch) ||
         any_of(Factors, [&](const Instruction *Factor) {
           std::optional<APInt> Other = stepOf(*Factor, In.innermost(), In);
           return !Other || (!Other->isZero() && *Other != *Step);
         });
}

/// Whether the products are those of one part of complex numbers, and not two steps
/// of a sum.
bool Recognizer::isComplex() const {
  auto IsAdjacent = [&](Dim D) {
    return Result.Op.C.isAdjacent(D, Store.getDataLayout());
  };
  if (Result.Op.Terms.size() != 2 || IsAdjacent(M) || IsAdjacent(N))
    return false;
  auto AreNext = [&](const Access &X, const Access &Y) {
    auto *Distance =
        dyn_cast<SCEVConstant>(In.Analyses->SE.getMinusSCEV(X.Base, Y.Base));
    return Distance && Distance->getAPInt().abs() ==
                           Store.getDataLayout().getTypeStoreSize(X.ElemTy);
  };
  const Term &First = Result.Op.Terms[0], &Second = Result.Op.Terms[1];
  return AreNext(First.A, Second.A) && AreNext(First.B, Second.B);
}

/// Whether \p Other stores the element next to that of this update, in the same
/// iteration: only then, or where loops are unrolled in full, do both stand in
/// one block.
bool Recognizer::isNeighbour(const StoreInst &Other) const {
  std::optional<AffineForm> X = formOf(Store), Y = formOf(Other);
  if (!X || !Y || (X->Step != Y->Step && !mayMergeBlocks(In)))
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
