//===- Subtarget.h - what a function's target has ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_SUBTARGET_H
#define TILESMITH_TARGET_SUBTARGET_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class TargetTransformInfo;
} // namespace llvm

namespace tilesmith {

/// Whether code of \p F may use the feature that LLVM's backend calls \p Name
/// ("avx512vnni"): what "target-features" says last counts, and where it says
/// nothing, what the "target-cpu" has (of x86, AArch64 and PowerPC CPUs).
bool hasFeature(const llvm::Function &F, llvm::StringRef Name);

/// Whether the code generator may fuse products of \p F with additions, if flags
/// let it: x86 has no instruction for that before FMA and FMA4.
bool mayFuseProducts(const llvm::Function &F);

/// Whether vectors and scalars of half are added, multiplied and fused as they
/// are, not by way of float.
bool computesHalves(const llvm::Function &F);

/// Whether \p F runs, or may run, in the streaming mode of AArch64's SME, which
/// has no NEON.
bool isStreaming(const llvm::Function &F);

/// The bits of a vector register of functions like \p F, of which \p TTI knows;
/// for RISC-V, of a single one, not of several that act as one. If it prefers
/// shorter ones, of those.
unsigned vectorBits(const llvm::Function &F,
                    const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
