//===- bundles.c - which dimensions are packed together -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Of further indices of M, that one is bundled along which A is adjacent, or else
// the one whose elements are nearest in C, whatever the order of the loops; the
// others are loops around the blocks of A. Of K, it is the innermost one.

// RUN: %clang --target=x86_64-linux-gnu -march=znver4 -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-plan>' -disable-output %t.ll 2>&1 | FileCheck %s
// CHECK:     GEMM f64
// CHECK-SAME: in 3 outer loops
// CHECK:     bundle of M: several values of outer dimension 2 of 3 are in a block, as A is adjacent along it
// CHECK-NOT: bundle of N
// CHECK:     bundle of K: several values of outer dimension 3 of 3 are in a block, as it is the innermost
void f(long m, long p, long q, long n, long k, long l, const double *a, const double *b, double *c) {
  for (long h = 0; h < q; h++)
    for (long i = 0; i < p; i++)
      for (long j = 0; j < n; j++)
        for (long o = 0; o < m; o++)
          for (long r = 0; r < l; r++)
            for (long s = 0; s < k; s++)
              c[((h * p + i) * n + j) * m + o] +=
                  a[(((h * l + r) * m + o) * k + s) * p + i] * b[(s * n + j) * l + r];
}

// CHECK:     GEMM f64
// CHECK-SAME: in 2 outer loops
// CHECK:     bundle of M: several values of outer dimension 2 of 2 are in a block, as its elements are nearest in C
void nearest_inside(long m, long p, long q, long n, long k, const double *a, const double *b, double *c) {
  for (long h = 0; h < q; h++)
    for (long i = 0; i < p; i++)
      for (long j = 0; j < n; j++)
        for (long o = 0; o < m; o++)
          for (long s = 0; s < k; s++)
            c[((h * p + i) * n + j) * m + o] += a[((h * m + o) * p + i) * k + s] * b[s * n + j];
}

// CHECK:     GEMM f64
// CHECK-SAME: in 2 outer loops
// CHECK:     bundle of M: several values of outer dimension 1 of 2 are in a block, as its elements are nearest in C
void nearest_outside(long m, long p, long q, long n, long k, const double *a, const double *b, double *c) {
  for (long i = 0; i < p; i++)
    for (long h = 0; h < q; h++)
      for (long j = 0; j < n; j++)
        for (long o = 0; o < m; o++)
          for (long s = 0; s < k; s++)
            c[((h * p + i) * n + j) * m + o] += a[((h * m + o) * p + i) * k + s] * b[s * n + j];
}
