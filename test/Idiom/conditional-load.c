//===- conditional-load.c - elements that one side loads ------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

// d[i] need not exist where all sums are positive.
// CHECK-LABEL: function 'loaded_on_one_side'
// CHECK-NEXT: GEMM f64
// CHECK: sums are kept apart
void loaded_on_one_side(long n, double *restrict c, const double *restrict a, const double *restrict b,
                        const double *restrict d) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s > 0 ? s : s * d[i];
    }
}

// A better way: no matrix of sums.
// CHECK-LABEL: function 'loaded_in_front'
// CHECK-NEXT: GEMM f64
// CHECK-NOT: apart
void loaded_in_front(long n, double *restrict c, const double *restrict a, const double *restrict b,
                     const double *restrict d) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      double x = d[i];
      c[i * n + j] = s > 0 ? s : s * x;
    }
}

// One side also stores.
// CHECK-LABEL: function 'stored_on_one_side'
// CHECK-NEXT: GEMM f64
// CHECK: sums are kept apart
void stored_on_one_side(long n, double *restrict c, const double *restrict a, const double *restrict b,
                        const double *restrict d, double *restrict e) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      if (s > 0)
        s *= e[j] = d[i];
      c[i * n + j] = s;
    }
}
