//===- RowGroups.h - rows that build on each other, in groups -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i < n
//     s = x[i]
//     for k < i
//       s -= a[i][k] * x[k]
//     x[i] = s / a[i][i]
//
// A row needs the results of the rows before it, so this is no product. But of a
// group of rows, all make the steps up to the group's first row:
//
//   for g < n, by 16
//     for r < 16              s[r] = x[g + r]
//     for r < 16, for k < g   s[r] -= a[g + r][k] * x[k]            a product
//     for r < 16
//       for k from g to g + r s[r] -= a[g + r][k] * x[k]
//       x[g + r] = s[r] / a[g + r][g + r]
//
// Each row keeps its steps, in their order. Steps that not all rows of a group make
// may come first, last, or both, as in a band. Rows may begin anywhere, as those of
// a packed triangle do.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ROWGROUPS_H
#define TILESMITH_LIB_PLUGIN_ROWGROUPS_H

#include "ShapeTrial.h"

namespace tilesmith {

/// Parts the rows around those of \p Candidates that \p Ask refuses, but not what
/// rows of a group have in common then. True if there are any; loops and dominators
/// of \p F are made anew then. Small ones, too, if \p OfAnySize.
bool groupRows(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
               llvm::ArrayRef<llvm::Loop *> Candidates, bool OfAnySize,
               Judge Ask);

} // namespace tilesmith

#endif
