//===- use-of-sums.c - a matrix times its sums, transposed ------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sums of a row are multiplied by the row's elements, which the kernel does beside
// the sums of the next rows, if nothing else touches what comes out.

// DEFINE: %{O} = -O3
// DEFINE: %{compile} = %clang %{O} -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith
// DEFINE: %{compare} = %{compile} -o %t.plain && %t.plain > %t.expected && %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// REDEFINE: %{O} = -O1 -ffp-contract=fast
// RUN: %{ours} -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-22: replaced 2-loop nest by GEMV
// CHECK-NOT:      replaced
#include "../guarded.h"

// How a sum starts, what is done with it before the rows' second use, that use, and what
// follows. Vectors are not known to be apart.
#define F(T, name, start, between, use, behind)                                \
  __attribute__((noinline)) void name(long m, long n, long ld, const T *a,     \
                                      const T *x, T *y, T *t) {                \
    for (long i = 0; i < m; i++) {                                             \
      T s = start;                                                             \
      for (long k = 0; k < n; k++)                                             \
        s += a[i * ld + k] * x[k];                                             \
      between;                                                                 \
      for (long k = 0; k < n; k++)                                             \
        use;                                                                   \
      behind;                                                                  \
    }                                                                          \
  }
enum { Most = 600 };
#define E a[i * ld + k]
#define FORMS(T, N)                                                            \
  F(T, N##_scalar, 0, , y[k] += E * s, )                                       \
  F(T, N##_stored, 0, t[i] = s, y[k] += E * t[i], )                            \
  F(T, N##_behind, 0, , y[k] += s * E, t[i] = 2 * s)                           \
  F(T, N##_scaled, 1, , y[k] -= 3 * s * E, t[i] += s)                          \
  /* The rows are read once more. */                                           \
  F(T, N##_third, 0, , y[k] += E * s,                                          \
    for (long k = 0; k < n; k++) t[Most + k] += E * x[k])                      \
  /* What is in the way of some of it, or of all. */                           \
  F(T, N##_other, a[i * ld], t[i] = s, y[k] -= s * E, )                        \
  F(T, N##_changed, 0, t[i] = s, y[k] += E * s, y[0] = s)                      \
  F(T, N##_twice, 0, t[i] = s; t[i] *= 2, y[k] += E * t[i], )                  \
  F(T, N##_shorter, 0, t[i] = s, if (k) y[k] += E * s, )                       \
  __attribute__((noinline)) void N##_in_memory(                                \
      long m, long n, long ld, const T *a, const T *x, T *y, T *t) {           \
    for (long i = 0; i < m; i++) {                                             \
      t[i] = 0;                                                                \
      for (long k = 0; k < n; k++)                                             \
        t[i] = t[i] + a[i * ld + k] * x[k];                                    \
      for (long k = 0; k < n; k++)                                             \
        y[k] = y[k] + a[i * ld + k] * t[i];                                    \
    }                                                                          \
  }                                                                            \
  __attribute__((noinline)) void N##_narrow(int m, int n, int ld, const T *a,  \
                                            const T *x, T *y, T *t) {          \
    for (int i = 0; i < m; i++) {                                              \
      t[i] = 0;                                                                \
      for (int k = 0; k < n; k++)                                              \
        t[i] += a[i * ld + k] * x[k];                                          \
      for (int k = 0; k < n; k++)                                              \
        y[k] += a[i * ld + k] * t[i];                                          \
    }                                                                          \
  }
FORMS(double, f64)
FORMS(float, f32)

static const long Bytes = 1l << 24;
static char *memory, *vectors;

// What comes out ends, or begins, at a page that cannot be read; or it overlaps the other
// vector, from element Shift on.
#define CHECK(T, name, m, n, ld, at_end, shift)                                \
  do {                                                                         \
    T *others = (T *)vectors, *t = others + Most;                              \
    T *y = shift < 0 ? placed(vectors + 4 * Page * sizeof(T),                  \
                              2 * Page * sizeof(T), (n) * sizeof(T), at_end)   \
                     : others + shift;                                         \
    long size = ((m) - 1) * (ld) + (n);                                        \
    T *a = placed(memory, Bytes, size * sizeof(T), at_end);                    \
    for (long i = 0; i < size; i++)                                            \
      a[i] = anyElement(-0.0);                                                 \
    for (long i = 0; i < 3 * Most; i++)                                        \
      others[i] = anyElement(-0.0);                                            \
    for (long k = 0; k < (n); k++)                                             \
      y[k] = anyElement(-0.0);                                                 \
    name(m, n, ld, a, others, y, t);                                           \
    hashBytes(others, 3 * Most * sizeof(T));                                   \
    hashBytes(y, (n) * sizeof(T));                                             \
  } while (0)

#define ALL(T, N, ...)                                                         \
  CHECK(T, N##_scalar, __VA_ARGS__);                                           \
  CHECK(T, N##_stored, __VA_ARGS__);                                           \
  CHECK(T, N##_behind, __VA_ARGS__);                                           \
  CHECK(T, N##_other, __VA_ARGS__);                                            \
  CHECK(T, N##_scaled, __VA_ARGS__);                                           \
  CHECK(T, N##_third, __VA_ARGS__);                                            \
  CHECK(T, N##_changed, __VA_ARGS__);                                          \
  CHECK(T, N##_twice, __VA_ARGS__);                                            \
  CHECK(T, N##_shorter, __VA_ARGS__);                                          \
  CHECK(T, N##_in_memory, __VA_ARGS__);                                        \
  CHECK(T, N##_narrow, __VA_ARGS__)

int main(void) {
  static const long rows[] = {1, 8, 9, 16, 17, 31, 33, 40, 47, 64, 97, 130};
  static const long steps[] = {3, 7, 8, 9, 16, 17, 31, 64, 77, 256, 501};
  memory = guardedPages(Bytes);
  vectors = guardedPages(6 * Page * sizeof(double));
  for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
    for (unsigned j = 0; j < sizeof(steps) / sizeof(*steps); j++) {
      long m = rows[i], n = steps[j], ld = (i + j) % 3 ? n + 1 : 1024;
      for (long shift = -1; shift < Most; shift += (i + j) % 4 ? Most : 297) {
        ALL(double, f64, m, n, ld, (i + j) % 2, shift);
        ALL(float, f32, m, n, ld, (i + j) % 2, shift);
      }
      printf("%ld %ld %lx\n", m, n, Hash);
    }
  return 0;
}
