//===- MacroKernel.h - the values of a macro kernel -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_MACROKERNEL_H
#define TILESMITH_LIB_KERNEL_MACROKERNEL_H

#include "KernelBuilder.h"

namespace tilesmith {

/// The values of one macro kernel, in the order in which they come to be.
struct KernelBuilder::Macro {
  llvm::Function *F;
  const KernelArguments *Arguments;

  /// One term's values.
  struct Factors {
    const TermOperands *Of;
    llvm::Value *A, *StrideAm, *StrideAk;
    llvm::Value *B, *StrideBn, *StrideBk;
    llvm::Value *ReadA = nullptr, *ReadB = nullptr; ///< i1: read in place
    /// i1: so are slivers of windows, if B is gathered, where that is possible.
    llvm::Value *ReadWindows = nullptr;
    llvm::Value *Panel = nullptr, *Block = nullptr; ///< the buffers
    /// Those of all blocks, if the factor is packed first.
    llvm::Value *AllPanels = nullptr, *AllBlocks = nullptr;
    llvm::Value *SrcB = nullptr, *PackedFromN = nullptr;
    llvm::Value *SrcA = nullptr, *PackedFromM = nullptr;
    /// How far the packed panels of two values of a bundle are apart, in
    /// elements.
    llvm::Value *PanelsOfColumn = nullptr, *PanelsOfRow = nullptr;
    llvm::Value *BInPlace = nullptr;
    llvm::Value *Sliver = nullptr, *SliverStrideK = nullptr,
                *SliverStrideN = nullptr;
    /// i1: the sliver is one of windows in place; and where these begin. Whether it
    /// is made run by run.
    llvm::Value *IsWindows = nullptr, *Windows = nullptr;
    llvm::Value *IsOfRuns = nullptr;
  };
  llvm::SmallVector<Factors, 1> Terms;

  llvm::Value *C, *StrideCm, *StrideCn;
  llvm::SmallVector<FurtherPlace, 1> Further; ///< Contraction::alongC()
  llvm::Value *M, *N, *K;                     ///< the extents
  llvm::Value *Diagonal = nullptr;
  /// What makes no step and is stored nevertheless, seen from C.
  std::optional<PartOfC> Empty = {};
  // Whether the outer dimensions that are summed over are at their first and at
  // their last values.
  llvm::Value *FirstSum = nullptr, *LastSum = nullptr;

  /// Of a factor that is gathered: what the numbers of its rows (or columns) and
  /// steps are made of, and where the steps of the block under way are.
  struct Numbers {
    llvm::SmallVector<Digit, 3> OfLine, OfStep;
    llvm::SmallVector<BorderOfImage, 2> Borders = {};
    /// The same with what the steps of the block under way do.
    llvm::SmallVector<BorderOfImage, 2> BordersOfBlock = {};
    llvm::Value *IsPlain = nullptr;  ///< i1: it is a plain matrix all the same
    llvm::Value *IsInside = nullptr; ///< i1: no step is beyond a border
    llvm::Value *Table = nullptr;
    /// See InPlaceWindows.cpp.
    llvm::Value *Runs = nullptr, *NumRuns = nullptr, *Zeros = nullptr;
    llvm::Value *ColumnsOfRuns = nullptr;
  };
  PerDim<Numbers> Gathered = {}; ///< M: A's; N: B's

  /// The outer dimension that is bundled with M, N or K: its extent, how many of
  /// its values are in a block, and how many in the one under way; not looked
  /// at, one and one if there is none.
  struct Bundle {
    llvm::Value *Extent = nullptr, *PerBlock = nullptr, *Count = nullptr;
  };
  PerDim<Bundle> Bundles = {};

  // The blocks.
  llvm::Value *NumBlocks = nullptr, *KC = nullptr, *MC = nullptr;

  // The buffer of all. Sums are kept in columns of SumsLd elements: those of a
  // panel of B, or of one tile.
  llvm::Value *Memory = nullptr, *Sums = nullptr, *SumsLd = nullptr;
  llvm::Value *HasTileOfSums = nullptr; ///< i1
  llvm::Value *TileOfSums = nullptr;    ///< on the stack, if it may be needed
  /// What C had before, line by line of a factor with borders: where a step may
  /// be left out, and if it is needed.
  llvm::Value *Before = nullptr;

  // The panel of B under way: Nb columns from Jc, Kb steps from Pc. Columns
  // from PackedFromN on are packed.
  llvm::Value *Jc = nullptr, *Nb = nullptr, *Pc = nullptr, *Kb = nullptr;
  llvm::Value *Groups = nullptr; ///< that hold the Kb steps
  LineRange Slivers = {};        ///< those of its columns that make a step
  llvm::Value *FirstK = nullptr, *LastK = nullptr; ///< i1

  /// What the sums of each of its columns are corrected by, if they are.
  llvm::Value *Corrections = nullptr;

  // The block of A under way: Mb rows from Ic, packed from PackedFromM on.
  llvm::Value *Ic = nullptr, *Mb = nullptr;
  llvm::Value *IsFirstBlock = nullptr; ///< i1: with this panel of B

  /// Whether there are no blocks, and each tile is computed where it is.
  bool IsDirect = false;

  /// The values that are bundled with M which a sliver of B meets at a time.
  llvm::Value *FirstRow = nullptr, *LastRow = nullptr;

  // The sliver of B under way.
  llvm::Value *Jr = nullptr, *Columns = nullptr;
  llvm::Value *SliverCorrections = nullptr;
  llvm::Value *Ahead = nullptr; ///< columns to the tile that is prefetched
};

} // namespace tilesmith

#endif
