//===- FunctionCopy.cpp - a function to try things on ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionCopy.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilesmith {

FunctionCopy::FunctionCopy(Function &F, FunctionAnalysisManager &FAM)
    : FAM(FAM), Copy(*CloneFunction(&F, Map)) {}

FunctionCopy::~FunctionCopy() {
  FAM.clear(Copy, Copy.getName());
  Map.clear();
  Module &Mod = *Copy.getParent();
  auto Since = std::next(Copy.getIterator());
  Copy.eraseFromParent();
  // What only the copy has called.
  for (Function &F : make_early_inc_range(make_range(Since, Mod.end())))
    if (F.isIntrinsic() && F.use_empty())
      F.eraseFromParent();
}

bool FunctionCopy::isPossible(const Function &F) {
  return none_of(F, [](const BasicBlock &BB) { return BB.hasAddressTaken(); });
}

Loop &FunctionCopy::loopOf(const Loop &L) {
  auto &LI = FAM.getResult<LoopAnalysis>(Copy);
  return *LI.getLoopFor(cast<BasicBlock>(Map[L.getHeader()]));
}

ScalarEvolution scalarEvolution(Function &F, FunctionAnalysisManager &FAM) {
  return ScalarEvolution(F, FAM.getResult<TargetLibraryAnalysis>(F),
                         FAM.getResult<AssumptionAnalysis>(F),
                         FAM.getResult<DominatorTreeAnalysis>(F),
                         FAM.getResult<LoopAnalysis>(F));
}

} // namespace tilesmith
