//===- KernelPasses.cpp - what LLVM does with kernels ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"
#include "tilesmith/Support/Attributes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

using namespace llvm;

namespace tilesmith {

/// A function attribute: optnone is to go at the end of the pipeline.
static constexpr char Shielded[] = "tilesmith-shielded";

void finishKernels(Module &M, FunctionAnalysisManager &FAM) {
  // Micro kernels have been lowered to what they are.
  FunctionPassManager OfMicroKernels, OfOthers;
  OfOthers.addPass(InstCombinePass());
  OfOthers.addPass(EarlyCSEPass());
  for (FunctionPassManager *FPM : {&OfMicroKernels, &OfOthers})
    FPM->addPass(LoopUnrollPass(
        LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(InFinalShape))
      continue;
    bool IsMicroKernel = F.getName().starts_with("tilesmith.micro");
    FAM.invalidate(F, (IsMicroKernel ? OfMicroKernels : OfOthers).run(F, FAM));
    F.removeFnAttr(InFinalShape);
    F.addFnAttr(Shielded);
    F.addFnAttr(Attribute::OptimizeNone);
  }
}

PreservedAnalyses ReleaseKernelsPass::run(Module &M, ModuleAnalysisManager &) {
  for (Function &F : M)
    if (F.hasFnAttribute(Shielded)) {
      F.removeFnAttr(Attribute::OptimizeNone);
      F.removeFnAttr(Shielded);
    }
  return PreservedAnalyses::all();
}

} // namespace tilesmith
