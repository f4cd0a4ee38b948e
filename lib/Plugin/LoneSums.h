//===- LoneSums.h - scalar products -----------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of its own that sums up products of the elements of two vectors. With the
// order of its additions, there is nothing to gain; what permits another order is told.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LONESUMS_H
#define TILESMITH_LIB_PLUGIN_LONESUMS_H

namespace llvm {
class LoopInfo;
class OptimizationRemarkEmitter;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

class RemarkLog;

/// Tells of each scalar product in \p LI why it is left alone.
void tellLoneSums(const llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
                  RemarkLog &Log, llvm::OptimizationRemarkEmitter &ORE);

} // namespace tilesmith

#endif
