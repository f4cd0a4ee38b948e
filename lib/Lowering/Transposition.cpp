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
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilesmith {

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
