//===- KernelFrame.h - what all functions of a kernel share -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest and its plan, seen as tiles of C, and the code that functions of all
// kinds have in common. Classes of kernels stand on each other:
//
//   KernelFrame     this
//   TileKernels     tiles of C: micro kernels, and what calls them at edges
//   MacroKernel     the loops around: blocks, panels, and packing
//   KernelBuilder   the kernel that the plan asks for
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_KERNELFRAME_H
#define TILESMITH_LIB_KERNEL_KERNELFRAME_H

#include "Arguments.h"
#include "Emitter.h"
#include "tilesmith/Kernel/Kernel.h"
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

class KernelFrame : protected Emitter {
protected:
  /// \p View is the nest as \p ThePlan sees it.
  KernelFrame(const Nest &View, const Plan &ThePlan);

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

  /// Whether tiles of all sizes are made by micro kernels, in C: there is no
  /// tilesmith.tile.
  bool callsKernelsOnly() const {
    return hasMasks() && AdjacentRowsOfC && Wanted == Half::None &&
           (SumsApart || Op.C.isWhole(N, DL));
  }
  bool cutsTiles() const { return ThePlan.cutsTiles(Op); }
  /// Whether columns 2j and 2j + 1 are the parts of the numbers in column j of C,
  /// which are adjacent along its rows.
  bool hasPartsInColumns() const { return Op.C.Parts.has_value(); }

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
  /// What is beyond a border is packed as zero (see Border).
  bool hasBorders(const Operand &X) const { return !X.X.Borders.empty(); }
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

  llvm::Value *emitMalloc(llvm::Value *Bytes);
  void emitFree(llvm::Value *Memory);
  /// The first address from \p Memory on at which a cache line begins.
  llvm::Value *cacheLineIn(llvm::Value *Memory);

  void leaveIf(llvm::Value *Condition, llvm::BasicBlock *To);
  llvm::Value *negatedIfSubtracted(llvm::Value *Sums);

  /// Steps over k that are one element of a packed panel.
  unsigned groupSteps() const { return ThePlan.groupSteps(); }
  /// How many elements hold so many steps.
  llvm::Value *groupsOf(llvm::Value *Steps);

  /// How micro kernels are called: if possible, so that they save no registers.
  llvm::CallingConv::ID microConvention() const;
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

  /// \p Width elements of a panel: of so many elements at each of a group's \p Steps.
  llvm::Value *joinedSteps(llvm::ArrayRef<llvm::Value *> Steps, unsigned Width);
  llvm::Value *widened(llvm::Value *Groups, const NarrowType &Type,
                       bool IsLeft);

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

  /// The invariants of all expressions, and those that a function has loaded.
  llvm::SetVector<llvm::Value *> Invariants;
  llvm::DenseMap<llvm::Function *,
                 llvm::SmallDenseMap<llvm::Value *, llvm::Value *, 2>>
      Loaded;
};

} // namespace tilesmith

#endif
