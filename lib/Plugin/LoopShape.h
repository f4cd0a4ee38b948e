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
// of that, and the exit of the second is moved back to the latch: on a copy of
// the function first, to see whether there is a product then.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LOOPSHAPE_H
#define TILESMITH_LIB_PLUGIN_LOOPSHAPE_H

#include "tilesmith/Idiom/Reason.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
}

namespace tilesmith {

/// Why a loop's product is not replaced.
struct WhyNot {
  Reason Why;
  llvm::DebugLoc Where;
};
using WhyNots = llvm::DenseMap<const llvm::Loop *, WhyNot>;

/// Of some loops of a function, one after the other.
using Refusals = llvm::SmallVector<std::optional<Refusal>, 4>;

/// Changes the loops around those of \p Candidates that \p Refuse refuses as
/// they are, but not in a copy of \p F in which loops are left from their
/// latches. Sets \p Why for those that it refuses there as well. Returns
/// whether \p F changed; its loops and dominators are up to date afterwards,
/// and no other analyses.
bool bringProductsIntoShape(
    llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
    llvm::ArrayRef<llvm::Loop *> Candidates,
    llvm::function_ref<Refusals(llvm::Function &, llvm::ArrayRef<llvm::Loop *>)>
        Refuse,
    WhyNots &Why);

} // namespace tilesmith

#endif
