//===- started-triangles.c - what sums of triangles begin with --*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triangles times matrices whose sums begin with an element of C times one of a
// diagonal or a column, or end with elements of further operands; with rows or
// columns that have no step, and are stored all the same; in place and not. Rows
// that are scaled behind the steps that read them, with one stride or two.

// DEFINE: %{flags} = -march=native
// DEFINE: %{options} =
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
// CHECK-COUNT-20: replaced 3-loop nest by TRMM
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FORMS(T, name)                                                         \
  F(T, name, upper_in_place, {                                                 \
    for (long j = 0; j < n; j++)                                               \
      for (long i = 0; i < m; i++) {                                           \
        T s = b[i + j * m] * a[i * m + i];                                     \
        for (long k = i + 1; k < m; k++)                                       \
          s += a[k + i * m] * b[k + j * m];                                    \
        b[i + j * m] = s;                                                      \
      }                                                                        \
  })                                                                           \
  F(T, name, upper_scaled, {                                                   \
    for (long j = 0; j < n; j++)                                               \
      for (long i = 0; i < m; i++) {                                           \
        T s = b[i + j * m] * a[i * m + i];                                     \
        for (long k = i + 1; k < m; k++)                                       \
          s += a[k + i * m] * b[k + j * m];                                    \
        b[i + j * m] = x * s;                                                  \
      }                                                                        \
  })                                                                           \
  F(T, name, lower_from_below, {                                               \
    for (long j = 0; j < n; j++)                                               \
      for (long i = m - 1; i >= 0; i--) {                                      \
        T s = b[i + j * m] * a[i * m + i];                                     \
        for (long k = 0; k < i; k++)                                           \
          s += a[k + i * m] * b[k + j * m];                                    \
        b[i + j * m] = x * s;                                                  \
      }                                                                        \
  })                                                                           \
  F(T, name, right_in_place, {                                                 \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < m; j++) {                                           \
        T s = b[i * m + j] * a[j * m + j];                                     \
        for (long k = j + 1; k < m; k++)                                       \
          s += b[i * m + k] * a[k * m + j];                                    \
        b[i * m + j] = s;                                                      \
      }                                                                        \
  })                                                                           \
  F(T, name, from_a_column, {                                                  \
    for (long j = 0; j < n; j++)                                               \
      for (long i = 0; i < m; i++) {                                           \
        T s = d[i];                                                            \
        for (long k = i + 1; k < m; k++)                                       \
          s += a[i * m + k] * b[k * n + j];                                    \
        c[i * n + j] = s;                                                      \
      }                                                                        \
  })                                                                           \
  F(T, name, symmetric_half, {                                                 \
    for (long j = 0; j < n; j++)                                               \
      for (long i = 0; i < m; i++) {                                           \
        T s = 0;                                                               \
        for (long k = 0; k < i; k++)                                           \
          s += b[k + j * m] * a[k + i * m];                                    \
        T t = x * b[i + j * m] * a[i + i * m];                                 \
        c[i + j * m] = y * c[i + j * m] + t + x * s;                           \
      }                                                                        \
  })                                                                           \
  F(T, name, ends_with_columns, {                                              \
    for (long i = 0; i < n; i++)                                               \
      for (long j = 0; j < m; j++) {                                           \
        T s = d[j];                                                            \
        for (long k = 0; k < j; k++)                                           \
          s += b[i * m + k] * a[k * m + j];                                    \
        c[i * m + j] = s + d[m + j] * c[i * m + j];                            \
      }                                                                        \
  })                                                                           \
  F(T, name, scaled_behind, {                                                  \
    for (long k = 0; k < m; k++) {                                             \
      for (long j = 0; j < k; j++) {                                           \
        T t = x * a[j + k * m];                                                \
        for (long i = 0; i < n; i++)                                           \
          b[i + j * n] += t * b[i + k * n];                                    \
      }                                                                        \
      T t = x * a[k + k * m];                                                  \
      for (long i = 0; i < n; i++)                                             \
        b[i + k * n] *= t;                                                     \
    }                                                                          \
  })                                                                           \
  F(T, name, scaled_with_one_stride, {                                         \
    long ld = m > n ? m : n;                                                   \
    for (long k = 0; k < m; k++) {                                             \
      for (long j = 0; j < k; j++) {                                           \
        T t = x * a[j + k * ld];                                               \
        for (long i = 0; i < n; i++)                                           \
          b[i + j * ld] += t * b[i + k * ld];                                  \
      }                                                                        \
      T t = x * a[k + k * ld];                                                 \
      for (long i = 0; i < n; i++)                                             \
        b[i + k * ld] *= t;                                                    \
    }                                                                          \
  })                                                                           \
  F(T, name, scaled_rows, {                                                    \
    long ld = m > n ? m : n;                                                   \
    for (long k = 0; k < m; k++) {                                             \
      for (long i = 0; i < k; i++) {                                           \
        T t = x * a[k * ld + i];                                               \
        for (long j = 0; j < n; j++)                                           \
          b[i * ld + j] += t * b[k * ld + j];                                  \
      }                                                                        \
      T t = x * a[k * ld + k];                                                 \
      for (long j = 0; j < n; j++)                                             \
        b[k * ld + j] *= t;                                                    \
    }                                                                          \
  })

#define F(T, name, form, body)                                                 \
  __attribute__((noinline)) static void form##_##name(                         \
      long m, long n, T x, T y, const T *restrict a, T *restrict b,            \
      T *restrict c, const T *restrict d) body
FORMS(double, f64)
FORMS(float, f32)
#undef F

enum { Most = 80 };

static double ofMost(unsigned i, int hasSpecial) {
  static const double Special[] = {INFINITY, -0.0, 1e-310, NAN, -INFINITY};
  return hasSpecial && i % 997 < 5 ? Special[i % 997]
                                   : (double)(i * 37 % 101) / 16 - 3.03;
}

#define RUN(T, name, form)                                                     \
  for (long m = 0; m < Most; m += m < 10 ? 1 : 7)                              \
    for (long n = 1; n < 50; n += n < 3 ? 1 : 11)                              \
      for (int special = 0; special < 2; special++) {                          \
        static T a[Most * Most], b[Most * Most], c[Most * Most], d[2 * Most];  \
        for (long i = 0; i < Most * Most; i++) {                               \
          a[i] = (T)ofMost(i * 3 + m, special);                                \
          b[i] = (T)ofMost(i * 5 + n, special);                                \
          c[i] = (T)ofMost(i * 7 + m, special);                                \
        }                                                                      \
        for (long i = 0; i < 2 * Most; i++)                                    \
          d[i] = (T)ofMost(i + n, special);                                    \
        form##_##name(m, n, (T)0.75, (T)-1.3, a, b, c, d);                     \
        unsigned long hash = 1;                                                \
        for (long i = 0; i < 2 * Most * Most; i++) {                           \
          T v = i % 2 ? b[i / 2] : c[i / 2];                                   \
          unsigned long bits = 0;                                              \
          if (v == v)                                                          \
            memcpy(&bits, &v, sizeof(T));                                      \
          hash = (hash ^ bits) * 1099511628211u;                               \
        }                                                                      \
        printf(#form " " #name " %ld %ld %d %lx\n", m, n, special, hash);      \
      }

int main(void) {
#define F(T, name, form, body) RUN(T, name, form)
  FORMS(double, f64)
  FORMS(float, f32)
}
