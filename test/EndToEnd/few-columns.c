//===- few-columns.c - products with few columns ----------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A times one to nine columns, as many as each kernel for few columns has, or
// fewer, or more; rows and steps fill vectors or do not. All matrices end at a
// page that cannot be read.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-code=small -o %t.ours && %{compare}
// CHECK-COUNT-8: replaced 3-loop nest by GEMM
// CHECK-NOT:     replaced
#include "../guarded.h"

#define F(T, name, form, start, b, c)                                          \
  __attribute__((noinline)) void name##_##form(                                \
      long m, long n, long p, const T *restrict A, const T *restrict B,        \
      T *restrict C) {                                                         \
    for (long i = 0; i < m; i++)                                               \
      for (long j = 0; j < n; j++) {                                           \
        T s = start;                                                           \
        for (long k = 0; k < p; k++)                                           \
          s += A[i * p + k] * b;                                               \
        c = s;                                                                 \
      }                                                                        \
  }
#define FORMS(T, name)                                                         \
  F(T, name, rows, 0, B[k * n + j], C[i * n + j])                              \
  F(T, name, added, C[i * n + j], B[k * n + j], C[i * n + j])                  \
  F(T, name, mixed, 0, B[j * p + k], C[j * m + i])                             \
  F(T, name, dots, C[i * n + j], B[j * p + k], C[i * n + j])
FORMS(double, f64)
FORMS(float, f32)

enum { Bytes = 1 << 20 };

#define CHECK(T, name, form, m, n, p, special)                                 \
  do {                                                                         \
    T *a = (T *)ends[0] - (m) * (p), *b = (T *)ends[1] - (n) * (p),            \
      *c = (T *)ends[2] - (m) * (n);                                           \
    for (long i = 0; i < (m) * (p); i++)                                       \
      a[i] = anyElement(special);                                              \
    for (long i = 0; i < (n) * (p); i++)                                       \
      b[i] = anyElement(0);                                                    \
    for (long i = 0; i < (m) * (n); i++)                                       \
      c[i] = anyElement(0);                                                    \
    name##_##form(m, n, p, a, b, c);                                           \
    HASH_ELEMENTS(T, c, (m) * (n));                                            \
  } while (0)

#define ALL(T, name, m, n, p, special)                                         \
  CHECK(T, name, rows, m, n, p, special);                                      \
  CHECK(T, name, added, m, n, p, special);                                     \
  CHECK(T, name, mixed, m, n, p, special);                                     \
  CHECK(T, name, dots, m, n, p, special);

int main(void) {
  static const long rows[] = {2, 17, 63, 64, 65, 79, 96, 130};
  static const long steps[] = {3, 32, 63, 64, 67, 71, 72, 80, 127, 300};
  char *ends[3];
  for (int i = 0; i < 3; i++)
    ends[i] = guardedPages(Bytes) + Bytes;
  for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
    for (unsigned j = 0; j < sizeof(steps) / sizeof(*steps); j++)
      for (long n = 1; n <= 9; n++) {
        long m = rows[i], p = steps[j];
        double special = (double[]){0, INFINITY, -0.0}[(i + j + n) % 3];
        ALL(double, f64, m, n, p, special)
        ALL(float, f32, m, n, p, special)
        printf("%ld %ld %ld %lx\n", m, n, p, Hash);
      }
  return 0;
}
