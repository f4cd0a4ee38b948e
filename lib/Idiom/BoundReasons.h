//===- BoundReasons.h - what bounds that vary are of ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_BOUNDREASONS_H
#define TILESMITH_LIB_IDIOM_BOUNDREASONS_H

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// Whether \p Innermost goes through a part of a row about a diagonal: it begins
/// at a maximum that varies with the rows, or ends at such a minimum.
bool isBand(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

/// Whether \p Innermost reads the array that the loops around it update, and not the
/// updated elements alone.
bool isFactorisation(const llvm::Loop &Innermost, llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
