//===- Arguments.h - what a kernel's functions are called with --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strides are in bytes. What a function has no parameter for stays null.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_ARGUMENTS_H
#define TILESMITH_LIB_KERNEL_ARGUMENTS_H

#include "tilesmith/Kernel/Arguments.h"

namespace tilesmith {

/// void tilesmith.pack.*: copies Count rows (or columns) from Src on, Steps
/// elements each, to panels at Dst.
struct PackArguments {
  llvm::Value *Dst = nullptr, *Src = nullptr;
  llvm::Value *StrideP = nullptr, *StrideK = nullptr;
  llvm::Value *Count = nullptr, *Steps = nullptr;
  llvm::Value *IsFar = nullptr; ///< i1: the source comes from beyond the caches
  /// If a dimension is bundled with k: how many of its values a panel has, one
  /// behind the other, and how far they are apart in the source.
  llvm::Value *Chunks = nullptr, *StrideChunk = nullptr;
  /// If the source is adjacent along a dimension that is bundled with its rows
  /// or columns: how many of its values there are, and how far their panels are
  /// apart, in elements.
  llvm::Value *Lines = nullptr, *PanelsOfLine = nullptr;
  /// For a symmetric matrix: where the other half begins, with rows and columns
  /// exchanged; and how many steps there are from the first row's to the
  /// diagonal.
  llvm::Value *Mirror = nullptr, *Diagonal = nullptr;
  llvm::Value *Scalars = nullptr; ///< of the map
};

/// One of the indices that make up the number of a row or of a step.
struct Digit {
  llvm::Value *Extent = nullptr, *Stride = nullptr;
  llvm::SmallVector<llvm::Value *, 2> Moves = {}; ///< of a position each
};

/// A position that is inside from zero on and below Extent (see Border). All steps
/// together move it by Least to Most.
struct BorderOfImage {
  llvm::Value *Start = nullptr, *Extent = nullptr;
  llvm::Value *Least = nullptr, *Most = nullptr;
};

/// void tilesmith.pack.* of a factor that is gathered: rows from number First
/// on, with the steps that the table lists.
struct GatherArguments {
  llvm::Value *Dst = nullptr, *Src = nullptr;
  llvm::Value *First = nullptr, *Count = nullptr, *Steps = nullptr;
  /// i64s: how far each step is in Src, and by how much it moves each position.
  llvm::Value *Table = nullptr;
  llvm::SmallVector<Digit, 3> Digits = {}; ///< of a row's number, lowest first
  /// If the source is adjacent along a digit of the steps: after how many steps
  /// it goes up by one, and its extent.
  llvm::Value *Period = nullptr, *Adjacent = nullptr;
  llvm::SmallVector<BorderOfImage, 2> Borders = {};
  llvm::Value *Zeros = nullptr;   ///< no argument: elements beyond a border
  llvm::Value *Scalars = nullptr; ///< of the map
};

/// void tilesmith.micro.*: a register tile.
struct MicroArguments {
  /// A term's factors.
  struct Factors {
    llvm::Value *A = nullptr, *StrideAk = nullptr;
    llvm::Value *B = nullptr, *StrideBk = nullptr, *StrideBn = nullptr;
  };
  llvm::SmallVector<Factors, 1> Terms;
  llvm::Value *Groups = nullptr; ///< of steps
  /// Of windows: where each step is, as in GatherArguments.
  llvm::Value *Table = nullptr;
  /// Of windows run by run: the table of runs (see InPlaceWindows.cpp).
  llvm::Value *Runs = nullptr, *NumRuns = nullptr;
  /// Of windows: the line of A's next block that is prefetched with the first step,
  /// and how far it is to that of the next one.
  llvm::Value *LaterA = nullptr, *StrideLater = nullptr;
  /// Of a tile that packs its panel of A: where that comes from, and how far it is
  /// from step to step.
  llvm::Value *SourceA = nullptr, *StrideSource = nullptr;
  llvm::Value *Corrections = nullptr; ///< of the sums of each column
  llvm::Value *C = nullptr, *StrideCn = nullptr;
  /// Columns from this tile to the one that is prefetched.
  llvm::Value *Ahead = nullptr;
  llvm::Value *First = nullptr, *Last = nullptr; ///< i1: block of K
  /// Where sums under way are, if not in C.
  llvm::Value *P = nullptr, *StridePn = nullptr;
  /// Those that exist, where that is asked.
  llvm::Value *Rows = nullptr, *Columns = nullptr;
  /// Of a turned tile: so many of its first columns are not stored.
  llvm::Value *Shared = nullptr;
  /// Of the steps, in a corner; or of the wanted half.
  llvm::Value *Diagonal = nullptr;
  llvm::Value *Scalars = nullptr;
  /// Its number in the table, if it is found there by rows and columns.
  llvm::Value *Slot = nullptr;
};

/// void tilesmith.tile: a tile with so many Rows and Columns, of any C.
struct TileArguments {
  MicroArguments Micro;
  llvm::Value *StrideCm = nullptr, *Columns = nullptr;
  llvm::Value *MicroKernels = nullptr;
};

/// void tilesmith.copy: moves a tile.
struct CopyArguments {
  struct Place {
    llvm::Value *Base = nullptr, *StrideRow = nullptr, *StrideColumn = nullptr;
  };
  Place Dst, Src;
  llvm::Value *Rows = nullptr, *Columns = nullptr;
  llvm::Value *Diagonal = nullptr; ///< of the wanted half
};

/// Where C is, or its sums, or an operand of its epilogue.
struct FurtherPlace {
  llvm::Value *Base = nullptr, *StrideM = nullptr, *StrideN = nullptr;
};

/// void tilesmith.start, tilesmith.epilogue: see Epilogue.cpp.
struct EpilogueArguments {
  FurtherPlace C;
  FurtherPlace Sums; ///< if they do not rest in C
  llvm::SmallVector<FurtherPlace, 1> Further;
  llvm::Value *Rows = nullptr, *Columns = nullptr;
  llvm::Value *Diagonal = nullptr; ///< of the wanted half
  llvm::Value *Scalars = nullptr;
};

/// void tilesmith.correct: see buildCorrection().
struct CorrectionArguments {
  llvm::Value *Sliver = nullptr, *Stride = nullptr; ///< from group to group
  llvm::Value *Groups = nullptr, *Corrections = nullptr;
};

/// i1 tilesmith.zeros: see buildZeros().
struct ZerosArguments {
  llvm::Value *X = nullptr, *StrideLine = nullptr, *StrideElement = nullptr;
  llvm::Value *Lines = nullptr, *Elements = nullptr;
  llvm::Value *Scalars = nullptr; ///< of what is tested
};

/// i1 tilesmith.meets: see buildMeets().
struct MeetsArguments {
  llvm::Value *Rows = nullptr, *Begin = nullptr, *End = nullptr;
  llvm::Value *Low = nullptr, *Width = nullptr;
};

} // namespace tilesmith

#endif
