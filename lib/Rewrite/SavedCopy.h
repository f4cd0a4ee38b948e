//===- SavedCopy.h - C as it was in front of the nest -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_SAVEDCOPY_H
#define TILESMITH_LIB_REWRITE_SAVEDCOPY_H

#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

struct Nest;
class GuardBuilder;

/// The copy that a factor is read from: see SavedRows in Access.h.
class SavedCopy {
public:
  /// Computes where the copy goes from, and how far.
  SavedCopy(const Nest &View, GuardBuilder &Guard);

  /// True (i1) if the nest leaves out no step for a zero; null if it never
  /// does.
  static llvm::Value *emitZeroTest(const Nest &View, GuardBuilder &Guard);

  /// The copy's memory, or null.
  llvm::Value *emitAllocation(llvm::IRBuilderBase &B) const;
  void emitSave(llvm::IRBuilderBase &B, llvm::Value *Memory) const;
  /// C becomes what it was.
  void emitRestore(llvm::IRBuilderBase &B, llvm::Value *Memory) const;

private:
  /// A line of adjacent elements of the copy, and the lines.
  struct Side {
    llvm::Value *Memory, *LineStride, *ElementStride;
  };
  void emitCopy(llvm::IRBuilderBase &B, Side To, Side From,
                bool OnlyChanges) const;
  Side copyIn(llvm::Value *Memory) const { return {Memory, CopyStride, Size}; }

  llvm::Function &Caller;
  llvm::Type *ElemTy; ///< a number of so many bits
  llvm::Align Alignment;
  Side Array;
  llvm::Value *Lines, *Elements, *CopyStride, *Size;
};

} // namespace tilesmith

#endif
