//===- Subtarget.h - what a function's target has ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_SUBTARGET_H
#define TILESMITH_SUPPORT_SUBTARGET_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
}

namespace tilesmith {

/// Whether code of \p F may use the feature that LLVM's backend calls \p Name
/// ("avx512vnni"): what "target-features" says last counts, and where it says
/// nothing, what the "target-cpu" has (of x86, AArch64 and PowerPC CPUs).
bool hasFeature(const llvm::Function &F, llvm::StringRef Name);

/// Whether \p F runs, or may run, in the streaming mode of AArch64's SME, which
/// has no NEON.
bool isStreaming(const llvm::Function &F);

} // namespace tilesmith

#endif
