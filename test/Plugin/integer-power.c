//===- integer-power.c - an epilogue with a power whose exponent is loaded --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// REQUIRES: system-linux
// RUN: %clang -O3 %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 %s -lm -o %t.ours -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -Rpass=tilesmith 2>&1 | FileCheck %s
// RUN: %t.ours > %t.got && cmp %t.expected %t.got

#include <stdio.h>

// CHECK: replaced 3-loop nest {{.*}}with an epilogue
__attribute__((noinline)) static void powers(long n, const float *restrict a, const float *restrict b,
                                             float *restrict c, const int *restrict exponent) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = __builtin_powif(s, exponent[0]);
    }
}

int main(void) {
  enum { N = 45 };
  static float a[N * N], b[N * N], c[N * N];
  for (int exponent = -3; exponent < 7; exponent++) {
    for (int i = 0; i < N * N; i++) {
      a[i] = (i * 7 % 13 - 6) / 8.f;
      b[i] = (i * 5 % 17 - 8) / 8.f;
    }
    powers(N, a, b, c, &exponent);
    fwrite(c, sizeof(float), N * N, stdout);
  }
}
