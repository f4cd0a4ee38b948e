//===- LoopNest.h - the control structure around a product ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A LoopNest is a chain of three loops or more, each the parent of the next, and
// the blocks that run in it once every extent is at least one:
//
//   for i {                       the chain's first loop, the root
//     if (n > 0)                  an assumption: an invariant condition
//       for j' { c[i][j'] = 0; }  a sibling: a loop beside the chain
//     if (i > 0)                  a varying guard: the loop inside runs 0, 1,
//     2,
//       for j < i {               ... times
//         if (k > 0)              another assumption
//           for k { ... }
//       }
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_NEST_H
#define TILESMITH_LIB_IDIOM_NEST_H

#include "TripCount.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include <map>

namespace tilesmith {

constexpr unsigned MaxChainLength = 9;

/// A branch on a condition that varies; the loops are on its side \p Enters.
struct VaryingGuard {
  llvm::BranchInst *Branch;
  bool Enters;
};

/// A comparison that must be true for the loops to go on. Otherwise the program
/// comes to an end: a check of bounds.
struct Check {
  llvm::BranchInst *Branch;
  bool GoesOn; ///< on which side
};

/// What must come out as said for \p Condition to be \p Holds.
void collectConjuncts(
    llvm::Value *Condition, bool Holds,
    llvm::SmallVectorImpl<std::pair<llvm::Value *, bool>> &Into);

/// A comparison with zero of an element, or of what is made of it.
struct ZeroComparison {
  llvm::Value *Compared = nullptr;
  llvm::LoadInst *Load = nullptr; ///< of the element
  llvm::CmpInst::Predicate Passes = llvm::CmpInst::BAD_ICMP_PREDICATE;
};

/// A branch around steps in which none of the tests passes.
struct ZeroGuard {
  llvm::BranchInst *Branch;
  bool Enters; ///< the side on which one does
  llvm::SmallVector<ZeroComparison, 1> Tests;

  /// Where a step begins that is made.
  llvm::BasicBlock *made() const { return Branch->getSuccessor(!Enters); }
};

/// A branch on whether a value is NaN: a sum of products of elements, or a part of
/// a product of complex numbers.
struct NaNTest {
  llvm::BranchInst *Branch;
  bool IsNaN; ///< the side on which it is
  llvm::Value *Of;
  bool IsOfElements;

  llvm::BasicBlock *number() const { return Branch->getSuccessor(IsNaN); }
};

/// A branch around steps, which are made where all comparisons of counters come
/// out as they say: elsewhere, a window is beyond the border of an image.
struct BorderGuard {
  struct Comparison {
    llvm::CmpInst::Predicate Predicate;
    llvm::Value *X, *Y;
    const llvm::APInt *Mask = nullptr; ///< if set, of the bits of X
  };
  llvm::BranchInst *Branch;
  bool Enters; ///< the side on which a step is made
  llvm::SmallVector<Comparison, 4> Comparisons;
  llvm::SmallVector<Assumption, 1> Assumed; ///< on this side, too

  /// Where a step goes on that is made, or not made.
  llvm::BasicBlock *made() const { return Branch->getSuccessor(!Enters); }
  llvm::BasicBlock *leftOut() const { return Branch->getSuccessor(Enters); }
};

using LoopChain = llvm::SmallVector<llvm::Loop *, 4>;

/// A loop takes an array in chunks, of which each is full if the guard's tests pass.
struct Chunks {
  /// What is left, if LLVM does not know that it goes down by the size.
  llvm::PHINode *Phi;
  const llvm::SCEVAddRecExpr *Rest;
  const llvm::SCEV *Size;
};

class LoopNest {
public:
  /// Builds the nest of \p Length loops that ends in \p Innermost, or says why
  /// there is none.
  /// A memset behind a test that varies sets rows of C, unless \p MemSetsAreOfRest.
  static std::variant<LoopNest, Refusal> create(llvm::Loop &Innermost,
                                                unsigned Length,
                                                const NestAnalyses &Analyses,
                                                bool MemSetsAreOfRest = false);
  /// Whether it matters whose memsets are.
  static bool hasTestedMemSet(const llvm::Loop &Innermost, unsigned Length);

  llvm::Loop &root() const { return *Chain.front(); }
  llvm::Loop &innermost() const { return *Chain.back(); }

  /// Outermost first.
  LoopChain Chain;
  llvm::SmallVector<TripCount, 4> Counts; ///< may vary with outer loops
  llvm::SmallVector<llvm::Loop *, 2> Siblings;
  /// All loops inside the root that are not of the chain.
  llvm::SmallVector<llvm::Loop *, 2> Beside;
  llvm::SmallVector<Assumption, 4> Assumptions;
  llvm::SmallVector<VaryingGuard, 1> Guards;
  std::optional<ZeroGuard> Zeros;
  llvm::SmallVector<BorderGuard, 2> Borders;
  /// Whose comparisons must come out so in every iteration: what else would be
  /// done is not looked at.
  llvm::SmallVector<BorderGuard, 1> Certain;
  llvm::SmallVector<NaNTest, 1> NaNTests;
  llvm::SmallVector<Check, 4> Checks;
  llvm::SmallVector<Requirement, 1> MustHold;
  /// The blocks that run, in the order of first execution. Each does in every
  /// iteration of the loop around it, or else depends on whether a loop beside
  /// the chain is entered, or on a choice (see runsAlways).
  llvm::SetVector<llvm::BasicBlock *> Live;
  /// Conditions on which loops beside the chain are entered. Without one that
  /// is known, it varies.
  struct EntryCondition {
    llvm::Loop *Entered;
    llvm::BranchInst *Branch;
    std::variant<std::monostate, Assumption, Requirement> Condition = {};
  };
  llvm::SmallVector<EntryCondition, 1> Entries;
  /// A branch that chooses between ways beside the chain: whichever is taken, the
  /// chain's loops run.
  struct Choice {
    llvm::BranchInst *Branch;
    Refusal Why; ///< if what is chosen is not only the rest's business
  };
  llvm::SmallVector<Choice, 1> Choices;
  /// Adds what the guard has to test for the loops beside the chain around \p I
  /// to be entered; false if that varies.
  bool addEntryConditions(const llvm::Instruction &I,
                          llvm::SmallVectorImpl<Assumption> &ToAssume,
                          llvm::SmallVectorImpl<Requirement> &ToHold) const;

  /// Whether control may pass from \p From to \p To if the assumptions hold: in
  /// every iteration, or where a varying guard leads past the loops.
  bool mayRun(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const;
  /// Whether control may pass from \p From to \p To.
  bool isLive(const llvm::BasicBlock *From, const llvm::BasicBlock *To) const {
    return LiveEdges.contains({const_cast<llvm::BasicBlock *>(From),
                               const_cast<llvm::BasicBlock *>(To)});
  }

  /// Loads of a buffer, and the values that were stored there (see Buffers).
  llvm::SmallDenseMap<const llvm::LoadInst *, llvm::Value *, 2> Forwards;
  /// What a load reads by way of a buffer: the address, over the chain's
  /// counters, and the instruction that reads it.
  struct Source {
    const llvm::SCEV *Address;
    llvm::Instruction *Inst;
    llvm::Value *Pointer;
    llvm::Align Alignment;
  };
  llvm::SmallDenseMap<const llvm::Instruction *, Source, 2> Sources;
  /// Writes that might overlap a buffer.
  llvm::SmallPtrSet<const llvm::Instruction *, 2> MayBreakBuffers;

  /// Looks through phis that have one incoming value, and buffers.
  llvm::Value *resolve(llvm::Value *V) const;
  /// The same in \p S, and for pointers that several loops move in turn. Of
  /// invariant loads from one address, the first stands for all; what is frozen
  /// and never poison is what it is.
  const llvm::SCEV *resolve(const llvm::SCEV *S) const;
  /// \p S in \p Scope, where other loops of the chain have ended: at the counts
  /// that they have if the guard's tests pass.
  const llvm::SCEV *atScope(const llvm::SCEV *S, const llvm::Loop *Scope) const;
  /// The value a header phi takes when its loop is entered, and after one
  /// iteration.
  llvm::Value *incomingFromOutside(llvm::PHINode &Phi) const;
  llvm::Value *incomingFromLatch(const llvm::PHINode &Phi) const;

  /// Whether \p I may write what \p Load reads, as far as types and the like
  /// tell.
  bool mayWrite(const llvm::Instruction &I, const llvm::LoadInst &Load) const;

  /// Whether \p First runs before \p Second in each iteration of the innermost
  /// loop around both.
  bool precedes(const llvm::Instruction &First,
                const llvm::Instruction &Second) const;

  /// Whether \p I may be reached where \p Guard leads past the loops, in the
  /// same iteration of all loops around both, if \p Others do as well.
  bool leadsTo(const VaryingGuard &Guard, const llvm::Instruction &I,
               llvm::ArrayRef<const llvm::BranchInst *> Others) const;
  /// The guards of borders that let control come to \p I.
  llvm::SmallVector<const BorderGuard *, 2>
  bordersAround(const llvm::Instruction &I) const;

  /// Whether \p I, in a live block, runs in every iteration of the innermost
  /// loop around it.
  bool runsAlways(const llvm::Instruction &I) const;

  /// Whether \p L, beside the chain, is entered in every iteration of the loop
  /// around it, if its entry conditions hold.
  bool isEntered(const llvm::Loop &L) const;
  /// Whether control may pass from \p From to \p L in the same iteration.
  bool leadsTo(const llvm::BasicBlock &From, const llvm::Loop &L) const;
  /// The same from \p L to \p BB.
  bool mayFollow(const llvm::BasicBlock &BB, const llvm::Loop &L) const;

  /// The value \p I has after the nest, computed in front of it; null if it
  /// cannot be.
  const llvm::SCEV *valueAfter(llvm::Instruction &I) const;

  /// The address \p Access loads from or stores to; null unless it does so in
  /// every iteration of the loops that move the address.
  const llvm::SCEV *addressOf(const llvm::Instruction &Access) const;
  /// The same, without saying in which iterations it does.
  const llvm::SCEV *addressWhereRun(const llvm::Instruction &Access) const;

  /// Whether \p S varies with a loop of the nest that is not around \p User.
  bool isMisplaced(const llvm::SCEV *S, const llvm::Instruction &User) const;

  /// Whether \p V is the same in every iteration, and can be computed before
  /// the nest, provided that the nest's stores do not change what its
  /// loads from invariant addresses read.
  bool isInvariant(llvm::Value *V) const;
  bool isInvariant(const llvm::SCEV *S) const;

  /// Whether an invariant \p V depends on a load that is only known to be
  /// possible if assumptions hold.
  bool needsAssumptions(llvm::Value *V) const;
  /// Whether \p Load is only known to be possible if the first step is made,
  /// of those that are left out for zeros.
  bool needsStep(const llvm::LoadInst &Load) const;
  bool needsAssumptions(const llvm::SCEV *S) const;

  /// Appends the loads inside the nest that an invariant value is computed
  /// from, operands first.
  void collectLoads(llvm::Value *V,
                    llvm::SetVector<llvm::LoadInst *> &Into) const;
  void collectLoads(const llvm::SCEV *S,
                    llvm::SetVector<llvm::LoadInst *> &Into) const;

  /// A phi that chooses between loads from one address, as bounds are loaded
  /// again if a store might change them. One of the loads stands for it.
  struct Reload {
    llvm::LoadInst *Load = nullptr;
    /// If that is in front of the nest: the others, which must read the same.
    llvm::SmallVector<llvm::LoadInst *, 2> Again;
  };
  using Reloads = llvm::SmallMapVector<llvm::PHINode *, Reload, 2>;
  /// The phis of this kind that \p Values are computed from.
  Reloads reloadsBehind(llvm::ArrayRef<llvm::Value *> Values) const;

  /// Whether \p S is what is left of an array that is taken in chunks: not zero.
  bool isRestOfChunks(const llvm::SCEV *S) const;

  const NestAnalyses *Analyses = nullptr;

private:
  bool MemSetsAreOfRest = false;
  // LoopNest.cpp
  /// Whether \p To can be reached from \p From over the edges that \p Follow
  /// allows, none of them a back edge.
  bool reaches(const llvm::BasicBlock *From, const llvm::BasicBlock *To,
               llvm::function_ref<bool(const llvm::BasicBlock *,
                                       const llvm::BasicBlock *)>
                   Follow) const;
  bool reachesInNest(const llvm::BasicBlock *From,
                     const llvm::BasicBlock *To) const;
  Refused findLoops(llvm::Loop &Innermost, unsigned Length);
  Refused walk();
  /// The side to follow; null for both.
  std::variant<llvm::BasicBlock *, Refusal> followGuard(llvm::BasicBlock &BB);
  llvm::BasicBlock *followKnown(llvm::BranchInst &Br);
  std::variant<llvm::BasicBlock *, Refusal> followChoice(llvm::BranchInst &Br);
  std::optional<unsigned> sideTo(const llvm::Loop &L,
                                 const llvm::BranchInst &Br) const;
  std::optional<unsigned> sideOfLoops(const llvm::BranchInst &Br,
                                      llvm::Loop *&Target) const;
  void enterBeside(llvm::Loop &Target, llvm::BranchInst &Br, bool Holds);
  Refused enterChain(llvm::BranchInst &Br, bool Holds);
  bool isChoice(const llvm::BranchInst &Br) const;
  bool followZeroGuard(llvm::BranchInst &Br);
  bool collectZeroTests(llvm::Value *Condition, bool Passes,
                        llvm::SmallVectorImpl<ZeroComparison> &Tests) const;
  const llvm::BasicBlock *addZeroTests(const llvm::BasicBlock &BB);
  // NaNTest.cpp
  bool followNaNTest(llvm::BranchInst &Br);
  // Borders.cpp
  bool followBorder(llvm::BranchInst &Br);
  bool followCertain(llvm::BranchInst &Br);
  bool collectComparisons(llvm::Value *Condition, bool Holds,
                          BorderGuard &To) const;
  bool isIdleBeyond(const BorderGuard &Border) const;
  bool haveFixedLengthsBehind(const llvm::BranchInst &Br) const;
  const llvm::SCEV *insideBorders(const llvm::SCEV *S,
                                  const llvm::Instruction &Where) const;
  Refused count();
  std::optional<Requirement> requirement(const llvm::BranchInst &Br,
                                         llvm::Value *Condition,
                                         bool Holds) const;
  std::optional<Requirement> entry(const llvm::BranchInst &Br,
                                   const llvm::ICmpInst &Compare, bool Enters);
  bool assumePassed(const Check &C);
  void setReached(const llvm::BasicBlock &BB);
  void setReachedFrom(const llvm::BasicBlock &BB, const llvm::BasicBlock &Succ);

  // Chunks.cpp
  void findChunks();
  const llvm::SCEV *withFullChunks(const llvm::SCEV *S) const;
  Refused requireFullChunks(const llvm::Loop &L, const TripCount &Count);

  // NestValues.cpp
  const llvm::SCEV *resolveOnce(const llvm::SCEV *S) const;
  const llvm::SCEV *findAddress(const llvm::Instruction &Access) const;
  const std::optional<Reload> &reload(llvm::PHINode &Phi) const;
  llvm::LoadInst *firstLoad(llvm::LoadInst &Load) const;
  llvm::LoadInst *readInFront(const llvm::LoadInst &Load) const;
  std::optional<Reload> findReload(llvm::PHINode &Phi) const;
  const llvm::SCEV *recurrence(llvm::PHINode &Phi) const;
  const llvm::SCEV *eitherWay(llvm::PHINode &Phi) const; // EitherWay.cpp
  bool computeInvariant(llvm::Instruction &I) const;
  bool mayLoadInFront(const llvm::LoadInst &Load) const;
  bool runsUnconditionally(const llvm::LoadInst &Load) const;
  bool
  anyNeedsAssumptions(const llvm::SetVector<llvm::LoadInst *> &Loads) const;
  bool isWritten(const llvm::LoadInst &Load, bool Before) const;

  /// The blocks from which a block can be reached inside the nest, for each that
  /// was asked for.
  mutable llvm::DenseMap<const llvm::BasicBlock *,
                         llvm::SmallPtrSet<const llvm::BasicBlock *, 16>>
      ReachIn;
  llvm::DenseSet<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> LiveEdges;
  /// The blocks that run whenever the nest is entered and the first so many
  /// assumptions hold.
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Reached;
  /// Those of them that only run if the first step is made, too.
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> BehindZeros;
  /// Whether control never stays, or leaves, in the middle of a block.
  bool BlocksRunToTheirEnd = false;
  bool LeavesInOneWay = false; ///< the root
  bool IsWalked = false;       ///< Live is complete.
  bool IsComplete = false;     ///< The nest is.
  llvm::SmallVector<Chunks, 0> AllChunks;
  /// The loop whose first or last iteration varying guards are assumed to let
  /// in, and whether it is the last one.
  llvm::Loop *EnteredBy = nullptr;
  bool EnteredLast = false;
  // What has been found out; no answer depends on what was asked before.
  mutable llvm::DenseMap<llvm::Value *, bool> InvariantMemo;
  mutable llvm::SmallPtrSet<llvm::PHINode *, 4> Unresolved; ///< being computed
  mutable std::map<llvm::PHINode *, std::optional<Reload>> ReloadMemo;
  mutable llvm::DenseMap<llvm::LoadInst *, llvm::LoadInst *> FirstLoadMemo;
  mutable llvm::DenseMap<const llvm::Instruction *, const llvm::SCEV *>
      AddressMemo;
};

} // namespace tilesmith

#endif
