//===- malloc-of-ones-own.c - other functions called malloc, free --------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A file may have functions of these names that are something else.
//
// RUN: %clang -O2 -march=native -w -c -o /dev/null %s -fpass-plugin=%tilesmith -Rpass=tilesmith -Rpass-missed=tilesmith 2>&1 | FileCheck %s
// CHECK-NOT: replaced 3-loop nest
// CHECK: matrix product not replaced: there is no malloc

__attribute__((noinline)) static double free(double x, int n) { return x / n; }

double product(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  return free(c[0], n);
}
