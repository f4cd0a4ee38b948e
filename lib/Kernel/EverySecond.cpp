//===- EverySecond.cpp - vectors of every second element ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One part of complex numbers, or of windows that go on by two. Two vectors are
// loaded or stored, of which the second one ends with the last element, so that
// nothing beyond it is touched:
//
//   memory      0 1 2 3 4 5 6
//   first       0 1 2 3
//   second            3 4 5 6      elements 0 2 | 4 6
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

using namespace llvm;

namespace tilesmith {

/// Where the first (or second) of the two vectors begins.
static unsigned beginOf(bool IsSecond, unsigned Width) {
  return IsSecond ? Width - 1 : 0;
}

/// The lanes of an element's vector that are in the first (or second) of the
/// two; those of elements in between are of the vector behind it.
static SmallVector<int, 64> lanesOf(bool IsSecond, unsigned Width) {
  SmallVector<int, 64> Lanes;
  for (unsigned I = 0; I < Width; ++I)
    Lanes.push_back(I % 2 == IsSecond ? IsSecond * Width / 2 + I / 2 : Width);
  return Lanes;
}

Value *KernelFrame::maskOfSecond(Value *Mask, bool IsSecond) {
  unsigned Width = cast<FixedVectorType>(Mask->getType())->getNumElements();
  return B.CreateShuffleVector(Mask, Constant::getNullValue(Mask->getType()),
                               lanesOf(IsSecond, Width));
}

Value *KernelFrame::loadSecond(FixedVectorType *Ty, Value *From,
                               Align Alignment, Value *Mask) {
  unsigned Width = Ty->getNumElements();
  uint64_t Bytes = DL.getTypeStoreSize(Ty->getElementType());
  auto Load = [&](bool IsSecond) -> Value * {
    Value *At = B.CreatePtrAdd(From, i64(beginOf(IsSecond, Width) * Bytes));
    return Mask ? loadMasked(B, Ty, At, Alignment, maskOfSecond(Mask, IsSecond))
                : B.CreateAlignedLoad(Ty, At, Alignment, "a");
  };
  SmallVector<int, 64> Every;
  for (unsigned I = 0; I < Width; ++I)
    Every.push_back(2 * I < Width ? 2 * I : 2 * I + 1);
  Value *First = Load(false), *Second = Load(true);
  return B.CreateShuffleVector(First, Second, Every);
}

void KernelFrame::storeSecond(Value *V, Value *To, Align Alignment,
                              Value *Mask) {
  auto *Ty = cast<FixedVectorType>(V->getType());
  unsigned Width = Ty->getNumElements();
  uint64_t Bytes = DL.getTypeStoreSize(Ty->getElementType());
  for (bool IsSecond : {false, true}) {
    Value *Spread = B.CreateShuffleVector(V, PoisonValue::get(Ty),
                                          lanesOf(IsSecond, Width));
    Value *At = B.CreatePtrAdd(To, i64(beginOf(IsSecond, Width) * Bytes));
    B.CreateMaskedStore(Spread, At, Alignment, maskOfSecond(Mask, IsSecond));
  }
}

} // namespace tilesmith
