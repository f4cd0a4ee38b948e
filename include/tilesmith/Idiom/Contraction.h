//===- Contraction.h - what a loop nest computes ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value describes a recognised nest:
//
//   for every (m, n) in the domain:
//     sum = Start(C[m,n])
//     for k in order:
//       sum = Update(sum, product of each term)
//     C[m,n] = Finish(sum, C[m,n])
//
// where the product of a term is AMap(A[m,k]) * BMap(B[n,k]). C[m,n] on the
// right-hand sides is the element before the nest ran. GEMM has one term, SYR2K
// has two; the domain is a rectangle, or what lies on one side of a diagonal.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_CONTRACTION_H
#define TILESMITH_IDIOM_CONTRACTION_H

#include "tilesmith/Idiom/Dim.h"
#include "tilesmith/Idiom/Expression.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Alignment.h"
#include <optional>

namespace llvm {
class Instruction;
class LoadInst;
class Loop;
class SCEV;
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace tilesmith {

/// Narrow index arithmetic, most often 32 bits wide, that the source then
/// extends. The guard must test that it does not wrap: that Start + the sum of
/// Step * counter, computed in the wide type, stays representable in \p Bits
/// bits for all counters from zero to their Last. Start and steps are extended
/// already.
struct WrapCheck {
  struct Term {
    const llvm::SCEV *Step, *Last;
    bool operator==(const Term &O) const {
      return Step == O.Step && Last == O.Last;
    }
  };
  const llvm::SCEV *Start = nullptr;
  llvm::SmallVector<Term, 3> Terms;
  unsigned Bits = 32;
  bool Signed = true;
  /// The power of two that Start and the steps must be multiples of.
  uint64_t Factor = 1;

  bool operator==(const WrapCheck &O) const {
    return Start == O.Start && Terms == O.Terms && Bits == O.Bits &&
           Signed == O.Signed && Factor == O.Factor;
  }
};

/// A table of pointers, each of which leads to a row (or column) of a matrix:
/// double **, a vector of vectors. All distances are in bytes.
struct RowTable {
  Dim Along = M;                        ///< whose index selects the pointer
  Dim Within = N;                       ///< whose index moves within the row
  const llvm::SCEV *Entry = nullptr;    ///< where the first pointer is
  const llvm::SCEV *Distance = nullptr; ///< from one pointer to the next
  const llvm::SCEV *Offset = nullptr;   ///< of a row's first element
  const llvm::SCEV *Step = nullptr;     ///< from one element to the next
  llvm::Align EntryAlignment, ElementAlignment;
};

/// The nest leaves out the steps with elements of an operand that are zero: `if
/// (a != 0)`. They may be made if there are none, for 0 * NaN is not nothing,
/// nor is -0.0 + 0.0. Steps of integers that change nothing may always be made;
/// but of a row or a column of zeros, the nest need not touch the other
/// operands at all, so they must not be there.
struct ZeroTest {
  llvm::CmpInst::Predicate Passes; ///< element Passes zero: the step is made
  bool ChangeNothing = false;      ///< steps that do not pass
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
  llvm::SmallVector<WrapCheck::Term, 1> Copies;
  llvm::Align Alignment;             ///< of each element
  llvm::Instruction *Inst = nullptr; ///< the source's load or store
  llvm::Value *Pointer =
      nullptr; ///< a pointer of the source, for alias queries
  std::optional<RowTable> Rows;
  std::optional<ZeroTest> Zeros;
  /// A factor of which one half is stored: beyond the diagonal, for k > m (or
  /// k > n), element (m, k) is element (k, m).
  bool IsSymmetric = false;

  /// Whether neighbours along \p D are adjacent in memory, or along outer
  /// dimension number \p Outer.
  bool isUnit(Dim D, const llvm::DataLayout &DL) const;
  bool isUnitInOuter(unsigned Outer, const llvm::DataLayout &DL) const;
  /// Whether both are known to have the same first element.
  bool startsAt(const Access &Other) const;
};

/// The bytes that an instruction accesses in the course of a nest: \p Bytes
/// from Base + the sum of Step * counter on, for all counters up to their Last.
struct MemoryRegion {
  const llvm::SCEV *Base = nullptr;
  llvm::SmallVector<WrapCheck::Term, 3> Span;
  uint64_t Bytes = 0;
};

/// A value computed in the nest and used after it, and what it is there.
struct ValueAfter {
  llvm::Instruction *Value;
  const llvm::SCEV *After;
};

/// The domain: all of the rectangle of extents, or its elements on one side of
/// a diagonal, Y <= X + Offset (Below) or Y >= X + Offset.
struct Triangle {
  Dim X = M, Y = N;
  bool Below = true;
  const llvm::SCEV *Offset = nullptr; ///< invariant

  /// Whether one of the sides of a diagonal of C is left out.
  bool isOfC() const { return X != K && Y != K; }
  /// If so, whether it is n - m <= diagonal that is kept, or n - m >= diagonal.
  bool isLower() const { return Below == (Y == N); }
  /// If not, the dimension that bounds k, and whether k - it >= diagonal, or
  /// <=.
  Dim boundOfK() const { return X == K ? Y : X; }
  bool isFrom() const { return Below == (X == K); }
  /// Whether that diagonal is Offset, or its negative.
  bool isOffset() const { return isOfC() ? Y == N : Y == K; }
};

/// One more dimension that is like M, N or K, and that is not one with it, or a
/// batch, which moves all operands: the product is made for each of its values.
struct OuterDim {
  std::optional<Dim> Like;         ///< unset for a batch
  const llvm::SCEV *BackedgeCount; ///< extent minus one, unsigned

  /// The extent if it is known at compile time.
  std::optional<uint64_t> constantExtent() const;
};

/// One of the products that a step over k adds to the sum.
struct Term {
  Access A, B;
  Expression AMap, BMap; ///< leaf A or B, to SumTy
  /// The multiplication, or the fused multiply-add (see Expression::Fused).
  llvm::Instruction *Product = nullptr;
  bool CMayAliasA = true, CMayAliasB = true;
  /// The factor is C itself, and elements are read before they are stored
  /// (TRMM): those of each row's own one + Ahead, and of the rows from there
  /// on.
  bool AIsC = false, BIsC = false;
  unsigned Ahead = 1;
};

/// A comparison between values that do not change in the nest, of equal type,
/// which must be true for the nest to be the contraction.
struct Requirement {
  llvm::CmpInst::Predicate Predicate = llvm::CmpInst::ICMP_EQ;
  const llvm::SCEV *X = nullptr, *Y = nullptr;
};

/// A branch inside the nest whose invariant condition must have this value for
/// the nest to be the contraction.
struct Assumption {
  llvm::Value *Condition = nullptr;
  bool Value = true;
  /// The condition may only be computed if those before it hold: it depends on
  /// something loaded behind their branches.
  bool NeedsOthers = false;
  /// If set, the branch varies, and this is its condition in the first or last
  /// iteration. What is loaded behind it is loaded then.
  std::optional<Requirement> Entered;
};

/// Products whose extents are constants, and no larger than this, may be made in
/// place, without blocks.
inline constexpr uint64_t MaxSmallExtent = 64;

/// What a nest of loops computes, and under which conditions.
struct Contraction {
  llvm::Loop *Root = nullptr;                 ///< the outermost loop replaced
  llvm::SmallVector<llvm::Loop *, 4> Loops;   ///< the chain, outermost first
  bool SumsInnermost = false;                 ///< the innermost loop is over k
  PerDim<const llvm::SCEV *> BackedgeCount{}; ///< extent minus one, unsigned
  /// Those like K are summed over in this order.
  llvm::SmallVector<OuterDim, 1> Outer;
  std::optional<Triangle> Domain; ///< unset: the whole rectangle

  Access C; ///< its base means nothing if ToScratch
  llvm::SmallVector<Term, 1> Terms;
  llvm::Type *SumTy = nullptr; ///< type of the running sum
  Expression Update;           ///< leaves Sum, and Product for each term
  Expression Start;            ///< leaf C
  Expression Finish;           ///< leaves Sum and C

  llvm::StoreInst *UpdateStore = nullptr;
  /// Other writes of the nest to C that the contraction accounts for: an
  /// initialisation, partial sums, the copies of an unrolled update.
  llvm::SmallVector<llvm::Instruction *, 2> Absorbed;
  /// The initialisation is the first step over k.
  bool HasStepBefore = false;

  /// What else the nest writes, to be done by a copy of it without the product.
  llvm::SmallVector<llvm::Instruction *, 2> RestWrites;
  enum class RestRuns { Before, After } Rest = RestRuns::After;
  /// The values of the rest that are those stored to C.
  llvm::SmallVector<llvm::Instruction *, 1> StoredValues;

  /// If set, a copy of the nest stores this value to each element of C first,
  /// for Start to read: sums start from another array.
  llvm::Value *Initial = nullptr;

  llvm::SmallVector<ValueAfter, 1> Results;

  /// If set, C is not an array of the source: the sums go to a matrix of their
  /// own, row-major, from which the rest takes them. Rows and Columns say by
  /// the loops whose counters, with their last values, an element is found.
  struct Scratch {
    struct Counter {
      llvm::Loop *L;
      const llvm::SCEV *Last;
      bool IsReversed; ///< the index is Last less the counter
    };
    llvm::SmallVector<Counter, 2> Rows, Columns;
    llvm::Instruction *Sum = nullptr;
    /// If set, the nest has a row of sums in memory, which is used again for
    /// each row: UpdateStore stores there, in this loop over k.
    llvm::Loop *Once = nullptr;
  };
  std::optional<Scratch> ToScratch;

  // What the guard has to test before the contraction may stand in.
  llvm::SmallVector<Assumption, 4> Assumptions;
  llvm::SmallVector<WrapCheck, 2> WrapChecks;
  llvm::SmallVector<Requirement, 2> MustHold;
  /// Loads inside the nest from invariant addresses, in dominance order: made
  /// once by the guard, valid if C does not overlap what they read.
  llvm::SmallVector<llvm::LoadInst *, 4> InvariantLoads;
  /// Some of them may only be made if the assumptions hold.
  bool LoadsNeedAssumptions = false;
  /// Phis in the nest, with a load, inside or in front, whose value they have.
  llvm::SmallMapVector<llvm::Value *, llvm::Value *, 2> Reloads;

  /// A region of the rest must not overlap an operand, by its number in
  /// accesses().
  struct Apart {
    MemoryRegion Region;
    unsigned Operand;
  };
  llvm::SmallVector<Apart, 2> MustBeApart;
  /// What the rest writes, which invariant loads must not read.
  llvm::SmallVector<MemoryRegion, 2> RestWritten;

  /// The same contraction with M and N, A and B exchanged: C's transpose is B's
  /// transpose times A's transpose.
  Contraction mirrored() const;

  /// The extent of \p D if it is known at compile time.
  std::optional<uint64_t> constantExtent(Dim D) const;
  /// C, and A and B of each term.
  llvm::SmallVector<const Access *, 3> accesses() const;
  /// Whether an operand is found through a table of rows. No row of C may
  /// overlap another one, a table, or anything else that is read.
  bool hasRowTables() const;
  /// All expressions, in a fixed order.
  llvm::SmallVector<const Expression *, 5> expressions() const;
  /// Whether the elements of C are needed before the nest overwrites them.
  bool readsC() const { return Start.uses(Leaf::C) || Finish.uses(Leaf::C); }
  /// Whether each step adds one product, fused or fusable with the addition.
  bool isFusedChain() const;
  /// Whether a factor is C itself.
  bool isInPlace() const;
  /// Whether the stored value is the sum itself.
  bool storesSum() const { return Finish.isLeaf(Leaf::Sum); }

  /// "GEMM", "SYRK", …: the operation's name in BLAS, or the nearest one.
  llvm::StringRef kind() const;
  /// "GEMM f64 (A row-major, B row-major, C row-major), 64 x 64 x K at run
  /// time"
  std::string summary() const;
  void print(llvm::raw_ostream &OS) const;
};

/// "f64", "i32"
std::string typeName(llvm::Type *Ty);

} // namespace tilesmith

#endif
