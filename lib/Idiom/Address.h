//===- Address.h - addresses as sums of strides -----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_ADDRESS_H
#define TILESMITH_LIB_IDIOM_ADDRESS_H

#include "Nest.h"

namespace tilesmith {

/// Base + sum over the loops of a list of Step * counter, where counters
/// run 0, 1, 2, … A null step is zero.
struct AffineForm {
  const llvm::SCEV *Base = nullptr;
  llvm::SmallVector<const llvm::SCEV *, 4> Step;

  /// Valid only if these sums, in the wide type, stay representable in a narrow
  /// one, and are sums of multiples of a power of two.
  struct NarrowSum {
    const llvm::SCEV *Start;
    llvm::SmallVector<const llvm::SCEV *, 4> Step;
    unsigned Bits;
    bool Signed;
    uint64_t Factor = 1;
  };
  llvm::SmallVector<NarrowSum, 2> MustNotWrap;

  bool dependsOn(unsigned Loop) const { return Step[Loop] != nullptr; }
};

/// Writes \p S as an affine form in the counters of \p Loops, all inside
/// \p In or null; nothing if it is not one.
std::optional<AffineForm> affineForm(const llvm::SCEV *S, const Nest &In,
                                     const LoopChain &Loops);

} // namespace tilesmith

#endif
