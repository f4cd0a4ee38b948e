//===- Blocks.cpp - tiles, blocks, and what of them is packed -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "tilesmith/Planning/Covering.h"
#include "tilesmith/Planning/Plan.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {

/// Steps for which the columns of A may stay in registers. (The sums of several
/// tiles must be under way at a time, or multiply-adds wait for each other.)
static constexpr unsigned MaxKeptSteps = 8;

/// Elements of a panel of A that are transposed without loops.
static constexpr uint64_t MaxTransposed = 256;

/// Takes shorter registers for a small kernel than the target's, where less of
/// them lies idle, or it is moving C that takes the time. (Measured on Zen 4.)
static void narrow(Plan &P, const Contraction &View) {
  constexpr unsigned Narrowest = 128;
  uint64_t Rows = *View.constantExtent(M), Steps = *View.constantExtent(K);
  auto Halve = [&] {
    P.VectorBits /= 2;
    P.VL /= 2;
  };
  while (P.VectorBits > Narrowest && Rows <= P.VL / 2)
    Halve();
  if (P.VectorBits < 512)
    return;
  const DataLayout &DL = View.getDataLayout();
  bool IsRagged = Rows % P.VL;
  // Loops transpose whole squares only.
  bool IsTransposedByLoops = any_of(View.Terms, [&](const Term &T) {
    return T.A.isUnit(K, DL) && Rows * Steps > MaxTransposed;
  });
  if (Steps <= 2 || (IsRagged && (Steps <= 5 || IsTransposedByLoops)))
    Halve();
}

/// The tile of a product of so few steps that A's columns for all of them stay
/// in registers; none if there are more. Four sums at a time are fastest: the
/// columns of C are soon stored, so that those of the next product can be
/// loaded, and stores do not come in long rows. (Measured on Zen 4: 32x32x3 and
/// 64x64x2 take 1.3 times as long with eight.)
static std::pair<unsigned, unsigned>
chooseTileThatKeepsA(const Plan &P, const Contraction &View, StepNeeds Needs) {
  constexpr unsigned MaxSums = 4, MaxColumns = 2;
  Needs.ColumnsOfA = *View.constantExtent(K) * View.Terms.size();
  if (Needs.ColumnsOfA > MaxKeptSteps)
    return {0, 0};
  unsigned Needed = divideCeil(*View.constantExtent(M), P.VL);
  unsigned Rows = std::min(Needed, MaxSums);
  while (Rows && registersOfTile(Rows, 1, Needs) > P.VectorRegisters)
    --Rows;
  // One row of registers has a load for each multiply-add.
  if (!Rows || (Rows == 1 && Needed > 1))
    return {0, 0};
  unsigned Columns = std::min<uint64_t>(
      std::clamp(MaxSums / Rows, 1u, MaxColumns), *View.constantExtent(N));
  while (registersOfTile(Rows, Columns, Needs) > P.VectorRegisters)
    --Columns;
  return {Rows * P.VL, Columns};
}

void decideTile(Plan &P, const Contraction &View, const TargetModel &Target,
                const Options &Opts) {
  const StepNeeds Needs = P.Needs;
  if (P.isSmall()) {
    unsigned Bits = P.VectorBits, VL = P.VL;
    narrow(P, View);
    // A tile that is asked for may need the whole registers.
    if (P.MR && registersOfTile(divideCeil(P.MR, P.VL), P.NR, Needs) >
                    P.VectorRegisters) {
      P.VectorBits = Bits;
      P.VL = VL;
    }
  }
  bool HasSmallTile = P.isSmall() && P.Engine->HasSumsInVectors;
  if (!P.MR && HasSmallTile)
    std::tie(P.MR, P.NR) = chooseTileThatKeepsA(P, View, Needs);
  if (P.MR)
    return;
  const TileShape Wanted{unsigned(Opts.MR), unsigned(Opts.NR)};
  // Eight sums are enough for multiply-adds not to wait for each other, and
  // there is a kernel for each part of a tile.
  bool IsCompact =
      Target.PrefersSmallCode && !P.isSmall() && P.Engine->HasSumsInVectors;
  if (HasSmallTile) {
    std::tie(P.MR, P.NR) = chooseSmallTile(
        P.VL, Target.VectorRegisters, Needs,
        P.VectorBits < Target.VectorBits ? 2 : Target.MultiplyAdds,
        *View.constantExtent(M), *View.constantExtent(N));
  } else {
    auto [Rows, Columns] =
        P.Engine->chooseTile({P.VL, Target.VectorRegisters, Needs}, Wanted);
    // Sixteen products under way are as good as more. (Measured on Zen 5.)
    constexpr unsigned EnoughProducts = 16;
    unsigned Products = 2 * Columns * View.Terms.size();
    bool IsLow = IsCompact || (P.IsCompact && P.Engine->HasSumsInVectors &&
                               Products >= EnoughProducts);
    P.MR = IsLow && !Wanted.Rows ? std::min(Rows, 2 * P.VL) : Rows;
    P.NR = IsCompact && !Wanted.Columns ? std::min(Columns, 4u) : Columns;
  }
  // Panels of a factor that is transposed are on the stack.
  if (P.isSmall()) {
    const DataLayout &DL = View.getDataLayout();
    uint64_t BytesOfRow =
        *View.constantExtent(K) * DL.getTypeStoreSize(View.SumTy) *
        count_if(View.Terms, [&](const Term &T) { return !T.A.isUnit(M, DL); });
    while (P.MR > P.VL && P.MR * BytesOfRow > MaxStackBytes)
      P.MR -= P.VL;
  }
  if (P.isSmall()) {
    auto [Rows, Columns] = asWanted({P.MR, P.NR}, Wanted, P.VL);
    P.MR = Rows;
    P.NR = Columns;
  }
  // The smallest that two of are enough for one register more than MR.
  unsigned Second = alignTo((P.MR + P.VL) / 2, P.VL);
  if (!P.isSmall() && P.Engine->HasEdgeTiles && Second < P.MR && !IsCompact) {
    P.SecondMR = Second;
    P.SecondNR = P.NR;
  }
}

/// Up to how many rows B is read in place. An engine that takes rows of B from
/// registers must gather those that are not adjacent. Columns that are adjacent
/// along the steps are eight streams beside registers of 512 bits, of which half
/// are used if a diagonal bounds the steps: packing does not make these faster.
/// (Measured on Zen 5: in place at such a diagonal 1.01 to 1.04 times as fast up to
/// 2500 rows; with AVX2 .97. Without a diagonal, with 1000 rows, 1.00 to 1.04 times
/// as fast, but .90 to .96 if another thread of the core uses its caches.)
static unsigned mostRowsInPlace(const Plan &P, const Contraction &View) {
  const DataLayout &DL = View.getDataLayout();
  auto All = [&](Dim D) {
    return all_of(View.Terms, [&](const Term &T) { return T.B.isUnit(D, DL); });
  };
  if (P.Engine->takesRowsOfB() && !All(N))
    return 2 * P.MR;
  bool IsStreamed = P.VectorBits >= 512 && P.Engine->HasSumsInVectors &&
                    View.Terms.size() == 1 && !View.isComplex() &&
                    !P.Gathered && All(K);
  bool IsHalf = View.Domain && !View.Domain->isOfC();
  return IsStreamed && IsHalf ? std::max(4032u, 16 * P.MR) : 16 * P.MR;
}

void decideBlocks(Plan &P, const Contraction &View, const TargetModel &Target,
                  const Options &Opts, uint64_t Size) {
  // The sliver of B, of each term, takes half of the L1 cache at most; steps
  // beyond 2 KiB of one row or column gain nothing. The block of A takes a
  // third of the L2 cache; the panel of B half of the L3 cache, but so much at
  // least that the packing of A is worth it. (Goto and van de Geijn, section 6,
  // with measured fractions.) A block that is read in lines takes four times
  // the L2 cache, measured on Zen 5: its lines are 256 bytes then, or more.
  auto Block = [](uint64_t Bytes, uint64_t PerUnit, uint64_t Multiple,
                  uint64_t Min, uint64_t Max) {
    return alignDown(std::clamp(Bytes / PerUnit, std::max(Min, Multiple),
                                std::max(Max, Multiple)),
                     Multiple);
  };
  const CacheSizes &Caches = Target.Caches;
  unsigned Group = P.groupSteps();
  // Windows overlap, so a sliver of them takes less of L1 than its elements would, and
  // each block costs the same time again to find them. (Measured on Zen 4: blocks of
  // twice as many steps and as large are 1.02 times as fast.)
  const bool HasWindows = P.Gathered && P.Gathered->OfB;
  const uint64_t MaxLine = HasWindows ? 3072 : 2048;
  if (P.Narrow)
    Size = P.Narrow->Packed.GroupBits / 8;
  if (!P.KC)
    P.KC = Opts.KC ? Opts.KC
                   : Group * Block(Caches.L1 / 2, P.NR * Size, 8, 64,
                                   MaxLine / Size);
  P.KC = alignTo(P.KC, P.depthMultiple());
  uint64_t Line = divideCeil(P.KC, Group) * Size * View.Terms.size();
  if (!P.MC && !Opts.MC)
    P.MaxLineElements = std::min(4 * Caches.L2, Caches.L3) / Size;
  if (!P.MC)
    P.MC = Opts.MC ? alignTo(Opts.MC, P.MR)
                   : Block(Caches.L2 / (HasWindows ? 2 : 3), Line, P.MR,
                           HasWindows ? 2 * P.MR : P.MR, 2048);
  // Where a diagonal bounds the steps, sums that rest apart are kept of all rows:
  // of fewer columns, they stay in the caches. (Measured on Zen 5, n = 1000 and
  // 1600, with 128 to 2048 columns.)
  constexpr uint64_t ColumnsOfSums = 512;
  if (!P.NC && !Opts.NC && keepsSumsOfRows(View))
    P.NC = alignTo(ColumnsOfSums, P.NR);
  if (!P.NC)
    P.NC = Opts.NC ? alignTo(Opts.NC, P.NR)
                   : Block(Caches.L3 / 2, Line, P.NR, 2048, 8192);

  // Packing costs each element a few cycles once, reading in place costs cache
  // and TLB misses with each use: the break-even lies at about this many uses,
  // and below powers of two, where strides make for more misses. If the steps
  // of a block take less than the L2 cache, hardly any. Kernels for windows prefetch
  // the next block of A, and a copy of windows is larger than an image. (Zen 4: 1.005
  // and 1.01 times as fast.)
  const unsigned UsesOfA = 240 / Size;
  uint64_t Span = Caches.L2 / 4 * 3;
  // Of complex numbers, one of the two orders is packed anyway, and both are read
  // side by side. (Measured on Zen 5.)
  constexpr unsigned ColumnsOfComplex = 48;
  if (!P.PackA)
    P.PackA = {Opts.ReadA         ? Opts.ReadA - (Opts.ReadA == 1)
               : View.isComplex() ? ColumnsOfComplex
                                  : (HasWindows ? 2 : 1) * UsesOfA * P.NR,
               Span};
  if (!P.PackB)
    P.PackB = {Opts.ReadB ? Opts.ReadB - (Opts.ReadB == 1)
                          : (HasWindows ? 4 : 1) * mostRowsInPlace(P, View),
               Span};
}

bool Plan::keepsA(const Contraction &View) const {
  const DataLayout &DL = View.getDataLayout();
  unsigned Steps = *View.constantExtent(K) * View.Terms.size();
  unsigned Rows = balancedSplit(*View.constantExtent(M), MR, VL).Large / VL;
  return Engine->HasSumsInVectors && Steps <= MaxKeptSteps &&
         registersOfTile(Rows, NR, {1, Steps}) <= VectorRegisters &&
         all_of(View.Terms, [&](const Term &T) {
           return T.A.isUnit(M, DL) || T.A.isUnit(K, DL);
         });
}

bool Plan::isTransposedInRegisters(const Contraction &View,
                                   const Term &T) const {
  const DataLayout &DL = View.getDataLayout();
  uint64_t Rows = balancedSplit(*View.constantExtent(M), MR, VL).Large;
  return T.A.isUnit(K, DL) && Rows * *View.constantExtent(K) <= MaxTransposed;
}

} // namespace tilesmith
