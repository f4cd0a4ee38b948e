//===- hints.c - hints that let clang change the order of a sum -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// On a loop over k that sums floating-point numbers, these hints let clang's
// vectoriser keep several sums, and add them at the end. A kernel that sums in
// order gives other bits. On the other loops, and for integers, they are harmless.
//
// RUN: %python %S/../Plugin/Inputs/same_object.py --levels O1,O2,O3 %clang %tilesmith %s \
// RUN:   -fopenmp-simd -Wno-pass-failed
// RUN: %python %S/../Plugin/Inputs/same_object.py --levels O1,O2,O3 %clang %tilesmith %s \
// RUN:   -fopenmp-simd -Wno-pass-failed -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -fopenmp-simd -Wno-pass-failed
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -fopenmp-simd -Wno-pass-failed -march=native

// EXPECT Pragma: the sum is to be vectorised
void vectorised(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma clang loop vectorize(enable)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}

// EXPECT Pragma: the same for a sum in memory
void vectorised_in_memory(long n, float *c, const float *a, const float *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
#pragma clang loop vectorize(enable)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT Pragma: the sum is to be computed by vectors of four
void vectors_of_four(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma clang loop vectorize_width(4)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}

// EXPECT Pragma: several sums are to be kept
void interleaved(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma clang loop interleave(enable)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}

// EXPECT Pragma: the iterations may be run in any order
void assumed_safe(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma clang loop vectorize(assume_safety)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}

// EXPECT Pragma: OpenMP's reduction has any order
void simd_reduction(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma omp simd reduction(+ : s)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}
