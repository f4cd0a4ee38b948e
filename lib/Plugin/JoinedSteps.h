//===- JoinedSteps.h - one loop of two that skip and make steps -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Undoes what LLVM does to loops with 'continue' (see SkippedSteps.h): the inner
// loop, which skips steps, goes on to the latch of the outer one, which makes them.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_JOINEDSTEPS_H
#define TILESMITH_LIB_PLUGIN_JOINEDSTEPS_H

namespace llvm {
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace tilesmith {

/// Makes one loop of \p Skip, if it skips steps, and the one around it. Returns
/// whether it is no more. Loops are simple.
bool joinSteps(llvm::Loop &Skip, llvm::LoopInfo &LI, llvm::DominatorTree &DT);

} // namespace tilesmith

#endif
