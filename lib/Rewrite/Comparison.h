//===- Comparison.h - the kernel's results and the loops' -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   fast:
//     state = save(C)              // a copy of C's elements
//     done = kernel(...)
//     state = restore(state, done) // a copy of the results; C is as before
//     br nest
//   nest:
//     ... br exit
//   exit:
//     check(state)                 // C is what the kernel made of it, or stop
//
// The three functions are those of runtime/Compare.c.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_COMPARISON_H
#define TILESMITH_LIB_REWRITE_COMPARISON_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

struct PlannedNest;
class GuardBuilder;

/// Whether a nest can be computed twice with equal bits: it stores nothing but
/// C, and no flag permits another order of the sum.
bool isComparable(const PlannedNest &Planned);

class Comparison {
public:
  /// Computes where C's elements are.
  Comparison(const PlannedNest &Planned, GuardBuilder &Guard);

  void emitSave(llvm::IRBuilderBase &B);
  /// \p Done (i1): the kernel has computed C.
  void emitRestore(llvm::IRBuilderBase &B, llvm::Value *Done);
  /// \p Exit is reached from \p NestEntry alone, and that from the end of the
  /// block with the kernel, or from where nothing was saved.
  void emitCheck(llvm::BasicBlock *NestEntry, llvm::BasicBlock *Exit);

private:
  struct Axis {
    llvm::Value *Stride, *Extent; ///< the stride in bytes
  };
  const PlannedNest &Planned;
  llvm::Value *First;
  llvm::SmallVector<Axis, 4> Axes;
  llvm::CallInst *State = nullptr;
};

} // namespace tilesmith

#endif
