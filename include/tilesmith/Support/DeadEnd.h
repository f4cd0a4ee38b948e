//===- DeadEnd.h - where control cannot go on -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_DEADEND_H
#define TILESMITH_SUPPORT_DEADEND_H

namespace llvm {
class BasicBlock;
} // namespace llvm

namespace tilesmith {

/// Whether all ways from \p BB end where control cannot go on, or leaves the
/// function by an exception.
bool isDeadEnd(const llvm::BasicBlock &BB);

} // namespace tilesmith

#endif
