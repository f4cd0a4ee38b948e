//===- StreamNumbers.cpp - a matrix of complex numbers times a vector -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes 2i and 2i + 1 are the parts of the number in row i (ComplexParts in
// Access.h). A step adds
//
//   < a0.re  a0.im  a1.re  a1.im  ... > * x.re
//   < a0.im  a0.re  a1.im  a1.re  ... > * < -x.im  x.im  -x.im  x.im  ... >
//
// Both terms have the same numbers of A, which are loaded once. Those that are
// adjacent along k are loaded as squares of numbers, which are transposed.
//
// In C and C++, each product is tested: if both parts are NaN, it is computed
// again. A sum is NaN from such a product on, so the kernel looks at its sums
// before it stores any of them. Searching A, as for matrices, would take as long
// as the product does.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"

using namespace llvm;

namespace tilesmith {

/// The first term of \p Op with the numbers of A that \p Term has: two for each step,
/// where somebody has unrolled the loop over them.
static unsigned firstWithNumbersOf(const Contraction &Op, unsigned Term) {
  const Access &A = Op.Terms[Term].A;
  return find_if(Op.Terms,
                 [&](const tilesmith::Term &T) {
                   return T.A.startsAt(A) && T.A.Stride == A.Stride;
                 }) -
         Op.Terms.begin();
}

/// Whether a term before \p Term has the same numbers of A.
bool KernelBuilder::StreamKernel::sharesNumbers(unsigned Term) const {
  return hasNumbers() && firstWithNumbersOf(Op, Term) < Term;
}

/// As many numbers of each of a vector's rows as a register holds, from \p Step
/// behind \p Pointers on, as columns.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::squareOfNumbers(const Macro &X, unsigned Term,
                                             ArrayRef<Value *> Pointers,
                                             unsigned Step) {
  const Access &A = Op.Terms[Term].A;
  // Transposed as elements of 64 bits: halves of a lane are numbers of floats.
  Type *Double = B.getDoubleTy();
  auto *Ty = FixedVectorType::get(
      Double, unsigned(VL * K.Size / K.DL.getTypeStoreSize(Double)));
  unsigned Lane = std::min(2u, Ty->getNumElements());
  unsigned Square = VL / 2 == Ty->getNumElements() ? Lane : 1;
  Vectors Registers;
  for (unsigned Row = 0; Row < VL; Row += 2) {
    Value *At = K.offset(rowAt(X, Term, Pointers, Row), K.i64(Step),
                         X.Terms[Term].StrideAk);
    Registers.push_back(B.CreateAlignedLoad(Ty, At, A.Alignment, "a"));
  }
  Vectors Result = transposed(Registers, Lane, Square);
  for (Value *&Column : Result)
    Column = B.CreateBitCast(Column, VectorTy);
  return areExchanged(Term) ? exchanged(Result) : Result;
}

/// \p Columns with the parts of each number exchanged.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::exchanged(ArrayRef<Value *> Columns) {
  SmallVector<int, 32> Mask;
  for (unsigned I = 0; I < VL; ++I)
    Mask.push_back(I ^ 1);
  Vectors Result;
  for (Value *Column : Columns)
    Result.push_back(B.CreateShuffleVector(Column, Mask));
  return Result;
}

bool KernelBuilder::StreamKernel::areExchanged(unsigned Term) const {
  const auto &Parts = Op.Terms[Term].A.Parts;
  return Parts && Parts->AreExchanged;
}

/// The numbers of \p Term, which are those that a term before it has \p Loaded.
KernelBuilder::StreamKernel::Vectors
KernelBuilder::StreamKernel::numbersOf(unsigned Term,
                                       ArrayRef<Vectors> Loaded) {
  unsigned First = firstWithNumbersOf(Op, Term);
  return areExchanged(Term) == areExchanged(First) ? Loaded[First]
                                                   : exchanged(Loaded[First]);
}

/// \p Splat of the vector with the signs that A's parts have in the products.
Value *KernelBuilder::StreamKernel::withSigns(unsigned Term, Value *Splat) {
  const auto &Parts = Op.Terms[Term].A.Parts;
  if (!Parts)
    return Splat;
  auto [First, Second] = Parts->IsNegated;
  if (!First && !Second)
    return Splat;
  Value *Negated = B.CreateFNeg(Splat);
  SmallVector<int, 32> Mask;
  for (unsigned I = 0; I < VL; ++I)
    Mask.push_back((I % 2 ? Second : First) ? VL + I : I);
  return B.CreateShuffleVector(Splat, Negated, Mask);
}

/// Sums of all rows: on the stack, or in memory if they are too many.
void KernelBuilder::StreamKernel::allocateAllSums(Macro &X) {
  Value *Bytes = B.CreateMul(K.ceilDiv(X.M, K.i64(VL)), K.i64(VL * K.Size));
  Value *AreFew = B.CreateICmpULE(Bytes, K.i64(MaxStackBytes));
  Value *Needed = B.CreateAdd(Bytes, K.i64(CacheLine));
  X.Memory = K.emitMemory(B.CreateSelect(AreFew, K.i64(0), Needed));
  Sums = B.CreateSelect(AreFew, Sums, K.cacheLineIn(X.Memory));
}

/// Goes to \p Leave if a sum is NaN.
void KernelBuilder::StreamKernel::leaveIfNaN(const Macro &X,
                                             BasicBlock *Leave) {
  BasicBlock *Before = B.GetInsertBlock();
  PHINode *Found = nullptr;
  Type *MaskTy = FixedVectorType::get(B.getInt1Ty(), VL);
  K.emitLoop(Begin, End, K.i64(1), "test", [&](Value *Vector) {
    Found = PHINode::Create(MaskTy, /*NumReservedValues=*/2, "nan",
                            cast<PHINode>(Vector)->getIterator());
    Found->addIncoming(Constant::getNullValue(MaskTy), Before);
    Value *Sum = B.CreateAlignedLoad(VectorTy, sumsOf(Vector, K.i64(0)),
                                     Align(K.Size), "sum");
    Value *IsNaN = B.CreateFCmpUNO(Sum, Constant::getNullValue(VectorTy));
    Found->addIncoming(B.CreateOr(Found, IsNaN), B.GetInsertBlock());
  });
  K.leaveIf(B.CreateOrReduce(Found), Leave);
}

} // namespace tilesmith
