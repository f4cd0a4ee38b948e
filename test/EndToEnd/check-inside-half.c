//===- check-inside-half.c - a bounds check behind half of a border -------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element is loaded, and its subscript checked, where a place is known not to lie in front of a row, and only then is
// it compared with the row's end; or the other way round. The check sees places beyond the other end: it fails at the
// same place as in the source where the array ends with its last row.
//
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{compile} = %clang %{flags} -w %s
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -o %t.ours && %t.ours > %t.result
// RUN: cmp %t.expected %t.result && FileCheck %s < %t.result
//
// CHECK: 0 2 failed

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

static jmp_buf Failed;

__attribute__((noreturn, noinline, cold)) static void fail(void) { longjmp(Failed, 1); }

static inline size_t checked(long i, size_t length) {
  if (__builtin_expect((size_t)i >= length, 0))
    fail();
  return i;
}

typedef void Convolution(long w, long k, long pad, long c, long f, const double *restrict x, size_t length,
                         const double *restrict t, double *restrict y);

#define CONVOLUTION(NAME, FIRST, SECOND)                                                                               \
  __attribute__((noinline)) static void NAME(long w, long k, long pad, long c, long f, const double *restrict x,       \
                                             size_t length, const double *restrict t, double *restrict y) {            \
    for (long m = 0; m < f; m++)                                                                                       \
      for (long j = 0; j < w; j++) {                                                                                   \
        double s = 0;                                                                                                  \
        for (long l = 0; l < c; l++)                                                                                   \
          for (long q = 0; q < k; q++) {                                                                               \
            long v = j + q - pad;                                                                                      \
            if (FIRST) {                                                                                               \
              double element = x[checked(l * w + v, length)];                                                          \
              if (SECOND)                                                                                              \
                s += element * t[(m * c + l) * k + q];                                                                 \
            }                                                                                                          \
          }                                                                                                            \
        y[m * w + j] = s;                                                                                              \
      }                                                                                                                \
  }

CONVOLUTION(beginFirst, v >= 0, v < w)
CONVOLUTION(endFirst, v < w, v >= 0)
CONVOLUTION(both, v >= 0 && v < w, v < w + 1)

enum { W = 20, K = 3, C = 4, F = 16 };

int main(void) {
  static Convolution *const All[] = {beginFirst, endFirst, both};
  static double x[W * C + 64], t[F * C * K], y[F * W];
  for (int i = 0; i < W * C + 64; i++)
    x[i] = i % 17 - 3.5;
  for (int i = 0; i < F * C * K; i++)
    t[i] = i % 13 - 2.5;
  for (volatile int n = 0; n < 3; n++)
    for (volatile int extra = -2; extra < 3; extra++) {
      for (int i = 0; i < F * W; i++)
        y[i] = 7;
      if (setjmp(Failed))
        printf("%d %d failed\n", n, extra + 2);
      else
        All[n](W, K, 1, C, F, x + 32, W * C + extra, t, y);
      for (int i = 0; i < F * W; i++)
        printf("%a%c", y[i], i % W < W - 1 ? ' ' : '\n');
    }
}
