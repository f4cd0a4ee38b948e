//===- beside-others.c - starts and tables beside other stores ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where a nest does something else, too, sums may start from further operands. Factors
// may be in tables: rows must not overlap what else is stored, unless its type tells.
//
// RUN: %clang -O1 -S -emit-llvm %s -o - | %opt -passes='print<tilesmith-idioms>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: function 'greatest_of_vector'
// CHECK:       start: x, with further operands
// CHECK:       after, for what follows:
// CHECK:       guard: C does not overlap X
double greatest_of_vector(long m, long l, const double *w, const double *b, const double *x, double *y) {
  double top = -1;
  for (long i = 0; i < m; i++) {
    double s = b[i];
    for (long k = 0; k < l; k++)
      s += w[i * l + k] * x[k];
    y[i] = s;
    top = s > top ? s : top;
  }
  return top;
}

// CHECK-LABEL: function 'greatest_of_matrix'
// CHECK:       start: x, with further operands
// CHECK:       after, for what follows:
double greatest_of_matrix(long m, long n, long l, const double *a, const double *b, const double *bias, double *c) {
  double top = -1;
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = bias[j];
      for (long k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      c[i * n + j] = s;
      top = s > top ? s : top;
    }
  return top;
}

// With nothing else, the nest itself stores what sums start from.
// CHECK-LABEL: function 'alone'
// CHECK:       set by the loops before
void alone(long m, long l, const double *w, const double *b, const double *x, double *y) {
  for (long i = 0; i < m; i++) {
    double s = b[i];
    for (long k = 0; k < l; k++)
      s += w[i * l + k] * x[k];
    y[i] = s;
  }
}

// CHECK-LABEL: function 'table'
// CHECK:       table of rows
// CHECK:       guard: memory from {{.*}} does not overlap operand 1
// CHECK:       guard: memory from {{.*}} does not overlap operand 2
void table(long m, long n, long l, double **a, double **b, double *restrict c, double *d) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < l; k++)
        s += a[i][k] * b[j][k];
      c[i * n + j] = s;
      d[i * n + j] = i;
    }
}

// CHECK-LABEL: function 'table_and_integers'
// CHECK:       table of rows
// CHECK-NOT:   guard: memory
void table_and_integers(long m, long n, long l, double **a, double **b, double *restrict c, int *restrict d) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < l; k++)
        s += a[i][k] * b[j][k];
      c[i * n + j] = s;
      d[i * n + j] = i;
    }
}
