//===- LineTests.h - tests in front of a line of steps ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LINETESTS_H
#define TILESMITH_LIB_PLUGIN_LINETESTS_H

#include "tilesmith/Rewrite/BlockedSteps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"

namespace llvm {
class BranchInst;
class DominatorTree;
class Loop;
class PHINode;
} // namespace llvm

namespace tilesmith {

/// What is asked of D[i][k] in front of the steps over j, and in them.
struct LineTests {
  const llvm::Loop &All, &Line; ///< over k, and over j
  const llvm::DominatorTree &DT;
  const SquareSteps &Steps;
  llvm::ArrayRef<llvm::BranchInst *> Tests;
  /// D[i][k] in front of the line, and behind a step.
  const llvm::SmallSetVector<llvm::Value *, 2> &Kept, &Again;

  /// Whether \p Phi is D[i][k] in each step, as far as its users can tell.
  bool isElementAgain(const llvm::PHINode &Phi) const;
  /// Whether \p Test of D[i][k], in front of a line, is one that each step makes
  /// before it stores. If the first one fails, nothing is stored, and so all do.
  bool isAskedAgain(const llvm::BranchInst &Test) const;
  /// Whether D[i][k] < Far, which \p Test has found in front of a line, is true in
  /// all of its steps: elements only become less. Likewise the other way round.
  bool staysTrue(const llvm::BranchInst &Test) const;
  /// The same of D[i][k] != Far: no element may be more at first, if they only become
  /// less.
  std::optional<ElementBound> boundOf(const llvm::BranchInst &Test) const;

private:
  llvm::CmpInst::Predicate foundOut(const llvm::BranchInst &Branch,
                                    const llvm::Value *V,
                                    const llvm::BasicBlock &BB) const;
  bool movesElements(llvm::CmpInst::Predicate Than) const;
  bool leadsTo(const llvm::BranchInst &Branch, unsigned Side,
               const llvm::BasicBlock &BB) const;
};

} // namespace tilesmith

#endif
