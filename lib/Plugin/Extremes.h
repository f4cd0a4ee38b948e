//===- Extremes.h - the greater and the lesser of numbers -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forms that LLVM gives to bounds that are clipped: max(0, x - y) and the like.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_EXTREMES_H
#define TILESMITH_LIB_PLUGIN_EXTREMES_H

#include <optional>

namespace llvm {
class Value;
} // namespace llvm

namespace tilesmith {

/// A maximum (or minimum), of unsigned numbers only if these \p MayBeUnsigned.
bool matchExtreme(llvm::Value *V, bool Max, bool MayBeUnsigned, llvm::Value *&X,
                  llvm::Value *&Y);

/// max(X, Y) - Y, of numbers that are not negative.
bool matchCutAtZero(llvm::Value *V, llvm::Value *&X, llvm::Value *&Y);

/// max(X, Y) - Y, of signed numbers.
bool matchExcess(llvm::Value *V, llvm::Value *&X, llvm::Value *&Y);

/// High > Low ? X - Y : 0, of signed numbers.
struct Excess {
  llvm::Value *High, *Low, *X, *Y;
};

std::optional<Excess> excessOf(llvm::Value &V);

} // namespace tilesmith

#endif
