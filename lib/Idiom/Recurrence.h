//===- Recurrence.h - does the nest depend on its own results? --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_RECURRENCE_H
#define TILESMITH_LIB_IDIOM_RECURRENCE_H

#include "tilesmith/Idiom/Nest.h"
#include "tilesmith/Idiom/Reason.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Which rows P of a matrix a factor consists of: of step k, k + Shift; and,
/// where a diagonal bounds the steps by the row, those from that row + Ahead
/// on, or up to there.
struct RowsRead {
  int64_t Shift, Ahead;
  /// What must not wrap for that to be so.
  llvm::SmallVector<WrapCheck, 4> Checks;

  void addTo(Conditions &Tests) const;
};

/// If \p X consists of rows P of \p Matrix, of which only base, strides and
/// element type matter.
std::optional<RowsRead> rowsRead(const Contraction &Op, const Access &X,
                                 const Access &Matrix,
                                 llvm::ScalarEvolution &SE);

/// Marks factors that are C itself, read where the nest has not come to yet:
///   b[i][j] += a[k][i] * b[k][j] for k > i
/// or, if \p StoresLast, for k >= i: an element is stored once, after its loop
/// over k, or at least after the step k = i. No axis runs against its loop.
void markInPlace(Nest &Result, bool StoresLast, llvm::ScalarEvolution &SE);

/// Refuses what the guard would find out in every run: that subscripts wrap,
/// that elements of C coincide, that C overlaps A, B, or what invariant loads
/// read, and whatever else can never hold.
Refused refuseRecurrence(const Nest &Found, llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
