//===- LoopShape.h - loops that are left from their latch -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognition wants loops that are left from their latch alone. LLVM rotates
// loops early on, but where it learns later that an iteration has nothing more
// to do, the exit moves away from the latch:
//
//   for (i = n; i-- > 0;)             while (i-- > 1)
//     for (j = 0; j < i; j++)           for (j = 0; j < i; j++)
//       ...                     =>        ...
//
//   for (i = 0; i < n; i++) {         for (i = 0;; i++) {
//     ...                               ...
//     for (k = i + 1; k < n; k++)       if (i == n - 1) break;
//       ...                     =>      for (k = i + 1; k < n; k++)
//   }                                     ...
//
// LLVM rotates the first one again right after our pass. Here it is done ahead
// of that, and the exit of the second is moved back to the latch.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LOOPSHAPE_H
#define TILESMITH_LIB_PLUGIN_LOOPSHAPE_H

#include "CopiedRow.h"
#include "EqualRows.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace tilesmith {

/// The loop around \p L that is in no other.
llvm::Loop &outermost(llvm::Loop &L);

/// Whether anything that \p L computes is used after it.
bool leavesValues(const llvm::Loop &L);

/// Whether shapeLoops would change the nest of \p L, or its counter may be split,
/// or its tests unswitched.
bool isOutOfShape(llvm::Loop &L, const llvm::LoopInfo &LI,
                  const llvm::DominatorTree &DT);

/// What became of loops.
struct ShapedLoops {
  bool AreClipped = false;                    ///< the bounds of some
  llvm::SmallPtrSet<llvm::Loop *, 4> Dropped; ///< are no more
  llvm::SmallVector<RowCount, 1> Copied;      ///< rows, see emitTest
  llvm::SmallVector<RowRecords, 1> Tables;    ///< see testLengths
};

/// Shapes \p Root and the loops inside, innermost first. Loops and dominators of
/// \p F stay up to date.
ShapedLoops shapeLoops(llvm::Loop &Root, llvm::Function &F,
                       llvm::FunctionAnalysisManager &FAM);

/// Leaves \p Root and the loops inside behind their latches, where last
/// iterations do what others do.
void joinExits(llvm::Loop &Root, llvm::Function &F,
               llvm::FunctionAnalysisManager &FAM);

/// Leaves \p L behind its latch, if its last iteration may go on to there.
void leaveBehindLatch(llvm::Loop &L, llvm::Function &F,
                      llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
