//===- row-blocks.c - C: rows of a matrix that are read twice -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows are so long that some blocks of them are made, or so short that it is one;
// the last block is longer than the others.
//
// RUN: %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native
// RUN: %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -ffp-contract=off
// RUN: env TILESMITH=dispatch=cpu %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -ffp-contract=off

#include "forms.h"
#include <math.h>

// A^T (A x), as PolyBench's atax.
FORM void transposed_too(int m, int n, const double *restrict a, const double *restrict x, double *restrict y, // REPLACED
                         double *restrict t) {
  for (int i = 0; i < m; i++) {
    t[i] = 0;
    for (int k = 0; k < n; k++)
      t[i] += a[i * (long)n + k] * x[k];
    for (int k = 0; k < n; k++)
      y[k] += a[i * (long)n + k] * t[i];
  }
}

// A x and A^T r in one loop, as PolyBench's bicg.
FORM void both(int m, int n, const double *a, const double *p, const double *r, double *q, double *s) { // REPLACED
  for (int i = 0; i < m; i++) {
    q[i] = 0;
    for (int k = 0; k < n; k++) {
      s[k] += r[i] * a[i * (long)n + k];
      q[i] += a[i * (long)n + k] * p[k];
    }
  }
}

// The last row first, and every second element of the sums.
FORM void backwards(int m, int n, const float *a, const float *x, float *y, float *t) { // REPLACED
  for (int i = m - 1; i >= 0; i--) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[i * (long)n + k] * x[k];
    t[2 * i] = sum;
    for (int k = 0; k < n; k++)
      y[k] = y[k] * 0.5f + a[i * (long)n + k] * sum;
  }
}

enum { ROWS = 101, COLUMNS = 20011 };

#define VALUES(T)                                                                                                      \
  static T T##A[ROWS * COLUMNS], T##X[COLUMNS], T##Y[COLUMNS], T##R[ROWS], T##Z[2 * ROWS];                             \
  static void make_##T(void) {                                                                                         \
    for (long i = 0; i < ROWS * COLUMNS; i++)                                                                          \
      T##A[i] = (T)value(0, i);                                                                                        \
    T##A[4711] = -0.0, T##A[3 * COLUMNS + 5] = INFINITY;                                                               \
    for (int i = 0; i < COLUMNS; i++)                                                                                  \
      T##X[i] = (T)value(1, i), T##Y[i] = (T)value(2, i);                                                              \
    for (int i = 0; i < ROWS; i++)                                                                                     \
      T##R[i] = T##Z[i] = (T)value(3, i);                                                                              \
  }                                                                                                                    \
  static void show_##T(const char *Form, int n) {                                                                      \
    show(Form, n, T##Y, sizeof T##Y);                                                                                  \
    show(Form, n + 1, T##Z, sizeof T##Z);                                                                              \
  }
VALUES(double)
VALUES(float)

int main(void) {
  for (int Columns = 61; Columns <= COLUMNS; Columns += 19950)
    for (int Rows = 29; Rows <= ROWS; Rows += 24) {
      make_double();
      transposed_too(Rows, Columns, doubleA, doubleX, doubleY, doubleZ);
      show_double("transposed_too", Columns * ROWS + 2 * Rows);
      make_double();
      both(Rows, Columns, doubleA, doubleX, doubleR, doubleZ, doubleY);
      show_double("both", Columns * ROWS + 2 * Rows);
      // The vector is a row of the matrix: the source's own loops.
      make_double();
      both(Rows, Columns, doubleA, doubleX, doubleR, doubleZ, doubleA + 3 * Columns);
      show_double("both", -Columns * ROWS - 2 * Rows);
      make_float();
      backwards(Rows, Columns, floatA, floatX, floatY, floatZ);
      show_float("backwards", Columns * ROWS + 2 * Rows);
    }
  return 0;
}
