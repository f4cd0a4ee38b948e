//===- Recognize.cpp - the Idiom room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three loops or more, in any order, around
//
//   c[i][j] = ... sum ...          sum = sum + a*b, with sum a phi, or
//   c[i][j] = c[i][j] + a*b        the element itself, loaded and stored
//
// or two of them around c[i], where one of the factors is a vector.
//
// Recognition asks, each question in a file of its own:
//
//   LoopNest          which blocks run, on which assumptions?
//   TripCount         how often does a loop run?
//   IterationSpace    which indices do the loops' counters make up?
//   Effects           what is stored?
//   Buffers           what is stored only to be read again?
//   Update, Lift      which store is of a sum, and what is summed?
//   Roles, Address    which loop does not move C, and so is k; which is m?
//   Recognizer        what does the sum start from, and what becomes of it?
//   Checks            would the bits be the same, and is it wanted?
//   Initialisation    does an earlier store, perhaps in a loop of its own, give
//                     the element its first value?
//   Rest, Meeting     can whatever else is done be done before, or after?
//
// An answer is exact, or exact where the guard's tests hold, which are
// collected on the way; any doubt is a Refusal.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Idiom/Recognize.h"
#include "BetterReasons.h"
#include "BoundReasons.h"
#include "Buffers.h"
#include "Recognizer.h"
#include "tilesmith/Idiom/FusedCounter.h"
#include "tilesmith/Idiom/Likeness.h"
#include "tilesmith/Idiom/Windows.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/PatternMatch.h"
#include <map>
#include <memory>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Tries each store of \p In.
static std::variant<Nest, Refusal>
recognizeNest(const LoopNest &In, const Effects &All, Liberties May) {
  // The first store that is more than none at all tells best what is wrong.
  Refusal Best{Reason::NoUpdate, In.innermost().getHeader()->getTerminator()};
  SmallVector<Recognizer, 1> Updates;
  SmallVector<Nest, 1> Copies, Others;
  for (StoreInst *Store : All.Stores) {
    Recognizer One(In, All, *Store, May);
    auto Tried = One.describe();
    if (auto *Found = std::get_if<Nest>(&Tried)) {
      // What is stored may be made of both parts of a complex sum.
      const auto &After = Found->Op.After;
      if (Found->Source.ToScratch || (After && After->isOfNumbers())) {
        auto Other = Recognizer(In, All, *Store, May, &One.sum()).describe();
        if (auto *Part = std::get_if<Nest>(&Other))
          Others.push_back(std::move(*Part));
      }
      Copies.push_back(std::move(*Found));
      Updates.push_back(std::move(One));
    } else if (Best.Why == Reason::NoUpdate) {
      Best = std::get<Refusal>(Tried);
    }
  }
  // Of two matrices times a vector in one nest (BiCG), the one by rows is a
  // chain for each; clang makes vectors of the other one, which is the rest.
  auto Order = to_vector<1>(seq<size_t>(Updates.size()));
  Copies.append(Others);
  if (May.Vector)
    stable_sort(Order, [&](size_t X, size_t Y) {
      return Copies[X].Source.sumsInnermost() >
             Copies[Y].Source.sumsInnermost();
    });
  for (size_t I : Order) {
    auto Tried = Updates[I].complete(Copies);
    auto *No = std::get_if<Refusal>(&Tried);
    if (!No)
      return Tried;
    if (I == Order.front())
      Best = *No;
  }
  // The sum itself is what is used, or goes on from row to row.
  if (!All.ComputedResults.empty() &&
      is_contained({Reason::NoUpdate, Reason::VaryingScalar}, Best.Why))
    return Refusal{Reason::UsedAfter, All.ComputedResults.front()};
  // A sum that is only made in some iterations is not seen as one.
  if (Best.Why == Reason::NoUpdate && !In.Guards.empty())
    return Refusal{Reason::BoundVaries, In.Guards.front().Branch};
  if (Best.Why == Reason::EmptySum)
    if (auto Spaces = IterationSpace::of(In);
        auto *No = std::get_if<Refusal>(&Spaces))
      return *No;
  return Best;
}

namespace {

/// A chain of loops, which is looked at once, however many liberties are tried
/// on it: as it is and, if no product is found so, through buffers, and then with
/// all memsets behind tests in the rest.
class ChainRecognizer {
public:
  ChainRecognizer(Loop &Innermost, unsigned Length,
                  const NestAnalyses &Analyses, bool MemSetsAreOfRest = false) {
    if (!MemSetsAreOfRest && LoopNest::hasTestedMemSet(Innermost, Length))
      WithoutMemSets = std::make_unique<ChainRecognizer>(
          Innermost, Length, Analyses, /*MemSetsAreOfRest=*/true);
    auto MaybeChain =
        LoopNest::create(Innermost, Length, Analyses, MemSetsAreOfRest);
    if (auto *Not = std::get_if<Refusal>(&MaybeChain)) {
      No = *Not;
      return;
    }
    In = std::move(std::get<LoopNest>(MaybeChain));
    auto MaybeEffects = collectEffects(*In);
    if (auto *Not = std::get_if<Refusal>(&MaybeEffects))
      No = *Not;
    else
      All = std::move(std::get<Effects>(MaybeEffects));
  }

  std::variant<Nest, Refusal> recognize(Liberties May) {
    auto Tried = recognizeAsItIs(May);
    if (std::holds_alternative<Nest>(Tried) || !WithoutMemSets)
      return Tried;
    auto TriedAgain = WithoutMemSets->recognize(May);
    return std::holds_alternative<Nest>(TriedAgain) ? TriedAgain : Tried;
  }

  /// What the rest might choose, if it is not only the rest's business.
  const Refusal *choice() const {
    return In && !In->Choices.empty() ? &In->Choices.front().Why : nullptr;
  }

private:
  std::variant<Nest, Refusal> recognizeAsItIs(Liberties May) {
    if (No)
      return *No;
    auto Tried = recognizeNest(*In, All, May);
    if (std::holds_alternative<Nest>(Tried) || !lookThroughBuffers())
      return Tried;
    auto TriedAgain = recognizeNest(*Through, All, May);
    return std::holds_alternative<Nest>(TriedAgain) ? TriedAgain : Tried;
  }

  bool lookThroughBuffers() {
    if (!std::exchange(HasLooked, true)) {
      Through = In;
      if (!seeThroughBuffers(*Through, All))
        Through.reset();
    }
    return Through.has_value();
  }

  Refused No;
  std::optional<LoopNest> In, Through;
  Effects All;
  bool HasLooked = false;
  std::unique_ptr<ChainRecognizer> WithoutMemSets; ///< if that differs
};

} // namespace

/// Whether the product of three of the loops is better made in place, once for
/// each value of the others: it has a small constant size, and its matrices are
/// adjacent.
static bool isSmallInOthers(const Contraction &Op) {
  // A few steps of a longer sum do not pay for moving C.
  constexpr uint64_t FewSteps = 8;
  if (any_of(Op.Outer, [](const Index &I) { return I.Bundle == K; }) &&
      Op.constantExtent(K).value_or(0) < FewSteps)
    return false;
  if (Op.Outer.empty() || any_of(PerDim<Dim>{M, N, K}, [&](Dim D) {
        return Op.constantExtent(D).value_or(UINT64_MAX) > MaxSmallExtent;
      }))
    return false;
  const DataLayout &DL = Op.getDataLayout();
  return all_of(Op.accesses(), [&](const Access *X) {
    return any_of(PerDim<Dim>{M, N, K},
                  [&](Dim D) { return X->isUnit(D, DL); });
  });
}

/// Whether no operand is adjacent along M, N or K.
static bool isStrided(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return all_of(Op.accesses(), [&](const Access *X) {
    return none_of(PerDim<Dim>{M, N, K},
                   [&](Dim D) { return X->isUnit(D, DL); });
  });
}

/// Whether the result is a part of the matrix that is read, as in a factorisation.
static bool isInPlace(const Contraction &Op, ScalarEvolution &SE) {
  const SCEV *Array = SE.getPointerBase(Op.C.Base);
  return any_of(Op.Terms, [&](const Term &T) {
    return SE.getPointerBase(T.A.Base) == Array;
  });
}

/// Whether the vectors are rows of one matrix, of which each is made of another
/// one.
static bool isRecurrentLayer(const Contraction &Op, ScalarEvolution &SE) {
  const SCEV *Rows = SE.getPointerBase(Op.C.Base);
  return all_of(Op.Terms, [&](const Term &T) {
    return SE.getPointerBase(T.A.Base) != Rows &&
           SE.getPointerBase(T.B.Base) == Rows;
  });
}

/// Whether a vector that moves along with the rows is read as it lies, and the
/// matrix along its rows.
static bool isBandByRows(const Contraction &Op) {
  const DataLayout &DL = Op.getDataLayout();
  return Op.Outer.empty() && !Op.borderedFactor() && !Op.Transposed &&
         !Op.isInPlace() && !Op.isSaved() && !Op.hasRowTables() &&
         !Op.hasMadeFactors() && all_of(Op.Terms, [&](const Term &T) {
           return T.B.isUnit(M, DL) && T.B.isUnit(K, DL) &&
                  T.A.isAdjacent(K, DL) && !T.A.isUnit(M, DL);
         });
}

/// Whether clang makes vectors of what is left in the loop over k without the
/// sum, or both parts of it, or it is another sum of products, which is replaced in
/// its turn.
static bool isFastWithoutSum(const Nest &Found, ScalarEvolution &SE) {
  const Loop &Sum = *Found.Source.Loops.back();
  const auto &Apart = Found.Source.ToScratch;
  auto IsSumOfProducts = [&](PHINode &Phi) {
    Value *Next = Phi.getIncomingValueForBlock(Sum.getLoopLatch());
    if (Apart && (Next == Apart->Sum || Next == Apart->Second))
      return true;
    auto Load = m_Load(m_Value());
    auto Element = m_CombineOr(Load, m_FPExt(Load));
    return match(Next, m_c_FAdd(m_Specific(&Phi), m_FMul(Element, Element))) ||
           match(Next, m_Intrinsic<Intrinsic::fmuladd>(Element, Element,
                                                       m_Specific(&Phi)));
  };
  auto IsRow = [&](Instruction *Write) {
    auto *Store = dyn_cast<StoreInst>(Write);
    auto *Address =
        Store ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Store->getPointerOperand()))
              : nullptr;
    if (!Address || Address->getLoop() != &Sum)
      return false;
    uint64_t Size = Store->getDataLayout().getTypeStoreSize(
        Store->getValueOperand()->getType());
    auto *Step = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
    return Step && Step->getAPInt().abs() == Size;
  };
  return all_of(Sum.getHeader()->phis(),
                [&](PHINode &Phi) {
                  return !Phi.getType()->isFloatingPointTy() ||
                         IsSumOfProducts(Phi);
                }) &&
         all_of(Found.Source.RestWrites, [&](Instruction *Write) {
           return !Sum.contains(Write) || IsRow(Write);
         });
}

namespace {

/// Tries the chains of loops that end in one. The more loops, the larger the
/// product. Loops that it does not need, such as one over a batch, stay around
/// it. The last resorts are products that are made many times, strides that only
/// a test at run time can show to be those of one index, and sums that are kept
/// apart from what the nest does with them.
class NestRecognizer {
public:
  NestRecognizer(Loop &Innermost, const NestAnalyses &Analyses)
      : Innermost(Innermost), Analyses(Analyses),
        Depth(std::min(depthOf(Innermost), MaxChainLength)),
        Possible(PossibleProducts::of(Innermost)) {
    Vector.Vector = VectorApart.Vector = VectorApart.Apart = true;
    VectorMoves.Vector = VectorMoves.VectorMoves = true;
    Bundled.Axes = Liberties::Bundled;
    Repeat.Axes = Vector.Axes = Liberties::Batched;
    TestStrides.TestStrides = Apart.Apart = Saved.Saved = true;
    VectorSaved.Vector = VectorSaved.Saved = true;
    Segmented.Vector = Segmented.Segmented = true;
  }

  std::variant<Nest, Refusal> run();

private:
  /// How many loops there are that may be part of a product.
  static unsigned depthOf(const Loop &Innermost) {
    unsigned Result = 0;
    for (const Loop *L = &Innermost; L && !findOptionMDForLoop(L, AroundMark);
         L = L->getParentLoop())
      ++Result;
    return Result;
  }
  std::variant<Nest, Refusal> recognize(unsigned Length, Liberties May) {
    return Chains.try_emplace(Length, Innermost, Length, Analyses)
        .first->second.recognize(May);
  }
  std::variant<Nest, Refusal> recognizeMatrices();
  std::variant<Nest, Refusal> recognizeVector();
  std::variant<Nest, Refusal> withBatch(unsigned Length,
                                        std::variant<Nest, Refusal> &Product);
  Nest preferFilter(Nest &OfMatrices);
  Refusal explainRefusal(const Refusal &No, const Loop &Root) const;

  Loop &Innermost;
  const NestAnalyses &Analyses;
  unsigned Depth;
  PossibleProducts Possible;
  Liberties Plain, Bundled, TestStrides, Repeat, Apart, Saved;
  Liberties Vector, VectorApart, VectorSaved, VectorMoves, Segmented;
  std::map<unsigned, ChainRecognizer> Chains;
};

/// A matrix times a vector, in as many loops as it takes up; only the windows of a
/// filter are worth more indices. Sums are kept apart from what else the loops do
/// if that is a row each time, as of a symmetric matrix of which half is stored.
/// The vector may be read from a copy of the result's array (TRMV in place).
std::variant<Nest, Refusal> NestRecognizer::recognizeVector() {
  std::optional<Refusal> First;
  for (unsigned Length = Depth; Length >= VectorChainLength; --Length) {
    auto Tried = recognize(Length, Vector);
    auto *Found = std::get_if<Nest>(&Tried);
    bool IsPlain =
        Found && Found->Op.Outer.empty() && !Found->Op.borderedFactor();
    if (IsPlain || (Found && isFilter(Found->Op)))
      return Tried;
    First = Found ? Refusal{Reason::IndexRoles, Found->Op.store()}
                  : std::get<Refusal>(Tried);
  }
  auto Tried = recognize(VectorChainLength, VectorMoves);
  auto *Found = std::get_if<Nest>(&Tried);
  if (Found && Found->Source.sumsInnermost() && isBandByRows(Found->Op))
    return Tried;
  Tried = recognize(VectorChainLength, VectorApart);
  Found = std::get_if<Nest>(&Tried);
  if (Found && Found->Source.sumsInnermost() &&
      isFastWithoutSum(*Found, Analyses.SE))
    return Tried;
  if (First->Why == Reason::Recurrence || First->Why == Reason::VaryingScalar) {
    Tried = recognize(VectorChainLength, VectorSaved);
    Found = std::get_if<Nest>(&Tried);
    if (Found && Found->Source.sumsInnermost())
      return Tried;
  }
  if (First->Why == Reason::BoundVaries && isBand(Innermost, Analyses.SE))
    First->Why = Reason::Band;
  return *First;
}

/// The same product with a batch around it, if that is what is adjacent.
std::variant<Nest, Refusal>
NestRecognizer::withBatch(unsigned Length,
                          std::variant<Nest, Refusal> &Product) {
  if (isStrided(std::get<Nest>(Product).Op))
    for (unsigned Longer = Depth; Longer > Length; --Longer) {
      auto Tried = recognize(Longer, Repeat);
      auto *Found = std::get_if<Nest>(&Tried);
      if (Found && Found->Op.adjacentBatch())
        return Tried;
    }
  return std::move(Product);
}

std::variant<Nest, Refusal> NestRecognizer::recognizeMatrices() {
  std::optional<Refusal> No, OfBorder;
  bool MayBundle = true;
  std::optional<Nest> OfMoreLoops;
  for (unsigned Length = Depth; Length >= MinChainLength; --Length) {
    auto Tried = recognize(Length, Plain);
    if (std::holds_alternative<Nest>(Tried))
      return withBatch(Length, Tried);
    No = std::get<Refusal>(Tried);
    if (No->Why != Reason::IndexRoles || Length == MinChainLength || !MayBundle)
      continue;
    Tried = recognize(Length, Bundled);
    auto *Found = std::get_if<Nest>(&Tried);
    // All but the branch is that of a convolution.
    if (auto *Why = std::get_if<Refusal>(&Tried);
        Why && Why->Why == Reason::Branch && !OfBorder)
      OfBorder = *Why;
    if (Found && !isSmallInOthers(Found->Op))
      return withBatch(Length, Tried);
    if (Found)
      OfMoreLoops = std::move(*Found);
    MayBundle = !Found;
  }
  if (OfMoreLoops)
    return std::move(*OfMoreLoops);
  for (Liberties May : {Repeat, TestStrides, Apart, Saved}) {
    if (!May.Apart && !May.Saved &&
        (No->Why != Reason::IndexRoles || Depth == MinChainLength))
      continue;
    for (unsigned Length = Depth; Length >= MinChainLength; --Length) {
      auto Tried = recognize(Length, May);
      if (std::holds_alternative<Nest>(Tried))
        return Tried;
      const Refusal &Why = std::get<Refusal>(Tried);
      if (!(May.Apart || May.Saved) || Why.Why == Reason::SumTile ||
          Why.Why == Reason::SumInParts)
        No = Why;
    }
  }
  return OfBorder && No->Why == Reason::IndexRoles ? *OfBorder : *No;
}

/// Of products that are scattered, some loops alone may make up a product of
/// matrices, where all of them are a filter.
Nest NestRecognizer::preferFilter(Nest &OfMatrices) {
  if (!OfMatrices.Source.IsScatter || !Possible.Vector)
    return std::move(OfMatrices);
  auto Tried = recognizeVector();
  auto *Found = std::get_if<Nest>(&Tried);
  bool HasMore = Found && isFilter(Found->Op) &&
                 Found->Source.Loops.size() > OfMatrices.Source.Loops.size();
  return std::move(HasMore ? *Found : OfMatrices);
}

/// A branch that the rest has anyway may be what is in the way.
Refusal NestRecognizer::explainRefusal(const Refusal &No,
                                       const Loop &Root) const {
  for (const auto &[Length, Chain] : Chains)
    if (const Refusal *Choice = Chain.choice())
      return explain(*Choice, Root);
  return explain(No, Root);
}

std::variant<Nest, Refusal> NestRecognizer::run() {
  const Instruction *Start = Innermost.getHeader()->getTerminator();
  if (!Possible.any() && !Analyses.Explain)
    return Refusal{Reason::NotProduct, Start};
  if (Possible.Segments && Depth >= SegmentedChainLength) {
    auto Tried = recognize(SegmentedChainLength, Segmented);
    if (std::holds_alternative<Nest>(Tried))
      return Tried;
  }
  if (Depth < MinChainLength) {
    auto Tried = recognizeVector();
    if (std::holds_alternative<Nest>(Tried) && Possible.Vector)
      return Tried;
    if (std::holds_alternative<Nest>(Tried))
      return betterReason({Reason::NotProduct, Start}, Innermost, Analyses.SE);
    const Loop &Parent = *Innermost.getParentLoop();
    if (fusedCounter(Parent))
      return Refusal{Reason::FusedCounter, &Innermost.getHeader()->front()};
    return betterReason(explainRefusal(std::get<Refusal>(Tried), Parent),
                        Innermost, Analyses.SE);
  }
  // What looks like a product of matrices is not taken to pieces, nor what
  // might be one whose rows are updated one after the other; but where the rows
  // that were made last are times another matrix, as in a recurrent layer, where
  // a matrix is factorised in place, or where products are scattered.
  Likeness Like = Likeness::of(Innermost);
  bool IsLikely = Like.isLikely();
  Refusal No{Reason::NotProduct, Start};
  if (Possible.Matrices || IsLikely || Analyses.Explain) {
    auto Tried = recognizeMatrices();
    if (auto *Why = std::get_if<Refusal>(&Tried))
      No = *Why;
    else if (Possible.Matrices)
      return preferFilter(std::get<Nest>(Tried));
  }
  bool MayScatter = No.Why == Reason::IndexRoles || No.Why == Reason::Branch;
  bool MayBeVector =
      No.Why == Reason::Recurrence || No.Why == Reason::BoundVaries;
  if (Possible.Vector && (!IsLikely || MayBeVector || MayScatter)) {
    auto Tried = recognizeVector();
    auto *Found = std::get_if<Nest>(&Tried);
    if (Found && (!IsLikely || MayScatter) && isFilter(Found->Op))
      return Tried;
    if (Found && Found->Source.sumsInnermost() &&
        (!IsLikely || isRecurrentLayer(Found->Op, Analyses.SE) ||
         (No.Why == Reason::BoundVaries && isInPlace(Found->Op, Analyses.SE))))
      return Tried;
    if (Found && Like.isLikelyVector() && No.Why == Reason::Call)
      return Refusal{Reason::VectorizedSum, Found->Op.store()};
    if (auto *Why = std::get_if<Refusal>(&Tried); Why && Like.isLikelyVector())
      return betterReason(explainRefusal(*Why, *Innermost.getParentLoop()),
                          Innermost, Analyses.SE);
  }
  return betterReason(
      explainRefusal(No, *Innermost.getParentLoop()->getParentLoop()),
      Innermost, Analyses.SE);
}

} // namespace

std::variant<Nest, Refusal> recognize(Loop &Innermost,
                                      const NestAnalyses &Analyses) {
  return NestRecognizer(Innermost, Analyses).run();
}

} // namespace tilesmith
