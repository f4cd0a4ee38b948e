//===- Movers.h - which loops a number changes with -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_MOVERS_H
#define TILESMITH_LIB_IDIOM_MOVERS_H

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Loop;
class SCEV;
} // namespace llvm

namespace tilesmith {

/// The loops whose counters \p S is made of.
llvm::SmallPtrSet<const llvm::Loop *, 4> moversOf(const llvm::SCEV *S);

/// Whether \p L is one of them.
bool isMovedBy(const llvm::SCEV *S, const llvm::Loop &L);

} // namespace tilesmith

#endif
