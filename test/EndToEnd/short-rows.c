//===- short-rows.c - few steps update rows of a few columns --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many rows, with constant numbers of steps and columns, and k outside the columns. LLVM would unroll both loops and then
// make vectors across rows, with gathers. Where a row is one vector or two, they are kept for the kernel. Sizes of which
// clang's code is as good stay, and so do those of which it unrolls one loop alone. The arrays end where pages do that
// must not be touched.
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
// CHECK-NOT: Mx2x5
// CHECK-NOT: Mx8x10
// CHECK-NOT: Mx16x8
// CHECK: f64 {{.*}}Mx5x5
// CHECK: f64 {{.*}}Mx6x6
// CHECK: f64 {{.*}}Mx7x7
// CHECK: f64 {{.*}}Mx7x5
// CHECK: f64 {{.*}}Mx8x8
// CHECK: f64 {{.*}}Mx16x3
// CHECK: f32 {{.*}}Mx8x8
// CHECK: f32 {{.*}}Mx16x4
// CHECK: f64 {{.*}}Mx3x8
// CHECK: f32 {{.*}}Mx4x5
// AVX2-NOT: replaced

#include "../guarded.h"
#include <string.h>

#define ROWS(T, N, K)                                                                                                  \
  __attribute__((noinline)) static void rows_##T##_##N##_##K(int m, const T *restrict a, const T *restrict b,          \
                                                             T *restrict c) {                                          \
    for (int i = 0; i < m; i++)                                                                                        \
      for (int k = 0; k < K; k++)                                                                                      \
        for (int j = 0; j < N; j++)                                                                                    \
          c[i * N + j] += a[i * K + k] * b[k * N + j];                                                                 \
  }
#define ALL(F) F(double, 4, 4) F(double, 2, 5) F(double, 8, 10) F(double, 16, 8) F(double, 5, 5) F(double, 6, 6) F(double, 7, 7)       \
  F(double, 7, 5) F(double, 8, 8) F(double, 16, 3) F(float, 8, 8) F(float, 16, 4) F(double, 3, 8) F(float, 4, 5)
ALL(ROWS)

enum { Bytes = 1 << 16 };

static char *all[3];

#define RUN(T, N, K)                                                                                                   \
  for (int m = 0; m < 70; m++) {                                                                                       \
    long counts[] = {m * K, K * N, m * N};                                                                             \
    T *at[3];                                                                                                          \
    for (int of = 0; of < 3; of++) {                                                                                   \
      at[of] = placed(all[of], Bytes, counts[of] * sizeof(T), 1);                                                      \
      for (long x = 0; x < counts[of]; x++)                                                                            \
        at[of][x] = x % 61 == 7 ? -0.0 : x % 397 == 11 ? INFINITY : x * (7 + of) % 11 - x % 13 * .3;                   \
    }                                                                                                                  \
    rows_##T##_##N##_##K(m, at[0], at[1], at[2]);                                                                      \
    for (int x = 0; x < m * N; x++) {                                                                                  \
      unsigned long bits = 0;                                                                                          \
      memcpy(&bits, &at[2][x], sizeof(T));                                                                             \
      printf("%lx\n", isnan(at[2][x]) ? 1 : bits);                                                                     \
    }                                                                                                                  \
  }

int main(void) {
  for (int of = 0; of < 3; of++)
    all[of] = guardedPages(Bytes);
  ALL(RUN)
}
