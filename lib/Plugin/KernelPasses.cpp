//===- KernelPasses.cpp - what LLVM does with kernels ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelPasses.h"
#include "tilesmith/Kernel/Kernel.h"
#include "tilesmith/Support/Attributes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;

namespace tilesmith {

/// A function attribute: optnone is to go at the end of the pipeline.
static constexpr char Shielded[] = "tilesmith-shielded";

/// Whether a loop of \p F is to have several copies.
static bool hasLoopToUnroll(const Function &F) {
  return any_of(F, [](const BasicBlock &BB) {
    const MDNode *Loop = BB.getTerminator()->getMetadata(LLVMContext::MD_loop);
    if (!Loop)
      return false;
    const MDNode *Hint =
        GetUnrollMetadata(const_cast<MDNode *>(Loop), "llvm.loop.unroll.count");
    return !Hint ||
           !mdconst::extract<ConstantInt>(Hint->getOperand(1))->isOne();
  });
}

void finishKernels(Module &M, FunctionAnalysisManager &FAM) {
  mergeKernels(M, [&](Function &F) { FAM.clear(F, F.getName()); });
  // Micro kernels have been lowered to what they are.
  FunctionPassManager Simplification, Unrolling;
  Simplification.addPass(InstCombinePass());
  Simplification.addPass(EarlyCSEPass());
  Unrolling.addPass(LoopUnrollPass(
      LoopUnrollOptions(/*OptLevel=*/2, /*OnlyWhenForced=*/true)));
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasFnAttribute(InFinalShape))
      continue;
    auto Run = [&](FunctionPassManager &FPM) {
      FAM.invalidate(F, FPM.run(F, FAM));
    };
    if (!F.getName().starts_with("tilesmith.micro"))
      Run(Simplification);
    if (hasLoopToUnroll(F))
      Run(Unrolling);
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
