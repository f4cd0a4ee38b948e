//===- TurnedTiles.cpp - tiles whose rows are adjacent in memory ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile may lie in memory row by row. Each row is a line, in a register or a
// part of one, and as many lines as a register has lanes are transposed at a
// time. With registers of 8 floats, a tile of 8 x 4:
//
//   line 0: a0 a1 a2 a3     line 4: e0 e1 e2 e3
//   line 1: b0 b1 b2 b3     line 5: f0 f1 f2 f3   side by side, two squares
//   line 2: c0 c1 c2 c3     line 6: g0 g1 g2 g3
//   line 3: d0 d1 d2 d3     line 7: h0 h1 h2 h3
//
//   column 0: a0 b0 c0 d0 e0 f0 g0 h0                  and so on
//
// If not all rows exist, the lines of the last register are moved up with it.
//
//===----------------------------------------------------------------------===//

#include "RegisterTiles.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilesmith {

SmallVector<Piece, 4> RegisterTiles::cutLine(unsigned Length) const {
  // Scalars beside vectors would be put together again by later passes.
  constexpr unsigned Least = 2;
  SmallVector<Piece, 4> Line;
  for (unsigned Begin = 0; Begin != Length; Begin = Line.back().end()) {
    unsigned Rest = Length - Begin;
    unsigned Lanes =
        std::min(Column.front().Lanes, std::max(Least, bit_ceil(Rest)));
    Line.push_back({Begin, std::min(Rest, Lanes), Lanes});
  }
  return Line;
}

/// Where each line begins, in bytes from the first one.
SmallVector<Value *, 0>
RegisterTiles::distancesOfLines(const MatrixAccess &Access, uint64_t Size) {
  Type *Ty = Access.Stride->getType();
  auto Number = [&](uint64_t N) { return ConstantInt::get(Ty, N); };
  unsigned Lanes = Column.front().Lanes, NumRegular = Group.Rows;
  if (!isa<ConstantInt>(Access.ExistingColumns))
    NumRegular -= Lanes;
  SmallVector<Value *, 0> Distances;
  for (unsigned Line = 0; Line != NumRegular; ++Line)
    Distances.push_back(multipleOf(Access.Stride, Size, Line));
  if (NumRegular == Group.Rows)
    return Distances;
  // The last register's first line.
  Value *Exist = Builder.CreateZExtOrTrunc(Access.ExistingColumns, Ty);
  Value *Bytes = Builder.CreateMul(Access.Stride, Number(Size));
  Value *First =
      Builder.CreateMul(Builder.CreateSub(Exist, Number(Lanes)), Bytes);
  for (unsigned Line = 0; Line != Lanes; ++Line)
    Distances.push_back(
        Builder.CreateAdd(First, multipleOf(Access.Stride, Size, Line)));
  return Distances;
}

/// For each piece of a line, the lanes that are not skipped; null for all.
SmallVector<Value *, 4> RegisterTiles::masksOfLine(const MatrixAccess &Access,
                                                   ArrayRef<Piece> Line) {
  SmallVector<Value *, 4> Masks(Line.size());
  if (!Access.SkippedRows)
    return Masks;
  unsigned Bits = Access.Stored->getType()->getScalarSizeInBits();
  for (auto [P, Mask] : zip_equal(Line, Masks)) {
    auto *Ty = FixedVectorType::get(Builder.getIntNTy(Bits), P.Lanes);
    Value *Skipped =
        Builder.CreateZExtOrTrunc(Access.SkippedRows, Ty->getElementType());
    Value *Splat = Builder.CreateVectorSplat(P.Lanes, Skipped);
    Value *Numbers = Builder.CreateAdd(Builder.CreateStepVector(Ty),
                                       ConstantInt::get(Ty, P.Offset));
    Mask = Builder.CreateICmpUGE(Numbers, Splat);
  }
  return Masks;
}

RegisterTiles::Pieces RegisterTiles::cutLines(Instruction &I,
                                              const MatrixAccess &Access) {
  Type *Ty = Access.Stored ? Access.Stored->getType() : I.getType();
  Type *ElementTy = Ty->getScalarType();
  uint64_t Size = F.getDataLayout().getTypeStoreSize(ElementTy);
  SmallVector<Piece, 4> Line = cutLine(Access.Rows);
  SmallVector<Value *, 0> Distances = distancesOfLines(Access, Size);
  SmallVector<Value *, 4> Masks = masksOfLine(Access, Line);
  Pieces Result(Access.Stored ? 0 : Group.Rows * Line.size());
  for (unsigned Number = Group.Rows; Number--;) {
    Value *Begin = Builder.CreatePtrAdd(Access.Pointer, Distances[Number]);
    for (auto [J, P] : enumerate(Line)) {
      PieceAccess At{
          P.Offset ? Builder.CreateConstGEP1_64(ElementTy, Begin, P.Offset)
                   : Begin,
          commonAlignment(Access.Alignment, Size), Access.IsVolatile,
          I.getAAMetadata(), /*InParts=*/false};
      At.Mask = Masks[J];
      unsigned Index = Number * Line.size() + J;
      if (Access.Stored)
        storePiece(Builder, P, getPieces(Access.Stored, Cut::Lines)[Index], At,
                   TTI);
      else
        Result[Index] = loadPiece(Builder, P, Ty, At, I.getName());
    }
  }
  return Result;
}

/// The registers of the tile's columns, made of its lines.
RegisterTiles::Pieces RegisterTiles::turnLines(const MatrixTransposition &T) {
  const Pieces &Lines = getPieces(T.Operand, Cut::Lines);
  SmallVector<Piece, 4> Line = cutLine(T.Rows);
  unsigned Height = Column.size(), Lanes = Column.front().Lanes;
  Pieces Result(T.Rows * Height);
  for (unsigned Register = 0; Register != Height; ++Register)
    for (auto [J, P] : enumerate(Line)) {
      // As many lines side by side as fill a register.
      SmallVector<Value *, 16> Square;
      for (unsigned I = 0; I != P.Lanes; ++I) {
        SmallVector<Value *, 8> Beside;
        for (unsigned Row = I; Row < Lanes; Row += P.Lanes)
          Beside.push_back(Lines[(Register * Lanes + Row) * Line.size() + J]);
        Square.push_back(concatenateVectors(Builder, Beside));
      }
      transposeSquare(Builder, Square);
      for (unsigned I = 0; I != P.Width; ++I)
        Result[(P.Offset + I) * Height + Register] = Square[I];
    }
  return Result;
}

/// The lines of a tile, made of the registers of its columns.
RegisterTiles::Pieces RegisterTiles::turnColumns(const MatrixTransposition &T) {
  const Pieces &Columns = getPieces(T.Operand, Cut::Columns);
  SmallVector<Piece, 4> Line = cutLine(T.Columns);
  unsigned Height = Column.size(), Lanes = Column.front().Lanes;
  Pieces Result(Group.Rows * Line.size());
  for (unsigned Register = 0; Register != Height; ++Register)
    for (auto [J, P] : enumerate(Line)) {
      SmallVector<Value *, 16> Square(
          P.Lanes, PoisonValue::get(Columns.front()->getType()));
      for (unsigned I = 0; I != P.Width; ++I)
        Square[I] = Columns[(P.Offset + I) * Height + Register];
      transposeSquare(Builder, Square);
      for (unsigned Row = 0; Row != Lanes; ++Row)
        Result[(Register * Lanes + Row) * Line.size() + J] =
            cutPiece(Builder, {Row / P.Lanes * P.Lanes, P.Lanes, P.Lanes},
                     Square[Row % P.Lanes]);
    }
  return Result;
}

} // namespace tilesmith
