//===- parts-apart.c - which product of a part is fused -------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// -ffp-contract=fast: one sum of two products subtracts them, the other one adds
// them. Which of the two is fused is LLVM's choice, for each sum; kernels do the same.
// Where vectors make both parts, and add one and subtract the other, none is fused.
//
// REQUIRES: x86
// RUN: %clang -O2 -march=native -ffp-contract=fast %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: env TILESMITH=min-work=1 %clang -O2 -march=native -ffp-contract=fast -fpass-plugin=%tilesmith %s -lm -o %t.ours && %t.ours > %t.got
// RUN: cmp %t.expected %t.got
// RUN: %clang -O3 -march=native -mno-avx512f -ffp-contract=fast %s -lm -o %t.stock && %t.stock > %t.expected
// RUN: env TILESMITH=min-work=1 %clang -O3 -march=native -mno-avx512f -ffp-contract=fast -fpass-plugin=%tilesmith %s -lm -o %t.ours && %t.ours > %t.got
// RUN: cmp %t.expected %t.got

#include <math.h>
#include <stdio.h>

typedef const float *restrict In;
typedef float *restrict Out;

#define PRODUCT(name, first)                                                                                           \
  __attribute__((noinline)) static void name(long m, long p, In a0, In a1, In b0, In b1, Out c0, Out c1) {             \
    for (long j = 0; j < m; j++)                                                                                       \
      for (long k = 0; k < p; k++)                                                                                     \
        for (long i = first; i < m; i++) {                                                                             \
          float xr = a0[k * 40 + i], xi = a1[k * 40 + i];                                                              \
          float yr = b0[k * 40 + j], yi = b1[k * 40 + j];                                                              \
          c0[j * 40 + i] += xr * yr - xi * yi;                                                                         \
          c1[j * 40 + i] += xr * yi + xi * yr;                                                                         \
        }                                                                                                              \
  }
PRODUCT(all, 0)
PRODUCT(triangle, j)

// Numbers of two parts, in turn, of which the first factor is scaled and conjugate.
__attribute__((noinline)) void in_turn(long m, long n, long p, long ld, float re, float im, In a, In b, Out c) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < p; k++)
      for (long j = 0; j < n; j++) {
        float ar = a[2 * (i * ld + k)], ai = a[2 * (i * ld + k) + 1];
        float xr = re * ar + im * ai, xi = im * ar - re * ai;
        float yr = b[2 * (k * ld + j)], yi = -b[2 * (k * ld + j) + 1];
        c[2 * (j * ld + i)] += xr * yr - xi * yi;
        c[2 * (j * ld + i) + 1] -= xr * yi + xi * yr;
      }
}

int main(void) {
  static float a[2][1600], b[2][1600], c[2][1600];
  for (long m = 1; m <= 40; m += 3)
    for (long p = 1; p <= 9; p += 4)
      for (int form = 0; form < 2; form++) {
        for (int i = 0; i < 1600; i++) {
          a[0][i] = sinf(i), a[1][i] = cosf(3 * i);
          b[0][i] = sinf(5 * i + 1), b[1][i] = cosf(7 * i);
          c[0][i] = c[1][i] = sinf(i * i);
        }
        (form ? triangle : all)(m, p, a[0], a[1], b[0], b[1], c[0], c[1]);
        for (int i = 0; i < 1600; i++)
          printf("%a %a\n", c[0][i], c[1][i]);
        in_turn(m, m, p, 40, 0.7f, 0.3f, a[0], b[0], c[0]);
        for (int i = 0; i < 3200; i++)
          printf("%a\n", c[0][i]);
      }
  return 0;
}
