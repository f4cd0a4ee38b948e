//===- ShapedNest.cpp - a nest once more, to be changed -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapedNest.h"
#include "ConditionalStore.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

CopiedLoop copyBeside(Loop &Source, StringRef Suffix, ValueToValueMapTy &Map,
                      LoopInfo &LI, DominatorTree &DT) {
  formLCSSARecursively(Source, DT, &LI, /*SE=*/nullptr);
  BasicBlock *From = Source.getLoopPreheader();
  if (!From)
    From = InsertPreheaderForLoop(&Source, &DT, &LI, /*MSSAU=*/nullptr,
                                  /*PreserveLCSSA=*/true);
  BasicBlock *Preheader =
      SplitBlock(From, From->getTerminator(), &DT, &LI, /*MSSAU=*/nullptr);
  SmallVector<BasicBlock *, 16> Blocks;
  Loop *Copy = cloneLoopWithPreheader(Preheader, From, &Source, Map, Suffix,
                                      &LI, &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Map);

  // Both are left for the same places.
  SmallVector<BasicBlock *, 2> Exits;
  Source.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    for (PHINode &Phi : Exit->phis())
      for (BasicBlock *Exiting : to_vector(Phi.blocks()))
        if (auto *Copied = cast_or_null<BasicBlock>(Map.lookup(Exiting))) {
          Value *V = Phi.getIncomingValueForBlock(Exiting);
          Value *Mapped = Map.lookup(V);
          Phi.addIncoming(Mapped ? Mapped : V, Copied);
        }
    DT.changeImmediateDominator(
        Exit, DT.findNearestCommonDominator(
                  From, DT.getNode(Exit)->getIDom()->getBlock()));
  }
  return {Copy, From, Preheader};
}

std::pair<ShapedNest, Loop *> copyNest(Loop &Source, Loop &Inner, LoopInfo &LI,
                                       DominatorTree &DT) {
  ValueToValueMapTy Map;
  CopiedLoop Copied = copyBeside(Source, ".shaped", Map, LI, DT);
  ReplaceInstWithInst(
      Copied.From->getTerminator(),
      BranchInst::Create(Copied.Copy->getLoopPreheader(), Copied.Preheader,
                         ConstantInt::getTrue(Copied.From->getContext())));

  ShapedNest Result{cast<BranchInst>(Copied.From->getTerminator()),
                    &Source,
                    Source.getLoopID(),
                    Copied.Copy,
                    {}};
  addStringMetadataToLoop(&Source, FallbackMark, 1);
  return {Result, LI.getLoopFor(cast<BasicBlock>(Map[Inner.getHeader()]))};
}

void removeLoops(ArrayRef<ShapedNest> Nests, LoopInfo &LI,
                 ArrayRef<BasicBlock *> Replaced) {
  if (Nests.empty())
    return;
  for (const ShapedNest &Nest : Nests) {
    BasicBlock *Source = Nest.Choice->getSuccessor(1);
    bool IsOfUse = false;
    for (BasicBlock *Header : Nest.Headers) {
      const Loop &Version = *LI.getLoopFor(Header);
      bool HasFastPath = is_contained(Replaced, Header);
      bool HasPart = !HasFastPath && !mustNotRun(Version) &&
                     any_of(Replaced, [&](BasicBlock *Other) {
                       return Version.contains(Other);
                     });
      IsOfUse |= HasFastPath || HasPart;
      if (HasPart)
        continue;
      for (BasicBlock *Pred : to_vector(predecessors(Header)))
        if (!Version.contains(Pred))
          Pred->getTerminator()->replaceSuccessorWith(Header, Source);
    }
    if (!IsOfUse)
      Nest.Source->setLoopID(Nest.SourceID);
    if (IsOfUse && !isa<Constant>(Nest.Choice->getCondition()))
      continue; // The copy needs a test.
    BasicBlock *Next = IsOfUse ? Nest.Choice->getSuccessor(0) : Source;
    ReplaceInstWithInst(Nest.Choice, BranchInst::Create(Next));
  }
  EliminateUnreachableBlocks(*Nests.front().Source->getHeader()->getParent());
}

} // namespace tilesmith
