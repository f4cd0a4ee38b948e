//===- AccumulatorTiles.h - a tile group in accumulators --------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_ACCUMULATORTILES_H
#define TILESMITH_LIB_LOWERING_ACCUMULATORTILES_H

#include "RegisterTiles.h"
#include "tilesmith/Target/MatrixUnit.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class LoopInfo;
}

namespace tilesmith {

/// Rewrites a group so that a matrix unit makes its products.
class AccumulatorTiles : public RegisterTiles {
public:
  AccumulatorTiles(TileGroup &Group, const llvm::TargetTransformInfo &TTI,
                   const MatrixUnit &Unit)
      : RegisterTiles(Group, TTI), Unit(Unit),
        RegisterTy(registerOf(Group.getSeed().getType())) {}

  /// Whether the unit makes products of the group, and that is worth it.
  bool isSuited(); // AccumulatorUse.cpp

private:
  const Pieces &getPieces(llvm::Value *V, Cut C) override;
  Pieces cutMember(llvm::Instruction &I, Cut C) override;
  void completePhi(llvm::PHINode &Phi, Cut C) override;

  bool findProducts();
  std::optional<NarrowProduct> getGroups(const MatrixProduct &Product) const;
  void findHeld();
  bool movesInLoop(const llvm::LoopInfo &LI) const;
  bool isHeld(llvm::Value *V) const {
    return Held.contains(llvm::dyn_cast<llvm::Instruction>(V));
  }

  /// Neighbouring columns that share accumulators.
  unsigned columnGroups() const {
    return llvm::divideCeil(Columns, Unit.Columns);
  }
  unsigned lanes() const { return RegisterTy->getNumElements(); }
  /// A register's type for elements of a wide value, or for groups.
  llvm::FixedVectorType *registerOf(llvm::Type *Ty) const {
    return llvm::FixedVectorType::get(
        Ty->getScalarType(), Unit.RegisterBits / Ty->getScalarSizeInBits());
  }
  Pieces transpose(const Pieces &Square);
  llvm::Value *widen(llvm::Value *V);
  void giveBack(llvm::Value *Accumulator, unsigned P, unsigned G,
                Pieces &Result);
  llvm::Value *getAccumulator(llvm::Value *V, unsigned P, unsigned G);
  Pieces loadRegisters(llvm::Instruction &I, const MatrixAccess &Access);
  Pieces extractElements(const Pieces &Registers);
  llvm::SmallVector<llvm::Value *, 4> toRegisters(const Pieces &Elements,
                                                  const MatrixProduct &Of,
                                                  unsigned K, unsigned First);
  llvm::Value *toRegister(llvm::ArrayRef<llvm::Value *> Elements);
  Pieces multiply(llvm::Instruction &I, const MatrixProduct &Product);

  const MatrixUnit &Unit;
  llvm::FixedVectorType *RegisterTy; ///< of sums
  bool IsTransposed = false;         ///< what accumulators hold
  /// The tile's.
  unsigned Columns = 0;
  /// What the unit computes: additions that a product joins, or products.
  llvm::MapVector<llvm::Instruction *, MatrixProduct> Products;
  /// Members whose values are in accumulators.
  llvm::SmallSetVector<llvm::Instruction *, 8> Held;
  /// What holds each value: piece by piece of a column, and from left to right.
  std::map<llvm::Value *, Pieces> AccumulatorsOf;
  std::map<std::pair<llvm::Value *, llvm::BasicBlock *>, Pieces> GivenBack;
  llvm::SmallPtrSet<llvm::Value *, 4> Factors; ///< that are cut in columns
};

/// Rewrites the group around \p Seed so that the target's matrix unit makes its
/// products, if there is one for them, and sums need not be moved in a loop
/// that adds to them.
bool lowerToAccumulators(const MatrixProduct &Seed,
                         const llvm::TargetTransformInfo &TTI);

} // namespace tilesmith

#endif
