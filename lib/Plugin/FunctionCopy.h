//===- FunctionCopy.h - a function to try things on -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FUNCTIONCOPY_H
#define TILESMITH_LIB_PLUGIN_FUNCTIONCOPY_H

#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace llvm {
class Loop;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// A copy of a function, which is there as long as this object.
class FunctionCopy {
public:
  FunctionCopy(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  ~FunctionCopy();
  FunctionCopy(const FunctionCopy &) = delete;

  /// Whether blocks of \p F can be copied: none has an address of its own.
  static bool isPossible(const llvm::Function &F);

  llvm::Function &get() { return Copy; }
  /// What a loop of the function is in the copy as it was made.
  llvm::Loop &loopOf(const llvm::Loop &L);

private:
  llvm::FunctionAnalysisManager &FAM;
  llvm::ValueToValueMapTy Map;
  llvm::Function &Copy;
};

/// Of \p F as it is now. The manager keeps its own, which transformations would
/// have to keep up to date.
llvm::ScalarEvolution scalarEvolution(llvm::Function &F,
                                      llvm::FunctionAnalysisManager &FAM);

} // namespace tilesmith

#endif
