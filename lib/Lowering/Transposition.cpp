//===- Transposition.cpp - squares of registers ---------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposition is cut into squares as wide as a register, which are
// transposed by two-operand shuffles. What lies beyond the matrix is poison,
// so ragged squares take fewer of them:
//
//   %t = call <56 x float> @llvm.matrix.transpose(%v, 7, 8)
//
// becomes, with registers of 8 floats,
//
//   %c0 = shufflevector %v, elements 0 ... 6        ; 8 columns of 7 elements
//   ...
//   %x0 = shufflevector %c0, %c4, ...               ; 3 rounds of 8
//   ...
//   %t  = the first 7 of the 8 results, one after the other
//
//===----------------------------------------------------------------------===//

#include "Transposition.h"
#include "Pieces.h"
#include "tilesmith/Lowering/Lowering.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

/// First whole lanes of 128 bits, then the elements in each, by shuffles of two
/// registers for which most targets have an instruction.
void transposeSquare(IRBuilderBase &B, MutableArrayRef<Value *> Rows) {
  unsigned Width = Rows.size();
  Type *Ty = cast<VectorType>(Rows[0]->getType())->getElementType();
  unsigned Lane = std::clamp(128 / Ty->getScalarSizeInBits(), 1u, Width);
  SmallVector<Value *, 16> Next(Width);
  auto Shuffle = [&](unsigned X, unsigned Y,
                     function_ref<unsigned(unsigned)> From) {
    SmallVector<int, 16> Mask;
    for (unsigned I = 0; I < Width; ++I)
      Mask.push_back(From(I));
    return B.CreateShuffleVector(Rows[X], Rows[Y], Mask);
  };
  // Of two rows, the even lanes and the odd ones.
  for (unsigned Half = Width / Lane / 2, Stage = Half; Stage; Stage /= 2) {
    for (unsigned I = 0; I < Half; ++I)
      for (unsigned E = 0; E < Lane; ++E)
        for (unsigned Odd : {0, 1})
          Next[(I + Odd * Half) * Lane + E] = Shuffle(
              2 * I * Lane + E, (2 * I + 1) * Lane + E, [&](unsigned At) {
                return (At / Lane * 2 + Odd) * Lane + At % Lane;
              });
    copy(Next, Rows.begin());
  }
  // The lower elements of two lanes, in turn, and the upper ones.
  for (unsigned Half = Lane / 2, Stage = Half; Stage; Stage /= 2) {
    for (unsigned Row = 0; Row < Width; Row += Lane)
      for (unsigned I = 0; I < Half; ++I)
        for (unsigned Upper : {0, 1})
          Next[Row + 2 * I + Upper] =
              Shuffle(Row + I, Row + I + Half, [&](unsigned At) {
                unsigned E = At % Lane;
                return At - E + Upper * Half + E / 2 + E % 2 * Width;
              });
    copy(Next, Rows.begin());
  }
}

Value *emitTransposition(IRBuilderBase &B, Value *V, unsigned Rows,
                         unsigned Columns, const TargetTransformInfo &TTI) {
  if (Rows == 1 || Columns == 1)
    return V;
  unsigned Edge = std::min(
      getRegisterWidth(V->getType(), *B.GetInsertBlock()->getParent(), TTI),
      bit_ceil(std::max(Rows, Columns)));
  Value *Result = PoisonValue::get(V->getType());
  Value *Nothing = PoisonValue::get(getPieceType(V->getType(), Edge));
  for (unsigned Row = 0; Row < Rows; Row += Edge)
    for (unsigned Column = 0; Column < Columns; Column += Edge) {
      unsigned Height = std::min(Edge, Rows - Row);
      unsigned Width = std::min(Edge, Columns - Column);
      SmallVector<Value *, 16> Square(Edge, Nothing);
      for (unsigned J = 0; J != Width; ++J)
        Square[J] = cutPiece(B, {(Column + J) * Rows + Row, Height, Edge}, V);
      transposeSquare(B, Square);
      for (unsigned I = 0; I != Height; ++I)
        Result = joinPiece(B, {(Row + I) * Columns + Column, Width, Edge},
                           Square[I], Result);
    }
  return Result;
}

bool lowerTransposition(IntrinsicInst &Call, const TargetTransformInfo &TTI) {
  Type *Ty = Call.getType();
  // Elements without registers of their own are left to LLVM.
  unsigned Bits = Ty->getScalarSizeInBits();
  if (Bits < 8 || !isPowerOf2_32(Bits) ||
      getRegisterWidth(Ty, *Call.getFunction(), TTI) < 2)
    return false;
  auto Extent = [&](unsigned Arg) {
    return cast<ConstantInt>(Call.getArgOperand(Arg))->getZExtValue();
  };
  IRBuilder<> B(&Call);
  Call.replaceAllUsesWith(
      emitTransposition(B, Call.getArgOperand(0), Extent(1), Extent(2), TTI));
  Call.eraseFromParent();
  return true;
}

} // namespace tilesmith
