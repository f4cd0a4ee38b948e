//===- StepLoops.h - loops that are built in place --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_STEPLOOPS_H
#define TILESMITH_LIB_REWRITE_STEPLOOPS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace tilesmith {

/// From one up to another one.
struct Range {
  llvm::Value *Begin, *End;
};

/// Whether iterations of a loop need what others store; and whether LLVM shall make
/// vectors of them in any case, also with -fno-vectorize.
enum class Iterations { InOrder, Parallel, InVectors };

/// Builds loops and branches in front of an instruction.
class StepLoops {
public:
  StepLoops(llvm::Instruction &At) : B(&At), Where(At.getDebugLoc()) {}

  llvm::Value *i64(int64_t N) { return B.getInt64(N); }

  void moveTo(llvm::Instruction *I) {
    B.SetInsertPoint(I);
    B.SetCurrentDebugLocation(Where);
  }

  /// Continues behind a new branch; returns the end of what it leads to.
  llvm::Instruction *emitIf(llvm::Value *Condition,
                            llvm::MDNode *Weights = nullptr);

  /// There is at least one iteration.
  void emitLoop(llvm::Value *Begin, llvm::Value *End,
                llvm::function_ref<void(llvm::Value *)> Body, int64_t Step = 1,
                Iterations Is = Iterations::InOrder);

  void emitLoopIfAny(Range Over, llvm::function_ref<void(llvm::Value *)> Body,
                     int64_t Step = 1);

  /// Whether no two of \p Size x \p Size elements of \p Bytes are the same, where
  /// neither strides nor sizes are as large as 2^31.
  llvm::Value *areDistinct(llvm::Value *RowStride, llvm::Value *ColumnStride,
                           llvm::Value *Size, int64_t Bytes);

  llvm::IRBuilder<> B;

private:
  llvm::DebugLoc Where;
};

} // namespace tilesmith

#endif
