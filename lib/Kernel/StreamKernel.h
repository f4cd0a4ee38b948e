//===- StreamKernel.h - a matrix times a vector -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A goes by once and is not packed. Registers extend over rows, and each lane
// has the sum of one row:
//
//   for each block of rows, whose sums fit on the stack
//     the sums start
//     if A is adjacent along m:           if A is adjacent along k:
//       for k by some columns               for MR rows
//         for each vector of rows             for k by some steps
//           the columns are added               squares of A are transposed,
//                                               and their columns added
//     the sums are finished
//
// Sums of rows are in registers all the time, if nothing else needs them.
//
// The columns may be made sums, too, of the same elements (StreamTransposed.cpp), also of
// products with the sums of the rows (StreamUseOfSums.cpp).
// A table leads to rows, or to columns, that are read where they are
// (StreamTables.cpp). Of a triangle, what its rows do not share is apart
// (StreamTriangle.cpp). Complex numbers have a lane for each part (StreamNumbers.cpp).
//
// Rows are cut into vectors. The last one is moved up to end where the rows do,
// so that nothing beyond them is read; of its sums, only those are stored that
// no other vector has. Likewise, the last steps of a row are loaded together
// with some before them, which are not added again.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_STREAMKERNEL_H
#define TILESMITH_LIB_KERNEL_STREAMKERNEL_H

#include "KernelBuilder.h"
#include "llvm/ADT/Sequence.h"

namespace tilesmith {

/// A kernel under way. Strides are in bytes.
class KernelBuilder::StreamKernel {
public:
  explicit StreamKernel(KernelBuilder &K);

  llvm::Function *build();

private:
  using Vectors = llvm::SmallVector<llvm::Value *, 16>;

  // StreamKernel.cpp: what becomes of sums.
  void setKnownStrides(Macro &X);
  void emitWhereTooSmall(const Macro &X, llvm::BasicBlock *Leave);
  llvm::Value *rowOf(const Macro &X, llvm::Value *Vector);
  llvm::Value *sumsOf(llvm::Value *Vector, llvm::Value *Column);
  using ColumnBody = llvm::function_ref<void(const Macro &, llvm::Value *)>;
  void emitColumnsOfC(const Macro &X, llvm::Value *Count, ColumnBody Body);
  /// Whether C is loaded and stored by loops over elements: there is more of it
  /// with several columns, which is code that few products need.
  bool inElements() const { return Width > 1 && !K.AdjacentRowsOfC; }
  llvm::Value *loadC(const Macro &X, llvm::Value *Row, unsigned Rows);
  void storeC(const Macro &X, llvm::Value *Row, unsigned Rows,
              llvm::Value *Sums);
  llvm::Value *initialSums(const Macro &X, llvm::Value *Row, unsigned Rows);
  void emitStart(const Macro &X, llvm::Value *Row, unsigned Rows,
                 llvm::Value *To);
  void emitFinish(const Macro &X, llvm::Value *Row, unsigned Rows,
                  llvm::Value *Sum);
  void emitFinishesOfRows(const Macro &X, llvm::Value *Begin, llvm::Value *End,
                          llvm::Value *First, llvm::Value *Sums);
  void emitFinishesOfRest(const Macro &X, llvm::Value *HasRest,
                          llvm::Value *Sums);
  llvm::AllocaInst *allocateVectors(uint64_t Count, llvm::StringRef Name);
  void emitStarts(const Macro &X, llvm::Value *Column);
  void emitFinishes(const Macro &X, llvm::Value *Column);
  void emitBlocks(const Macro &X, uint64_t VectorsOfBlock,
                  llvm::BasicBlock *WhereNaN);
  void emitBlock(const Macro &X, llvm::BasicBlock *WhereNaN);

  // ThinKernel.cpp: several columns of B.
  unsigned narrowColumns() const;
  unsigned vectorsOfThin(unsigned Columns) const;
  unsigned mostVectorsOfThin() const;
  uint64_t bytesOfThinSums() const;
  void allocateThin();
  void emitColumnsOfB(Macro &X);
  Macro seenFrom(const Macro &X, llvm::Value *Step);
  void emitLastStepsInTurn(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                           llvm::Value *Done,
                           llvm::ArrayRef<llvm::Value *> Places);
  void emitThinPanels(const Macro &X);

  // StreamNumbers.cpp: a matrix of complex numbers.
  bool hasNumbers() const { return Op.isComplex(); }
  bool sharesNumbers(unsigned Term) const;
  Vectors squareOfNumbers(const Macro &X, unsigned Term,
                          llvm::ArrayRef<llvm::Value *> Pointers,
                          unsigned Step);
  bool areExchanged(unsigned Term) const;
  Vectors exchanged(llvm::ArrayRef<llvm::Value *> Columns);
  Vectors numbersOf(unsigned Term, llvm::ArrayRef<Vectors> Loaded);
  llvm::Value *withSigns(unsigned Term, llvm::Value *Splat);
  void allocateAllSums(Macro &X);
  void leaveIfNaN(const Macro &X, llvm::BasicBlock *Leave);

  // StreamTables.cpp: lines of A that are found through tables.
  bool isTable(unsigned Term) const {
    return Op.Terms[Term].A.Rows.has_value();
  }
  llvm::Value *lineOf(const Macro &X, unsigned Term, llvm::Value *Number);
  void estimateStride(Macro &X, unsigned Term);
  llvm::Value *isBetweenPointers(const Macro &X, unsigned Term);
  void emitWhereTableMeetsC(const Macro &X, unsigned Term,
                            llvm::BasicBlock *Leave);

  /// Of each term, where a vector's rows are.
  using RowPointers = llvm::SmallVector<Vectors, 1>;
  /// Columns of A, of each term.
  using Columns = llvm::SmallVector<Vectors, 1>;

  // StreamTriangle.cpp: rows that make some of the steps.
  bool isTriangle() const { return K.Made != Steps::All; }
  bool isFrom() const { return K.Made == Steps::From; }
  std::pair<llvm::Value *, llvm::Value *> emitTrim(Macro &X,
                                                   KernelArguments &Arguments);
  llvm::Value *hasWholeRows(const Macro &X);
  void emitRowsWithoutSteps(const Macro &Whole,
                            std::pair<llvm::Value *, llvm::Value *> Rows);
  llvm::Value *cornerOf(const Macro &X, llvm::Value *Row);
  bool isInCorner(unsigned Row, unsigned Step) const;
  llvm::Value *loadExisting(const Access &A, llvm::Value *At, unsigned Count,
                            llvm::function_ref<bool(unsigned)> Exists);
  Vectors loadCorner(const Macro &X, unsigned Term,
                     llvm::ArrayRef<llvm::Value *> Pointers, unsigned First);
  llvm::Value *addCorner(const Macro &X, llvm::Value *Row, llvm::Value *Sum);
  void emitCorners(const Macro &X);
  void addBesideCorners(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                        Vectors &Sums);

  // StreamTransposed.cpp: a matrix that is used in both directions.
  llvm::Value *factorOfRow(const Macro &X, llvm::Value *Row);
  void loadFactorsOfRows(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                         unsigned RowsOfEach);
  void addBothWays(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                   llvm::ArrayRef<RowPointers> Pointers, llvm::Value *Step,
                   llvm::MutableArrayRef<llvm::Value *> Sums, llvm::Value *Lag);
  void addCommonSteps(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                      llvm::Value *Begin, llvm::Value *End, Vectors &Sums);
  bool makesTransposedCorners() const {
    return isTriangle() && ThePlan.makesTransposed(Op);
  }
  void addCornerToColumns(const Macro &X, llvm::Value *Row, llvm::Value *Column,
                          bool IsWhole);
  void emitTransposedCorners(const Macro &X);

  // StreamUseOfSums.cpp: a matrix that is used with the sums, in its other direction.
  bool makesUseOfSums() const {
    return ThePlan.makesTransposed(Op) && Op.Transposed->AfterSums;
  }
  llvm::Value *addRowsToColumn(const Macro &X, llvm::Value *Column,
                               llvm::ArrayRef<Vectors> Pointers,
                               unsigned RowsOfEach);
  void addBesideColumns(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                        llvm::ArrayRef<RowPointers> Pointers, llvm::Value *Step,
                        llvm::MutableArrayRef<llvm::Value *> Sums);
  void addToColumn(const Macro &X, llvm::ArrayRef<Vectors> Pointers,
                   unsigned RowsOfEach, llvm::Value *First, llvm::Value *Begin);
  void addToColumns(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                    unsigned RowsOfEach, llvm::Value *Begin);
  void addStepsBesideColumns(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                             llvm::Value *End, Vectors &Sums);
  void setRowsBefore(const Macro &X, llvm::Value *Vector, llvm::Value *First,
                     unsigned NumVectors);
  void emitColumnsOfLast(const Macro &X, llvm::Value *First, llvm::Value *Until,
                         unsigned NumVectors);
  void emitColumnsOfRest(const Macro &X);

  // StreamLoads.cpp: elements of A and B.
  llvm::Value *loadSplat(const Macro &X, unsigned Term, llvm::Value *Step,
                         unsigned Column = 0);
  Vectors loadSplats(const Macro &X, llvm::Value *Step, unsigned Column = 0);
  Vectors loadMoving(const Macro &X, llvm::Value *Row, llvm::Value *Step);
  unsigned rowsOfPointer(unsigned Term) const;
  llvm::Value *mapped(const Macro &X, unsigned Term, llvm::Value *Elements);
  llvm::Value *mappedToTurn(const Macro &X, unsigned Term,
                            llvm::Value *Elements);
  Vectors pointersTo(const Macro &X, unsigned Term, llvm::Value *Row,
                     llvm::Value *Step);
  llvm::Value *rowAt(const Macro &X, unsigned Term,
                     llvm::ArrayRef<llvm::Value *> Pointers, unsigned Row);
  Vectors columnsOfRows(const Macro &X, unsigned Term, unsigned Steps,
                        llvm::function_ref<llvm::Value *(unsigned)> LoadPiece);
  llvm::Value *pieceAt(const Macro &X, unsigned Term,
                       llvm::ArrayRef<llvm::Value *> Pointers, unsigned Row,
                       unsigned Step, unsigned Steps);
  llvm::Value *loadPiece(const Macro &X, unsigned Term,
                         llvm::ArrayRef<llvm::Value *> Pointers, unsigned Row,
                         unsigned Step, unsigned Steps);
  Vectors loadPieces(const Macro &X, unsigned Term,
                     llvm::ArrayRef<llvm::Value *> Pointers, unsigned Step,
                     unsigned Steps);
  Vectors transposed(llvm::ArrayRef<llvm::Value *> Registers, unsigned Lane,
                     unsigned Square);
  bool loadsRegisters(unsigned Steps) const;
  unsigned stepsInTurn(unsigned Steps) const;
  RowPointers pointersBehind(const Macro &X, const RowPointers &Pointers,
                             unsigned Steps);
  Vectors loadColumns(const Macro &X, unsigned Term,
                      llvm::ArrayRef<llvm::Value *> Pointers, unsigned Steps);
  Columns loadSteps(const Macro &X, llvm::ArrayRef<Vectors> Rows,
                    unsigned Steps);

  // StreamSums.cpp: what is added to sums.
  void carryPointers(const Macro &X, llvm::MutableArrayRef<RowPointers> Rows,
                     llvm::Value *Step, llvm::BasicBlock *Before,
                     llvm::Value *Lag);
  void moveCarried(const Macro &X, llvm::ArrayRef<RowPointers> Rows,
                   unsigned Steps);
  llvm::Value *addStep(const Macro &X, llvm::Value *Sum, const Columns &OfA,
                       unsigned Step, llvm::ArrayRef<llvm::Value *> OfB);
  void addStepToAll(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                    llvm::ArrayRef<Columns> OfA, unsigned At, llvm::Value *Step,
                    llvm::MutableArrayRef<llvm::Value *> Sums);
  void addSteps(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                llvm::ArrayRef<RowPointers> Pointers, llvm::Value *Step,
                unsigned Steps, llvm::MutableArrayRef<llvm::Value *> Sums,
                llvm::Value *Lag);
  void emitLoopWithSums(
      llvm::Value *Begin, llvm::Value *End, Vectors &Sums,
      llvm::function_ref<llvm::Value *(llvm::Value *, Vectors &)> Body);
  void emitLoopOverSteps(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                         llvm::Value *Begin, llvm::Value *End, unsigned Steps,
                         Vectors &Sums, llvm::Value *Lag = nullptr);
  void addIf(llvm::Value *Condition, llvm::StringRef Name, Vectors &Sums,
             llvm::function_ref<void(Vectors &)> Body);
  void addSome(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
               llvm::Value *First, llvm::iota_range<unsigned> Steps,
               llvm::function_ref<llvm::Value *(llvm::Value *)> IsNew,
               Vectors &Sums);
  llvm::Value *addUntilLine(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                            llvm::Value *Begin, llvm::Value *End,
                            Vectors &Sums);
  void emitLastSteps(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                     llvm::Value *Done, llvm::Value *End, Vectors &Sums);
  void joinSums(Vectors &Sums, llvm::BasicBlock *Before,
                llvm::ArrayRef<llvm::Value *> Added, llvm::BasicBlock *Last);
  void addRange(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                llvm::Value *Begin, llvm::Value *End, Vectors &Sums);
  void emitColumns(const Macro &X, llvm::Value *Step, unsigned Steps,
                   llvm::Value *Ahead);
  unsigned vectorsOfLine() const;
  llvm::Value *bytesOfMatrix(const Macro &X);
  llvm::Value *emitSweepFromAfar(const Macro &X);
  /// Columns of A go by, all of them adjacent.
  bool isSweep() const {
    return Width == 1 && !isTriangle() &&
           llvm::all_of(llvm::seq<unsigned>(Op.Terms.size()),
                        [&](unsigned T) { return isAlongM(T); });
  }
  void emitSweeps(const Macro &X);

  // StreamPanels.cpp: how many rows are under way.
  llvm::Value *bytesOf(const Macro &X, unsigned Term);
  llvm::Value *areShort(const Macro &X, unsigned Term, uint64_t Bytes,
                        uint64_t Length);
  llvm::Value *areLate(const Macro &X, unsigned Term, uint64_t Bytes);
  unsigned vectorsWithLag() const;
  llvm::Value *vectorsAtOnce(const Macro &X);
  void prefetchBehind(const Macro &X, llvm::ArrayRef<RowPointers> Pointers);
  void prefetchAhead(const Macro &X, llvm::ArrayRef<RowPointers> Pointers,
                     llvm::Value *Step, llvm::Value *End);
  bool prefetchesAhead() const;
  unsigned stepsOfPrefetch() const;
  bool prefetchesWholeRows() const;
  void prefetchNextRows(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows);
  unsigned vectorsInStep(unsigned NumVectors) const;
  llvm::Value *behind(llvm::Value *Step, unsigned Vector, unsigned NumVectors,
                      llvm::Value *Lag);
  void emitLoopWithLag(const Macro &X, llvm::ArrayRef<llvm::Value *> Rows,
                       llvm::Value *Begin, llvm::Value *End, Vectors &Sums);
  /// Whether the sums of a panel are in registers from their start to what becomes of
  /// them: rows that make all of their steps, and of which none is looked at again.
  bool staysInRegisters() const {
    return Width == 1 && K.AdjacentRowsOfC && !isTriangle() && !isSweep() &&
           !Op.isTestedForNaN();
  }
  llvm::Value *isMovedUp(const Macro &X, llvm::Value *Vector);
  llvm::Value *startOf(const Macro &X, llvm::Value *Vector, bool MayBeLast);
  void finish(const Macro &X, llvm::Value *Vector, llvm::Value *Sum,
              bool MayBeLast);
  void emitRows(const Macro &X, llvm::Value *Vector, unsigned NumVectors);
  bool fitsWithoutLag() const;
  llvm::Value *takesOneMore(llvm::Value *Suits, llvm::Value *Count);
  void emitPanels(const Macro &X);
  void emitPanelsInRegisters(const Macro &X);

  bool isAlongM(unsigned Term) const {
    return Op.Terms[Term].A.isUnit(tilesmith::M, K.DL);
  }
  bool isAlongK(unsigned Term) const {
    return !isAlongM(Term) && !sharesNumbers(Term) &&
           (hasNumbers() || Op.Terms[Term].A.isAdjacent(tilesmith::K, K.DL));
  }
  uint64_t sizeOf(const Access &X) const {
    return K.DL.getTypeStoreSize(X.ElemTy);
  }

  KernelBuilder &K;
  llvm::IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const unsigned VL;
  const unsigned Width; ///< the plan's
  unsigned UnderWay;    ///< of C, that are under way: all of these, or fewer
  llvm::FixedVectorType *VectorTy;
  unsigned Piece = 1; ///< steps that are loaded together

  llvm::Value *Sums = nullptr; ///< of a block
  // Thin: columns of A for the last steps, and those of B, if they are short.
  llvm::AllocaInst *Rest = nullptr, *ShortB = nullptr;
  llvm::Value *Begin = nullptr, *End = nullptr; ///< its vectors
  llvm::Value *IsLate = nullptr; ///< whether rows come late, or unknown
  /// Whether the next rows are prefetched, step by step, if they may be.
  llvm::Value *Prefetches = nullptr;
  /// Whether lines that are loaded soon are, if they may be.
  llvm::Value *PrefetchesAhead = nullptr;
  /// So many steps are made at a time, in the panels under way.
  unsigned StepsAtOnce = 0;
  /// The factors of the transposed use, of each row under way, while it is made.
  Vectors FactorsOfRows;
  /// Vectors of rows whose sums are finished, while these are used beside the steps of the
  /// next ones, and whether there are any.
  Vectors RowsBefore;
  llvm::Value *HasRowsBefore = nullptr;
  llvm::Value *LagOfRowsBefore = nullptr; ///< steps that they are behind
  /// Whether rows share places in the first-level cache, if they may.
  llvm::Value *SharePlaces = nullptr;
  /// Steps that some vectors are behind the ones before them, if they may be.
  llvm::Value *LagOfVectors = nullptr;
  /// Rows do share places, in the panels under way, and some of these may be behind.
  bool Shares = false;
};

} // namespace tilesmith

#endif
