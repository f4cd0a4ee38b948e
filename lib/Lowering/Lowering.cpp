//===- Lowering.cpp - llvm.matrix.* to vector code ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction selection knows no llvm.matrix.*, so every call has to go:
//
//   1. Each multiplication is offered, together with the values it is connected
//      to (TileGroup), to one target after the other.
//   2. LLVM's LowerMatrixIntrinsics takes what is left: transpositions, loads
//      and stores away from any multiplication, element types that no register
//      holds.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Lowering/Lowering.h"
#include "AccumulatorTiles.h"
#include "OuterTiles.h"
#include "RegisterTiles.h"
#include "SquareTiles.h"
#include "TileGroup.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Scalar/LowerMatrixIntrinsics.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace tilesmith;

/// Replaces the group around a multiplication by code for one kind of hardware.
/// Returns false, having changed nothing, if the group does not suit it.
using GroupLowering = bool (*)(const MatrixProduct &,
                               const TargetTransformInfo &);

/// The most specific first.
static constexpr GroupLowering Lowerings[] = {
    lowerToAccumulators, lowerToOuterProducts, lowerToSquareTiles,
    lowerToRegisterTiles};

static bool isMatrixIntrinsic(const Instruction &I) {
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (!Call)
    return false;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::matrix_multiply:
  case Intrinsic::matrix_transpose:
  case Intrinsic::matrix_column_major_load:
  case Intrinsic::matrix_column_major_store:
    return true;
  default:
    return false;
  }
}

static void lowerMultiplications(Function &F, const TargetTransformInfo &TTI) {
  SmallVector<WeakVH> Multiplications;
  for (Instruction &I : instructions(F))
    if (MatrixProduct::match(&I))
      Multiplications.push_back(&I);

  // Lowering the group of one multiplication may take others along.
  for (WeakVH &V : Multiplications) {
    if (V)
      (void)any_of(Lowerings, [&](GroupLowering Lower) {
        return Lower(*MatrixProduct::match(V), TTI);
      });
  }
}

bool tilesmith::lowerMatrixIntrinsics(Function &F,
                                      FunctionAnalysisManager &FAM) {
  if (none_of(instructions(F), isMatrixIntrinsic))
    return false;
  removeUnreachableBlocks(F);
  lowerMultiplications(F, FAM.getResult<TargetIRAnalysis>(F));
  for (Instruction &I : instructions(F))
    if (auto Access = MatrixAccess::match(I); Access && Access->ExistingRows)
      F.getContext().emitError(
          &I, "a matrix of which not all rows exist must be part of a tile "
              "whose columns are whole registers, with the same rows");
  if (any_of(instructions(F), isMatrixIntrinsic)) {
    FAM.invalidate(F, PreservedAnalyses::none());
    LowerMatrixIntrinsicsPass().run(F, FAM);
  }
  return true;
}
