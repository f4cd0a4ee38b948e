//===- huge-extents.c - extents up to the largest, and others of zero -----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The guard multiplies extents with each other and with strides. No element is
// touched if one extent is zero, however large the others are.
//
// DEFINE: %{options} =
// DEFINE: %{test} = env TILESMITH='verify;min-work=1;%{options}' %clang -O2 -march=native %s -o %t -fpass-plugin=%tilesmith -Rpass=tilesmith 2>&1 | FileCheck %s --dump-input=never && %t
// RUN: %{test}
// REDEFINE: %{options} = read-a=1;read-b=1
// RUN: %{test}
// REDEFINE: %{options} = plan=unpacked
// RUN: %{test}
// CHECK-COUNT-4: remark: replaced

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef long Size;
#define OUTLINED __attribute__((noinline)) static void

OUTLINED added(Size m, Size n, Size k, Size ld, const double *a, const double *b, double *c) {
  for (Size i = 0; i < m; i++)
    for (Size j = 0; j < n; j++)
      for (Size p = 0; p < k; p++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}

OUTLINED columns(Size m, Size n, Size k, Size ld, const double *a, const double *b, double *c) {
  for (Size j = 0; j < n; j++)
    for (Size p = 0; p < k; p++)
      for (Size i = 0; i < m; i++)
        c[i + j * ld] += 2 * a[i + p * ld] * b[p + j * ld];
}

OUTLINED triangle(Size m, Size n, Size k, Size ld, const double *a, const double *b, double *c) {
  for (Size i = 0; i < m; i++)
    for (Size j = 0; j <= i; j++)
      for (Size p = 0; p < k; p++)
        c[i * ld + j] += a[i * ld + p] * b[j * ld + p];
}

OUTLINED counted(Size m, Size n, Size k, Size ld, const double *a, const double *b, double *c) {
  for (uint64_t i = 0; i != (uint64_t)m; i++)
    for (uint64_t j = 0; j != (uint64_t)n; j++)
      for (uint64_t p = 0; p != (uint64_t)k; p++)
        c[i * ld + j] += a[i * ld + p] * b[p * ld + j];
}

typedef void Function(Size, Size, Size, Size, const double *, const double *, double *);
static double A[64], B[64], C[64], Before[64];

int main(void) {
  // A loop inside which another is empty is short, as clang's own runs to its end.
  static const struct {
    Function *f;
    char extents[3];
  } cases[] = {{added, "0xx"},     {added, "20x"},    {added, "220"},           {columns, "x0x"},
               {columns, "x20"},   {columns, "022"},  {triangle, "0xx"},        {triangle, "2x0"},
               {counted, "0xx"},   {counted, "20x"},  {counted, "220"}};
  Size large[] = {1L << 30, 1L << 31, 1L << 32, 1L << 40, 1L << 61, LONG_MAX};
  enum { Larges = sizeof large / sizeof *large };
  for (int i = 0; i < 64; i++)
    A[i] = B[i] = C[i] = Before[i] = i;
  for (unsigned at = 0; at < sizeof cases / sizeof *cases; at++)
    for (int number = 0; number < Larges * Larges * Larges; number++) {
      int rest = number;
      Size extents[3], ld = large[number % Larges];
      for (int e = 0; e < 3; e++) {
        char is = cases[at].extents[e];
        extents[e] = is == 'x' ? large[(rest /= Larges) % Larges] : is - '0';
      }
      cases[at].f(extents[0], extents[1], extents[2], ld, A, B, C);
      if (memcmp(C, Before, sizeof C)) {
        printf("case %u writes: %ld %ld %ld, rows %ld apart\n", at, extents[0], extents[1], extents[2], ld);
        return 1;
      }
    }
  return 0;
}
