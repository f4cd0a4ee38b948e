//===- SkippedSteps.h - loops that skip steps -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a step begins with 'continue' for some counters, and the loop has no block
// that all iterations end in, LLVM makes two loops of it. The inner one skips steps:
//
//   while (k-- > 0) {                 for (;;) {
//     if (!inside(k)) continue;         do
//     s += a[k] * b[k];       =>          if (k-- == 0) goto end;
//   }                                   while (!inside(k));
//                                       s += a[k] * b[k];
//                                     }
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_SKIPPEDSTEPS_H
#define TILESMITH_IDIOM_SKIPPEDSTEPS_H

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether \p Skip does nothing but go on with the counters of the loop around it,
/// which begins with it.
bool skipsSteps(const llvm::Loop &Skip);

/// Whether \p Steps may end a product, once it is one loop with the one inside,
/// which skips steps.
bool looksLikeSkippingProduct(const llvm::Loop &Steps);

} // namespace tilesmith

#endif
