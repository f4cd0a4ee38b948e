//===- RegisterTiles.h - a tile group in vector registers -------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_REGISTERTILES_H
#define TILESMITH_LIB_LOWERING_REGISTERTILES_H

#include "Pieces.h"
#include "TileGroup.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ValueHandle.h"
#include <map>

namespace llvm {
class TargetTransformInfo;
}

namespace tilesmith {

/// Rewrites a group into operations on native vector registers. Others, who
/// keep the sums elsewhere, derive from it.
class RegisterTiles {
public:
  RegisterTiles(TileGroup &Group, const llvm::TargetTransformInfo &TTI);
  virtual ~RegisterTiles() = default;
  bool isPossible() const;
  void run();

protected:
  using Pieces = llvm::SmallVector<llvm::Value *, 0>;

  llvm::SmallVector<Piece, 0> getLayout(llvm::Type *Ty, Cut C) const;

  virtual const Pieces &getPieces(llvm::Value *V, Cut C);
  Pieces cutOutsider(llvm::Value *V, Cut C);
  llvm::Value *getWhole(llvm::Instruction *I);
  Pieces splat(llvm::Value *Scalar, llvm::ArrayRef<Piece> Layout);

  virtual Pieces cutMember(llvm::Instruction &I, Cut C);
  llvm::SmallPtrSet<llvm::BasicBlock *, 4> blocksWithChoices() const;
  Pieces cutPhi(llvm::PHINode &Phi, Cut C);
  Pieces cutAccess(llvm::Instruction &I, const MatrixAccess &Access, Cut C);
  // In TurnedTiles.cpp.
  llvm::SmallVector<Piece, 4> cutLine(unsigned Length) const;
  llvm::SmallVector<llvm::Value *, 0>
  distancesOfLines(const MatrixAccess &Access, uint64_t Size);
  llvm::SmallVector<llvm::Value *, 4> masksOfLine(const MatrixAccess &Access,
                                                  llvm::ArrayRef<Piece> Line);
  Pieces cutLines(llvm::Instruction &I, const MatrixAccess &Access);
  Pieces turnLines(const MatrixTransposition &T);
  Pieces turnColumns(const MatrixTransposition &T);
  llvm::Value *multipleOf(llvm::Value *Stride, uint64_t Size, unsigned Count);
  llvm::Value *firstMoved(const MatrixAccess &Access, uint64_t Size);
  llvm::Value *maskOfColumn();
  bool isCut(const MatrixAccess &Access, Piece P, unsigned Row) const;
  llvm::Value *placeAtDiagonal(const MatrixAccess &Access, Piece P,
                               unsigned Row);
  llvm::Value *columnAt(const MatrixAccess &Access, unsigned J, bool IsMoved,
                        llvm::Value *Place);
  llvm::Value *isOnSide(const WantedSide &Side, llvm::Value *Place,
                        llvm::Value *OfColumn);
  bool isLoadedAndStored(llvm::Value *Pointer) const;
  Pieces cutElementWise(llvm::Instruction &I, Cut C);
  Pieces multiply(const MatrixProduct &Product, llvm::FastMathFlags Flags,
                  Pieces Sum);
  Pieces multiplyGroups(const MatrixProduct &Product, Pieces Sum);
  llvm::Value *multiplyAdd(llvm::Value *A, llvm::Value *B, llvm::Value *Sum,
                           llvm::Intrinsic::ID Fused);
  std::optional<MatrixProduct> getJoinedProduct(llvm::Instruction &Add) const;

  void setInsertPointAfter(llvm::Value *V);
  void completePhis();
  virtual void completePhi(llvm::PHINode &Phi, Cut C);
  void eraseGroup();

  /// Whether a product is a tile of its own, apart from the sum.
  bool HasProducts = false;
  bool HasGroups = false; ///< dot products multiply
  TileGroup &Group;
  const llvm::TargetTransformInfo &TTI;
  llvm::Function &F;
  llvm::IRBuilder<> Builder;
  /// The pieces of one column, top to bottom.
  llvm::SmallVector<Piece> Column;
  /// Stable references are handed out while entries are added.
  std::map<std::pair<llvm::Value *, Cut>, Pieces> PiecesOf;
  llvm::DenseMap<llvm::Instruction *, llvm::Value *> WholeOf;
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> Multiples;
  /// From the first column to the first one that is moved, in bytes.
  llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *>
      DistanceOfMoved;
  llvm::Value *ColumnMask = nullptr;
  /// What was extracted and may not be needed.
  llvm::SmallVector<llvm::WeakTrackingVH> Extracted;
};

/// Rewrites the group around \p Seed so. Takes every group, on every target.
bool lowerToRegisterTiles(const MatrixProduct &Seed,
                          const llvm::TargetTransformInfo &TTI);
bool lowerToRegisterTiles(TileGroup &Group,
                          const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
