//===- FallbackHalves.cpp - halves in the source's own loops --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FallbackHalves.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

/// A function attribute.
static constexpr char HasFallback[] = "tilesmith-fallback";

void markFallback(Function &F) { F.addFnAttr(HasFallback); }

/// Whether loads of halves fill one lane only, and nothing but that lane is widened.
static bool loadsIntoLanes(const Function &F) {
  return F.getParent()->getTargetTriple().isX86() && hasFeature(F, "avx2") &&
         hasFeature(F, "f16c") && !hasFeature(F, "avx512fp16");
}

/// Whether \p Load goes to a register for vectors, alone or with others.
static bool isComputedWith(const LoadInst &Load) {
  return Load.getType()->isHalfTy() && Load.isSimple() && !Load.use_empty() &&
         all_of(Load.users(), IsaPred<FPExtInst, InsertElementInst>);
}

/// The half of \p Load, in all lanes of a register. Code generation would see that one
/// lane is enough, if there were no fence.
static void fillLanes(LoadInst &Load) {
  IRBuilder<> B(Load.getNextNode());
  SmallVector<Use *, 2> Uses(make_pointer_range(Load.uses()));
  Value *Halves = B.CreateVectorSplat(8, &Load);
  auto *FloatsTy = FixedVectorType::get(B.getFloatTy(), 4);
  Value *Fenced =
      B.CreateArithmeticFence(B.CreateBitCast(Halves, FloatsTy), FloatsTy);
  Value *Half = B.CreateExtractElement(
      B.CreateBitCast(Fenced, Halves->getType()), uint64_t(0));
  for (Use *U : Uses)
    U->set(Half);
}

PreservedAnalyses FallbackHalvesPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  for (Function &F : M) {
    if (!F.hasFnAttribute(HasFallback))
      continue;
    F.removeFnAttr(HasFallback);
    Changed = true;
    SmallVector<LoadInst *, 16> Loads;
    if (loadsIntoLanes(F))
      for (Instruction &I : instructions(F))
        if (auto *Load = dyn_cast<LoadInst>(&I); Load && isComputedWith(*Load))
          Loads.push_back(Load);
    for (LoadInst *Load : Loads)
      fillLanes(*Load);
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tilesmith
