//===- short-rows.c - few steps update rows of a few columns --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many rows, with constant numbers of steps and columns, and k outside the columns. LLVM would unroll both loops and then
// make vectors across rows, with gathers. Where a row is one vector, loops of five to seven are kept for the kernel. Sizes
// of which clang's code is as good stay. The arrays end where pages do that must not be touched.
//
// RUN: %clang -O3 -march=znver5 -w -S -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith %s 2>&1 | FileCheck %s
// RUN: %clang -O3 -march=haswell -w -S -o /dev/null -fpass-plugin=%tilesmith -Rpass=tilesmith %s 2>&1 \
// RUN:     | FileCheck %s --check-prefix=AVX2 --allow-empty
// RUN: %clang -O3 -march=native -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -march=native -ffp-contract=off -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -march=native -ffp-contract=off -w -fpass-plugin=%tilesmith %s -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
//
// CHECK-NOT: Mx4x4
// CHECK: Mx5x5
// CHECK: Mx6x6
// CHECK: Mx7x7
// CHECK: Mx7x5
// AVX2-NOT: replaced

#include "../guarded.h"
#include <string.h>

#define ROWS(N, K)                                                                                                     \
  __attribute__((noinline)) static void rows_##N##_##K(int m, const double *restrict a, const double *restrict b,      \
                                                       double *restrict c) {                                           \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int k = 0; k < K; k++)                                                                                      \
        for (int j = 0; j < N; j++)                                                                                    \
          c[i * N + j] += a[i * K + k] * b[k * N + j];                                                                 \
  }
ROWS(4, 4)
ROWS(5, 5)
ROWS(6, 6)
ROWS(7, 7)
ROWS(7, 5)

enum { Bytes = 1 << 16 };

/// So many elements, up to a page that must not be touched.
static double *elements(int of, long count) {
  static char *all[3];
  if (!all[of])
    all[of] = guardedPages(Bytes);
  double *first = placed(all[of], Bytes, count * sizeof(double), 1);
  for (long x = 0; x < count; x++)
    first[x] = x % 61 == 7 ? -0.0 : x % 397 == 11 ? INFINITY : x * (7 + of) % 11 - x % 13 * .3;
  return first;
}

#define RUN(N, K)                                                                                                      \
  for (int m = 0; m < 70; m++) {                                                                                       \
    double *c = elements(2, m * N);                                                                                    \
    rows_##N##_##K(m, elements(0, m * K), elements(1, K * N), c);                                                      \
    for (int x = 0; x < m * N; x++) {                                                                                  \
      unsigned long bits;                                                                                              \
      memcpy(&bits, &c[x], sizeof(bits));                                                                              \
      printf("%lx\n", isnan(c[x]) ? 1 : bits);                                                                         \
    }                                                                                                                  \
  }

int main(void) {
  RUN(4, 4)
  RUN(5, 5)
  RUN(6, 6)
  RUN(7, 7)
  RUN(7, 5)
}
