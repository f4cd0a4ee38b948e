//===- MissedNests.h - the nests that are left alone ------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each nest, the user is told one thing. Some reasons are told at once. Others
// have to wait until all nests of the function have been looked at: loops that
// end no product themselves may be what another one leaves over.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_MISSEDNESTS_H
#define TILESMITH_LIB_PLUGIN_MISSEDNESTS_H

#include "Remarks.h"
#include "ShapeTrial.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class DominatorTree;
} // namespace llvm

namespace tilesmith {

/// Where the nests of a function that are replaced started in the source, as
/// their loops move and copies take their places.
class ReplacedNests {
public:
  /// A nest that started at \p Start. If it was left over of another one,
  /// \p LeftOver is its innermost loop.
  void add(const llvm::DebugLoc &Start, const llvm::Loop *LeftOver);

  /// Whether \p L ends no product as it stands, but one in what is left of its
  /// nest without another one.
  bool isReplacedInRest(const llvm::Loop &L) const;

  /// Whether the source's nest of \p L is replaced where more of its loops run:
  /// what is left may make the last step of a sum.
  bool isVersionOfReplaced(const llvm::Loop &L) const;

private:
  llvm::SmallVector<llvm::DebugLoc, 2> Starts;        ///< of nests
  llvm::SmallVector<llvm::DebugLoc, 2> StartsInRests; ///< of their last loops
};

/// Tells why nests are left alone.
class MissedNests {
public:
  /// \p Candidates are the loops of \p F that may end a product, as they stand
  /// when something is told.
  MissedNests(const llvm::SmallVectorImpl<llvm::Loop *> &Candidates,
              const llvm::DominatorTree &DT, const Options &Opts,
              RemarkLog &Log, llvm::OptimizationRemarkEmitter &ORE)
      : Candidates(Candidates), DT(DT), Opts(Opts), Log(Log), ORE(ORE) {}

  WhyNots InOtherShape; ///< of loops that are no product in any shape

  /// Tells why the nest that \p L ends, certainly a product, is left alone.
  void tellProduct(const llvm::Loop &L, const WhyNot &No,
                   llvm::StringRef What = "matrix product not replaced: ");

  /// The same, of one for which there is no plan, or no size from which on it
  /// would pay. If it is too small, it may be what another one, unrolled by hand,
  /// leaves over.
  void tellUnplanned(const llvm::Loop &L, const WhyNot &No,
                     llvm::StringRef What = "matrix product not replaced: ");

  /// \p L ends no product: \p No. \p IsLeftOver, if it was left over of one. It
  /// is told now, or when all others have been looked at.
  void note(const llvm::Loop &L, const WhyNot &No, bool IsLeftOver);

  /// Tells what had to wait.
  void tellRest(const ReplacedNests &Replaced);

private:
  using Noted = llvm::SmallVector<std::pair<const llvm::Loop *, WhyNot>, 2>;

  void tell(const llvm::Loop &L, const WhyNot &No);
  void explain(const llvm::Loop &L, const WhyNot &No, bool IsLeftOver);
  WhyNot moreOf(const llvm::Loop &L, const WhyNot &No) const;
  bool isAlone(const llvm::Loop &L) const;
  bool isTold(const llvm::Loop &L) const;
  bool isBesideOther(const llvm::Loop &L) const;
  bool isVersionOfOther(const llvm::Loop &L) const;
  bool isBesideMatrices(const llvm::Loop &L) const;
  bool isVagueOfVector(const llvm::Loop &L, const WhyNot &Told) const;

  const llvm::SmallVectorImpl<llvm::Loop *> &Candidates;
  const llvm::DominatorTree &DT;
  const Options &Opts;
  RemarkLog &Log;
  llvm::OptimizationRemarkEmitter &ORE;
  Noted Refused; ///< loops of the source that end no product
  /// Loops that may be what others leave over: they are told if nothing else of
  /// their nests is.
  Noted OfRests;
  /// Loops after which no sum is stored, or one of a single step.
  Noted WithoutUpdate;
  llvm::SmallVector<llvm::DebugLoc, 2> ToldNests; ///< where they start
};

} // namespace tilesmith

#endif
