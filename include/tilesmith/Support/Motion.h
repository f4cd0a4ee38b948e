//===- Motion.h - computing values earlier ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_MOTION_H
#define TILESMITH_SUPPORT_MOTION_H

namespace llvm {
class DominatorTree;
class Instruction;
class Value;
} // namespace llvm

namespace tilesmith {

/// Whether \p V is known in front of \p At, or can be: it is made of what is
/// known there, without memory.
bool canComputeBefore(const llvm::Value &V, const llvm::Instruction &At,
                      const llvm::DominatorTree &DT);

/// \p V, or a copy of it in front of \p At, where that can be.
llvm::Value *computeBefore(llvm::Value &V, llvm::Instruction &At,
                           const llvm::DominatorTree &DT);

} // namespace tilesmith

#endif
