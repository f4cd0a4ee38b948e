//===- gemv.c - two loops that clang makes vectors of are left alone ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

void gemv_of_integers(int m, int n, const int *A, int lda, const int *x, int *y) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      y[i] += A[i * lda + j] * x[j];
}

// Rows that stay in registers.
void gemv_t(long m, const float *restrict A, const float *restrict x,
            float *restrict y) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < 64; j++)
      y[j] += A[i * 64 + j] * x[i];
}

void ger(long m, long n, const double *x, const double *y, double *A) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      A[i * n + j] += x[i] * y[j];
}

void axpy(long n, double a, const double *x, double *y) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

double dot(long n, const double *x, const double *y) {
  double s = 0;
  for (long i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
