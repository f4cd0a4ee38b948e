//===- ReplacedRemark.h - what is said of a replaced nest -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_PLUGIN_REPLACEDREMARK_H
#define TILESMITH_LIB_PLUGIN_REPLACEDREMARK_H

#include "llvm/IR/DiagnosticInfo.h"

namespace llvm {
class Loop;
class OptimizationRemarkEmitter;
class ScalarEvolution;
} // namespace llvm

namespace tilesmith {

struct Nest;
struct Options;
struct PlannedNest;
class RemarkLog;
struct SplitBand;
struct TargetModel;

/// What the remark on a replaced nest is made of, besides its plan.
struct ReplacedContext {
  llvm::ScalarEvolution &SE;
  const TargetModel &Target;
  const Options &Opts;
  llvm::OptimizationRemarkEmitter &ORE;
};

/// What is said of \p Found, which the loop \p L ends and which is computed as
/// \p Planned. It is read off before the nest changes, and told if it could be
/// replaced.
llvm::OptimizationRemark replacedRemark(const Nest &Found,
                                        const PlannedNest &Planned,
                                        const llvm::Loop &L,
                                        const ReplacedContext &Context);

/// Whether \p Remark on \p Found, which \p L ends, is new to \p Log: versions of a
/// nest have the same store; two products of one nest do not.
bool isNewRemark(const llvm::OptimizationRemark &Remark, const Nest &Found,
                 const llvm::Loop &L, RemarkLog &Log);

/// Tells that the first and last rows of \p Band are made apart, and no more.
void remarkNarrowBand(const SplitBand &Band, RemarkLog &Log,
                      llvm::OptimizationRemarkEmitter &ORE);

} // namespace tilesmith

#endif
