//===- Contraction.h - what a loop nest computes ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One value describes a recognised nest:
//
//   for every (m, n):
//     sum = Start(C[m,n])
//     for k in order:
//       sum = Update(sum, AMap(A[m,k]) * BMap(B[n,k]))
//     C[m,n] = Finish(sum, C[m,n])
//
// C[m,n] on the right-hand sides is the element before the nest ran.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_CONTRACTION_H
#define TILESMITH_IDIOM_CONTRACTION_H

#include "tilesmith/Idiom/Expression.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/Support/Alignment.h"
#include <array>
#include <optional>

namespace llvm {
class Instruction;
class LoadInst;
class Loop;
class SCEV;
class ScalarEvolution;
class StoreInst;
} // namespace llvm

namespace tilesmith {

/// The dimensions: M indexes C and A, N indexes C and B, K is summed over.
enum Dim : unsigned { M, N, K };
constexpr unsigned NumDims = 3;
template <typename T> using PerDim = std::array<T, NumDims>;

/// An operand. Element (m, n, k) is at Base + m*Stride[M] + n*Stride[N] +
/// k*Stride[K]; a dimension that does not index the operand has stride zero.
struct Access {
  const llvm::SCEV *Base = nullptr;    ///< a pointer, invariant in the nest
  PerDim<const llvm::SCEV *> Stride{}; ///< in bytes, in the index type
  llvm::Type *ElemTy = nullptr;
  llvm::Align Alignment; ///< of each element
  llvm::Value *Pointer =
      nullptr; ///< a pointer of the source, for alias queries

  /// Whether neighbours along \p D are adjacent in memory.
  bool isUnit(Dim D, const llvm::DataLayout &DL) const;
};

/// Narrow index arithmetic, most often 32 bits wide, that the source then
/// extends. The guard must test that it does not wrap: that Start + m*Step[M] +
/// n*Step[N] + k*Step[K], computed in the wide type, stays representable in
/// \p Bits bits. A null step is zero; start and steps are extended already.
struct WrapCheck {
  const llvm::SCEV *Start = nullptr;
  PerDim<const llvm::SCEV *> Step{};
  unsigned Bits = 32;
  bool Signed = true;

  bool operator==(const WrapCheck &O) const {
    return Start == O.Start && Step == O.Step && Bits == O.Bits &&
           Signed == O.Signed;
  }
};

/// A comparison between values that do not change in the nest, of equal type,
/// which must be true for the nest to be the contraction.
struct Requirement {
  llvm::CmpInst::Predicate Predicate = llvm::CmpInst::ICMP_EQ;
  const llvm::SCEV *X = nullptr, *Y = nullptr;
};

/// A branch inside the nest whose invariant condition must have this value for
/// the nest to be the contraction.
struct Assumption {
  llvm::Value *Condition = nullptr;
  bool Value = true;
};

/// What a nest of three loops computes, and under which conditions.
struct Contraction {
  llvm::Loop *Root = nullptr; ///< the outermost loop replaced
  PerDim<llvm::Loop *> Loops{};
  PerDim<const llvm::SCEV *> BackedgeCount{}; ///< extent minus one, unsigned

  Access C, A, B;
  llvm::Type *SumTy = nullptr; ///< type of the running sum
  Expression AMap, BMap;       ///< leaf A or B, to SumTy
  /// Leaves Sum and Product, unless FusedProduct: then a fused (or fusable)
  /// multiply-add whose factors are the mapped elements themselves.
  Expression Update;
  bool FusedProduct = false;
  llvm::Instruction *ProductInst = nullptr; ///< carries the product's flags
  Expression Start;                         ///< leaf C
  Expression Finish;                        ///< leaves Sum and C

  llvm::StoreInst *UpdateStore = nullptr; ///< for source locations

  // What the guard has to test before the contraction may stand in.
  llvm::SmallVector<Assumption, 4> Assumptions;
  llvm::SmallVector<WrapCheck, 2> WrapChecks;
  llvm::SmallVector<Requirement, 2> MustHold;
  /// Loads inside the nest from invariant addresses, in dominance order: made
  /// once by the guard, valid if C does not overlap what they read.
  llvm::SmallVector<llvm::LoadInst *, 4> InvariantLoads;
  bool CMayAliasA = true, CMayAliasB = true;

  /// The same contraction with M and N, A and B exchanged: C's transpose is B's
  /// transpose times A's transpose.
  Contraction mirrored() const;

  /// The extent of \p D if it is known at compile time.
  std::optional<uint64_t> constantExtent(Dim D) const;
  /// Whether the elements of C are needed before the nest overwrites them.
  bool readsC() const { return Start.uses(Leaf::C) || Finish.uses(Leaf::C); }
  /// Whether the stored value is the sum itself.
  bool storesSum() const { return Finish.isLeaf(Leaf::Sum); }

  /// "GEMM f64 (A row-major, B row-major, C row-major), 64 x 64 x K at run
  /// time"
  std::string summary() const;
  void print(llvm::raw_ostream &OS) const;
};

} // namespace tilesmith

#endif
