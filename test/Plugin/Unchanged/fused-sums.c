//===- fused-sums.c - a divided counter around a sum that is no product ---===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py --levels O2,O3 %clang %tilesmith %s

void not_affine(int n, int m, const double *restrict a, const double *restrict b, double *restrict c, double *restrict d) {
  for (int t = 0; t < n * m; t++) {
    int i = t / m, j = t % m;
    double s = 0;
    for (int k = 0; k < 16; k++)
      s += a[i * 16 + k] * b[(k * j) * m + j];
    c[i * m + j] = s;
  }
}
void reads_c(int n, int m, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int t = 0; t < n * m; t++) {
    int i = t / m, j = t % m;
    float s = c[i * m + j - 1];
    for (int k = 0; k < 16; k++)
      s += a[i * 16 + k] * b[(i * 16 + k) * m + j];
    c[i * m + j] = s;
  }
}
void scattered(int n, int m, const float *restrict a, const float *restrict b, float *c, const int *restrict idx) {
  for (int t = 0; t < n * m; t++) {
    int i = t / m, j = t % m;
    float s = 0;
    for (int k = 0; k < 12; k++)
      s += a[i * 16 + k] * b[k * m + j];
    c[idx[i]] += s;
  }
}
