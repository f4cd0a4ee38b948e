//===- IdleStore.h - stores of what is there already ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a row of steps adds zeros to an integer, LLVM leaves of their loop the
// store of the sum, which is in memory already:
//
//   for s  c += in * w;            for s  c += in * w;
//   or     c = sum so far;   =>    or     nothing
//
// In a copy of the nest, that goes.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_IDLESTORE_H
#define TILESMITH_LIB_PLUGIN_IDLESTORE_H

namespace llvm {
class DominatorTree;
class Loop;
} // namespace llvm

namespace tilesmith {

/// Whether some block in the nest of \p L does nothing but store a phi of the
/// block in front.
bool mayHaveIdleStore(const llvm::Loop &L);

/// Drops such stores in \p Root if the element is known to have that value.
void dropIdleStores(llvm::Loop &Root, const llvm::DominatorTree &DT);

} // namespace tilesmith

#endif
