//===- Plan.h - how a contraction will be computed --------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goto's algorithm (Goto, van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication", 2008), with the names of BLIS:
//
//   for jc in N by nc                        the panel of B in the L3 cache
//     for pc in K by kc    pack B: kc x nc
//       for ic in M by mc  pack A: mc x kc   the block of A in the L2 cache
//         for jr in nc by nr                 the sliver of B in the L1 cache
//           for ir in mc by mr
//             micro kernel: C[mr x nr] += A[mr x kc] * B[kc x nr]
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_PLAN_H
#define TILESMITH_PLANNING_PLAN_H

#include "tilesmith/Idiom/Contraction.h"
#include "tilesmith/Idiom/Reason.h"
#include "tilesmith/Planning/KernelFamily.h"
#include "tilesmith/Planning/Library.h"
#include "tilesmith/Planning/Scheme.h"
#include "tilesmith/Planning/TargetModel.h"
#include <variant>

namespace tilesmith {

/// How a product is computed: by calls of a library, or by a kernel. Then the
/// scheme says everything: MR, NR, MC, NC and KC are those above.
struct Plan : Scheme {
  /// Compute Contraction::mirrored(), so that the register tile's rows are
  /// adjacent in C. The scheme is about the contraction as mirrored.
  bool Mirrored = false;
  /// The calls of a library that compute it; unset for a kernel of our own.
  std::optional<LibraryCalls> Library;
  /// Why there are none, if a library was asked for.
  Refused NoLibrary;
  unsigned VectorBits = 0;
  unsigned VL = 0; ///< elements in a register; MR is a multiple of it
  std::string VectorName;
  unsigned VectorRegisters = 0;

  /// Of a small kernel for \p View, mirrored already: whether the columns of A
  /// for all steps stay in registers while those of C go by.
  bool keepsA(const Contraction &View) const;
  /// Of a small kernel for \p View, mirrored already: whether A of \p T, which
  /// is not adjacent along M, can be transposed panel by panel without loops,
  /// as these would take longer than what they do.
  bool isTransposedInRegisters(const Contraction &View, const Term &T) const;

  /// "packed, 24x8 micro kernel, AVX-512" or "cblas_dgemm(RowMajor, NoTrans,
  /// Trans)"
  std::string summary() const;
  void print(llvm::raw_ostream &OS) const;
};

/// What a step of \p Op needs in registers besides the sums.
StepNeeds needsOfStep(const Contraction &Op, const TargetModel &Target);

/// Decides how \p Op will be computed, or why it will not be. What a scheme or
/// other options say is done so, if it can be.
std::variant<Plan, Refusal>
makePlan(const Contraction &Op, const TargetModel &Target, const Options &Opts);

/// Why \p How, made of the others, is as it is: a line for each choice.
void explain(const Plan &How, const Contraction &Op, const TargetModel &Target,
             const Options &Opts, llvm::raw_ostream &OS);

} // namespace tilesmith

#endif
