//===- lagging-rows.c - rows that share places in a cache -------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix times a vector, where rows are a multiple of a page or of half a page
// apart, so that half of them lag behind; or are so short that the next ones are
// prefetched. The matrix ends, or begins, at a page that cannot be read.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// CHECK-COUNT-12: replaced 2-loop nest by GEMV
// CHECK-NOT:      replaced
#include "../guarded.h"

#define FORMS(T, name)                                                         \
  F(T, name, rows, 0, k < n)                                                   \
  F(T, name, lower, 0, k <= i)                                                 \
  F(T, name, upper, i, k < n)                                                  \
  __attribute__((noinline)) void name##_backwards(                             \
      long m, long n, long ld, const T *a, const T *x, T *y) {                 \
    for (long i = 0; i < m; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = n - 1; k >= 0; k--)                                        \
        s += a[i * ld + k] * x[k];                                             \
      y[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  __attribute__((noinline)) void name##_two(long m, long n, long ld,           \
                                            const T *a, const T *x, T *y) {    \
    for (long i = 0; i < m; i++)                                               \
      for (long k = 0; k < n; k++)                                             \
        y[i] += a[i * ld + k] * x[k] + a[(m - 1 - i) * ld + k] * x[n - 1 - k]; \
  }                                                                            \
  __attribute__((noinline)) void name##_table(long m, long n, long ld,         \
                                              const T *a, const T *x, T *y) {  \
    static const T *row[256];                                                  \
    for (long i = 0; i < m; i++)                                               \
      row[i] = a + i * ld;                                                     \
    name##_of_table(m, n, row, x, y);                                          \
  }

#define F(T, name, form, first, condition)                                     \
  __attribute__((noinline)) void name##_##form(                                \
      long m, long n, long ld, const T *a, const T *x, T *y) {                 \
    (void)n;                                                                   \
    for (long i = 0; i < m; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = first; condition; k++)                                     \
        s += a[i * ld + k] * x[k];                                             \
      y[i] = s;                                                                \
    }                                                                          \
  }
#define OF_TABLE(T, name)                                                      \
  __attribute__((noinline)) void name##_of_table(                              \
      long m, long n, const T **row, const T *x, T *y) {                       \
    for (long i = 0; i < m; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = 0; k < n; k++)                                             \
        s += row[i][k] * x[k];                                                 \
      y[i] = s;                                                                \
    }                                                                          \
  }
OF_TABLE(double, f64)
OF_TABLE(float, f32)
FORMS(double, f64)
FORMS(float, f32)

enum { Bytes = 4 << 20 };
static char *memory;

#define CHECK(T, name, form, m, n, ld, at_end, special)                        \
  do {                                                                         \
    T x[1100], y[256];                                                         \
    long size = ((m) - 1) * (ld) + (n);                                        \
    T *a = placed(memory, Bytes, size * sizeof(T), at_end);                    \
    for (long i = 0; i < size; i++)                                            \
      a[i] = anyElement(special);                                              \
    for (long i = 0; i < (n); i++)                                             \
      x[i] = anyElement(0);                                                    \
    for (long i = 0; i < (m); i++)                                             \
      y[i] = anyElement(0);                                                    \
    name##_##form(m, n, ld, a, x, y);                                          \
    HASH_ELEMENTS(T, y, m);                                                    \
  } while (0)

#define ALL(T, name, m, n, ld, at_end, special)                                \
  CHECK(T, name, rows, m, n, ld, at_end, special);                             \
  CHECK(T, name, backwards, m, n, ld, at_end, special);                        \
  CHECK(T, name, two, m, n, ld, at_end, special);                              \
  CHECK(T, name, table, m, n, ld, at_end, special);                            \
  if ((m) <= (n)) {                                                            \
    CHECK(T, name, lower, m, n, ld, at_end, special);                          \
    CHECK(T, name, upper, m, n, ld, at_end, special);                          \
  }

int main(void) {
  static const long rows[] = {1, 8, 15, 16, 17, 31, 32, 33, 47, 64, 70};
  static const long steps[] = {1,  2,  7,  8,  9,  15,  16,  17,  31, 32,
                               33, 39, 40, 63, 64, 65, 72, 130, 257, 512};
  memory = guardedPages(Bytes);
  for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
    for (unsigned j = 0; j < sizeof(steps) / sizeof(*steps); j++)
      for (int part = 1; part <= 2; part++) {
        long m = rows[i], n = steps[j], ld = Page / part;
        double special = (double[]){0, INFINITY, -0.0}[(i + j) % 3];
        ALL(double, f64, m, n, ld / 8, (i + j) % 2, special)
        ALL(float, f32, m, n, ld / 4, (i + j) % 2, special)
        printf("%ld %ld %d %lx\n", m, n, part, Hash);
      }
  // Rows of less than a page in more than a quarter of a cache.
  ALL(double, f64, 250l, 300l, 300, 1, 0)
  ALL(float, f32, 250l, 600l, 600, 1, 0)
  ALL(float, f32, 250l, 1023l, 1023, 1, 0)
  printf("%lx\n", Hash);
  return 0;
}
