//===- Sinking.h - instructions stand by their first use --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_SINKING_H
#define TILESMITH_LIB_LOWERING_SINKING_H

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace tilesmith {

/// Moves what computes or loads down to its first user, if all are in \p BB.
void sinkToFirstUse(llvm::BasicBlock &BB);

} // namespace tilesmith

#endif
