//===- EqualRows.h - rows that each say how long they are -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In vectors of vectors, each row has a length of its own, which loops ask for:
//
//   for (i = 0; i < a.size(); i++)        length = a[0].size();
//     for (j = 0; j < a[i].size(); j++)   for (i = 0; i < a.size(); i++)
//       y[i] += a[i][j] * x[j];       =>    for (j = 0; j < length; j++)
//                                             y[i] += a[i][j] * x[j];
//
// A test in front of the nest goes through the lengths: all must be the same.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_EQUALROWS_H
#define TILESMITH_LIB_PLUGIN_EQUALROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Alignment.h"
#include <cstdint>

namespace llvm {
class BasicBlock;
class Loop;
class Value;
} // namespace llvm

namespace tilesmith {

/// The records of a table, each of which has the length of a row, or the pointers to
/// its end and its beginning.
struct RowRecords {
  /// The nest reads records only if these come out so, each at the end of the block
  /// in front of Loads, which reads the first one.
  llvm::SmallVector<llvm::PointerIntPair<llvm::Value *, 1, bool>, 2> MustHold;
  llvm::BasicBlock *Loads;
  llvm::Value *End, *Begin; ///< in the first record; Begin is null for a length
  llvm::Value *Length;      ///< of the first row, in bytes if there is a Begin
  llvm::Value *Last;        ///< number of the last record, 64 bits wide
  int64_t Distance;         ///< from record to record, in bytes
  uint64_t ElemSize;        ///< of which lengths are multiples
  llvm::Align Alignment;    ///< of what is loaded
};

/// Whether a loop inside the outermost one around \p L runs as often as a value says
/// that one of the loops around it loads.
bool mayHaveRowLengths(const llvm::Loop &L);

/// Lets all rows of tables in \p Root be as long as the first one. What is returned
/// must be tested in front of it.
llvm::SmallVector<RowRecords, 1>
takeFirstLengths(llvm::Loop &Root, llvm::Function &F,
                 llvm::FunctionAnalysisManager &FAM);

/// Goes to \p Fallback in front of \p Root if rows have different lengths. Loops and
/// dominators stay up to date.
void testLengths(llvm::ArrayRef<RowRecords> Tables, llvm::Loop &Root,
                 llvm::BasicBlock &Fallback,
                 llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
