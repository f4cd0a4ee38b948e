//===- main.c - calls the product of examples/gemm.c ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdio.h>

enum { N = 40 };
extern int scale; // of scale.s

void gemm(int n, const double *A, const double *B, double *C);

static double A[N * N], B[N * N], C[N * N];

int main(void) {
  for (int i = 0; i < N * N; i++) {
    A[i] = i % 7;
    B[i] = i % 5 * scale;
  }
  gemm(N, A, B, C);
  double sum = 0;
  for (int i = 0; i < N * N; i++)
    sum += C[i];
  printf("%.0f\n", sum);
  return 0;
}
