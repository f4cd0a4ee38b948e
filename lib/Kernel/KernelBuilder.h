//===- KernelBuilder.h - emitting the kernel's functions --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a small family of internal functions:
//
//   tilesmith.gemm     the loops over blocks; allocates the packing buffers
//   tilesmith.pack.a   copies a block of A into panels of MR rows
//   tilesmith.pack.b   copies a panel of B into slivers of NR columns
//   tilesmith.tile     one register tile at an edge of C, or of a strided C
//   tilesmith.copy     moves a tile between C and a contiguous buffer
//   tilesmith.micro    the micro kernel, one per register tile in use
//   tilesmith.correct  what flipping the signs of A adds to the sums
//   tilesmith.zeros    whether an operand has elements that the nest skips
//   tilesmith.lanes    a tile of vectors of products (LaneKernel.h)
//   tilesmith.gemv     a matrix times a vector (StreamKernel.h)
//   tilesmith.thin     a matrix times a few vectors (ThinKernel.cpp)
//   tilesmith.filter   windows that go over an image (FilterKernel.h)
//
// and, if rows are found through tables, around it:
//
//   tilesmith.rows     compares and copies the rows
//   tilesmith.meets    whether any of many rows overlaps a piece of memory
//
// or if factors are computed of several elements each,
//
//   tilesmith.make     makes matrices of them
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_KERNELBUILDER_H
#define TILESMITH_LIB_KERNEL_KERNELBUILDER_H

#include "Arguments.h"
#include "Emitter.h"
#include "tilesmith/Kernel/Kernel.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CallingConv.h"

namespace tilesmith {

/// An equal function made earlier takes the place of \p F.
llvm::Function *unified(llvm::Function *F);

/// What the names of tables of micro kernels begin with.
inline constexpr char TableName[] = "tilesmith.micro.kernels";
/// Of the last parameter of a micro kernel: its number in the table.
inline constexpr char SlotAttribute[] = "tilesmith-slot";

/// A line of \p File as a place in \p F, a kernel.
llvm::DebugLoc placeIn(llvm::Function &F, llvm::DICompileUnit *Unit,
                       llvm::DIFile *File, unsigned Line, unsigned Column);

/// The scalars that \p Expressions need.
llvm::SetVector<llvm::Value *>
invariantsOf(llvm::ArrayRef<const Expression *> Expressions);
/// Whether kernels by \p ThePlan turn the rows of tiles round (FlipsRows).
bool flipsRows(const Contraction &Op, const Plan &ThePlan,
               const llvm::DataLayout &DL);

/// The elements of \p Ty under \p Mask, and zeros.
llvm::Value *loadMasked(llvm::IRBuilderBase &B, llvm::Type *Ty,
                        llvm::Value *From, llvm::Align Alignment,
                        llvm::Value *Mask);

/// \p Width elements of \p Ty at \p From, or one, as a scalar, if that is 0. What
/// is not adjacent is one for all of them.
llvm::Value *loadElements(llvm::IRBuilderBase &B, llvm::Type *Ty,
                          llvm::Value *From, llvm::Align Alignment,
                          bool IsAdjacent, unsigned Width);

/// \p V as an integer, or integers, of its size.
llvm::Value *bitsOf(llvm::IRBuilderBase &B, llvm::Value *V);

class KernelBuilder : private Emitter {
public:
  /// \p View is the nest as \p ThePlan sees it.
  KernelBuilder(const Nest &View, const Plan &ThePlan);

  /// See buildKernel().
  BuiltKernel build();

private:
  /// A or B of a term, seen along the tile.
  struct Operand {
    const Access &X;
    const Expression &Map;
    Dim P;               ///< M for A, N for B
    unsigned PanelWidth; ///< MR or NR
    llvm::StringRef Name;
    bool IsC; ///< must be packed before C changes
    llvm::Function *Pack = nullptr, *Gather = nullptr;
  };
  struct TermOperands {
    Operand A, B;
  };

  // One per function above; each in the file of its concept.
  struct Macro;
  struct MicroKernel;
  class PackKernel;
  class GatherKernel;
  class LaneKernel;
  class StreamKernel;
  class FilterKernel;
  class RowKernel;
  class ElementTests;
  class MakingKernel;
  llvm::Function *buildPack(const Operand &X);
  enum class MicroKind {
    Any,
    Packed,  ///< operands are packed
    Corner,  ///< the diagonal bounds the steps, element by element
    Cut,     ///< the diagonal bounds C in one register, element by element
    Small,   ///< a few steps, and any numbers of rows and columns
    Turned,  ///< all steps; rows are adjacent in C
    Windows, ///< B is found in the table of steps
    Runs,    ///< the same, run by run, and column by column
  };
  /// Whether a micro kernel is told if a tile starts or resumes. Where tiles
  /// only resume, a general one could start from zero.
  bool asksForStart(MicroKind Kind) const {
    return !resumesFromC() || (Kind == MicroKind::Any && AreGeneral);
  }
  bool areGeneralKernelsShared();
  bool asksForRows(MicroKind Kind) const {
    return (hasMasks() && (Kind == MicroKind::Any || Kind == MicroKind::Cut)) ||
           Kind == MicroKind::Turned || Kind == MicroKind::Windows ||
           Kind == MicroKind::Runs;
  }
  /// Whether it prefetches a later tile of C.
  static bool isToldAhead(MicroKind Kind) {
    return Kind == MicroKind::Packed || Kind == MicroKind::Windows ||
           Kind == MicroKind::Runs;
  }
  /// Whether it prefetches A of a later block: of windows in place, which may be
  /// few, so that each block is read from memory. Groups are packed.
  bool prefetchesLaterA(MicroKind Kind) const {
    return (Kind == MicroKind::Windows || Kind == MicroKind::Runs) &&
           mayReadInPlace(Terms.front().A);
  }
  /// Whether tiles of all sizes are made by micro kernels, in C: there is no
  /// tilesmith.tile.
  bool callsKernelsOnly() const {
    return hasMasks() && AdjacentRowsOfC && Wanted == Half::None &&
           (SumsApart || Op.C.isWhole(N, DL));
  }
  /// Whether one loop makes these tiles, and there is no kernel for whole ones
  /// that are packed.
  bool hasOneLoopOfTiles() const {
    return ThePlan.IsCompact && callsKernelsOnly();
  }
  bool cutsTiles() const { return ThePlan.cutsTiles(Op); }
  /// Whether columns 2j and 2j + 1 are the parts of the numbers in column j of C,
  /// which are adjacent along its rows.
  bool hasPartsInColumns() const { return Op.C.Parts.has_value(); }
  /// Whether a micro kernel serves tiles of fewer columns, too.
  bool asksForColumns(MicroKind Kind) const {
    return hasMasks() && ThePlan.ColumnStep > 1 &&
           (Kind == MicroKind::Any || Kind == MicroKind::Cut);
  }
  /// Whether there is one for each number of rows and columns, so that those of a
  /// table may be merged (MergedKernels.cpp).
  static bool isToldSlot(MicroKind Kind) {
    return Kind == MicroKind::Any || Kind == MicroKind::Corner ||
           Kind == MicroKind::Cut;
  }
  /// How micro kernels are called: if possible, so that they save no registers.
  llvm::CallingConv::ID microConvention() const;
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
  ParameterList parametersOf(PackArguments &Arguments, const Operand &X) const;
  ParameterList parametersOf(GatherArguments &Arguments,
                             const Operand &X) const;
  void addFactors(ParameterList &List, MicroArguments &Arguments) const;
  ParameterList parametersOf(MicroArguments &Arguments, MicroKind Kind) const;
  ParameterList parametersOf(TileArguments &Arguments, bool IsCorner) const;
  ParameterList parametersOf(CopyArguments &Arguments) const;
  ParameterList parametersOf(EpilogueArguments &Arguments) const;
  ParameterList parametersOf(CorrectionArguments &Arguments) const;
  ParameterList parametersOf(ZerosArguments &Arguments,
                             const Expression &Tested) const;
  ParameterList parametersOf(MeetsArguments &Arguments) const;

  /// \p Callee: the kernel, or what is equal to it when it runs.
  llvm::CallInst *emitMicroCall(MicroKind Kind, llvm::FunctionCallee Callee,
                                MicroArguments Arguments);
  /// Calls the kernel of \p Width rows and \p Height columns in the table
  /// \p MicroKernels.
  void emitMicroCall(MicroKind Kind, llvm::Value *MicroKernels,
                     llvm::Value *Width, llvm::Value *Height,
                     MicroArguments Arguments);

  // The table of micro kernels has these, then those of any kind by rows and
  // columns, then those for corners, or for windows, then those for runs of them.
  enum Slot : unsigned { PackedSlot, TileSlot, CornerTileSlot, FirstMicroSlot };
  using MicroKernels =
      llvm::MapVector<std::pair<unsigned, unsigned>, llvm::Function *>;
  const MicroKernels &kernelsOf(MicroKind Kind) const {
    return Kind == MicroKind::Any    ? Micro
           : Kind == MicroKind::Runs ? RunMicro
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
  void emitProductOfSquares(const MicroArguments &Arguments, unsigned Rows,
                            unsigned Columns, llvm::Value *Sums,
                            llvm::Value *Stride);
  void emitChoice(Macro &X);
  llvm::Value *emitStep(llvm::Value *Scalars, llvm::Value *Sum,
                        llvm::ArrayRef<llvm::Value *> A,
                        llvm::ArrayRef<llvm::Value *> BRow, unsigned Rows,
                        unsigned Columns);
  llvm::Value *emitStepBeyond(llvm::Value *Scalars, llvm::Value *Sum);
  llvm::Value *emitVectorStep(llvm::Value *Scalars, llvm::Value *Sum,
                              llvm::ArrayRef<llvm::Value *> OfA,
                              llvm::ArrayRef<llvm::Value *> OfB) {
    return emitVectorStep(Op.Terms, Op.Update, Scalars, Sum, OfA, OfB);
  }
  llvm::Value *emitVectorStep(llvm::ArrayRef<Term> Terms,
                              const Expression &Update, llvm::Value *Scalars,
                              llvm::Value *Sum,
                              llvm::ArrayRef<llvm::Value *> OfA,
                              llvm::ArrayRef<llvm::Value *> OfB);
  bool isFlipped(const Plan &Thin) const;
  BuiltKernel buildThinKernel(const Plan &Of);
  void emitThin(const Macro &X);
  llvm::SmallVector<llvm::Function *, 8> buildTurnedKernels();
  void emitTurned(const Macro &X);
  /// A tile with rows along n and columns along m.
  struct TurnedTile {
    llvm::Value *Row = nullptr, *Column = nullptr;  ///< where it begins
    llvm::Value *Rows = nullptr, *IsWide = nullptr; ///< i1: it has NR columns
    llvm::Value *Shared = nullptr; ///< first columns that are another tile's
  };
  llvm::Value *rowsOfTurned(llvm::Value *Left, llvm::Value *IsWide);
  /// The most rows of a turned tile of so many columns: the longest kernels are
  /// left out where they are seldom needed, or longer than others.
  unsigned rowsOfTurned(unsigned Columns) const {
    bool IsLong = !SumsInC || Columns != ThePlan.VL;
    return IsLong && ThePlan.MR > 2 * ThePlan.VL ? ThePlan.MR - ThePlan.VL
                                                 : ThePlan.MR;
  }
  void emitTurnedTile(const Macro &X, const TurnedTile &Tile);
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
  /// Elements of C from (Row, Column) on.
  struct PartOfC {
    llvm::Value *Row, *Column, *Rows, *Columns;
    llvm::Value *Diagonal = nullptr; ///< counted from the first one
    FurtherPlace Sums = {};          ///< if they do not rest in C
  };
  struct Elementwise;
  class ElementwiseKernel;
  void emitElementwise(const Macro &X, const PartOfC &Of,
                       const Elementwise &Made, llvm::Function *&Kernel);
  void emitStart(const Macro &X, const PartOfC &Of);
  void emitEpilogue(const Macro &X, const PartOfC &Of);
  void prefetchNumbers(const Macro &X, const PartOfC &Of);
  void prefetchForEpilogue(const Macro &X, const PartOfC &Of);
  void emitEmpty(const Macro &X);
  FurtherPlace emitSmallSums(const Macro &X, uint64_t Rows, uint64_t Columns);
  llvm::Value *widened(llvm::Value *Groups, const NarrowType &Type,
                       bool IsLeft);
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
  llvm::Value *stepIsMade(unsigned Rows, unsigned Columns, llvm::Value *Step,
                          llvm::Value *Diagonal);
  Macro macroOf(llvm::Function &F, const KernelArguments &Arguments);
  llvm::Function *buildMacroKernel();
  llvm::Function *buildSmallKernel();
  llvm::Function *buildLaneKernel();
  llvm::Function *buildStreamKernel();
  /// How a kernel is called that reads the lines of tables itself.
  KernelInterface interface() const {
    return Op.hasRowTables() ? KernelInterface::RowTables
                             : KernelInterface::Closed;
  }
  llvm::Function *buildFilterKernel();
  llvm::Function *buildResidentKernel();
  llvm::Function *buildRowTables(const BuiltKernel &Kernel);
  llvm::Function *buildMaking(const BuiltKernel &Kernel);
  llvm::Function *buildMeets();

  // Reversed.cpp
  /// Whether the next element of \p X along \p D is in front of the last one.
  bool isReversed(const Access &X, Dim D) const;
  /// Whether neighbours along \p D are adjacent in the order of a tile's lanes.
  bool isUnitInTile(const Access &X, Dim D) const;
  /// The number of the row in lane zero of a tile of \p Rows rows from \p Row
  /// on, and how far the next lane's is from a row, where the next row is
  /// \p Stride bytes further on.
  llvm::Value *rowOfFirstLane(llvm::Value *Row, llvm::Value *Rows);
  llvm::Value *strideOfLanes(llvm::Value *Stride);
  /// Elements before \p From, the first of which is there: lane I is I elements
  /// back. Those under \p Mask, which may be null.
  llvm::Value *loadReversed(llvm::FixedVectorType *Ty, llvm::Value *From,
                            llvm::Align Alignment, llvm::Value *Mask);

  // EverySecond.cpp
  llvm::Value *maskOfSecond(llvm::Value *Mask, bool IsSecond);
  /// Every second element from \p From on, of those under \p Mask, which may be
  /// null.
  llvm::Value *loadSecond(llvm::FixedVectorType *Ty, llvm::Value *From,
                          llvm::Align Alignment, llvm::Value *Mask);
  void storeSecond(llvm::Value *V, llvm::Value *To, llvm::Align Alignment,
                   llvm::Value *Mask);

  /// Which of \p Lanes lanes of elements of \p X come before \p Count.
  llvm::Value *firstLanes(const Access &X, llvm::Value *Count, unsigned Lanes);
  llvm::SmallVector<llvm::Value *, 16>
  loadTransposed(const Operand &X, llvm::Value *Src, llvm::Value *StrideP,
                 unsigned Rows, unsigned Steps);
  llvm::SmallVector<llvm::Value *, 0>
  loadColumns(const Operand &X, llvm::Value *Src, llvm::Value *StrideP,
              llvm::Value *StrideK, uint64_t Rows, uint64_t Steps);
  void emitTransposedPanel(const Operand &X, llvm::Value *Dst, llvm::Value *Src,
                           llvm::Value *StrideP, uint64_t Rows, uint64_t Steps);
  /// \p Elements of the source, with the arithmetic that it does on them.
  llvm::Value *mapped(const Operand &X, llvm::Value *Scalars,
                      llvm::Value *Elements, unsigned Width);

  // Of a factor that is gathered.
  bool isGathered(const Operand &X) const {
    return ThePlan.Gathered &&
           (X.P == M ? ThePlan.Gathered->OfA : ThePlan.Gathered->OfB);
  }
  /// Constants may tell that what is gathered must be. Groups are gathered in any
  /// case, as they are read in place then.
  bool mayBePlain(const Operand &X) const {
    return !isGathered(X) || (!ThePlan.Gathered->IsKnown &&
                              !(ThePlan.Narrow && X.P == N && readsWindows()));
  }
  /// What is beyond a border is packed as zero (see Border).
  bool hasBorders(const Operand &X) const { return !X.X.Borders.empty(); }
  llvm::Value *joinExtents(const Macro &X, Dim D, llvm::Value *&Extent);
  llvm::SmallVector<Digit, 3> digitsOf(const Macro &X, Dim D,
                                       llvm::Value *Extent, llvm::Value *Stride,
                                       unsigned Of);
  llvm::Value *isPlain(llvm::ArrayRef<Digit> Digits);
  llvm::Value *countInGroups(Digit &Lowest);
  llvm::Value *emitNumbers(Macro &X);
  void emitNumbering(Macro &X);
  struct NumberedPlace {
    llvm::Value *Distance;
    llvm::SmallVector<llvm::Value *, 3> Indices; ///< the digits
    llvm::SmallVector<llvm::Value *, 2> Positions;
  };
  NumberedPlace placeOfNumber(llvm::Value *Number, llvm::ArrayRef<Digit> Digits,
                              llvm::ArrayRef<BorderOfImage> Borders = {});
  void goToNext(NumberedPlace &At, llvm::ArrayRef<Digit> Digits);
  class Walk;
  void emitTablesOfSteps(Macro &X);
  void emitGatheredPack(const Macro &X, const Operand &Of, llvm::Value *Dst,
                        llvm::Value *Base, llvm::Value *P, llvm::Value *Count);
  llvm::Value *distanceOfStep(llvm::Value *Table, llvm::Value *Step,
                              const Operand &Of);
  std::optional<unsigned> adjacentStep(const Operand &X) const;
  // InPlaceWindows.cpp
  bool mayReadElements(const Operand &Image) const;
  bool readsWindows() const;
  bool readsRuns() const;
  void buildWindowKernels();
  llvm::Value *areWindowsInPlace(const Macro &X, const NumberedPlace &First);
  uint64_t bytesOfRun() const;
  llvm::Value *mostRuns(const Macro &X);
  llvm::Value *bytesOfRuns(const Macro &X);
  void emitRuns(Macro &X);
  void emitColumnsOfRuns(const Macro &X, NumberedPlace At);
  void emitSliverOfWindows(Macro &X);
  /// Where a row (or column) is, and its positions at the first step.
  struct LinePlace {
    llvm::Value *Src;
    llvm::SmallVector<llvm::Value *, 2> Positions;
  };
  llvm::Function *buildGatheredPack(const Operand &X);

  // Of an image with borders: Borders.cpp.
  std::pair<llvm::Value *, llvm::Value *> rangeOf(llvm::ArrayRef<Digit> Digits,
                                                  unsigned I);
  void addBorders(Macro &X, const Operand &Of);
  /// The bytes that the table of steps has for each.
  static uint64_t bytesOfStep(size_t NumBorders) {
    return 8 * (1 + NumBorders);
  }
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
          Body);
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

  /// Whether the micro kernel could take the elements of \p X as they are; if it
  /// is gathered, that is up to run time.
  bool mayReadInPlace(const Operand &X) const {
    return tilesmith::canReadInPlace(X.X, X.Map, X.IsC, X.P, Op);
  }
  bool canReadInPlace(const Operand &X) const {
    return !isGathered(X) && mayReadInPlace(X);
  }
  /// Whether \p X is adjacent along the dimension that is bundled with its rows
  /// or columns, or with k, and along no other one.
  bool isAdjacentInBundle(const Operand &X) const;
  bool isAdjacentAlong(const Operand &X, Dim D) const;
  /// Elements that packing moves at once.
  unsigned stripWidth(const Operand &X) const {
    return std::min(ThePlan.VL, X.PanelWidth);
  }
  /// What packing may write behind the last panel, in bytes.
  uint64_t slack(const Operand &X) const {
    return uint64_t(stripWidth(X)) * X.PanelWidth * PanelSize;
  }

  /// How the rows of a block are cut into panels: MR rows each up to Regular,
  /// then Step rows each, the last one ragged. Steps of MR, unless that would
  /// leave less than two registers for the last panel.
  struct Split {
    llvm::Value *Regular, *Step;
  };
  Split splitRows(llvm::Value *Rows);
  /// Some of the rows (or columns) of a block.
  struct LineRange {
    llvm::Value *Begin, *End;
  };
  /// The size of the panel at \p Begin, of \p End rows cut as \p Panels says.
  llvm::Value *sizeAt(llvm::Value *Begin, llvm::Value *End, unsigned Width,
                      Split Panels);
  /// The same for the columns of a panel of B, and slivers of NR.
  llvm::Value *halfOfColumns(llvm::Value *Columns);
  Split splitColumns(llvm::Value *Columns);
  Split splitPanels(const Operand &X, llvm::Value *Count);
  void emitPanels(
      const Operand &X, llvm::Value *From, llvm::Value *To, Split Panels,
      llvm::function_ref<void(llvm::Value *, llvm::Value *, llvm::Value *)>
          Panel);

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
  void emitSteps(Macro &X, const TileRows &R, const StepRange &Steps);
  FurtherPlace sumsOfTile(const Macro &X, const TileRows &R);
  void emitSums(Macro &X, const TileRows &R, const StepRange &Steps,
                const FurtherPlace &Sums);
  void emitCall(Macro &X, const TileRows &R, const StepRange &Steps,
                const MicroArguments &Call, llvm::Value *StrideCm,
                llvm::Value *AnyInPlace);
  llvm::Value *laterLineOfA(const Macro &X, const TileRows &R);
  void emitIfWindows(const Macro &X, const TileRows &R, MicroArguments Call,
                     llvm::function_ref<void()> Else);
  void emitBoundedSteps(Macro &X, const TileRows &R);
  void prefetchCorner(Macro &X, const StepRange &Corner);
  // StepBounds.cpp
  std::pair<llvm::Value *, llvm::Value *> stepsMade(const Macro &X);
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
  llvm::Value *emitMalloc(llvm::Value *Bytes);
  void emitFree(llvm::Value *Memory);
  /// The first address from \p Memory on at which a cache line begins.
  llvm::Value *cacheLineIn(llvm::Value *Memory);

  // RowTables.cpp
  void leaveIfShort(llvm::Value *I, const Access &A,
                    const KernelArguments::Operand &Table,
                    llvm::BasicBlock *To);
  std::pair<llvm::Value *, llvm::Value *>
  bytesOfTable(const Access &A, const KernelArguments::Operand &Table,
               llvm::Value *Count);
  void leaveIf(llvm::Value *Condition, llvm::BasicBlock *To);

  llvm::Value *negatedIfSubtracted(llvm::Value *Sums);

  /// Steps over k that are one element of a packed panel.
  unsigned groupSteps() const { return ThePlan.groupSteps(); }
  /// How many elements hold so many steps.
  llvm::Value *groupsOf(llvm::Value *Steps);

  // What all functions share.
  llvm::Function *createFunction(llvm::StringRef Name, llvm::Type *Result,
                                 const ParameterList &Parameters);
  llvm::Value *elements(const Expression &Map, llvm::Value *Scalars,
                        unsigned Width, llvm::Value *Loaded);
  llvm::Value *leafOfPair(llvm::Value *V, const llvm::Value &Element);
  llvm::Value *pairing(const Term &T, llvm::Value *Scalars, llvm::Value *Left,
                       llvm::Value *Right, unsigned Width);
  /// Builds \p E on vectors of \p Width elements (on scalars if 0), with its
  /// invariants from \p Scalars, an argument.
  llvm::Value *
  evaluate(const Expression &E, llvm::Value *Scalars, unsigned Width,
           llvm::function_ref<llvm::Value *(llvm::Value *, Leaf)> ValueOf);
  /// The same for what becomes of \p C, or of \p Sum.
  llvm::Value *evaluate(const Expression &E, llvm::Value *Scalars,
                        unsigned Width, llvm::Value *C, llvm::Value *Sum);
  /// The address of an element of a packed panel.
  llvm::Value *element(llvm::Value *Ptr, llvm::Value *Index);
  /// Whether a stride is a multiple of the element size.
  llvm::Value *isWholeElements(llvm::Value *Bytes);
  /// Loaded where the function begins whose argument \p Scalars is.
  llvm::Value *scalar(llvm::Value *Scalars, llvm::Value *Invariant);
  /// unified(), for one of this kernel's functions.
  llvm::Function *unify(llvm::Function *F);

  /// \p V as a number from zero to \p Max.
  llvm::Value *clamp(llvm::Value *V, llvm::Value *Max);
  /// Whether all elements of a tile are wanted, or any is. \p Diagonal is
  /// counted from the tile's first element.
  llvm::Value *onDiagonal(llvm::Value *Columns);
  llvm::Value *inSteps(llvm::Value *Rows);
  llvm::Value *ofSteps(llvm::Value *Steps);
  llvm::Value *isAllWanted(llvm::Value *Rows, llvm::Value *Columns,
                           llvm::Value *Diagonal);
  llvm::Value *isAnyWanted(llvm::Value *Rows, llvm::Value *Columns,
                           llvm::Value *Diagonal);

  /// Whether micro kernels keep to the rows and columns that exist. If not,
  /// panels are filled up with zeros to the width of a kernel.
  bool hasMasks() const { return ThePlan.Edge == EdgeKind::Mask; }
  /// Whether tiles at the edges of blocks prefetch later ones. Where small
  /// products have edges, too, as there is no direct path, that costs more.
  bool edgesPrefetch() const {
    return AdjacentRowsOfC && hasMasks() && !hasDiagonal();
  }
  /// There are kernels for up to so many columns, and for NR. Those that begin
  /// and end with arithmetic are long, so fewer are made; as they are where a
  /// diagonal meets most of the tiles that have fewer columns.
  unsigned edgeColumns() const {
    return hasMasks() && (!SumsInC || cutsTiles()) ? ThePlan.NR / 2
                                                   : ThePlan.NR;
  }
  /// Width of a panel with \p Valid rows or columns left: what its micro kernel
  /// works on.
  llvm::Value *paddedRows(llvm::Value *Valid);
  llvm::Value *paddedColumns(llvm::Value *Valid);

  const Nest &View;
  const Contraction &Op;
  const Plan &ThePlan;
  const llvm::Function &Caller;
  llvm::Module &Mod;
  const llvm::DataLayout &DL;

  llvm::SmallVector<TermOperands, 1> Terms;
  /// Elements with n - m <= diagonal are wanted (Lower), or those with n - m >=
  /// diagonal, or all.
  enum class Half { None, Lower, Upper } Wanted = Half::None;
  /// Steps over k with k - p >= diagonal are made (From), or those with k - p
  /// <= diagonal (To), where p is the row or the column; or all.
  enum class Steps { All, From, To } Made = Steps::All;
  Dim BoundOfK = M;
  bool hasDiagonal() const { return Op.Domain.has_value(); }
  bool hasOuterSums() const {
    return !ThePlan.Gathered &&
           llvm::any_of(Op.Outer, [](const Index &D) { return D.Bundle == K; });
  }

  llvm::Type *PanelTy;   ///< of an element of the packed panels
  uint64_t PanelSize;    ///< its bytes
  uint64_t Size;         ///< those of a sum
  llvm::Align ElemAlign; ///< of an element that is not packed, or of C
  /// Whether sums rest in a buffer of their own, which stands for C where they
  /// are made; only tilesmith.start and tilesmith.epilogue know C itself.
  bool SumsApart;
  /// Whether tiles have their rows in the order of memory: each row of C is in
  /// front of the one before, so a tile's last row is lane zero (Reversed.cpp).
  bool FlipsRows;
  /// Whether the rows of a tile are adjacent in C, so that its columns can be
  /// loaded and stored as vectors.
  bool AdjacentRowsOfC;
  /// Whether C may hold sums under way. It may not if that is not what is
  /// stored, or if rows that are still to be read would be set to a start.
  bool SumsInC;
  /// Whether the first block of K resumes from C, as the others do; or from what
  /// tilesmith.start has made of it.
  bool resumesFromC() const {
    return SumsInC && (Op.Start.isLeaf(Leaf::C) || startsApart());
  }
  bool startsApart() const {
    bool IsForTiles =
        Op.isInPlace() && Op.storesSum() && !Op.Start.isLeaf(Leaf::C);
    return (Op.Start.uses(Leaf::C) && (SumsApart || IsForTiles)) ||
           Op.Start.uses(Leaf::Further);
  }
  /// Whether a tile whose rows (or columns) are C's and a factor's must not reach
  /// beyond the block of K in which its steps begin: what is set to a start must
  /// have been packed.
  bool startsWhatIsRead() const { return Op.isInPlace() && startsApart(); }

  /// Whether micro kernels of any operands do more than this nest needs, as
  /// they serve other ones, too.
  bool AreGeneral = false;

  /// The invariants of all expressions, and those that a function has loaded.
  llvm::SetVector<llvm::Value *> Invariants;
  llvm::DenseMap<llvm::Function *,
                 llvm::SmallDenseMap<llvm::Value *, llvm::Value *, 2>>
      Loaded;
  llvm::Function *Tile = nullptr, *Copy = nullptr, *Correction = nullptr;
  llvm::Function *StartOfTile = nullptr, *EpilogueOfTile = nullptr;
  /// Whether there may be squares, and what is done if there are none; this may
  /// be null.
  llvm::Function *Permission = nullptr;
  BuiltKernel FallbackKernel;
  /// For MR x NR and packed operands.
  llvm::Function *PackedMicro = nullptr;
  /// By rows and columns.
  MicroKernels Micro;
  /// The same for steps that the diagonal bounds, or for windows in place.
  MicroKernels CornerMicro;
  /// For windows run by run.
  MicroKernels RunMicro;
  /// For products with few columns, as in the plan.
  llvm::SmallVector<BuiltKernel, 4> Thin;
  /// See buildTurnedKernels().
  llvm::SmallVector<llvm::Function *, 8> Turned;
  llvm::Function *CornerTile = nullptr;
};

} // namespace tilesmith

#endif
