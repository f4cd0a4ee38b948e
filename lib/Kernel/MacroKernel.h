//===- MacroKernel.h - the loops around tiles -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The macro kernel: C, A and B are cut into blocks that fit the caches, which are
// packed into panels, and tiles of C are made of these.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_MACROKERNEL_H
#define TILESMITH_LIB_KERNEL_MACROKERNEL_H

#include "TileKernels.h"

namespace tilesmith {

class MacroKernel : protected TileKernels {
protected:
  using TileKernels::TileKernels;

  // Each in the file of its concept.
  class PackKernel;
  class GatherKernel;
  struct Elementwise;
  class ElementwiseKernel;
  class Walk;

  /// Elements of C from (Row, Column) on.
  struct PartOfC {
    llvm::Value *Row, *Column, *Rows, *Columns;
    llvm::Value *Diagonal = nullptr; ///< counted from the first one
    FurtherPlace Sums = {};          ///< if they do not rest in C
  };

  /// The values of a macro kernel.
  struct Macro {
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
      llvm::Value *EndWithRows =
          nullptr; ///< i1: these end with the image's rows
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
      /// i1: the sliver packs the block of A, panel by panel.
      llvm::Value *PacksBlock = nullptr;
      llvm::Value *PacksRest = nullptr; ///< with the panels behind whole ones
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
      llvm::Value *IsPlain = nullptr; ///< i1: it is a plain matrix all the same
      llvm::Value *IsInside = nullptr; ///< i1: no step is beyond a border
      llvm::Value *AreFew = nullptr; ///< i1: so that weights are read in place
      llvm::Value *Table = nullptr;
      /// See InPlaceWindows.cpp.
      llvm::Value *Runs = nullptr, *NumRuns = nullptr, *Zeros = nullptr;
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
    llvm::Value *IsFirstSliver = nullptr; ///< i1: of the block of A
    llvm::Value *SliverCorrections = nullptr;
    llvm::Value *Ahead = nullptr; ///< columns to the tile that is prefetched
  };

  llvm::Value *areSquaresFaster(const Macro &X);
  void emitChoice(Macro &X);
  Macro macroOf(llvm::Function &F, const KernelArguments &Arguments);

  // The parameters of each function.
  ParameterList parametersOf(PackArguments &Arguments, const Operand &X) const;
  ParameterList parametersOf(GatherArguments &Arguments,
                             const Operand &X) const;
  ParameterList parametersOf(EpilogueArguments &Arguments) const;
  using TileKernels::parametersOf;

  llvm::Function *buildPack(const Operand &X);
  llvm::Function *buildGatheredPack(const Operand &X);
  void emitElementwise(const Macro &X, const PartOfC &Of,
                       const Elementwise &Made, llvm::Function *&Kernel);
  void emitStart(const Macro &X, const PartOfC &Of);
  void emitEpilogue(const Macro &X, const PartOfC &Of);
  void prefetchNumbers(const Macro &X, const PartOfC &Of);
  void prefetchForEpilogue(const Macro &X, const PartOfC &Of);
  void emitEmpty(const Macro &X);
  FurtherPlace emitSmallSums(const Macro &X, uint64_t Rows, uint64_t Columns);

  void emitTurned(const Macro &X);
  /// A tile with rows along n and columns along m.
  struct TurnedTile {
    llvm::Value *Row = nullptr, *Column = nullptr;  ///< where it begins
    llvm::Value *Rows = nullptr, *IsWide = nullptr; ///< i1: it has NR columns
    llvm::Value *Shared = nullptr; ///< first columns that are another tile's
  };
  void emitTurnedTile(const Macro &X, const TurnedTile &Tile);

  // Of a factor that is gathered.
  llvm::Value *joinExtents(const Macro &X, Dim D, llvm::Value *&Extent);
  llvm::SmallVector<Digit, 3> digitsOf(const Macro &X, Dim D,
                                       llvm::Value *Extent, llvm::Value *Stride,
                                       unsigned Of);
  llvm::Value *isPlain(llvm::ArrayRef<Digit> Digits);
  llvm::Value *countInGroups(Digit &Lowest);
  llvm::Value *emitNumbers(Macro &X);
  llvm::Value *hasFewTaps(const Macro &X);
  void joinLines(Macro &X);
  void emitNumbering(Macro &X);
  struct NumberedPlace {
    llvm::Value *Distance;
    llvm::SmallVector<llvm::Value *, 3> Indices; ///< the digits
    llvm::SmallVector<llvm::Value *, 2> Positions;
  };
  NumberedPlace placeOfNumber(llvm::Value *Number, llvm::ArrayRef<Digit> Digits,
                              llvm::ArrayRef<BorderOfImage> Borders = {});
  void goToNext(NumberedPlace &At, llvm::ArrayRef<Digit> Digits);
  void emitTablesOfSteps(Macro &X);
  void emitGatheredPack(const Macro &X, const Operand &Of, llvm::Value *Dst,
                        llvm::Value *Base, llvm::Value *P, llvm::Value *Count);
  llvm::Value *hasFewWindows(const Macro &X);
  llvm::Value *rowsOfWindows(const Macro &X);
  void emitFewWindows(Macro &X, llvm::Value *MayRead);
  llvm::Value *endWithRows(const Macro &X);
  llvm::Value *columnsInRow(const Macro &X, llvm::Value *Jr);
  llvm::Value *areWindowsInPlace(const Macro &X, const NumberedPlace &First);
  llvm::Value *mostRuns(const Macro &X);
  llvm::Value *bytesOfRuns(const Macro &X);
  void emitRuns(Macro &X);
  using ColumnVectors = llvm::SmallVector<llvm::Value *, 3>;
  ColumnVectors columnsFrom(const Macro &X, NumberedPlace At);
  void emitColumnsOfRuns(const Macro &X, const NumberedPlace &First);
  /// What is found out about the sliver under way: i1, i1, a pointer.
  struct SliverOfWindows {
    llvm::AllocaInst *IsWindows = nullptr, *IsOfRuns = nullptr;
    llvm::AllocaInst *Windows = nullptr;
  };
  void findWindows(const Macro &X, const NumberedPlace &First,
                   const SliverOfWindows &Of);
  llvm::Value *firstSliver(const Macro &X);
  llvm::Value *mayReadRuns(const Macro &X);
  llvm::Value *mayPackBlock(const Macro &X);
  void emitPackForSlivers(Macro &X, Split Rows);
  void emitSliverOfWindows(Macro &X);
  /// Where a row (or column) is, and its positions at the first step.
  struct LinePlace {
    llvm::Value *Src;
    llvm::SmallVector<llvm::Value *, 2> Positions;
  };

  // Of an image with borders: Borders.cpp.
  std::pair<llvm::Value *, llvm::Value *> rangeOf(llvm::ArrayRef<Digit> Digits,
                                                  unsigned I);
  void addBorders(Macro &X, const Operand &Of);
  llvm::Value *isLineInside(llvm::ArrayRef<BorderOfImage> Borders,
                            llvm::ArrayRef<llvm::Value *> OfLine);
  llvm::Value *isInside(llvm::ArrayRef<BorderOfImage> Borders,
                        llvm::ArrayRef<llvm::Value *> OfLine,
                        llvm::ArrayRef<llvm::Value *> OfStep);
  const Operand *borderedOperand() const;
  bool needsExactSums() const;
  bool needsElementsBefore() const;
  llvm::Value *mayBeInexact(llvm::Value *Result);
  std::pair<llvm::SmallVector<Digit, 3>, llvm::SmallVector<Digit, 3>>
  digitsOf(const Macro &X, const Operand &Of);
  /// A row (or column) of C with steps that are left out, by its number.
  using LineBody = llvm::function_ref<void(llvm::Value *, const LinePlace &)>;
  void emitLinesAtBorder(Macro &X, LineBody Body);
  void emitElementsOfLine(
      Macro &X, llvm::Value *Line,
      llvm::function_ref<void(llvm::Value *, llvm::Value *, llvm::Value *)>
          Body,
      llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> Skipped =
          nullptr);
  llvm::Value *exactNeighbours(const Macro &X, llvm::Value *Other,
                               llvm::Value *C);
  void emitSavingBefore(Macro &X);
  void emitExactSums(Macro &X);
  llvm::Value *isBlank(Macro &X, const LinePlace &Line);
  llvm::Value *isZeroExact(Macro &X, const LinePlace &Line,
                           llvm::Value *IsBlankKnown, llvm::Value *IsBlankLine,
                           llvm::Value *First);
  llvm::Value *emitExactSum(Macro &X, const LinePlace &Line,
                            llvm::ArrayRef<llvm::Value *> Others,
                            llvm::Value *First);
  struct SumsAgain;
  llvm::Value *emitSumAgain(Macro &X, const LinePlace &Line, llvm::Value *Other,
                            llvm::Value *Before, const SumsAgain &Again);

  // The steps of the macro kernel, outermost first.
  enum class OuterPlace {
    Around,  ///< all else
    Sums,    ///< blocks of K
    Rows,    ///< blocks of A
    Bundled, ///< within blocks
  };
  OuterPlace placeOf(unsigned Outer) const;
  void advance(Macro &X, unsigned Outer, llvm::Value *Number);
  void advanceInBlock(Macro &X, Dim D, llvm::Value *I);
  void emitOuter(Macro &X, OuterPlace At, llvm::function_ref<void()> Body,
                 unsigned From = 0);
  void emitBundles(Macro &X, Dim D, llvm::function_ref<void()> Body);
  void emitBundle(const Macro &X, Dim D,
                  llvm::function_ref<void(llvm::Value *)> Body);
  void sizeBundle(Macro &X, Dim D, llvm::Value *Extent, llvm::Value *Limit,
                  llvm::Value *Granule);
  void sizeDepth(Macro &X);
  llvm::Value *elementsOfA(const Macro &X);
  void sizeRowsAndColumns(Macro &X);
  llvm::Value *withoutThinBlock(const Macro &X);
  void emitBlocking(Macro &X);
  llvm::Value *mostColumnsInPlace(llvm::Value *StrideK, llvm::Value *Steps);
  void emitReads(Macro &X, llvm::Value *Steps);
  void emitDirect(Macro X);
  llvm::Value *emitMemory(llvm::Value *Bytes);
  /// An operand's extent (i64) and the most of it that is packed at a time;
  /// InPlace (i1): it is read where it is; then its edge is what is left of a
  /// multiple of Granule.
  struct PackedExtent {
    llvm::Value *InPlace, *Extent, *Most;
    unsigned Granule;
  };
  llvm::Value *bytesOfPanels(const Macro &X, const Operand &Of,
                             const PackedExtent &Along);
  llvm::Value *bytesOfSums(Macro &X);
  llvm::Value *bytesOfCorrections(const Macro &X);
  llvm::Value *bytesOfTable(const Macro &X, const Macro::Numbers &Of);
  void emitAllocation(Macro &X);
  void emitPanelsOfB(Macro &X);
  void emitBlocksOfK(Macro &X);
  void enterBlockOfK(Macro &X, llvm::Value *Pc);
  void emitPackOfSlivers(Macro &X);
  // PackedFirst.cpp
  bool packsFirst(Dim P) const;
  llvm::Value *packedSlivers(const Macro &X);
  llvm::Value *packedRows(const Macro &X);
  void emitSliversFirst(Macro X);
  void emitRowsFirst(Macro X);
  void emitBlocksOfA(Macro &X);
  void emitBlockOfA(Macro &X);
  /// How many of the values that are bundled with M one round of a loop goes
  /// through: outside of the values that are bundled with N, and inside.
  struct TileOrder {
    llvm::Value *Outside, *Inside;
  };
  TileOrder orderOfTiles(const Macro &X);
  void emitTilesOfBlock(Macro &X, Split Rows);
  llvm::Value *isInPlace(const Macro &X, llvm::Value *Index,
                         llvm::Value *PackedFrom);
  void emitCorrections(Macro &X);
  void emitSlivers(Macro &X, Split Rows);
  void emitDirectSliver(Macro &X, Split Rows);
  void emitSliver(Macro &X, Split Rows);
  llvm::Value *columnsAhead(const Macro &X);
  void emitTile(Macro &X, llvm::Value *Ir, llvm::Value *Rows, bool IsWhole);
  /// Some of the steps that a block of K makes for a tile.
  struct StepRange {
    llvm::Value *Begin, *Count;
    llvm::Value *First, *Last; ///< i1: the tile's first and last steps
    bool IsCorner;
    /// i1: of those the block makes, they are the first, and the last step is
    /// among these.
    llvm::Value *Soon;
  };
  /// The rows of a tile, in the block of A, and the panel that they are in.
  struct TileRows {
    llvm::Value *Panel, *PanelRows;
    bool IsWhole; ///< the panel has MR rows
    llvm::Value *Begin, *Count;
    llvm::Value *IsCut = nullptr; ///< see RowsAtDiagonal
  };
  bool callsFunctions() const;
  void emitSteps(Macro &X, const TileRows &R, const StepRange &Steps);
  FurtherPlace sumsOfTile(const Macro &X, const TileRows &R);
  void emitSums(Macro &X, const TileRows &R, const StepRange &Steps,
                const FurtherPlace &Sums);
  // RestOfLines.cpp
  struct RestInTile;
  llvm::Value *endOfLine(const Macro &X, const RestInTile &In, llvm::Value *J);
  llvm::Value *beginOfRest(const Macro &X, const RestInTile &In,
                           llvm::Value *J);
  RestInTile restInTile(Macro &X, const TileRows &R);
  llvm::Value *strideOfBuffer() { return i64(uint64_t(ThePlan.MR) * Size); }
  void moveRest(const Macro &X, const RestInTile &In,
                const MicroArguments &Call, bool ToBuffer);
  void emitRest(Macro &X, const RestInTile &In, const MicroArguments &Call);
  void emitWithRest(Macro &X, const TileRows &R, const MicroArguments &Call,
                    llvm::function_ref<void()> EmitCall);
  llvm::Value *comesLate(const Macro &X, const StepRange &Steps);
  void emitCall(Macro &X, const TileRows &R, const StepRange &Steps,
                const MicroArguments &Call, llvm::Value *StrideCm,
                llvm::Value *AnyInPlace);
  void setLaterLineOfA(const Macro &X, const TileRows &R, MicroArguments &Call);
  void emitIfWindows(const Macro &X, const TileRows &R, MicroArguments Call,
                     llvm::function_ref<void()> Else);
  void emitBoundedSteps(Macro &X, const TileRows &R);
  void prefetchCorner(Macro &X, const StepRange &Corner);
  // StepBounds.cpp
  std::pair<llvm::Value *, llvm::Value *> stepsMade(const Macro &X);
  std::pair<llvm::Value *, llvm::Value *>
  stepsMade(llvm::Value *Diagonal, llvm::Value *Count, llvm::Value *Lines);
  LineRange stepsOfPlace(llvm::Value *Place, llvm::Value *Diagonal,
                         llvm::Value *Count);
  LineRange placesOfStep(llvm::Value *Step, llvm::Value *Diagonal,
                         llvm::Value *Count);
  void emitTrimOfRows(Macro &X);
  void emitTrimOfSteps(Macro &X);
  bool boundsStepsOf(Dim D) const;
  LineRange linesWithSteps(const Macro &X);
  LineRange linesWithSteps(const Macro &X, Dim D, llvm::Value *First,
                           llvm::Value *Count);
  /// Where an operand begins, and its strides.
  struct Place {
    llvm::Value *Base, *StrideP, *StrideK;
  };
  llvm::Value *hasScatteredColumns(const Macro &X, const Operand &Of,
                                   Place Columns);
  void callPack(const Operand &X, PackArguments Arguments);
  void emitPlainPack(Macro &X, const Operand &Of, llvm::Value *Dst, Place From,
                     llvm::Value *P, llvm::Value *Count,
                     llvm::Value *PanelsOfLine);
  void emitPack(Macro &X, const Operand &Of, llvm::Value *Dst, Place From,
                llvm::Value *P, llvm::Value *Count, llvm::Value *PanelsOfLine);
  llvm::Value *panelsOfLine(const Macro &X, const Operand &Of,
                            llvm::Value *Lines);
  llvm::Value *strideInBundle(const Macro &X, const Operand &Of, Dim D);
  llvm::Value *strideOfC(const Macro &X, Dim D);
  unsigned edgeOfLines(const Macro &X, Dim D) const;
  llvm::Value *diagonalOfTile(Macro &X, llvm::Value *Ir);
  llvm::Value *diagonalOfSteps(Macro &X, llvm::Value *Ir, llvm::Value *Begin);
  /// Whether there may be squares, and what is done if there are none; this may
  /// be null.
  llvm::Function *Permission = nullptr;
  BuiltKernel FallbackKernel;
  llvm::Function *StartOfTile = nullptr, *EpilogueOfTile = nullptr;
};

} // namespace tilesmith

#endif
