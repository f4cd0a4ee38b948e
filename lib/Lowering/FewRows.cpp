//===- FewRows.cpp - products of a row, or of a few -----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Register tiles are vectors of rows, so of a product with one row they would
// be scalars. Two other ways are tried:
//
//   * A row is a column of the transposed product, C' = B' * A'. If A and C
//   have
//     one row, only B is to be transposed:
//
//       %c = multiply(%a, %b, 1, k, n)  =>  %t = transpose(%b, k, n)
//                                           %c = multiply(%t, %a, n, k, 1)
//
//     The terms are added in the same order.
//   * If the terms may be added in any order, vectors may extend over them.
//   Each
//     element is then a vector of partial sums, which are added up at the end,
//     a square of them at a time.
//
// The one with the fewest operations is taken.
//
//===----------------------------------------------------------------------===//

#include "FewRows.h"
#include "Pieces.h"
#include "TileGroup.h"
#include "Transposition.h"
#include "tilesmith/Support/MatrixIR.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilesmith {
namespace {

bool isTransposition(const Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && Call->getIntrinsicID() == Intrinsic::matrix_transpose;
}

/// Shuffles of a transposition, in registers of \p Lanes.
unsigned costOfTransposition(unsigned Rows, unsigned Columns, unsigned Lanes) {
  if (Rows == 1 || Columns == 1)
    return 0;
  return divideCeil(Rows, Lanes) * divideCeil(Columns, Lanes) *
         std::min(Lanes, bit_ceil(std::max(Rows, Columns))) * Log2_32(Lanes);
}

/// C' = B' * A'.
void transposeProduct(const MatrixProduct &P) {
  IRBuilder<> B(P.Call);
  auto Transpose = [&](Value *V, unsigned Rows, unsigned Columns) -> Value * {
    if (Rows == 1 || Columns == 1)
      return V;
    if (isTransposition(V))
      return cast<IntrinsicInst>(V)->getArgOperand(0);
    return B.CreateIntrinsic(Intrinsic::matrix_transpose, {V->getType()},
                             {V, B.getInt32(Rows), B.getInt32(Columns)});
  };
  Value *Left = Transpose(P.B, P.Inner, P.Columns);
  CallInst *New = B.CreateIntrinsic(
      Intrinsic::matrix_multiply,
      {P.Call->getType(), Left->getType(), P.A->getType()},
      {Left, P.A, B.getInt32(P.Columns), B.getInt32(P.Inner), B.getInt32(1)});
  New->copyIRFlags(P.Call);
  New->setAttributes(P.Call->getAttributes());
  New->takeName(P.Call);
  P.Call->replaceAllUsesWith(New);
  P.Call->eraseFromParent();
}

/// Sums of products of vectors along the inner dimension.
class InnerProducts {
public:
  InnerProducts(const MatrixProduct &P, const TargetTransformInfo &TTI)
      : P(P), TTI(TTI), B(P.Call), Ty(P.Call->getType()->getScalarType()),
        Lanes(getRegisterWidth(Ty, *P.Call->getFunction(), TTI)) {
    if (isa<FPMathOperator>(P.Call))
      B.setFastMathFlags(P.Call->getFastMathFlags());
  }

  void run() {
    Value *A = emitTransposition(B, P.A, P.Rows, P.Inner, TTI);
    SmallVector<Value *> Sums; // in the order of the elements of C
    for (unsigned J = 0; J != P.Columns; ++J)
      for (unsigned I = 0; I != P.Rows; ++I)
        Sums.push_back(partialSums(A, I * P.Inner, J * P.Inner));
    Value *Whole = PoisonValue::get(P.Call->getType());
    for (unsigned First = 0; First < Sums.size(); First += Lanes) {
      unsigned Count = std::min<size_t>(Lanes, Sums.size() - First);
      Whole = joinPiece(B, {First, Count, Count == 1 ? 1 : Lanes},
                        addUp(ArrayRef(Sums).slice(First, Count)), Whole);
    }
    P.Call->replaceAllUsesWith(Whole);
    P.Call->eraseFromParent();
  }

private:
  /// The sum for a row of A, from element \p FromA on, and a column of B. Inner
  /// is at least Lanes.
  Value *partialSums(Value *A, unsigned FromA, unsigned FromB) {
    Value *Sum = nullptr;
    for (unsigned K = 0; K < P.Inner; K += Lanes) {
      unsigned Count = std::min(Lanes, P.Inner - K);
      Value *OfA = cutPiece(B, {FromA + K, Count, Lanes}, A);
      Value *OfB = cutPiece(B, {FromB + K, Count, Lanes}, P.B);
      Value *Next = multiplyAdd(OfA, OfB, Sum);
      if (Count != Lanes) {
        // The other lanes have no more terms.
        SmallVector<int, 16> Blend;
        for (unsigned I = 0; I != Lanes; ++I)
          Blend.push_back(I < Count ? I : Lanes + I);
        Next = B.CreateShuffleVector(Next, Sum, Blend);
      }
      Sum = Next;
    }
    return Sum;
  }

  Value *multiplyAdd(Value *X, Value *Y, Value *Sum) {
    if (Ty->isIntegerTy()) {
      Value *Product = B.CreateMul(X, Y);
      return Sum ? B.CreateAdd(Sum, Product) : Product;
    }
    if (Sum && B.getFastMathFlags().allowContract())
      return B.CreateIntrinsic(Intrinsic::fmuladd, {X->getType()}, {X, Y, Sum});
    Value *Product = B.CreateFMul(X, Y);
    return Sum ? add(Sum, Product) : Product;
  }

  Value *add(Value *X, Value *Y) {
    return Ty->isIntegerTy() ? B.CreateAdd(X, Y) : B.CreateFAdd(X, Y);
  }

  /// The sum of the lanes of each of \p Sums, in a lane of its own; of a single
  /// one, as a scalar.
  Value *addUp(ArrayRef<Value *> Sums) {
    if (Sums.size() == 1)
      return Ty->isIntegerTy()
                 ? B.CreateAddReduce(Sums[0])
                 : B.CreateFAddReduce(ConstantFP::getNegativeZero(Ty), Sums[0]);
    SmallVector<Value *, 16> Square(Sums);
    Square.resize(Lanes, PoisonValue::get(Sums[0]->getType()));
    transposeSquare(B, Square);
    for (unsigned Half = Lanes / 2; Half; Half /= 2)
      for (unsigned I = 0; I != Half; ++I)
        Square[I] = add(Square[I], Square[I + Half]);
    return Square[0];
  }

  const MatrixProduct &P;
  const TargetTransformInfo &TTI;
  IRBuilder<> B;
  Type *Ty;
  unsigned Lanes;
};

} // namespace

void lowerFewRows(const MatrixProduct &P, SmallVectorImpl<Columns> &Operands,
                  const TargetTransformInfo &TTI) {
  Type *Ty = P.Call->getType();
  unsigned Bits = Ty->getScalarSizeInBits();
  unsigned Lanes = getRegisterWidth(Ty, *P.Call->getFunction(), TTI);
  // Vectors of half of the lanes are good enough.
  if (2 * P.Rows >= Lanes || Bits < 8 || !isPowerOf2_32(Bits) ||
      P.Call->hasFnAttr(MustFuse))
    return;
  // Multiplications, loads or splats of elements, shuffles.
  unsigned Elements = P.Rows * P.Columns;
  unsigned Best = 2 * P.Columns * P.Inner;
  bool MayTranspose = P.Rows == 1 && P.Columns > 1;
  unsigned Transposed = 2 * P.Inner * divideCeil(P.Columns, Lanes);
  if (!isTransposition(P.B))
    Transposed += costOfTransposition(P.Inner, P.Columns, Lanes);
  bool MaySumUp = P.Inner >= Lanes &&
                  (Ty->isIntOrIntVectorTy() || P.Call->hasAllowReassoc());
  unsigned OfSquare = Lanes * (Log2_32(Lanes) + 1), OfOne = 2 * Log2_32(Lanes);
  unsigned SummedUp = 2 * Elements * divideCeil(P.Inner, Lanes) +
                      Elements / Lanes * OfSquare +
                      std::min(OfSquare, Elements % Lanes * OfOne) +
                      costOfTransposition(P.Rows, P.Inner, Lanes);
  if (MaySumUp && SummedUp < Best && !(MayTranspose && Transposed < SummedUp)) {
    Operands.append({{P.A, P.Rows == 1 ? P.Inner : P.Rows}, {P.B, P.Inner}});
    InnerProducts(P, TTI).run();
  } else if (MayTranspose && Transposed < Best) {
    transposeProduct(P);
  }
}

} // namespace tilesmith
