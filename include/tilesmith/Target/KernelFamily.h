//===- KernelFamily.h - the register tiles of a target ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A micro kernel keeps Rows registers of a column of C, in Columns columns:
//
//   Rows * Columns + Rows * ColumnsOfA + Temporaries <= registers
//
// and is fast if its sums, Rows * Columns of them, hide the latency of a
// multiply-add, and its loads, Rows + Columns, are few beside them.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_KERNELFAMILY_H
#define TILESMITH_TARGET_KERNELFAMILY_H

#include "llvm/ADT/SmallVector.h"
#include <utility>

namespace tilesmith {

/// What a step needs in registers besides the sums.
struct StepNeeds {
  unsigned Temporaries = 1; ///< a factor of B; products that are not fused
  unsigned ColumnsOfA = 1;  ///< more if several terms are added first
};

/// How many registers a tile of \p Rows registers times \p Columns takes.
unsigned registersOfTile(unsigned Rows, unsigned Columns, StepNeeds Needs);

/// Steps of such a tile in a row, for a backend that may add products of all of
/// them first: it has to hold them until then. Two if those of a column can be
/// held, as it adds pairs.
unsigned stepsThatFit(unsigned Rows, unsigned Columns, StepNeeds Needs,
                      unsigned Registers);

/// The largest register tile, MR = VL * rows of registers and NR columns, whose
/// sums, \p ColumnsOfA columns and \p Temporaries fit into \p Registers.
std::pair<unsigned, unsigned> chooseRegisterTile(unsigned VL,
                                                 unsigned Registers,
                                                 unsigned Temporaries,
                                                 unsigned ColumnsOfA = 1);

/// The same for kernels with few steps over k, \p M rows and \p N columns, in
/// which \p MultiplyAdds of whole registers begin in a cycle: as low as
/// possible, so that the CPU reaches the next tile before it is done with this
/// one, but with so many sums that they hide the latency, and so few loads that
/// they take two thirds of the time of the multiply-adds at most. Two registers
/// high at least, if one of a column is ragged.
std::pair<unsigned, unsigned> chooseSmallTile(unsigned VL, unsigned Registers,
                                              StepNeeds Needs,
                                              unsigned MultiplyAdds, uint64_t M,
                                              uint64_t N);

/// The tile of rows and columns that are a register each with the most
/// multiply-adds per load.
std::pair<unsigned, unsigned> chooseLaneTile(unsigned Registers,
                                             StepNeeds Needs);

/// The tile that fills \p Accumulators, each of a register of \p PerAccumulator
/// columns, with the fewest registers of A and B to load.
std::pair<unsigned, unsigned> chooseAccumulatorTile(unsigned VL,
                                                    unsigned Accumulators,
                                                    unsigned PerAccumulator);

/// A tile of a family, with what a model says of it: two multiply-adds and two
/// loads begin in a cycle, and a multiply-add takes four.
struct KernelShape {
  unsigned MR, NR;
  unsigned Registers;
  unsigned HalfCycles; ///< per step over k, at least
  unsigned Percent;    ///< of the peak, at most
};

/// All tiles that fit, the fastest first; of equals, the one with less to load
/// for each multiply-add, then the taller one. This stands in for a list that
/// was measured.
llvm::SmallVector<KernelShape, 0> kernelFamily(unsigned VL, unsigned Registers,
                                               StepNeeds Needs = {});

} // namespace tilesmith

#endif
