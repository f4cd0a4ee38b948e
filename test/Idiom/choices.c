//===- choices.c - branches of the rest -----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch beside the loops of the product decides what the rest does. The copy
// of the nest takes it, too. What decides whether or how the product is made, or
// what becomes of a sum is not the rest's business, unless sums are kept apart (conditional-load.c).

// RUN: %clang -O1 -S -emit-llvm %s -o %t.ll
// RUN: %opt -passes='print<tilesmith-idioms>' -disable-output %t.ll 2>&1 | FileCheck %s

// What another loop does is the rest.
// CHECK-LABEL: function 'in_a_loop_of_its_own'
// CHECK-NEXT: GEMM f64
// CHECK-NOT: apart
// CHECK: after: store
void in_a_loop_of_its_own(long n, double *restrict c, const double *restrict a, const double *restrict b,
                          double *restrict negative) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    for (long j = 0; j < n; j++)
      if (c[i * n + j] < 0)
        negative[j] += c[i * n + j];
  }
}

// In front of the product, in the same loop.
// CHECK-LABEL: function 'in_front'
// CHECK-NEXT: GEMM f64
// CHECK: {{before|after}}: store
void in_front(long n, double *restrict c, const double *restrict a, const double *restrict b,
              const double *restrict d, double *restrict e) {
  for (long i = 0; i < n; i++) {
    if (d[i] < 0)
      e[i] = d[i] + d[i + 1];
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  }
}

// Some rows are not computed.
// CHECK-LABEL: function 'left_out'
// CHECK-NEXT: not replaced: Mask
void left_out(long n, double *restrict c, const double *restrict a, const double *restrict b,
              const double *restrict d, double *restrict e) {
  for (long i = 0; i < n; i++) {
    e[i] = 0;
    if (d[i] < 0)
      continue;
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    e[i] = c[i * n];
  }
}

// Or not to their end.
// CHECK-LABEL: function 'shorter'
// CHECK-NEXT: not replaced: {{Branch|UnknownTripCount|BoundVaries|ConditionalLoad}}
void shorter(long n, double *restrict c, const double *restrict a, const double *restrict b,
             const double *restrict d, const long *restrict length) {
  for (long i = 0; i < n; i++) {
    long m = n;
    if (d[i] < 0)
      m = length[i];
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < m; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  }
}

// The element of one factor is chosen.
// CHECK-LABEL: function 'chosen_factor'
// CHECK-NEXT: not replaced: {{Branch|ConditionalLoad}}
void chosen_factor(long n, double *restrict c, const double *restrict a, const double *restrict b,
                   const double *restrict d) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      double x = a[i * n + k];
      if (x < 0)
        x = d[k] * 3 + x;
      for (long j = 0; j < n; j++)
        c[i * n + j] += x * b[k * n + j];
    }
}
