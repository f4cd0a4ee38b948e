//===- idle-steps.c - steps that are left out for zeros ---------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One factor has zeros, few or many, a row or a column of them; the other one, or C,
// may have NaN, infinities, zeros of both signs, numbers so small that products
// underflow. All bytes of C are compared, but for what a NaN is.

// DEFINE: %{flags} = -ffp-contract=on
// DEFINE: %{compile} = %clang -O3 -march=native %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// REDEFINE: %{flags} = -ffp-contract=off
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -o %t.ours && %{compare}
// CHECK-COUNT-4: replaced 3-loop nest by GEMM
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM(NAME, REAL) \
  __attribute__((noinline)) static void NAME(int m, int n, int l, const REAL *a, const REAL *b, REAL *c)

FORM(rows_f64, double) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      if (a[i * l + k] != 0)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * l + k] * b[k * n + j];
}

FORM(rows_f32, float) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      if (a[i * l + k] != 0)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * l + k] * b[k * n + j];
}

FORM(scaled_f64, double) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      if (a[i * l + k] != 0) {
        double t = 1.5 * a[i * l + k];
        for (int j = 0; j < n; j++)
          c[i * n + j] -= t * b[k * n + j];
      }
}

FORM(anew_f32, float) {
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++)
      c[i * n + j] = 0;
    for (int k = 0; k < l; k++)
      if (a[k * m + i] != 0)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[k * m + i] * b[k * n + j];
  }
}

// Negative factors are left out as well: not replaced.
FORM(positive_f64, double) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++)
      if (a[i * l + k] > 0)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * l + k] * b[k * n + j];
}

enum { Plain, Zeros, NegativeC, NaNOfB, InfinityOfB, Tiny, Sparse, EmptyRow, EmptyColumn, Kinds };

static double number(int kind, char of, int first, int second) {
  double x = (rand() % 63 - 31) / 8.0;
  if (of == 'a') {
    if (kind == Plain && x == 0)
      x = 1;
    if (kind != Plain && rand() % (kind == Sparse ? 2 : 7) <= (kind == Sparse))
      x = rand() % 2 ? 0 : -0.0;
    if (kind == Sparse && rand() % 8)
      x = 0;
    if ((kind == EmptyRow && first == 1) || (kind == EmptyColumn && second == 1))
      x = 0;
  }
  if (of == 'c' && kind == NegativeC && rand() % 3 == 0)
    x = -0.0;
  if (of == 'c' && kind == Tiny)
    x = 0;
  if (of == 'b' && kind == NaNOfB && rand() % 5 == 0)
    x = NAN;
  if (of == 'b' && kind == InfinityOfB && rand() % 5 == 0)
    x = INFINITY;
  return x;
}

#define RUN(NAME, REAL, SMALL) \
  { \
    REAL *a = malloc((m * l + 1) * sizeof *a), *b = malloc((l * n + 1) * sizeof *b); \
    REAL *c = malloc((m * n + 1) * sizeof *c); \
    for (int i = 0; i < m * l; i++) \
      a[i] = number(kind, 'a', i / (l + !l), i % (l + !l)) * (kind == Tiny && rand() % 2 ? SMALL : 1); \
    for (int i = 0; i < l * n; i++) \
      b[i] = number(kind, 'b', 0, 0) * (kind == Tiny ? SMALL : 1); \
    for (int i = 0; i < m * n; i++) \
      c[i] = number(kind, 'c', 0, 0); \
    NAME(m, n, l, a, b, c); \
    unsigned long sum = 0; \
    for (int i = 0; i < m * n; i++) { \
      unsigned long bits = 0; \
      REAL x = c[i] != c[i] ? (REAL)0.5 : c[i]; \
      memcpy(&bits, &x, sizeof x); \
      sum = sum * 31 + bits; \
    } \
    printf(" %lx", sum); \
    free(a); \
    free(b); \
    free(c); \
  }

int main(void) {
  static const int sizes[] = {0, 1, 2, 3, 8, 17, 33, 64};
  for (int kind = 0; kind < Kinds; kind++)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++)
        for (int k = 0; k < 8; k++) {
          int m = sizes[i], n = sizes[j], l = sizes[k];
          printf("%d %d %d %d:", kind, m, n, l);
          RUN(rows_f64, double, 0x1p-530);
          RUN(rows_f32, float, 0x1p-70f);
          RUN(scaled_f64, double, 0x1p-540);
          RUN(anew_f32, float, 0x1p-74f);
          RUN(positive_f64, double, 0x1p-530);
          printf("\n");
        }
}
