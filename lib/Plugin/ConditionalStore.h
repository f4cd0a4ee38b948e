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
  llvm::StoreInst *Store;         ///< all that Then does, besides arithmetic
  llvm::Value *Old;               ///< of the element, if it does not
  llvm::LoadInst *Load = nullptr; ///< or all that it does, if there is no store
};

/// What ends in a store in \p Then, in an innermost loop.
std::optional<Conditional> conditionalStore(llvm::BasicBlock &Then,
                                            const llvm::Loop &L);

/// Whether a step of the innermost loop \p L stores under a condition.
bool hasConditionalStore(const llvm::Loop &L);

/// Whether a step of the innermost loop \p L, in two others at least, loads an element
/// if another one is not zero: `s |= a[i][k] && b[k][j]`.
bool hasConditionalLoad(const llvm::Loop &L);

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
