//===- TileGroup.h - connected tile-shaped values ---------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is one wide vector in IR, column after column. The values around a
// multiplication form a group when they can be cut alike:
//
//   %acc  = phi <192 x double> ...            ; 24 x 8, in columns
//   %a    = load <24 x double>                ; 24 x 1, in columns
//   %b    = load <8 x double>                 ;  1 x 8, in elements
//   %ab   = call @llvm.matrix.multiply(%a, %b, 24, 1, 8)
//   %next = fadd %acc, %ab                    ; 24 x 8, in columns
//
// Starting from one of them, mostly the multiplication, the group grows along
// operands and users while they work element by element. Nothing is changed
// here: a group is what a target looks at to decide whether it wants the
// multiplications in it.
//
//===----------------------------------------------------------------------===//

#ifndef TILESMITH_LIB_LOWERING_TILEGROUP_H
#define TILESMITH_LIB_LOWERING_TILEGROUP_H

#include "tilesmith/Target/DotProduct.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <optional>

namespace tilesmith {
class MatrixUnit;

/// The operands of a call of llvm.matrix.multiply, Rows x Inner by
/// Inner x Columns.
struct MatrixProduct {
  llvm::IntrinsicInst *Call;
  llvm::Value *A, *B;
  unsigned Rows, Inner, Columns;

  static std::optional<MatrixProduct> match(llvm::Value *V);
};

/// The factors of a product in groups (DotProduct.h), as they are in memory, a
/// group of steps in each element.
struct GroupedFactors {
  llvm::Value *A, *B;
  NarrowProduct Types;

  static std::optional<GroupedFactors> match(const MatrixProduct &Product);
};

/// The elements of a matrix on one side of a diagonal: those with column - row
/// <= Diagonal, or >= it. It is within so many of the first rows, or the last.
struct WantedSide {
  llvm::Value *Diagonal;
  bool IsLower;
  unsigned CutRows;
};

/// The last columns of a matrix are moved up to end where those that exist do.
struct ColumnsAtEnd {
  llvm::Value *Existing;
  unsigned Count;
};

/// A load or store of a whole matrix: columns of Rows elements, each starting
/// Stride elements after the one before.
struct MatrixAccess {
  llvm::Value *Stored; ///< Null for a load.
  llvm::Value *Pointer;
  llvm::Value *Stride; ///< Null if there is only one column.
  unsigned Rows, Columns;
  llvm::Align Alignment; ///< The first column's.
  bool IsVolatile;
  llvm::Value *ExistingRows = nullptr; ///< Null if all do.
  /// Null if it is not of a tile that is turned.
  llvm::Value *ExistingColumns = nullptr;
  llvm::Value *SkippedRows = nullptr;               ///< Null if all are stored.
  std::optional<WantedSide> Wanted = std::nullopt;  ///< None if all are.
  std::optional<ColumnsAtEnd> Moved = std::nullopt; ///< None if all exist.

  /// Whether there is nothing between the columns.
  bool isAdjacent() const;

  static std::optional<MatrixAccess> match(llvm::Instruction &I);
};

/// A call of llvm.matrix.transpose, of Rows x Columns elements.
struct MatrixTransposition {
  llvm::IntrinsicInst *Call;
  llvm::Value *Operand;
  unsigned Rows, Columns;

  static std::optional<MatrixTransposition> match(llvm::Value *V);
};

/// How a wide value is cut: each column into registers, or into its elements.
/// Only the right-hand sides of multiplications are cut into elements. A tile
/// that is turned (ExistingColumns) is cut into lines where it is in memory:
/// they are columns there, and rows of the tile.
enum class Cut { Columns, Elements, Lines };

class TileGroup {
public:
  /// The group around \p Seed, or nothing if \p Seed itself cannot be cut. With
  /// a \p Unit, products in groups are those that it makes.
  static std::optional<TileGroup> find(const MatrixProduct &Seed,
                                       const MatrixUnit *Unit = nullptr);
  /// The same, for a value without multiplications: with columns of \p Rows.
  static std::optional<TileGroup> find(llvm::Instruction &Seed, unsigned Rows,
                                       const MatrixUnit *Unit = nullptr);

  /// The length of a column, the same all over the group.
  unsigned Rows;

  /// How many of them exist, the same all over the group; null if all do. An
  /// access that does not say it is made only if all do.
  llvm::Value *ExistingRows = nullptr;

  /// Whether some members are cut into lines, or an access leaves elements out.
  bool HasLines = false, IsPartial = false;

  /// The instructions of the group, multiplications included. Each of them is
  /// reachable from the entry, and code can be inserted after it and after the
  /// definitions of its wide operands.
  llvm::MapVector<llvm::Instruction *, Cut> Members;

  /// The factors of those multiplications that are made in groups, and the dot
  /// product if that does it. They, and not what widens them, are members.
  llvm::DenseMap<llvm::Instruction *, std::pair<GroupedFactors, DotProduct>>
      InGroups;

  bool contains(llvm::Value *V) const;

  /// What the group was found from: a multiplication, if there is one.
  llvm::Instruction &getSeed() const { return *Members.front().first; }
  /// The type of the elements of the seed.
  llvm::Type *getElementType() const;

private:
  TileGroup(unsigned Rows, const MatrixUnit *Unit) : Rows(Rows), Unit(Unit) {}
  void grow(llvm::Value *From, Cut C);
  void findGroups(const MatrixProduct &Product);
  bool canCut(llvm::Instruction &I, Cut C) const;
  bool findPartialAccesses();

  const MatrixUnit *Unit;
};

/// The number of elements of a fixed vector type, 0 for any other type.
unsigned getNumElements(const llvm::Value *V);

} // namespace tilesmith

#endif
