//===- FastPathBuilder.h - what runs instead of a nest ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Builds the blocks of the picture in Rewrite.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_FASTPATHBUILDER_H
#define TILESMITH_LIB_REWRITE_FASTPATHBUILDER_H

#include "Backend.h"
#include "Comparison.h"
#include "Guard.h"
#include "Profile.h"
#include "RestLoops.h"
#include "RowBlocks.h"
#include "SavedCopy.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/DomTreeUpdater.h"

namespace tilesmith {

/// Where the nest is entered and left, once its loops have the shape that copies
/// of them need.
struct NestEnds {
  llvm::BasicBlock *Preheader, *Exit;
};

NestEnds shapeNest(const Surroundings &Source, const NestAnalyses &Analyses);

class FastPathBuilder {
public:
  FastPathBuilder(const PlannedNest &Planned, const NestAnalyses &Analyses,
                  const llvm::TargetLibraryInfo &TLI, NestEnds Ends);

  FastPath run();

private:
  // The tests.
  llvm::BasicBlock *newBlock(const llvm::Twine &Name);
  llvm::BasicBlock *newBlockIf(const llvm::Twine &Name, llvm::BasicBlock *From,
                               llvm::Value *Condition,
                               llvm::MDNode *Weights = nullptr);
  void checkNext(const llvm::Twine &Name, llvm::Value *Test);
  void emitSizeTests();
  llvm::Value *emitSafetyTest();
  bool emitStepTests();
  void emitTests();

  // The kernel's call, and what stands around it.
  llvm::Value *emitCall(llvm::Value *Own = nullptr);
  void makeRowBlocks();
  void comeFrom(llvm::BasicBlock *BB);
  SumMatrix shapeOfSums();
  llvm::Value *emitAllocation(SumMatrix &Sums);
  void emitFree(llvm::BasicBlock *BB, llvm::Value *Memory,
                llvm::BasicBlock *Next);
  FastPath emitWithOwnSums();
  FastPath emitWithSavedC();
  FastPath emitCompared();
  FastPath emitPlain();
  void connect(llvm::BranchInst *Branch, unsigned Side, const NestCopy &Copy);
  llvm::Loop *emitRestBefore(llvm::BranchInst *Leave);
  llvm::Loop *emitRestAfter(llvm::BranchInst *Leave);
  void finish();

  const PlannedNest &Planned;
  const Nest &View;
  const Plan &ThePlan;
  const Contraction &Op;
  const Surroundings &Source;
  const NestAnalyses &Analyses;
  llvm::BasicBlock *Preheader, *Exit;
  llvm::Function &F;
  bool HasRowBlocks;
  GuardBuilder Guard;
  std::unique_ptr<Backend> By;
  llvm::DomTreeUpdater DTU;
  llvm::BasicBlock *NestEntry;
  llvm::IRBuilder<> Builder;

  std::optional<Profile> Profiled;
  std::optional<SavedCopy> Saved;
  std::optional<Comparison> Compared;
  std::optional<RowBlocks> Blocks;
  /// What the nest's values are behind it.
  llvm::DenseMap<llvm::Value *, llvm::Value *> After;
  llvm::BasicBlock *Check; ///< the last one of the tests so far
  llvm::SmallVector<llvm::BasicBlock *, 4> LastTests;
  llvm::BranchInst *Enter = nullptr; ///< from the tests to Fast
  llvm::BasicBlock *Fast = nullptr;
  llvm::CallInst *Small = nullptr; ///< see FastPath
};

} // namespace tilesmith

#endif
