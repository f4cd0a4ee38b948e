//===- MicroKernel.h - the register tile ------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The micro kernel adds K products to each of Rows x Columns sums:
//
//   sum = first ? Start(C) : P              P: sums of the K blocks before
//   for k:  sum = Update(sum, a[k] * b[k])  an outer product of panels
//   last ? C = Finish(sum, C) : P = sum
//
// with sums as one value of Rows * Columns elements and the product as
// llvm.matrix.multiply; the Lowering room turns it into register tiles. If the
// sum itself is what is stored, P is C, and there are no arguments for it.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_MICROKERNEL_H
#define TILESMITH_LIB_KERNEL_MICROKERNEL_H

#include "TileKernels.h"

namespace tilesmith {

/// A micro kernel under way, phase by phase.
class TileKernels::MicroKernel {
public:
  MicroKernel(TileKernels &K, llvm::Function &F,
              const MicroArguments &Arguments, unsigned Rows, unsigned Columns,
              MicroKind Kind)
      : K(K), B(K.B), F(F), Arguments(Arguments), Rows(Rows), Columns(Columns),
        Kind(Kind),
        TileTy(llvm::FixedVectorType::get(K.Op.SumTy, Rows * Columns)) {}

  void build();

private:
  /// The factors of a term, step by step.
  struct Stream {
    llvm::Value *StrideA, *StrideB, *LdB, *AheadA, *AheadB, *IsFarA = nullptr;
    llvm::PHINode *PtrA = nullptr, *PtrB = nullptr;
  };

  /// That are prefetched. Windows' A in place shares few sets of L1.
  unsigned stepsAhead() const { return isOfWindows() || isOfRuns() ? 4 : 16; }

  /// Whether weights of windows are brought to the first-level cache as well: of
  /// groups they are. Others come from the second one in time, and prefetches take
  /// places of loads that cross lines. (Zen 4: 1.00 to 1.02 times as fast without,
  /// with AVX2 up to 1.04.)
  bool prefetchesInPlace() const {
    return (isOfWindows() || isOfRuns()) && K.ThePlan.Narrow;
  }

  bool isPacked() const { return Kind == MicroKind::Packed; }
  bool isSmall() const { return Kind == MicroKind::Small; }
  bool isOfWindows() const { return Kind == MicroKind::Windows; }
  bool isOfRuns() const { return TileKernels::isOfRuns(Kind); }
  /// The panel of A is made by the way.
  bool packsPanel() const { return Kind == MicroKind::PackingRuns; }
  /// Integers may be added in any order: so in the end, when there has been
  /// time for C to come from memory.
  bool startsLate() const {
    return isPacked() && K.Op.SumTy->isIntegerTy() && !K.Op.hasPairings();
  }
  bool prefetches() const { return K.isToldAhead(Kind); }
  bool prefetchesInLoop() const {
    return prefetches() && K.ThePlan.prefetchesInLoop();
  }
  /// Rows of the tile are adjacent in C, and not its columns.
  bool isTurned() const { return Kind == MicroKind::Turned; }
  /// Turned tiles have a register of rows at least.
  bool mayLackRows() const {
    return K.asksForRows(Kind) && !(isTurned() && Rows == K.ThePlan.VL);
  }
  llvm::Value *elements(llvm::Value *Stride) {
    return B.CreateExactSDiv(Stride, K.i64(K.Size));
  }
  llvm::BasicBlock *block(const llvm::Twine &Name,
                          llvm::BasicBlock *Before = nullptr) {
    return llvm::BasicBlock::Create(K.Ctx, Name, &F, Before);
  }

  /// Groups are packed, but for those of windows.
  llvm::Align alignmentInPanel() const {
    return K.ThePlan.Narrow ? llvm::Align(K.PanelSize) : K.ElemAlign;
  }
  /// Of an element of windows, or of a group.
  llvm::Align alignmentInPlace() const {
    return K.ThePlan.Narrow ? K.Terms.front().B.X.Alignment : K.ElemAlign;
  }
  llvm::CallInst *existing(llvm::CallInst *Access);
  llvm::Value *existingLines() {
    return mayLackRows() ? Arguments.Rows : K.i64(Rows);
  }
  llvm::CallInst *loadA(llvm::Value *At);
  llvm::CallInst *loadB(llvm::Value *At, llvm::Value *Stride);
  llvm::Value *loadTurned();
  void storeTurned(llvm::Value *Sum);
  llvm::CallInst *inColumns(llvm::CallInst *Access);
  llvm::CallInst *wanted(llvm::CallInst *Access);
  llvm::Value *loadTile(llvm::Value *Base, llvm::Value *Stride);
  llvm::Value *loadC() {
    return isTurned() ? loadTurned()
                      : loadTile(Arguments.C, Arguments.StrideCn);
  }
  void storeTile(llvm::Value *Sum, llvm::Value *Base, llvm::Value *Stride);
  llvm::Value *emitStart(llvm::Value *Sums, llvm::BasicBlock *Before);
  llvm::Value *corrected(llvm::Value *Sums);
  bool mayReadFar(const Operand &A) const;
  llvm::Value *isFar(llvm::Value *Stride);
  llvm::Value *distanceAhead(llvm::Value *Stride);
  void prefetchA(const Stream &S);
  llvm::Value *prefetchLater(llvm::Value *Line);
  void prefetchColumn(llvm::Value *J, llvm::Value *Sums = nullptr);
  void prefetchInLoop(llvm::Value *Step);
  void prefetchTile();
  Stream streamOf(unsigned T);
  llvm::Value *rowOfWindows(llvm::Value *Step);
  llvm::Value *emitLoop(llvm::Value *Initial, llvm::BasicBlock *Loop);
  // RunLoops.cpp
  /// Where the columns' elements are in a run; and a bit for each that is inside of
  /// the image, if that is asked.
  struct ColumnsOfRun {
    llvm::SmallVector<llvm::Value *, 8> Elements;
    llvm::Value *Inside = nullptr;
  };
  struct RunUnderWay {
    llvm::Value *A, *Sum, *Length, *Later, *Source;
    ColumnsOfRun Columns;
  };
  ColumnsOfRun columnsOfRun(llvm::Value *Run);
  llvm::Value *elementsWithout(unsigned Without);
  llvm::Value *emitStepsOfRun(const RunUnderWay &Run,
                              std::optional<unsigned> Without,
                              llvm::ArrayRef<llvm::BasicBlock *> Before,
                              llvm::BasicBlock *StepBB,
                              llvm::BasicBlock *NextBB);
  llvm::Value *nextSource(llvm::Value *Source, llvm::Value *Groups);
  llvm::Value *packGroup(llvm::Value *To, llvm::Value *From);
  void emitPackingOfRun(const RunUnderWay &Run, llvm::BasicBlock *Before,
                        llvm::BasicBlock *StepBB, llvm::BasicBlock *NextBB);
  llvm::Value *emitRun(const RunUnderWay &Run, llvm::BasicBlock *NextBB);
  llvm::Value *emitRuns(llvm::Value *Initial, llvm::BasicBlock *Loop);
  // CornerLoops.cpp
  /// A step of a corner under way: the sums before it, and its factors, term by term.
  struct CornerStep {
    llvm::Value *Step, *Sum;
    llvm::SmallVector<llvm::Value *, 1> A, B;
  };
  bool cutsCorner() const;
  llvm::Constant *elementsOf(unsigned First, unsigned Last) const;
  llvm::Value *endOfCut(unsigned Cut);
  llvm::Value *emitStepOfCorner(llvm::ArrayRef<Stream> Streams,
                                const CornerStep &Now, unsigned Cut);
  CornerStep emitCut(llvm::ArrayRef<Stream> Streams, const CornerStep &From,
                     unsigned Cut, llvm::Value *End);
  llvm::Value *emitCorner(llvm::Value *Initial, llvm::BasicBlock *Loop);
  unsigned copiesOfLoop() const;
  void emitFinish(llvm::Value *Sums);

  TileKernels &K;
  llvm::IRBuilder<> &B;
  llvm::Function &F;
  const MicroArguments &Arguments;
  unsigned Rows, Columns;
  MicroKind Kind;
  llvm::FixedVectorType *TileTy;
};

} // namespace tilesmith

#endif
