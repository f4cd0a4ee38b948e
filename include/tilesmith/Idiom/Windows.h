//===- Windows.h - strides of windows that overlap --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a convolution, an index of rows and an index of steps go over the same
// elements of a factor, the image. Its strides say so.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_WINDOWS_H
#define TILESMITH_IDIOM_WINDOWS_H

#include "tilesmith/Idiom/Contraction.h"
#include <map>
#include <vector>

namespace tilesmith {

/// A polynomial over what ScalarEvolution does not know, without what widens
/// numbers: whether two are equal is a guess that a test at run time confirms.
class Polynomial {
public:
  static constexpr unsigned Bits = 128; // those of strides' products

  static Polynomial of(const llvm::SCEV *S);
  /// The extent of which \p BackedgeCount is one less.
  static Polynomial ofExtent(const llvm::SCEV *BackedgeCount) {
    return of(BackedgeCount) + number(llvm::APInt(Bits, 1));
  }

  bool operator==(const Polynomial &O) const { return Terms == O.Terms; }
  Polynomial operator+(const Polynomial &O) const;
  Polynomial operator*(const Polynomial &O) const;

  bool isZero() const { return Terms.empty(); }

  /// X and Y, both positive, if it is X / Y of \p O, or that with another sign.
  std::optional<std::pair<llvm::APInt, llvm::APInt>>
  proportion(const Polynomial &O) const;

private:
  using Monomial = std::vector<const llvm::SCEV *>; ///< sorted

  static Polynomial number(const llvm::APInt &N) {
    Polynomial Result;
    Result.add({}, N);
    return Result;
  }
  void add(const Monomial &Factors, const llvm::APInt &Number);

  std::map<Monomial, llvm::APInt> Terms; ///< numbers are not zero
};

/// The outer dimensions of \p D, the nearest first.
llvm::SmallVector<unsigned, 2> outerOf(const Contraction &Op, Dim D);

/// Whether \p X, whose lines are along \p P, is an image that windows go over.
/// If their distance is only known at run time, it is the same along two
/// indices.
bool hasWindows(const Contraction &Op, const Access &X, Dim P);

/// Whether it is a matrix times a vector of which windows go over the matrix.
bool isFilter(const Contraction &Op);

} // namespace tilesmith

#endif
