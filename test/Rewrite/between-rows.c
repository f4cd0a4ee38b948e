//===- between-rows.c - blocks of one matrix ------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Factors may stand between the rows of C: in other columns of the same matrix. The
// kernel runs then, and only then.
//
// RUN: %clang -O2 -gline-tables-only -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -mllvm -tilesmith-count=1 %s %S/../../runtime/Counts.c -o %t
// RUN: rm -f %t.counts && env TILESMITH_COUNTS=%t.counts %t > %t.out && FileCheck %s < %t.counts
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.plain.out && cmp %t.out %t.plain.out

// What overlaps C as a whole is looked at in a block of its own.
// RUN: %clang -O2 -S -emit-llvm -fno-discard-value-names -fpass-plugin=%tilesmith %s -o - | FileCheck %s --check-prefix=IR
// IR-LABEL: define internal {{.*}} @rows.tilesmith(
// IR: tilesmith.between:
// IR-COUNT-2: srem i64
// IR: tilesmith.apart:

#include <stdio.h>
#include <stdlib.h>

enum { Side = 200, Elements = Side * Side };

// In front of C, behind it, and round the end of a row; one row above and below.
// CHECK: 6 {{.*}}between-rows.c:[[#@LINE + 3]]:3: rows: GEMM f64
__attribute__((noinline)) void rows(long m, long n, long k, long lda, const double *a,
                                    long ldb, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[i * Side + j] -= a[i * lda + p] * b[p * ldb + j];
}

// CHECK: 2 {{.*}}between-rows.c:[[#@LINE + 3]]:3: columns: GEMM f64
__attribute__((noinline)) void columns(long m, long n, long k, long ld, const double *a,
                                       const double *b, double *c) {
  for (long j = 0; j < n; j++)
    for (long p = 0; p < k; p++)
      for (long i = 0; i < m; i++)
        c[i + j * ld] += a[i + p * ld] * b[p + j * ld];
}

// Not looked at: the rows run backwards.
// CHECK: 0 {{.*}}between-rows.c:[[#@LINE + 3]]:3: backwards: GEMM f64
__attribute__((noinline)) void backwards(long n, long k, const double *a, const double *b,
                                         double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < k; p++)
        c[-i * Side - j] += a[-i * Side - p] * b[p * Side + j];
}

// A triangle: the lower half of what stands right of its factor.
// CHECK: 1 {{.*}}between-rows.c:[[#@LINE + 2]]:3: triangle: SYRK f64
__attribute__((noinline)) void triangle(long n, long k, const double *a, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long p = 0; p < k; p++)
        c[i * Side + j] -= a[i * Side + p] * a[j * Side + p];
}

// A column of the matrix whose rows are read.
// CHECK: 1 {{.*}}between-rows.c:[[#@LINE + 2]]:3: column: GEMV f64
__attribute__((noinline)) void column(long m, long k, const double *a, double *y) {
  for (long i = 0; i < m; i++)
    for (long p = 0; p < k; p++)
      y[i * Side] -= a[i * Side + p] * a[p];
}

static double all[Elements], x[Elements];
#define AT(i, j) (all + (i) * Side + (j))

static void fill(void) {
  for (int i = 0; i < Elements; i++) {
    all[i] = (i * 7919 % 1009 - 500) / 64.0;
    x[i] = (i * 104729 % 997 - 500) / 64.0;
  }
}

static void print(void) {
  unsigned long long hash = 0;
  for (int i = 0; i < Elements; i++) {
    union {
      double value;
      unsigned long long bits;
    } element = {all[i]};
    hash = hash * 1099511628211u + element.bits;
  }
  printf("%llx\n", hash);
}

#define TRY(call)                                                              \
  fill();                                                                      \
  call;                                                                        \
  print()

int main(void) {
  // A in front of C, B above it.
  TRY(rows(100, 100, 60, Side, AT(60, 0), Side, AT(0, 60), AT(60, 60)));
  // A behind C, up to the end of the row; B elsewhere.
  TRY(rows(100, 100, 60, Side, AT(60, 140), Side, x, AT(60, 40)));
  // A ends where C begins, one row lower.
  TRY(rows(100, 100, 60, Side, AT(61, 0), Side, x, AT(60, 60)));
  // A goes on in the next row, up to C.
  TRY(rows(100, 100, 60, Side, AT(60, 180), Side, x, AT(60, 40)));
  // Both beside C.
  TRY(rows(60, 60, 60, Side, AT(60, 0), Side, AT(80, 140), AT(60, 70)));
  // C apart from both.
  TRY(rows(60, 60, 60, Side, x, Side, x, all));

  // One column is shared, on either side; rows of another stride.
  TRY(rows(100, 100, 61, Side, AT(60, 0), Side, x, AT(60, 60)));
  TRY(rows(100, 100, 60, Side, AT(60, 139), Side, x, AT(60, 40)));
  TRY(rows(60, 60, 60, Side - 1, AT(60, 0), Side, x, AT(60, 70)));
  TRY(rows(60, 60, 60, Side, x, Side + 1, AT(60, 0), AT(60, 70)));
  TRY(rows(60, 60, 60, 2 * Side, AT(60, 0), Side, x, AT(60, 70)));

  TRY(columns(100, 100, 60, Side, AT(0, 60), AT(60, 0), AT(60, 60)));
  TRY(columns(60, 100, 60, Side, AT(60, 0), x, AT(60, 60)));
  TRY(columns(101, 100, 60, Side, AT(60, 0), AT(0, 59), AT(60, 60)));

  TRY(backwards(100, 60, AT(160, 59), AT(0, 100), AT(160, 160)));
  TRY(triangle(100, 60, AT(60, 0), AT(60, 60)));
  TRY(triangle(100, 61, AT(60, 0), AT(60, 60)));
  TRY(column(100, 60, AT(60, 0), AT(60, 60)));
  TRY(column(100, 61, AT(60, 0), AT(60, 60)));
}
