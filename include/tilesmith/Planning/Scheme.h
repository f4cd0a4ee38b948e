//===- Scheme.h - a plan as text --------------------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scheme says in words how a kernel computes a product:
//
//   packed tile=24x8 mc=336 nc=4096 kc=256 pack-a=n>64 pack-b=m>216
//
//   scheme    ::= word*            between blanks; in any order, each once
//   word      ::= 'packed' | 'unpacked' | 'small' | 'lanes' | 'gathered' |
//               'stream' | 'filter'
//               | 'tile=' tile [ '+' tile ]
//               | ( 'group=' | 'mc=' | 'nc=' | 'kc=' ) number
//               | ( 'pack-a=' | 'pack-b=' ) rule
//               | 'edge=' ( 'pad' | 'mask' )
//               | ( 'min-work=' | 'min-mn=' | 'min-m=' | 'min-n=' | 'min-k=' )
//                 number
//   tile      ::= number 'x' number
//   rule      ::= 'always' | 'never' | condition ( '|' condition )*
//   condition ::= ( 'n>' | 'm>' | 'span>' ) number
//
// Numbers are decimal, and one at least. '#' begins a comment, to the end of
// the line. There are no commas, parentheses and semicolons, as opt's -passes=
// and lists of options split their text there.
//
// What a scheme does not say is left to makePlan. That it can be computed on a
// target is tested there; what is wrong on all targets, when it is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_SCHEME_H
#define TILESMITH_PLANNING_SCHEME_H

#include "tilesmith/Idiom/Dim.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace tilesmith {

/// When an operand is packed; else it is read in place, wherever that is
/// possible.
struct PackingRule {
  static constexpr uint64_t Unlimited = UINT64_MAX;
  /// If it is used with more columns of B than this, or more rows of A.
  uint64_t ExtentAbove = Unlimited;
  /// If the steps of a block are spread over more bytes than this, and more
  /// than a few tiles need them.
  uint64_t SpanAbove = Unlimited;

  static constexpr PackingRule always() { return {0, Unlimited}; }
  static constexpr PackingRule never() { return {Unlimited, Unlimited}; }
  bool isAlways() const { return ExtentAbove == 0; }
  bool isNever() const {
    return ExtentAbove == Unlimited && SpanAbove == Unlimited;
  }
};

/// The loops of a kernel.
enum class KernelKind {
  Undecided,
  Blocked,  ///< Goto's: 'packed', or 'unpacked' if both operands never are
  Small,    ///< none over blocks: tiles of constant sizes, most often in place
  Lanes,    ///< each lane of a register has a product of a batch
  Gathered, ///< Goto's, with a factor that is packed along several indices
  Stream,   ///< a matrix times a vector: A goes by once, sums are in registers
  Filter,   ///< the same with windows that overlap: all steps for some sums
};

/// How rows and columns beyond the edge of C are kept out.
enum class EdgeKind {
  Undecided,
  Pad,  ///< factors are padded with zeros, C goes through a buffer
  Mask, ///< there are kernels of all numbers of columns; their last vectors are
        ///< moved up to end where the rows do, or are masked if they are alone
};

/// Numbers that are zero are not said.
struct Scheme {
  KernelKind Kind = KernelKind::Undecided;
  unsigned MR = 0, NR = 0; ///< the register tile: rows of A, columns of B
  /// A second one, which is combined with the first along the dimension in
  /// which they differ: 53 rows are 24 + 24 + 5, or 24 + 16 + 13 if a last tile
  /// of 5 is slow.
  unsigned SecondMR = 0, SecondNR = 0;
  /// Steps over k that one instruction multiplies and adds up, if factors stay
  /// narrow; 1: they are widened when they are packed.
  uint64_t Group = 0;
  uint64_t MC = 0, NC = 0, KC = 0; ///< the blocks
  std::optional<PackingRule> PackA, PackB;
  EdgeKind Edge = EdgeKind::Undecided;

  // The break-even: the kernel is used from this product of the three extents
  // on, from this number of elements of C, and from these extents. They are
  // said together: MinWork is not zero if any of them is said.
  uint64_t MinWork = 0;
  uint64_t MinElements = 1;
  PerDim<uint64_t> MinExtent{1, 1, 1};

  bool isSmall() const { return Kind == KernelKind::Small; }
  bool hasLanes() const { return Kind == KernelKind::Lanes; }
  bool isGathered() const { return Kind == KernelKind::Gathered; }
  bool isStreamed() const { return Kind == KernelKind::Stream; }
  bool isFilter() const { return Kind == KernelKind::Filter; }
  bool isUnpacked() const {
    return Kind == KernelKind::Blocked && PackA && PackA->isNever() && PackB &&
           PackB->isNever();
  }

  /// This, and of what it leaves open what \p Other says, as far as that can go
  /// with it.
  Scheme orElse(const Scheme &Other) const;

  /// What it says of the break-even, and nothing else.
  Scheme breakEven() const;

  /// In the order of the grammar, without what is not said.
  std::string str() const;

  /// Fails with a message that names the place, "column 6: ...".
  static llvm::Expected<Scheme> parse(llvm::StringRef Text);
  /// \p Text, or what stands in a file if that is '@' and its name.
  static llvm::Expected<Scheme> parseOrRead(llvm::StringRef Text);
};

/// "always", "n>64|span>327680"; \p Extent is "n" or "m".
std::string str(const PackingRule &Rule, llvm::StringRef Extent);

} // namespace tilesmith

#endif
