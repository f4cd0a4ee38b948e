//===- BetterTargets.h - plans for better CPUs ------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_PLANNING_BETTERTARGETS_H
#define TILESMITH_PLANNING_BETTERTARGETS_H

#include "tilesmith/Planning/Plan.h"
#include "tilesmith/Target/CPULevel.h"
#include <list>

namespace tilesmith {

/// The levels above a function's own, and what planning knows of them: those
/// with more features, if that is asked for, and those with longer vectors, if
/// the function does not say how long they are.
class BetterTargets {
public:
  /// \p Own is what is known of \p F itself.
  BetterTargets(llvm::Function &F, const TargetModel &Own,
                llvm::FunctionAnalysisManager &FAM, const Options &Opts);
  ~BetterTargets();
  BetterTargets(const BetterTargets &) = delete;
  BetterTargets &operator=(const BetterTargets &) = delete;

  /// Adds to \p Planned, for the function's own features, plans for the levels
  /// where there is a better one (Plan::Dispatched).
  void addTo(PlannedNest &Planned, const Options &Opts) const;

private:
  struct Entry {
    const CPULevel &Level;
    llvm::Function *AttributeSource; ///< a declaration
    TargetModel Target;
  };
  std::list<Entry> Entries;
};

} // namespace tilesmith

#endif
