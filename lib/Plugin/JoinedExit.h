//===- JoinedExit.h - last iterations that do what others do ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_JOINEDEXIT_H
#define TILESMITH_LIB_PLUGIN_JOINEDEXIT_H

namespace llvm {
class BasicBlock;
class BranchInst;
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace tilesmith {

/// Whether \p L is left, but not from its latch.
bool isLeftElsewhere(const llvm::Loop &L);

/// Leaves \p L behind its latch if the last iteration leaves it for a block that
/// stores to the same element, as where that makes no step of an inner loop:
///
///   head:  br more, inner, last            head:  br more, inner, latch
///   latch: c[i] = f(sum); br head     =>   latch: c[i] = f(phi [sum], [start])
///   last:  c[i] = f(start); …; br next            br more, head, last
///                                          last:  …; br next
void joinExit(llvm::Loop &L, llvm::LoopInfo &LI, llvm::DominatorTree &DT);

/// \p Branch goes on to \p End instead of to \p Exit, and that asks the same.
void leaveFrom(llvm::BasicBlock &End, llvm::BranchInst &Branch,
               llvm::BasicBlock &Exit, llvm::BasicBlock &Header);

} // namespace tilesmith

#endif
