//===- ShapeTrial.h - products in loops of another shape --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are brought into another shape in a copy of the function first, to see
// whether there is a product then, and if so, in a copy of the nest.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SHAPETRIAL_H
#define TILESMITH_LIB_PLUGIN_SHAPETRIAL_H

#include "Remarks.h"
#include "ShapedNest.h"
#include "tilesmith/Idiom/Reason.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"
#include <variant>

namespace llvm {
class Loop;
}

namespace tilesmith {

/// Why the products of loops are not replaced.
using WhyNots = llvm::DenseMap<const llvm::Loop *, WhyNot>;

/// A product that will be replaced.
struct FoundProduct {
  unsigned NumLoops;
  /// Sums are kept in a matrix of their own, or C is copied first: another shape
  /// may save that.
  bool NeedsCopy;
  bool IsVector; ///< a matrix times a vector
};

/// Whether a loop is the innermost of a product.
using Verdict = std::variant<FoundProduct, Refusal>;
/// On some loops of a function, one after the other.
using Judge = llvm::function_ref<llvm::SmallVector<Verdict, 4>(
    llvm::Function &, llvm::ArrayRef<llvm::Loop *>)>;

/// Those of \p Candidates around which copyIntoShape would copy a nest.
llvm::SmallVector<llvm::Loop *, 2>
findShapeable(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
              llvm::ArrayRef<llvm::Loop *> Candidates, Judge Ask);

/// Copies the nests around those of \p Candidates that \p Ask refuses as they
/// are, but not in a copy of \p F in which loops are left from their latches:
/// these copies are brought into that shape. Sets \p Why for those that are
/// refused there as well. Loops and dominators of \p F are up to date
/// afterwards; no other analyses are, if a nest was copied.
llvm::SmallVector<ShapedNest, 2>
copyIntoShape(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
              llvm::ArrayRef<llvm::Loop *> Candidates, Judge Ask, WhyNots &Why);

} // namespace tilesmith

#endif
