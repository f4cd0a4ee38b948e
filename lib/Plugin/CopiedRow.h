//===- CopiedRow.h - rows that memcpy copies --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes one call of a loop that copies, as where rows of C begin with a bias:
//
//   for (i = 0; i < m; i++) {          for (i = 0; i < m; i++) {
//     memcpy(c[i], bias, n * 4);         for (j = 0; j < n; j++)
//     for (k = 0; k < l; k++)     =>       c[i][j] = bias[j];
//       for (j = 0; j < n; j++)          for (k = 0; k < l; k++)
//         c[i][j] += ...                   ...
//   }                                  }
//
// Recognition finds the elements that a loop sets; here it gets that loop back.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_COPIEDROW_H
#define TILESMITH_LIB_PLUGIN_COPIEDROW_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether a loop around the innermost loop \p L copies memory by a call to where
/// other loops inside store elements.
bool hasCopiedRow(const llvm::Loop &L);

/// Makes loops over elements of such calls in \p Root.
void unfoldCopiedRows(llvm::Loop &Root, llvm::Function &F,
                      llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
