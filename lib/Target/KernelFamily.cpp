//===- KernelFamily.cpp - the register tiles of a target ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Target/KernelFamily.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilesmith {

unsigned registersOfTile(unsigned Rows, unsigned Columns, StepNeeds Needs) {
  return Rows * (Columns + Needs.ColumnsOfA) + Needs.Temporaries;
}

unsigned stepsThatFit(unsigned Rows, unsigned Columns, StepNeeds Needs,
                      unsigned Registers) {
  unsigned Taken = registersOfTile(Rows, Columns, Needs);
  unsigned Free = Registers - std::min(Registers, Taken);
  return std::max(Free < Rows ? 1u : 2u, Free / (Rows * Columns));
}

/// Whether a tile has fewer loads, Rows + Columns, for each of its Rows *
/// Columns multiply-adds.
static bool loadsLess(unsigned Rows, unsigned Columns, unsigned OtherRows,
                      unsigned OtherColumns) {
  return Rows * Columns * (OtherRows + OtherColumns) >
         OtherRows * OtherColumns * (Rows + Columns);
}

std::pair<unsigned, unsigned> chooseRegisterTile(unsigned VL,
                                                 unsigned Registers,
                                                 unsigned Temporaries,
                                                 unsigned ColumnsOfA) {
  // A k step costs Rows + Columns loads for Rows * Columns multiply-adds: take
  // the tile with the best ratio, and the taller of equals, as its edges in the
  // vector dimension need no narrower kernel.
  constexpr unsigned MaxRows = 4, MaxColumns = 8;
  unsigned BestRows = 1, BestColumns = 1;
  for (unsigned Rows = 1; Rows <= MaxRows; ++Rows)
    for (unsigned Columns = 1; Columns <= MaxColumns; Columns *= 2)
      if (registersOfTile(Rows, Columns, {Temporaries, ColumnsOfA}) <=
              Registers &&
          loadsLess(Rows, Columns, BestRows, BestColumns)) {
        BestRows = Rows;
        BestColumns = Columns;
      }
  return {BestRows * VL, BestColumns};
}

std::pair<unsigned, unsigned> chooseLaneTile(unsigned Registers,
                                             StepNeeds Needs) {
  constexpr unsigned MaxEdge = 4; // there is a kernel for each shape up to that
  unsigned Rows = 1, Columns = 1;
  for (unsigned R = 1; R <= MaxEdge; ++R)
    for (unsigned C = 1; C <= MaxEdge; ++C)
      if (registersOfTile(R, C, Needs) <= Registers &&
          loadsLess(R, C, Rows, Columns)) {
        Rows = R;
        Columns = C;
      }
  return {Rows, Columns};
}

std::pair<unsigned, unsigned> chooseAccumulatorTile(unsigned VL,
                                                    unsigned Accumulators,
                                                    unsigned PerAccumulator) {
  constexpr unsigned MaxColumns = 8;
  unsigned BestRows = 0, BestColumns = 0, FewestLoads = 0;
  for (unsigned Columns = PerAccumulator; Columns <= MaxColumns; Columns *= 2) {
    unsigned Rows = Accumulators * PerAccumulator / Columns;
    unsigned Loads = Rows + divideCeil(Columns, VL);
    if (!BestRows || Loads < FewestLoads) {
      BestRows = Rows;
      BestColumns = Columns;
      FewestLoads = Loads;
    }
  }
  return {BestRows * VL, BestColumns};
}

std::pair<unsigned, unsigned> chooseSmallTile(unsigned VL, unsigned Registers,
                                              StepNeeds Needs,
                                              unsigned MultiplyAdds, uint64_t M,
                                              uint64_t N) {
  constexpr unsigned Latency = 5; // of a multiply-add, and a little more
  auto [MR, NR] =
      chooseRegisterTile(VL, Registers, Needs.Temporaries, Needs.ColumnsOfA);
  unsigned Rows = MR / VL, Columns = std::min<uint64_t>(NR, N);
  // Two loads begin in a cycle.
  auto IsEnough = [&](unsigned R) {
    return R * Columns >= Latency * MultiplyAdds &&
           3 * MultiplyAdds * (R + Columns) <= 2 * 2 * R * Columns;
  };
  unsigned Least = M % VL ? 2 : 1;
  while (Rows > Least && IsEnough(Rows - 1))
    --Rows;
  return {Rows * VL, NR};
}

SmallVector<KernelShape, 0> kernelFamily(unsigned VL, unsigned Registers,
                                         StepNeeds Needs) {
  constexpr unsigned Latency = 4; // of a multiply-add; two units for these
  SmallVector<KernelShape, 0> Family;
  for (unsigned Rows = 1; registersOfTile(Rows, 1, Needs) <= Registers; ++Rows)
    for (unsigned Columns = 1;
         registersOfTile(Rows, Columns, Needs) <= Registers; ++Columns) {
      unsigned HalfCycles =
          std::max({Rows * Columns, Rows + Columns, 2 * Latency});
      Family.push_back({Rows * VL, Columns,
                        registersOfTile(Rows, Columns, Needs), HalfCycles,
                        100 * Rows * Columns / HalfCycles});
    }
  stable_sort(Family, [&](const KernelShape &X, const KernelShape &Y) {
    unsigned XRows = X.MR / VL, YRows = Y.MR / VL;
    if (X.Percent != Y.Percent)
      return X.Percent > Y.Percent;
    if (loadsLess(XRows, X.NR, YRows, Y.NR))
      return true;
    return !loadsLess(YRows, Y.NR, XRows, X.NR) && XRows > YRows;
  });
  return Family;
}

} // namespace tilesmith
