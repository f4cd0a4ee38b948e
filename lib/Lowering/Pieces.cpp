//===- Pieces.cpp - columns in native registers ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

Type *getPieceType(Type *Ty, unsigned Lanes) {
  Type *ElementTy = Ty->getScalarType();
  return Lanes == 1 ? ElementTy : FixedVectorType::get(ElementTy, Lanes);
}

/// Whether the first elements of \p Lanes can be loaded and stored, wherever
/// the group does that.
static bool canLoadPadded(const TileGroup &Group, unsigned Lanes,
                          const TargetTransformInfo &TTI) {
  return all_of(Group.Members, [&](auto Member) {
    auto Access = MatrixAccess::match(*Member.first);
    if (!Access || Member.second == Cut::Elements)
      return true;
    Type *Ty =
        Access->Stored ? Access->Stored->getType() : Member.first->getType();
    return !Access->IsVolatile &&
           Access->Pointer->getType()->getPointerAddressSpace() == 0 &&
           TTI.isLegalMaskedLoad(getPieceType(Ty, Lanes), Access->Alignment,
                                 /*AddressSpace=*/0);
  });
}

SmallVector<Piece> cutColumn(const TileGroup &Group,
                             const TargetTransformInfo &TTI) {
  // The multiplication is what should fill registers. Casts to wider types then
  // take several registers for a piece.
  unsigned ElementBits = Group.getSeed().getType()->getScalarSizeInBits();
  unsigned RegisterBits =
      TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
          .getFixedValue();
  unsigned RegisterWidth = bit_floor(std::max(1u, RegisterBits / ElementBits));
  SmallVector<Piece> Column;
  for (unsigned Row = 0; Row != Group.Rows; Row = Column.back().end()) {
    unsigned Rest = Group.Rows - Row;
    // Scalars beside vectors would be put together again by later passes.
    unsigned Least = Row == 0 ? 1 : 2;
    unsigned Lanes = std::min(RegisterWidth, std::max(Least, bit_ceil(Rest)));
    unsigned Width = std::min(Rest, Lanes);
    if (Width != Lanes && !canLoadPadded(Group, Lanes, TTI))
      Width = Lanes = bit_floor(Rest);
    Column.push_back({Row, Width, Lanes});
  }
  return Column;
}

/// The lanes of \p P that mean something.
static Constant *maskOf(IRBuilderBase &B, Piece P) {
  SmallVector<Constant *, 16> Bits;
  for (unsigned Lane = 0; Lane != P.Lanes; ++Lane)
    Bits.push_back(B.getInt1(Lane < P.Width));
  return ConstantVector::get(Bits);
}

Value *loadPiece(IRBuilderBase &B, Piece P, Type *Ty, const PieceAccess &From,
                 const Twine &Name) {
  Type *PieceTy = getPieceType(Ty, P.Lanes);
  Instruction *Result;
  if (From.Mask || P.isPadded())
    Result = B.CreateMaskedLoad(PieceTy, From.Pointer, From.Alignment,
                                From.Mask ? From.Mask : maskOf(B, P),
                                Constant::getNullValue(PieceTy), Name);
  else
    Result = B.CreateAlignedLoad(PieceTy, From.Pointer, From.Alignment,
                                 From.IsVolatile, Name);
  Result->setAAMetadata(From.AA);
  return Result;
}

void storePiece(IRBuilderBase &B, Piece P, Value *V, const PieceAccess &To,
                const TargetTransformInfo &TTI) {
  auto [Pointer, Alignment, IsVolatile, AA, Mask] = To;
  if (Mask) {
    B.CreateMaskedStore(V, Pointer, Alignment, Mask)->setAAMetadata(AA);
    return;
  }
  if (!P.isPadded()) {
    B.CreateAlignedStore(V, Pointer, Alignment, IsVolatile)->setAAMetadata(AA);
    return;
  }
  // Some CPUs store with a mask much slower than in parts.
  InstructionCost Masked = TTI.getMemIntrinsicInstrCost(
      MemIntrinsicCostAttributes(Intrinsic::masked_store, V->getType(),
                                 Alignment, /*AddressSpace=*/0),
      TargetTransformInfo::TCK_RecipThroughput);
  if (Masked <= popcount(P.Width)) {
    B.CreateMaskedStore(V, Pointer, Alignment, maskOf(B, P))->setAAMetadata(AA);
    return;
  }
  Type *ElementTy = V->getType()->getScalarType();
  uint64_t ElementSize =
      B.GetInsertBlock()->getDataLayout().getTypeStoreSize(ElementTy);
  for (unsigned At = 0, Count; At != P.Width; At += Count) {
    Count = bit_floor(P.Width - At);
    Value *Part =
        Count == 1
            ? B.CreateExtractElement(V, At)
            : B.CreateShuffleVector(V, createSequentialMask(At, Count, 0));
    Value *Where = At ? B.CreateConstGEP1_64(ElementTy, Pointer, At) : Pointer;
    B.CreateAlignedStore(Part, Where,
                         commonAlignment(Alignment, At * ElementSize))
        ->setAAMetadata(AA);
  }
}

} // namespace tilesmith
