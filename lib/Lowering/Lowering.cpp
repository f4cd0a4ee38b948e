//===- Lowering.cpp - llvm.matrix.* to vector code ------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instruction selection knows no llvm.matrix.*, so every call has to go:
//
//   1. Products of few rows become others, or inner products (FewRows). Each
//      other multiplication is offered, together with the values it is
//      connected to (TileGroup), to one target after the other.
//   2. Loads and stores away from any multiplication, and what stands before
//      and behind a transposition, become register tiles as well.
//   3. Transpositions become squares of registers.
//   4. Wide values that only stand between these vanish.
//   5. LLVM's LowerMatrixIntrinsics takes what is left: element types that no
//      register holds.
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Lowering/Lowering.h"
#include "AccumulatorTiles.h"
#include "FewRows.h"
#include "Forwarding.h"
#include "OuterTiles.h"
#include "RegisterTiles.h"
#include "SquareTiles.h"
#include "TileGroup.h"
#include "Transposition.h"
#include "tilesmith/Support/MatrixIR.h"
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

static void lowerMultiplications(Function &F, SmallVectorImpl<Columns> &Seeds,
                                 const TargetTransformInfo &TTI) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto Product = MatrixProduct::match(&I))
      lowerFewRows(*Product, Seeds, TTI);

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

/// Cuts \p Seeds, and the values around accesses and transpositions. Columns of
/// one element are no tiles.
static void lowerOthers(Function &F, SmallVectorImpl<Columns> &Seeds,
                        const TargetTransformInfo &TTI) {
  auto Add = [&](Value *V, uint64_t Rows) {
    if (isa<Instruction>(V) && Rows > 1)
      Seeds.push_back({V, Rows});
  };
  SmallVector<IntrinsicInst *> Transpositions;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto Access = MatrixAccess::match(I); Access && Access->Stride)
      Add(&I, Access->Rows);
    auto *Call = dyn_cast<IntrinsicInst>(&I);
    if (!Call || Call->getIntrinsicID() != Intrinsic::matrix_transpose)
      continue;
    if (Call->use_empty()) {
      Call->eraseFromParent();
      continue;
    }
    Transpositions.push_back(Call);
    auto Extent = [&](unsigned Arg) {
      return cast<ConstantInt>(Call->getArgOperand(Arg))->getZExtValue();
    };
    Add(Call->getArgOperand(0), Extent(1));
    for (User *U : Call->users())
      Add(U, Extent(2));
  }
  for (auto &[V, Rows] : Seeds)
    if (V && isa<Instruction>(V) &&
        !isa<ShuffleVectorInst, InsertElementInst>(V))
      if (auto Group = TileGroup::find(cast<Instruction>(*V), Rows);
          Group && !Group->IsPartial)
        lowerToRegisterTiles(*Group, TTI);
  for (IntrinsicInst *Call : Transpositions)
    lowerTransposition(*Call, TTI);
}

bool tilesmith::lowerMatrixIntrinsics(Function &F,
                                      FunctionAnalysisManager &FAM) {
  if (none_of(instructions(F), isMatrixIntrinsic))
    return false;
  removeUnreachableBlocks(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  SmallVector<Columns> Seeds;
  lowerMultiplications(F, Seeds, TTI);
  lowerOthers(F, Seeds, TTI);
  forwardPieces(F);
  for (Instruction &I : instructions(F))
    if (auto Access = MatrixAccess::match(I);
        Access && (Access->ExistingRows || Access->ExistingColumns ||
                   Access->Wanted || Access->Moved))
      F.getContext().emitError(
          &I, "a matrix of which not all rows or columns exist, or not all "
              "elements are "
              "wanted, must be part of a tile whose columns are whole "
              "registers, with the same rows");
  if (any_of(instructions(F), isMatrixIntrinsic)) {
    FAM.invalidate(F, PreservedAnalyses::none());
    LowerMatrixIntrinsicsPass().run(F, FAM);
  }
  return true;
}
