//===- RowGroup.h - what rows of a group have in common -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row has a beginning (Prefix), steps, and an end. Its steps go along vectors,
// of which all rows see the same elements, but begin and end elsewhere: the step
// at one place of a vector is at one place of all of them, and a *place* in what
// follows. Places are counted in bytes of the first vector, as its steps go.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ROWGROUP_H
#define TILESMITH_LIB_PLUGIN_ROWGROUP_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include <optional>

namespace tilesmith {

/// A load or a store of a row.
struct RowTouch {
  llvm::Instruction *I;
  const llvm::SCEV *At; ///< in the row's first step, if it is one of its steps
  bool IsStep, IsInPrefix;
  int64_t Step = 0; ///< to the next step's, in bytes

  bool isStore() const { return llvm::isa<llvm::StoreInst>(I); }
};

/// A test of a row that leads to its steps.
struct RowGuard {
  llvm::CmpInst::Predicate Predicate;
  const llvm::SCEV *Left, *Right;
};

/// A counter of steps that must not wrap, as wide ones do not.
struct NarrowCounter {
  const llvm::SCEV *First;
  int64_t Step;
  bool IsSigned;
};

/// What is stored to, of which rows see elements that others have stored.
struct StoredVector {
  const llvm::SCEV *Base;
  const RowTouch *OfSteps = nullptr; ///< one of its steps', if it has any
  const RowTouch *OfRow = nullptr;   ///< one outside of the steps
  bool StoresSteps = false;
  bool StoresInPrefix = false, LoadsInPrefix = false;
  /// Whether the element of the row before lies behind this row's first step.
  bool IsBehind = false;

  bool isShared() const { return OfSteps && OfRow; }
  /// Whether steps of the rows before matter to the prefix of a row, or it to them.
  bool bindsPrefix() const {
    return StoresInPrefix || (LoadsInPrefix && StoresSteps);
  }
};

/// Where a load or a store of a step is, of rows of a group in one place.
struct RowPlaces {
  int64_t PerPlace;         ///< bytes of it for one of the first vector
  bool IsTable;             ///< rows may be anywhere
  const llvm::SCEV *ToNext; ///< otherwise: the distance of rows
};

/// A nest of rows and their steps whose rows may go in groups.
class RowGroup {
public:
  RowGroup(llvm::Loop &Inner, llvm::ScalarEvolution &SE, llvm::AAResults &AA);

  bool prepare();

  llvm::Loop *Inner, *Rows;
  llvm::BasicBlock *Body; ///< all of the inner loop
  llvm::Value *Exit =
      nullptr; ///< what ends it, if that is used for nothing else
  /// In order, from the header on. Choices have their sides there.
  llvm::SmallVector<llvm::BasicBlock *, 4> Prefix;
  llvm::SmallVector<RowGuard, 2> Guards;
  llvm::SmallVector<RowTouch, 8> Touches;
  llvm::SmallVector<NarrowCounter, 2> Narrow;
  llvm::SmallVector<StoredVector, 2> Stored;
  llvm::MapVector<const llvm::Instruction *, RowPlaces> Places;
  const RowTouch *First = nullptr; ///< of the first vector
  /// Counted from zero, and from one, 64 bits wide.
  const llvm::SCEV *LastRow = nullptr, *NumSteps = nullptr;
  /// Values of the prefix that are used behind it, and those that steps hand on.
  llvm::SmallVector<llvm::Instruction *, 8> Crossing;
  llvm::SmallVector<llvm::PHINode *, 4> Counters, Sums;
  /// What makes the sums of a step, in order, and what it stores; the latter is apart
  /// if there are sums, and neither needs the other one.
  llvm::SmallVector<llvm::Instruction *, 8> Data, Apart;

  bool isCounterOfRows(const llvm::Instruction &I) const {
    return llvm::isa<llvm::PHINode>(I) && I.getParent() == Rows->getHeader();
  }
  int64_t size() const { return First->Step < 0 ? -First->Step : First->Step; }
  /// \p S in row \p Row, a number of 64 bits.
  const llvm::SCEV *inRow(const llvm::SCEV *S, llvm::Value *Row);

private:
  bool hasShape();
  bool findPrefix();
  llvm::BasicBlock *addChoice(llvm::BranchInst &Branch);
  bool findTouches();
  bool findVectors();
  bool findPlaces();
  bool findValues();
  bool isInPlace(const RowTouch &OfSteps);
  bool findData();
  bool collect(llvm::ArrayRef<llvm::Value *> Roots,
               llvm::SmallVectorImpl<llvm::Instruction *> &Into) const;
  bool storesApart(llvm::ArrayRef<llvm::Instruction *> OfSums,
                   llvm::ArrayRef<llvm::Instruction *> OfStores) const;
  bool isElementOfStored(const llvm::Instruction &I) const;
  bool countsRows();
  bool areApart();
  bool addStored(const RowTouch &Touch);
  bool isKnownInRow(const llvm::SCEV *S);
  const llvm::SCEV *widened(const llvm::SCEV *S);

  llvm::ScalarEvolution &SE;
  llvm::AAResults &AA;
  llvm::Type *I64;
};

} // namespace tilesmith

#endif
