//===- ZeroComparison.h - a loop beyond a border and the one inside -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ZEROCOMPARISON_H
#define TILESMITH_LIB_PLUGIN_ZEROCOMPARISON_H

#include "ZeroVersions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class BranchInst;
class DominatorTree;
class Instruction;
class LoadInst;
class LoopInfo;
class PHINode;
class SCEV;
class ScalarEvolution;
class StoreInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// `Head: br Condition` to one of two loops, each behind blocks without a choice;
/// both go on to the same phis.
struct Versions {
  llvm::BranchInst *Head;
  llvm::Loop *Made, *Beyond;
  /// Down to the preheader.
  llvm::SmallVector<llvm::BasicBlock *, 2> ToMade, ToBeyond;
  llvm::SmallVector<llvm::BasicBlock *, 2> OutOfMade, OutOfBeyond;
  llvm::BasicBlock *Join;
};

/// Compares the two loops, value by value.
class ZeroComparison {
public:
  ZeroComparison(const Versions &V, llvm::ScalarEvolution &SE,
                 const llvm::LoopInfo &LI, const llvm::DominatorTree &DT,
                 Subscripts Are)
      : V(V), SE(SE), LI(LI), DT(DT), Are(Are) {}

  /// Whether the loop beyond the border differs from the other one only in that
  /// zero() stands for image().
  bool agree();

  /// A load, or a phi that has zero() where tests of other borders fail.
  llvm::Instruction *image() const { return Image; }
  llvm::Value *zero() const { return Zero; }

  /// Says of loads what has to be true for the loops to agree.
  void mark() const;

private:
  struct LoopPair {
    const llvm::Loop *Beyond, *Made;
  };
  bool pairLoops(const llvm::Loop *Beyond, const llvm::Loop *Made);
  const llvm::SCEV *countOf(const llvm::Loop *L) const;
  bool arePaired(const llvm::Loop *Beyond, const llvm::Loop *Made) const;
  bool findStore(const llvm::Loop &L,
                 llvm::ArrayRef<llvm::BasicBlock *> InFront,
                 llvm::StoreInst *&Store) const;
  bool pairStores();
  bool areEqual(const llvm::SCEV *X, const llvm::SCEV *Y) const;
  bool areCarried(llvm::PHINode *Beyond, llvm::PHINode *Made);
  bool areEqual(llvm::Value *Beyond, llvm::Value *Made);
  bool haveEqualOperands(llvm::Instruction &X, llvm::Instruction &Y);
  bool areLoaded(llvm::LoadInst &X, llvm::LoadInst &Y);
  bool areEqualIfNarrow(llvm::LoadInst &X, llvm::LoadInst &Y);
  bool areEqualOnceWidened(llvm::LoadInst &X, llvm::LoadInst &Y) const;
  const llvm::SCEV *widened(const llvm::SCEV *S) const;
  bool isImage(llvm::Value &Beyond, llvm::Instruction &Made);
  bool isOfMade(const llvm::Instruction &I) const;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 4> blocksOfImage() const;
  bool mayRunBeyond() const;

  const Versions &V;
  llvm::ScalarEvolution &SE;
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  const Subscripts Are;
  llvm::SmallVector<LoopPair, 3> Pairs; ///< outermost first
  llvm::SmallDenseSet<std::pair<llvm::PHINode *, llvm::PHINode *>, 4> Carried;
  /// Loads of the loop made.
  llvm::SmallPtrSet<const llvm::Instruction *, 4> Compared;
  /// How many bits must do.
  llvm::SmallDenseMap<llvm::LoadInst *, unsigned, 2> Narrow;
  llvm::StoreInst *OfBeyond = nullptr, *OfMade = nullptr;
  llvm::Instruction *Image = nullptr;
  llvm::Value *Zero = nullptr;
  bool Differ = false; ///< two of the phis do
};

} // namespace tilesmith

#endif
