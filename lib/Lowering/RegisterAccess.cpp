//===- RegisterAccess.cpp - what register tiles load and store ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tilesmith {

/// Whether the group loads from \p Pointer what it stores there, as of sums
/// that go on: a later product is likely to do so again.
bool RegisterTiles::isLoadedAndStored(Value *Pointer) const {
  bool IsLoaded = false, IsStored = false;
  for (User *U : Pointer->users())
    if (auto *I = dyn_cast<Instruction>(U); I && Group.contains(I))
      if (auto Access = MatrixAccess::match(*I))
        (Access->Stored ? IsStored : IsLoaded) = true;
  return IsLoaded && IsStored;
}

RegisterTiles::Pieces
RegisterTiles::cutAccess(Instruction &I, const MatrixAccess &Access, Cut C) {
  Type *Ty = Access.Stored ? Access.Stored->getType() : I.getType();
  Type *ElementTy = Ty->getScalarType();
  uint64_t ElementSize = F.getDataLayout().getTypeStoreSize(ElementTy);
  bool InParts = isLoadedAndStored(Access.Pointer);
  if (C == Cut::Elements && Access.isAdjacent() && !Access.IsVolatile &&
      multipliesByLane(F, TTI))
    return loadElements(Builder, Ty,
                        {Access.Pointer, Access.Alignment, /*IsVolatile=*/false,
                         I.getAAMetadata(), InParts},
                        TTI, I.getName());
  Pieces Result;
  // Built once for all columns, and once for all rows.
  SmallDenseMap<unsigned, Value *> DistanceOfColumn, PlaceOfRow;
  SmallDenseMap<std::pair<unsigned, unsigned>, Value *> PointerToRow;
  Value *FirstMoved = Access.Moved ? firstMoved(Access, ElementSize) : nullptr;
  for (auto [Index, P] : enumerate(getLayout(Ty, C))) {
    unsigned J = P.Offset / Access.Rows, Row = P.Offset % Access.Rows;
    PieceAccess At{Access.Pointer, Access.Alignment, Access.IsVolatile,
                   I.getAAMetadata(), InParts};
    bool IsMoved = FirstMoved && J >= Access.Columns - Access.Moved->Count;
    if (IsMoved) {
      J -= Access.Columns - Access.Moved->Count;
      At.Pointer = FirstMoved;
      At.Alignment = commonAlignment(At.Alignment, ElementSize);
    }
    Value *&Pointer = PointerToRow[{Row, IsMoved}];
    uint64_t Known = Row; // of the distance, in elements
    if (Access.ExistingRows && Column.size() == 1) {
      At.Mask = maskOfColumn();
    } else if (Access.ExistingRows && Row == Column.back().Offset) {
      if (!Pointer)
        Pointer = Builder.CreateGEP(
            ElementTy, At.Pointer,
            Builder.CreateSub(
                Access.ExistingRows,
                ConstantInt::get(Access.ExistingRows->getType(), P.Lanes)));
      Known = 1;
    } else if (Row && !Pointer) {
      Pointer = Builder.CreateConstGEP1_64(ElementTy, At.Pointer, Row);
    }
    if (Pointer)
      At.Pointer = Pointer;
    At.Alignment = commonAlignment(At.Alignment, Known * ElementSize);
    if (J) {
      Value *&Distance = DistanceOfColumn[J];
      if (!Distance)
        Distance = multipleOf(Access.Stride, ElementSize, J);
      At.Pointer = Builder.CreatePtrAdd(At.Pointer, Distance);
      auto *Constant = dyn_cast<ConstantInt>(Distance);
      At.Alignment = commonAlignment(
          At.Alignment, Constant ? Constant->getZExtValue() : ElementSize);
    }
    if (Access.Wanted && isCut(Access, P, Row)) {
      Value *&Place = PlaceOfRow[Row];
      if (!Place)
        Place = placeAtDiagonal(Access, P, Row);
      Value *IsWanted =
          isOnSide(*Access.Wanted, Place, columnAt(Access, J, IsMoved, Place));
      At.Mask = At.Mask ? Builder.CreateAnd(At.Mask, IsWanted) : IsWanted;
    }
    if (Access.Stored)
      storePiece(Builder, P, getPieces(Access.Stored, C)[Index], At, TTI);
    else
      Result.push_back(loadPiece(Builder, P, Ty, At, I.getName()));
  }
  return Result;
}

/// \p Count times \p Stride, of elements of \p Size bytes, in bytes, where
/// code is inserted.
static Value *timesStride(IRBuilderBase &B, Value *Stride, uint64_t Size,
                          uint64_t Count) {
  // Kernels know strides in bytes, and divide them for llvm.matrix.*.
  Value *Bytes;
  if (match(Stride, m_Exact(m_SDiv(m_Value(Bytes), m_SpecificInt(Size)))))
    return Count == 1
               ? Bytes
               : B.CreateMul(Bytes, ConstantInt::get(Bytes->getType(), Count));
  return B.CreateMul(Stride, ConstantInt::get(Stride->getType(), Count * Size));
}

/// Where the columns begin that are moved up. How far that is does not depend on
/// where the access is made, so it is computed in front of any loop.
Value *RegisterTiles::firstMoved(const MatrixAccess &Access, uint64_t Size) {
  auto [Existing, Count] = *Access.Moved;
  Value *&Distance = DistanceOfMoved[{Access.Stride, Count}];
  if (!Distance) {
    IRBuilderBase::InsertPointGuard Guard(Builder);
    setInsertPointAfter(isa<Instruction>(Access.Stride) ? Access.Stride
                                                        : Existing);
    Type *Ty = Existing->getType();
    Value *First = Builder.CreateSub(Existing, ConstantInt::get(Ty, Count));
    Distance =
        Builder.CreateMul(First, timesStride(Builder, Access.Stride, Size, 1));
  }
  return Builder.CreatePtrAdd(Access.Pointer, Distance);
}

/// \p Count times \p Stride, of elements of \p Size bytes, in bytes; computed
/// once, in front of any loop. Loop strength reduction would add up strides, one
/// after the other, in each step of a loop, to reach the elements of a row, and
/// that takes longer than to multiply them. So odd multiples are hidden from it;
/// even ones are left to addressing modes.
Value *RegisterTiles::multipleOf(Value *Stride, uint64_t Size, unsigned Count) {
  Type *Ty = Stride->getType();
  if (Count == 0)
    return Constant::getNullValue(Ty);
  if (Value *Known = Multiples.lookup({Stride, unsigned(Count * Size)}))
    return Known;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  setInsertPointAfter(Stride);
  unsigned Even = 1u << countr_zero(Count), Odd = Count / Even;
  bool IsInRegister =
      Ty->getScalarSizeInBits() <= F.getDataLayout().getPointerSizeInBits();
  Value *Result;
  if (Odd == 1 || isa<ConstantInt>(Stride) || !IsInRegister) {
    Result = timesStride(Builder, Stride, Size, Count);
  } else if (Even != 1) {
    Value *Hidden = multipleOf(Stride, Size, Odd);
    setInsertPointAfter(Hidden);
    Result = Builder.CreateMul(Hidden, ConstantInt::get(Ty, Even));
  } else {
    auto *Nothing = InlineAsm::get(FunctionType::get(Ty, {Ty}, false), "",
                                   "=r,0", /*hasSideEffects=*/false);
    CallInst *Call =
        Builder.CreateCall(Nothing, {timesStride(Builder, Stride, Size, Odd)});
    Call->setDoesNotAccessMemory();
    Call->setDoesNotThrow();
    Result = Call;
  }
  return Multiples[{Stride, unsigned(Count * Size)}] = Result;
}

/// The lanes that exist of columns that are one register.
Value *RegisterTiles::maskOfColumn() {
  if (ColumnMask)
    return ColumnMask;
  IRBuilderBase::InsertPointGuard Guard(Builder);
  setInsertPointAfter(Group.ExistingRows);
  unsigned Lanes = Column.front().Lanes;
  Type *Ty = FixedVectorType::get(
      Builder.getIntNTy(Group.getElementType()->getScalarSizeInBits()), Lanes);
  Value *Count = Builder.CreateVectorSplat(
      Lanes,
      Builder.CreateZExtOrTrunc(Group.ExistingRows, Ty->getScalarType()));
  return ColumnMask =
             Builder.CreateICmpULT(Builder.CreateStepVector(Ty), Count);
}

/// Whether not all rows of a register \p P, the one from row \p Row on in its
/// column, may be wanted. The last one may be moved up.
bool RegisterTiles::isCut(const MatrixAccess &Access, Piece P,
                          unsigned Row) const {
  const WantedSide &Side = *Access.Wanted;
  if (!Side.IsLower)
    return Row + P.Lanes + Side.CutRows > Access.Rows;
  return Row < Side.CutRows ||
         (Access.ExistingRows && Row == Column.back().Offset);
}

/// How far the rows of a register \p P, the one from row \p Row on in its column,
/// are below the diagonal in column 0.
Value *RegisterTiles::placeAtDiagonal(const MatrixAccess &Access, Piece P,
                                      unsigned Row) {
  // Diagonals beyond the tile are all the same, and fit the lanes.
  unsigned Bits = std::max(16u, Group.getElementType()->getScalarSizeInBits());
  Value *Diagonal = Access.Wanted->Diagonal;
  Type *Ty = Diagonal->getType();
  auto Limit = [&](int64_t By) { return ConstantInt::getSigned(Ty, By); };
  Value *First = Builder.CreateBinaryIntrinsic(
      Intrinsic::smin,
      Builder.CreateBinaryIntrinsic(Intrinsic::smax, Diagonal,
                                    Limit(-int64_t(Access.Rows))),
      Limit(Access.Columns));
  Value *Begin = Limit(Row);
  if (Access.ExistingRows && Column.size() > 1 && Row == Column.back().Offset)
    Begin = Builder.CreateSub(Access.ExistingRows, Limit(P.Lanes));
  First = Builder.CreateAdd(First, Begin);
  First = Builder.CreateSExtOrTrunc(First, Builder.getIntNTy(Bits));
  auto *LanesTy = FixedVectorType::get(First->getType(), P.Lanes);
  Value *Splat = Builder.CreateVectorSplat(P.Lanes, First);
  return Builder.CreateAdd(Splat, Builder.CreateStepVector(LanesTy));
}

/// The number of column \p J, or of the one that is number \p J of those that are
/// moved up, in each lane of \p Place.
Value *RegisterTiles::columnAt(const MatrixAccess &Access, unsigned J,
                               bool IsMoved, Value *Place) {
  auto *Ty = cast<FixedVectorType>(Place->getType());
  if (!IsMoved)
    return ConstantInt::get(Ty, J);
  auto [Existing, Count] = *Access.Moved;
  Value *Column = Builder.CreateAdd(
      Existing,
      ConstantInt::getSigned(Existing->getType(), int64_t(J) - int64_t(Count)));
  return Builder.CreateVectorSplat(
      Ty->getNumElements(),
      Builder.CreateSExtOrTrunc(Column, Ty->getElementType()));
}

/// Which rows at \p Place are wanted in columns \p OfColumn.
Value *RegisterTiles::isOnSide(const WantedSide &Side, Value *Place,
                               Value *OfColumn) {
  return Side.IsLower ? Builder.CreateICmpSGE(Place, OfColumn)
                      : Builder.CreateICmpSLE(Place, OfColumn);
}

} // namespace tilesmith
