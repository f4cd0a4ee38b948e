//===- ShapedNest.h - a nest once more, to be changed -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a product is only seen once loops are rotated or unswitched, that is
// done to a copy of the nest. Fast paths are put in front of the copy's loops;
// then these are deleted, and whatever led to them leads to the source's nest,
// which stays as it was. So where no fast path is taken, the program rounds
// and runs as without Tilesmith.
//
//   choice:                     choice:
//     br shaped, source           br shaped
//   shaped:                     shaped:
//     ... fast path      =>       ... fast path
//     ... br version              ... br source
//   version: ...
//   source: ...                 source: ...
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SHAPEDNEST_H
#define TILESMITH_LIB_PLUGIN_SHAPEDNEST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class BasicBlock;
class BranchInst;
class DominatorTree;
class Loop;
class LoopInfo;
class MDNode;
} // namespace llvm

namespace tilesmith {

/// A copy of a loop beside it: both are left for the same places.
struct CopiedLoop {
  llvm::Loop *Copy;
  llvm::BasicBlock *From; ///< in front of both; goes to the loop only, as yet
  llvm::BasicBlock *Preheader; ///< of the loop
};

/// Copies \p Source, with \p Suffix behind names. \p DT and \p LI are as if From went
/// to both preheaders.
CopiedLoop copyBeside(llvm::Loop &Source, llvm::StringRef Suffix,
                      llvm::ValueToValueMapTy &Map, llvm::LoopInfo &LI,
                      llvm::DominatorTree &DT);

/// A copy of the nest \p Source in front of it. Both can be reached until the
/// copy is removed.
struct ShapedNest {
  llvm::BranchInst *Choice;
  llvm::Loop *Source;     ///< marked as a fall-back
  llvm::MDNode *SourceID; ///< its metadata before that
  llvm::Loop *Root;       ///< of the copy
  /// The headers of the copy and of its versions; whoever shapes it sets them.
  llvm::SmallVector<llvm::BasicBlock *, 2> Headers;
};

/// Copies the nest \p Source. \p DT and \p LI stay up to date. Returns also the
/// loop that \p Inner, a part of it, has become.
std::pair<ShapedNest, llvm::Loop *> copyNest(llvm::Loop &Source,
                                             llvm::Loop &Inner,
                                             llvm::LoopInfo &LI,
                                             llvm::DominatorTree &DT);

/// Deletes the loops of \p Nests, all of one function: those whose headers are
/// among \p Replaced stand behind a fast path, which stays. A version of which
/// only a part is replaced stays, too. No analysis is kept.
void removeLoops(llvm::ArrayRef<ShapedNest> Nests, llvm::LoopInfo &LI,
                 llvm::ArrayRef<llvm::BasicBlock *> Replaced);

} // namespace tilesmith

#endif
