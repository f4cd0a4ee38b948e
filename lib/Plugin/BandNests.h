//===- BandNests.h - rows of a band, by thirds --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i < n
//     for k from max(0, i - w) to min(n, i + w + 1)
//       y[i] += a[i][k] * x[k]
//
// The first rows are cut off by one bound, the last ones by the other. Those in
// between make as many steps each, which is a product; the others are triangles:
//
//   for i < w               for k from 0     to i + w + 1
//   for i < n - w           for k from i - w to i + w + 1
//   for i < n               for k from i - w to n
//
// Each row keeps its steps, in their order.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_BANDNESTS_H
#define TILESMITH_LIB_PLUGIN_BANDNESTS_H

#include "ShapeTrial.h"

namespace tilesmith {

/// A band whose rows are to be parted.
struct SplitBand {
  llvm::Loop *Inner; ///< over steps
  /// If set, how many steps the middle rows make, of which LLVM makes vectors once
  /// there is no loop over steps. If not, they are a product.
  unsigned NumDiagonals;
  /// Whether the first rows are a product, too, and the last ones: triangles, of which a
  /// corner is cut off.
  bool FirstIsProduct = false, LastIsProduct = false;
};

/// Those of \p Candidates that \p Ask takes for bands, and whose middle rows it will
/// have replaced; or, if LLVM \p MakesVectors of loops, make few steps.
llvm::SmallVector<SplitBand, 1>
findBands(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
          llvm::ArrayRef<llvm::Loop *> Candidates, bool MakesVectors,
          Judge Ask);

/// Makes three nests of the one around it. Dominators and loops stay up to date.
/// Small ones, too, if \p OfAnySize.
void splitBand(const SplitBand &Band, llvm::FunctionAnalysisManager &FAM,
               bool OfAnySize);

} // namespace tilesmith

#endif
