//===- GatherKernel.h - packing a factor that is gathered -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_GATHERKERNEL_H
#define TILESMITH_LIB_KERNEL_GATHERKERNEL_H

#include "MacroKernel.h"

namespace tilesmith {

/// A packing function under way. Panels are as PackKernel makes them.
class MacroKernel::GatherKernel {
public:
  GatherKernel(MacroKernel &K, const Operand &X);

  llvm::Function *build();

private:
  /// Of a block, up to End.
  struct StepNumbers {
    llvm::Value *Begin, *End, *Apart;
  };
  StepNumbers allSteps() { return {K.i64(0), Gather.Steps, K.i64(1)}; }
  using Lines = llvm::ArrayRef<LinePlace>;

  llvm::Value *distanceOf(llvm::Value *Step);
  llvm::Type *elementType() const;
  llvm::Value *mapped(llvm::Value *Elements);
  // Of an image with borders.
  llvm::SmallVector<llvm::Value *, 2> positionsOf(llvm::Value *Step);
  llvm::Value *haveOnePlace(llvm::Value *Step, llvm::Value *Other);
  llvm::Value *isRunInside(const LinePlace &First, unsigned Lanes);
  llvm::Value *lanesInside(llvm::ArrayRef<llvm::Value *> OfFirst,
                           llvm::Value *Step, unsigned Lanes);
  llvm::Value *zeroBeyond(llvm::Value *V, llvm::Value *IsInside);

  void emitSteps(llvm::Value *To, llvm::Value *Width, StepNumbers Steps,
                 llvm::function_ref<void(llvm::Value *, llvm::Value *)> Body);
  void emitWholeRun(llvm::Value *To, llvm::Value *Width, llvm::Value *Src,
                    unsigned Lanes);
  void emitPanel(llvm::Value *Begin, llvm::Value *Valid, llvm::Value *Width);
  void emitRun(llvm::Value *To, llvm::Value *Width, const LinePlace &First,
               llvm::Value *Lane, llvm::Value *Count);
  void emitRuns(llvm::Value *To, llvm::Value *Width, llvm::Value *First,
                llvm::Value *Lanes);
  llvm::SmallVector<LinePlace, 16> rowsOfStrip(llvm::Value *First,
                                               llvm::Value *Last);
  void emitElements(llvm::Value *To, llvm::Value *Width, Lines Rows,
                    StepNumbers Steps, bool AtBorder);
  void emitSquare(llvm::Value *To, llvm::Value *Width, Lines Rows,
                  llvm::Value *Step, bool AtBorder);
  void emitSquares(llvm::Value *To, llvm::Value *Width, Lines Rows,
                   bool AtBorder);
  void emitLanes(llvm::Value *To, llvm::Value *Width, llvm::Value *First,
                 llvm::Value *Last);
  bool mayBeUnit() const;
  void emitStrip(llvm::Value *To, llvm::Value *Width, llvm::Value *First,
                 llvm::Value *Lanes);

  MacroKernel &K;
  llvm::IRBuilder<> &B;
  const Operand &X;
  GatherArguments Gather; ///< of the function
};

} // namespace tilesmith

#endif
