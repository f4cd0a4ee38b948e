//===- declined.c - loops that are left alone -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEST
#define TEST a <= 0
#endif

void early(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        double a = A[i * n + k];
        if (TEST) // "<script>"
          break;
        C[i * n + j] += a * B[k * n + j];
      }
}

void progress(int);

void calls(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++) {
    progress(i);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
  }
}
