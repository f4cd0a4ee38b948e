//===- Guard.h - may the fast path be taken? --------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_GUARD_H
#define TILESMITH_LIB_REWRITE_GUARD_H

#include "tilesmith/Planning/Plan.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace tilesmith {

/// Whether everything a guard needs can be computed in front of the nest.
bool canBuildGuard(const Nest &View, llvm::ScalarEvolution &SE);

/// Whether the nest may be as large as the guard wants it, with what is known
/// where it is entered.
bool mayBeLargeEnough(const Nest &View, const Plan &ThePlan,
                      llvm::ScalarEvolution &SE);

/// Emits, in front of a nest, the values that describe its contraction at run
/// time and the tests that it is one.
class GuardBuilder {
public:
  /// Code is inserted before \p At, a place that dominates the nest and is
  /// reached only if the nest is entered.
  GuardBuilder(const Nest &View, const Plan &ThePlan, llvm::ScalarEvolution &SE,
               llvm::Instruction *At);

  /// From here on, code is inserted before \p NewAt, which the place before
  /// dominates.
  void moveTo(llvm::Instruction *NewAt);

  /// The next part of the first test, to be evaluated only if those before are
  /// true (i1); null if there is none. Together, they are true if the nest is
  /// large enough. Small ones get no further, so this is kept cheap.
  llvm::Value *emitSizeTest();
  /// Of the part emitted last, whether the assumptions in it hold (i1); null if
  /// there are none.
  llvm::Value *assumptionsHold() const { return Assumptions; }
  /// True (i1) if the nest is the contraction, and nothing overlaps. What is in
  /// the way of C may be between its rows; that is found out in a block of its
  /// own, and code is inserted behind it from here on.
  llvm::Value *emitSafetyTest(llvm::DomTreeUpdater &DTU, llvm::LoopInfo &LI);
  /// Those of the test: the first dominates all, in the last it is known.
  llvm::ArrayRef<llvm::BasicBlock *> safetyBlocks() const { return Safety; }

  /// True (i1) if the nest makes its first step, as far as elements tell of
  /// which it makes the test. They must be safe to load.
  llvm::Value *emitStepTest();

  /// True (i1) if what the call requires holds.
  llvm::Value *emitLastTest();

  /// One more condition of the test that is emitted next.
  void require(llvm::Value *Condition);
  llvm::IRBuilderBase &builder() { return B; }

  /// The value of an invariant of the nest, in front of it.
  llvm::Value *valueOf(llvm::Value *Invariant);

  // The operands and the domain, without rows and columns of C that are outside
  // the domain as a whole.
  llvm::Value *base(const Access &X); ///< of the first element
  /// From element (0, 0) to the first in the domain.
  llvm::Value *skippedBytes(const Access &X);
  llvm::Value *stride(const Access &X, Dim D);
  /// Along Contraction::Outer[I].
  llvm::Value *outerStride(const Access &X, unsigned I);
  llvm::Value *outerExtent(unsigned I);
  /// A table: its first entry, RowTable's Distance, Offset and Step.
  std::array<llvm::Value *, 4> rows(const RowTable &Rows);
  llvm::Value *extent(Dim D);
  llvm::Value *countTo(const llvm::SCEV *Last); ///< Last + 1
  llvm::Value *number(const llvm::SCEV *S);     ///< 64 bits wide
  llvm::Value *valueAfter(const ValueAfter &R);
  llvm::Value *diagonal(); ///< the domain's offset
  /// How many rows (or columns) of C \p Of reads, a factor in place.
  llvm::Value *rowsInPlace(const Term &Of);
  llvm::Value *savedRows(const SavedRows &Of); ///< their number
  /// Where a region begins and ends: addresses.
  std::pair<llvm::Value *, llvm::Value *> bounds(const MemoryRegion &X) {
    Range R = rangeOf(X);
    return {R.Low, R.High};
  }

private:
  /// The bytes an operand occupies, [Low, High).
  struct Range {
    llvm::Value *Low, *High;
  };
  /// An operand that need not be apart from C as a whole (IsApart) if it is
  /// between its rows.
  struct Neighbour {
    const Access *X;
    llvm::Value *IsApart;
  };
  llvm::Value *count(Dim D);
  llvm::Value *firstPlace(Dim D);
  llvm::Value *ofPlaces(llvm::Value *Places, Dim D);
  llvm::Value *first(Dim D);
  llvm::Value *offsetOfDomain();
  /// How far \p X reaches in each dimension: strides and extents.
  llvm::SmallVector<std::pair<llvm::Value *, llvm::Value *>, 4>
  reach(const Access &X);
  Range extended(Range R, llvm::Value *Span, llvm::Value *Stride);
  Range partOf(const Access &X, std::optional<unsigned> Fixed);
  Range rangeOf(const Access &X);
  Range rangeOf(const MemoryRegion &X);
  void requireModerateStride(llvm::Value *Stride);
  void requireModerateCount(llvm::Value *Last);
  llvm::Value *takeResult();
  void requireAssumption(llvm::Value *Condition);
  void requireWork();
  void requireFilledRegisters();
  void requireExtents();
  void requireModerateCounts();
  void requireModerateStrides();
  void requireDiagonalInside();
  void requireModerateSize(llvm::Value *Rows, llvm::Value *Columns);
  void requireDistinctElements();
  void requireDistinctInManyDims(llvm::Value *Size);
  llvm::Value *areApart(Range X, Range Y);
  void requireNoOverlap(Range X, Range Y);
  void requireNoOverlapWithC(const Access &X, Range RangeC);
  llvm::Value *isBetweenRows(const Access &X);
  void requireOthersBetweenRows(llvm::DomTreeUpdater &DTU, llvm::LoopInfo &LI);
  llvm::Value *addEnds(llvm::Value *Start, llvm::ArrayRef<llvm::Value *> Spans,
                       llvm::Intrinsic::ID Taken);
  llvm::Value *leastInside(const WrapCheck &Check);
  void requireNoWrap(const WrapCheck &Check);
  // Borders.cpp
  void requireInside(const Border &Of, Dim Line);
  void requireMeeting(const Border &Of, Dim All, Dim Any);
  static bool isBorderedAlong(const Access &X, unsigned Axis);
  Range extendedInside(Range R, const Access &X, const Border &Of);
  void requireNoWrap(Range R);
  llvm::Value *expand(const llvm::SCEV *S, llvm::Type *Ty = nullptr);
  const llvm::SCEV *inFront(const llvm::SCEV *S);

  const Contraction &Op;
  const Conditions &Tests;
  const Surroundings &Source;
  const Plan &ThePlan;
  llvm::ScalarEvolution &SE;
  llvm::Instruction *At;
  llvm::SCEVExpander Expander;
  llvm::IRBuilder<llvm::InstSimplifyFolder> B;
  llvm::Type *I64;
  llvm::Value *Result = nullptr;
  llvm::Value *Assumptions = nullptr; ///< see assumptionsHold()
  unsigned Assumed = 0;               ///< assumptions that are tested
  llvm::SmallVector<Neighbour, 2> Neighbours;
  llvm::SmallVector<llvm::BasicBlock *, 3> Safety; ///< see safetyBlocks()
  bool IsWorkTested = false, AreExtentsTested = false;
  llvm::DenseMap<llvm::Value *, llvm::Value *> InFront;
  llvm::DenseMap<const llvm::SCEV *, llvm::Value *> Expanded;
};

} // namespace tilesmith

#endif
