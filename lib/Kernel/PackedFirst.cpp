//===- PackedFirst.cpp - a factor that is packed before anything is stored -===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   for i from the last row on                  b[i][j] += a[k][i] * b[k][j], k < i
//
// The factor is C itself, and blocks of K in their order would overwrite rows
// that later ones read. So all blocks of it are packed first:
//
//   rows of C are steps      (B)  of each panel of columns, block by block of K
//   columns of C are steps   (A)  of all rows
//
//===----------------------------------------------------------------------===//

#include "MacroKernel.h"

using namespace llvm;

namespace tilesmith {

/// Whether A (\p P: M) or B (N) is such a factor. Then it is the only term's.
bool MacroKernel::packsFirst(Dim P) const {
  const TermOperands &T = Terms.front();
  return (P == tilesmith::M ? T.A : T.B).X.isPackedFirst();
}

/// Where the slivers of B are, in the block of K under way.
Value *MacroKernel::packedSlivers(const Macro &X) {
  Value *Steps = groupsOf(X.Pc);
  return element(X.Terms.front().AllPanels,
                 B.CreateMul(Steps, alignUp(X.Nb, ThePlan.NR)));
}

/// Where the panels of the block of A under way are.
Value *MacroKernel::packedRows(const Macro &X) {
  Value *Steps = groupsOf(X.Pc);
  return element(X.Terms.front().AllBlocks,
                 B.CreateAdd(B.CreateMul(Steps, alignUp(X.M, ThePlan.MR)),
                             B.CreateMul(X.Ic, X.Groups)));
}

/// Packs all steps of the panel of columns under way.
void MacroKernel::emitSliversFirst(Macro X) {
  if (!packsFirst(tilesmith::N))
    return;
  const Macro::Factors &T = X.Terms.front();
  emitLoop(i64(0), X.K, X.KC, "first", [&](Value *Pc) {
    enterBlockOfK(X, Pc);
    Value *Dst = packedSlivers(X);
    emitPack(X, T.Of->B, Dst, {T.B, T.StrideBn, T.StrideBk}, X.Jc, X.Nb,
             /*PanelsOfLine=*/nullptr);
  });
}

/// Packs all steps of all rows, cut into blocks as they will be.
void MacroKernel::emitRowsFirst(Macro X) {
  if (!packsFirst(tilesmith::M))
    return;
  const Macro::Factors &T = X.Terms.front();
  emitLoop(i64(0), X.K, X.KC, "first", [&](Value *Pc) {
    enterBlockOfK(X, Pc);
    emitLoop(i64(0), X.M, X.MC, "ic", [&](Value *Ic) {
      X.Ic = Ic;
      X.Mb = umin(B.CreateSub(X.M, Ic), X.MC);
      Value *Dst = packedRows(X);
      emitPack(X, T.Of->A, Dst, {T.A, T.StrideAm, T.StrideAk}, Ic, X.Mb,
               /*PanelsOfLine=*/nullptr);
    });
  });
}

} // namespace tilesmith
