//===- short-sums.c - a sum that clang unrolls stays unrolled -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py --levels O2,O3 %clang %tilesmith %s

// Sums of a few terms.
void depth_4(long m, long n, double (*restrict A)[4], double *restrict B,
             double *restrict C) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < 4; k++)
        C[i * n + j] += A[i][k] * B[k * n + j];
}
