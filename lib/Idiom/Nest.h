//===- Nest.h - the control structure around a product ----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Nest is a chain of three loops, each the parent of the next, and the blocks
// that run in it once every extent is at least one:
//
//   for i {                       the chain's first loop, the root
//     if (n > 0)                  an assumption: an invariant condition
//       for j' { c[i][j'] = 0; }  a sibling: a loop beside the chain
//     for j {
//       if (k > 0)                another assumption
//         for k { ... }
//     }
//   }
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_IDIOM_NEST_H
#define TILESMITH_LIB_IDIOM_NEST_H

#include "TripCount.h"
#include "tilesmith/Idiom/Recognize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace tilesmith {

constexpr unsigned ChainLength = 3;

class Nest {
public:
  /// Builds the nest that ends in \p Innermost, or says why there is none.
  static std::variant<Nest, Refusal> create(llvm::Loop &Innermost,
                                            const NestAnalyses &Analyses);

  llvm::Loop &root() const { return *Chain[0]; }
  llvm::Loop &innermost() const { return *Chain[ChainLength - 1]; }

  /// Outermost first.
  std::array<llvm::Loop *, ChainLength> Chain{};
  std::array<TripCount, ChainLength> Counts{};
  llvm::SmallVector<llvm::Loop *, 2> Siblings;
  llvm::SmallVector<Assumption, 4> Assumptions;
  /// The blocks that run, each in every iteration of the loop around it, in the
  /// order of first execution.
  llvm::SetVector<llvm::BasicBlock *> Live;

  /// Looks through phis that have one live incoming value.
  llvm::Value *resolve(llvm::Value *V) const;
  /// The value a header phi takes when its loop is entered, and after one
  /// iteration.
  llvm::Value *incomingFromOutside(llvm::PHINode &Phi) const;
  llvm::Value *incomingFromLatch(const llvm::PHINode &Phi) const;

  /// Whether \p First runs before \p Second in each iteration of the innermost
  /// loop around both.
  bool precedes(const llvm::Instruction &First,
                const llvm::Instruction &Second) const;

  /// The address \p Access loads from or stores to; null unless it does so in
  /// every iteration of the loops that move the address.
  const llvm::SCEV *addressOf(const llvm::Instruction &Access) const;

  /// Whether \p V is the same in every iteration, and can be computed before
  /// the nest, provided that the nest's stores do not change what its
  /// loads from invariant addresses read.
  bool isInvariant(llvm::Value *V) const;
  bool isInvariant(const llvm::SCEV *S) const;

  /// Appends the loads inside the nest that an invariant value is computed
  /// from, operands first.
  void collectLoads(llvm::Value *V,
                    llvm::SetVector<llvm::LoadInst *> &Into) const;
  void collectLoads(const llvm::SCEV *S,
                    llvm::SetVector<llvm::LoadInst *> &Into) const;

  const NestAnalyses *Analyses = nullptr;

private:
  Refused findLoops(llvm::Loop &Innermost);
  Refused walk();
  Refused followGuard(llvm::BasicBlock &BB);
  Refused count();
  bool computeInvariant(llvm::Instruction &I) const;
  bool mayLoadInFront(const llvm::LoadInst &Load) const;

  llvm::DenseSet<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> LiveEdges;
  /// Whether control never stays, or leaves, in the middle of a block.
  bool BlocksRunToTheirEnd = false;
  mutable llvm::DenseMap<llvm::Value *, bool> InvariantMemo;
};

} // namespace tilesmith

#endif
