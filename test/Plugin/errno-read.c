//===- errno-read.c - what a call may set is read behind it ----------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// errno does not move in the nest, but expf sets it for some of the sums.
//
// REQUIRES: system-linux
// RUN: %clang -O3 %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: %clang -O3 %s -lm -o %t.ours -fpass-plugin=%tilesmith && %t.ours > %t.got
// RUN: cmp %t.expected %t.got

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { N = 64 };

__attribute__((noinline)) static void product(const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int p = 0; p < N; p++)
        s += a[i * N + p] * b[p * N + j];
      c[i * N + j] = expf(s) + errno;
    }
}

int main(void) {
  static float a[N * N], b[N * N], c[N * N];
  for (int i = 0; i < N * N; i++) {
    a[i] = (i * 7 % 13 - 6) / 8.f;
    b[i] = (i * 5 % 17 - 8) / 8.f;
  }
  for (int j = 0; j < N; j++)
    a[20 * N + j] = 100 * b[j * N + 7];
  product(a, b, c);
  fwrite(c, sizeof(float), N * N, stdout);
}
