//===- ZeroSteps.h - loops beyond borders, with zeros -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_ZEROSTEPS_H
#define TILESMITH_IDIOM_ZEROSTEPS_H

#include "LoopNest.h"
#include "llvm/ADT/DenseSet.h"

namespace tilesmith {

/// Compares loops beside the chain with those of the chain.
class ZeroSteps {
public:
  /// \p IsImage: whether a value is the image's element, or made of it alone.
  ZeroSteps(const LoopNest &In, llvm::function_ref<bool(llvm::Value *)> IsImage)
      : In(In), IsImage(IsImage) {}

  /// Whether \p Beyond is what \p Sum would be after the same loops if all
  /// elements of the image were zero.
  bool hasSum(llvm::Value *Beyond, llvm::Instruction *Sum);

private:
  struct LoopPair {
    const llvm::Loop *Beyond, *Made;
  };

  bool pairLoops(const llvm::Loop *Beyond, const llvm::Loop *Made);
  const LoopPair *pairOf(const llvm::Loop *Beyond) const;
  bool areEqual(const llvm::SCEV *X, const llvm::SCEV *Y) const;
  bool areCarried(llvm::PHINode *Beyond, llvm::PHINode *Made);
  llvm::Value *resolve(llvm::Value *V) const;
  bool areEqual(llvm::Value *Beyond, llvm::Value *Made);

  const LoopNest &In;
  llvm::function_ref<bool(llvm::Value *)> IsImage;
  llvm::SmallVector<LoopPair, 3> Pairs; ///< innermost first
  llvm::SmallDenseSet<std::pair<llvm::PHINode *, llvm::PHINode *>, 4> Compared;
  bool Differ = false; ///< two of these do
};

} // namespace tilesmith

#endif
