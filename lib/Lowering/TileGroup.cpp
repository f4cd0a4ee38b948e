//===- TileGroup.cpp - connected tile-shaped values -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileGroup.h"
#include "tilesmith/Lowering/Lowering.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace tilesmith;

static unsigned getConstantArg(const CallInst &Call, unsigned Index) {
  return cast<ConstantInt>(Call.getArgOperand(Index))->getZExtValue();
}

unsigned tilesmith::getNumElements(const Value *V) {
  auto *Ty = dyn_cast<FixedVectorType>(V->getType());
  return Ty ? Ty->getNumElements() : 0;
}

std::optional<MatrixProduct> MatrixProduct::match(Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || Call->getIntrinsicID() != Intrinsic::matrix_multiply)
    return std::nullopt;
  return MatrixProduct{Call,
                       Call->getArgOperand(0),
                       Call->getArgOperand(1),
                       getConstantArg(*Call, 2),
                       getConstantArg(*Call, 3),
                       getConstantArg(*Call, 4)};
}

static Value *getExistingRows(const CallInst &Call) {
  auto Bundle = Call.getOperandBundle(ExistingRows);
  return Bundle ? Bundle->Inputs.front().get() : nullptr;
}

/// Matches column.major.load (FirstArg 0) and column.major.store (FirstArg 1):
/// from FirstArg on, their arguments are the same.
static MatrixAccess matchColumnMajor(IntrinsicInst &Call, unsigned FirstArg) {
  Type *ElementTy =
      (FirstArg ? Call.getArgOperand(0)->getType() : Call.getType())
          ->getScalarType();
  return {FirstArg ? Call.getArgOperand(0) : nullptr,
          Call.getArgOperand(FirstArg),
          Call.getArgOperand(FirstArg + 1),
          getConstantArg(Call, FirstArg + 3),
          Call.getDataLayout().getValueOrABITypeAlignment(
              Call.getParamAlign(FirstArg), ElementTy),
          getConstantArg(Call, FirstArg + 2) != 0,
          getExistingRows(Call)};
}

std::optional<MatrixAccess> MatrixAccess::match(Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
    return MatrixAccess{nullptr,
                        Load->getPointerOperand(),
                        nullptr,
                        getNumElements(Load),
                        Load->getAlign(),
                        /*IsVolatile=*/false,
                        /*ExistingRows=*/nullptr};
  if (auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
    return MatrixAccess{Store->getValueOperand(),
                        Store->getPointerOperand(),
                        nullptr,
                        getNumElements(Store->getValueOperand()),
                        Store->getAlign(),
                        /*IsVolatile=*/false,
                        /*ExistingRows=*/nullptr};
  auto *Call = dyn_cast<IntrinsicInst>(&I);
  if (Call && Call->getIntrinsicID() == Intrinsic::matrix_column_major_load)
    return matchColumnMajor(*Call, 0);
  if (Call && Call->getIntrinsicID() == Intrinsic::matrix_column_major_store)
    return matchColumnMajor(*Call, 1);
  return std::nullopt;
}

/// Whether the elements of type \p Ty lie in memory as in a vector, one after
/// the other without padding and each at its own address.
static bool isAddressable(Type *Ty, const DataLayout &DL) {
  return DL.getTypeSizeInBits(Ty) == DL.getTypeAllocSizeInBits(Ty);
}

/// Whether each element of the result of \p I depends only on the elements of
/// its wide operands at the same position, and on scalars that all share.
static bool isElementWise(const Instruction &I) {
  bool TakesScalars = false;
  if (auto *Call = dyn_cast<IntrinsicInst>(&I)) {
    if (!isTriviallyVectorizable(Call->getIntrinsicID()) &&
        Call->getIntrinsicID() != Intrinsic::arithmetic_fence)
      return false;
    TakesScalars = true;
  } else if (isa<SelectInst>(I)) {
    TakesScalars = true;
  } else if (!isa<PHINode, UnaryOperator, BinaryOperator, CastInst, CmpInst,
                  FreezeInst>(I)) {
    return false;
  }
  unsigned NumElements = getNumElements(&I);
  return NumElements && all_of(I.operand_values(), [&](const Value *V) {
           return getNumElements(V) == NumElements ||
                  (TakesScalars && !V->getType()->isVectorTy());
         });
}

/// Whether code that cuts the wide value \p V, or puts it together, finds a
/// place that dominates all uses of \p V.
static bool canInsertAfter(Value *V) {
  auto *I = dyn_cast<Instruction>(V);
  return !I || !getNumElements(I) ||
         (!I->isTerminator() && I->getInsertionPointAfterDef());
}

bool TileGroup::canCut(Instruction &I, Cut C) const {
  if (!canInsertAfter(&I) || !all_of(I.operand_values(), canInsertAfter))
    return false;
  const DataLayout &DL = I.getDataLayout();
  if (std::optional<MatrixAccess> Access = MatrixAccess::match(I)) {
    Type *Ty = Access->Stored ? Access->Stored->getType() : I.getType();
    return isa<FixedVectorType>(Ty) && isAddressable(Ty->getScalarType(), DL) &&
           (C == Cut::Elements || !Access->Stride || Access->Rows == Rows);
  }
  if (std::optional<MatrixProduct> Product = MatrixProduct::match(&I))
    return C == Cut::Columns && Product->Rows == Rows &&
           isAddressable(I.getType()->getScalarType(), DL);
  return isElementWise(I);
}

/// Adds \p From and what is connected to it. Elements are only wanted by the
/// multiplications that use them, so other users of theirs stay out.
void TileGroup::grow(Value *From, Cut C) {
  SmallVector<Value *> Worklist{From};
  while (!Worklist.empty()) {
    auto *I = dyn_cast<Instruction>(Worklist.pop_back_val());
    if (!I || contains(I) || !canCut(*I, C))
      continue;
    Members.insert({I, C});
    if (std::optional<MatrixProduct> Product = MatrixProduct::match(I))
      Worklist.push_back(Product->A);
    else
      copy_if(I->operand_values(), std::back_inserter(Worklist),
              getNumElements);
    if (C == Cut::Columns)
      append_range(Worklist, I->users());
  }
}

/// Whether all columns have the same number of rows that exist.
bool TileGroup::findExistingRows() {
  SmallSetVector<Value *, 2> Found;
  for (auto [I, C] : Members)
    if (auto Access = MatrixAccess::match(*I); Access && C == Cut::Columns)
      Found.insert(Access->ExistingRows);
  if (!Found.empty())
    ExistingRows = Found.front();
  return Found.size() <= 1;
}

std::optional<TileGroup> TileGroup::find(const MatrixProduct &Seed) {
  TileGroup Group(Seed.Rows);
  Group.grow(Seed.Call, Cut::Columns);
  if (Group.Members.empty())
    return std::nullopt;
  // What is both a right-hand side and part of a tile has become the latter.
  for (unsigned I = 0, E = Group.Members.size(); I != E; ++I)
    if (auto Product = MatrixProduct::match(Group.Members.begin()[I].first))
      Group.grow(Product->B, Cut::Elements);
  if (!Group.findExistingRows())
    return std::nullopt;
  return Group;
}

bool TileGroup::contains(Value *V) const {
  return Members.contains(dyn_cast<Instruction>(V));
}
