//===- Unrolled.cpp - against loops that are unrolled ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM unrolls loops over few known steps, and over few known columns. What is left
// is a loop over rows or columns, of which it makes vectors, with the sums in
// registers. That is as fast as a kernel up to some steps, or faster: which ones
// depends on what is unrolled, and on how well the rest fills registers.
//
//===----------------------------------------------------------------------===//

#include "Unrolled.h"

using namespace llvm;

namespace tilesmith {

namespace {

enum class Order {
  Fresh,    ///< sums innermost, which start from nothing of C
  Added,    ///< sums innermost, which start from C
  Updating, ///< columns innermost
};

/// So many steps are worth a kernel if there are some known columns.
struct Limit {
  unsigned Bits;    ///< of a register
  unsigned Element; ///< bits of one
  Order Of;
  uint64_t First, Last; ///< columns
  uint64_t Least;       ///< columns times steps: of fewer, this does not hold
  uint64_t Steps;
};

/// Measured on Zen 5 with AVX-512, AVX2 and SSE2, with 200 and 300 rows.
constexpr Limit Limits[] = {
    {512, 64, Order::Fresh, 2, 4, 0, 9},
    {512, 64, Order::Fresh, 11, 64, 0, 9},
    {512, 64, Order::Added, 2, 2, 0, 9},
    {512, 64, Order::Added, 16, 64, 0, 11},
    {512, 64, Order::Updating, 8, 8, 0, 17},
    {512, 64, Order::Updating, 9, 64, 85, 16},
    {512, 32, Order::Fresh, 2, 3, 0, 12},
    {512, 32, Order::Fresh, 4, 8, 0, 9},
    {512, 32, Order::Fresh, 11, 20, 0, 9},
    {512, 32, Order::Fresh, 25, 64, 0, 9},
    {512, 32, Order::Added, 2, 3, 0, 12},
    {512, 32, Order::Added, 4, 8, 0, 9},
    {512, 32, Order::Added, 16, 16, 0, 17},
    {512, 32, Order::Added, 25, 64, 0, 9},
    {512, 32, Order::Updating, 8, 8, 0, 17},
    {512, 32, Order::Updating, 16, 16, 0, 17},
    {512, 32, Order::Updating, 20, 64, 85, 14},
    {256, 64, Order::Fresh, 2, 2, 0, 25},
    {256, 64, Order::Fresh, 3, 3, 0, 17},
    {256, 64, Order::Fresh, 4, 4, 0, 13},
    {256, 64, Order::Fresh, 5, 5, 0, 17},
    {256, 64, Order::Fresh, 6, 6, 0, 13},
    {256, 64, Order::Fresh, 8, 8, 0, 9},
    {256, 64, Order::Fresh, 13, 20, 0, 13},
    {256, 64, Order::Added, 2, 2, 0, 33},
    {256, 64, Order::Added, 3, 3, 0, 25},
    {256, 64, Order::Added, 4, 4, 0, 13},
    {256, 64, Order::Added, 5, 5, 0, 17},
    {256, 64, Order::Added, 6, 6, 0, 9},
    {256, 64, Order::Added, 13, 20, 0, 11},
    {256, 64, Order::Updating, 2, 2, 0, 25},
    {256, 64, Order::Updating, 8, 8, 0, 16},
    {256, 64, Order::Updating, 9, 11, 85, 12},
    {256, 64, Order::Updating, 12, 12, 85, 9},
    {256, 64, Order::Updating, 13, 20, 85, 16},
    {256, 32, Order::Fresh, 2, 3, 0, 33},
    {256, 32, Order::Fresh, 4, 4, 0, 17},
    {256, 32, Order::Fresh, 5, 6, 0, 13},
    {256, 32, Order::Fresh, 8, 20, 0, 9},
    {256, 32, Order::Fresh, 25, 64, 0, 9},
    {256, 32, Order::Added, 2, 3, 0, 49},
    {256, 32, Order::Added, 4, 4, 0, 33},
    {256, 32, Order::Added, 5, 5, 0, 25},
    {256, 32, Order::Added, 6, 6, 0, 17},
    {256, 32, Order::Added, 16, 16, 0, 9},
    {256, 32, Order::Added, 25, 64, 0, 9},
    {256, 32, Order::Updating, 8, 8, 0, 17},
    {256, 32, Order::Updating, 9, 12, 85, 13},
    {256, 32, Order::Updating, 20, 64, 85, 9},
    {128, 64, Order::Fresh, 2, 3, 0, 49},
    {128, 64, Order::Fresh, 4, 64, 0, 17},
    {128, 64, Order::Added, 2, 3, 0, 49},
    {128, 64, Order::Added, 4, 4, 0, 9},
    {128, 64, Order::Added, 5, 7, 0, 17},
    {128, 64, Order::Added, 8, 8, 0, 13},
    {128, 64, Order::Added, 9, 64, 0, 17},
    {128, 64, Order::Updating, 2, 2, 0, 33},
    {128, 64, Order::Updating, 8, 8, 0, 25},
    {128, 64, Order::Updating, 9, 64, 0, 33},
    {128, 32, Order::Fresh, 2, 5, 0, 49},
    {128, 32, Order::Fresh, 6, 7, 0, 15},
    {128, 32, Order::Fresh, 9, 64, 0, 17},
    {128, 32, Order::Added, 2, 5, 0, 49},
    {128, 32, Order::Added, 6, 7, 0, 15},
    {128, 32, Order::Added, 9, 64, 0, 17},
    {128, 32, Order::Updating, 2, 2, 0, 20},
    {128, 32, Order::Updating, 8, 8, 0, 14},
    {128, 32, Order::Updating, 9, 64, 0, 25},
};

Order orderOf(const Nest &View) {
  if (!View.Source.sumsInnermost() && !View.Source.IsWrittenOut)
    return Order::Updating;
  return View.Op.Start.uses(Leaf::C) ? Order::Added : Order::Fresh;
}

} // namespace

bool isUnrolledElse(const Surroundings &Source) {
  return Source.IsUnrolledElse || Source.IsWrittenOut;
}

bool isAgainstGathers(const Plan &P, const Surroundings &Source) {
  return Source.UnrollsRows && P.VectorBits >= 512;
}

void setOfUnrolled(Plan &P, const Nest &View) {
  const Contraction &Op = View.Op;
  std::optional<uint64_t> Columns = Op.constantExtent(M),
                          Steps = Op.constantExtent(K);
  bool IsPlain = Op.Outer.empty() && Op.Terms.size() == 1 && !Op.Domain &&
                 !P.Gathered && P.hasDirectPath(Op) && !Op.fillsMatrices();
  if (!IsPlain || !isUnrolledElse(View.Source) ||
      isAgainstGathers(P, View.Source) || View.Source.MayReorder || !Steps ||
      !Op.SumTy->isFloatingPointTy() || P.isSmall() ||
      (P.VectorBits < 512 && P.VectorRegisters > 16))
    return;
  // Of numbers of rows and columns that are not known, so many elements are needed.
  constexpr uint64_t MostSteps = 8, FewElements = 65;
  if (P.VectorBits >= 512 && !Columns && !Op.constantExtent(N) &&
      View.Source.sumsInnermost() && *Steps <= MostSteps)
    P.MinWork = std::max<uint64_t>(P.MinWork, FewElements * *Steps);
  // Steps outermost are no loop that is unrolled. Columns of B in rows of their own
  // were not measured.
  bool IsMeasured = View.Source.Outermost != K &&
                    Op.Terms.front().A.isUnit(M, Op.getDataLayout());
  if (!Columns || !IsMeasured)
    return;
  for (const Limit &L : Limits)
    if (L.Bits == P.VectorBits &&
        L.Element == Op.SumTy->getScalarSizeInBits() && L.Of == orderOf(View) &&
        L.First <= *Columns && *Columns <= L.Last &&
        L.Least <= *Columns * *Steps)
      P.MinExtent[K] = std::max(P.MinExtent[K], L.Steps);
}

} // namespace tilesmith
