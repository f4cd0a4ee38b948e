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

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <cstdint>

namespace llvm {
class IRBuilderBase;
class Loop;
class Value;
} // namespace llvm

namespace tilesmith {

/// Whether a loop around the innermost loop \p L copies memory by a call to where
/// other loops inside store elements.
bool hasCopiedRow(const llvm::Loop &L);

/// How many elements of this size a call copies: with none, or so many that the number
/// of bytes wraps, the loop does something else.
struct RowCount {
  llvm::Value *Count;
  uint64_t ElemSize; ///< bytes
};

/// Makes loops over elements of such calls in \p Root. What is returned must be tested
/// in front of it.
llvm::SmallVector<RowCount, 1>
unfoldCopiedRows(llvm::Loop &Root, llvm::Function &F,
                 llvm::FunctionAnalysisManager &FAM);

/// Whether loops copy \p Counts elements as the calls do.
llvm::Value *emitTest(llvm::IRBuilderBase &B, llvm::ArrayRef<RowCount> Counts);

} // namespace tilesmith

#endif
