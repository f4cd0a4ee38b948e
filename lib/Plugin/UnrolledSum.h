//===- UnrolledSum.h - a loop over k that is unrolled -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of constant length may be written as one expression, or LLVM may unroll
// the function that computes it before it is inlined. In a copy of the nest, a
// loop is made of it again, and the product is recognised there:
//
//   for i, j                             for i, j
//     c[i][j] = a[i][0] * b[0][j]          s = 0
//             + a[i][1] * b[1][j]   =>     for k < 24
//             ...                            s += a[i][k] * b[k][j]
//             + a[i][23] * b[23][j]        c[i][j] = s
//
// Where C may overlap A or B, each partial sum may be stored as well.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_UNROLLEDSUM_H
#define TILESMITH_LIB_PLUGIN_UNROLLEDSUM_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace llvm {
class BasicBlock;
class DominatorTree;
class IRBuilderBase;
class Instruction;
class LoadInst;
class Loop;
class LoopInfo;
class SCEV;
class SCEVExpander;
class ScalarEvolution;
class StoreInst;
class Value;
} // namespace llvm

namespace tilesmith {

/// The last addition of the one long chain of them in \p Innermost, each of a
/// product, if it is in two loops or more; null if there is none. This is a
/// cheap look.
llvm::Instruction *lastOfUnrolledSum(const llvm::Loop &Innermost);

/// A chain of additions, of products whose factors are equally far apart.
class UnrolledSum {
public:
  static std::optional<UnrolledSum> find(llvm::Loop &Innermost,
                                         llvm::ScalarEvolution &SE);
  /// Whether a product may be what find() finds, once that is a loop. This is a
  /// cheap look.
  static bool mayEndProduct(const llvm::Loop &Innermost);

  unsigned length() const { return Steps.size(); }
  /// Whether the factors may be loaded, and partial sums stored, where the sum
  /// is complete.
  bool mayMove(llvm::FunctionAnalysisManager &FAM) const;
  /// Whether products and additions may be fused, but need not be.
  bool isContractable() const;

  /// Makes a loop of it, which is returned. If strides are not what they seem
  /// to be, control goes to \p Fallback from in front of the nest \p Root;
  /// without one, that is taken not to happen. Loops and dominators stay up to
  /// date.
  llvm::Loop *roll(llvm::Loop &Root, llvm::BasicBlock *Fallback,
                   llvm::ScalarEvolution &SE,
                   llvm::FunctionAnalysisManager &FAM) const;

private:
  struct Step {
    llvm::Instruction *Add;
    llvm::Value *Lower; ///< the sum before; null: nothing
    llvm::SmallVector<llvm::LoadInst *, 2> Loads;
    llvm::StoreInst *Partial = nullptr; ///< of this sum, if others follow
  };
  /// Two numbers that must be equal at run time.
  struct Equation {
    const llvm::SCEV *X, *Y;
  };
  friend class SumFinder;

  bool mayMoveStores() const;
  void emitTest(llvm::BasicBlock *Pre, llvm::BasicBlock *Fallback,
                llvm::SCEVExpander &Expander, llvm::DominatorTree &DT,
                llvm::LoopInfo &LI) const;
  llvm::LoadInst *emitLoad(llvm::IRBuilderBase &B, unsigned I, llvm::Value *K,
                           llvm::Value *Stride) const;
  llvm::Value *emitStart(llvm::Instruction *At) const;
  llvm::Value *emitLoop(llvm::BasicBlock *Body, llvm::BasicBlock *Head,
                        llvm::BasicBlock *Tail,
                        llvm::ArrayRef<llvm::Value *> Strides) const;

  llvm::Loop *Around = nullptr;
  Step Last = {};                             ///< of the chain
  llvm::SmallVector<Step, 24> Steps;          ///< in the order of their places
  llvm::SmallVector<llvm::Value *, 1> Others; ///< integers that are added, too
  llvm::SmallVector<const llvm::SCEV *, 2> Stride; ///< of each load, in bytes
  llvm::SmallVector<Equation, 2> MustHold;
  bool StoresInOnePlace = true; ///< the partial sums, if it stores any
  /// Each factor is adjacent along the loop around, or does not move with it.
  bool IsAdjacent = false;
};

} // namespace tilesmith

#endif
