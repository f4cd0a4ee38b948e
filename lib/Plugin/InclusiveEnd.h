//===- InclusiveEnd.h - ranges that include their end -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rust's `for j in 0..=i` does not count beyond i, which might be the greatest number:
//
//   next = j + (j < i ? 1 : 0);               next = j + 1;
//   leave if j >= i || next > i         =>    leave if j >= i
//
// In a copy of the nest, it does.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_INCLUSIVEEND_H
#define TILESMITH_LIB_PLUGIN_INCLUSIVEEND_H

namespace llvm {
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether the counter of \p L stays at its end in the last iteration.
bool hasInclusiveEnd(const llvm::Loop &L);

/// Lets that counter go on, if \p L has one.
void countBeyondEnd(llvm::Loop &L);

} // namespace tilesmith

#endif
