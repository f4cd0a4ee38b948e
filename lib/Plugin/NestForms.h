//===- NestForms.h - addresses of a nest, and tests in front of it -*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest is copied in front of itself in another form where tests, made before it,
// say that all that it does is what the source does: numbers do not wrap, its
// elements are different ones, and it reads none of them as a factor.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_NESTFORMS_H
#define TILESMITH_LIB_PLUGIN_NESTFORMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace llvm {
class AAResults;
class DominatorTree;
class Loop;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class SCEVExpander;
} // namespace llvm

namespace tilesmith {

/// The loops around \p Inner that do nothing but load, store and compute, and the
/// numbers in them, as sums of steps of their counters. 64 bits wide.
class NestForms {
public:
  NestForms(llvm::Loop &Inner, llvm::AAResults &AA, llvm::LoopInfo &LI,
            llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);
  virtual ~NestForms() = default;

protected:
  /// The loops are numbered from the outermost one inwards.
  struct Form {
    const llvm::SCEV *Base;
    llvm::SmallVector<const llvm::SCEV *, 8> Step; ///< null is none
    /// A step and how often it is made, at most, of what is no loop's counter.
    llvm::SmallVector<std::pair<const llvm::SCEV *, const llvm::SCEV *>, 0>
        Others = {};
  };
  /// What is extended somewhere in an address, 64 bits wide, and its own width.
  struct Cast {
    const llvm::SCEV *Operand;
    unsigned Bits;
    bool IsSigned;
  };
  /// Elements of C that are so many bytes apart, and the last one's number.
  struct Range {
    const llvm::SCEV *Step, *Last;
    /// How many steps apart elements are at most, as the nest tests, or null.
    const llvm::SCEV *Width = nullptr;
  };

  /// Looks at \p I, of the nest, for IsNeverNegative.
  void noteExtension(const llvm::Instruction &I);
  /// \p S, 64 bits wide: casts are pushed down to single values, which is the same
  /// where what is cast fits (Casts).
  const llvm::SCEV *widened(const llvm::SCEV *S);
  virtual std::optional<Form> formOf(const llvm::SCEV *S);
  /// Of an address.
  std::optional<Form> formOf(llvm::Value *Pointer);

  bool isKnownInFront(const llvm::SCEV *S);
  bool isKnownInFront(const Form &Of);
  /// Whether all that is tested is, and how often each loop runs.
  bool areTestsKnownInFront();
  /// Whether all that an iteration of \p L passes on to the next one are counters.
  bool hasOnlyCounters(const llvm::Loop &L);
  /// Whether \p Phi, at the top of \p L, counts there.
  bool isCounter(llvm::PHINode &Phi, const llvm::Loop &L);

  /// The number of the last iteration.
  const llvm::SCEV *lastOf(unsigned Position);
  /// The least value, or the greatest one. Of an address: the first byte that is
  /// touched, or the last element.
  const llvm::SCEV *end(const Form &Of, bool Low);

  // What is tested, as instructions of B, expanded in front of the nest.

  /// Whether steps that differ lead to elements that do: each step is longer than
  /// all that the shorter ones reach together.
  llvm::Value *leadsApart(llvm::ArrayRef<Range> Ranges, llvm::Type *Element,
                          llvm::IRBuilder<> &B, llvm::SCEVExpander &Expander);
  /// Whether nothing that is extended has wrapped.
  llvm::Value *allFit(llvm::IRBuilder<> &B, llvm::SCEVExpander &Expander);
  /// Whether \p C, where \p Store stores, and \p Factor, which \p Load loads, have
  /// no element in common.
  llvm::Value *lieApart(const Form &C, const llvm::StoreInst &Store,
                        const Form &Factor, const llvm::LoadInst &Load,
                        llvm::IRBuilder<> &B, llvm::SCEVExpander &Expander);
  bool areNoAliases(const llvm::StoreInst &Store, const llvm::LoadInst &Load);

  llvm::Function &F;
  llvm::AAResults &AA;
  llvm::LoopInfo &LI;
  llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  llvm::Type *I64;
  llvm::SmallVector<llvm::Loop *, 8> Nest; ///< from the outermost one inwards
  llvm::SmallVector<Cast, 4> Casts;
  /// What the loops extend as unsigned numbers, as tests in the nest see to.
  bool IsNeverNegative = true;
};

} // namespace tilesmith

#endif
