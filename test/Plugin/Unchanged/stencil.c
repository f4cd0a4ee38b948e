//===- stencil.c - grid sweeps are left alone -----------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

void jacobi(int n, const double *restrict in, double *restrict out) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      out[i * n + j] = 0.25 * (in[(i - 1) * n + j] + in[(i + 1) * n + j] +
                               in[i * n + j - 1] + in[i * n + j + 1]);
}

void seidel(long n, long steps, double a[n][n]) {
  for (long t = 0; t < steps; t++)
    for (long i = 1; i < n - 1; i++)
      for (long j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j] + a[i][j + 1] +
                   a[i + 1][j]) / 5;
}

float grid[64][64][64], next[64][64][64];
void heat(void) {
  for (int i = 1; i < 63; i++)
    for (int j = 1; j < 63; j++)
      for (int k = 1; k < 63; k++)
        next[i][j][k] = grid[i][j][k] +
                        0.1f * (grid[i + 1][j][k] - 2 * grid[i][j][k] + grid[i - 1][j][k]) +
                        0.1f * (grid[i][j + 1][k] - 2 * grid[i][j][k] + grid[i][j - 1][k]) +
                        0.1f * (grid[i][j][k + 1] - 2 * grid[i][j][k] + grid[i][j][k - 1]);
}
