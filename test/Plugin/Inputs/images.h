//===- images.h - images, windows and their gradients -----------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands of convolutions, of type T, which the program defines before: elements
// that are plain, zero of either sign, too small to multiply, or, some of them,
// infinite or NaN.
//
//===----------------------------------------------------------------------===//

#include "../../guarded.h"

enum { Plain, Blank, Tiny, Special, NumKinds };

static inline T element(long j, int Kind) {
  T Small = (T)0.5 ? sizeof(T) == 4 ? (T)1e-30 : (T)1e-200 : 1;
  switch (Kind) {
  case Blank: return (T)0.5 && j % 3 ? (T)-0.0 : 0;
  case Tiny: return j % 5 ? 0 : j % 2 ? Small : -Small;
  }
  return j * 7 % 23 * (T)0.37 - 3 + j % 5;
}

struct Images {
  T *dx, *dy, *w;
};

/// So many elements of each, filled, at the very ends of what may be read. If \p Kind
/// is NumKinds, dy and w begin in dx, and are plain.
static inline struct Images images(int Kind, long NumDX, long NumDY, long NumW) {
  struct Images Of;
  if (Kind == NumKinds) {
    Of.dx = guarded((NumDX + NumDY + NumW) * sizeof(T), 1);
    Of.dy = Of.dx + NumDX / 3;
    Of.w = Of.dx + NumDX - 1;
  } else {
    Of.dx = guarded(NumDX * sizeof(T), ~Kind & 1);
    Of.dy = guarded(NumDY * sizeof(T), Kind & 1);
    Of.w = guarded(NumW * sizeof(T), Kind & 1);
  }
  for (long j = 0; j < NumDX; j++)
    Of.dx[j] = Kind == Blank || Kind == Tiny ? element(j, Blank) : j % 11;
  for (long j = 0; j < NumDY; j++)
    Of.dy[j] = element(j, Kind) / (Kind == NumKinds ? 64 : 1);
  for (long j = 0; j < NumW; j++)
    Of.w[j] = element(j * 3 + 1, Kind == Blank ? Plain : Kind) / (Kind == NumKinds ? 64 : 1);
  if (Kind == Special && (T)0.5) {
    Of.dy[NumDY / 5] = (T)INFINITY;
    Of.dy[NumDY / 3] = (T)NAN;
    Of.w[NumW / 2] = (T)INFINITY;
  }
  return Of;
}

/// Writes all bytes; NaNs have no certain sign.
static inline void writeElements(T *Elements, long Count) {
  for (long j = 0; j < Count; j++)
    if (Elements[j] != Elements[j])
      Elements[j] = 77;
  fwrite(Elements, sizeof(T), Count, stdout);
}
