//===- constant-attention.c - attention with constant sizes -----*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As attention.c, where positions, heads and channels are constants: steps from head to head are longer than those from
// position to position, and the zeros of positions to come are a memset of so many bytes as a narrow count, shifted, says.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{flags} -w %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -Rpass-missed=tilesmith -o %t.ours 2>&1 | FileCheck %s --implicit-check-not='not replaced'
// RUN: %t.ours > %t.printed && cmp %t.expected %t.printed
// REDEFINE: %{flags} = -O2 -ffp-contract=off
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -o %t.ours && %t.ours > %t.printed && cmp %t.expected %t.printed
//
// CHECK-COUNT-8: {{replaced 5-loop nest by (TRMM|triangular GEMM) f32 .* in 2 outer loops}}

#include <math.h>
#include <stdio.h>

enum { T = 24, HEADS = 3, WIDTH = 16, C = HEADS * WIDTH, ROW = 3 * C };

#define ATTENTION(NAME, POINTER, TAIL)                                                                                 \
  __attribute__((noinline)) static void NAME(int batches, POINTER out, POINTER scores, POINTER weights,                \
                                             const POINTER in) {                                                       \
    float scale = 1 / sqrtf(WIDTH);                                                                                    \
    for (int b = 0; b < batches; b++)                                                                                  \
      for (int t = 0; t < T; t++)                                                                                      \
        for (int h = 0; h < HEADS; h++) {                                                                              \
          const float *query = in + b * T * ROW + t * ROW + h * WIDTH;                                                 \
          float *score = scores + b * HEADS * T * T + h * T * T + t * T;                                               \
          float *weight = weights + b * HEADS * T * T + h * T * T + t * T;                                             \
          float top = -10000;                                                                                          \
          for (int u = 0; u <= t; u++) {                                                                               \
            const float *key = in + b * T * ROW + u * ROW + h * WIDTH + C;                                             \
            float s = 0;                                                                                               \
            for (int i = 0; i < WIDTH; i++)                                                                            \
              s += query[i] * key[i];                                                                                  \
            s *= scale;                                                                                                \
            if (s > top)                                                                                               \
              top = s;                                                                                                 \
            score[u] = s;                                                                                              \
          }                                                                                                            \
          float sum = 0;                                                                                               \
          for (int u = 0; u <= t; u++) {                                                                               \
            float e = expf(score[u] - top);                                                                            \
            sum += e;                                                                                                  \
            weight[u] = e;                                                                                             \
          }                                                                                                            \
          float inverse = sum == 0 ? 0 : 1 / sum;                                                                      \
          TAIL;                                                                                                        \
          float *value = out + b * T * C + t * C + h * WIDTH;                                                          \
          for (int i = 0; i < WIDTH; i++)                                                                              \
            value[i] = 0;                                                                                              \
          for (int u = 0; u <= t; u++) {                                                                               \
            const float *v = in + b * T * ROW + u * ROW + h * WIDTH + 2 * C;                                           \
            for (int i = 0; i < WIDTH; i++)                                                                            \
              value[i] += weight[u] * v[i];                                                                            \
          }                                                                                                            \
        }                                                                                                              \
  }

#define ZERO_BY_TEST                                                                                                   \
  for (int u = 0; u < T; u++)                                                                                          \
    if (u <= t)                                                                                                        \
      weight[u] *= inverse;                                                                                            \
    else                                                                                                               \
      weight[u] = 0
#define ZERO_BY_LOOP                                                                                                   \
  for (int u = 0; u <= t; u++)                                                                                         \
    weight[u] *= inverse;                                                                                              \
  for (int u = t + 1; u < T; u++)                                                                                      \
    weight[u] = 0

typedef float *Pointer;
typedef float *restrict Restrict;
ATTENTION(by_test, Restrict, ZERO_BY_TEST)
ATTENTION(by_loop, Restrict, ZERO_BY_LOOP)
ATTENTION(by_test_in_any, Pointer, ZERO_BY_TEST)
ATTENTION(by_loop_in_any, Pointer, ZERO_BY_LOOP)

enum { BATCHES = 2, VALUES = BATCHES * T * C, PAIRS = BATCHES * HEADS * T * T };
static float all[4 * VALUES + 2 * PAIRS];

static void run(void (*f)(int, float *, float *, float *, const float *), int batches, int overlaps) {
  float *in = all, *out = all + 3 * VALUES, *scores = out + VALUES;
  for (int i = 0; i < 4 * VALUES + 2 * PAIRS; i++)
    all[i] = i % 97 ? (i * 37 % 101 - 50) * .03f : i % 2 ? -0.0f : INFINITY;
  // The weights in place of the scores, or what is read in place of what is written.
  float *weights = overlaps == 1 ? scores : scores + PAIRS;
  f(batches, overlaps == 2 ? in + ROW : out, scores, weights, in);
  for (int i = 0; i < 4 * VALUES + 2 * PAIRS; i++)
    printf("%a\n", isnan(all[i]) ? NAN : all[i]);
}

int main(void) {
  for (int batches = 0; batches <= BATCHES; batches++) {
    run((void *)by_test, batches, 0);
    run((void *)by_loop, batches, 0);
    for (int overlaps = 0; overlaps < 3; overlaps++) {
      run((void *)by_test_in_any, batches, overlaps);
      run((void *)by_loop_in_any, batches, overlaps);
    }
  }
}
