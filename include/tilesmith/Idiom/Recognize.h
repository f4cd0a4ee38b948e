//===- Recognize.h - the Idiom room's entry ---------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_IDIOM_RECOGNIZE_H
#define TILESMITH_IDIOM_RECOGNIZE_H

#include "tilesmith/Idiom/Nest.h"
#include "tilesmith/Idiom/Reason.h"
#include <variant>

namespace llvm {
class AAResults;
class DominatorTree;
class Loop;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

/// So many loops are a product of matrices at least.
constexpr unsigned MinChainLength = 3;
/// And so many a matrix times a vector.
constexpr unsigned VectorChainLength = 2;
/// The same with steps in segments.
constexpr unsigned SegmentedChainLength = 3;

/// Metadata of loops of functions that are turned off in their source. They are
/// left alone wherever they are inlined.
extern const char OffMark[];

/// Metadata of loops that are not looked at beyond the nests in them: they were made
/// around these.
inline constexpr char AroundMark[] = "tilesmith.around";

/// The analyses recognition reads. It changes no IR.
struct NestAnalyses {
  llvm::DominatorTree &DT;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  llvm::AAResults *AA = nullptr; ///< optional: spares run-time overlap tests
  /// The linker will optimise the loops once more: with LTO, LLVM may unroll
  /// them before it makes vectors of what is left scalar. (flang links what it
  /// calls thin LTO as full LTO, and thin LTO knows more constants.)
  bool LinksLater = false;
  /// LLVM has not yet moved what both arms of a branch compute in front of it,
  /// as at -O1.
  bool HoistsLater = false;
  /// Somebody wants to know why a nest is no product. If not, what cannot be one
  /// (PossibleProducts) is not looked at further.
  bool Explain = true;
};

/// Metadata of a branch that stands for the clipped bounds of a loop.
inline constexpr char ClippedMark[] = "tilesmith.clipped";

/// Metadata of a load of a factor: for the nest to be what it seems, its distance from
/// the beginning of the array has to fit so many bits, as an unsigned number.
inline constexpr char NarrowMark[] = "tilesmith.narrow";

/// A cheap look that never builds a SCEV: is \p Innermost the inner loop of
/// three or more, with a multiply-add of loaded values in it? A loop whose
/// counter stands for two counts twice.
bool looksLikeProduct(const llvm::Loop &Innermost);

/// Longer loops are not searched. With checks, and steps unrolled by hand, products have a
/// hundred blocks or two; what is asked of each block, of all the others, takes long where
/// there are many more.
inline constexpr unsigned MostBlocksOfNest = 256;

/// Matches the loops ending in \p Innermost, as many of them as make up one
/// product.
std::variant<Nest, Refusal> recognize(llvm::Loop &Innermost,
                                      const NestAnalyses &Analyses);

/// The outermost loop behind \p Product, with nothing done in between, if a kernel
/// might go on with its elements; else null.
llvm::Loop *nestBehind(const Nest &Product, const NestAnalyses &Analyses);

/// \p Product and the nest behind it, if that only goes on with the elements of C,
/// one by one: as an epilogue. Both are what a kernel stands for.
std::optional<Nest> joinNext(const Nest &Product, const NestAnalyses &Analyses);

} // namespace tilesmith

#endif
