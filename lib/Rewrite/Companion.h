//===- Companion.h - a matrix beside that of the steps ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_COMPANION_H
#define TILESMITH_LIB_REWRITE_COMPANION_H

#include "StepLoops.h"
#include "tilesmith/Rewrite/BlockedSteps.h"

namespace tilesmith {

/// Which step was the last one to store each element of a part of the matrix, as far
/// as that is known: one more than its number in the block, or zero.
struct Notes {
  llvm::Value *Base, *FirstRow, *FirstColumn, *RowLength;
};

/// The elements of the companion matrix.
class CompanionBlocks {
public:
  CompanionBlocks(const SquareSteps &Of, StepLoops &Loops);

  Companion::Value kind() const { return Of.Beside->Kind; }
  /// Bytes for the notes of a block of \p BlockSize steps.
  llvm::Value *memory(int64_t BlockSize);
  /// Where these are.
  void setMemory(llvm::Value *V, int64_t BlockSize);
  /// Notes for the lines of the block that begins with step \p First, and for
  /// row \p I of the other parts.
  Notes ofLines(llvm::Value *First);
  Notes ofRow(llvm::Value *I);

  /// Whether no two elements are the same, and none is one of D.
  llvm::Value *isApart();

  /// Nothing is known of \p Rows and \p Columns.
  void clear(const Notes &In, Range Rows, Range Columns);
  llvm::Value *load(const Notes &In, llvm::Value *I, llvm::Value *J);
  void store(const Notes &In, llvm::Value *I, llvm::Value *J, llvm::Value *V);
  /// What is noted of step \p Step of the block.
  llvm::Value *numberOf(llvm::Value *Step) {
    return B.CreateTrunc(B.CreateAdd(Step, Loops.i64(1)), NoteTy);
  }

  /// Stores what step \p K stores beside element (\p I, \p J).
  void storeBeside(llvm::Value *K, llvm::Value *I, llvm::Value *J);
  /// The same for what is noted, of steps from \p First on.
  void storeNoted(const Notes &In, llvm::Value *First, Range Rows,
                  Range Columns, Iterations OfColumns);

private:
  llvm::Value *address(llvm::Value *I, llvm::Value *J);
  llvm::Value *addressOf(const Notes &In, llvm::Value *I, llvm::Value *J);

  const SquareSteps &Of;
  StepLoops &Loops;
  llvm::IRBuilder<> &B;
  llvm::Type *NoteTy;
  int64_t NoteBytes;
  llvm::Value *LineNotes = nullptr, *RowNotes = nullptr;
  int64_t BlockSize = 0;
};

} // namespace tilesmith

#endif
