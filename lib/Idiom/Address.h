//===- Address.h - addresses as sums of strides -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ADDRESS_H
#define TILESMITH_LIB_IDIOM_ADDRESS_H

#include "LoopNest.h"

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Base + sum over the loops of a list of Step * counter, where counters
/// run 0, 1, 2, … A null step is zero.
struct AffineSum {
  const llvm::SCEV *Base = nullptr;
  llvm::SmallVector<const llvm::SCEV *, 4> Step;

  bool dependsOn(unsigned Loop) const { return Step[Loop] != nullptr; }
};

/// Such a sum, and when it is valid.
struct AffineForm : AffineSum {
  /// Valid only if these sums, in the wide type, stay representable in a narrow
  /// one, and are sums of multiples of a power of two.
  struct NarrowSum {
    const llvm::SCEV *Start;
    llvm::SmallVector<const llvm::SCEV *, 4> Step;
    unsigned Bits;
    bool Signed;
    uint64_t Factor = 1;
  };
  llvm::SmallVector<NarrowSum, 2> MustNotWrap;

  /// If set, the sum counts from a pointer that the nest loads from this
  /// address, and that it must not change: the beginning of a row.
  struct RowPointer : AffineSum {
    llvm::LoadInst *Load = nullptr;
  };
  std::optional<RowPointer> Row;

  /// If set, the address is this sum only where Side is not negative, and
  /// elsewhere another one. Side is a sum of counters.
  struct Choice {
    AffineSum Side, OtherSide;
  };
  std::optional<Choice> Chosen;

  /// If set, iteration x of a loop adds (x / Length) * Step to the sum, and
  /// (x % Length) times the sum's own step of that loop.
  struct InGroups {
    unsigned Loop;
    const llvm::SCEV *Length; ///< 64 bits wide
    const llvm::SCEV *Step;
  };
  std::optional<InGroups> Groups;
  /// What must be true for these.
  llvm::SmallVector<Requirement, 0> MustHold;

  bool dependsOn(unsigned Loop) const {
    return AffineSum::dependsOn(Loop) || (Row && Row->dependsOn(Loop)) ||
           (Groups && Groups->Loop == Loop);
  }
};

/// Writes \p S as an affine form in the counters of \p Loops, all inside
/// \p In or null; nothing if it is not one.
std::optional<AffineForm> affineForm(const llvm::SCEV *S, const LoopNest &In,
                                     const LoopChain &Loops);

/// The same for a sum that may go on in groups, or only where numbers are multiples of
/// others.
std::optional<AffineForm> groupedForm(const llvm::SCEV *S, const LoopNest &In,
                                      const LoopChain &Loops);

/// The same for an address that a comparison of counters chooses.
std::optional<AffineForm> chosenForm(const llvm::SCEV *S, const LoopNest &In,
                                     const LoopChain &Loops);

/// Adds to \p Form, the address of \p Access, what a mark at that says of it
/// (NarrowMark); false if it cannot.
bool addMarkedCheck(const llvm::Instruction &Access, AffineForm &Form,
                    llvm::ScalarEvolution &SE);

/// The alignment of each element that \p I accesses. What is known of one need not hold
/// beside it, as where that is the real part of a number.
llvm::Align alignmentOfElement(const llvm::Instruction &I);

} // namespace tilesmith

#endif
