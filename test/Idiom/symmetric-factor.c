//===- symmetric-factor.c - factors of which one half is stored -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The strides are those of the half with k <= m, or k <= n. What is compared must
// be the counters themselves.
//
// RUN: %clang -O1 -emit-llvm -S %s -o - | %opt -disable-output \
// RUN:   -passes='print<tilesmith-idioms>' 2>&1 | FileCheck %s

#define FOR(i, n) for (int i = 0; i < n; i++)

// CHECK-LABEL: function 'lower'
// CHECK:       SYMM f64 (A row-major, B row-major, C row-major)
// CHECK:         A: base {{%.*}}, stride M (8 * {{.*}}), stride K 8, symmetric
// CHECK-NEXT:    B: base {{%.*}}, stride N 8
void lower(long m, long n, double *restrict c, const double *restrict a,
           const double *restrict b) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i * n + j] += (k <= i ? a[i * m + k] : a[k * m + i]) * b[k * n + j];
}

// The upper half by rows is the lower one by columns.
// CHECK-LABEL: function 'upper'
// CHECK:       SYMM f64 (A column-major, B row-major, C row-major)
// CHECK:         A: base {{%.*}}, stride M 8, stride K (8 * {{.*}}), symmetric
void upper(long m, long n, double *restrict c, const double *restrict a,
           const double *restrict b) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < m; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += (i > k ? a[k * m + i] : a[i * m + k]) * b[k * n + j];
}

// CHECK-LABEL: function 'right'
// CHECK:       SYMM f64 (A row-major, B column-major, C row-major), 50x40x40
// CHECK:         A: base {{%.*}}, stride M 320, stride K 8
// CHECK-NEXT:    B: base {{%.*}}, stride N 320, stride K 8, symmetric
void right(double c[restrict 50][40], const double a[restrict 50][40],
           const double b[restrict 40][40]) {
  FOR(i, 50)
    FOR(j, 40)
      FOR(k, 40)
        c[i][j] += a[i][k] * b[k > j ? k : j][k > j ? j : k];
}

// Counters that might wrap, or be compared as what they are not, are tested for
// it.
// CHECK-LABEL: function 'narrow'
// CHECK:       SYMM f64
// CHECK:         guard: 32-bit unsigned index from 0 does not wrap
void narrow(unsigned m, unsigned n, unsigned ld, double *restrict c, const double *restrict a,
            const double *restrict b) {
  for (unsigned i = 0; i != m; i++)
    for (unsigned j = 0; j != n; j++)
      for (unsigned k = 0; k != m; k++)
        c[i * n + j] += a[k < i ? i * ld + k : k * ld + i] * b[k * n + j];
}
