//===- Outline.cpp - fast paths become functions of their own -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedLoads.h"
#include "tilesmith/Rewrite/BlockedSteps.h"
#include "tilesmith/Rewrite/Rewrite.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/CodeExtractor.h"
#include "llvm/Transforms/Utils/Local.h"
#include <array>

using namespace llvm;

namespace tilesmith {

static CodeExtractor extractorOf(ArrayRef<BasicBlock *> Blocks,
                                 DominatorTree &DT) {
  return CodeExtractor(Blocks, &DT, /*AggregateArgs=*/false,
                       /*BFI=*/nullptr, /*BPI=*/nullptr, /*AC=*/nullptr,
                       /*AllowVarArgs=*/false, /*AllowAlloca=*/false,
                       /*AllocationBlock=*/nullptr, "tilesmith");
}

/// No other pass puts \p Outlined back, and no other run looks for products.
static void keep(Function &Outlined) {
  Outlined.removeFnAttr(Attribute::AlwaysInline);
  Outlined.addFnAttr(Attribute::NoInline);
  Outlined.addFnAttr("tilesmith", "off");
}

/// Lets the callers of \p Outlined keep their values in registers across the call.
static void keepRegisters(Function &Outlined) {
  const Triple &T = Outlined.getParent()->getTargetTriple();
  bool IsKnown = T.isX86_64() && !T.isX32() && !T.isOSWindows();
  // What is called in front of the function's own code may change them.
  bool IsTraced = any_of(
      std::array{"fentry-call", "function-instrument",
                 "patchable-function-entry", "xray-instruction-threshold"},
      [&](StringRef Name) { return Outlined.hasFnAttribute(Name); });
  if (!IsKnown || IsTraced)
    return;
  Outlined.setCallingConv(CallingConv::PreserveMost);
  for (User *U : Outlined.users())
    cast<CallInst>(U)->setCallingConv(CallingConv::PreserveMost);
}

/// Gives \p Path copies of the values that it takes from elsewhere: extraction
/// goes through all uses of each value, and the function may be full of them.
static SmallVector<FreezeInst *> copyInputs(const FastPath &Path) {
  BasicBlock *Before = Path.ToOutline.front()->getSinglePredecessor();
  if (!Before)
    return {};
  SmallMapVector<Value *, FreezeInst *, 16> Copies;
  for (BasicBlock *BB : Path.ToOutline)
    for (Instruction &I : *BB)
      for (Use &U : I.operands()) {
        auto *From = dyn_cast<Instruction>(U);
        if (From ? is_contained(Path.ToOutline, From->getParent())
                 : !isa<Argument>(U) || U->isSwiftError())
          continue;
        FreezeInst *&Copy = Copies[U];
        if (!Copy)
          Copy = new FreezeInst(U, "", Before->getTerminator()->getIterator());
        U = Copy;
      }
  return map_to_vector(Copies, [](auto &Copy) { return Copy.second; });
}

static void removeCopies(ArrayRef<FreezeInst *> Copies) {
  for (FreezeInst *Copy : Copies) {
    Value *V = Copy->getOperand(0);
    for (Use &U : Copy->uses())
      if (auto *Call = dyn_cast<CallInst>(U.getUser()))
        if (Function *Outlined = Call->getCalledFunction();
            Outlined && !Outlined->isDeclaration() && Call->isArgOperand(&U))
          Outlined->getArg(Call->getArgOperandNo(&U))->setName(V->getName());
    Copy->replaceAllUsesWith(V);
    Copy->eraseFromParent();
  }
}

/// What is known to be safe, and cannot fail, needs no fall-back.
static void simplify(const FastPath &Path, DomTreeUpdater &DTU) {
  for (BasicBlock *BB : Path.ToOutline) {
    SimplifyInstructionsInBlock(BB);
    ConstantFoldTerminator(BB, /*DeleteDeadConditions=*/false, /*TLI=*/nullptr,
                           &DTU);
  }
}

static void outline(const FastPath &Path, DominatorTree &DT,
                    const CodeExtractorAnalysisCache &Cache) {
  CodeExtractor Extractor = extractorOf(Path.ToOutline, DT);
  if (!Extractor.isEligible())
    return;
  SmallVector<FreezeInst *> Copies = copyInputs(Path);
  Function *Outlined = Extractor.extractCodeRegion(Cache);
  removeCopies(Copies);
  if (!Outlined)
    return;
  keep(*Outlined);
  if (Path.KeepsRegisters)
    keepRegisters(*Outlined);
  if (!Path.Small)
    return;
  Function *Kernel = Path.Small->getCalledFunction();
  for (StringRef Name : {"prefer-vector-width", "min-legal-vector-width"})
    Outlined->addFnAttr(Kernel->getFnAttribute(Name));
  InlineFunctionInfo Info;
  InlineFunction(*Path.Small, Info);
  if (Kernel->use_empty())
    Kernel->eraseFromParent();
}

void outline(Function &F, ArrayRef<FastPath> Paths) {
  if (Paths.empty())
    return;
  // Both are made for all paths: what becomes of one is nothing to the next.
  DominatorTree DT(F);
  CodeExtractorAnalysisCache Cache(F);
  DomTreeUpdater DTU(DT, DomTreeUpdater::UpdateStrategy::Eager);
  for (const FastPath &Path : Paths)
    if (!Path.ToOutline.empty()) {
      loadAgain(Path.ToOutline);
      simplify(Path, DTU);
    }
  // From here on, the tree is no longer exact.
  for (const FastPath &Path : Paths)
    if (!Path.ToOutline.empty())
      outline(Path, DT, Cache);
}

void outlineSteps(BasicBlock &First) {
  DominatorTree DT(*First.getParent());
  SmallVector<BasicBlock *, 32> Blocks;
  DT.getDescendants(&First, Blocks);
  CodeExtractor Extractor = extractorOf(Blocks, DT);
  if (!Extractor.isEligible())
    return;
  CodeExtractorAnalysisCache Cache(*First.getParent());
  if (Function *Outlined = Extractor.extractCodeRegion(Cache))
    keep(*Outlined);
}

} // namespace tilesmith
