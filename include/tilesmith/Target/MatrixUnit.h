//===- MatrixUnit.h - registers that hold squares of sums -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some CPUs have accumulators: registers of their own, or vector registers in
// another arrangement, for a few columns of a tile, and instructions that add
// the products of a column of A and a row of B to all sums of one. Moving sums
// between accumulators and vectors of columns takes time, so they should stay
// in the former all along a loop over k.
//
// Factors are floats or doubles, or groups of narrow elements (DotProduct.h),
// which may be wider than sums are.
//
// An accumulator holds one vector register of each of Columns columns, or, of
// some groups, that square transposed.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_TARGET_MATRIXUNIT_H
#define TILESMITH_TARGET_MATRIXUNIT_H

#include "tilesmith/Target/Engine.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace tilesmith {

class MatrixUnit : public Engine {
public:
  const unsigned Accumulators;    ///< that can be in use
  const unsigned Columns;         ///< of a tile, in one of them
  const unsigned RegisterBits;    ///< of each column
  const unsigned SharedRegisters; ///< vector registers that all of them take
  const bool LoadsPairs;          ///< of registers that are adjacent in memory

  bool suits(const EngineRequest &Of) const override;
  TileShape chooseTile(const RegisterBudget &Of,
                       TileShape Wanted) const override;
  bool holds(TileShape Tile, const RegisterBudget &Of) const override {
    return multiplyAdds(Tile, Of.VL) <= Accumulators;
  }
  unsigned multiplyAdds(TileShape Tile, unsigned VL) const override {
    return llvm::divideCeil(Tile.Rows, VL) *
           llvm::divideCeil(Tile.Columns, Columns);
  }
  bool takesRowsOfB() const override { return true; }
  void explain(TileShape Tile, const RegisterBudget &Of, unsigned LoadsOfA,
               llvm::raw_ostream &OS) const override;
  const MatrixUnit *asMatrixUnit() const override { return this; }

  /// Whether code of \p F may use it.
  virtual bool isOn(const llvm::Function &F) const = 0;
  /// Whether it multiplies elements of type \p Ty, and rounds once.
  virtual bool multiplies(const llvm::Type *Ty) const { return false; }
  /// Whether it multiplies such groups in code of \p F.
  virtual bool multiplies(const NarrowProduct &Groups,
                          const llvm::Function &F) const = 0;
  /// Whether it may do so for products with \p Flags.
  virtual bool isAllowed(const NarrowProduct &Groups, const llvm::Function &F,
                         llvm::FastMathFlags Flags) const = 0;
  /// Whether the accumulators of such sums are transposed.
  virtual bool isTransposed(const NarrowProduct &Groups) const = 0;

  /// The two registers that are at \p Pointer, one behind the other.
  virtual std::pair<llvm::Value *, llvm::Value *>
  loadPair(llvm::IRBuilderBase &B, llvm::Value *Pointer, llvm::Type *Ty,
           const llvm::AAMDNodes &AA) const;
  /// The type of an accumulator of registers of type \p RegisterTy.
  virtual llvm::Type *getType(llvm::FixedVectorType *RegisterTy) const = 0;
  /// An accumulator of \p Registers, one for each column.
  virtual llvm::Value *make(llvm::IRBuilderBase &B,
                            llvm::ArrayRef<llvm::Value *> Registers) const = 0;
  /// The registers, of type \p Ty, that \p Accumulator holds.
  virtual llvm::SmallVector<llvm::Value *, 0> take(llvm::IRBuilderBase &B,
                                                   llvm::Value *Accumulator,
                                                   llvm::Type *Ty) const = 0;
  /// \p Sum, an accumulator, plus the products of \p Column, elements of a
  /// column of A for a register of sums, and \p Row, as many elements of a row
  /// of B as there are columns, in registers; the products alone if \p Sum is
  /// null. \p Groups: what the elements are, if they are groups.
  virtual llvm::Value *
  multiplyAdd(llvm::IRBuilderBase &B, llvm::Value *Sum, llvm::Value *Column,
              llvm::ArrayRef<llvm::Value *> Row,
              const std::optional<NarrowProduct> &Groups = {}) const = 0;

protected:
  struct Registers {
    unsigned Accumulators, Columns, Bits, Shared;
    bool LoadsPairs;
  };
  MatrixUnit(const Traits &T, const Registers &R)
      : Engine(T), Accumulators(R.Accumulators), Columns(R.Columns),
        RegisterBits(R.Bits), SharedRegisters(R.Shared),
        LoadsPairs(R.LoadsPairs) {}
};

/// What code of \p F may use; null if there is no such unit.
const MatrixUnit *findMatrixUnit(const llvm::Function &F);

} // namespace tilesmith

#endif
