//===- stored-twice.c - rows that are stored twice in front of steps ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The second store takes the place of the first one, where nothing between them reads
// C: the guard tests that A does not overlap it. So sums start from that, and nothing
// else is stored. (Run by EndToEnd/f2c-trmm.c.)
//
// RUN: %clang -O2 -ffp-contract=off -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

#define NEST(NAME, BETWEEN, FACTOR)                                                                                    \
  void NAME(long m, long n, double alpha, const double *a, double *b, double *other) {                                 \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = m - 1; k >= 0; k--) {                                                                              \
        double temp = alpha * b[k + j * m];                                                                            \
        b[k + j * m] = temp;                                                                                           \
        BETWEEN;                                                                                                       \
        b[k + j * m] = temp * (FACTOR);                                                                                \
        for (long i = k + 1; i < m; i++)                                                                               \
          b[i + j * m] += temp * a[i + k * m];                                                                         \
      }                                                                                                                \
  }

// CHECK-LABEL: function 'twice':
// CHECK-NEXT: TRMM f64
// CHECK: stored where empty
// CHECK: start: fmul(fmul({{.*}}, c), x), with further operands
// CHECK-NOT: rest
// CHECK: guard: C does not overlap X
NEST(twice, , a[k + k * m])

// CHECK-LABEL: function 'readBetween':
// CHECK-NOT: with further operands
NEST(readBetween, , a[k + k * m] * other[0])

// CHECK-LABEL: function 'writtenBetween':
// CHECK-NOT: with further operands
// CHECK-LABEL: function 'end':
NEST(writtenBetween, other[k] = a[k], a[k + k * m])

void end(long m, long n, const double *a, const double *b, double *c) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < n; k++)
      for (long i = 0; i < m; i++)
        c[i + j * m] += a[i + k * m] * b[k + j * n];
}
