//===- least-number.c - a product that is its own negative ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where short indices are seen in a wider type, the least number of short times a
// leading dimension is its own negative. The compiler must not look for that of its
// negative without end. (Found with full LTO, seed 7300.)
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -flto=full -c %s -o %t.bc
// RUN: %opt -passes='lto<O2>' %t.bc -S -o - | FileCheck %s
// CHECK: define {{.*}}@p(

void p(short n, short m, double *restrict c, const double *restrict a,
       const double *restrict b) {
  for (unsigned long j = 0; j < m; j++) {
    short i = 0, end = j;
    while (i < end) {
      for (short k = 0; k != n; k++)
        c[i * m + j] -= a[i * n + k] * b[j + m * k];
      i++;
    }
  }
}
