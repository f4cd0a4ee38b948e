//===- narrow-windows.c - windows of an image of bytes --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions of bytes and shorts whose channels are adjacent: groups of them are
// read in place, or gathered, for dot products. All sums are those that clang gives,
// with whole groups of channels and without, and with images and weights at the very
// ends of what may be read.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{plan} =
// DEFINE: %{compare} = %clang %{flags} %s -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 %{plan} -Rpass=tilesmith %s -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DIMAGE="signed char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DIMAGE="signed char" -DWEIGHT="unsigned char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -DWEIGHT="unsigned char"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DIMAGE=short -DWEIGHT=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=haswell
// RUN: %{compare}
// The last one of three registers is beside a panel of two.
// REDEFINE: %{flags} = -O3 -march=haswell -DIMAGE=short -DWEIGHT=short
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// Small blocks, and a kernel that widens what it gathers.
// REDEFINE: %{flags} = -O3 -march=native
// REDEFINE: %{plan} = -mllvm -tilesmith-plan="gathered kc=8 mc=48 nc=32"
// RUN: %{compare}
// REDEFINE: %{plan} = -mllvm -tilesmith-plan="gathered group=1"
// RUN: %{compare}
// CHECK-COUNT-14: replaced {{.*}}: gathered

#include "Inputs/windows-of-bytes.h"
#include <string.h>

#define PARAMETERS                                                             \
  int *restrict out, const IMAGE *restrict in, const WEIGHT *restrict w,       \
      int C, int K, int H, int W, int R, int P
#define IN(y, x) in[((long)(y) * W + (x)) * C + c]
#define WIDE(y, x) in[((long)(y) * (W + R - 1) + (x)) * C + c]
#define OUT out[((long)y * W + x) * K + k]
#define INSIDE (row >= 0 && row < H && column >= 0 && column < W)

NEST(padded, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * RSCK;
  }
  OUT = sum;
})
NEST(kernels_outside, FOR(k, K) FOR(y, H) FOR(x, W) {
  int sum = w[k];
  FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * KRSC;
  }
  OUT = sum;
})
NEST(subtracted, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = OUT;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      sum -= IN(row, column) * RSCK;
  }
  OUT = sum;
})
NEST(in_memory, FOR(y, H) FOR(x, W) FOR(r, R) FOR(s, R) {
  int row = y + r - P, column = x + s - P;
  if (INSIDE)
    FOR(c, C) FOR(k, K) OUT += IN(row, column) * RSCK;
})
NEST(strided, FOR(y, H / 2) FOR(x, W / 2) FOR(k, K) {
  int sum = 5;
  FOR(r, R) FOR(s, R) {
    int row = 2 * y + r - P, column = 2 * x + s - P;
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * RSCK;
  }
  OUT = sum * 3;
})
NEST(dilated, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + 2 * (r - P), column = x + 2 * (s - P);
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * KRSC;
  }
  OUT = sum;
})
NEST(flipped, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y - r + P, column = x - s + P;
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * RSCK;
  }
  OUT = sum;
})
NEST(line, FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(s, R) {
    int column = x + s - P;
    if (column >= 0 && column < W)
      FOR(c, C) sum += in[(long)column * C + c] * w[((long)s * C + c) * K + k];
  }
  out[(long)x * K + k] = sum;
})
NEST(zeros, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    int row = y + r - P, column = x + s - P;
    sum += (INSIDE ? IN(row, column) : 0) * RSCK;
  }
  OUT = sum;
})
// C has its channels first, so windows are its rows.
NEST(channels_first, FOR(k, K) FOR(y, H) FOR(x, W) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      FOR(c, C) sum += IN(row, column) * KRSC;
  }
  out[((long)k * H + y) * W + x] = sum;
})
// Neighbours are no multiple of a group apart, which is known at run time.
NEST(apart, long far = C + 1; FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      FOR(c, C) sum += in[((long)row * W + column) * far + c] * RSCK;
  }
  OUT = sum;
})
// No step is left out.
NEST(inside, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, C) sum += WIDE(y + r, x + s) * RSCK;
  OUT = sum;
})
NEST(few_channels, FOR(y, H) FOR(x, W) FOR(k, K) {
  int sum = 0;
  FOR(r, R) FOR(s, R) FOR(c, 4)
    sum += in[((y + r) * (W + R - 1) + x + s) * 4 + c] * w[((r * R + s) * 4 + c) * K + k];
  OUT = sum;
})
NEST(constant, FOR(y, H) FOR(x, W) FOR(k, 40) {
  int sum = 0;
  FOR(r, 3) FOR(s, 3) {
    int row = y + r - 1, column = x + s - 1;
    if (INSIDE)
      FOR(c, 16) sum += in[((long)row * W + column) * 16 + c] * w[((r * 3 + s) * 16 + c) * 40 + k];
  }
  out[((long)y * W + x) * 40 + k] = sum;
})

typedef void Nest(PARAMETERS);

/// A hash of what \p F makes of an image and weights.
static void run(const char *Name, Nest *F, const int *S, int AtEnd) {
  long C = S[0], K = S[1], H = S[2], W = S[3], R = S[4], P = S[5];
  long NumIn = (H + R) * (W + R) * C, NumW = R * R * C * K + K, NumOut = H * W * K;
  IMAGE *In = guarded(NumIn * sizeof(IMAGE), AtEnd);
  WEIGHT *Weights = guarded(NumW * sizeof(WEIGHT), AtEnd);
  int *Out = guarded(NumOut * sizeof(int), AtEnd);
  fillPixels(In, NumIn);
  fillWeights(Weights, NumW);
  for (long i = 0; i < NumOut; i++)
    Out[i] = i * 3;
  F(Out, In, Weights, C, K, H, W, R, P);
  hashBytes(Out, NumOut * sizeof(int));
  printf("%s %ld %ld %ld %ld %ld %ld: %016lx\n", Name, C, K, H, W, R, P, Hash);
}

int main(void) {
  static const struct {
    const char *Name;
    Nest *F;
  } Nests[] = {
#define ENTRY(name) {#name, name}
      ENTRY(padded), ENTRY(kernels_outside), ENTRY(subtracted), ENTRY(in_memory), ENTRY(strided),
      ENTRY(dilated), ENTRY(flipped), ENTRY(line), ENTRY(zeros), ENTRY(channels_first),
      ENTRY(apart), ENTRY(inside), ENTRY(few_channels), ENTRY(constant)};
  // Channels, kernels, places, taps, and how many of these are beyond the border.
  static const int Sizes[][6] = {
      {4, 16, 5, 9, 3, 1},   {8, 10, 7, 7, 3, 1},   {5, 17, 6, 11, 3, 1},   {16, 33, 8, 8, 5, 2},
      {64, 48, 9, 10, 3, 1}, {68, 50, 6, 13, 3, 1}, {72, 100, 7, 7, 1, 0},  {128, 20, 4, 5, 3, 1},
      {66, 19, 6, 6, 3, 1},  {3, 64, 12, 12, 7, 3}, {96, 144, 3, 30, 3, 1}, {2, 3, 2, 2, 3, 1},
      {260, 49, 4, 17, 2, 0}, {12, 1, 9, 9, 3, 1},  {4, 4, 1, 40, 3, 2},    {512, 64, 7, 7, 3, 1}};
  for (int n = 0; n < sizeof(Nests) / sizeof(*Nests); n++)
    for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
      for (int AtEnd = 0; AtEnd < 2; AtEnd++) {
        int Size[6];
        memcpy(Size, Sizes[i], sizeof(Size));
        // Their channels and kernels are constants.
        if (Nests[n].F == constant)
          Size[0] = 16, Size[1] = 40, Size[4] = 3;
        if (Nests[n].F == few_channels && Size[0] < 4)
          Size[0] = 4;
        run(Nests[n].Name, Nests[n].F, Size, AtEnd);
      }
}
