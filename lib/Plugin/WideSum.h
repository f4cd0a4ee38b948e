//===- WideSum.h - counts of what wider elements make -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   int s = 0;                              long w = 0;
//   for k                                   for k
//     s += (int)popcount(a[k] ^ b[k]);  =>    w += popcount(a[k] ^ b[k]);
//   c[i][j] = s;                            c[i][j] = (int)w;
//
// Panels hold elements in the type of the sum. Where these have 64 bits, and the
// sum fewer, it is made in 64 bits, of which the lower ones are the same. It is
// done in copies of nests.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_WIDESUM_H
#define TILESMITH_LIB_PLUGIN_WIDESUM_H

namespace llvm {
class Loop;
}

namespace tilesmith {

/// Whether the innermost loop \p L makes sums of integers which are narrower than
/// elements that it loads, and could be made as wide: of those of 64 bits, or of truth
/// values.
bool hasNarrowSum(const llvm::Loop &L);

/// Makes these sums as wide as elements.
void widenSums(llvm::Loop &L);

} // namespace tilesmith

#endif
