//===- RunTimeTests.h - what a guard tests, in plain words ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   C overlaps neither A nor B
//   indices of 32 bits do not wrap
//   the condition in line 7 is false
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_RUNTIMETESTS_H
#define TILESMITH_LIB_PLUGIN_RUNTIMETESTS_H

#include "tilesmith/Idiom/Nest.h"
#include <string>
#include <vector>

namespace llvm {
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// What must be true when the program runs, besides sizes that are worth it, for
/// the kernel of \p Of to run instead of the source's loops: a statement each.
/// Arrays have the source's names, or else those of a matrix product.
std::vector<std::string> runTimeTests(const Nest &Of,
                                      llvm::ScalarEvolution &SE);

} // namespace tilesmith

#endif
