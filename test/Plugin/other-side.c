//===- other-side.c - a product on each side of a test --------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Each column asks whether beta is zero, and has a product on both sides of that
// test: the reference dgemm, once LLVM has moved the test out of the rows. Both
// products are replaced, and either one runs where it should.
//
// REQUIRES: system-linux
// RUN: %clang -O2 -march=native %s -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O2 -march=native %s -o %t.ours -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 \
// RUN:   -mllvm -tilesmith-min-work=1 -Rpass=tilesmith -Rpass-missed=tilesmith -Xclang -verify
// RUN: %t.ours > %t.got && cmp %t.expected %t.got
//
// Both run by the kernel:
// RUN: %clang -O2 -march=native -DCOUNT %s -o %t.count -fpass-plugin=%tilesmith -mllvm -tilesmith-profile=1
// RUN: %t.count 2>&1 | FileCheck %s
// CHECK: kernel: 2 times

#include <stdio.h>

// expected-remark@+2 {{GEMM f64}} expected-remark@+2 {{GEMM f64}}
__attribute__((noinline)) void columns(long m, long n, long l, double alpha, const double *restrict a, const double *restrict b, double beta, double *restrict c) {
  for (long j = 0; j < n; j++)
    if (beta == 0)
      for (long i = 0; i < m; i++) {
        double s = 0;
        for (long k = 0; k < l; k++)
          s += a[i * l + k] * b[j * l + k];
        c[j * m + i] = alpha * s;
      }
    else
      for (long i = 0; i < m; i++) {
        double s = 0;
        for (long k = 0; k < l; k++)
          s += a[i * l + k] * b[j * l + k];
        c[j * m + i] = alpha * s + beta * c[j * m + i];
      }
}

enum { Size = 300 };
static double a[Size * Size], b[Size * Size], c[Size * Size];

#ifdef COUNT
int main(void) {
  columns(Size, Size, Size, 2, a, b, 0, c);
  columns(Size, Size, Size, 2, a, b, 3, c);
}
#else
int main(void) {
  for (int i = 0; i < Size * Size; i++) {
    a[i] = i * 37 % 101 - 50;
    b[i] = (i * 53 % 97 - 48) * 0.3;
    c[i] = i % 7;
  }
  for (int n = 0; n < 40; n += n < 20 ? 1 : 7)
    for (int m = 0; m < 40; m += 13)
      for (int l = 0; l < 30; l += 7)
        for (double beta = 0; beta < 2; beta += 0.75) {
          columns(m, n, l, 0.7, a, b, beta, c);
          fwrite(c, sizeof(double), m * n, stdout);
        }
  return 0;
}
#endif
