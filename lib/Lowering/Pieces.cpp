//===- Pieces.cpp - columns in native registers ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "tilesmith/Target/Subtarget.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace tilesmith {

Type *getPieceType(Type *Ty, unsigned Lanes) {
  Type *ElementTy = Ty->getScalarType();
  return Lanes == 1 ? ElementTy : FixedVectorType::get(ElementTy, Lanes);
}

Value *cutPiece(IRBuilderBase &B, Piece P, Value *V) {
  if (P.Lanes == 1)
    return B.CreateExtractElement(V, P.Offset);
  return B.CreateShuffleVector(
      V, createSequentialMask(P.Offset, P.Width, P.Lanes - P.Width));
}

Value *joinPiece(IRBuilderBase &B, Piece P, Value *V, Value *Whole) {
  if (P.Lanes == 1)
    return B.CreateInsertElement(Whole, V, P.Offset);
  // Shift the piece to its place, then blend it in.
  unsigned NumElements =
      cast<FixedVectorType>(Whole->getType())->getNumElements();
  SmallVector<int> Shift(NumElements, PoisonMaskElem);
  SmallVector<int> Blend = createSequentialMask(0, NumElements, 0);
  for (unsigned E = 0; E != P.Width; ++E) {
    Shift[P.Offset + E] = E;
    Blend[P.Offset + E] = NumElements + P.Offset + E;
  }
  return B.CreateShuffleVector(Whole, B.CreateShuffleVector(V, Shift), Blend);
}

unsigned getRegisterWidth(Type *Ty, const Function &F,
                          const TargetTransformInfo &TTI) {
  return bit_floor(
      std::max(1u, vectorBits(F, TTI) / Ty->getScalarSizeInBits()));
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

bool multipliesByLane(const Function &F, const TargetTransformInfo &TTI) {
  // SVE's do so only within 128 bits.
  return F.getParent()->getTargetTriple().isAArch64() &&
         vectorBits(F, TTI) == 128;
}

SmallVector<Piece> cutColumn(const TileGroup &Group,
                             const TargetTransformInfo &TTI) {
  // The multiplication is what should fill registers. Casts to wider types then
  // take several registers for a piece.
  unsigned RegisterWidth = getRegisterWidth(
      Group.getElementType(), *Group.getSeed().getFunction(), TTI);
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

/// The elements of a padded piece, in decreasing powers of two: Access(first
/// element, number, address, alignment).
static void
forEachPart(IRBuilderBase &B, Piece P, Type *ElementTy, const PieceAccess &At,
            function_ref<void(unsigned, unsigned, Value *, Align)> Access) {
  uint64_t Size =
      B.GetInsertBlock()->getDataLayout().getTypeStoreSize(ElementTy);
  for (unsigned First = 0, Count; First != P.Width; First += Count) {
    Count = bit_floor(P.Width - First);
    Access(First, Count,
           First ? B.CreateConstGEP1_64(ElementTy, At.Pointer, First)
                 : At.Pointer,
           commonAlignment(At.Alignment, First * Size));
  }
}

Value *loadPiece(IRBuilderBase &B, Piece P, Type *Ty, const PieceAccess &From,
                 const Twine &Name) {
  Type *PieceTy = getPieceType(Ty, P.Lanes);
  auto Load = [&](Type *Ty, Value *Pointer, Align Alignment) {
    LoadInst *L =
        B.CreateAlignedLoad(Ty, Pointer, Alignment, From.IsVolatile, Name);
    L->setAAMetadata(From.AA);
    return L;
  };
  Value *Mask = From.Mask;
  if (!Mask && !P.isPadded())
    return Load(PieceTy, From.Pointer, From.Alignment);
  if (!Mask && From.InParts) {
    Value *Result = Constant::getNullValue(PieceTy);
    Type *ElementTy = PieceTy->getScalarType();
    forEachPart(B, P, ElementTy, From,
                [&](unsigned First, unsigned Count, Value *Pointer, Align A) {
                  Value *Part =
                      Load(getPieceType(ElementTy, Count), Pointer, A);
                  if (Count == 1) {
                    Result = B.CreateInsertElement(Result, Part, First);
                    return;
                  }
                  SmallVector<int, 16> Shift(P.Lanes, PoisonMaskElem),
                      Blend = createSequentialMask(0, P.Lanes, 0);
                  for (unsigned I = 0; I != Count; ++I) {
                    Shift[First + I] = I;
                    Blend[First + I] = P.Lanes + First + I;
                  }
                  Result = B.CreateShuffleVector(
                      Result, B.CreateShuffleVector(Part, Shift), Blend);
                });
    return Result;
  }
  Instruction *Result = B.CreateMaskedLoad(
      PieceTy, From.Pointer, From.Alignment, Mask ? Mask : maskOf(B, P),
      Constant::getNullValue(PieceTy), Name);
  Result->setAAMetadata(From.AA);
  return Result;
}

SmallVector<Value *, 0> loadElements(IRBuilderBase &B, Type *Ty,
                                     const PieceAccess &From,
                                     const TargetTransformInfo &TTI,
                                     const Twine &Name) {
  Type *ElementTy = Ty->getScalarType();
  uint64_t Size =
      B.GetInsertBlock()->getDataLayout().getTypeStoreSize(ElementTy);
  unsigned Most =
      getRegisterWidth(ElementTy, *B.GetInsertBlock()->getParent(), TTI);
  unsigned NumElements = cast<FixedVectorType>(Ty)->getNumElements();
  SmallVector<Value *, 0> Elements;
  while (unsigned Rest = NumElements - Elements.size()) {
    unsigned First = Elements.size(), Lanes = std::min(Most, bit_floor(Rest));
    PieceAccess At = From;
    if (First)
      At.Pointer = B.CreateConstGEP1_64(ElementTy, From.Pointer, First);
    At.Alignment = commonAlignment(From.Alignment, First * Size);
    Value *V = loadPiece(B, {First, Lanes, Lanes}, Ty, At, Name);
    for (unsigned Lane = 0; Lane != Lanes; ++Lane)
      Elements.push_back(Lanes == 1 ? V : B.CreateExtractElement(V, Lane));
  }
  return Elements;
}

void storePiece(IRBuilderBase &B, Piece P, Value *V, const PieceAccess &To,
                const TargetTransformInfo &TTI) {
  if (To.Mask) {
    B.CreateMaskedStore(V, To.Pointer, To.Alignment, To.Mask)
        ->setAAMetadata(To.AA);
    return;
  }
  auto Store = [&](Value *Part, Value *Pointer, Align Alignment) {
    B.CreateAlignedStore(Part, Pointer, Alignment, To.IsVolatile)
        ->setAAMetadata(To.AA);
  };
  if (!P.isPadded())
    return Store(V, To.Pointer, To.Alignment);
  // Some CPUs store with a mask much slower than in parts.
  InstructionCost Masked = TTI.getMemIntrinsicInstrCost(
      MemIntrinsicCostAttributes(Intrinsic::masked_store, V->getType(),
                                 To.Alignment, /*AddressSpace=*/0),
      TargetTransformInfo::TCK_RecipThroughput);
  if (!To.InParts && Masked <= popcount(P.Width)) {
    B.CreateMaskedStore(V, To.Pointer, To.Alignment, maskOf(B, P))
        ->setAAMetadata(To.AA);
    return;
  }
  forEachPart(B, P, V->getType()->getScalarType(), To,
              [&](unsigned First, unsigned Count, Value *Pointer, Align A) {
                Store(Count == 1
                          ? B.CreateExtractElement(V, First)
                          : B.CreateShuffleVector(
                                V, createSequentialMask(First, Count, 0)),
                      Pointer, A);
              });
}

} // namespace tilesmith
