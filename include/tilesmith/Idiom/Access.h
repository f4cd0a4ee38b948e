//===- Access.h - where the elements of an operand are ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_ACCESS_H
#define TILESMITH_IDIOM_ACCESS_H

#include "tilesmith/Idiom/Dim.h"
#include "tilesmith/Idiom/Expression.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Alignment.h"
#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class LoadInst;
class SCEV;
} // namespace llvm

namespace tilesmith {

/// Is shown each ScalarEvolution expression of something.
using SCEVVisitor = llvm::function_ref<void(const llvm::SCEV *)>;

/// What a counter adds to a number or an address: Step times the counter, from
/// zero to its Last.
struct Sweep {
  const llvm::SCEV *Step, *Last;
  bool operator==(const Sweep &O) const {
    return Step == O.Step && Last == O.Last;
  }
};

/// Whether stride \p X is known to be shorter than \p Y: it is a factor of it,
/// as extents are one at least.
bool isKnownShorter(const llvm::SCEV *X, const llvm::SCEV *Y);

/// Beside each pointer of a table stands how many elements its row has, or a
/// pointer to its end. The nest only reads elements of rows that are long
/// enough, and otherwise ends the program.
struct RowLength {
  int64_t Offset = 0; ///< from the pointer, in bytes
  /// Set where it is a pointer to the end: the logarithm of an element's size.
  std::optional<unsigned> Shift;
  const llvm::SCEV *Greatest = nullptr; ///< subscript, 64 bits wide
};

/// When a nest reads the pointers of a table for the first time. Loops are
/// numbered from the outermost one.
struct RowTurn {
  unsigned Loop = 0; ///< it goes from one pointer to the next
  /// All loops up to this one go on after the first pointer is read.
  unsigned LastAfter = 0;
  unsigned Number = 0; ///< among all tables, as the first pointers are read
};

/// A table of pointers, each of which leads to a row (or column) of a matrix:
/// double **, a vector of vectors. All distances are in bytes.
struct RowTable {
  Dim PointerDim = M;                   ///< whose index selects the pointer
  Dim ElementDim = N;                   ///< whose index moves within the row
  const llvm::SCEV *Entry = nullptr;    ///< where the first pointer is
  const llvm::SCEV *Distance = nullptr; ///< from one pointer to the next
  const llvm::SCEV *Offset = nullptr;   ///< of a row's first element
  const llvm::SCEV *Step = nullptr;     ///< from one element to the next
  llvm::Align EntryAlignment, ElementAlignment;
  const llvm::LoadInst *Load = nullptr; ///< the source's, of a pointer
  std::optional<RowLength> Length;
  /// Only known if some table has lengths.
  RowTurn Turn;
};

/// The nest leaves out the steps with elements of an operand that are zero: `if
/// (a != 0)`. They may be made if there are none, for 0 * NaN is not nothing,
/// nor is -0.0 + 0.0. Steps of integers that change nothing may always be made;
/// but of a row or a column of zeros, the nest need not touch the other
/// operands at all, so they must not be there. If several operands are tested,
/// a step is made where one of them passes.
struct ZeroTest {
  /// Tested Passes zero: the step is made.
  llvm::CmpInst::Predicate Passes = llvm::CmpInst::BAD_ICMP_PREDICATE;
  Expression Tested; ///< leaf A or B: the element, or what is made of it
  bool SkippedAreIdle = false; ///< steps that do not pass
  /// Steps of floating-point numbers that do not pass change nothing, either, if
  /// the other factor is finite, and no sum is a negative zero.
  bool SkippedMayBeIdle = false;
};

/// The nest does something else where a sum of two products of elements is NaN. It
/// is none if the magnitude of all elements is less than half the root of the
/// largest number: neither do the products overflow, nor does the sum.
enum class Magnitudes {
  Any,
  OfElements, ///< those of this operand are so small
  OfPairs,    ///< and those right behind them, which another operand has
};

/// A factor whose elements are those that C has in front of the nest, as each is
/// read before it is changed: step k is of row k + Shift, or of that column. A
/// copy is made of the rows from First to Last; or, if nothing is stored in front
/// of the product, kernels pack them all before they store anything.
struct SavedRows {
  int64_t Shift = 0, First = 0;
  const llvm::SCEV *Last = nullptr; ///< 64 bits wide
  bool ArePacked = false;
};

/// What a nest does in the steps whose element is beyond a border.
enum class Beyond {
  NoStep,      ///< it leaves them out
  ZeroLoaded,  ///< it takes zero for what it loads, and makes them
  ZeroElement, ///< it takes zero for what it multiplies, and makes them
  ZeroProduct, ///< it takes zero for the product: neither factor is read
};

/// Elements of a factor are those of an image, which has a border: \c Beyond says
/// what becomes of the steps with an element whose position,
/// Start + m*Stride[M] + n*Stride[N] + k*Stride[K] and the same for outer
/// dimensions, is less than zero, or not less than Extent. All are 64 bits wide,
/// positions fit 32.
struct Border {
  const llvm::SCEV *Start = nullptr;
  PerDim<const llvm::SCEV *> Stride{};
  llvm::SmallVector<const llvm::SCEV *, 1> OuterStride;
  const llvm::SCEV *Extent = nullptr;
};

/// Rows (or columns) 2i and 2i + 1 of a factor are made of the parts of a complex
/// number, which are adjacent in memory. From number to number, it is twice the
/// stride, which may thus be no multiple of an element's size. Those of C are in
/// order, and its numbers are adjacent along the other dimension.
struct ComplexParts {
  Dim Along = M;                   ///< M or N
  bool AreExchanged = false;       ///< row 2i is made of the second part
  std::array<bool, 2> IsNegated{}; ///< row 2i, row 2i + 1

  bool operator==(const ComplexParts &O) const {
    return Along == O.Along && AreExchanged == O.AreExchanged &&
           IsNegated == O.IsNegated;
  }
};

/// Elements of an operand lie in groups of Length along a dimension, as in q[k / 2],
/// scale[k / 32] or block[k / 32].q[k % 32]: element x there is (x / Length) * Step +
/// (x % Length) * Stride, in bytes, from the first one.
struct Groups {
  Dim Of = K;
  const llvm::SCEV *Length = nullptr; ///< 64 bits wide, at least one
  const llvm::SCEV *Step = nullptr;   ///< in the index type

  /// Its length if it is known at compile time.
  std::optional<uint64_t> constantLength() const;
  /// Whether groups are known to be \p Bytes apart.
  bool isStep(uint64_t Bytes) const;
};

/// An operand. Element (m, n, k) is at Base + m*Stride[M] + n*Stride[N] +
/// k*Stride[K]; a dimension that does not index the operand has stride zero. If
/// it is found through a table, that is said of a dense copy, made at run time,
/// and the base means nothing.
struct Access {
  const llvm::SCEV *Base = nullptr;    ///< a pointer, invariant in the nest
  PerDim<const llvm::SCEV *> Stride{}; ///< in bytes, in the index type
  /// Likewise, for each of Contraction::Outer.
  llvm::SmallVector<const llvm::SCEV *, 1> OuterStride;
  llvm::Type *ElemTy = nullptr;
  /// What unrolling by hand adds to the addresses that Inst accesses.
  llvm::SmallVector<Sweep, 1> Copies;
  llvm::Align Alignment;             ///< of each element
  llvm::Instruction *Inst = nullptr; ///< the source's load or store
  llvm::Value *Pointer =
      nullptr; ///< a pointer of the source, for alias queries
  std::optional<RowTable> Rows;
  /// If set, the base means nothing, and the strides are those of the copy, if
  /// there is one.
  std::optional<SavedRows> Saved;
  bool isPackedFirst() const { return Saved && Saved->ArePacked; }
  /// Likewise for a factor that is computed of several elements: see Making.
  bool IsMade = false;
  /// Only for what factors are made of.
  std::optional<Groups> Grouped;
  std::optional<ZeroTest> Zeros;
  /// One for each dimension of the image that a window may leave.
  llvm::SmallVector<Border, 2> Borders;
  Magnitudes Moderate = Magnitudes::Any;
  /// If set, packing puts its elements in order. The base is that of the first
  /// number.
  std::optional<ComplexParts> Parts;
  Beyond BeyondBorders = Beyond::NoStep;
  /// Whether steps beyond borders are made, with both factors.
  bool hasStepsBeyond() const {
    return BeyondBorders == Beyond::ZeroLoaded ||
           BeyondBorders == Beyond::ZeroElement;
  }
  /// A factor of which one half is stored: beyond the diagonal, for k > m (or
  /// k > n), element (m, k) is element (k, m).
  bool IsSymmetric = false;

  /// Whether neighbours along \p D are adjacent in memory, or along outer
  /// dimension number \p Outer.
  bool isUnit(Dim D, const llvm::DataLayout &DL) const;
  bool isUnitInOuter(unsigned Outer, const llvm::DataLayout &DL) const;
  /// Whether each neighbour along \p D is the one in front in memory.
  bool isReversed(Dim D, const llvm::DataLayout &DL) const;
  /// Whether neighbours along \p D are so in memory, in this order or the other.
  bool isAdjacent(Dim D, const llvm::DataLayout &DL) const {
    return isUnit(D, DL) || isReversed(D, DL);
  }
  /// Whether neighbours along \p D make a vector: they are adjacent, or one.
  bool isVectorAlong(Dim D, const llvm::DataLayout &DL) const;
  /// Whether neighbours along \p D are known to be whole elements apart.
  bool isWhole(Dim D, const llvm::DataLayout &DL) const;
  /// Whether only a kernel that looks at all elements first may be used.
  bool isSearched() const { return Zeros || Moderate != Magnitudes::Any; }
  /// Whether neighbours along \p D are known to be \p Bytes apart.
  bool isStep(Dim D, uint64_t Bytes) const;
  /// Whether both are known to have the same first element.
  bool startsAt(const Access &Other) const;

  void visitSCEVs(SCEVVisitor Visit) const;
};

} // namespace tilesmith

#endif
