//===- PhaseLoops.h - a copy of a nest, in loops over phases ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over places or taps is made once for each phase, with every second,
// third, ... iteration:
//
//   for r < R                  for p < 2
//     ...                =>      for r from p by 2
//                                  ...
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_PHASELOOPS_H
#define TILESMITH_LIB_PLUGIN_PHASELOOPS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
class PHINode;
class Value;
} // namespace llvm

namespace tilesmith {

/// Where phases begin, in a block that dominates all others of them, and where the
/// innermost loop inside does.
struct Phases {
  llvm::BasicBlock *First, *Sums;
};

/// A copy of \p Root in front of it, in loops over phases.
class PhaseLoops {
public:
  PhaseLoops(llvm::Loop &Root, llvm::LoopInfo &LI, llvm::DominatorTree &DT);

  /// Where what is tested is to be computed.
  llvm::Instruction &front() { return *From->getTerminator(); }
  /// Makes the copy, which runs if \p IsPhased.
  void copy(llvm::Value *IsPhased);

  /// Adds a loop over \p Count phases, around those that there are. Returns the
  /// number of the phase, in 64 bits.
  llvm::PHINode *addPhases(llvm::Value *Count);
  /// Lets the copy of \p Source begin with iteration \p First, be \p By of them
  /// apart, and end after so many more than one as \p Last says; all in 64 bits.
  /// Its counters go on by \p Steps. Returns how many have been made.
  llvm::PHINode *
  countFrom(const llvm::Loop &Source, llvm::Value *First, llvm::Value *By,
            llvm::Value *Last,
            const llvm::DenseMap<llvm::PHINode *, llvm::Value *> &Steps);

  /// Ends it: loops and dominators are made anew. \p Innermost ends what is copied,
  /// which is left to small sizes if it \p IsFallback.
  Phases finish(const llvm::Loop &Innermost, bool IsFallback);

  /// From what is copied to the copy.
  llvm::ValueToValueMapTy Map;

private:
  llvm::Loop &Root;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::BasicBlock *From = nullptr, *Source = nullptr, *Start = nullptr;
  llvm::BasicBlock *First = nullptr, *Last = nullptr;
};

} // namespace tilesmith

#endif
