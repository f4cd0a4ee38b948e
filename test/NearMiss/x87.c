//===- x87.c - sums in 80-bit registers -----------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Without SSE, a sum is rounded to its type only where it is stored.
//
// REQUIRES: x86
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s \
// RUN:   --target=i386-pc-linux-gnu -march=i686 -mno-sse
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s \
// RUN:   --target=i386-pc-linux-gnu -march=i686 -mno-sse

// EXPECT NoVectors: the sum has 64 bits of precision until it is stored
void in_register(long n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT NoVectors: products of floats that are not rounded
void floats(long n, float *restrict c, const float *restrict a, const float *restrict b) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}
