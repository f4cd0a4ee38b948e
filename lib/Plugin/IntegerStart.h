//===- IntegerStart.h - integer sums that start from elements ---*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   s = bias[j];                              s = 0;
//   for k s += a[i][k] * b[j][k];      =>     for k s += a[i][k] * b[j][k];
//   c[i][j] = saturate(s * scale);            s += bias[j];
//                                             c[i][j] = saturate(s * scale);
//
// Sums of integers may begin with any addend. Where C has another type than the
// sums, it cannot hold what they start from; added behind them, that is a part of
// the epilogue. It is done in copies of nests.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_INTEGERSTART_H
#define TILESMITH_LIB_PLUGIN_INTEGERSTART_H

namespace llvm {
class Loop;
}

namespace tilesmith {

/// Whether the innermost loop \p L makes sums of integers that start from values
/// which the loop around it computes.
bool hasIntegerStart(const llvm::Loop &L);

/// Adds these values behind the loop.
void addStartsBehind(llvm::Loop &L);

} // namespace tilesmith

#endif
