//===- convolutions.c - windows that go over an image ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolutions of each storage order and order of the sum, with strides and
// dilation: all bytes are those that clang gives, also with infinite and NaN
// elements.
//
// DEFINE: %{flags} =
// DEFINE: %{compare} = %clang %{flags} %s -lm -o %t.stock && %t.stock > %t.expected \
// DEFINE:   && %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -lm -o %t.ours 2>&1 \
// DEFINE:      | FileCheck %s && %t.ours > %t.got && cmp %t.expected %t.got
// REDEFINE: %{flags} = -O3 -march=native
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -mno-avx512f -ffp-contract=off -DT=double
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -ffp-contract=fast
// RUN: %{compare}
// REDEFINE: %{flags} = -O3
// RUN: %{compare}
// REDEFINE: %{flags} = -O2 -march=native -DT=int
// RUN: %{compare}
// REDEFINE: %{flags} = -O3 -march=native -DSIZES="enum { C = 5, K = 19, H = 11, W = 13, R = 3, S = 3, N = 2 };"
// RUN: %{compare}
// CHECK-COUNT-10: gathered

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef T
#define T float
#endif
#ifndef STEP
#define STEP 1
#endif

#ifdef SIZES
#define PARAMETERS T *restrict out, const T *restrict in, const T *restrict w
#define LOCALS SIZES
#else
#define PARAMETERS                                                             \
  T *restrict out, const T *restrict in, const T *restrict w, int C, int K,    \
      int H, int W, int R, int S, int N
#define LOCALS
#endif
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define NEST(name, ...)                                                        \
  __attribute__((noinline)) static void name(PARAMETERS) {                     \
    LOCALS __VA_ARGS__                                                         \
  }

// Heights and widths of an image of which windows are STRIDE and their elements
// DILATION apart.
#define IMAGE_H(s, d) ((H - 1) * (s) + (R - 1) * (d) + 1)
#define IMAGE_W(s, d) ((W - 1) * (s) + (S - 1) * (d) + 1)
#define NCHW(c, y, x, s, d) in[((long)(c) * IMAGE_H(s, d) + (y)) * IMAGE_W(s, d) + (x)]
#define NHWC(c, y, x, s, d) in[((long)(y) * IMAGE_W(s, d) + (x)) * C + (c)]
#define OUT_NCHW out[((long)k * H + y) * W + x]
#define OUT_NHWC out[((long)y * W + x) * K + k]
#define WEIGHT_KCRS w[(((long)k * C + c) * R + r) * S + s]
#define WEIGHT_RSCK w[(((long)r * S + s) * C + c) * K + k]

NEST(plain, FOR(k, K) FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, S) sum += NCHW(c, y + r, x + s, 1, 1) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})
NEST(in_memory, FOR(k, K) FOR(c, C) FOR(r, R) FOR(s, S) FOR(y, H) FOR(x, W)
                    OUT_NCHW += NCHW(c, y + r, x + s, 1, 1) * WEIGHT_KCRS;)
NEST(strided, FOR(k, K) FOR(y, H) FOR(x, W) {
  T sum = OUT_NCHW;
  FOR(c, C) FOR(r, R) FOR(s, S) sum += NCHW(c, y * 2 + r, x * 2 + s, 2, 1) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})
NEST(dilated, FOR(k, K) FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, S) sum += NCHW(c, y + r * 2, x + s * 2, 1, 2) * WEIGHT_KCRS;
  OUT_NCHW = 3 * sum + OUT_NCHW;
})
NEST(flipped, FOR(k, K) FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, S)
    sum += NCHW(c, y + R - 1 - r, x + S - 1 - s, 1, 1) * WEIGHT_KCRS;
  OUT_NCHW = sum;
})
NEST(channels_last, FOR(y, H) FOR(x, W) FOR(k, K) {
  T sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, S) sum += NHWC(c, y + r, x + s, 1, 1) * WEIGHT_RSCK;
  OUT_NHWC = sum;
})
NEST(channels_innermost, FOR(y, H) FOR(x, W) FOR(k, K) {
  T sum = 0;
  FOR(r, R) FOR(s, S) FOR(c, C) sum += NHWC(c, y * 2 + r, x * 2 + s, 2, 1) * WEIGHT_RSCK;
  OUT_NHWC -= sum;
})
NEST(batch, FOR(n, N) FOR(k, K) FOR(y, H) FOR(x, W) {
  T sum = 0;
  FOR(c, C) FOR(r, R) FOR(s, S)
    sum += NCHW(n * C + c, y + r, x + s, 1, 1) * WEIGHT_KCRS;
  out[(((long)n * K + k) * H + y) * W + x] = sum;
})
NEST(line, FOR(k, K) FOR(x, W) {
  T sum = 0;
  FOR(c, C) FOR(s, S) sum += in[(long)c * (W + S - 1) + x + s] * w[((long)k * C + c) * S + s];
  out[(long)k * W + x] = sum;
})
// Only run time tells that the weights are a plain matrix.
NEST(weights_apart, const int apart = S + (N > 100); FOR(k, K) FOR(x, W) FOR(c, C) FOR(s, S)
  out[(long)k * W + x] += in[(long)c * (W + S - 1) + x + s] * w[((long)k * C + c) * apart + s];)

int main(void) {
#ifdef SIZES
#define ARGUMENTS out, in, w
  SIZES
  int Sizes[][7] = {{C, K, H, W, R, S, N}};
#else
#define ARGUMENTS out, in, w, C, K, H, W, R, S, N
  int Sizes[][7] = {{3, 8, 12, 12, 3, 3, 2},  {16, 16, 7, 7, 3, 3, 1},
                    {5, 17, 9, 23, 5, 3, 3},  {33, 9, 5, 50, 1, 7, 2},
                    {40, 70, 14, 14, 3, 3, 1}, {1, 5, 33, 31, 4, 2, 2},
                    {70, 3, 6, 17, 1, 1, 1}};
#endif
  void (*const Nests[])(PARAMETERS) = {plain,         in_memory,          strided,
                                       dilated,       flipped,            channels_last,
                                       channels_innermost, batch,         line,
                                       weights_apart};
  for (int i = 0; i < sizeof(Sizes) / sizeof(*Sizes); i++)
    for (int special = 0; special < 2; special++) {
      int C = Sizes[i][0], K = Sizes[i][1], H = Sizes[i][2], W = Sizes[i][3],
          R = Sizes[i][4], S = Sizes[i][5], N = Sizes[i][6];
      long NumIn = (long)N * C * (2 * H + 2 * R) * (2 * W + 2 * S);
      long NumOut = (long)N * K * H * W, NumWeights = (long)K * C * R * S;
      T *in = malloc(NumIn * sizeof(T)), *out = malloc(NumOut * sizeof(T)),
        *w = malloc(NumWeights * sizeof(T));
      for (long j = 0; j < NumIn; j++)
        in[j] = j * 7 % 23 * (T)0.37 - 3;
      for (long j = 0; j < NumWeights; j++)
        w[j] = j * 5 % 19 * (T)0.21 - 2;
      for (long j = 0; j < NumOut; j++)
        out[j] = j % 11;
      if (special && (T)0.5) {
        in[NumIn / 5] = (T)INFINITY;
        in[NumIn / 3] = (T)NAN;
        in[NumIn / 7] = (T)-0.0;
        w[NumWeights / 2] = 0;
      }
      for (int f = 0; f < 10; f++) {
        Nests[f](ARGUMENTS);
        for (long j = 0; j < NumOut; j++) // NaNs have no certain sign
          if (out[j] != out[j])
            out[j] = 77;
        fwrite(out, sizeof(T), NumOut, stdout);
      }
      free(in), free(out), free(w);
    }
}
