//===- Pieces.h - columns in native registers -------------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_PIECES_H
#define TILESMITH_LIB_LOWERING_PIECES_H

#include "TileGroup.h"
#include "llvm/IR/IRBuilder.h"

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {

/// Elements [Offset, Offset + Width) of a wide value, in the first of so many
/// lanes. A piece of one lane is a scalar.
struct Piece {
  unsigned Offset, Width, Lanes;
  unsigned end() const { return Offset + Width; }
  bool isPadded() const { return Lanes != Width; }
};

/// The type of a piece of a value of type \p Ty.
llvm::Type *getPieceType(llvm::Type *Ty, unsigned Lanes);

/// Whether multiply-adds of whole registers take one factor from a lane of a
/// register.
bool multipliesByLane(const llvm::Function &F,
                      const llvm::TargetTransformInfo &TTI);

/// The piece \p P of \p V.
llvm::Value *cutPiece(llvm::IRBuilderBase &B, Piece P, llvm::Value *V);
/// \p Whole with the piece \p P replaced by \p V.
llvm::Value *joinPiece(llvm::IRBuilderBase &B, Piece P, llvm::Value *V,
                       llvm::Value *Whole);

/// The elements of type \p Ty that a register of \p F holds; 1 if there are no
/// such vectors.
unsigned getRegisterWidth(llvm::Type *Ty, const llvm::Function &F,
                          const llvm::TargetTransformInfo &TTI);

/// The pieces of a column of \p Group, top to bottom: registers, then one of
/// which some lanes mean nothing, where the target can load and store its first
/// elements alone, or else pieces of decreasing powers of two. If not all rows
/// exist, registers only.
llvm::SmallVector<Piece> cutColumn(const TileGroup &Group,
                                   const llvm::TargetTransformInfo &TTI);

/// A place in memory, and how it is accessed.
struct PieceAccess {
  llvm::Value *Pointer;
  llvm::Align Alignment;
  bool IsVolatile;
  llvm::AAMDNodes AA;
  /// A padded piece is loaded and stored in parts, without a mask: a load that
  /// follows need not wait until the cache has what was stored.
  bool InParts;
  llvm::Value *Mask = nullptr; ///< of the lanes that exist, if not all do
};

/// The piece \p P of a value of type \p Ty; lanes that mean nothing are zero.
llvm::Value *loadPiece(llvm::IRBuilderBase &B, Piece P, llvm::Type *Ty,
                       const PieceAccess &From, const llvm::Twine &Name);
/// The elements of a value of type \p Ty that is adjacent in memory: lanes of
/// whole registers, as far as possible.
llvm::SmallVector<llvm::Value *, 0>
loadElements(llvm::IRBuilderBase &B, llvm::Type *Ty, const PieceAccess &From,
             const llvm::TargetTransformInfo &TTI, const llvm::Twine &Name);
/// Nothing beyond the piece is written.
void storePiece(llvm::IRBuilderBase &B, Piece P, llvm::Value *V,
                const PieceAccess &To, const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
