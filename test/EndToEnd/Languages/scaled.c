//===- scaled.c - C: which product is fused after the sum -----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffp-contract=fast, as is flang's default, and at -O1 and -O2, 0.7 * s moves
// to the end of the loop over k, because 0.7 * 0 is known. The code generator does
// not fuse it with the sum there: that is in another block. Nor must the kernel.
//
// REQUIRES: native-avx2
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O1 -march=native -ffp-contract=fast
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native -ffp-contract=fast
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native -ffp-contract=fast

#include "forms.h"

FORM void constants(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = 0.7 * s - 3 * C[i * n + j];
    }
}

FORM void beta(int m, int n, int k, const double *A, const double *B, double b, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = b * C[i * n + j] + 0.7 * s;
    }
}

FORM void subtracted(int m, int n, int k, const double *A, const double *B, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] -= 0.7 * s;
    }
}

FORM void variables(int m, int n, int k, double a, const double *A, const double *B, double b, double *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = a * s + b * C[i * n + j];
    }
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
  RUN(constants, M, N, K, A, B, C);
  RUN(beta, M, N, K, A, B, 3.1, C);
  RUN(subtracted, M, N, K, A, B, C);
  RUN(variables, M, N, K, 0.7, A, B, 3.1, C);
  return 0;
}
