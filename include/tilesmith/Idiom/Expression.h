//===- Expression.h - scalar arithmetic lifted out of a nest ----*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic a source applies to one element (alpha*a, beta*c, a widening
// cast, alpha*sum + beta*c) is kept as the instructions themselves. Cloning
// them, on vectors, is the only way to be sure of the same rounding.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_EXPRESSION_H
#define TILESMITH_IDIOM_EXPRESSION_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

namespace tilesmith {

/// Whether \p I on vectors does to each lane what it does to a scalar: functions
/// of vectors may round in another way.
bool isLanewise(const llvm::Instruction &I);

/// Whether \p I may be part of an epilogue: it can be cloned on scalars, where
/// it runs as often as in the source, and does nothing but compute a value. It
/// may set errno.
bool isScalarArithmetic(const llvm::Instruction &I);

/// What a leaf of an Expression stands for.
enum class Leaf {
  A,          ///< an element of A
  B,          ///< an element of B
  C,          ///< the element of C as it was before the nest
  Product,    ///< the product of a term
  Sum,        ///< the running sum
  SumOfOther, ///< that of the other part of a complex number
  COfOther,   ///< the other part of C's number, as it was before the nest
  Part,       ///< a part of a NumberProduct
  Further,    ///< an element of a further operand
  Index,      ///< a number that goes on with a row, column or step
  Invariant,  ///< a scalar that is the same for the whole nest
};

/// A tree of side-effect-free instructions over leaves.
struct Expression {
  llvm::Value *Root = nullptr;
  /// The values at which the tree ends. Every other operand is an instruction
  /// of the tree, or a constant.
  llvm::SmallMapVector<llvm::Value *, Leaf, 4> Leaves;
  /// Fused multiply-adds inside the tree whose product is a term's. They are
  /// built as an addition that may be fused with the product.
  llvm::SmallSetVector<llvm::Value *, 2> Fused;
  /// Multiplications inside the tree that `contract` would let be fused with
  /// their user, but that are not, since it stands in another block. A fence is
  /// built between the two.
  llvm::SmallSetVector<llvm::Value *, 2> Rounded;
  /// Phis inside the tree that always have one value, with that value.
  llvm::SmallMapVector<llvm::Value *, llvm::Value *, 2> Forwards;

  /// Whether it is an element of a factor itself.
  bool isElement() const { return isLeaf(Leaf::A) || isLeaf(Leaf::B); }
  bool isLeaf(Leaf Kind) const {
    auto It = Leaves.find(Root);
    return It != Leaves.end() && It->second == Kind;
  }
  bool uses(Leaf Kind) const;
  /// \p V, or what it forwards.
  llvm::Value *resolve(llvm::Value *V) const {
    for (auto It = Forwards.find(V); It != Forwards.end();
         It = Forwards.find(V))
      V = It->second;
    return V;
  }
  /// Makes leaves A leaves B, and the other way round.
  void exchangeFactors();
  /// The invariant leaves, in order of first appearance.
  void collectInvariants(llvm::SetVector<llvm::Value *> &Into) const;

  /// Builds the expression with \p B on fixed vectors of \p Width elements (or
  /// on scalars if \p Width is 0). \p ValueOf gives the value of each leaf;
  /// the tree's flags are kept.
  llvm::Value *
  build(llvm::IRBuilderBase &B, unsigned Width,
        llvm::function_ref<llvm::Value *(llvm::Value *, Leaf)> ValueOf) const;

  /// Whether \p Predicate is true of an instruction of the tree.
  bool
  contains(llvm::function_ref<bool(const llvm::Instruction &)> Predicate) const;
  /// Whether all instructions of the tree are lane-wise.
  bool isLanewise() const;

  void print(llvm::raw_ostream &OS) const;
};

} // namespace tilesmith

#endif
