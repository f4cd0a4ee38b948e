//===- IterationSpace.h - loops as independent counters ---------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counters of a nest's loops need not be the indices of a product: tiled
// loops share one index, and a loop may begin or end where an outer counter
// stands. An IterationSpace is a change of variables to axes that are
// independent but for a single diagonal:
//
//   for ii by 64, for i from ii to min(ii + 64, n)     axis i: 0 … n-1
//   for i < n, for j <= i                              axes i, j below j = i
//   for i < n, for j from i to n-1                     axes i, j above j = i
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ITERATIONSPACE_H
#define TILESMITH_LIB_IDIOM_ITERATIONSPACE_H

#include "Address.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Axes, like loops, are numbered by their position in the chain.
class IterationSpace {
public:
  /// The ways to see the loops of \p In: one, or, if a bound depends on a
  /// counter, one for each way to lay the axes. Which of them makes a product
  /// of the nest is for the subscripts to decide.
  static std::variant<llvm::SmallVector<IterationSpace, 1>, Refusal>
  of(const LoopNest &In);

  /// The last value of each counter, 64 bits wide; null if the axis has been
  /// merged into another one. The first value is zero.
  llvm::SmallVector<const llvm::SCEV *, 4> Last;

  /// Only elements with Y <= X + Offset (Below) or Y >= X + Offset exist.
  struct Diagonal {
    unsigned X, Y;
    bool Below;
    const llvm::SCEV *Offset;
  };
  std::optional<Diagonal> Domain;
  /// Whether a branch leaves out what is on the other side, not a loop's bound.
  bool DomainIsTested = false;
  /// Whether the loop that the diagonal bounds runs longer with each iteration
  /// of the other one: iterations in which it does not run come first, or last.
  bool EmptyFirst = false;
  /// How often that loop runs, less one, over the loops and 64 bits wide.
  std::optional<AffineSum> Backedges;
  /// The branches of the nest that test whether that loop runs at all.
  llvm::SmallVector<const llvm::BranchInst *, 2> DomainGuards;
  /// A step is made where Position, 64 bits wide, is at least zero and less than
  /// Extent, as \p Branches test: one, or one for each side.
  struct Inside {
    AffineSum Position;
    const llvm::SCEV *Extent;
    llvm::SmallVector<const llvm::BranchInst *, 2> Branches;
  };
  llvm::SmallVector<Inside, 2> Borders;
  /// A sum that goes on with a position, so many times.
  struct Place {
    const Inside *Of;
    const llvm::SCEV *Times;
  };
  /// The positions, inside the borders around \p At, that \p Sum, over the loops,
  /// goes on with.
  llvm::SmallVector<Place, 2> placesIn(const AffineSum &Sum,
                                       const llvm::Instruction &At,
                                       const LoopNest &In) const;
  /// The axis that runs against its loop.
  std::optional<unsigned> Reversed;
  /// Whether loops over places and taps have become axes of C and of steps.
  bool IsGathered = false;
  bool ScattersTaps = false; ///< the innermost loop is over such taps

  /// What must be true for the axes to be these.
  llvm::SmallVector<Requirement, 2> MustHold;
  llvm::SmallVector<WrapCheck, 2> WrapChecks;

  /// Whether axes are loops: all counters stay as they are.
  bool isPlain() const { return Changes.empty(); }
  /// Whether axes are loops, or loops reversed, but for \p Axis, which may be
  /// moved along by another one.
  bool isPlainBut(unsigned Axis) const {
    return llvm::all_of(Changes, [&](const Change &Step) {
      return Step.Kind == Change::Reverse ||
             (Step.Kind == Change::Shear && Step.Inner == Axis);
    });
  }

  /// If all axes are loops, but for \p Axis, which is the sum of its counter and
  /// that of another one: the other one.
  std::optional<unsigned> moverOf(unsigned Axis) const;

  /// Loops \p Outer and \p Inner of \p In move C together, in which they scatter
  /// products. The outer one becomes an axis of steps, the inner one an axis of C;
  /// the counter of one of them is a place in an image with a border. False if
  /// the nest has other borders there; the space is of no use then.
  bool gather(unsigned Outer, unsigned Inner, bool PlacesAreOuter,
              bool MayHaveChannels, const LoopNest &In);
  /// Places and taps of such loops may be so far apart.
  static constexpr unsigned MaxDistance = 8;
  /// Axis \p Axis begins at \p First, 64 bits wide.
  void beginAt(unsigned Axis, const llvm::SCEV *First);
  /// Positions of images fit so many bits.
  static constexpr unsigned PositionBits = 32;
  /// The extent of an image that the nest tests on one side only.
  static const llvm::SCEV *withoutEnd(llvm::ScalarEvolution &SE);

  /// Changes \p Form from loop counters to axes; false if it has no affine
  /// form in them.
  bool toAxes(AffineSum &Form) const;
  bool toAxes(AffineForm &Form) const {
    return (!Form.Groups || isPlain()) &&
           toAxes(static_cast<AffineSum &>(Form)) &&
           (!Form.Row || toAxes(static_cast<AffineSum &>(*Form.Row))) &&
           (!Form.Chosen ||
            (toAxes(Form.Chosen->Side) && toAxes(Form.Chosen->OtherSide)));
  }
  /// \p S, computed where \p Where stands, without the maxima and minima of
  /// where that loop begins and ends. Adds what must be true for it to \p
  /// Tests.
  /// If \p Where also runs where the loop does not, nothing changes.
  const llvm::SCEV *whereRun(const llvm::SCEV *S,
                             const llvm::Instruction &Where, const LoopNest &In,
                             Conditions &Tests) const;

  /// How many values an axis has, 64 bits wide.
  const llvm::SCEV *extent(unsigned Axis) const;
  /// The greatest value of a loop's counter.
  const llvm::SCEV *lastOfLoop(unsigned Position) const {
    return LastOfLoop[Position];
  }
  /// Bounds \p Sum, which is still over the loops.
  WrapCheck wrapCheck(const AffineForm::NarrowSum &Sum) const;

private:
  friend class SpaceBuilder;

  /// One step of the change of variables.
  struct Change {
    enum { Merge, Shear, Reverse, Gather, Begin } Kind;
    unsigned Outer, Inner;
    const llvm::SCEV *Factor;
  };

  void addInside(Inside Border);
  void require(llvm::CmpInst::Predicate Predicate, const llvm::SCEV *X,
               const llvm::SCEV *Y);

  llvm::ScalarEvolution *SE = nullptr;
  llvm::SmallVector<Change, 2> Changes;
  /// The greatest last value of each loop's counter.
  llvm::SmallVector<const llvm::SCEV *, 4> LastOfLoop;
};

} // namespace tilesmith

#endif
