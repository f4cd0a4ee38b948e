//===- StreamTriangle.cpp - a triangle times a vector ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row makes the steps on one side of the diagonal. A vector of rows has a
// square there, its corner, of which each row makes other steps. All rows make
// those before it (To), or those behind it (From):
//
//   To:    ------ x         From:  x x x x ------
//          ------ x x                x x x ------
//          ------ x x x                x x ------
//          ------ x x x x                x ------
//
// The corners of a block are made first (From), or last (To). So each sum keeps
// its order. Which elements a corner has is known when compiling: no others are
// loaded. Vectors of rows that are under way together begin, or end, one after
// the other.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tilesmith {

//===-- Rows --------------------------------------------------------------===//

/// Leaves out the rows that make no step, which come first (To) or last, and
/// says which they were.
std::pair<Value *, Value *>
KernelBuilder::StreamKernel::emitTrim(Macro &X, KernelArguments &Arguments) {
  Value *NumRows = X.M;
  K.emitTrimOfRows(X);
  Value *Skipped = B.CreateSub(NumRows, X.M);
  if (isFrom())
    return {X.M, NumRows};
  if (Op.Transposed) {
    Value *&First = Arguments.Transposed.B;
    First = K.offset(First, Skipped, Arguments.Transposed.StrideB);
  }
  for (unsigned T : seq<unsigned>(Op.Terms.size())) {
    KernelArguments::Operand &Table = Arguments.Operands[2 * T];
    if (isTable(T))
      Table.Entry = K.offset(Table.Entry, Skipped, Table.Distance);
  }
  return {K.i64(0), Skipped};
}

/// Whether there are rows that make all steps beside others: they are left to
/// the source's loops.
Value *KernelBuilder::StreamKernel::hasWholeRows(const Macro &X) {
  Value *Zero = K.i64(0);
  if (isFrom())
    return B.CreateICmpSLT(X.Diagonal, Zero);
  return B.CreateICmpSGT(B.CreateAdd(X.M, X.Diagonal), X.K);
}

/// Stores rows of \p Whole, of all of C, that make no step.
void KernelBuilder::StreamKernel::emitRowsWithoutSteps(
    const Macro &Whole, std::pair<Value *, Value *> Rows) {
  auto [First, Last] = Rows;
  K.emitLoop(First, Last, K.i64(1), "empty", [&](Value *Row) {
    emitFinish(Whole, Row, /*Rows=*/0, initialSums(Whole, Row, /*Rows=*/0));
  });
}

//===-- Corners -----------------------------------------------------------===//

/// The first step of the corner of the rows from \p Row on.
Value *KernelBuilder::StreamKernel::cornerOf(const Macro &X, Value *Row) {
  return B.CreateAdd(Row, X.Diagonal);
}

/// Whether \p Row makes \p Step, both counted from a corner's first.
bool KernelBuilder::StreamKernel::isInCorner(unsigned Row,
                                             unsigned Step) const {
  return isFrom() ? Step >= Row : Step <= Row;
}

/// Elements of a row, or of a column, those at \p At that \p Exists tells;
/// others are zero.
Value *
KernelBuilder::StreamKernel::loadExisting(const Access &A, Value *At,
                                          unsigned Count,
                                          function_ref<bool(unsigned)> Exists) {
  auto *Ty = FixedVectorType::get(A.ElemTy, Count);
  SmallVector<Constant *, 16> Mask;
  for (unsigned I = 0; I < Count; ++I)
    Mask.push_back(B.getInt1(Exists(I)));
  Constant *IsThere = ConstantVector::get(Mask);
  if (IsThere->isNullValue())
    return Constant::getNullValue(Ty);
  if (IsThere->isAllOnesValue())
    return B.CreateAlignedLoad(Ty, At, A.Alignment, "a");
  return loadMasked(B, Ty, At, A.Alignment, IsThere);
}

/// The columns of the corner of VL rows at \p Pointers that begin with its step
/// \p First: a piece of them, or one.
KernelBuilder::StreamKernel::Vectors KernelBuilder::StreamKernel::loadCorner(
    const Macro &X, unsigned Term, ArrayRef<Value *> Pointers, unsigned First) {
  const Access &A = Op.Terms[Term].A;
  const Macro::Factors &T = X.Terms[Term];
  if (isAlongK(Term)) {
    bool IsReversed = K.isReversed(A, tilesmith::K);
    return columnsOfRows(X, Term, Piece, [&](unsigned Row) {
      return loadExisting(A, pieceAt(X, Term, Pointers, Row, First, Piece),
                          Piece, [&](unsigned I) {
                            unsigned Step = IsReversed ? Piece - 1 - I : I;
                            return isInCorner(Row, First + Step);
                          });
    });
  }
  Value *Column = K.offset(Pointers.front(), K.i64(First), T.StrideAk);
  if (isAlongM(Term)) {
    Value *Elements = loadExisting(
        A, Column, VL, [&](unsigned Row) { return isInCorner(Row, First); });
    return {mapped(X, Term, Elements)};
  }
  Value *Elements = Constant::getNullValue(FixedVectorType::get(A.ElemTy, VL));
  for (unsigned Row = 0; Row < VL; ++Row) {
    if (!isInCorner(Row, First))
      continue;
    Value *At = K.offset(Column, K.i64(Row), T.StrideAm);
    Value *Element = B.CreateAlignedLoad(A.ElemTy, At, A.Alignment, "a");
    Elements = B.CreateInsertElement(Elements, Element, Row);
  }
  Elements = mapped(X, Term, Elements);
  // LLVM would multiply a lone element as a scalar, and not fuse that with the
  // addition of vectors.
  if (Elements->getType()->isFPOrFPVectorTy())
    Elements = B.CreateArithmeticFence(Elements, Elements->getType());
  return {Elements};
}

/// Adds the steps of the corner of the vector that begins at \p Row.
Value *KernelBuilder::StreamKernel::addCorner(const Macro &X, Value *Row,
                                              Value *Sum) {
  Value *Corner = cornerOf(X, Row);
  RowPointers Pointers;
  for (unsigned T : seq<unsigned>(Op.Terms.size()))
    Pointers.push_back(pointersTo(X, T, Row, Corner));
  SmallVector<Vectors, 1> OfA(Op.Terms.size());
  for (unsigned Step = 0; Step < VL; ++Step) {
    for (auto [T, Columns] : enumerate(OfA))
      if (Columns.size() == Step)
        append_range(Columns, loadCorner(X, T, Pointers[T], Step));
    Value *Next = addStep(X, Sum, OfA, Step,
                          loadSplats(X, B.CreateAdd(Corner, K.i64(Step))));
    SmallVector<Constant *, 16> Mask;
    for (unsigned Lane = 0; Lane < VL; ++Lane)
      Mask.push_back(B.getInt1(isInCorner(Lane, Step)));
    Sum = B.CreateSelect(ConstantVector::get(Mask), Next, Sum);
  }
  return Sum;
}

/// The corners of a block.
void KernelBuilder::StreamKernel::emitCorners(const Macro &X) {
  K.emitLoop(Begin, End, K.i64(1), "corner", [&](Value *Vector) {
    Value *At = sumsOf(Vector, K.i64(0));
    Value *Sum = B.CreateAlignedLoad(VectorTy, At, Align(K.Size), "sum");
    B.CreateAlignedStore(addCorner(X, rowOf(X, Vector), Sum), At,
                         Align(K.Size));
  });
}

//===-- Steps that all rows make ------------------------------------------===//

/// Adds the steps beside corners to vectors of sums, which are one behind the
/// other: those that fewer of them make, and those that all make.
void KernelBuilder::StreamKernel::addBesideCorners(const Macro &X,
                                                   ArrayRef<Value *> Rows,
                                                   Vectors &Sums) {
  auto Behind = [&](unsigned Vector) {
    return B.CreateAdd(cornerOf(X, Rows[Vector]), K.i64(VL));
  };
  auto AddTo = [&](unsigned First, unsigned Last, Value *From, Value *To) {
    Vectors Some(Sums.begin() + First, Sums.begin() + Last);
    emitLoopOverSteps(X, Rows.slice(First, Last - First), From, To, Piece,
                      Some);
    llvm::copy(Some, Sums.begin() + First);
  };
  unsigned Count = Rows.size();
  if (isFrom()) {
    for (unsigned I = 1; I < Count; ++I)
      AddTo(0, I, Behind(I - 1), Behind(I));
    return addCommonSteps(X, Rows, Behind(Count - 1), X.K, Sums);
  }
  addCommonSteps(X, Rows, K.i64(0), cornerOf(X, Rows.front()), Sums);
  for (unsigned I = 1; I < Count; ++I)
    AddTo(I, Count, cornerOf(X, Rows[I - 1]), cornerOf(X, Rows[I]));
}

} // namespace tilesmith
