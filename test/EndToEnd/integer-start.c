//===- integer-start.c - integer sums that start from elements --*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums that begin with a bias and are stored in a narrower type, as quantised
// layers are written: the bias is added behind the loop, in the epilogue.

// DEFINE: %{flags} = -march=native
// DEFINE: %{compile} = %clang -O3 %{flags} %s -lm
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -mavx2
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// REDEFINE: %{flags} =
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-4: replaced 3-loop nest by GEMM {{.*}} with an epilogue
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline)) static

NOINLINE void rounded(int m, int n, int l, const int8_t *a, const int8_t *b, const int *bias, const int *scale,
                      int shift, int zero, int8_t *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int s = bias[j];
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      int64_t x = (int64_t)s * scale[j];
      s = (int)((x + (1ll << (shift - 1))) >> shift) + zero;
      if (s < -128)
        s = -128;
      if (s > 127)
        s = 127;
      c[i * n + j] = s;
    }
}

NOINLINE void wrapping(int m, int n, int l, const uint16_t *a, const uint16_t *b, const unsigned *bias, uint8_t *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      unsigned s = bias[i] * 3;
      for (int k = 0; k < l; k++)
        s += (unsigned)a[i * l + k] * b[k * n + j];
      c[i * n + j] = s >> 24;
    }
}

NOINLINE void zero_points(int m, int n, int l, const uint8_t *a, const int8_t *b, const int *bias, float scale,
                          int8_t *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int s = bias[j];
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      float x = s * scale;
      c[i * n + j] = (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x);
    }
}

NOINLINE void to_float(int m, int n, int l, const int8_t *a, const int8_t *b, const int *bias, const float *scale,
                       float *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int s = bias[j];
      for (int k = 0; k < l; k++)
        s += a[i * l + k] * b[j * l + k];
      c[i * n + j] = s * scale[i];
    }
}

static unsigned long bitsOf(const void *p, size_t n) {
  unsigned long sum = 0;
  for (size_t i = 0; i < n; i++)
    sum = sum * 31 + ((const unsigned char *)p)[i];
  return sum;
}

static void run(int m, int n, int l) {
  size_t sizeA = (size_t)m * l + 1, sizeB = (size_t)n * l + 1, sizeC = (size_t)m * n + 1, most = m + n + 1;
  int8_t *a = malloc(2 * sizeA), *b = malloc(2 * sizeB);
  int *bias = malloc(most * sizeof *bias), *scale = malloc(most * sizeof *scale);
  float *scales = malloc(most * sizeof *scales), *c = calloc(sizeC, sizeof *c);
  for (size_t i = 0; i < 2 * sizeA; i++)
    a[i] = rand();
  for (size_t i = 0; i < 2 * sizeB; i++)
    b[i] = rand();
  for (size_t i = 0; i < most; i++) {
    bias[i] = rand() % 200000 - 100000;
    scale[i] = rand();
    scales[i] = scale[i] / 7e8f;
  }
  printf("%d %d %d:", m, n, l);
  rounded(m, n, l, a, b, bias, scale, 40, 3, (int8_t *)c);
  printf(" %lx", bitsOf(c, sizeC * sizeof *c));
  wrapping(m, n, l, (uint16_t *)a, (uint16_t *)b, (unsigned *)bias, (uint8_t *)c);
  printf(" %lx", bitsOf(c, sizeC * sizeof *c));
  zero_points(m, n, l, (uint8_t *)a, b, bias, 1e-3f, (int8_t *)c);
  printf(" %lx", bitsOf(c, sizeC * sizeof *c));
  to_float(m, n, l, a, b, bias, scales, c);
  printf(" %lx\n", bitsOf(c, sizeC * sizeof *c));
  free(a);
  free(b);
  free(bias);
  free(scale);
  free(scales);
  free(c);
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 3, 7, 16, 17, 33, 64, 100};
  for (int m = 0; m < 10; m++)
    for (int n = 0; n < 10; n++)
      for (int l = 0; l < 10; l++)
        run(sizes[m], sizes[n], sizes[l]);
}
