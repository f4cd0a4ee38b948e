//===- unsigned-borders.c - counters without a sign, and padding ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A place before the image is a huge number of 32 bits. Where the loops read, it is
// none, as their test says; so the guard need not ask that of places that they do
// not read, and the kernel runs. A padding or an image of 2^31 elements is left to
// the loops.
//
// DEFINE: %{opt} = -O2
// DEFINE: %{stock} = %clang %{opt} %s -o %t.stock && %t.stock > %t.expected
// DEFINE: %{ours} = %clang %{opt} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// DEFINE:   -mllvm -tilesmith-count=1 -Rpass=tilesmith %s %S/../../runtime/Counts.c -o %t.ours 2> %t.remarks
// DEFINE: %{run} = rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t.ours > %t.got && cmp %t.expected %t.got
// DEFINE: %{compare} = %{stock} && %{ours} && %{run} && FileCheck %s < %t.counts
// RUN: %{compare}
// REDEFINE: %{opt} = -O3 -march=native
// RUN: %{compare}
//
// CHECK-DAG: {{^7 .*}}: first_channels: GEMM f32
// CHECK-DAG: {{^7 .*}}: last_channels: GEMM f32
// CHECK-DAG: {{^7 .*}}: apart: GEMM f32
// CHECK-DAG: {{^1 .*}}: constants: GEMM f32
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned T;
#define FOR(i, n) for (T i = 0; i < n; i++)
#define LAYER(NAME, STEP, IN, WEIGHT, OUT)                                     \
  __attribute__((noinline)) void NAME(                                         \
      T C, T K, T R, T pad, T h, T w, T H, T W, float *restrict out,           \
      const float *restrict in, const float *restrict f) {                     \
    FOR(k, K) FOR(y, H) FOR(x, W) {                                            \
      float sum = 0;                                                           \
      FOR(c, C) FOR(r, R) FOR(s, R) {                                          \
        T row = STEP * y + r - pad, column = STEP * x + s - pad;               \
        if (row < h && column < w)                                             \
          sum += in[IN] * f[WEIGHT];                                           \
      }                                                                        \
      out[OUT] = sum;                                                          \
    }                                                                          \
  }
#define FIRST                                                                  \
  (c * h + row) * w + column, ((k * C + c) * R + r) * R + s, (k * H + y) * W + x
#define EXPANDED(...) LAYER(__VA_ARGS__)
EXPANDED(first_channels, 1, FIRST)
LAYER(last_channels, 1, (row * w + column) * C + c,
      ((r * R + s) * C + c) * K + k, (y * W + x) * K + k)
EXPANDED(apart, 2, FIRST)

// All sizes are known, and so is that the first place is in front of the image.
__attribute__((noinline)) static void constants(float *restrict out,
                                                const float *restrict in,
                                                const float *restrict f) {
  FOR(k, 18) FOR(y, 9) FOR(x, 9) {
    float sum = 0;
    FOR(c, 5) FOR(r, 3) FOR(s, 3) {
      T row = y + r - 1, column = x + s - 1;
      if (row < 9 && column < 9)
        sum += in[(c * 9 + row) * 9 + column] * f[((k * 5 + c) * 3 + r) * 3 + s];
    }
    out[(k * 9 + y) * 9 + x] = sum;
  }
}
static void constant(T C, T K, T R, T pad, T h, T w, T H, T W,
                     float *restrict out, const float *restrict in,
                     const float *restrict f) {
  constants(out, in, f);
}

static void run(const char *name, __typeof__(first_channels) *layer, T step, T pad, T R, T side) {
  T C = 5, K = 18, H = (side + 2 * pad - R) / step + 1;
  float *in = malloc(4 * C * side * side), *f = malloc(4 * C * K * R * R),
        *out = malloc(4 * K * H * H);
  FOR(i, C *side *side) in[i] = (float)(i % 17) - 3;
  FOR(i, C *K *R *R) f[i] = (float)(i % 13) / 7 - 1;
  layer(C, K, R, pad, side, side, H, H, out, in, f);
  T hash = 0;
  FOR(i, K *H *H) {
    T bits;
    memcpy(&bits, out + i, 4);
    hash = hash * 31 + bits;
  }
  printf("%s %u %u %u: %u\n", name, pad, R, side, hash);
  free(in);
  free(f);
  free(out);
}

int main(void) {
  FOR(pad, 4) FOR(more, 2) {
    T R = 2 * pad + 1 + more;
    if (more && !pad)
      continue;
    run("first channels", first_channels, 1, pad, R, 9 + pad);
    run("last channels", last_channels, 1, pad, R, 9 + pad);
    if (pad == 1 && !more)
      run("constant", constant, 1, 1, 3, 9);
    run("apart", apart, 2, pad, R, 14 + pad);
  }
  // No window reads anything.
  float out[16] = {1}, in[16] = {2}, f[16] = {3};
  first_channels(1, 1, 2, 0x80000000u, 4, 4, 4, 4, out, in, f);
  last_channels(1, 1, 2, 0x80000000u, 4, 4, 4, 4, out, in, f);
  // Windows begin so far behind the image that they come round.
  apart(1, 1, 2, 0xfffffffeu, 4, 4, 2, 2, out, in, f);
  FOR(i, 16) printf("%g ", out[i]);
}
