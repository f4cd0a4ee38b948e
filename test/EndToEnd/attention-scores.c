//===- attention-scores.c - three loops on one counter --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One counter for batches, places and heads, as 'collapse(3)' makes it for each thread, around the scores of attention.
// With the loops over t2 and over a head's numbers alone, each of them is a matrix times a vector; with the loop over
// places, they are a product of two matrices, of which a thread's part begins and ends in the middle.
//
// RUN: %clang -O3 -march=native -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith %s -lm -o %t.tilesmith 2>&1 | FileCheck %s
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith %s -lm -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -lm -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
//
// CHECK: replaced 5-loop nest by triangular GEMM f32
// CHECK: replaced 3-loop nest by triangular GEMM f32
// CHECK: replaced 5-loop nest by GEMM f32

#include <math.h>
#include <stdio.h>
#include <string.h>

// A part of the numbers of (b, second, third), as a thread gets it.
#define SCORES(NAME, SECOND, THIRD, T, H, END)                                                                         \
  __attribute__((noinline)) static void NAME(float *preatt, const float *inp, long first, long last, int T_, int C,    \
                                             int NH) {                                                                 \
    int C3 = C * 3, hs = C / NH;                                                                                       \
    float scale = 1 / sqrtf(hs);                                                                                       \
    long size = (long)(SECOND) * (THIRD);                                                                              \
    for (long q = first; q < last; q++) {                                                                              \
      int b = q / size;                                                                                                \
      long rest = q - q / size * size;                                                                                 \
      int second = rest / (THIRD), third = rest - rest / (THIRD) * (THIRD);                                            \
      int t = T, h = H;                                                                                                \
      const float *query = inp + b * T_ * C3 + t * C3 + h * hs;                                                        \
      float *row = preatt + b * NH * T_ * T_ + h * T_ * T_ + t * T_;                                                   \
      for (int t2 = 0; t2 < (END); t2++) {                                                                             \
        const float *key = inp + b * T_ * C3 + t2 * C3 + h * hs + C;                                                   \
        float sum = 0;                                                                                                 \
        for (int i = 0; i < hs; i++)                                                                                   \
          sum += query[i] * key[i];                                                                                    \
        row[t2] = sum * scale;                                                                                         \
      }                                                                                                                \
    }                                                                                                                  \
  }
SCORES(places_first, T_, NH, second, third, t + 1)
SCORES(heads_first, NH, T_, third, second, t + 1)
SCORES(without_mask, T_, NH, second, third, T_)

enum { B = 2, Most = 40, NHs = 3, Size = 8 };
static float inp[B * Most * 3 * NHs * Size], preatt[B * NHs * Most * Most];

int main(void) {
  static void (*const Scores[])(float *, const float *, long, long, int, int, int) = {places_first, heads_first,
                                                                                      without_mask};
  static const int Places[] = {1, 2, 7, 33, Most};
  for (int i = 0; i < sizeof(inp) / sizeof(inp[0]); i++)
    inp[i] = i % 97 == 5 ? -0.0f : i % 1013 == 7 ? INFINITY : i * 37 % 101 / 16.f - 3;
  for (int f = 0; f < 3; f++)
    for (int p = 0; p < 5; p++)
      for (int threads = 1; threads <= 7; threads += 2) {
        long all = B * Places[p] * NHs;
        unsigned long hash = 1;
        for (int i = 0; i < sizeof(preatt) / sizeof(preatt[0]); i++)
          preatt[i] = i;
        for (int part = 0; part < threads; part++) {
          Scores[f](preatt, inp, all * part / threads, all * (part + 1) / threads, Places[p], NHs * Size, NHs);
          for (int i = 0; i < sizeof(preatt) / sizeof(preatt[0]); i++) {
            unsigned bits = 1;
            if (!isnan(preatt[i]))
              memcpy(&bits, &preatt[i], sizeof(bits));
            hash = (hash ^ bits) * 1099511628211u;
          }
        }
        printf("%d %d %d %lx\n", f, Places[p], threads, hash);
      }
}
