//===- TileKernels.h - the functions that make tiles of C -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Micro kernels, one for each size of tile in use; the table in which the macro
// kernel finds them; and what makes tiles at the edges of C, or in a strided C.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_TILEKERNELS_H
#define TILESMITH_LIB_KERNEL_TILEKERNELS_H

#include "KernelFrame.h"
#include "llvm/ADT/MapVector.h"

namespace tilesmith {

class TileKernels : protected KernelFrame {
protected:
  using KernelFrame::KernelFrame;

  class MicroKernel;
  enum class MicroKind {
    Any,
    Packed,      ///< operands are packed
    Corner,      ///< the diagonal bounds the steps, element by element
    Cut,         ///< the diagonal bounds C in one register, element by element
    Rest,        ///< one register of rows, made as the rest of lines is
    Small,       ///< a few steps, and any numbers of rows and columns
    Turned,      ///< all steps; rows are adjacent in C
    Windows,     ///< B is found in the table of steps
    Runs,        ///< the same, run by run, and column by column
    PackingRuns, ///< the same, of A where it is: a panel is made on the way
  };
  /// Whether B's windows are read run by run.
  static bool isOfRuns(MicroKind Kind) {
    return Kind == MicroKind::Runs || Kind == MicroKind::PackingRuns;
  }
  /// Whether B's windows are read where they are.
  static bool isInPlace(MicroKind Kind) {
    return Kind == MicroKind::Windows || isOfRuns(Kind);
  }
  /// Whether a micro kernel is told if a tile starts or resumes. Where tiles
  /// only resume, a general one could start from zero.
  bool asksForStart(MicroKind Kind) const {
    return !resumesFromC() || (Kind == MicroKind::Any && AreGeneral);
  }
  bool areGeneralKernelsShared();
  bool asksForRows(MicroKind Kind) const {
    return (hasMasks() && (Kind == MicroKind::Any || Kind == MicroKind::Cut ||
                           Kind == MicroKind::Rest)) ||
           Kind == MicroKind::Turned || Kind == MicroKind::Windows ||
           Kind == MicroKind::Runs;
  }
  /// Whether it prefetches a later tile of C.
  static bool isToldAhead(MicroKind Kind) {
    return Kind == MicroKind::Packed || isInPlace(Kind);
  }
  /// Whether it prefetches A of a later block: of windows in place, which may be
  /// few, so that each block is read, or packed, from memory.
  bool prefetchesLaterA(MicroKind Kind) const {
    return isInPlace(Kind) && Terms.front().A.X.isUnit(M, DL);
  }
  /// Whether one loop makes these tiles, and there is no kernel for whole ones
  /// that are packed.
  bool hasOneLoopOfTiles() const {
    return ThePlan.IsCompact && callsKernelsOnly();
  }
  /// Whether a micro kernel serves tiles of fewer columns, too.
  bool asksForColumns(MicroKind Kind) const {
    return hasMasks() && ThePlan.ColumnStep > 1 &&
           (Kind == MicroKind::Any || Kind == MicroKind::Cut ||
            Kind == MicroKind::Rest);
  }
  /// Whether there is one for each number of rows and columns, so that those of a
  /// table may be merged (MergedKernels.cpp).
  static bool isToldSlot(MicroKind Kind) {
    return Kind == MicroKind::Any || Kind == MicroKind::Corner ||
           Kind == MicroKind::Cut;
  }
  /// Whether whole tiles of packed operands have a micro kernel of their own.
  bool hasPackedKernel() const {
    return !hasOneLoopOfTiles() &&
           !(ThePlan.IsCompact && ThePlan.Engine->HasSumsInVectors);
  }
  /// Whether there are micro kernels of so many columns.
  bool hasColumns(unsigned Columns) const;
  /// The fewest columns of tiles that a micro kernel of \p Columns makes.
  unsigned fewestColumns(unsigned Columns) const;
  // The parameters of each function.
  void addFactors(ParameterList &List, MicroArguments &Arguments) const;
  ParameterList parametersOf(MicroArguments &Arguments, MicroKind Kind) const;
  ParameterList parametersOf(TileArguments &Arguments, bool IsCorner) const;
  ParameterList parametersOf(CopyArguments &Arguments) const;
  ParameterList parametersOf(CorrectionArguments &Arguments) const;

  /// \p Callee: the kernel, or what is equal to it when it runs.
  llvm::CallInst *emitMicroCall(MicroKind Kind, llvm::FunctionCallee Callee,
                                MicroArguments Arguments);
  /// Calls the kernel of \p Width rows and \p Height columns in the table
  /// \p MicroKernels.
  void emitMicroCall(MicroKind Kind, llvm::Value *MicroKernels,
                     llvm::Value *Width, llvm::Value *Height,
                     MicroArguments Arguments);

  // The table of micro kernels has these, then those of any kind by rows and
  // columns, then those for corners, or for windows, then those for runs of them, or
  // for the rest of lines, then those for runs that pack whole panels.
  enum Slot : unsigned { PackedSlot, TileSlot, CornerTileSlot, FirstMicroSlot };
  using MicroKernels =
      llvm::MapVector<std::pair<unsigned, unsigned>, llvm::Function *>;
  const MicroKernels &kernelsOf(MicroKind Kind) const {
    return Kind == MicroKind::Any           ? Micro
           : Kind == MicroKind::Runs        ? RunMicro
           : Kind == MicroKind::PackingRuns ? PackingMicro
           : Kind == MicroKind::Rest        ? RestMicro
                                            : CornerMicro;
  }
  /// The place of the micro kernel for so many rows and columns.
  llvm::Value *microSlot(MicroKind Kind, llvm::Value *Rows,
                         llvm::Value *Columns);
  /// What is found there in \p Table. \p Sample has its type.
  llvm::FunctionCallee kernelAt(llvm::Value *Table, llvm::Value *Slot,
                                llvm::Function *Sample);
  llvm::GlobalVariable *buildTable();
  /// A constant table. An equal one made earlier is reused.
  llvm::GlobalVariable *tableOf(llvm::ArrayRef<llvm::Constant *> Kernels);
  static void setReadOnly(const MicroArguments &Arguments);
  llvm::Function *buildMicroKernel(unsigned Rows, unsigned Columns,
                                   MicroKind Kind);
  llvm::Function *buildSquareKernel(unsigned Rows, unsigned Columns,
                                    MicroKind Kind);
  /// Where the sums of a tile of squares are, and how far apart its columns are.
  struct SumsOfSquares {
    llvm::Value *Base, *Stride;
  };
  void emitProductOfSquares(const MicroArguments &Arguments, unsigned Rows,
                            unsigned Columns, SumsOfSquares Sums,
                            llvm::Value *FromZero);
  llvm::Value *emitStep(const Expression &Update, llvm::Value *Scalars,
                        llvm::Value *Sum, llvm::ArrayRef<llvm::Value *> A,
                        llvm::ArrayRef<llvm::Value *> BRow, unsigned Rows,
                        unsigned Columns);
  llvm::SmallVector<llvm::Function *, 8> buildTurnedKernels();
  llvm::Value *rowsOfTurned(llvm::Value *Left, llvm::Value *IsWide);
  /// The most rows of a turned tile of so many columns: the longest kernels are
  /// left out where they are seldom needed, or longer than others.
  unsigned rowsOfTurned(unsigned Columns) const {
    bool IsLong = !SumsInC || Columns != ThePlan.VL;
    return IsLong && ThePlan.MR > 2 * ThePlan.VL ? ThePlan.MR - ThePlan.VL
                                                 : ThePlan.MR;
  }
  llvm::Function *buildTile(bool IsCorner);
  void emitTileAtDiagonal(const TileArguments &Arguments);
  /// Rows of a tile for one micro kernel, and whether the diagonal cuts them.
  struct RowsAtDiagonal {
    llvm::Value *Begin, *Count, *IsCut;
  };
  void emitRowsAtDiagonal(llvm::Value *Rows, llvm::Value *Columns,
                          llvm::Value *Diagonal,
                          llvm::function_ref<void(RowsAtDiagonal)> Body);
  void emitCallAtDiagonal(const MicroArguments &Arguments,
                          llvm::Value *MicroKernels, llvm::Value *Columns,
                          llvm::Value *IsCut);
  void buildKernelsOf(unsigned Rows, unsigned Columns);
  llvm::Value *laterColumn(const MicroArguments &Arguments, llvm::Value *J,
                           llvm::Value *Sums = nullptr);
  void prefetchLater(const MicroArguments &Arguments, llvm::Value *Rows,
                     llvm::Value *Columns);
  llvm::Function *buildCorrection();
  llvm::Function *buildCopy();
  void emitCopyOfRows(const CopyArguments &Arguments, llvm::Value *To,
                      llvm::Value *From, llvm::Value *Begin, llvm::Value *End);
  void emitReversedCopy(const CopyArguments &Arguments, llvm::Value *To,
                        llvm::Value *From, llvm::Value *Begin,
                        llvm::Value *End);
  bool hasSecondRows() const;
  void emitCopyOfSecond(const CopyArguments &Arguments, llvm::Value *To,
                        llvm::Value *From, llvm::Value *Begin,
                        llvm::Value *End);
  llvm::Constant *isSecondPart(unsigned Rows, unsigned Columns);
  llvm::Value *stepIsMade(unsigned Rows, unsigned Columns, llvm::Value *Step,
                          llvm::Value *Diagonal);

  // Of a factor that is gathered.
  /// Constants may tell that what is gathered must be. Groups are gathered in any
  /// case, as they are read in place then.
  bool mayBePlain(const Operand &X) const {
    return !isGathered(X) || (!ThePlan.Gathered->IsKnown &&
                              !(ThePlan.Narrow && X.P == N && readsWindows()));
  }
  llvm::Value *distanceOfStep(llvm::Value *Table, llvm::Value *Step,
                              const Operand &Of);
  std::optional<unsigned> adjacentStep(const Operand &X) const;
  /// The bytes that the table of steps has for each.
  static uint64_t bytesOfStep(size_t NumBorders) {
    return 8 * (1 + NumBorders);
  }
  // InPlaceWindows.cpp
  uint64_t bytesOfRun() const;
  /// Where the bits of columns are in it, and behind them the columns.
  uint64_t insideOfRun() const;
  bool mayReadElements(const Operand &Image) const;
  bool readsWindows() const;
  bool readsRuns() const;
  bool leavesOutRuns() const;
  bool leavesOutColumns() const;
  bool prefetchesWeights() const;
  bool packsInRuns() const;
  unsigned shortestRun() const;
  unsigned fewestColumnsOfRuns() const;
  void buildWindowKernels();

  /// Whether micro kernels of any operands do more than this nest needs, as
  /// they serve other ones, too.
  bool AreGeneral = false;

  llvm::Function *Tile = nullptr, *Copy = nullptr, *Correction = nullptr;
  /// For MR x NR and packed operands.
  llvm::Function *PackedMicro = nullptr;
  /// By rows and columns.
  MicroKernels Micro;
  /// The same for steps that the diagonal bounds, or for windows in place.
  MicroKernels CornerMicro;
  /// For windows run by run.
  MicroKernels RunMicro;
  /// The same, which pack a panel of MR rows of A.
  MicroKernels PackingMicro;
  /// For the rest of lines.
  MicroKernels RestMicro;
  /// See buildTurnedKernels().
  llvm::SmallVector<llvm::Function *, 8> Turned;
  llvm::Function *CornerTile = nullptr;
};

} // namespace tilesmith

#endif
