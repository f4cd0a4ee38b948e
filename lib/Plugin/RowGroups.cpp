//===- RowGroups.cpp - rows that build on each other, in groups -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"
#include "FunctionCopy.h"
#include "JoinedExit.h"
#include "LoopShape.h"
#include "RowGroupBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace tilesmith {

/// Calls \p Fn with the rows around \p Inner, if they may go in groups.
static bool ifGrouped(Loop &Inner, FunctionAnalysisManager &FAM,
                      function_ref<void(GroupBuilder &)> Fn) {
  Function &F = *Inner.getHeader()->getParent();
  ScalarEvolution SE = scalarEvolution(F, FAM);
  RowGroup Group(Inner, SE, FAM.getResult<AAManager>(F));
  if (!Group.prepare())
    return false;
  GroupBuilder Builder(Group, SE, FAM.getResult<LoopAnalysis>(F),
                       FAM.getResult<DominatorTreeAnalysis>(F));
  if (!Builder.mayExpand())
    return false;
  Fn(Builder);
  return true;
}

static Loop &loopAt(BasicBlock &Header, FunctionAnalysisManager &FAM) {
  return *FAM.getResult<LoopAnalysis>(*Header.getParent()).getLoopFor(&Header);
}

/// Leaves the rows around \p Inner behind their latch, if the last one may go on to
/// there.
static void joinRows(Loop &Inner, FunctionAnalysisManager &FAM) {
  leaveBehindLatch(*Inner.getParentLoop(), *Inner.getHeader()->getParent(),
                   FAM);
}

/// Whether the rows around \p L may go in groups, or are to be looked at in a copy.
static bool isPossible(Loop &L, FunctionAnalysisManager &FAM) {
  if (!L.isInnermost() || !L.getParentLoop())
    return false;
  return isLeftElsewhere(*L.getParentLoop()) ||
         ifGrouped(L, FAM, [](GroupBuilder &) {});
}

static bool isRefused(const Verdict &Is) {
  return std::holds_alternative<Refusal>(Is);
}

/// The headers of those of \p Loops for which it will be of use, which a copy of
/// the function tells.
static SmallVector<BasicBlock *, 2> findShared(Function &F,
                                               FunctionAnalysisManager &FAM,
                                               ArrayRef<Loop *> Loops,
                                               Judge Ask) {
  FunctionCopy Copied(F, FAM);
  Function &Copy = Copied.get();
  SmallVector<Loop *, 2> Joined;
  for (Loop *L : Loops) {
    Joined.push_back(&Copied.loopOf(*L));
    joinRows(*Joined.back(), FAM);
  }
  // Rows that are left behind their latch may be a product as they are.
  SmallVector<Loop *, 2> Refused;
  for (auto [L, Is] : zip_equal(Loops, Ask(Copy, Joined)))
    if (isRefused(Is))
      Refused.push_back(L);
  SmallVector<BasicBlock *, 2> Grouped, Steps, Result;
  for (Loop *L : Refused)
    ifGrouped(Copied.loopOf(*L), FAM, [&](GroupBuilder &Builder) {
      Grouped.push_back(L->getHeader());
      Steps.push_back(Builder.run(/*OfAnySize=*/false));
    });
  auto Common = map_to_vector<2>(
      Steps, [&](BasicBlock *Header) { return &loopAt(*Header, FAM); });
  for (auto [Header, Is] : zip_equal(Grouped, Ask(Copy, Common)))
    if (!isRefused(Is))
      Result.push_back(Header);
  return Result;
}

bool groupRows(Function &F, FunctionAnalysisManager &FAM,
               ArrayRef<Loop *> Candidates, bool OfAnySize, Judge Ask) {
  if (F.hasOptSize() || !FunctionCopy::isPossible(F))
    return false;
  SmallVector<Loop *, 2> Possible, Refused;
  for (Loop *L : Candidates)
    if (isPossible(*L, FAM))
      Possible.push_back(L);
  if (Possible.empty())
    return false;
  for (auto [L, Is] : zip_equal(Possible, Ask(F, Possible)))
    if (isRefused(Is))
      Refused.push_back(L);
  // Brought into another shape, they may be a product of all rows.
  for (Loop *L : findShapeable(F, FAM, Refused, Ask))
    erase(Refused, L);
  if (Refused.empty())
    return false;
  SmallVector<BasicBlock *, 2> Shared = findShared(F, FAM, Refused, Ask);
  for (BasicBlock *Header : Shared) {
    joinRows(loopAt(*Header, FAM), FAM);
    ifGrouped(loopAt(*Header, FAM), FAM,
              [&](GroupBuilder &Builder) { Builder.run(OfAnySize); });
  }
  return !Shared.empty();
}

} // namespace tilesmith
