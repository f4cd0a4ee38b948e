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
  std::array<const llvm::SCEV *, ChainLength> Step{};

  /// Valid only if these sums, in the wide type, stay representable in a narrow
  /// one: WrapChecks by loop, not yet by dimension.
  struct NarrowSum {
    const llvm::SCEV *Start;
    std::array<const llvm::SCEV *, ChainLength> Step;
    unsigned Bits;
    bool Signed;
  };
  llvm::SmallVector<NarrowSum, 2> MustNotWrap;

  bool dependsOn(unsigned Loop) const { return Step[Loop] != nullptr; }
};

/// Writes \p S as an affine form in the counters of \p Loops, all inside
/// \p In; nothing if it is not one.
std::optional<AffineForm>
affineForm(const llvm::SCEV *S, const Nest &In,
           const std::array<llvm::Loop *, ChainLength> &Loops);

} // namespace tilesmith

#endif
