//===- memset.c - memsets of the rest -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM makes a memset of a loop that stores zeros. It is one of bytes: of another
// array, of a part of the row that is made, or of the end of a factor's row.

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

// CHECK-LABEL: function 'other_array'
// CHECK-NEXT: GEMM f64
// CHECK: {{before|after}}: {{.*}}llvm.memset
// CHECK: guard: memory from %{{.*}} does not overlap operand
void other_array(long n, const double *a, const double *b, double *c, double *d) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    for (long j = 0; j < n; j++)
      d[i * n + j] = 0;
  }
}

// CHECK-LABEL: function 'part_of_row'
// CHECK-NEXT: GEMM f64
// CHECK: before: {{.*}}llvm.memset
void part_of_row(const double a[restrict 100][100], const double b[restrict 100][100], double c[restrict 100][100]) {
  for (long i = 0; i < 100; i++) {
    for (long j = 0; j < 50; j++)
      c[i][j] = 0;
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

// The test in front says that the count, an unsigned number of 32 bits, is none
// below zero.
// CHECK-LABEL: function 'end_of_row'
// CHECK-NEXT: triangular GEMM f64
// CHECK: {{before|after}}: {{.*}}llvm.memset
void end_of_row(int n, int l, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      c[i * n + j] = s;
    }
    for (int j = i + 1; j < n; j++)
      c[i * n + j] = 0;
  }
}

// Rows that the product reads later are set to zero before.
// CHECK-LABEL: function 'rows_of_factor'
// CHECK-NEXT: not replaced
void rows_of_factor(long n, double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    for (long k = 0; k < n; k++)
      a[(i + 1) * n + k] = 0;
  }
}
