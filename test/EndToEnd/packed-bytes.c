//===- packed-bytes.c - narrow factors that run either way -------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Packed for dot products, bytes along k are read by vectors, forwards or backwards: with
// masks, or squares of which the last one ends where the steps do. The results are those of
// clang alone, and nothing is touched that the source does not touch.
// REQUIRES: x86
// DEFINE: %{flags} = -O3 -march=native
// DEFINE: %{plain} = %clang %{flags} %s -o %t.plain && %t.plain > %t.plain.out
// DEFINE: %{ours} = %clang %{flags} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith %s -o %t.ours
// DEFINE: %{run} = %t.ours > %t.ours.out && cmp %t.plain.out %t.ours.out
// RUN: %{plain}
// RUN: env TILESMITH='min-work=1' %{ours} 2>&1 | FileCheck %s
// RUN: %{run}
// RUN: env TILESMITH='min-work=1;plan=mc=48 nc=8 kc=20' %{ours} && %{run}
// REDEFINE: %{flags} = -O3 -mavx2
// RUN: %{plain}
// RUN: env TILESMITH='min-work=1' %{ours} && %{run}
// RUN: env TILESMITH='min-work=1;plan=mc=16 nc=8 kc=20' %{ours} && %{run}
// REDEFINE: %{flags} = -O2 -msse4.1
// RUN: %{plain}
// RUN: env TILESMITH='min-work=1' %{ours} && %{run}
// CHECK-COUNT-10: replaced 3-loop nest by {{.*}}i32

#include "../guarded.h"
#include <stdint.h>

#define FOR(I, L, H) for (long I = L; I < H; I++)
#define PRODUCT(NAME, TA, TB, COLUMNS, OFA, OFB)                               \
  __attribute__((noinline)) void NAME(long n, long k, const TA *restrict a,    \
                                      const TB *restrict b,                    \
                                      int *restrict c) {                       \
    FOR(i, 0, n) FOR(j, 0, COLUMNS) {                                          \
      int s = 0;                                                               \
      FOR(p, 0, k) s += a[OFA] * b[OFB];                                       \
      c[i * n + j] = s;                                                        \
    }                                                                          \
  }

PRODUCT(forwards, int8_t, int8_t, n, i * k + p, j * k + p)
PRODUCT(backwards, int8_t, int8_t, n, i * k + p, j * k + k - 1 - p)
PRODUCT(both, uint8_t, int8_t, n, i *k + k - 1 - p, j *k + k - 1 - p)
PRODUCT(a_backwards, uint8_t, uint8_t, n, i *k + k - 1 - p, j *k + p)
PRODUCT(last_first, int8_t, uint8_t, n, (n - 1 - i) * k + p,
        (n - 1 - j) * k + k - 1 - p)
PRODUCT(triangle, int8_t, int8_t, i + 1, i * k + p, j * k + k - 1 - p)
PRODUCT(columns, int8_t, int8_t, n, p *n + i, (k - 1 - p) * n + n - 1 - j)
PRODUCT(shorts, int16_t, int16_t, n, i * k + p, j * k + k - 1 - p)
PRODUCT(shorts_forwards, int16_t, int16_t, n, i * k + p, j * k + p)
PRODUCT(mixed, int8_t, int16_t, n, i *k + k - 1 - p, j *k + p)

typedef void Product(long, long, const void *, const void *, int *);
#define ROW(F, TA, TB) {(Product *)F, sizeof(TA), sizeof(TB)}
static const struct {
  Product *Run;
  size_t SizeA, SizeB;
} Products[] = {ROW(forwards, char, char),   ROW(backwards, char, char),
                ROW(both, char, char),       ROW(a_backwards, char, char),
                ROW(last_first, char, char), ROW(triangle, char, char),
                ROW(columns, char, char),    ROW(shorts, short, short),
                ROW(shorts_forwards, short, short), ROW(mixed, char, short)};

static void fill(unsigned char *Of, size_t Bytes) {
  static unsigned State = 1;
  for (size_t I = 0; I < Bytes; I++)
    Of[I] = (State = State * 1664525 + 1013904223) >> 24;
}

enum { Most = 80 * 80 * 4 / Page * Page + Page };

int main(void) {
  char *PagesA = guardedPages(Most), *PagesB = guardedPages(Most),
       *PagesC = guardedPages(Most);
  static const int Steps[] = {1,  2,  3,  4,  7,  8,  9,  15, 16,
                              17, 30, 31, 32, 33, 47, 63, 64, 66};
  for (size_t F = 0; F < sizeof Products / sizeof *Products; F++)
    for (int N = 1; N < 38; N += N < 20 ? 1 : 5)
      for (size_t S = 0; S < sizeof Steps / sizeof *Steps; S++)
        for (int AtEnd = 0; AtEnd < 2; AtEnd++) {
          long K = Steps[S];
          size_t BytesA = N * K * Products[F].SizeA,
                 BytesB = N * K * Products[F].SizeB, BytesC = N * N * 4;
          void *A = placed(PagesA, Most, BytesA, AtEnd),
               *B = placed(PagesB, Most, BytesB, AtEnd),
               *C = placed(PagesC, Most, BytesC, AtEnd);
          fill(A, BytesA), fill(B, BytesB), fill(C, BytesC);
          Products[F].Run(N, K, A, B, C);
          hashBytes(C, BytesC);
        }
  printf("%lx\n", Hash);
}
