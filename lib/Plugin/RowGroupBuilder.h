//===- RowGroupBuilder.h - loops over groups of rows ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The loops that come out:
//
//   group:    how the next rows' steps overlap; too little: source's rows
//   begin:    each row of the group up to the steps that all rows make
//   common:   these, which are a product
//   stores:   what they store, if that is apart: another product
//   end:      what remains of each row
//
// Values that parts of a row hand over are in tables with an element for each row
// of a group.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ROWGROUPBUILDER_H
#define TILESMITH_LIB_PLUGIN_ROWGROUPBUILDER_H

#include "RowGroup.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class DominatorTree;
class LoopInfo;
} // namespace llvm

namespace tilesmith {

/// More rows or steps than these are no number to compute with.
constexpr uint64_t ManyRows = uint64_t(1) << 31;

/// Makes the loops of one group of rows after the other.
class GroupBuilder {
public:
  GroupBuilder(RowGroup &G, llvm::ScalarEvolution &SE, llvm::LoopInfo &LI,
               llvm::DominatorTree &DT)
      : G(G), F(*G.Body->getParent()), SE(SE), LI(LI), DT(DT),
        B(F.getContext()), I64(B.getInt64Ty()), Ptr(B.getPtrTy()),
        Expander(SE, "tilesmith", /*PreserveLCSSA=*/false) {}

  bool mayExpand();
  /// Returns the block of the steps in common. Few rows go in groups, too, if
  /// \p OfAnySize.
  llvm::BasicBlock *run(bool OfAnySize);

private:
  using Map = llvm::ValueToValueMapTy;

  // RowGroupBuilder.cpp: the loop over groups.
  llvm::Value *expand(const llvm::SCEV *S);
  llvm::Value *inRow(const llvm::SCEV *S, llvm::Value *Row) {
    return expand(G.inRow(S, Row));
  }
  llvm::Value *moved(llvm::Value *Pointer, llvm::Value *Times, int64_t Step) {
    return B.CreatePtrAdd(Pointer, B.CreateMul(Times, B.getInt64(Step)));
  }
  void addPreheaders();
  void copyRows(llvm::BasicBlock *Source);
  void createBlocks();
  /// Replaces the end of \p BB.
  void beginIn(llvm::BasicBlock *BB) {
    BB->getTerminator()->eraseFromParent();
    B.SetInsertPoint(BB);
  }
  void emitEntry(llvm::BasicBlock *Source, bool OfAnySize);
  void emitGroups(llvm::BasicBlock *Source);
  void emitSlowRows();
  void markFallbacks();

  // RowGroupTests.cpp: whether the next rows go in a group.
  std::pair<llvm::Value *, llvm::Value *> rangeOf(llvm::Value *Row);
  llvm::Value *placesBetween(llvm::Value *From, llvm::Value *To) {
    return B.CreateAShr(B.CreateSub(To, From),
                        B.getInt64(llvm::Log2_64(G.size())));
  }
  llvm::Value *areLong();
  llvm::Value *areApart(llvm::Value *AllBeginAtOnce);
  llvm::Value *alsoFits(llvm::Value *Others, llvm::Value *Row);
  llvm::Value *upwards(llvm::Value *Pointer, int64_t Step);
  llvm::Value *isBehind(const StoredVector &V, llvm::Value *Row,
                        llvm::Value *Stop);
  llvm::Value *stopOf(const StoredVector &V, llvm::Value *Row);
  void emitBounds();
  void emitChoice();

  // RowGroupRows.cpp: the parts of its rows.
  llvm::Value *elementOf(const llvm::Value *Of, llvm::Type *Ty, llvm::Value *R);
  llvm::Value *load(const llvm::Value *Of, llvm::Type *Ty, llvm::Value *R) {
    return B.CreateLoad(Ty, elementOf(Of, Ty, R));
  }
  void store(const llvm::Value *Of, llvm::Value *V, llvm::Value *R) {
    B.CreateStore(V, elementOf(Of, V->getType(), R));
  }
  llvm::PHINode *beginRows(llvm::BasicBlock *Header, llvm::BasicBlock *From,
                           Map &Of, const llvm::Twine &Name);
  void endRows(llvm::PHINode *R, llvm::BasicBlock *Header,
               llvm::BasicBlock *Next);
  llvm::Value *cloneInto(llvm::Value *V, Map &Of);
  void nextRow(Map &Of);
  void emitSteps(Map &Of, llvm::Value *Count, llvm::BasicBlock *After,
                 const llvm::Twine &Name);
  void copyPrefix(Map &Of);
  void emitBegin();
  /// A row in the steps in common: what values of the source are, where it is
  /// accessed, and its sums.
  struct CommonRow {
    Map Of;
    llvm::DenseMap<const llvm::Instruction *, llvm::Value *> At;
    llvm::SmallVector<llvm::Value *, 2> Sums;
  };
  void loadRow(CommonRow &Row, llvm::Value *R,
               llvm::ArrayRef<llvm::Instruction *> Data);
  bool runsBackwards(llvm::ArrayRef<llvm::Instruction *> Data) const;
  void copyStep(CommonRow &Row, llvm::ArrayRef<llvm::Instruction *> Data,
                llvm::Value *Step);
  void emitCommonSteps(CommonRow &Row);
  void emitCommon();
  // RowGroupStores.cpp: what their steps store.
  void emitStores();
  llvm::BasicBlock *emitEnd();

  RowGroup &G;
  llvm::Function &F;
  llvm::ScalarEvolution &SE;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::IRBuilder<> B;
  llvm::Type *I64, *Ptr;
  llvm::SCEVExpander Expander;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> Tables;
  unsigned NumRows = 0;            ///< of a group
  llvm::PHINode *Number = nullptr; ///< of the group's first row
  llvm::Value *AllRows = nullptr;
  Map OfGroup; ///< the first row's counters

  // The blocks, in order.
  llvm::BasicBlock *First, *Pre; ///< in front of all rows
  llvm::BasicBlock *GroupHead, *BoundsHead, *Test, *Fast;
  llvm::BasicBlock *BeginHead, *BeginJoin, *BeginEnd;
  llvm::BasicBlock *RowsHead, *StepsHead, *RowsEnd;
  llvm::BasicBlock *StoresHead, *StoreStepsHead, *StoresEnd;
  llvm::BasicBlock *EndHead, *EndJoin, *GroupEnd;
  // What the next group begins with.
  llvm::PHINode *NextNumber = nullptr;
  llvm::SmallVector<llvm::PHINode *, 4> NextCounters;
  // The source's rows once more.
  llvm::Loop *Slow = nullptr;
  llvm::BasicBlock *SlowPre = nullptr;
  Map OfSlow;

  // What the bounds of the group's rows say.
  llvm::Value *Fits = nullptr;     ///< whether each row is as expected
  llvm::Value *AreWhole = nullptr; ///< whether steps are at the same places
  llvm::Value *Earliest = nullptr; ///< where the first of them begins
  /// Whether elements that rows begin with are behind all steps of the rows before.
  llvm::Value *AreBehind = nullptr;
  llvm::Value *From = nullptr, *To = nullptr, *Common = nullptr;
  llvm::SmallVector<std::pair<const llvm::Instruction *, llvm::Value *>, 4>
      Firsts; ///< where the steps in common begin in the first row
};

} // namespace tilesmith

#endif
