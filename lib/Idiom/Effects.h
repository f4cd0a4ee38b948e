//===- Effects.h - what a nest does to memory -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_EFFECTS_H
#define TILESMITH_LIB_IDIOM_EFFECTS_H

#include "LoopNest.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tilesmith {

/// What a nest leaves behind: the instructions that write memory, and values
/// used after it.
struct Effects {
  llvm::SmallVector<llvm::StoreInst *, 4> Stores;
  llvm::SmallVector<llvm::MemSetInst *, 2> MemSets;
  llvm::SmallVector<llvm::MemCpyInst *, 1> MemCpys;
  /// Functions of numbers that may set errno.
  llvm::SmallVector<llvm::Instruction *, 1> Calls;
  /// Where the lifetimes of local variables begin and end.
  llvm::SmallVector<llvm::Instruction *, 2> Lifetimes;
  llvm::SmallVector<ValueAfter, 1> Results;
  /// Values used after the nest that only running it tells: a maximum, say.
  llvm::SmallVector<llvm::Instruction *, 1> ComputedResults;
  /// Writes in iterations of the root that a varying guard keeps from the loops
  /// inside.
  llvm::SmallVector<llvm::Instruction *, 1> OtherSide;

  llvm::SmallVector<llvm::Instruction *, 4> writes() const {
    llvm::SmallVector<llvm::Instruction *, 4> All(Stores.begin(), Stores.end());
    All.append(MemSets.begin(), MemSets.end());
    All.append(MemCpys.begin(), MemCpys.end());
    return All;
  }
};

/// Looks at every instruction that runs: what is stored, and is there anything
/// that a product does not do?
std::variant<Effects, Refusal> collectEffects(const LoopNest &In);

/// A better reason than \p No, which is about the loops in \p Root, if there is
/// something in them that explains it: a volatile access, or a call.
Refusal explain(const Refusal &No, const llvm::Loop &Root);

} // namespace tilesmith

#endif
