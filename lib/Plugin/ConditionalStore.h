//===- ConditionalStore.h - if (x < c) c = x ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   if (x < c[i][j])                 store x < c ? x : c, c[i][j]
//     c[i][j] = x;            =>       !tilesmith.stores-changes
//
// Recognition wants a step that always stores. What is stored here is what the
// element was, if the source does not store. There memory may be read-only, or
// another thread's, so whoever makes such a store must leave out elements that
// stay the same. It is made in copies of nests that never run as they are.
//
//   if (a[i][k] && b[k][j])          load b[k][j] !tilesmith.loaded-if
//     c[i][j] = 1;            =>     load c[i][j] !tilesmith.not-loaded
//                                    store a && b ? 1 : c, c[i][j]
//
// The second element may only be loaded where a test of the first one passes, be that
// in each step, or in front of a line of them: for j. An element of C that is not even
// loaded need not exist where nothing is stored.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_CONDITIONALSTORE_H
#define TILESMITH_LIB_PLUGIN_CONDITIONALSTORE_H

#include <optional>

namespace llvm {
class BasicBlock;
class BranchInst;
class DominatorTree;
class Loop;
class LoadInst;
class LoopInfo;
class SelectInst;
class StoreInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// `Head: br Condition, Then, Join`, or the other way round.
struct Conditional {
  llvm::BranchInst *Branch;
  llvm::BasicBlock *Head, *Then, *Join;
  llvm::StoreInst *Store; ///< if Then stores
  llvm::Value *Old;       ///< the element that it stores, as it is otherwise
  llvm::LoadInst *Load = nullptr; ///< of another element, if Then loads one

  bool isIfTrue() const;
};

/// What ends in a store in \p Then, in an innermost loop.
std::optional<Conditional> conditionalStore(llvm::BasicBlock &Then,
                                            const llvm::Loop &L);

/// Whether a step of the innermost loop \p L stores under a condition.
bool hasConditionalStore(const llvm::Loop &L);

/// Whether a step of the innermost loop \p L, in two others at least, loads an element
/// if another one is not zero: `s |= a[i][k] && b[k][j]`.
bool hasConditionalLoad(const llvm::Loop &L);

/// Whether a test in front of the innermost loop \p L, in two others at least, leaves
/// out all its steps: `if (a[i][k]) for (j …) c[i][j] |= b[k][j]`.
bool isLineUnderCondition(const llvm::Loop &L);

/// Makes these stores and loads unconditional.
void makeUnconditional(llvm::Loop &L, llvm::DominatorTree &DT,
                       llvm::LoopInfo &LI);

/// In a nest behind a product, which has stored the element: what that is in any
/// case stands in front of the store, without a use, as long as this lives.
class NotedChoice {
public:
  /// Of the first such store in the innermost loop \p L, if there is any.
  explicit NotedChoice(llvm::Loop &L);
  NotedChoice(const NotedChoice &) = delete;
  ~NotedChoice();

private:
  llvm::LoadInst *Old = nullptr;
  llvm::SelectInst *Choice = nullptr;
};

/// Whether \p L has stores or loads that were made unconditional: it must not run.
bool mustNotRun(const llvm::Loop &L);

} // namespace tilesmith

#endif
