//===- many-products.c - at most 8 products of a nest ---------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each leaves a copy of the nest with the others.
// REQUIRES: x86
// RUN: %clang -O1 -S -emit-llvm %s -o - | %opt -passes='tilesmith-rewrite<verify>' -pass-remarks=tilesmith -disable-output 2>&1 | FileCheck %s
// CHECK-COUNT-8: : replaced
// CHECK-NOT: : replaced

#define P(c) c[i * n + j] += a[i * n + k] * b[k * n + j];
#define SIX(X, S) X(c0) S X(c1) S X(c2) S X(c3) S X(c4) S X(c5)
#define ARRAY(c) double *restrict c##x, double *restrict c##y, double *restrict c##z
#define PRODUCTS(c) P(c##x) P(c##y) P(c##z)

void products(long n, const double *restrict a, const double *restrict b, ARRAY(c0), ARRAY(c1),
              ARRAY(c2), ARRAY(c3), ARRAY(c4), ARRAY(c5)) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        SIX(PRODUCTS, )
      }
}
