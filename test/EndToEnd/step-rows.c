//===- step-rows.c - rows that start in the step of their number *- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triangles times matrices with the loop over k outside, upwards and downwards,
// with and without a diagonal, in place and not: step k stores what row k starts
// from. Where the row that comes last is made first, the factor is packed before
// anything is stored. Behind the triangle's last element that is read, or in front of its first
// one, there is no memory.

// DEFINE: %{flags} = -march=native
// DEFINE: %{compile} = %clang -O3 %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// RUN: env TILESMITH='min-work=1;plan=tile=16x4 mc=32 nc=12 kc=5' %{ours} -o %t.ours && %{compare}
// RUN: env TILESMITH='min-work=1;plan=mc=48 nc=16 kc=24' %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -march=native -ffp-contract=fast
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1;plan=mc=48 nc=16 kc=24' %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -mavx2 -mfma
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -msse2
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// CHECK-COUNT-22: replaced 3-loop nest by TRMM
#include "../guarded.h"
#include <string.h>

#define FORMS(T, name)                                                                                                 \
  F(T, name, upper, {                                                                                                  \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = 0; k < m; k++) {                                                                                   \
        T t = x * b[k + j * m];                                                                                        \
        for (long i = 0; i < k; i++)                                                                                   \
          b[i + j * m] += t * a[i + k * m];                                                                            \
        b[k + j * m] = t * d[k];                                                                                       \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, upper_unit, {                                                                                             \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = 0; k < m; k++) {                                                                                   \
        T t = x * b[k + j * m];                                                                                        \
        for (long i = 0; i < k; i++)                                                                                   \
          b[i + j * m] += t * a[i + k * m];                                                                            \
        b[k + j * m] = t;                                                                                              \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, lower, {                                                                                                  \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = m - 1; k >= 0; k--) {                                                                              \
        T t = x * b[k + j * m];                                                                                        \
        b[k + j * m] = t * d[k];                                                                                       \
        for (long i = k + 1; i < m; i++)                                                                               \
          b[i + j * m] += t * a[i + k * m];                                                                            \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, lower_unit, {                                                                                             \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = m - 1; k >= 0; k--) {                                                                              \
        T t = x * b[k + j * m];                                                                                        \
        b[k + j * m] = t;                                                                                              \
        for (long i = k + 1; i < m; i++)                                                                               \
          b[i + j * m] += t * a[i + k * m];                                                                            \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, row_major, {                                                                                              \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = 0; k < m; k++) {                                                                                   \
        T t = x * b[j + k * n];                                                                                        \
        for (long i = 0; i < k; i++)                                                                                   \
          b[j + i * n] += t * a[i + k * m];                                                                            \
        b[j + k * n] = t * d[k];                                                                                       \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, rows_first, {                                                                                             \
    for (long j = 0; j < m; j++) {                                                                                     \
      T t = x * d[j];                                                                                                  \
      for (long i = 0; i < n; i++)                                                                                     \
        b[i + j * n] = t * b[i + j * n];                                                                               \
      for (long k = j + 1; k < m; k++)                                                                                 \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + j * n] += x * a[j + k * m] * b[i + k * n];                                                             \
    }                                                                                                                  \
  })                                                                                                                   \
  F(T, name, scaled_last, {                                                                                            \
    for (long k = 0; k < m; k++) {                                                                                     \
      for (long j = 0; j < k; j++)                                                                                     \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + j * n] += x * a[j + k * m] * b[i + k * n];                                                             \
      T t = d[k];                                                                                                      \
      if (t != 1)                                                                                                      \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + k * n] = t * b[i + k * n];                                                                             \
    }                                                                                                                  \
  })                                                                                                                   \
  F(T, name, lower_scaled_last, {                                                                                      \
    for (long k = m - 1; k >= 0; k--) {                                                                                \
      for (long j = k + 1; j < m; j++)                                                                                 \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + j * n] += x * a[j + k * m] * b[i + k * n];                                                             \
      T t = d[k];                                                                                                      \
      if (t != 1)                                                                                                      \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + k * n] = t * b[i + k * n];                                                                             \
    }                                                                                                                  \
  })                                                                                                                   \
  F(T, name, last_row_first, {                                                                                         \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long i = m - 1; i >= 0; i--) {                                                                              \
        T s = b[i + j * m] * d[i];                                                                                     \
        for (long k = 0; k < i; k++)                                                                                   \
          s += a[k + i * m] * b[k + j * m];                                                                            \
        b[i + j * m] = x * s;                                                                                          \
      }                                                                                                                \
  })                                                                                                                   \
  F(T, name, last_column_first, {                                                                                      \
    for (long j = m - 1; j >= 0; j--) {                                                                                \
      T t = x * d[j];                                                                                                  \
      for (long i = 0; i < n; i++)                                                                                     \
        b[i + j * n] = t * b[i + j * n];                                                                               \
      for (long k = 0; k < j; k++)                                                                                     \
        for (long i = 0; i < n; i++)                                                                                   \
          b[i + j * n] += x * a[k + j * m] * b[i + k * n];                                                             \
    }                                                                                                                  \
  })                                                                                                                   \
  F(T, name, out_of_place, {                                                                                           \
    for (long j = 0; j < n; j++)                                                                                       \
      for (long k = 0; k < m; k++) {                                                                                   \
        c[k + j * m] = b[k + j * m] * d[k];                                                                            \
        for (long i = 0; i < k; i++)                                                                                   \
          c[i + j * m] += b[k + j * m] * a[i + k * m];                                                                 \
      }                                                                                                                \
  })

#define F(T, name, form, body)                                                                                         \
  __attribute__((noinline)) static void form##_##name(long m, long n, T x, const T *restrict a, T *restrict b,         \
                                                      T *restrict c, const T *restrict d) body
FORMS(double, f64)
FORMS(float, f32)
#undef F

enum { Most = 80, Bytes = (Most * Most * 8 + Page - 1) / Page * Page };

static double ofMost(unsigned i, int hasSpecial) {
  static const double Special[] = {INFINITY, -0.0, 1e-310, NAN, -INFINITY};
  return hasSpecial && i % 997 < 5 ? Special[i % 997] : (double)(i * 37 % 101) / 16 - 3.03;
}

#define RUN(T, name, form)                                                                                             \
  for (long m = 0; m < Most; m += m < 10 ? 1 : 7)                                                                      \
    for (long n = 1; n < 50; n += n < 3 ? 1 : 11)                                                                      \
      for (int special = 0; special < 2; special++) {                                                                  \
        static T b[Most * Most], c[Most * Most], d[Most];                                                              \
        /* A triangle without its diagonal: a[m - 2 + (m - 1) * m] is its last element, a[1] its first one. */         \
        T *a = strncmp(#form, "lower", 5) ? (T *)(pages + Bytes) - (m ? m * m - 1 : 0) : (T *)pages - 1;               \
        for (long i = 1; i < m * m - 1; i++)                                                                           \
          a[i] = (T)ofMost(i * 3 + m, special);                                                                        \
        for (long i = 0; i < Most * Most; i++) {                                                                       \
          b[i] = (T)ofMost(i * 5 + n, special);                                                                        \
          c[i] = (T)ofMost(i * 7 + m, special);                                                                        \
        }                                                                                                              \
        for (long i = 0; i < Most; i++)                                                                                \
          d[i] = i % 5 == 2 ? 1 : (T)ofMost(i + n, special);                                                                            \
        form##_##name(m, n, (T)0.75, a, b, c, d);                                                                      \
        HASH_ELEMENTS(T, b, Most * Most);                                                                              \
        HASH_ELEMENTS(T, c, Most * Most);                                                                              \
        printf(#form " " #name " %ld %ld %d %lx\n", m, n, special, Hash);                                              \
      }

int main(void) {
  char *pages = guardedPages(Bytes);
#define F(T, name, form, body) RUN(T, name, form)
  FORMS(double, f64)
  FORMS(float, f32)
}
