//===- ComplexPack.cpp - packing parts of complex numbers -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows (or columns) 2i and 2i + 1 of a factor are made of the parts of one
// complex number: see ComplexParts in Access.h. A panel has them in the order,
// and with the signs, that the products need. All widths are even.
//
//===----------------------------------------------------------------------===//

#include "PackKernel.h"
#include "tilesmith/Support/MatrixIR.h"

using namespace llvm;

namespace tilesmith {

/// \p Loaded, both parts of some numbers, as a panel holds them.
Value *MacroKernel::PackKernel::inOrder(Value *Loaded) {
  if (!X.X.Parts)
    return Loaded;
  auto *Ty = cast<FixedVectorType>(Loaded->getType());
  unsigned Width = Ty->getNumElements();
  Value *V = Loaded;
  if (X.X.Parts->AreExchanged) {
    SmallVector<int, 16> Mask;
    for (unsigned I = 0; I < Width; ++I)
      Mask.push_back(I ^ 1);
    V = B.CreateShuffleVector(V, Mask);
  }
  return withSigns(V);
}

/// \p V with the signs that the products need.
Value *MacroKernel::PackKernel::withSigns(Value *V) {
  auto *Ty = cast<FixedVectorType>(V->getType());
  auto [First, Second] = X.X.Parts->IsNegated;
  if (!First && !Second)
    return V;
  unsigned Bits = Ty->getScalarSizeInBits();
  SmallVector<Constant *, 16> Signs;
  for (unsigned I = 0; I < Ty->getNumElements(); ++I)
    Signs.push_back(ConstantInt::get(K.Ctx, (I % 2 ? Second : First)
                                                ? APInt::getSignMask(Bits)
                                                : APInt::getZero(Bits)));
  return B.CreateBitCast(B.CreateXor(bitsOf(B, V), ConstantVector::get(Signs)),
                         Ty);
}

/// Row (or column) \p I of those that begin at \p From, with a number.
Value *MacroKernel::PackKernel::loadPart(Value *From, Value *I) {
  if (!X.X.Parts)
    return B.CreateAlignedLoad(X.X.ElemTy, K.offset(From, I, Pack.StrideP),
                               X.X.Alignment);
  Value *Part = B.CreateAnd(I, 1);
  Value *Number = K.offset(From, B.CreateSub(I, Part), Pack.StrideP);
  Value *Element = X.X.Parts->AreExchanged ? B.CreateXor(Part, K.i64(1)) : Part;
  Value *V = B.CreateAlignedLoad(
      X.X.ElemTy,
      K.offset(Number, Element, K.i64(K.DL.getTypeStoreSize(X.X.ElemTy))),
      X.X.Alignment);
  auto [First, Second] = X.X.Parts->IsNegated;
  if (!First && !Second)
    return V;
  Value *IsNegated =
      B.CreateSelect(B.CreateIsNull(Part), B.getInt1(First), B.getInt1(Second));
  return B.CreateSelect(IsNegated, B.CreateFNeg(V), V);
}

/// Makes \p Rows, each with as many numbers, columns.
void MacroKernel::PackKernel::transposeNumbers(MutableArrayRef<Value *> Rows) {
  auto *Ty = cast<FixedVectorType>(Rows[0]->getType());
  unsigned Count = Rows.size();
  if (Ty->getElementType()->isFloatTy()) {
    auto *PairTy = FixedVectorType::get(B.getDoubleTy(), Count);
    for (Value *&Row : Rows)
      Row = B.CreateBitCast(Row, PairTy);
    transposeSquare(B, Rows);
    for (Value *&Row : Rows)
      Row = B.CreateBitCast(Row, Ty);
    return;
  }
  // The even numbers of two rows, and the odd ones.
  SmallVector<Value *, 16> Next(Count);
  for (unsigned Half = Count / 2, Stage = Half; Stage; Stage /= 2) {
    for (unsigned I = 0; I < Half; ++I)
      for (unsigned Odd : {0, 1}) {
        SmallVector<int, 16> Mask;
        for (unsigned At = 0; At < Count; ++At)
          for (unsigned Part : {0, 1})
            Mask.push_back(2 * (2 * At + Odd) + Part);
        Next[I + Odd * Half] =
            B.CreateShuffleVector(Rows[2 * I], Rows[2 * I + 1], Mask);
      }
    copy(Next, Rows.begin());
  }
}

/// The numbers of \p Rows in turn: the first ones of all rows, the second ones, …
SmallVector<Value *, 16>
MacroKernel::PackKernel::inTurn(ArrayRef<Value *> Rows) {
  if (Rows.size() == 1)
    return {Rows.front()};
  SmallVector<Value *, 16> Parted[2], Result;
  for (auto [I, Row] : enumerate(Rows))
    Parted[I % 2].push_back(Row);
  unsigned Lanes =
      cast<FixedVectorType>(Rows.front()->getType())->getNumElements();
  for (auto [First, Second] : zip_equal(inTurn(Parted[0]), inTurn(Parted[1])))
    for (unsigned Begin : {0u, Lanes / 2}) {
      SmallVector<int, 16> Mask;
      for (unsigned At = Begin; At < Begin + Lanes / 2; At += 2)
        for (unsigned Of : {0u, Lanes})
          for (unsigned Part : {0, 1})
            Mask.push_back(Of + At + Part);
      Result.push_back(B.CreateShuffleVector(First, Second, Mask));
    }
  return Result;
}

/// A whole panel of fewer numbers than a vector has: so its steps are adjacent,
/// and as many as fill a vector are stored at once. Returns the steps made.
Value *MacroKernel::PackKernel::emitNarrowPanel(Value *Dst, Value *Src,
                                                Value *Ld, Value *Valid,
                                                Value *Ahead) {
  unsigned Width = K.stripWidth(X), Count = Width / 2, VL = K.ThePlan.VL;
  if (Width >= VL || Width != X.PanelWidth || !isPowerOf2_32(Count))
    return K.i64(0);
  Value *IsWhole = B.CreateAnd(B.CreateICmpEQ(Ld, K.i64(Width)),
                               B.CreateICmpUGE(Valid, K.i64(Width)));
  Value *End =
      B.CreateSelect(IsWhole, K.alignDown(Pack.Steps, VL / 2), K.i64(0));
  auto *Ty = FixedVectorType::get(X.X.ElemTy, VL);
  Value *NumberStride = B.CreateShl(Pack.StrideP, 1);
  K.emitLoop(K.i64(0), End, K.i64(VL / 2), "steps", [&](Value *Step) {
    Value *From = K.offset(Src, Step, Pack.StrideK);
    prefetchAhead(From, Count, NumberStride, K.DL.getTypeStoreSize(Ty), Ahead);
    SmallVector<Value *, 8> Rows;
    for (unsigned I = 0; I < Count; ++I)
      Rows.push_back(B.CreateAlignedLoad(
          Ty, K.offset(From, K.i64(I), NumberStride), X.X.Alignment));
    Value *To = K.element(Dst, B.CreateMul(Step, Ld));
    for (Value *Steps : inTurn(Rows)) {
      B.CreateAlignedStore(inOrder(Steps), To, Align(K.PanelSize));
      To = K.element(To, K.i64(VL));
    }
  });
  return End;
}

/// A strip of numbers that are adjacent along k in the source: squares, of which
/// steps that do not exist are masked, or, on targets without masks, made one by
/// one. \p Valid rows exist; without masks, all do.
void MacroKernel::PackKernel::emitTransposedNumbers(Value *Dst, Value *Src,
                                                    Value *Ld, Value *Valid,
                                                    Value *Ahead) {
  unsigned Width = K.stripWidth(X), Count = Width / 2;
  bool HasMasks = K.ThePlan.canMask(X.X);
  Value *Steps = Pack.Steps;
  auto *Ty = FixedVectorType::get(X.X.ElemTy, Width);
  Value *HasRows = B.CreateIsNotNull(Valid);
  Value *Last = B.CreateSub(Valid, K.i64(2));
  SmallVector<Value *, 8> FromRow;
  for (unsigned I = 0; I < Count; ++I)
    FromRow.push_back(
        K.offset(Src, HasMasks ? K.umin(K.i64(2 * I), Last) : K.i64(2 * I),
                 Pack.StrideP));
  Value *End = HasMasks ? Steps : K.alignDown(Steps, Count);
  Value *Begin = emitNarrowPanel(Dst, Src, Ld, Valid, Ahead);
  K.emitLoop(Begin, End, K.i64(Count), "square", [&](Value *Step) {
    prefetchAhead(K.offset(Src, Step, Pack.StrideK), Count,
                  B.CreateShl(Pack.StrideP, 1), K.DL.getTypeStoreSize(Ty),
                  Ahead);
    Value *Exists = nullptr;
    if (HasMasks) {
      Value *Left = B.CreateShl(B.CreateSub(Steps, Step), 1);
      Exists =
          K.firstLanes(X.X, B.CreateSelect(HasRows, Left, K.i64(0)), Width);
    }
    SmallVector<Value *, 8> Rows;
    for (Value *Row : FromRow) {
      Value *From = K.offset(Row, Step, Pack.StrideK);
      Rows.push_back(HasMasks ? loadMasked(B, Ty, From, X.X.Alignment, Exists)
                              : B.CreateAlignedLoad(Ty, From, X.X.Alignment));
    }
    transposeNumbers(Rows);
    Value *To = K.element(Dst, B.CreateMul(Step, Ld));
    for (Value *Row : Rows) {
      B.CreateAlignedStore(inOrder(Row), To, Align(K.PanelSize));
      To = K.element(To, Ld);
    }
  });
  if (!HasMasks)
    emitElementwise(Dst, Src, Ld, End, K.i64(0), K.i64(Width), K.i64(Width));
}

} // namespace tilesmith
