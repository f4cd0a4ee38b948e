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
#include "tilesmith/Planning/Library.h"
#include "tilesmith/Planning/TargetModel.h"
#include <variant>

namespace tilesmith {

struct Plan {
  /// Compute Contraction::mirrored(), so that the register tile's rows are
  /// adjacent in C. All other fields are about the contraction as mirrored.
  bool Mirrored = false;
  /// The calls of a library that compute it; unset for a kernel of our own.
  std::optional<LibraryCalls> Library;
  /// Why there are none, if a library was asked for.
  Refused NoLibrary;
  /// All extents are small constants: tiles of any size, no blocks, and nothing
  /// is packed but a panel of A that is transposed.
  bool Small = false;
  unsigned VectorBits = 0;
  unsigned VL = 0;         ///< elements in a register
  unsigned MR = 0, NR = 0; ///< the register tile; MR is a multiple of VL
  uint64_t MC = 0, NC = 0, KC = 0;
  /// A is read in place, not packed, up to this extent of N; B up to this of M.
  /// Neither is if a block's steps are spread over more than ReadWithin bytes.
  uint64_t ReadAUpTo = 0, ReadBUpTo = 0, ReadWithin = 0;
  /// The fast path is taken from this product of the three extents on, ...
  uint64_t MinWork = 0;
  /// ... from this number of elements of C, ...
  uint64_t MinElements = 1;
  /// ... and from these extents.
  PerDim<uint64_t> MinExtent{1, 1, 1};
  std::string VectorName;

  /// "packed, 24x8 micro kernel, AVX-512" or "cblas_dgemm(RowMajor, NoTrans,
  /// Trans)"
  std::string summary() const;
  void print(llvm::raw_ostream &OS) const;
};

/// The largest register tile, MR = VL * rows of registers and NR columns, whose
/// accumulators, \p ColumnsOfA columns and \p Temporaries fit into \p
/// Registers.
std::pair<unsigned, unsigned> chooseRegisterTile(unsigned VL,
                                                 unsigned Registers,
                                                 unsigned Temporaries,
                                                 unsigned ColumnsOfA = 1);

/// Decides how \p Op will be computed, or why it will not be.
std::variant<Plan, Refusal>
makePlan(const Contraction &Op, const TargetModel &Target, const Options &Opts);

} // namespace tilesmith

#endif
