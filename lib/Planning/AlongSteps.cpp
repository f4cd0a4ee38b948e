//===- AlongSteps.cpp - against vectors along the steps --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of integers with k innermost, of factors that are adjacent along k: clang makes
// vectors of their steps, as the order does not matter. These leave no lane idle,
// however few rows and columns there are.
//
//===----------------------------------------------------------------------===//

#include "AlongSteps.h"
#include "BreakEven.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// Whether clang makes vectors of integers along k, as both factors are adjacent there;
/// if \p EitherWay, backwards, too, which takes a shuffle more.
static bool hasVectorsAlongSteps(const Nest &View, bool EitherWay) {
  const Contraction &Op = View.Op;
  const DataLayout &DL = Op.getDataLayout();
  auto IsAlongSteps = [&](const Access &X) {
    return EitherWay ? X.isAdjacent(K, DL) : X.isUnit(K, DL);
  };
  return View.Source.sumsInnermost() && Op.SumTy->isIntegerTy() &&
         all_of(Op.Terms, [&](const Term &T) {
           return IsAlongSteps(T.A) && IsAlongSteps(T.B);
         });
}

/// Whether elements have fewer bits than the sums.
static bool hasNarrowElements(const Contraction &Op) {
  return any_of(Op.Terms, [&](const Term &T) {
    return T.A.ElemTy->getScalarSizeInBits() < Op.SumTy->getScalarSizeInBits();
  });
}

/// Where factors stay narrow, clang adds pairs as well. Both factors are packed, and tiles
/// of a triangle are made as a whole. (Measured on Zen 4 with AVX-512 and AVX2: squares of
/// 4 to 12 rows, 4 to 100 steps.)
static void setOfGroups(Plan &P, const Contraction &Op) {
  const bool IsLong = P.VectorBits >= 512;
  const uint64_t OfSquare = IsLong ? 40 : 64, OfTriangle = IsLong ? 120 : 300;
  P.MinElements = std::max(P.MinElements, Op.Domain ? OfTriangle : OfSquare);
}

/// Such vectors leave no lane idle, however few rows and columns there are. Short vectors
/// gain less. Where all extents are known, there is nothing to pack, but clang unrolls its
/// loops. (Measured on Zen 5 with AVX-512 and AVX2: 2 to 16 rows, 4 to 64 columns, 16 to 300
/// steps at run time, and known extents from 4 to 64.)
void setOfVectorsAlongSteps(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  if (!hasVectorsAlongSteps(View, /*EitherWay=*/true))
    return;
  if (P.Narrow)
    return setOfGroups(P, Op);
  const bool IsLong = P.VectorBits >= 512, IsNarrow = hasNarrowElements(Op);
  const unsigned Bits = Op.SumTy->getScalarSizeInBits();
  auto Raise = [](uint64_t &Least, uint64_t To) {
    Least = std::max(Least, To);
  };
  bool AreKnown =
      all_of(PerDim<Dim>{M, N, K}, [&](Dim D) { return Op.constantExtent(D); });
  if (AreKnown && Bits == 64 && IsNarrow)
    for (uint64_t &Least : P.MinExtent)
      Raise(Least, 16);
  else if (P.isSmall() && Bits == 64 && hasFewRegisters(P))
    Raise(P.MinExtent[M], 2 * P.VL);
  if (P.isSmall())
    return;
  const bool GainsLittle =
      !IsLong && (Bits == 64 || (Op.hasPairings() && Bits == 32));
  const uint64_t Vectors = !GainsLittle ? 1 : Op.hasPairings() ? 3 : 2;
  Raise(P.MinExtent[M], Vectors * P.VL);
  Raise(P.MinExtent[N], !GainsLittle ? 4 : Op.hasPairings() ? 12 : 8);
  Raise(P.MinElements, (IsLong && !IsNarrow ? 8 : 12) * P.VL);
}

/// Of a pair whose sum has fewer bits than its elements, or than 32, vectors of clang's
/// along k are as fast as registers that are not half full. (Measured on Zen 5 with AVX-512.)
void setOfNarrowSums(Plan &P, const Contraction &Op) {
  constexpr uint64_t FewSteps = 16;
  const unsigned Bits = Op.SumTy->getScalarSizeInBits();
  bool IsNarrow =
      Bits < 32 || any_of(
                       Op.Terms,
                       [&](const Term &T) {
                         return T.A.ElemTy->getScalarSizeInBits() > Bits;
                       });
  if (!IsNarrow || !Op.SumTy->isIntegerTy())
    return;
  P.MinExtent[M] = std::max<uint64_t>(P.MinExtent[M], P.VL / 2);
  P.MinExtent[K] = std::max(P.MinExtent[K], FewSteps);
}

/// Whether elements are compared, or computed with, in a type narrower than the
/// sum's.
static bool hasNarrowPairs(const Contraction &Op) {
  return any_of(Op.Terms, [&](const Term &T) {
    return T.Pairing && any_of(T.Pairing->Leaves, [&](const auto &Of) {
             return (Of.second == Leaf::A || Of.second == Leaf::B) &&
                    Of.first->getType()->getScalarSizeInBits() <
                        Op.SumTy->getScalarSizeInBits();
           });
  });
}

/// Whether what a pair makes takes longer in tiles than in clang's vectors along k:
/// lanes are shuffled where elements of 32 bits are computed with as such for sums of
/// 64, or wider values are made in between; a count after two comparisons makes both for
/// each element of a tile; and bits are counted in as many lanes as there are elements.
static bool isSlowInTiles(const Contraction &Op) {
  unsigned Bits = Op.SumTy->getScalarSizeInBits(), Comparisons = 0;
  bool IsWider = false, AreElements = false, CountsBits = false;
  auto LookAt = [&](const Instruction &I) {
    IsWider |= I.getType()->getScalarSizeInBits() > Bits;
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    CountsBits |= Call && Call->getIntrinsicID() == Intrinsic::ctpop;
    Comparisons += isa<CmpInst>(I);
    return false;
  };
  Op.Update.contains(LookAt);
  for (const Term &T : Op.Terms) {
    T.Pairing->contains(LookAt);
    AreElements |= any_of(T.Pairing->Leaves, [&](const auto &Of) {
      return Of.second == Leaf::A && Of.first->getType() == T.A.ElemTy;
    });
  }
  bool IsCount =
      cast<Instruction>(Op.Update.Root)->getOpcode() == Instruction::Add;
  return IsWider || (IsCount && Comparisons > 1) ||
         (CountsBits && hasNarrowPairs(Op)) ||
         (Bits == 64 && !Comparisons && AreElements && hasNarrowPairs(Op));
}

Refused refuseVectorizedPairs(const Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  const bool AreAlongK = hasVectorsAlongSteps(View, /*EitherWay=*/false);
  // Half of the lanes of a product of 64 bits is nothing, which clang knows.
  if (AreAlongK && !Op.hasPairings() && P.VectorBits == 256 &&
      Op.SumTy->getScalarSizeInBits() == 64 && hasNarrowElements(Op))
    return Refusal{Reason::VectorizedSum, Op.store()};
  if (!Op.hasPairings())
    return std::nullopt;
  // Sums that are divided in each step are no vectors of clang's, and products that
  // are divided take as long in a loop.
  if (Op.Update.contains(dividesOneByOne))
    return std::nullopt;
  bool AreDivided = any_of(Op.Terms, [](const Term &T) {
    return T.Pairing && T.Pairing->contains(dividesOneByOne);
  });
  bool IsSlow = AreAlongK && (P.VectorBits >= 512   ? isSlowInTiles(Op)
                              : P.VectorBits >= 256 ? hasNarrowPairs(Op)
                                                    : true);
  if (AreDivided || IsSlow)
    return Refusal{Reason::VectorizedSum, Op.store()};
  return std::nullopt;
}

} // namespace tilesmith
