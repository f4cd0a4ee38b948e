//===- Plugin.cpp - registration ------------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Lowering/Lowering.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;

namespace tilesmith {
namespace {

struct LowerPass : PassInfoMixin<LowerPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &FAM) {
    return lowerMatrixIntrinsics(F, FAM) ? PreservedAnalyses::none()
                                         : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void registerCallbacks(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &FPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "tilesmith-lower")
          return false;
        FPM.addPass(LowerPass());
        return true;
      });
}

} // namespace
} // namespace tilesmith

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default")))
::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Tilesmith", "0.1.0",
          tilesmith::registerCallbacks, nullptr};
}
