//===- Freeze.h - frozen values in expressions ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_FREEZE_H
#define TILESMITH_SUPPORT_FREEZE_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace llvm {
class DominatorTree;
class FreezeInst;
class Loop;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// What \p Freeze freezes, or null if that may be poison. Arithmetic need not be
/// looked at: an expression of ScalarEvolution wraps.
const llvm::SCEV *beforeFreeze(const llvm::FreezeInst &Freeze,
                               llvm::ScalarEvolution &SE,
                               const llvm::DominatorTree &DT);

/// \p S, where each value that is frozen in \p Root is replaced by what \p Of says of
/// it, unless that is null.
const llvm::SCEV *replaceFreezes(
    const llvm::SCEV *S, const llvm::Loop &Root, llvm::ScalarEvolution &SE,
    llvm::function_ref<const llvm::SCEV *(const llvm::FreezeInst &)> Of);

} // namespace tilesmith

#endif
