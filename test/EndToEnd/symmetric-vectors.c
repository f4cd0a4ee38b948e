//===- symmetric-vectors.c - one half of a matrix, used twice ---*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of rows of a triangle, in a loop that adds the rows to another vector.
// Of many rows, or where these are far apart, the kernel is called block by block,
// and makes most of both in the former case. Vectors overlap in some calls; the matrix ends, or begins, at a page that cannot
// be read.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// CHECK-COUNT-16: replaced 2-loop nest by GEMV
// CHECK-NOT:      replaced
#include "../guarded.h"

#define F(T, name, first, condition)                                           \
  __attribute__((noinline)) void name(long n, long ld, const T *a,             \
                                      const T *x, T *y) {                      \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = first; condition; k++) {                                   \
        y[k] += x[i] * a[i * ld + k];                                          \
        s += a[i * ld + k] * x[k];                                             \
      }                                                                        \
      y[i] += s + x[i] * a[i * ld + i];                                        \
    }                                                                          \
  }
#define FORMS(T, N)                                                            \
  F(T, N##_lower, 0, k < i)                                                    \
  F(T, N##_lower_whole, 0, k <= i)                                             \
  F(T, N##_lower_more, 0, k < i + 5)                                           \
  F(T, N##_upper, i + 1, k < n)                                                \
  F(T, N##_upper_whole, i, k < n)                                              \
  __attribute__((noinline)) void N##_first(long n, long ld, const T *a,        \
                                           const T *x, T *y) {                 \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0, t = 3 * x[i];                                                   \
      y[i] += t * a[i * ld + i];                                               \
      for (long k = i + 1; k < n; k++) {                                       \
        y[k] += t * a[i * ld + k];                                             \
        s += a[i * ld + k] * x[k];                                             \
      }                                                                        \
      y[i] += 3 * s;                                                           \
    }                                                                          \
  }                                                                            \
  /* Rows change elements that rows behind them, or before them, come to. */   \
  __attribute__((noinline)) void N##_ahead(long n, long ld, const T *a,        \
                                           const T *x, T *y) {                 \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = 0; k < i; k++) {                                           \
        y[k] += x[i] * a[i * ld + k];                                          \
        s += a[i * ld + k] * x[k];                                             \
      }                                                                        \
      y[i] += s;                                                               \
      y[i + 2] = y[i + 2] * 3 + s;                                             \
    }                                                                          \
  }                                                                            \
  __attribute__((noinline)) void N##_behind(long n, long ld, const T *a,       \
                                            const T *x, T *y) {                \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = i + 1; k < n; k++) {                                       \
        y[k] += x[i] * a[i * ld + k];                                          \
        s += a[i * ld + k] * x[k];                                             \
      }                                                                        \
      y[i] += s;                                                               \
      y[i - 3] = y[i - 3] * 3 + s;                                             \
    }                                                                          \
  }
FORMS(double, f64)
FORMS(float, f32)

enum { Most = 330 };
static const long Bytes = 1l << 26;
static char *memory;

// y begins \p shift elements behind x if these overlap.
#define CHECK(T, name, n, ld, at_end, shift)                                   \
  do {                                                                         \
    T vectors[2 * Most + 16];                                                  \
    T *x = vectors + 4, *y = shift < 0 ? x + Most + 8 : x + shift;                 \
    long size = ((n) - 1) * (ld) + (n) + 5;                                    \
    T *a = placed(memory, Bytes, size * sizeof(T), at_end);                    \
    for (long i = 0; i < (n); i++)                                             \
      for (long k = 0; k < (n) + 5; k++)                                       \
        a[i * (ld) + k] = anyElement(-0.0);                                    \
    for (long i = 0; i < 2 * Most + 16; i++)                                   \
      vectors[i] = anyElement(-0.0);                                           \
    name(n, ld, a, x, y);                                                      \
    hashBytes(vectors, sizeof(vectors));                                       \
  } while (0)

#define ALL(T, N, n, ld, at_end, shift)                                        \
  CHECK(T, N##_lower, n, ld, at_end, shift);                                   \
  CHECK(T, N##_lower_whole, n, ld, at_end, shift);                             \
  CHECK(T, N##_lower_more, n, ld, at_end, shift);                              \
  CHECK(T, N##_upper, n, ld, at_end, shift);                                   \
  CHECK(T, N##_upper_whole, n, ld, at_end, shift);                             \
  CHECK(T, N##_first, n, ld, at_end, shift);                                   \
  CHECK(T, N##_ahead, n, ld, at_end, shift);                                   \
  CHECK(T, N##_behind, n, ld, at_end, shift);

int main(void) {
  static const long sizes[] = {1,  2,  15, 16, 17, 31, 32,  33,  40,
                               63, 64, 65, 90, 95, 96, 127, 128, 161,
                               257, 258, 260, 272, 319};
  memory = guardedPages(Bytes);
  for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    for (int far = 0; far < 2; far++) {
      long n = sizes[i], ld = far ? 40003 : n + 5;
      // Rows share places in the first-level cache.
      if (far && n > 161)
        ld = 1024;
      for (int shift = -1; shift < 2; shift++) {
        ALL(double, f64, n, ld, i % 2, shift)
        ALL(float, f32, n, ld, i % 2, shift)
      }
      printf("%ld %ld %lx\n", n, ld, Hash);
    }
  return 0;
}
