//===- attention.c - causal attention of several heads ----------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both products of a layer that is written position by position: a triangle of
// scores for a batch of heads, the softmax as the rest between them, which has
// branches and calls, and the sum of the values. The weights of positions to come
// are set in the same loop, or in one of their own. All three arrays are compared.

// DEFINE: %{flags} =
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -ffp-contract=fast
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -DTAIL=0
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// REDEFINE: %{flags} = -DTAIL=-1
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// CHECK-DAG: replaced 5-loop nest by TRMM f32 {{.*}} in 2 outer loops
// CHECK-DAG: replaced 5-loop nest by triangular GEMM f32 {{.*}} in 2 outer loops
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static void attention(int batches, int steps, int channels, int heads,
                                                float *out, float *scores, float *weights,
                                                const float *in) {
  int width = channels / heads, row = 3 * channels;
  float scale = 1 / sqrtf(width);
  for (int b = 0; b < batches; b++)
    for (int t = 0; t < steps; t++)
      for (int h = 0; h < heads; h++) {
        const float *query = in + b * steps * row + t * row + h * width;
        float *score = scores + b * heads * steps * steps + h * steps * steps + t * steps;
        float *weight = weights + b * heads * steps * steps + h * steps * steps + t * steps;
        float top = -10000;
        for (int u = 0; u <= t; u++) {
          const float *key = in + b * steps * row + u * row + h * width + channels;
          float s = 0;
          for (int i = 0; i < width; i++)
            s += query[i] * key[i];
          s *= scale;
          if (s > top)
            top = s;
          score[u] = s;
        }
        float sum = 0;
        for (int u = 0; u <= t; u++) {
          float e = expf(score[u] - top);
          sum += e;
          weight[u] = e;
        }
        float inverse = sum == 0 ? 0 : 1 / sum;
#ifdef TAIL // becomes a memset, behind the test whether there are positions to come
        for (int u = 0; u <= t; u++)
          weight[u] *= inverse;
        for (int u = t + 1; u < steps; u++)
          weight[u] = TAIL;
#else
        for (int u = 0; u < steps; u++)
          if (u <= t)
            weight[u] *= inverse;
          else
            weight[u] = 0;
#endif
        float *value = out + b * steps * channels + t * channels + h * width;
        for (int i = 0; i < width; i++)
          value[i] = 0;
        for (int u = 0; u <= t; u++) {
          const float *v = in + b * steps * row + u * row + h * width + 2 * channels;
          for (int i = 0; i < width; i++)
            value[i] += weight[u] * v[i];
        }
      }
}

static unsigned long bitsOf(const float *x, size_t n) {
  unsigned long sum = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned bits;
    memcpy(&bits, x + i, sizeof bits);
    sum = sum * 31 + bits;
  }
  return sum;
}

static void run(int batches, int steps, int heads, int width, int overlaps) {
  int channels = heads * width;
  size_t values = (size_t)batches * steps * channels, pairs = (size_t)batches * heads * steps * steps;
  float *all = calloc(4 * values + 2 * pairs + 1, sizeof *all), *in = all, *out = in + 3 * values;
  float *scores = out + values, *weights = overlaps ? scores : scores + pairs;
  for (size_t i = 0; i < 3 * values; i++)
    in[i] = rand() % 128 / 64.0f - 1;
  if (values && overlaps)
    in[values / 2] = NAN;
  attention(batches, steps, channels, heads, out, scores, weights, in);
  printf("%d %d %d %d %d: %lx\n", batches, steps, heads, width, overlaps, bitsOf(all, 4 * values + 2 * pairs));
  free(all);
}

int main(void) {
  static const int steps[] = {0, 1, 2, 3, 15, 16, 40, 67};
  static const int widths[] = {1, 2, 3, 16, 64};
  for (int batches = 1; batches < 3; batches++)
    for (int s = 0; s < 8; s++)
      for (int heads = 1; heads < 4; heads++)
        for (int w = 0; w < 5; w++)
          for (int overlaps = 0; overlaps < 2; overlaps++)
            run(batches, steps[s], heads, widths[w], overlaps);
}
