//===- Tuning.h - plans that were measured ----------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning table says which scheme is the best one for which nests, on the
// machine on which it was measured:
//
//   # AMD EPYC, 2026-11-21
//   GEMM f64 512 32x32x32 mmk: small tile=16x8 min-work=1   # 90 GFLOP/s
//   GEMM f64 512 *x*x* mmk: packed tile=24x8 mc=168 nc=2048 kc=256
//
//   table   ::= line*
//   line    ::= [ key ':' scheme ] [ '#' comment ]
//   key     ::= kind type vectors extents layout
//   kind    ::= 'GEMM' | 'SYRK' | 'sum of GEMMs' | ...   Contraction::kinds
//   type    ::= 'f64' | 'f32' | 'f16' | 'i64' | 'i32'    of the sums
//   vectors ::= number                                   bits of a register
//   extents ::= extent 'x' extent 'x' extent             M, N and K
//   extent  ::= number | '*'
//   layout  ::= axis axis axis                           of C, A and B
//   axis    ::= 'm' | 'n' | 'k' | '-'
//
// An axis is the one along which an operand's elements are adjacent, if they
// are known to be. M and N, A and B are those of the micro kernel: a row-major
// product is mirrored, and so has the key of a column-major one. The star is
// for extents that are known at run time only, and for constants above 64: a
// nest of small constants has plans of its own kind.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_TUNING_H
#define TILESMITH_PLANNING_TUNING_H

#include "tilesmith/Planning/Scheme.h"
#include <memory>
#include <string>
#include <vector>

namespace tilesmith {

struct Contraction;

/// What decides which plan is the best one on a machine.
struct TuningKey {
  std::string Kind, Type;
  unsigned VectorBits = 0;
  PerDim<std::optional<uint64_t>> Extent; ///< unset: not known, or '*'
  std::string Layout;

  /// That of \p View, as its plan sees it.
  static TuningKey of(const Contraction &View, unsigned VectorBits);
  static llvm::Expected<TuningKey> parse(llvm::StringRef Text);

  /// Whether an entry for this is one for \p Nest.
  bool matches(const TuningKey &Nest) const;
  std::string str() const;
};

class TuningTable {
public:
  struct Entry {
    TuningKey For;
    Scheme ChosenScheme;
  };

  /// The entry for \p Nest, or null. Of several, the one with the most
  /// constants; then the first.
  const Entry *find(const TuningKey &Nest) const;
  llvm::ArrayRef<Entry> entries() const { return Entries; }

  /// Fails with a message that names the place, "line 3, column 6: ...".
  static llvm::Expected<TuningTable> parse(llvm::StringRef Text);
  static llvm::Expected<std::shared_ptr<const TuningTable>>
  read(llvm::StringRef File);

private:
  std::vector<Entry> Entries;
};

} // namespace tilesmith

#endif
