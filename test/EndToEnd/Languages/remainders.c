//===- remainders.c - C: unrolled by hand, and the last iterations --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that takes several steps at once is followed by one for the rest, which
// may be of no iterations.
//
// RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native
// RUN: env TILESMITH="min-work=1;verify=1;mc=40;nc=48;kc=24" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native
// RUN: env TILESMITH="min-work=1;verify=1" %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O2 -march=native -ffp-contract=off

#include "forms.h"

FORM void depth(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      int k = 0;
      for (; k + 3 < n; k += 4) {
        s += a[i * n + k] * b[k * n + j];
        s += a[i * n + k + 1] * b[(k + 1) * n + j];
        s += a[i * n + k + 2] * b[(k + 2) * n + j];
        s += a[i * n + k + 3] * b[(k + 3) * n + j];
      }
      for (; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

FORM void depth_in_memory(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int k = 0;
      for (; k + 3 < n; k += 4) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        c[i * n + j] += a[i * n + k + 1] * b[(k + 1) * n + j];
        c[i * n + j] += a[i * n + k + 2] * b[(k + 2) * n + j];
        c[i * n + j] += a[i * n + k + 3] * b[(k + 3) * n + j];
      }
      for (; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

FORM void depth_in_one_sum(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  int n4 = n / 4 * 4;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      int k;
      for (k = 0; k < n4; k += 4)
        s += a[i * n + k] * b[k * n + j] + a[i * n + k + 1] * b[(k + 1) * n + j] + a[i * n + k + 2] * b[(k + 2) * n + j] + a[i * n + k + 3] * b[(k + 3) * n + j];
      for (; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] += s;
    }
}

FORM void columns(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      int j = 0;
      double t = a[i * n + k];
      for (; j + 3 < n; j += 4) {
        c[i * n + j] += t * b[k * n + j];
        c[i * n + j + 1] += t * b[k * n + j + 1];
        c[i * n + j + 2] += t * b[k * n + j + 2];
        c[i * n + j + 3] += t * b[k * n + j + 3];
      }
      for (; j < n; j++)
        c[i * n + j] += t * b[k * n + j];
    }
}

FORM void depth_outermost(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  int k = 0;
  for (; k + 1 < n; k += 2)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        c[i * n + j] += a[i * n + k + 1] * b[(k + 1) * n + j];
      }
  for (; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

FORM void depth_in_the_middle(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  for (int i = 0; i < n; i++) {
    int k = 0;
    for (; k + 1 < n; k += 2)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j] + a[i * n + k + 1] * b[(k + 1) * n + j];
    for (; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

FORM void two_sums(int n, double *restrict c, const double *restrict a, const double *restrict b) { // MISSED: SumTile
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0, t = 0;
      int k = 0;
      for (; k + 1 < n; k += 2) {
        s += a[i * n + k] * b[k * n + j];
        t += a[i * n + k + 1] * b[(k + 1) * n + j];
      }
      for (; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s + t;
    }
}

FORM void two_halves(int n, double *restrict c, const double *restrict a, const double *restrict b) { // REPLACED
  int n4 = n / 2;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      double t = a[i * n + k];
      for (int j = 0; j < n4; j ++)
        c[i * n + j] += t * b[k * n + j];
      for (int j = n4; j < n; j ++)
        c[i * n + j] += t * b[k * n + j];
    }
}

enum { Most = 93 };
static double A[Most * Most], B[Most * Most], C[Most * Most];

#define RUN(FORM)                                                                                                      \
  for (int n = 0; n <= Most; n += n < 9 ? 1 : 21) {                                                                    \
    for (int i = 0; i < Most * Most; i++)                                                                              \
      C[i] = value(3, i);                                                                                              \
    FORM(n, C, A, B);                                                                                                  \
    show(#FORM, n, C, sizeof C);                                                                                       \
  }

int main(void) {
  for (int i = 0; i < Most * Most; i++) {
    A[i] = value(1, i);
    B[i] = value(2, i);
  }
  RUN(depth)
  RUN(depth_in_memory)
  RUN(depth_in_one_sum)
  RUN(columns)
  RUN(depth_outermost)
  RUN(depth_in_the_middle)
  RUN(two_sums)
  RUN(two_halves)
  return 0;
}
