//===- GatheredNest.h - steps with a remainder that do nothing --*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a nest that gathers products, numbers of a loop over places and one over taps
// are tested for a remainder, and divided:
//
//   x = y + pad - r
//   if (x % 2 == 0)               a position x, and its quotient
//     C[y] += dy[x / 2] * w[r]
//
// GatheredPhases.cpp makes loops of the steps that are left.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_GATHEREDNEST_H
#define TILESMITH_LIB_PLUGIN_GATHEREDNEST_H

#include "NestForms.h"
#include "RemainderTest.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class ICmpInst;
class LoadInst;
class StoreInst;
} // namespace llvm

namespace tilesmith {

/// A number whose remainder is tested, of a loop over places and one over taps.
struct TestedPosition {
  const llvm::SCEV *S = nullptr; ///< in 64 bits
  unsigned Bits = 64;            ///< that it fits
  unsigned Places = 0, Taps = 0;
  int OfPlaces = 0, OfTaps = 0; ///< steps, 1 or -1
  const llvm::SCEV *Base = nullptr;
  const llvm::SCEV *Distance = nullptr; ///< in 64 bits
  llvm::SmallVector<RemainderTest, 2> Tests;
  llvm::SmallVector<llvm::Instruction *, 2> Divisions;
  llvm::SmallVector<const llvm::SCEV *, 2> Quotients; ///< in 64 bits
  llvm::SmallVector<llvm::ICmpInst *, 2>
      Signs; ///< of it, or of a difference that it is
  llvm::Value *By = nullptr, *LastPlace = nullptr, *LastTap = nullptr,
              *First = nullptr;
};

/// The loops around one, as far as they gather products.
class GatheredNest : public NestForms {
public:
  using NestForms::NestForms;

  /// As far as can be told before LLVM has made all counters as wide as addresses.
  bool isLikely();
  /// Whether phases may be made of it.
  bool isPhased();

protected:
  /// Of what has no remainder, it is the sign if the number is less than the
  /// distance.
  TestedPosition *signOf(llvm::ICmpInst &Compare, bool Holds);
  /// Whether LLVM unrolls loops over taps, and knows which have no remainder.
  bool areUnrolled() const;
  /// Whether neighbours in C differ in the image.
  bool hasAdjacentImages() const;

  /// More are not worth phases of their own.
  static constexpr uint64_t MaxDistance = 64;

  llvm::SmallVector<llvm::StoreInst *, 2> Stores;
  llvm::SmallVector<llvm::LoadInst *, 4> Loads; ///< of other elements
  llvm::SmallVector<std::pair<llvm::LoadInst *, Form>, 2>
      Factors; ///< that may overlap C
  Form C;
  llvm::SmallVector<const llvm::SCEV *, 2> Limits; ///< of unsigned quotients
  llvm::SmallVector<RemainderTest, 4> Tests;
  llvm::SmallVector<TestedPosition, 2> Positions;

private:
  /// Of a known number of taps in one dimension, clang tests each on its own.
  bool isOneKnownLine() const;
  /// Stores to elements of C, which is one for each place, and loads of others.
  bool findStores();
  bool findTests();
  /// \p V as a sum, where nothing that is frozen is poison.
  const llvm::SCEV *thawed(llvm::Value *V);
  /// Of what is tested elsewhere.
  const llvm::SCEV *widenedQuietly(const llvm::SCEV *S);
  const llvm::SCEV *distance(llvm::Value *By, uint64_t Constant);
  std::optional<TestedPosition> position(llvm::Value *V,
                                         const llvm::SCEV *Distance);
  bool findPositions();
  /// Whether taps with a remainder do nothing.
  bool haveIdleRests();
  /// Whether nothing is used after \p L but what an iteration hands on to the next.
  bool leavesOnlySums(const llvm::Loop &L);
  /// Finds what is to be the quotient, or its sign.
  bool findUses();
  /// Where \p Compare, for \p Holds, says that a position and some number are zero
  /// or more together.
  std::optional<std::pair<TestedPosition *, uint64_t>>
  signTest(llvm::ICmpInst &Compare, bool Holds);
  void findSign(llvm::ICmpInst &Compare);
  /// Whether \p BB only runs where a comparison comes out in a way that \p IsSo.
  bool isBehind(const llvm::BasicBlock &BB,
                llvm::function_ref<bool(llvm::ICmpInst &, bool Holds)> IsSo);
  /// Whether \p BB only runs where \p Of is zero or more.
  bool isTestedFromZero(const TestedPosition &Of, const llvm::BasicBlock &BB);
  /// Whether \p Compare is one of \p Quotient, unsigned, with what is known in front:
  /// a small number will be asked for.
  llvm::Value *limit(llvm::ICmpInst &Compare,
                     const llvm::Instruction &Quotient);
  /// Whether a negative position, whose \p Quotient is a great number for the source,
  /// and a negative one in the copy, is beyond a limit in both of them: it is only
  /// compared with limits, or part of addresses that are used below these.
  bool isOnlyUsedBelowLimits(llvm::Instruction &Quotient);
  /// \p S, between -2^32 and 2^32, divided by two or more, rounded down.
  const llvm::SCEV *quotient(const llvm::SCEV *S, const llvm::SCEV *By);
  /// Whether C has no element in common with what is loaded, or that can be tested.
  bool areApart();
  /// Quotients are numbers of their own.
  std::optional<Form> formOf(const llvm::SCEV *S) override;
  using NestForms::formOf;
};

} // namespace tilesmith

#endif
