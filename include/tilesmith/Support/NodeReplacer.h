//===- NodeReplacer.h - one part of a SCEV by another -----------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_SUPPORT_NODEREPLACER_H
#define TILESMITH_SUPPORT_NODEREPLACER_H

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace tilesmith {

/// Replaces one node of a SCEV.
struct NodeReplacer : llvm::SCEVRewriteVisitor<NodeReplacer> {
  const llvm::SCEV *Old, *New;
  NodeReplacer(llvm::ScalarEvolution &SE, const llvm::SCEV *Old,
               const llvm::SCEV *New)
      : SCEVRewriteVisitor(SE), Old(Old), New(New) {}
  const llvm::SCEV *visit(const llvm::SCEV *S) {
    return S == Old ? New : SCEVRewriteVisitor<NodeReplacer>::visit(S);
  }
};

} // namespace tilesmith

#endif
