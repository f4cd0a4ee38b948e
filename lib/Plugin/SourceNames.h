//===- SourceNames.h - what the source calls values -------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug information says what variables are called and of which types they are;
// ScalarEvolution says at which distance from them an address is:
//
//   double (*A)[64];   A + 512*i + 8*k bytes        A[i][k]
//   double *A;         A + 8*n*i + 8*k bytes        A[i*n + k]
//   struct Matrix *A;  *(A + 8) + 8*n*i + 8*k       A->data[i*n + k]
//   real(8) :: a(n,*)  a + 8*n*(k-1) + 8*(i-1)      a(i,k)
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_SOURCENAMES_H
#define TILESMITH_LIB_PLUGIN_SOURCENAMES_H

#include "Subscript.h"
#include "tilesmith/Idiom/Nest.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class DILocalVariable;
class DISubprogram;
class DISubrange;
class DIType;
class DIVariable;
class GlobalVariable;
class LoadInst;
class Loop;
class SCEV;
class SCEVAddRecExpr;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// The names of one nest. Where one is not known, the answer is none.
class SourceNames {
public:
  SourceNames(const Nest &Of, llvm::ScalarEvolution &SE);

  /// "A[i*n + k]"
  std::optional<std::string> element(const Access &X);
  /// The same of what \p Load reads.
  std::optional<std::string> loaded(const llvm::LoadInst &Load);
  /// The name of a scalar: "alpha", "s->n".
  std::optional<std::string> scalar(llvm::Value *V);
  bool areOfFortran() const { return IsFortran; }

private:
  /// A part of the source's data.
  struct Place {
    std::string Text;
    const llvm::DIType *Type = nullptr; ///< if it is known
    /// It is a pointer to the first of any number of such objects.
    bool IsPointer = false;
    /// It is what a descriptor of Fortran points to.
    bool IsDescribed = false;
  };
  /// The loop's variable is Start + Step times the loop's count.
  struct Counter {
    std::string Name;
    Subscript Start;
    int64_t Step;
  };

  const llvm::DILocalVariable *variable(llvm::Value *V) const;
  std::optional<Place> placeAt(llvm::Value *Pointer);
  std::optional<Place> placeAt(const llvm::SCEV *Address, uint64_t Bytes);
  std::optional<Place> walk(Place From, Subscript Offset, uint64_t Bytes);
  std::optional<Place> walkObject(const std::string &Prefix,
                                  const llvm::DIType &Type, Subscript Offset,
                                  uint64_t Bytes);
  std::optional<std::vector<Subscript>>
  strides(llvm::ArrayRef<const llvm::DISubrange *> Dims, bool IsPointer,
          uint64_t Bytes, const Subscript &Offset);
  static std::optional<Place> placeInBlock(const llvm::GlobalVariable &G,
                                           Subscript &Offset);
  std::optional<Place> walkFortran(Place From, Subscript Offset,
                                   uint64_t Bytes);
  std::optional<std::vector<Subscript>>
  stridesInFortran(llvm::ArrayRef<const llvm::DISubrange *> Dims,
                   const Place &Of, uint64_t Bytes, const Subscript &Offset);
  std::optional<Subscript> lowerBound(const llvm::DISubrange &Dim,
                                      const std::string &Part);
  std::optional<Subscript> count(const llvm::DISubrange &Dim);
  std::optional<Subscript> valueOf(const llvm::DIVariable &Var);
  std::optional<Subscript> subscript(const llvm::SCEV *S);
  std::optional<Subscript> subscript(const llvm::SCEVAddRecExpr &S);
  Subscript inNames(Subscript S) const;
  const llvm::SCEV *meantInFortran(const llvm::SCEV &S);
  const llvm::DILocalVariable *variableOfDo(const llvm::Loop &L) const;
  const std::optional<Counter> &counter(const llvm::Loop &L);
  std::optional<Counter> findCounter(const llvm::Loop &L);

  const Nest &Of;
  llvm::ScalarEvolution &SE;
  const llvm::DISubprogram *Scope = nullptr; ///< in which the nest is written
  bool IsFortran;
  llvm::DenseMap<const llvm::Loop *, std::optional<Counter>> Counters;
  unsigned Depth = 0; ///< of pointers that were followed
};

} // namespace tilesmith

#endif
