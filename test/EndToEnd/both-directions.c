//===- both-directions.c - a matrix and its transpose, times vectors -*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// q = A p and s = A^T r in the same loops: where registers are many, the kernel
// makes both for a block of rows. Vectors overlap in some calls, in which the
// source's loops must run; the matrix ends, or begins, at a page that cannot be
// read.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// RUN: %{compile} -ffp-contract=fast -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -ffp-contract=fast -o %t.ours && %{compare}
// CHECK-COUNT-10: replaced 2-loop nest by GEMV
// CHECK-NOT:      replaced
#include "../guarded.h"

#define F(T, U, name, begin, other, add, end)                                  \
  __attribute__((noinline)) void name(long m, long n, long ld, const U *a,     \
                                      const T *p, const T *r, T *q, T *s) {    \
    for (long i = 0; i < m; i++) {                                             \
      T sum = begin;                                                           \
      for (long k = 0; k < n; k++) {                                           \
        s[k] = s[k] + other;                                                   \
        sum += add;                                                            \
      }                                                                        \
      q[i] = end;                                                              \
    }                                                                          \
  }
#define FORMS(T, U, N)                                                         \
  F(T, U, N##_plain, 0, r[i] * a[i * ld + k], a[i * ld + k] * p[k], sum)       \
  F(T, U, N##_scaled, q[i], (3 * r[i]) * a[i * ld + k], a[i * ld + k] * p[k],  \
    sum)                                                                       \
  F(T, U, N##_other, 5, a[i * ld + k] * r[m - 1 - i],                          \
    p[k] * (2 * a[i * ld + k]), sum * q[i])                                    \
  F(T, U, N##_strided, 0, a[i * ld + k] * r[2 * i],           \
    a[i * ld + k] * p[n - 1 - k], 7 * sum)
FORMS(double, double, f64)
FORMS(float, float, f32)
F(float, _Float16, f16_plain, 0, r[i] * (float)a[i * ld + k],
  (float)a[i * ld + k] * p[k], sum)
F(double, float, mixed_plain, 0, r[i] * a[i * ld + k], a[i * ld + k] * p[k],
  sum)

enum { Most = 330 };
static const long Bytes = 1l << 24;
static char *memory;

// Which vectors overlap: none, q and r, s and r, s and p, s and q, q and p.
enum { Overlaps = 6 };
#define CHECK(T, U, name)                                                      \
  do {                                                                         \
    T vectors[4 * Most], *p = vectors, *r = p + Most, *q = r + Most,           \
                         *s = q + Most;                                        \
    if (overlap == 1)                                                          \
      q = r + 1;                                                               \
    if (overlap == 2)                                                          \
      s = r + 3;                                                               \
    if (overlap == 3)                                                          \
      s = p;                                                                   \
    if (overlap == 4)                                                          \
      q = s + 2;                                                               \
    if (overlap == 5)                                                          \
      q = p;                                                                   \
    long size = (m - 1) * ld + n;                                              \
    U *a = placed(memory, Bytes, size * sizeof(U), at_end);                    \
    for (long i = 0; i < m; i++)                                               \
      for (long k = 0; k < n; k++)                                             \
        a[i * ld + k] = anyElement(INFINITY);                                  \
    for (long i = 0; i < 4 * Most; i++)                                        \
      vectors[i] = anyElement(-0.0);                                           \
    name(m, n, ld, a, p, r, q, s);                                             \
    HASH_ELEMENTS(T, vectors, 4 * Most);                                       \
  } while (0)

static void all(long m, long n, long ld, int at_end, int overlap) {
  CHECK(double, double, f64_plain);
  CHECK(double, double, f64_scaled);
  CHECK(double, double, f64_other);
  CHECK(double, double, f64_strided);
  CHECK(float, float, f32_plain);
  CHECK(float, float, f32_scaled);
  CHECK(float, float, f32_other);
  CHECK(float, float, f32_strided);
  CHECK(float, _Float16, f16_plain);
  CHECK(double, float, mixed_plain);
}

int main(void) {
  static const long rows[] = {1, 2, 8, 9, 16, 17, 31, 33, 40, 49, 64, 97, 165};
  static const long steps[] = {1, 7, 8, 15, 16, 17, 33, 64, 100, 320};
  memory = guardedPages(Bytes);
  for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
    for (unsigned j = 0; j < sizeof(steps) / sizeof(*steps); j++)
      for (int far = 0; far < 2; far++) {
        long ld = far ? 1024 : steps[j];
        for (int overlap = 0; overlap < Overlaps; overlap++)
          all(rows[i], steps[j], ld, (i + j) % 2, overlap);
        printf("%ld %ld %ld %lx\n", rows[i], steps[j], ld, Hash);
      }
  return 0;
}
