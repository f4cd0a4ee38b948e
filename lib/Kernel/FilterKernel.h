//===- FilterKernel.h - windows that go over an image -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter is a matrix times a vector: the image's windows are the rows, and the
// taps are the vector. Each element of the image is used by several rows, so it is
// read where it is, and nothing is packed. Registers extend over neighbours in
// C, and each lane has the sum of one of them:
//
//   other outer indices
//     rows by NR                        of an image of two dimensions
//       neighbours by MR
//         the sums start
//         for each tap, in the source's order
//           MR x NR elements of the image, times the tap, are added
//         the sums are finished
//
// Neighbours are along m, and a tap is the same for all of them. If rows are short,
// and follow each other in C and in the image, lanes go on in the next row:
// neighbours are those of all rows.
//
// Or neighbours are those of a batch, as channels are, and each has its own tap.
// Then the rows are those along m, and their loops are inside that over
// neighbours: a few channels of all places in turn, with the same taps.
//
// The last vector is under a mask, or, where there are no masks, element by
// element.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_FILTERKERNEL_H
#define TILESMITH_LIB_KERNEL_FILTERKERNEL_H

#include "KernelBuilder.h"

namespace tilesmith {

/// A kernel under way. Strides are in bytes.
class KernelBuilder::FilterKernel {
public:
  explicit FilterKernel(KernelBuilder &K)
      : K(K), B(K.B), Op(K.Op), ThePlan(K.ThePlan), TheTerm(Op.Terms.front()) {}

  llvm::Function *build();

private:
  using Vectors = llvm::SmallVector<llvm::Value *, 16>;
  /// An index, and how far its values are apart: in memory, and in the positions
  /// that the borders of the image are about.
  struct Way {
    llvm::Value *Extent, *OfC, *OfA, *OfB;
    llvm::SmallVector<llvm::Value *, 2> Moves = {};
  };
  /// Where elements are.
  struct Place {
    llvm::Value *C, *A, *B;
    /// If lanes go on in the next row, those of the first lane of all.
    llvm::SmallVector<llvm::Value *, 2> Positions = {};
  };
  /// Which borders may be crossed by the steps of a tile: those that lanes differ
  /// in, any, or any but such ones.
  enum class Crossed { None, AlongLanes, Any, ByWholeRows };
  /// Sums that are in registers together: vectors of so many lanes, in so many
  /// rows.
  struct Tile {
    unsigned Rows, Vectors, Width;
    llvm::Value *Left = nullptr; ///< lanes that exist, if they are not all
    llvm::Value *Mask = nullptr; ///< the same
    Crossed Borders = Crossed::None;
    /// If lanes go on in the next row, where those of each vector are: their
    /// numbers in the row, and those of the rows.
    llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 4> InRows = {};
  };

  Way alongM(const Macro &X);
  Way alongK(const Macro &X);
  Way alongOuter(const Macro &X, unsigned Outer);
  Place moved(const Place &From, llvm::Value *Index, const Way &By);

  void emitForDistance(Macro &X, llvm::ArrayRef<unsigned> Usual);
  Place placeIn(const Macro &X) const;
  void emitRows(Macro &X);
  void emitRowsOfBatch(const Macro &X);
  void forRows(unsigned AtOnce,
               llvm::function_ref<void(llvm::Value *, unsigned)> Body);
  void
  forNeighbours(llvm::function_ref<void(llvm::Value *, const Tile &)> Body);
  void emitNeighbours(const Place &At, unsigned NumRows);
  void findRows(Tile &Of, llvm::Value *FirstLane);
  void emitTile(const Place &At, const Tile &Of);
  void emitSums(const Place &At, const Tile &Of);
  void emitSteps(const Place &At, const Tile &Of, llvm::ArrayRef<Way> Ways,
                 Vectors &Sums);
  Vectors loadTaps(const Place &At, const Tile &Of);
  void addStep(const Place &At, const Tile &Of, Vectors &Sums);
  llvm::Value *loadVector(llvm::Value *From, const Access &X, const Tile &Of,
                          llvm::Value *Stride, llvm::Value *Mask);
  void storeVector(llvm::Value *To, llvm::Value *V, const Tile &Of);
  llvm::Value *loadTap(llvm::Value *From, const Tile &Of);
  bool hasMasks() const;

  // FilterBorders.cpp: steps that the nest leaves out.
  void addBorders(const Macro &X, Way &To,
                  llvm::function_ref<
                      llvm::Value *(const KernelArguments::BorderArguments &)>
                      Passed,
                  llvm::function_ref<const llvm::SCEV *(const Border &)> Known);
  void setReachOfTaps();
  bool isAlongLanes(const Border &Of) const;
  llvm::Value *isInside(const Place &At, const Tile &Of, Crossed Which);
  void emitTileAtBorder(const Place &At, const Tile &Of);
  llvm::Value *stepsMade(const Place &At, const Tile &Of, unsigned Row,
                         unsigned Vector);
  bool isTestedOnce(unsigned Border) const;
  bool isMovedBy(llvm::ArrayRef<Way> Ways, unsigned Border) const;
  llvm::Value *makesSteps(const Place &At, const Tile &Of,
                          llvm::ArrayRef<Way> Ways);
  void emitIfMade(llvm::Value *Made, llvm::MutableArrayRef<llvm::Value *> Sums,
                  llvm::function_ref<void()> Make,
                  llvm::function_ref<void()> Leave = nullptr);
  llvm::Value *rowMade(const Place &At, unsigned Row);
  void addRow(const Place &At, const Tile &Of, unsigned Row, llvm::Value *Made,
              llvm::ArrayRef<llvm::Value *> OfTaps,
              llvm::MutableArrayRef<llvm::Value *> Sums);
  void leaveStep(llvm::MutableArrayRef<llvm::Value *> Sums);
  void addStepByRows(const Place &At, const Tile &Of, Vectors &Sums);

  /// The distance of lanes in \p X, if it is a whole number of elements, and
  /// known, or found out.
  std::optional<uint64_t> elementsApart(const Access &X) const;
  llvm::Value *addressIn(llvm::Value *Base, llvm::Value *OfRow,
                         llvm::Value *OfLane, const Tile &Of, unsigned Row,
                         unsigned Vector);

  KernelBuilder &K;
  llvm::IRBuilder<> &B;
  const Contraction &Op;
  const Plan &ThePlan;
  const Term &TheTerm;

  llvm::Value *Scalars = nullptr;
  std::optional<uint64_t> ApartInA; ///< found out at run time
  Way Lanes = {}, Rows = {};
  /// Of lanes in a row, if they go on in the next one. (Lanes has no moves then.)
  llvm::SmallVector<llvm::Value *, 2> MovesInRow;
  llvm::SmallVector<Way, 3> Taps; ///< outermost first
  /// Of each border: its extent, and by how much the taps move a position at
  /// most.
  llvm::SmallVector<BorderOfImage, 2> Borders;
};

} // namespace tilesmith

#endif
