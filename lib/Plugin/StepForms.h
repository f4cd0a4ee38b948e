//===- StepForms.h - values in three loops, by their steps ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_STEPFORMS_H
#define TILESMITH_LIB_PLUGIN_STEPFORMS_H

#include "tilesmith/Rewrite/BlockedSteps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace llvm {
class DominatorTree;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// A value, by the steps of the loops from the outermost one inwards. Null is no
/// step.
struct StepForm {
  const llvm::SCEV *Base = nullptr;
  std::array<const llvm::SCEV *, 3> Step{};

  void append(llvm::SmallVectorImpl<const llvm::SCEV *> &To) const;
};

/// Moves the steps that loops of \p Nest add to \p S to \p Step; what is left of \p S, null
/// if it does not go in equal steps.
const llvm::SCEV *takeSteps(const llvm::SCEV *S,
                            llvm::ArrayRef<llvm::Loop *> Nest,
                            llvm::MutableArrayRef<const llvm::SCEV *> Step,
                            llvm::ScalarEvolution &SE);

/// Finds the forms of values in three loops, \c Nest.
struct StepForms {
  const llvm::SmallVectorImpl<llvm::Loop *> &Nest;
  llvm::ScalarEvolution &SE;
  llvm::DominatorTree &DT;

  /// \p V, or what it has been before it was frozen, where that is no poison.
  const llvm::SCEV *valueOf(llvm::Value *V) const;
  std::optional<StepForm> of(llvm::Value *V) const;
};

/// Finds what is stored in a second matrix, beside an element of the first one.
class CompanionFinder {
public:
  CompanionFinder(const StepForms &Forms, llvm::StoreInst &Store)
      : Forms(Forms) {
    Found.Store = &Store;
  }

  /// Whether it is a matrix of which nothing else is loaded than what is stored.
  bool find();
  const llvm::StoreInst &store() const { return *Found.Store; }
  bool isOfMatrix(const llvm::LoadInst &Load) const {
    return Found.Load == &Load;
  }
  /// Rows become columns.
  void turn();
  /// What has to be known in front of the loops.
  void append(llvm::SmallVectorImpl<const llvm::SCEV *> &To) const;
  Companion
  expand(llvm::function_ref<llvm::Value *(const llvm::SCEV *)> Expand) const;

private:
  bool takeNumber(llvm::Value &V);

  const StepForms &Forms;
  Companion Found{};
  StepForm Matrix, Number;
};

} // namespace tilesmith

#endif
