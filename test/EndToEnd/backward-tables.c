//===- backward-tables.c - rows of tables, from their ends ------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices times vectors, by pointers to rows whose steps run backwards: whole
// ones, and triangles. Each row ends at a page that cannot be read, or begins
// behind one.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
#include "../guarded.h"

#define FORM(T, name) __attribute__((noinline)) void name##_##T(long m, long n, T **a, const T *x, T *y)

// CHECK-COUNT-4: replaced 2-loop nest by GEMV f{{32|64}} (A table of rows)
#define FORMS(T)                                                               \
  FORM(T, whole) {                                                             \
    for (long i = 0; i < m; i++) {                                             \
      T s = y[i];                                                              \
      for (long k = n - 1; k >= 0; k--)                                        \
        s += a[i][k] * x[k];                                                   \
      y[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  FORM(T, lower) {                                                             \
    for (long i = 0; i < m; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = i; k >= 0; k--)                                            \
        s += a[i][k] * x[k];                                                   \
      y[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  static __attribute__((noinline)) void check_##T(                             \
      long m, long n, int atEnd, char **places, T **rows) {                    \
    T *x = placed(places[0], 4096, MAX(m, n) * sizeof(T), atEnd);              \
    T *y = placed(places[1], 4096, m * sizeof(T), atEnd);                      \
    for (long i = 0; i < m; i++)                                               \
      y[i] = anyElement(-0.0);                                                 \
    for (long k = 0; k < MAX(m, n); k++)                                       \
      x[k] = anyElement(0.0);                                                  \
    for (int triangle = 0; triangle < 2; triangle++) {                         \
      for (long i = 0; i < m; i++) {                                           \
        long length = triangle ? i + 1 : n;                                    \
        rows[i] = placed(places[2 + i], 4096, length * sizeof(T), atEnd);      \
        for (long k = 0; k < length; k++)                                      \
          rows[i][k] = anyElement(k % 5 ? 0.0 : INFINITY);                     \
      }                                                                        \
      triangle ? lower_##T(m, n, rows, x, y) : whole_##T(m, n, rows, x, y);    \
      HASH_ELEMENTS(T, y, m);                                                  \
    }                                                                          \
  }
#define MAX(a, b) ((a) > (b) ? (a) : (b))
FORMS(double)
FORMS(float)

int main(void) {
  static char *places[102];
  static double *rowsOfDoubles[100];
  static float *rowsOfFloats[100];
  for (int i = 0; i < 102; i++)
    places[i] = guardedPages(4096);
  for (long m = 1; m <= 100; m += m < 40 ? 3 : 15)
    for (long n = 1; n <= 100; n += n < 20 ? 3 : 17)
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        check_double(m, n, atEnd, places, rowsOfDoubles);
        check_float(m, n, atEnd, places, rowsOfFloats);
        printf("%ld %ld %lx\n", m, n, Hash);
      }
  return 0;
}
