//===- WideLanes.h - lanes that are computed twice as wide ------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_WIDELANES_H
#define TILESMITH_LIB_KERNEL_WIDELANES_H

namespace llvm {
class BasicBlock;
}

namespace tilesmith {

/// Where \p BB widens a vector of i32 to i64, computes, and narrows the result
/// again, as requantisation does, the even and the odd lanes are computed apart.
void partWideLanes(llvm::BasicBlock &BB);

} // namespace tilesmith

#endif
