//===- MatrixIR.cpp - squares of registers --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tilesmith/Support/MatrixIR.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tilesmith {

/// First whole lanes of 128 bits, then the elements in each, by shuffles of two
/// registers for which most targets have an instruction.
void transposeSquare(IRBuilderBase &B, MutableArrayRef<Value *> Rows) {
  unsigned Width = Rows.size();
  auto *Ty = cast<FixedVectorType>(Rows[0]->getType());
  unsigned NumLanes = Ty->getNumElements();
  unsigned Lane = std::clamp(128 / Ty->getScalarSizeInBits(), 1u, Width);
  SmallVector<Value *, 16> Next(Width);
  auto Shuffle = [&](unsigned X, unsigned Y,
                     function_ref<unsigned(unsigned)> From) {
    SmallVector<int, 16> Mask;
    for (unsigned Square = 0; Square < NumLanes; Square += Width)
      for (unsigned I = 0; I < Width; ++I)
        Mask.push_back(Square + From(I) / Width * NumLanes + From(I) % Width);
    return B.CreateShuffleVector(Rows[X], Rows[Y], Mask);
  };
  // The even lanes of two rows, and the odd ones.
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

} // namespace tilesmith
