//===- Counter.h - how often fast paths are taken ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_REWRITE_COUNTER_H
#define TILESMITH_LIB_REWRITE_COUNTER_H

#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

struct PlannedNest;

/// "file:line:column: function: operation", as in the remark; without a
/// location, "function: operation".
std::string nameOf(const PlannedNest &Planned, llvm::StringRef Operation);

/// Adds \p Done (i1), whether \p Planned has been computed, to a new counter.
void countRun(llvm::IRBuilderBase &B, const PlannedNest &Planned,
              llvm::Value *Done);

} // namespace tilesmith

#endif
