//===- bands.c - rows about a diagonal --------------------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bands times vectors, whose first rows, middle rows and last rows are made
// apart: with bounds of several types, widths from none to more than there are
// rows, or known ones. All arrays end at a page that cannot be read, or begin
// behind one; or the result overlaps the vector. Blocks are asked for in vain: they
// have one vector for all rows.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: env TILESMITH='plan=packed' %{ours} -o %t.ours && %{compare}
// RUN: env TILESMITH='plan=unpacked min-work=1' %{ours} -o %t.ours && %{compare}
// RUN: %{compile} -ffp-contract=fast -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -ffp-contract=fast -o %t.ours && %{compare}
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
// RUN: %clang -O1 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
// CHECK-COUNT-16: replaced 2-loop nest by {{GEMV f(32|64) .*x moves along|band of (3|5)}}
// CHECK-NOT:      replaced
#include "../guarded.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define BAND(T, name, I, Q, First, Last, element)                              \
  __attribute__((noinline)) void name##_##T(I n, I w, const T *Q a,            \
                                            const T *Q x, T *Q y) {            \
    for (I i = 0; i < n; i++) {                                                \
      T s = y[i];                                                              \
      for (I k = First; k < Last; k++)                                         \
        s += a[element] * x[k];                                                \
      y[i] = s;                                                                \
    }                                                                          \
  }
#define BANDS(T)                                                               \
  BAND(T, full, int, , MAX(0, i - w), MIN(n, i + w + 1), i * n + k)            \
  BAND(T, rows, long, , i < w ? 0 : i - w, (i + w < n ? i + w + 1 : n),        \
       i * (2 * w + 1) + w - i + k)                                            \
  BAND(T, lower, long, restrict, MAX(0, i - w), i + 1, i * n + k)              \
  BAND(T, upper, size_t, restrict, i, MIN(n, i + w + 1), i * n + k)            \
  BAND(T, sizes, size_t, , i > w ? i - w : 0, MIN(n, i + w + 1), i * n + k)    \
  BAND(T, three, long, restrict, MAX(0, i - 1), MIN(n, i + 2), i * n + k)      \
  BAND(T, five, int, , MAX(0, i - 2), MIN(n, i + 3), i * n + k)                \
  BAND(T, thirteen, int, , MAX(0, i - 6), MIN(n, i + 7), i * n + k)
BANDS(double)
BANDS(float)

enum { Bytes = 1 << 20 };

#define CHECK(T, name, count, shared)                                          \
  do {                                                                         \
    T *a = placed(places[0], Bytes, (count) * sizeof(T), atEnd);               \
    T *x = placed(places[1], Bytes, n * sizeof(T), atEnd);                     \
    T *y = (shared) ? x : placed(places[2], Bytes, n * sizeof(T), 1);          \
    for (long i = 0; i < (count); i++)                                         \
      a[i] = anyElement(i % 2 ? INFINITY : -0.0);                              \
    for (long i = 0; i < n; i++) {                                             \
      x[i] = anyElement(INFINITY);                                             \
      y[i] = anyElement(-0.0);                                                 \
    }                                                                          \
    name##_##T(n, w, a, x, y);                                                 \
    HASH_ELEMENTS(T, y, n);                                                    \
  } while (0)

#define ALL(T)                                                                 \
  CHECK(T, full, n *n, 0);                                                     \
  CHECK(T, full, n *n, 1);                                                     \
  CHECK(T, rows, n *(2 * w + 1), 0);                                           \
  CHECK(T, rows, n *(2 * w + 1), 1);                                           \
  CHECK(T, lower, n *n, 0);                                                    \
  CHECK(T, upper, n *n, 0);                                                    \
  CHECK(T, sizes, n *n, 0);                                                    \
  CHECK(T, three, n *n, 0);                                                    \
  CHECK(T, five, n *n, 0);                                                     \
  CHECK(T, five, n *n, 1);                                                     \
  CHECK(T, thirteen, n *n, 0);

int main(void) {
  static const long widths[] = {0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 20, 31, 40, 70};
  char *places[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (long n = 1; n < 140; n += n < 50 ? 1 : 13)
    for (unsigned i = 0; i < sizeof(widths) / sizeof(*widths); i++)
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        long w = widths[i];
        ALL(double)
        ALL(float)
        printf("%ld %ld %lx\n", n, w, Hash);
      }
  return 0;
}
