//===- Surroundings.h - what stands around a contraction -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_SURROUNDINGS_H
#define TILESMITH_IDIOM_SURROUNDINGS_H

#include "tilesmith/Idiom/Access.h"

namespace llvm {
class BasicBlock;
class Loop;
class StoreInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// A value computed in the nest and used after it, and what it is there.
struct ValueAfter {
  llvm::Instruction *Value;
  const llvm::SCEV *After;
};

/// C, where it is no array of the source: the sums go to a matrix of their own,
/// row-major, from which the rest takes them. Rows and Columns say by the loops
/// whose counters, with their last values, an element is found.
struct Scratch {
  struct Counter {
    llvm::Loop *L;
    const llvm::SCEV *Last;
    bool IsReversed;               ///< the index is Last less the counter
    llvm::Loop *MovedBy = nullptr; ///< the index is the sum of both counters
  };
  llvm::SmallVector<Counter, 2> Rows, Columns;
  llvm::Instruction *Sum = nullptr;
  /// If set, the sum of the other part of a complex number, which is right behind
  /// it; the index along Parts is that of a number.
  llvm::Instruction *Second = nullptr;
  Dim Parts = N;
  /// If set, the nest has a row of sums in memory, which is used again for
  /// each row: UpdateStore stores there, in this loop over k.
  llvm::Loop *Once = nullptr;
};

/// What a store of sums is to store before there are any.
struct InitialValue {
  llvm::StoreInst *Store;
  llvm::Value *Value;
  /// Where there are no steps, it stores what it would without these values.
  bool IsFinishedIfEmpty = false;
};

/// The name of a loop's property: it was made of a sum that was written out in a
/// loop over adjacent elements.
extern const char WrittenOutMark[];

/// The name of a loop's property: LLVM would unroll it, the innermost one, and that
/// over steps around it, and make vectors across rows, with gathers.
inline constexpr char UnrollsRowsMark[] = "tilesmith.unrolls-rows";

/// The name of a loop's property: it is left over of a nest, and vectors would be
/// fused in another way than the source's scalars. It tells nothing to what looks
/// for further products.
extern const char ScalarMark[];

/// The name of a loop's property: the plugin keeps LLVM from unrolling it, until it
/// is replaced.
extern const char ProtectedMark[];

/// Marks stores that must not be made where they change nothing: where the
/// source might not store.
extern const char StoresChangesMark[];
bool storesChangesOnly(const llvm::Instruction &Write);

/// Marks loads that the source makes only if another element passes a test, and that
/// test, with one node: whether it is true then.
extern const char LoadedIfMark[];
bool isLoadedUnderCondition(const llvm::Instruction &I);

/// Marks loads of C that the source does not make: where it stores nothing, the element
/// need not exist.
extern const char NotLoadedMark[];

/// Marks what an element becomes in any case, in front of a store under a
/// condition: only a nest behind a product is looked at in this way.
extern const char ChoiceOfStoreMark[];
/// What is marked in front of \p Store, if anything is.
llvm::Instruction *choiceOfStore(const llvm::Instruction &Store);
bool hasChoiceOfStore(const llvm::BasicBlock *BB);

/// The loops of a nest in the source, and what they do besides the contraction.
struct Surroundings {
  llvm::Loop *Root = nullptr;               ///< the outermost loop replaced
  llvm::SmallVector<llvm::Loop *, 4> Loops; ///< the chain, outermost first
  llvm::Loop *Next = nullptr; ///< if set, the nest behind it is replaced, too
  /// What the ends of the chain go along, if that is M, N or K.
  std::optional<Dim> Outermost, Innermost;
  bool sumsInnermost() const { return Innermost == K; }
  /// A hint there lets LLVM make vectors along k, which sum in another order.
  bool MayReorder = false;
  /// Loops over places and taps move C together, so they are no indices: a step
  /// of one may go on with the element that another one of the other has updated.
  bool IsScatter = false;
  bool ScattersTaps = false; ///< the innermost loop is over taps
  /// The source has no loop over k, but all steps in one expression, and LLVM
  /// makes vectors of the loop around it.
  bool IsWrittenOut = false;
  /// LLVM unrolls the innermost loop if it is left.
  bool IsUnrolledElse = false;
  bool UnrollsRows = false; ///< see UnrollsRowsMark

  llvm::StoreInst *UpdateStore = nullptr;
  /// Other writes of the nest to C that the contraction accounts for: an
  /// initialisation, partial sums, the copies of an unrolled update.
  llvm::SmallVector<llvm::Instruction *, 2> Absorbed;
  /// The initialisation is the first step over k.
  bool HasStepBefore = false;

  /// What else the nest writes, to be done by a copy of it without the product.
  llvm::SmallVector<llvm::Instruction *, 2> RestWrites;
  /// What the same copy computes for the code behind the nest.
  llvm::SmallVector<llvm::Instruction *, 1> RestResults;
  enum class RestRuns { Before, After } Rest = RestRuns::After;
  /// Loops of the chain that must not become vectors in a copy without the
  /// loops further in.
  llvm::SmallVector<llvm::Loop *, 1> ScalarLoops;
  /// The values of the rest that are those stored to C.
  llvm::SmallVector<llvm::Instruction *, 1> StoredValues;
  /// If any, a copy of the nest stores these values to the elements of C first,
  /// for Start to read: sums start from another array.
  llvm::SmallVector<InitialValue, 1> Initials;
  std::optional<Scratch> ToScratch; ///< if set, C's base means nothing

  llvm::SmallVector<ValueAfter, 1> Results;

  /// Edges that are not taken where a kernel has not given up: to what is done
  /// where a product is NaN.
  struct Edge {
    llvm::BasicBlock *From, *To;
  };
  llvm::SmallVector<Edge, 1> NeverTaken;
  /// Whether what is tested for NaN there is added to the sum, which is NaN then.
  bool TestsAddends = true;

  /// Whether copies of the nest do something besides the product.
  bool hasRest() const {
    return ToScratch || !Initials.empty() || !RestWrites.empty() ||
           !RestResults.empty();
  }

  void visitSCEVs(SCEVVisitor Visit) const;
};

} // namespace tilesmith

#endif
