//===- KernelBuilder.cpp - the kernel that a plan asks for ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "ElementTests.h"

using namespace llvm;

namespace tilesmith {

Function *KernelBuilder::buildMacroKernel() {
  KernelArguments Arguments;
  Function *F = createFunction(
      "gemm", B.getInt1Ty(),
      parametersOfKernel(Arguments, View, KernelInterface::Macro));
  Macro X = macroOf(*F, Arguments);
  if (Correction) // of a sliver, as the direct path has no memory for more
    X.Corrections = B.CreateAlloca(Op.SumTy, i64(ThePlan.NR), "corrections");
  if (SumsApart) {
    AllocaInst *Sums =
        B.CreateAlloca(Op.SumTy, i64(ThePlan.MR * ThePlan.NR), "sums");
    Sums->setAlignment(Align(CacheLine));
    X.TileOfSums = Sums;
  }
  if (Permission)
    emitChoice(X);
  emitNumbering(X);
  ElementTests(*this, X).emitZeroTests();
  if (Made != Steps::All) {
    emitTrimOfRows(X);
    emitTrimOfSteps(X);
  }
  ElementTests(*this, X).emitMagnitudeTests();
  emitThin(X);
  emitTurned(X);
  emitDirect(X);
  emitBlocking(X);
  emitAllocation(X);
  emitOuter(X, OuterPlace::Around, [&] {
    emitSavingBefore(X);
    emitRowsFirst(X);
    emitBundles(X, tilesmith::N, [&] { emitPanelsOfB(X); });
    emitExactSums(X);
    if (needsExactSums())
      emitEpilogue(X, {i64(0), i64(0), X.M, X.N});
    emitEmpty(X);
  });
  emitFree(X.Memory);
  B.CreateRet(B.getTrue());
  return F;
}

BuiltKernel KernelBuilder::build() {
  if (ThePlan.isSmall())
    return {buildSmallKernel()};
  if (ThePlan.hasLanes())
    return {buildLaneKernel()};
  if (Op.Segments)
    return {buildSegmentKernel()};
  if (ThePlan.isStreamed()) {
    BuiltKernel Kernel{buildStreamKernel(), interface()};
    if (Op.hasMadeFactors())
      return {unify(buildMaking(Kernel)), KernelInterface::Making};
    return Kernel;
  }
  if (ThePlan.isFilter())
    return {buildFilterKernel()};
  if (!cutsTiles() && !callsKernelsOnly())
    Copy = unify(buildCopy());
  for (TermOperands &T : Terms)
    for (Operand *X : {&T.A, &T.B}) {
      if (isGathered(*X))
        X->Gather = unify(buildGatheredPack(*X));
      if (mayBePlain(*X))
        X->Pack = unify(buildPack(*X));
    }
  if (ThePlan.Narrow && ThePlan.Narrow->FlipsA)
    Correction = unify(buildCorrection());
  AreGeneral = areGeneralKernelsShared();
  for (unsigned Rows = ThePlan.VL; Rows <= ThePlan.MR; Rows += ThePlan.VL)
    for (unsigned Columns = ThePlan.Engine->PanelEdge; Columns <= ThePlan.NR;
         ++Columns)
      if (hasColumns(Columns))
        buildKernelsOf(Rows, Columns);
  if (readsWindows())
    buildWindowKernels();
  if (hasPackedKernel())
    PackedMicro =
        unify(buildMicroKernel(ThePlan.MR, ThePlan.NR, MicroKind::Packed));
  if (!callsKernelsOnly())
    Tile = unify(buildTile(/*IsCorner=*/false));
  for (const auto &Of : ThePlan.Thin)
    Thin.push_back(buildThinKernel(*Of));
  if (ThePlan.TurnsTiles) {
    const Nest Mirrored = View.mirrored();
    assert(invariantsOf(Mirrored.Op) == Invariants && "other scalars");
    Turned = KernelBuilder(Mirrored, ThePlan).buildTurnedKernels();
  }
  if (Made != Steps::All) {
    for (const auto &[Shape, Kernel] : Micro)
      CornerMicro[Shape] =
          unify(buildMicroKernel(Shape.first, Shape.second, MicroKind::Corner));
    CornerTile = unify(buildTile(/*IsCorner=*/true));
  }
  Permission = ThePlan.Engine->permission(Mod, Caller);
  if (ThePlan.Fallback)
    FallbackKernel = KernelBuilder(View, *ThePlan.Fallback).build();
  BuiltKernel Kernel{unify(buildMacroKernel()), KernelInterface::Macro,
                     buildTable()};
  if (Op.hasRowTables())
    return {unify(buildRowTables(Kernel)), KernelInterface::RowTables};
  if (Op.hasMadeFactors())
    return {unify(buildMaking(Kernel)), KernelInterface::Making};
  if (ThePlan.fillsGroups(Op))
    return {unify(buildWholeGroups(Kernel))};
  return Kernel;
}

BuiltKernel buildKernel(const Nest &View, const Plan &ThePlan) {
  return KernelBuilder(View, ThePlan).build();
}

} // namespace tilesmith
