//===- shared-loop.c - other sums in the product's loop -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where a copy of the nest goes through all steps again, for other sums, it takes
// more work for a kernel to pay.
//
// REQUIRES: x86-registered-target
// RUN: %clang --target=x86_64-linux-gnu -march=haswell -O1 -S -emit-llvm %s -o - \
// RUN:   | %opt -passes='print<tilesmith-plan>' -disable-output 2>&1 | FileCheck %s

// CHECK-LABEL: function 'alone'
// CHECK: break-even: M*N*K >= 216,
void alone(long n, const float *restrict x, const float *restrict y, float *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < n; k++)
        s += x[i * n + k] * y[j * n + k];
      c[i * n + j] = s;
    }
}

// CHECK-LABEL: function 'with_another'
// CHECK: break-even: M*N*K >= 864,
void with_another(long n, const float *restrict x, const float *restrict y, float *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float s = 0, t = 0;
      for (long k = 0; k < n; k++) {
        s += x[i * n + k] * y[j * n + k];
        t += x[i * n + k] * x[i * n + k];
      }
      c[i * n + j] = s / t;
    }
}
