//===- products.c - loops that are replaced -------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "inlined.h"
#include "include/c++/system.h"

void gemm(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}

void syrk(int n, const float *A, float *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * A[j * n + k];
}

void square(int n, const double *A, double *C) { inlined(n, A, A, C); }

void both(int n, const double *A, const double *B, double *C) {
  inlined(n, A, B, C);
  of_system(n, A, B, C);
}
