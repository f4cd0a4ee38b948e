//===- ClippedLoop.h - bounds that are clipped to an image ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window that leaves an image may have shorter loops there. They become whole
// again, and test instead:
//
//   for (s = max(0, 1 - x);             for (s = 0; s < S; s++)
//        s < min(S, W + 1 - x); s++)  =>  if (s >= 1 - x && s < W + 1 - x)
//     sum += …                              sum += …
//
// The same steps are made in the same order. If there is one such bound, as in
// `for (k = max(0, i - w); k < n; k++)`, the test is one of a row and a step, and a
// triangle.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_CLIPPEDLOOP_H
#define TILESMITH_LIB_PLUGIN_CLIPPEDLOOP_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether \p L may begin or end at a maximum or minimum.
bool mayBeClipped(const llvm::Loop &L);

/// Makes \p L whole if its bounds are clipped by what a loop around it moves, and
/// says whether they are. Loops and dominators stay up to date.
bool makeWhole(llvm::Loop &L, llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
