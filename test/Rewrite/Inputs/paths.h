//===- paths.h - nests that take different paths ----------------*- C++ -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Link with -Wl,--wrap=malloc.

#include <stdlib.h>

/// What becomes of the sums is no expression.
__attribute__((noinline)) void apart(int n, const double *a, const double *b, double *c, int *signs) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s < 1 ? s : 1;
      signs[i * n + j] = s < 0;
    }
}

__attribute__((noinline)) void after(int n, const double *restrict a, const double *restrict b,
                                     double *restrict c, double *restrict twice) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      twice[i * n + j] = c[i * n + j] + c[i * n + j];
    }
}

__attribute__((noinline)) void never(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

/// Whether there is no memory.
static volatile int Fails;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) { return Fails ? 0 : __real_malloc(size); }
