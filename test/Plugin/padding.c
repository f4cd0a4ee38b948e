//===- padding.c - windows that leave an image ----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions that leave out what is beyond the border of an image, in the
// spellings of real programs: all bytes are those that clang gives, with images at
// the very ends of what may be read, and with images and weights that are zero of
// either sign, too small to multiply, infinite, or NaN.
//
// REQUIRES: system-linux
// DEFINE: %{flags} =
// DEFINE: %{check} = CHECK
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s --check-prefix=%{check} && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// A product that only one side of a test makes is not fused, and might be.
// REDEFINE: %{check} = FAST
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast -DSUM=double
// RUN: %{compare}
// REDEFINE: %{check} = CHECK
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// Subscripts that would be negative beyond the border.
// REDEFINE: %{flags} = -O3 -march=native -DINDEX=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DT=char -DSUM=int
// RUN: %{compare}
// Of constant sizes, LLVM unrolls some clipped loops, and makes versions of others.
// REDEFINE: %{check} = FEWER
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { C = 5, K = 19, H = 11, W = 13, R = 3, P = 1 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { C = 3, K = 32, H = 16, W = 16, R = 5, P = 2 };"
// RUN: %{compare}
// A bound that is a power of two is tested by a mask.
// REDEFINE: %{flags} = -O2 -march=native -DT=double -DSIZES="enum { C = 18, K = 9, H = 8, W = 17, R = 5, P = 2 };"
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=double -DSIZES="enum { C = 18, K = 9, H = 8, W = 8, R = 5, P = 2 };"
// RUN: %{compare}
// FEWER-COUNT-20: gathered
// FAST-COUNT-24: gathered
// CHECK-COUNT-27: gathered

#include <string.h>

#ifndef T
#define T float
#endif
#include "Inputs/images.h"
#ifndef SUM
#define SUM T
#endif
#ifndef INDEX
#define INDEX long
#endif

#ifdef SIZES
#define PARAMETERS SUM *restrict out, const T *restrict in, const T *restrict w
#define LOCALS SIZES
#else
#define PARAMETERS                                                             \
  SUM *restrict out, const T *restrict in, const T *restrict w, int C, int K,  \
      int H, int W, int R, int P
#define LOCALS
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) {                     \
    LOCALS __VA_ARGS__                                                         \
  }
#define NCHW(c, y, x) ((SUM)in[((INDEX)(c) * H + (y)) * W + (x)])
#define NHWC(c, y, x) ((SUM)in[((INDEX)(y) * W + (x)) * C + (c)])
#define OUT_NCHW out[((INDEX)k * H + y) * W + x]
#define OUT_NHWC out[((INDEX)y * W + x) * K + k]
#define WEIGHT_KCRS w[(((INDEX)k * C + c) * R + r) * R + s]
#define WEIGHT_RSCK w[(((INDEX)r * R + s) * C + c) * K + k]
#define INSIDE (row >= 0 && row < H && column >= 0 && column < W)

NEST(tested, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      sum += NCHW(c, row, column) * WEIGHT_KCRS;
  }
  OUT_NCHW = sum;
})
// As onnx2c writes it: from a bias, in memory.
NEST(skipped, FOR(k, K) for (int y = 0, y0 = -P; y < H; y++, y0++)
                  for (int x = 0, x0 = -P; x < W; x++, x0++) {
  OUT_NCHW = w[k];
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y0 + r;
    if (row < 0) continue;
    if (row >= H) continue;
    int column = x0 + s;
    if (column < 0) continue;
    if (column >= W) continue;
    OUT_NCHW += NCHW(c, row, column) * WEIGHT_KCRS;
  }
})
NEST(wrapped, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = OUT_NCHW;
  FOR(c, C) FOR(r, R) {
    unsigned row = y + r - P;
    if (row < H)
      FOR(s, R) {
        unsigned column = x + s - P;
        if (column < W)
          sum -= NCHW(c, row, column) * WEIGHT_KCRS;
      }
  }
  OUT_NCHW = sum;
})
NEST(in_memory, FOR(k, K) FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, R) FOR(s, R) {
  int row = y + r - P, column = x + s - P;
  if (INSIDE)
    OUT_NCHW += NCHW(c, row, column) * WEIGHT_KCRS;
})
NEST(steps_outside, FOR(c, C) FOR(r, R) FOR(s, R) FOR(k, K) FOR(y, H) {
  int row = y + r - P;
  if (row >= 0 && row < H)
    FOR(x, W) {
      int column = x + s - P;
      if (column >= 0 && column < W)
        OUT_NCHW += NCHW(c, row, column) * WEIGHT_KCRS;
    }
})
NEST(channels_last, FOR(y, H) FOR(x, W) FOR(k, K) {
  SUM sum = 0;
  FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (!INSIDE)
      continue;
    FOR(c, C) sum += NHWC(c, row, column) * WEIGHT_RSCK;
  }
  OUT_NHWC = sum;
})
NEST(channels_first_step, FOR(y, H) FOR(x, W) FOR(k, K) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    if (INSIDE)
      sum += NHWC(c, row, column) * WEIGHT_RSCK;
  }
  OUT_NHWC = sum + OUT_NHWC;
})
NEST(strided, FOR(k, K) FOR(y, H / 2) FOR(x, W / 2) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y * 2 + r - P, column = x * 2 + s - P;
    if (INSIDE)
      sum += NCHW(c, row, column) * WEIGHT_KCRS;
  }
  OUT_NCHW = sum;
})
NEST(dilated, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + (r - P) * 2, column = x + (s - P) * 2;
    if (INSIDE)
      sum += NCHW(c, row, column) * WEIGHT_KCRS;
  }
  OUT_NCHW = sum;
})
NEST(flipped, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + P - r, column = x + P - s;
    if (INSIDE)
      sum += NCHW(c, row, column) * WEIGHT_KCRS;
  }
  OUT_NCHW = 3 * sum;
})
NEST(line, FOR(k, K) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(s, R) {
    int column = x + s - P;
    if (column >= 0 && column < W)
      sum += (SUM)in[(INDEX)c * W + column] * w[((INDEX)k * C + c) * R + s];
  }
  out[(INDEX)k * W + x] = sum;
})
// What is behind the image only.
NEST(one_side, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R)
    if (y + r < H && x + s < W)
      sum += NCHW(c, y + r, x + s) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})
// What is in front of the image only, as compilers of networks find out. Of a
// constant size, LLVM tests the signs by masks.
NEST(strided_front, FOR(k, K) for (int y = 0, y0 = -P; y < (H + P - R + 2) / 2; y++, y0 += 2)
                        for (int x = 0, x0 = -P; x < (W + P - R + 2) / 2; x++, x0 += 2) {
  OUT_NCHW = w[k];
  FOR(c, C) for (unsigned r = 0; r < R; r++) for (unsigned s = 0; s < R; s++) {
    int row = y0 + r, column = x0 + s;
    if (row >= 0 && column >= 0)
      OUT_NCHW += NCHW(c, row, column) * WEIGHT_KCRS;
  }
})

// Whether rows of the image are adjacent is known at run time.
NEST(step_at_run_time, int step = 1 + C % 2; FOR(k, K) FOR(y, H / 2) FOR(x, W / 2) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y * step + r - P, column = x * step + s - P;
    if (INSIDE)
      sum += NCHW(c, row, column) * WEIGHT_KCRS;
  }
  OUT_NCHW = sum;
})

// The step is made with zero: an infinite weight gives NaN.
#define ZERO_OUTSIDE(x) (row < 0 || row >= H || column < 0 || column >= W ? 0 : (x))
NEST(zero_outside, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    sum += ZERO_OUTSIDE(NCHW(c, row, column)) * WEIGHT_KCRS;
  }
  OUT_NCHW = sum;
})
NEST(zero_in_memory, FOR(k, K) FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, R) FOR(s, R) {
  int row = y + r - P, column = x + s - P;
  T value = 0;
  if (INSIDE)
    value = in[((INDEX)c * H + row) * W + column];
  OUT_NCHW += (SUM)value * WEIGHT_KCRS;
})
NEST(zero_channels_last, FOR(y, H / 2) FOR(x, W / 2) FOR(k, K) {
  SUM sum = OUT_NHWC;
  FOR(r, R) FOR(s, R) {
    int row = 2 * y + r - P, column = 2 * x + s - P;
    FOR(c, C) sum += ZERO_OUTSIDE(NHWC(c, row, column)) * WEIGHT_RSCK;
  }
  OUT_NHWC = sum;
})
static inline T pixel(const T *in, int row, int column, int c, int H, int W) {
  if (row < 0 || column < 0 || row >= H || column >= W)
    return 0;
  return in[column + W * (row + (INDEX)H * c)];
}
NEST(pixels, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R)
    sum += (SUM)pixel(in, y + r - P, x + s - P, c, H, W) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})

// Zero stands for the product: an infinite weight gives no NaN, but a sum of -0.0 is 0.0
// afterwards.
NEST(no_product, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    sum += ZERO_OUTSIDE(NCHW(c, row, column) * WEIGHT_KCRS);
  }
  OUT_NCHW = sum;
})
NEST(no_product_in_memory, FOR(k, K) FOR(y, H) FOR(x, W) FOR(c, C) FOR(r, R) FOR(s, R) {
  int row = y + r - P, column = x + s - P;
  OUT_NCHW += ZERO_OUTSIDE(NCHW(c, row, column) * WEIGHT_KCRS);
})
NEST(no_product_channels_last, FOR(y, H / 2) FOR(x, W / 2) FOR(k, K) {
  SUM sum = OUT_NHWC;
  FOR(r, R) FOR(s, R) FOR(c, C) {
    int row = 2 * y + r - P, column = 2 * x + s - P;
    sum += INSIDE ? NHWC(c, row, column) * WEIGHT_RSCK : 0;
  }
  OUT_NHWC = sum;
})
NEST(no_product_subtracted, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = OUT_NCHW;
  FOR(c, C) FOR(r, R) FOR(s, R) {
    int row = y + r - P, column = x + s - P;
    sum -= ZERO_OUTSIDE(NCHW(c, row, column) * WEIGHT_KCRS);
  }
  OUT_NCHW = sum;
})

// Bounds that are clipped: no step is made beyond the border.
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define CLIPPED(i, first, end, n) for (int i = MAX(0, first); i < MIN(n, end); i++)
NEST(clipped, FOR(k, K) FOR(y, H) FOR(x, W) {
  SUM sum = 0;
  FOR(c, C) CLIPPED(r, P - y, H + P - y, R) CLIPPED(s, P - x, W + P - x, R)
    sum += NCHW(c, y + r - P, x + s - P) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})
NEST(clipped_in_memory, FOR(k, K) FOR(c, C) FOR(y, H) FOR(x, W)
                            CLIPPED(r, P - y, H + P - y, R) CLIPPED(s, P - x, W + P - x, R)
                                OUT_NCHW -= NCHW(c, y + r - P, x + s - P) * WEIGHT_KCRS;)
// As CMSIS-NN writes it.
NEST(clipped_channels_last, FOR(y, H / 2) FOR(x, W / 2) FOR(k, K) {
  int base_row = y * 2 - P, base_column = x * 2 - P;
  int row_start = MAX(0, -base_row), column_start = MAX(0, -base_column);
  int row_end = MIN(R, H - base_row), column_end = MIN(R, W - base_column);
  SUM sum = OUT_NHWC;
  for (int r = row_start; r < row_end; r++)
    for (int s = column_start; s < column_end; s++)
      FOR(c, C) sum += NHWC(c, base_row + r, base_column + s) * WEIGHT_RSCK;
  OUT_NHWC = sum;
})
// Places are clipped instead of taps.
NEST(clipped_places, FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, R)
                         CLIPPED(y, P - r, H + P - r, H) CLIPPED(x, P - s, W + P - s, W)
                             OUT_NCHW += NCHW(c, y + r - P, x + s - P) * WEIGHT_KCRS;)
NEST(clipped_line, FOR(k, K) FOR(x, W) {
  SUM sum = w[k];
  int first = MAX(0, P - x), end = MIN(R, W + P - x);
  FOR(c, C) for (int s = first; s < end; s++)
    sum += (SUM)in[(INDEX)c * W + x + s - P] * w[((INDEX)k * C + c) * R + s];
  out[(INDEX)k * W + x] = sum;
})

int main(void) {
#ifdef SIZES
#define ARGUMENTS out, in, w
  SIZES
  int Sizes[][6] = {{C, K, H, W, R, P}};
#else
#define ARGUMENTS out, in, w, C, K, H, W, R, P
  int Sizes[][6] = {{3, 8, 12, 12, 3, 1},   {16, 16, 7, 7, 3, 1}, {5, 17, 9, 23, 5, 2},
                    {33, 9, 5, 50, 3, 0},   {40, 40, 14, 14, 3, 1}, {20, 5, 33, 31, 4, 1},
                    {70, 3, 6, 17, 1, 0},   {17, 8, 2, 3, 5, 2},  {6, 9, 6, 40, 3, 2},
                    {4, 9, 7, 9, 3, 4}};
#endif
  void (*const Nests[])(PARAMETERS) = {tested,        skipped, wrapped, in_memory,
                                       steps_outside, channels_last, channels_first_step,
                                       strided,       dilated, flipped, line, one_side, strided_front,
                                       zero_outside, zero_in_memory, zero_channels_last, pixels,
                                       no_product, no_product_in_memory,
                                       no_product_channels_last, no_product_subtracted,
                                       clipped, clipped_in_memory, clipped_channels_last,
                                       clipped_places, clipped_line, step_at_run_time};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int Kind = 0; Kind < NumKinds; Kind++) {
      int C = Sizes[i][0], K = Sizes[i][1], H = Sizes[i][2], W = Sizes[i][3],
          R = Sizes[i][4];
      long NumIn = (long)C * H * W, NumOut = (long)K * H * W,
           NumWeights = (long)K * C * R * R;
#ifndef SIZES
      int P = Sizes[i][5];
#endif
      T *in = guarded(NumIn * sizeof(T), Kind & 1), *w = guarded(NumWeights * sizeof(T), Kind & 1);
      SUM *out = guarded(NumOut * sizeof(SUM), ~Kind & 1);
      for (long j = 0; j < NumIn; j++)
        in[j] = element(j, Kind);
      for (long j = 0; j < NumWeights; j++)
        w[j] = element(j * 3 + 1, Kind == Blank ? Plain : Kind);
      for (long j = 0; j < NumOut; j++)
        out[j] = Kind == Blank || Kind == Tiny ? element(j, Blank) : j % 11;
      if (Kind == Special && (T)0.5) {
        in[NumIn / 5] = (T)INFINITY;
        in[NumIn / 3] = (T)NAN;
        w[NumWeights / 2] = (T)INFINITY;
      }
      for (int f = 0; f < sizeof(Nests) / sizeof(*Nests); f++) {
        Nests[f](ARGUMENTS);
        for (long j = 0; j < NumOut; j++) // NaNs have no certain sign
          if (out[j] != out[j])
            out[j] = 77;
        fwrite(out, sizeof(SUM), NumOut, stdout);
        if (Kind == Blank || Kind == Tiny)
          for (long j = 0; j < NumOut; j++)
            out[j] = element(j, Blank);
      }
    }
}
