//===- FallbackHalves.h - halves in the source's own loops ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With F16C, LLVM loads a half into the lowest lane of a register whose other lanes are
// undefined, which is always the first one: the load waits for whatever is computed there.
// In front of a call, nothing else is kept in that register, and in the loop behind it may
// be the sum: then each step waits for the one before, and takes three times as long. So
// the loops behind a guard load a half into all lanes, which waits for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FALLBACKHALVES_H
#define TILESMITH_LIB_PLUGIN_FALLBACKHALVES_H

#include "llvm/IR/PassManager.h"

namespace tilesmith {

/// Notes that loops of \p F stay behind a guard.
void markFallback(llvm::Function &F);

/// Changes the loads of marked functions. No other pass may follow that makes vectors.
struct FallbackHalvesPass : llvm::PassInfoMixin<FallbackHalvesPass> {
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace tilesmith

#endif
