//===- MatrixUnit.h - registers that hold squares of sums -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some CPUs have accumulators: registers of their own for a few columns of a
// tile, and instructions that add the products of a column of A and a row of B
// to all sums of one. Moving sums between accumulators and vector registers
// takes time, so they should stay in the former all along a loop over k.
//
// Factors are floats or doubles, or groups of narrow elements (DotProduct.h).
//
// An accumulator holds one vector register of each of Columns columns, or, of
// some groups, that square transposed. This is the one table of such units:
// Planning looks up here what Lowering will find.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LOWERING_MATRIXUNIT_H
#define TILESMITH_LOWERING_MATRIXUNIT_H

#include "tilesmith/Lowering/DotProduct.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include <optional>

namespace tilesmith {

struct MatrixUnit {
  llvm::StringRef Name;     ///< for remarks: "MMA"
  unsigned Accumulators;    ///< that can be in use
  unsigned Columns;         ///< of a tile, in one of them
  unsigned RegisterBits;    ///< of each column
  unsigned SharedRegisters; ///< vector registers that all accumulators take

  /// Whether it multiplies elements of type \p Ty, and rounds once.
  bool multiplies(const llvm::Type *Ty) const;
  bool multiplies(const NarrowProduct &Groups) const;
  /// Whether the accumulators of such sums are transposed.
  bool isTransposed(const NarrowProduct &Groups) const;

  /// The two registers that are at \p Pointer, one behind the other.
  std::pair<llvm::Value *, llvm::Value *>
  loadPair(llvm::IRBuilderBase &B, llvm::Value *Pointer, llvm::Type *Ty,
           const llvm::AAMDNodes &AA) const;
  llvm::Type *getType(llvm::LLVMContext &Context) const;
  /// An accumulator of \p Registers, one for each column.
  llvm::Value *make(llvm::IRBuilderBase &B,
                    llvm::ArrayRef<llvm::Value *> Registers) const;
  /// The registers, of type \p Ty, that \p Accumulator holds.
  llvm::SmallVector<llvm::Value *, 0>
  take(llvm::IRBuilderBase &B, llvm::Value *Accumulator, llvm::Type *Ty) const;
  /// \p Sum, an accumulator, plus the products of \p Column, a register of a
  /// column of A, and \p Row, as many elements of a row of B as there are
  /// columns, in registers; the products alone if \p Sum is null. \p Groups:
  /// what the elements are, if they are groups.
  llvm::Value *
  multiplyAdd(llvm::IRBuilderBase &B, llvm::Value *Sum, llvm::Value *Column,
              llvm::ArrayRef<llvm::Value *> Row,
              const std::optional<NarrowProduct> &Groups = {}) const;
};

/// What code of \p F may use; nothing if there is no such unit.
std::optional<MatrixUnit> findMatrixUnit(const llvm::Function &F);

} // namespace tilesmith

#endif
