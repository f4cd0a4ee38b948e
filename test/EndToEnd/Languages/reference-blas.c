//===- reference-blas.c - C: tests of alpha and beta inside the loops -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference BLAS asks in each column, or for each element, whether beta is
// zero or one. There is a product for each answer.
//
// REQUIRES: native-avx2
// RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O1 -march=native
// RUN: env TILESMITH="min-work=1;verify=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native
// RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native -ffp-contract=off

#include "forms.h"

FORM void plain(int m, int n, int k, double f, const double *restrict A, const double *restrict B, double g, double *restrict C) { // REPLACED
  for (int j = 0; j < n; j++) {
    if (g == 0) {
      for (int i = 0; i < m; i++)
        C[i + j * m] = 0;
    } else if (g != 1) {
      for (int i = 0; i < m; i++)
        C[i + j * m] = g * C[i + j * m];
    }
    for (int p = 0; p < k; p++) {
      double s = f * B[p + j * k];
      for (int i = 0; i < m; i++)
        C[i + j * m] += s * A[i + p * m];
    }
  }
}

FORM void transposed(int m, int n, int k, double f, const double *restrict A, const double *restrict B, double g, double *restrict C) { // REPLACED
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[p + i * k] * B[p + j * k];
      if (g == 0)
        C[i + j * m] = f * s;
      else
        C[i + j * m] = f * s + g * C[i + j * m];
    }
}

// A value that is used after the loops, and another test.
FORM int counted(int m, int n, int k, const double *restrict A, const double *restrict B, int clear, int add, double *restrict C) { // REPLACED
  int j = 0;
  for (; j < n; j++) {
    if (clear)
      for (int i = 0; i < m; i++)
        C[i + j * m] = 0;
    for (int i = 0; i < m; i++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[p + i * k] * B[p + j * k];
      C[i + j * m] = add ? C[i + j * m] + s : s;
    }
  }
  return j;
}

static double A[M * K], B[K * N], C[M * N];

#define RUN(FORM, ...)                                                                                                 \
  for (long i = 0; i < M * N; i++)                                                                                     \
    C[i] = value(3, i);                                                                                                \
  FORM(__VA_ARGS__);                                                                                                   \
  for (long i = 0; i < M * N; i++)                                                                                     \
  show(#FORM, i, C + i, sizeof(double))

int main(void) {
  for (long i = 0; i < M * K; i++)
    A[i] = value(1, i);
  for (long i = 0; i < K * N; i++)
    B[i] = value(2, i);
  static const double scales[] = {0, 1, 0.7};
  for (int i = 0; i < 3; i++) {
    RUN(plain, M, N, K, 0.3, A, B, scales[i], C);
    RUN(plain, M, N, 0, 0.3, A, B, scales[i], C);
    RUN(plain, 1, N, K, 0.3, A, B, scales[i], C);
    RUN(transposed, M, N, K, 0.3, A, B, scales[i], C);
    RUN(transposed, M, N, 0, 0.3, A, B, scales[i], C);
    RUN(transposed, 0, N, K, 0.3, A, B, scales[i], C);
  }
  for (int i = 0; i < 4; i++) {
    RUN(counted, M, N, K, A, B, i & 1, i >> 1, C);
  }
  return 0;
}
