//===- Annotations.h - options of a function, in its source -----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_ANNOTATIONS_H
#define TILESMITH_LIB_PLUGIN_ANNOTATIONS_H

#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Makes the attribute "tilesmith" of a function of what its source says:
///
///   __attribute__((annotate("tilesmith=off")))
///
/// It runs before functions are inlined. The loops of one that is turned off are
/// marked: they stay so in the functions that it is inlined into.
struct AnnotationsPass : llvm::PassInfoMixin<AnnotationsPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tilesmith

#endif
