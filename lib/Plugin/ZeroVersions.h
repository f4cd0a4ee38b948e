//===- ZeroVersions.h - loops beyond borders, with zeros --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a border does not move with the loops inside, LLVM makes loops of their own
// for what is beyond it, in which zero stands for the image's element:
//
//   for s                                    for s
//     if (inside)                              for k
//       for k  c[k] += in[s] * w[s][k];   =>     c[k] += (inside ? in[s] : 0) * w[s][k];
//     else
//       for k  c[k] += 0 * w[s][k];
//
// In a copy of the nest, both are one again, if they differ in nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ZEROVERSIONS_H
#define TILESMITH_LIB_PLUGIN_ZEROVERSIONS_H

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether a constant zero stands for a factor in some loop of the nest of \p L.
/// Takes no analysis.
bool mayHaveZeroVersions(const llvm::Loop &L);

/// Before loops are unrolled, LLVM widens subscripts in one loop after the other. While it
/// does, versions may differ in that; then they are one only for a trial.
enum class Subscripts { Widened, BeingWidened };

/// Makes one of such loops in \p Root, a nest in simplified form. Loops and
/// dominators stay up to date. Returns the loops that are no more.
llvm::SmallPtrSet<llvm::Loop *, 4>
joinZeroVersions(llvm::Loop &Root, llvm::FunctionAnalysisManager &FAM,
                 Subscripts Are = Subscripts::Widened);

} // namespace tilesmith

#endif
