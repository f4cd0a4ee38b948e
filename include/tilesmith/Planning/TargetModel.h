//===- TargetModel.h - what planning knows of the machine -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_TARGETMODEL_H
#define TILESMITH_PLANNING_TARGETMODEL_H

#include "tilesmith/Planning/Options.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Instruction;
class TargetTransformInfo;
} // namespace llvm

namespace tilesmith {

struct Contraction;

/// Sizes in bytes.
struct CacheSizes {
  uint64_t L1; ///< data, of one core
  uint64_t L2; ///< of one core
  uint64_t L3; ///< one core's fair share
  uint64_t Line = 64;
};

/// The caches of the CPU that LLVM calls \p CPU (the value of the function
/// attribute "target-cpu"); a cautious guess for a name not in the table.
CacheSizes cacheSizesOf(llvm::StringRef CPU);

struct TargetModel {
  unsigned VectorBits = 0;         ///< of the widest register; 0: no vectors
  unsigned PreferredBits = 0;      ///< of what LLVM makes vectors of in loops
  unsigned VectorRegisters = 0;    ///< architectural
  unsigned IntegerRegisters = ~0u; ///< that can hold integers, at most
  unsigned MultiplyAdds = 2;       ///< of whole registers that begin in a cycle
  /// The bits of the smallest elements of vectors that can be loaded and stored
  /// under a mask; 0 if there are none.
  unsigned MaskedBits = 0;
  bool HasFMA = true;        ///< a product is added without a temporary
  bool TurnsSquares = false; ///< transposes them without constants from memory
  bool HasDoubles = true;    ///< vectors of double are more than storage
  bool HasHalves = false;    ///< those of half are
  bool PrefersSmallCode = false; ///< as with -Os
  unsigned WholeProducts = 64; ///< bits of integers that one instruction makes
  CacheSizes Caches{};
  /// Whose attributes say all this; null: those of the nest's function.
  const llvm::Function *AttributeSource = nullptr;
  std::string VectorName; ///< "AVX-512", "NEON", …, for remarks

  /// What code with the attributes of \p F can use. The width a CPU's tuning
  /// prefers is ignored: a kernel runs long enough for the widest to pay.
  static TargetModel of(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                        const Options &Opts);

  /// What is left of it for the sums of \p Of.
  TargetModel forSums(const Contraction &Of) const;

  /// What \p TTI, made for \p F or for a function like it, can use.
  static TargetModel of(const llvm::Function &F,
                        const llvm::TargetTransformInfo &TTI,
                        const Options &Opts);
};

/// The attributes that make the backend use \p VectorBits wide registers.
void setVectorWidth(llvm::Function &F, unsigned VectorBits);

/// Whether \p I divides integers which no CPU divides in vectors: by what is not
/// constant, or of more than 32 bits.
bool dividesOneByOne(const llvm::Instruction &I);

} // namespace tilesmith

#endif
