//===- Effects.h - what a nest does to memory -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_EFFECTS_H
#define TILESMITH_LIB_IDIOM_EFFECTS_H

#include "Nest.h"
#include "llvm/IR/IntrinsicInst.h"

namespace tilesmith {

/// The instructions of a nest that write memory.
struct Effects {
  llvm::SmallVector<llvm::StoreInst *, 4> Stores;
  llvm::SmallVector<llvm::MemSetInst *, 2> MemSets;
};

/// Looks at every instruction that runs: what is stored, and is there anything
/// that a product does not do?
std::variant<Effects, Refusal> collectEffects(const Nest &In);

} // namespace tilesmith

#endif
