//===- RowGroupStores.cpp - what steps in common store --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i < n                          half of a symmetric matrix
//     for k < i
//       s[i] += a[i][k] * x[k]
//       y[k] += a[i][k] * x[i]         is apart
//
// What is apart gets loops of its own, another product of the rows of a group:
//
//   for r < 16, for k < g
//     y[k] += a[g + r][k] * x[g + r]
//
// So each element of y is changed by one row after the other, as before.
//
//===----------------------------------------------------------------------===//

#include "RowGroupBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace tilesmith {

/// Whether sums take nothing from where steps store, which in turn take nothing from
/// sums.
bool RowGroup::storesApart(ArrayRef<Instruction *> OfSums,
                           ArrayRef<Instruction *> OfStores) const {
  auto IsSum = [&](const Value *V) {
    return is_contained(Sums, dyn_cast<PHINode>(V));
  };
  return !OfStores.empty() && none_of(OfSums, [&](Instruction *I) {
    return isElementOfStored(*I);
  }) && none_of(OfStores, [&](Instruction *I) {
    return any_of(I->operands(), IsSum);
  });
}

/// Whether \p I loads or stores an element of something that steps store to.
bool RowGroup::isElementOfStored(const Instruction &I) const {
  auto *Touch = find_if(Touches, [&](const RowTouch &T) { return T.I == &I; });
  return Touch != Touches.end() && any_of(Stored, [&](const StoredVector &V) {
           return V.StoresSteps && V.Base == SE.getPointerBase(Touch->At);
         });
}

/// The loops over rows and the steps in common that store what these make.
void GroupBuilder::emitStores() {
  if (G.Apart.empty())
    return;
  for (BasicBlock *BB : {StoresHead, StoreStepsHead, StoresEnd})
    BB->getTerminator()->eraseFromParent();
  B.SetInsertPoint(StoresHead);
  B.SetCurrentDebugLocation(G.Body->getTerminator()->getDebugLoc());
  PHINode *R = B.CreatePHI(I64, 2, "r");
  R->addIncoming(B.getInt64(0), RowsEnd);
  CommonRow Row;
  loadRow(Row, R, G.Apart);
  B.CreateBr(StoreStepsHead);

  B.SetInsertPoint(StoreStepsHead);
  PHINode *Step = B.CreatePHI(I64, 2, "k");
  Step->addIncoming(B.getInt64(0), StoresHead);
  copyStep(Row, G.Apart, Step);
  Value *Next = B.CreateAdd(Step, B.getInt64(1), "", /*HasNUW=*/true,
                            /*HasNSW=*/true);
  Step->addIncoming(Next, StoreStepsHead);
  B.CreateCondBr(B.CreateICmpEQ(Next, Common), StoresEnd, StoreStepsHead);

  B.SetInsertPoint(StoresEnd);
  endRows(R, StoresHead, EndHead);
  B.SetCurrentDebugLocation(DebugLoc());
}

} // namespace tilesmith
