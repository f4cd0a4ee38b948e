//===- SquareStep.h - one step for one element of a matrix ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_SQUARESTEP_H
#define TILESMITH_LIB_REWRITE_SQUARESTEP_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace tilesmith {

struct SquareSteps;

/// The elements that a step reads.
struct ElementsOfStep {
  llvm::Value *Element;  ///< D[i][j]
  llvm::Value *OfColumn; ///< D[i][k]
  llvm::Value *OfRow;    ///< D[k][j]
};

/// A step of the source's loops without its branches: what they decide is
/// computed, and chosen by.
class SquareStep {
public:
  SquareStep(const SquareSteps &Of, const llvm::DominatorTree &DT,
             llvm::IRBuilderBase &B, const ElementsOfStep &Elements);

  /// What is stored, if anything is.
  llvm::Value *stored();
  /// Whether it is stored; null if always.
  llvm::Value *isStored();
  /// Whether the tests in front of the line of D[i][k] let it be made; if not, nothing
  /// is stored there. No other element is asked for.
  llvm::Value *isLineMade();

private:
  /// What comes of going from one block to another one; null if nothing does.
  using EdgeFn =
      llvm::function_ref<llvm::Value *(llvm::BasicBlock &, llvm::BasicBlock &)>;

  llvm::Value *copy(llvm::Value *V);
  llvm::Value *copyOfInverse(llvm::Value *Condition);
  llvm::Value *choose(llvm::Value *Condition, llvm::Value *IfTrue,
                      llvm::Value *IfFalse);
  llvm::Value *chooseChange(llvm::Value *Condition, bool IsTrue,
                            llvm::BinaryOperator &Change, llvm::Value *Old);
  llvm::Value *goOn(llvm::BasicBlock &From, EdgeFn Along);
  llvm::Value *isStoredFrom(llvm::BasicBlock &From);
  llvm::Value *isLineMadeFrom(llvm::BasicBlock &From);
  llvm::Value *chosenFrom(llvm::BasicBlock &From, llvm::PHINode &Phi);

  const SquareSteps &Of;
  const llvm::DominatorTree &DT;
  llvm::IRBuilderBase &B;
  llvm::DenseMap<llvm::Value *, llvm::Value *> Copies;
};

} // namespace tilesmith

#endif
