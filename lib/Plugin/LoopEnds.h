//===- LoopEnds.h - where loops that run backwards end ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In front of a loop `p >= 0` is a test that it has a step, from which LLVM knows its trip
// count. It looks for such tests from block to block, as long as there is one way to come.
// Several ways lead from a guard to the source's loops: there LLVM would have to compute a
// maximum first, and does not unroll the loop. So these loops end at a number.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_LOOPENDS_H
#define TILESMITH_LIB_PLUGIN_LOOPENDS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AssumptionCache;
class BranchInst;
class ConstantInt;
class ICmpInst;
class Instruction;
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// A loop goes on while \p Next, its counter in the next iteration, is another number.
struct LoopEnd {
  llvm::BranchInst *Branch;
  llvm::Instruction *Next;
  llvm::ConstantInt *End;
};

/// The ends of the innermost loops of \p Nest that compare by less or greater, and end at a
/// constant after an unknown number of steps. (In loops around, a comparison tells what the
/// counter may be.)
llvm::SmallVector<LoopEnd, 4> knownEnds(llvm::Loop &Nest,
                                        llvm::ScalarEvolution &SE);

/// Compares with these instead. There is a way from elsewhere to the nest now.
void endAt(llvm::ArrayRef<LoopEnd> Ends);

/// A test on the only way to a nest, and how it comes out.
struct KnownTest {
  llvm::ICmpInst *Test;
  bool Holds;
};

llvm::SmallVector<KnownTest, 4> testsInFront(const llvm::Loop &Nest);

/// Says in front of \p Nest, where other ways lead, too, how tests have come out: else
/// ScalarEvolution would not know it, and LLVM would make other loops.
void assumeInFront(const llvm::Loop &Nest, llvm::ArrayRef<KnownTest> Tests,
                   llvm::AssumptionCache &Assumptions);

} // namespace tilesmith

#endif
