//===- FinishedFusions.h - what is fused in a finished function -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_FINISHEDFUSIONS_H
#define TILESMITH_LIB_PLUGIN_FINISHEDFUSIONS_H

#include "FusionParts.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassManager.h"
#include <map>
#include <memory>
#include <optional>

namespace tilesmith {

/// The additions of a function, before and after the last passes. They are counted by
/// nests, its outermost loops.
class FinishedFusions {
public:
  explicit FinishedFusions(llvm::Function &F) : F(&F) {}

  /// Notes what is added, and names the blocks of each nest: if that is noted in them,
  /// as the nest that they come from.
  void readBefore(llvm::FunctionAnalysisManager &FAM);
  void readAfter(llvm::FunctionAnalysisManager &FAM);

  /// Notes what is certain at the additions of \p Original; with \p WithParts, also
  /// what is in both parts of a loop. True if anything is.
  bool note(llvm::Function &Original, llvm::FunctionAnalysisManager &FAM,
            bool WithParts);
  /// Whether anything is noted of parts of loops.
  bool hasParts() const { return !Parts.empty(); }
  /// Whether all that is left here is fused as in \p Whole, where nothing is missing
  /// of \p Original.
  bool isAs(const FinishedFusions &Whole, llvm::Function &Original,
            llvm::FunctionAnalysisManager &FAM) const;

private:
  /// One addition of the function as it was.
  struct Addition {
    unsigned Position; ///< among the instructions of the function
    uint64_t Key;
    std::optional<uint64_t> Products[2];
  };
  /// What has become of additions that are alike.
  struct Fate {
    bool IsKnown = false, IsCertain = true;
    std::optional<uint64_t> Fused; ///< the product, if one is

    void add(std::optional<uint64_t> Product);
  };
  static constexpr unsigned Outside = ~0u >> 1; ///< of all nests; no empty key

  void addFate(unsigned Nest, uint64_t Key, std::optional<uint64_t> Fused);
  bool hasStrangers() const;
  bool isInParts(unsigned Nest, uint64_t Key) const;
  std::optional<FusionParts> partsOf(unsigned Nest,
                                     const FinishedFusions &Whole,
                                     llvm::Function &Original,
                                     llvm::FunctionAnalysisManager &FAM) const;
  bool hasSameParts(unsigned Nest, const FinishedFusions &Whole,
                    llvm::Function &Original,
                    llvm::FunctionAnalysisManager &FAM) const;
  /// Of additions like \p Key in \p Nest. Outside of nests, they may be of any.
  Fate fateOf(unsigned Nest, uint64_t Key) const;
  /// Whether none of the additions of \p Nest may stand outside as well.
  bool isAllInLoops(unsigned Nest) const;
  bool hasSameFates(unsigned Nest, const FinishedFusions &Whole) const;
  llvm::SmallVector<const llvm::Loop *, 2> loopsOf(unsigned Nest) const;

  llvm::Function *F;
  std::unique_ptr<llvm::DominatorTree> DT;
  std::unique_ptr<llvm::LoopInfo> LI; ///< at the end
  std::map<unsigned, llvm::SmallVector<Addition, 8>> Before;
  llvm::DenseSet<uint64_t> InFront; ///< keys of additions in no loop
  llvm::DenseSet<unsigned> Left;    ///< nests with additions at the end
  std::map<std::pair<unsigned, uint64_t>, Fate> Fates;
  FinishedLanes Lanes;
  std::map<unsigned, FusionParts> Parts; ///< of nests in which fates differ
  llvm::DenseSet<unsigned> Open; ///< nests in which something cannot be read
  bool IsOpen = false;           ///< or anything, anywhere
};

} // namespace tilesmith

#endif
