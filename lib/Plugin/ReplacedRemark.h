//===- ReplacedRemark.h - what is said of a replaced nest -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -Rpass=tilesmith has one remark on a nest. -Rpass-analysis=tilesmith adds the
// plan, what is tested at run time, and the reasons of the plan, a remark each.
// The optimization record has all of it in the first one.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_REPLACEDREMARK_H
#define TILESMITH_LIB_PLUGIN_REPLACEDREMARK_H

#include "Remarks.h"
#include "llvm/IR/DiagnosticInfo.h"
#include <string>
#include <vector>

namespace llvm {
class Loop;
class OptimizationRemarkEmitter;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

struct Nest;
struct PlannedNest;
struct SplitBand;
struct TargetModel;

/// What is said of a nest besides its plan comes from these.
struct ReplacedContext {
  llvm::ScalarEvolution &SE;
  const TargetModel &Target;
  const Options &Opts;
  llvm::OptimizationRemarkEmitter &ORE;
  RemarkLog &Log;
};

/// What is said of a nest that is replaced. It is read off before that, as the
/// loops change, and told afterwards, if it could be done.
class ReplacedRemark {
public:
  /// \p Found, which the loop \p L ends, is computed as \p Planned.
  ReplacedRemark(const Nest &Found, const PlannedNest &Planned,
                 const llvm::Loop &L, const ReplacedContext &Context);

  /// Tells it, if it has not been told of another version of the nest.
  void tell(llvm::OptimizationRemarkEmitter &ORE);

private:
  void analyze(const Nest &Found, const PlannedNest &Planned,
               const ReplacedContext &Context);

  const llvm::BasicBlock *Header; ///< of the outermost loop
  RemarkPlace At;
  llvm::OptimizationRemark Remark;
  std::vector<std::string> Analysis; ///< a remark each
  bool IsNew = true;
};

/// Tells that the first and last rows of \p Band are made apart, and no more.
void remarkNarrowBand(const SplitBand &Band, RemarkLog &Log,
                      llvm::OptimizationRemarkEmitter &ORE);

/// Tells that the steps of the loops from \p Root to \p Inner, over one matrix and
/// one beside it, are made in blocks.
void remarkSteps(const llvm::Loop &Root, const llvm::Loop &Inner,
                 RemarkLog &Log, llvm::OptimizationRemarkEmitter &ORE);

} // namespace tilesmith

#endif
