//===- Unswitch.h - a copy of a nest for each side of a test ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_UNSWITCH_H
#define TILESMITH_LIB_PLUGIN_UNSWITCH_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class DominatorTree;
class Loop;
class LoopInfo;
} // namespace llvm

namespace tilesmith {

/// Whether \p Root, a loop around \p Inner, has an inner test that always comes
/// out the same, does not decide whether \p Inner runs, and is small enough for
/// copies.
bool canUnswitch(const llvm::Loop &Root, const llvm::Loop &Inner,
                 const llvm::LoopInfo &LI, const llvm::DominatorTree &DT);

/// A loop, and the one that it is a copy of, perhaps itself.
struct LoopVersion {
  llvm::Loop *L, *Source;
};

/// Makes such tests in front of \p Root, which is in simplified form, for
/// copies of the nest in which the outcome is a constant. Blocks that do not
/// run any more remain. The tests are those that the first loop in \p Inner
/// needs. Adds the copies of all loops in \p Inner to it, and the headers of all
/// versions of \p Root, itself among them, to \p Headers.
void unswitch(llvm::Loop &Root, llvm::SmallVectorImpl<LoopVersion> &Inner,
              llvm::SmallVectorImpl<llvm::BasicBlock *> &Headers,
              llvm::LoopInfo &LI, llvm::DominatorTree &DT);

} // namespace tilesmith

#endif
