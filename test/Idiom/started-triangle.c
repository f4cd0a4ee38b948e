//===- started-triangle.c - sums that start from further operands ---------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where a diagonal bounds k, sums may start from further operands, and be stored
// where no step is made; but not if the nest stores something else, which might be
// one of these operands.
//
// RUN: %clang -O1 -S -emit-llvm %s -o - | %opt -passes='print<tilesmith-idioms>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: function 'diagonal'
// CHECK:       domain: k >= m + 0, stored where empty
// CHECK:       start: fmul(c, x), with further operands
// CHECK:       finish: sum
// CHECK-NEXT:  epilogue: fmul(
void diagonal(long m, long n, double x, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      double s = b[i + j * m] * a[i + i * m];
      for (long k = i + 1; k < m; k++)
        s += a[k + i * m] * b[k + j * m];
      b[i + j * m] = x * s;
    }
}

// CHECK-LABEL: function 'other_store'
// CHECK-NOT:   with further operands
// CHECK:       not replaced: VaryingScalar
// CHECK-LABEL: function 'of_previous_row'
// CHECK:       start: fmul(x, x), with further operands
// CHECK:       guard: C does not overlap X
void other_store(long m, long n, double *restrict d, const double *restrict a, double *restrict b) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++) {
      double s = b[i + j * m] * d[i];
      for (long k = i + 1; k < m; k++)
        s += a[k + i * m] * b[k + j * m];
      b[i + j * m] = s;
      d[i] = 1;
    }
}

// The start of a sum is an element of a row that has been stored: the guard finds
// out that the two overlap.
void of_previous_row(long m, long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long j = 0; j < n; j++)
    for (long i = 1; i < m; i++) {
      double s = c[i - 1 + j * m] * a[i];
      for (long k = i + 1; k < m; k++)
        s += a[k + i * m] * b[k + j * m];
      c[i + j * m] = s;
    }
}
