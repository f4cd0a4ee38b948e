//===- Rewrite.cpp - the Rewrite room's entry -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   preheader:                  preheader:
//     br nest                     br large enough, check, nest
//                               check:
//                        =>       br safe, fast, nest
//                               fast:
//                                 done = kernel(...)
//                                 br done, exit, nest
//   nest:                       nest:
//     ... br exit                 ... br exit
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Rewrite/Rewrite.h"
#include "Guard.h"
#include "KernelBuilder.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace tilesmith {

const char FallbackMark[] = "tilesmith.fallback";

bool isMarkedAsFallback(const Loop &L) {
  return findOptionMDForLoop(&L, FallbackMark) != nullptr;
}

/// \p F now allocates, and reads back the sums it stored: forget what was
/// inferred to the contrary about it and about its callers.
static void weakenInferredAttributes(Function &F) {
  SmallVector<Function *, 8> Work{&F};
  SmallPtrSet<Function *, 8> Seen;
  while (!Work.empty()) {
    Function *Cur = Work.pop_back_val();
    if (!Seen.insert(Cur).second)
      continue;
    MemoryEffects Effects =
        Cur->getMemoryEffects() | MemoryEffects::inaccessibleOrArgMemOnly();
    if (isModSet(Effects.getModRef(IRMemLocation::Other)))
      Effects |= MemoryEffects::unknown();
    Cur->setMemoryEffects(Effects);
    Cur->removeFnAttr(Attribute::NoSync);
    for (Argument &A : Cur->args())
      A.removeAttr(Attribute::WriteOnly);
    for (User *U : Cur->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != Cur)
        continue;
      if (Call->hasFnAttr(Attribute::Memory))
        Call->setMemoryEffects(Call->getMemoryEffects() | Effects);
      for (unsigned I = 0, E = Call->arg_size(); I < E; ++I)
        Call->removeParamAttr(I, Attribute::WriteOnly);
      Work.push_back(Call->getFunction());
    }
  }
}

std::variant<FastPath, Refusal> rewrite(const Contraction &Found,
                                        const Plan &How,
                                        const NestAnalyses &Analyses,
                                        const TargetLibraryInfo &TLI) {
  const Contraction Op = How.Mirrored ? Found.mirrored() : Found;
  if (!TLI.has(LibFunc_malloc) || !TLI.has(LibFunc_free))
    return Refusal{Reason::NoMalloc, Op.UpdateStore};
  if (!canBuildGuard(Op, Analyses.SE))
    return Refusal{Reason::NotAffine, Op.UpdateStore};

  BasicBlock *Preheader = Op.Root->getLoopPreheader();
  if (!Preheader)
    Preheader = InsertPreheaderForLoop(Op.Root, &Analyses.DT, &Analyses.LI,
                                       /*MSSAU=*/nullptr,
                                       /*PreserveLCSSA=*/false);
  formDedicatedExitBlocks(Op.Root, &Analyses.DT, &Analyses.LI,
                          /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  BasicBlock *Exit = Op.Root->getUniqueExitBlock();
  GuardBuilder Guard(Op, How, Analyses.SE, Preheader->getTerminator());
  Function &F = *Preheader->getParent();
  Function *Kernel = KernelBuilder(Op, How).build();
  Value *IsLarge = Guard.emitSizeTest();

  DomTreeUpdater DTU(Analyses.DT, DomTreeUpdater::UpdateStrategy::Eager);
  BasicBlock *NestEntry =
      SplitBlock(Preheader, Preheader->getTerminator(), &DTU, &Analyses.LI,
                 nullptr, "tilesmith.original");
  auto NewBlock = [&](const Twine &Name) {
    auto *BB = BasicBlock::Create(F.getContext(), Name, &F, NestEntry);
    if (Loop *Outer = Analyses.LI.getLoopFor(Preheader))
      Outer->addBasicBlockToLoop(BB, Analyses.LI);
    return BB;
  };
  BasicBlock *Check = NewBlock("tilesmith.check");
  BasicBlock *Fast = NewBlock("tilesmith.fast");
  Preheader->getTerminator()->eraseFromParent();
  IRBuilder<> Builder(Preheader);
  Builder.SetCurrentDebugLocation(Op.UpdateStore->getDebugLoc());
  Builder.CreateCondBr(IsLarge, Check, NestEntry);

  // Everything the kernel takes is computed with the checks.
  Builder.SetInsertPoint(Check);
  BranchInst *Enter = Builder.CreateCondBr(Builder.getTrue(), Fast, NestEntry);
  Guard.moveTo(Enter);
  Enter->setCondition(Guard.emitSafetyTest());
  SmallVector<Value *, 16> Args = {
      Guard.base(Op.A), Guard.stride(Op.A, M), Guard.stride(Op.A, K),
      Guard.base(Op.B), Guard.stride(Op.B, N), Guard.stride(Op.B, K),
      Guard.base(Op.C), Guard.stride(Op.C, M), Guard.stride(Op.C, N),
      Guard.extent(M),  Guard.extent(N),       Guard.extent(K)};
  for (Value *Scalar : invariantsOf(Op))
    Args.push_back(Guard.valueOf(Scalar));

  Builder.SetInsertPoint(Fast);
  CallInst *Done = Builder.CreateCall(Kernel, Args);
  Builder.CreateCondBr(Done, Exit, NestEntry);
  for (PHINode &Phi : Exit->phis())
    Phi.addIncoming(Phi.getIncomingValue(0), Fast);
  DTU.applyUpdates({{DominatorTree::Insert, Preheader, Check},
                    {DominatorTree::Insert, Check, Fast},
                    {DominatorTree::Insert, Check, NestEntry},
                    {DominatorTree::Insert, Fast, NestEntry},
                    {DominatorTree::Insert, Fast, Exit}});

  for (Loop *L : Op.Loops)
    addStringMetadataToLoop(L, FallbackMark, 1);
  weakenInferredAttributes(F);
  return FastPath{Check, Fast};
}

void outline(const FastPath &Path) {
  Function &F = *Path.Check->getParent();
  DominatorTree DT(F);
  CodeExtractor Extractor({Path.Check, Path.Call}, &DT, /*AggregateArgs=*/false,
                          /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                          /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                          /*AllocationBlock=*/nullptr, "tilesmith");
  if (!Extractor.isEligible())
    return;
  CodeExtractorAnalysisCache Cache(F);
  Function *Outlined = Extractor.extractCodeRegion(Cache);
  if (!Outlined)
    return;
  Outlined->addFnAttr(Attribute::NoInline);
  Outlined->addFnAttr("tilesmith", "off");
}

} // namespace tilesmith
