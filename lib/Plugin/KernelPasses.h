//===- KernelPasses.h - what LLVM does with kernels -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are born in their final shape, and most passes of LLVM's pipeline
// find nothing to do in them, which takes a fourth of the time that they cost.
// So the few that do are run right away, and the others are kept out, until
// the end of the pipeline, by the attribute optnone.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_KERNELPASSES_H
#define TILESMITH_LIB_PLUGIN_KERNELPASSES_H

#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Runs the passes that kernels in their final shape need. The others leave these
/// alone until ReleaseKernelsPass.
void finishKernels(llvm::Module &M, llvm::FunctionAnalysisManager &FAM);

/// Takes the attribute away, so that code generation optimises.
struct ReleaseKernelsPass : llvm::PassInfoMixin<ReleaseKernelsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tilesmith

#endif
