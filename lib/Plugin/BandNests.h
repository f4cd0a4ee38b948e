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
// between make as many steps each, which is a product:
//
//   for i < w               as it is
//   for i < n - w           for k from i - w to i + w + 1
//   for i < n               as it is
//
// Each row keeps its steps, in their order.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_BANDNESTS_H
#define TILESMITH_LIB_PLUGIN_BANDNESTS_H

#include "ShapeTrial.h"

namespace tilesmith {

/// Makes three nests of those around \p Candidates that are bands, if \p Ask says
/// that the middle one will be replaced. True if there are any; then dominators
/// and loops of \p F are up to date.
bool splitBands(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                llvm::ArrayRef<llvm::Loop *> Candidates, Judge Ask);

} // namespace tilesmith

#endif
