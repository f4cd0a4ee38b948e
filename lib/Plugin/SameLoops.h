//===- SameLoops.h - whether loops are the same code ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SAMELOOPS_H
#define TILESMITH_LIB_PLUGIN_SAMELOOPS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether loops of two functions of one context are the same code, instruction by
/// instruction, from values that are computed in the same way. What reaches both
/// functions from memory, calls and other loops has the same type, and nothing more.
bool areSameLoops(llvm::ArrayRef<const llvm::Loop *> X,
                  llvm::ArrayRef<const llvm::Loop *> Y);

} // namespace tilesmith

#endif
