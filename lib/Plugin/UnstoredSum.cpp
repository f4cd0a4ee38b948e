//===- UnstoredSum.cpp - sums that are only looked at ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnstoredSum.h"
#include "tilesmith/Idiom/Recognize.h"
#include "tilesmith/Idiom/UnstoredSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tilesmith {

/// The name of the metadata of a place.
static constexpr char PlaceMark[] = "tilesmith.place";

bool hasUnstoredSum(const Loop &L) {
  return !unstoredSums(L).empty() && looksLikeProduct(L);
}

/// \p Sum where \p Exit begins: itself, or a phi that it comes to; null if there
/// is none.
static Value *atExit(Instruction &Sum, BasicBlock &Exit,
                     const DominatorTree &DT) {
  if (DT.properlyDominates(Sum.getParent(), &Exit))
    return &Sum;
  for (PHINode &Phi : Exit.phis())
    if (is_contained(Phi.operand_values(), &Sum))
      return &Phi;
  return nullptr;
}

void storeSums(Loop &L, const DominatorTree &DT) {
  if (!hasUnstoredSum(L))
    return;
  BasicBlock &Exit = *L.getUniqueExitBlock();
  BasicBlock &Entry = Exit.getParent()->getEntryBlock();
  for (Instruction *Sum : unstoredSums(L))
    if (Value *Stored = atExit(*Sum, Exit, DT)) {
      IRBuilder<> B(&Entry, Entry.begin());
      AllocaInst *Place = B.CreateAlloca(Sum->getType());
      Place->setMetadata(PlaceMark, MDNode::get(B.getContext(), {}));
      B.SetInsertPoint(&Exit, Exit.getFirstInsertionPt());
      B.SetCurrentDebugLocation(Sum->getDebugLoc());
      B.CreateStore(Stored, Place);
    }
}

void removePlaces(Function &F) {
  for (Instruction &I : make_early_inc_range(F.getEntryBlock())) {
    if (!I.getMetadata(PlaceMark))
      continue;
    for (User *U : make_early_inc_range(I.users()))
      if (auto *User = cast<Instruction>(U); User->use_empty())
        User->eraseFromParent();
    // A test in front of another product may compare the place with arrays.
    if (I.use_empty())
      I.eraseFromParent();
    else
      I.setMetadata(PlaceMark, nullptr);
  }
}

} // namespace tilesmith
