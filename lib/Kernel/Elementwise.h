//===- Elementwise.h - what is made of each element of a tile ---*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_KERNEL_ELEMENTWISE_H
#define TILESMITH_LIB_KERNEL_ELEMENTWISE_H

#include "MacroKernel.h"

namespace tilesmith {

/// What is made of each element of a tile.
struct MacroKernel::Elementwise {
  Elementwise(llvm::StringRef Name, const Expression &Value)
      : Name(Name), Value(Value) {}

  llvm::StringRef Name;
  const Expression &Value; ///< leaves Sum, C and Further
  /// Of Contraction::alongC(), those from number FirstOperand on.
  llvm::SmallVector<const FurtherOperand *, 1> Operands;
  unsigned FirstOperand = 0;
  bool StoresSums = false; ///< rather than elements of C
  bool StoresChangesOnly = false;
  bool SumsAreStarts = false; ///< there is no step
  /// If set, it is this, made of both parts of a number at once.
  const Epilogue *OfNumbers = nullptr;
};

/// The function under way that makes one of them.
class MacroKernel::ElementwiseKernel {
public:
  ElementwiseKernel(MacroKernel &K, const Elementwise &Made)
      : K(K), B(K.B), Made(Made) {}

  /// void Name(C, sums, operands, rows, columns): of a tile of C, or of its
  /// wanted half.
  llvm::Function *build();

private:
  /// Elements along a column, and their type.
  struct TypedPlace {
    FurtherPlace At;
    llvm::Type *Ty;
    llvm::Align Alignment;
    bool IsUnit;          ///< adjacent
    bool IsOne = false;   ///< for all rows
    bool IsStill = false; ///< the same in all columns
    /// Is gathered once for all columns.
    bool isKept() const { return !IsUnit && !IsOne && IsStill; }
  };
  /// The vectors of operands that are kept from column to column, or null.
  using Kept = llvm::SmallVector<llvm::Value *, 2>;
  TypedPlace typed(const FurtherPlace &At, const Access &X) const;
  TypedPlace placeOfSums(const EpilogueArguments &Of) const;
  llvm::Value *rowAddress(const TypedPlace &Of, llvm::Value *I);
  llvm::Value *loadElements(const TypedPlace &Of, llvm::Value *I,
                            unsigned Width);
  void storeElements(llvm::Value *V, const TypedPlace &Of, llvm::Value *I);
  void storeChanges(llvm::Value *V, const TypedPlace &Of, llvm::Value *I,
                    unsigned Width);
  llvm::Value *sum(const EpilogueArguments &Column, llvm::Value *I,
                   unsigned Width, const Kept &Loaded);
  llvm::Value *made(const Expression &E, const EpilogueArguments &Column,
                    llvm::Value *I, unsigned Width, const Kept &Loaded);
  void emitElements(const EpilogueArguments &Column, llvm::Value *I,
                    unsigned Width, const Kept &Loaded);
  EpilogueArguments columnOf(const EpilogueArguments &Of, llvm::Value *J);
  std::pair<llvm::Value *, llvm::Value *>
  wantedRows(const EpilogueArguments &Column, llvm::Value *J);
  void emitColumn(const EpilogueArguments &Column, llvm::Value *J,
                  bool HasVectors);
  void emitRows(const EpilogueArguments &Of);

  // NumberEpilogue.cpp
  unsigned columnsOfNumber() const { return K.hasPartsInColumns() ? 2 : 1; }
  unsigned rowsOfNumber() const { return 2 / columnsOfNumber(); }
  using Number = std::array<llvm::Value *, 2>; ///< its parts
  Number loadNumbers(const TypedPlace &Of, llvm::Value *I, unsigned Width);
  void storeNumbers(const Number &V, const TypedPlace &Of, llvm::Value *I,
                    unsigned Width);
  std::array<TypedPlace, 2> columnsOfSums(const EpilogueArguments &Column);
  Number loadSums(const EpilogueArguments &Column, llvm::Value *I,
                  unsigned Width);
  TypedPlace placeOfNumbers(const EpilogueArguments &Column) const;
  Number loadC(const EpilogueArguments &Column, llvm::Value *I, unsigned Width);
  void storeMade(const Number &V, const EpilogueArguments &Column,
                 llvm::Value *I, unsigned Width);
  Number
  makeAgain(const NumberProduct &Product, const Number &Plain,
            llvm::Value *IsNaN,
            llvm::function_ref<llvm::Value *(const Expression &)> Evaluate);
  llvm::Value *emitVectorsOfNumbers(const EpilogueArguments &Column,
                                    llvm::Value *Begin, llvm::Value *End,
                                    unsigned Width);
  Number makeNumbers(const EpilogueArguments &Column, llvm::Value *I,
                     unsigned Width, llvm::Value *&AnyNaN);
  void emitNumbers(const EpilogueArguments &Column, llvm::Value *J);

  MacroKernel &K;
  llvm::IRBuilder<> &B;
  const Elementwise &Made;
};

} // namespace tilesmith

#endif
