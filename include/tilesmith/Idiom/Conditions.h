//===- Conditions.h - what a guard has to test -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_CONDITIONS_H
#define TILESMITH_IDIOM_CONDITIONS_H

#include "tilesmith/Idiom/Access.h"
#include "llvm/ADT/MapVector.h"

namespace llvm {
class LoadInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// Narrow index arithmetic, most often 32 bits wide, that the source then
/// extends. The guard must test that it does not wrap: that Start + the sum of
/// Step * counter, computed in the wide type, stays representable in \p Bits
/// bits for all counters from zero to their Last. Start and steps are extended
/// already.
struct WrapCheck {
  const llvm::SCEV *Start = nullptr;
  llvm::SmallVector<Sweep, 3> Terms;
  unsigned Bits = 32;
  bool Signed = true;
  /// The power of two that Start and the steps must be multiples of.
  uint64_t Factor = 1;
  /// A place in an image, which is not negative where the sum is used: inside the
  /// image's borders. The sum is Times of it and a rest. Steps are those of Terms.
  struct Place {
    const llvm::SCEV *Times, *Start;
    llvm::SmallVector<const llvm::SCEV *, 3> Steps;

    bool operator==(const Place &O) const {
      return Times == O.Times && Start == O.Start && Steps == O.Steps;
    }
  };
  llvm::SmallVector<Place, 0> Places = {};

  bool operator==(const WrapCheck &O) const {
    return Start == O.Start && Terms == O.Terms && Bits == O.Bits &&
           Signed == O.Signed && Factor == O.Factor && Places == O.Places;
  }
};

/// The bytes that an instruction accesses in the course of a nest: \p Bytes
/// from Base + the sum of Step * counter on, for all counters up to their Last.
struct MemoryRegion {
  const llvm::SCEV *Base = nullptr;
  llvm::SmallVector<Sweep, 3> Span;
  uint64_t Bytes = 0;

  void visitSCEVs(SCEVVisitor Visit) const;
};

/// A comparison between values that do not change in the nest, of equal type,
/// which must be true for the nest to be the contraction.
struct Requirement {
  llvm::CmpInst::Predicate Predicate = llvm::CmpInst::ICMP_EQ;
  const llvm::SCEV *X = nullptr, *Y = nullptr;

  bool operator==(const Requirement &O) const {
    return Predicate == O.Predicate && X == O.X && Y == O.Y;
  }
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

/// What must be true for a nest to be its contraction and nothing else. The
/// guard tests it.
struct Conditions {
  llvm::SmallVector<Assumption, 4> Assumptions;
  llvm::SmallVector<WrapCheck, 2> WrapChecks;
  llvm::SmallVector<Requirement, 2> MustHold;
  /// Loads inside the nest from invariant addresses, in dominance order: made
  /// once by the guard, valid if C does not overlap what they read.
  llvm::SmallVector<llvm::LoadInst *, 4> InvariantLoads;
  /// Some of them may only be made if the assumptions hold.
  bool LoadsNeedAssumptions = false;
  /// Some of them may only be made if the nest makes its first step, which it
  /// leaves out for a zero (see ZeroTest). Only scalars depend on them.
  bool LoadsNeedStep = false;
  /// The nest stores an element in each step, and nothing in those that a border
  /// leaves out: each element needs one.
  bool StoresNeedStep = false;
  /// Phis in the nest, with a load, inside or in front, whose value they have.
  llvm::SmallMapVector<llvm::Value *, llvm::Value *, 2> Reloads;

  /// A region of the rest must not overlap an operand, by its number in
  /// Contraction::testedAccesses(). Of one in a table, it must overlap neither rows nor
  /// pointers.
  struct Apart {
    MemoryRegion Region;
    unsigned Operand;
  };
  llvm::SmallVector<Apart, 2> MustBeApart;
  /// What the rest writes, which invariant loads must not read.
  llvm::SmallVector<MemoryRegion, 2> RestWritten;

  void visitSCEVs(SCEVVisitor Visit) const;
};

} // namespace tilesmith

#endif
