//===- UnrollTrial.h - which loops LLVM will unroll -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// loop-unroll-full visits inner loops first, and then decides by the length of what
// they have become. A copy of the function tells how long that is.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_UNROLLTRIAL_H
#define TILESMITH_LIB_PLUGIN_UNROLLTRIAL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// How often \p L runs, if it is not left early, as by a bounds check that fails; zero if
/// that is no constant. LLVM unrolls such loops.
unsigned constantTripCount(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// Whether loop-unroll-full, at -O<SpeedupLevel>, will unroll \p L as it is, be it with a
/// loop inside. No, if it is longer than a nest.
bool willBeUnrolled(llvm::Loop &L, llvm::LoopStandardAnalysisResults &Results,
                    llvm::ScalarEvolution &SE, unsigned SpeedupLevel);

/// Whether it will unroll \p L, which it comes to, once \p Unrolled, loops inside, have
/// been, in this order.
bool willBeUnrolledAround(llvm::Loop &L, llvm::ArrayRef<llvm::Loop *> Unrolled,
                          llvm::LoopStandardAnalysisResults &Results,
                          unsigned SpeedupLevel);

/// Analyses of copies of a function, for a loop pass, which has no others.
llvm::FunctionAnalysisManager analysesOfCopies();

} // namespace tilesmith

#endif
