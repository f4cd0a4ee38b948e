//===- in-place-vectors.c - triangles times vectors in place ----*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x = A * x, where rows are stored while others still read the vector as it was
// (TRMV): in both directions of both loops, with and without a diagonal, strides,
// and the sums in x. The matrix ends, or begins, at a page that cannot be read.

// DEFINE: %{flags} = -march=native
// DEFINE: %{compile} = %clang -O3 %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// REDEFINE: %{flags} = -march=native -ffp-contract=fast
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// CHECK-COUNT-22: replaced 2-loop nest by GEMV
// CHECK-NOT:      replaced
#include "../guarded.h"

#define FORMS(T, name)                                                         \
  F(T, name, upper, {                                                          \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = i; k < n; k++)                                             \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, unit_upper, {                                                     \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, scaled_upper, {                                                   \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[i * n + k] * x[k];                                              \
      x[i] = 3 * s;                                                            \
    }                                                                          \
  })                                                                           \
  F(T, name, diagonal_first, {                                                 \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i] * a[i * n + i];                                               \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, in_x, {                                                           \
    for (long i = 0; i < n; i++)                                               \
      for (long k = i + 1; k < n; k++)                                         \
        x[i] += a[i * n + k] * x[k];                                           \
  })                                                                           \
  F(T, name, transposed, {                                                     \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0;                                                                 \
      for (long k = i; k < n; k++)                                             \
        s += a[k * n + i] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, from_below, {                                                     \
    for (long i = n - 1; i >= 0; i--) {                                        \
      T s = 0;                                                                 \
      for (long k = 0; k <= i; k++)                                            \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, backwards, {                                                      \
    for (long i = n - 1; i >= 0; i--) {                                        \
      T s = x[i] * a[i * n + i];                                               \
      for (long k = i - 1; k >= 0; k--)                                        \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, unit_backwards, {                                                 \
    for (long i = n - 1; i >= 0; i--) {                                        \
      T s = x[i];                                                              \
      for (long k = i - 1; k >= 0; k--)                                        \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, scaled_first, {                                                   \
    for (long i = 0; i < n; i++) {                                             \
      x[i] *= 3;                                                               \
      T s = x[i];                                                              \
      for (long k = i; k < n; k++)                                             \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  })                                                                           \
  F(T, name, strided, {                                                        \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[3 * i];                                                          \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[i * n + k] * x[3 * k];                                          \
      x[3 * i] = s;                                                            \
    }                                                                          \
  })

#define F(T, name, form, body)                                                 \
  __attribute__((noinline)) static void form##_##name(long n, const T *a,      \
                                                      T *x) body
FORMS(double, f64)
FORMS(float, f32)
#undef F

enum { Bytes = 40 * Page, MostRows = 100 };

static double ofMost(unsigned i) {
  static const double Special[] = {INFINITY, -0.0, 1e-310, NAN, -INFINITY};
  return i % 997 < 5 ? Special[i % 997] : (double)(i * 37 % 101) / 16 - 3;
}

#define RUN(T, name, form)                                                     \
  for (long n = 0; n < MostRows; n += n < 40 ? 1 : 7)                          \
    for (int atEnd = 0; atEnd < 2; atEnd++)                                    \
      for (unsigned seed = 5; seed < 1200; seed += 700) {                      \
        static T x[3 * MostRows];                                              \
        T *a = placed(area, Bytes, n * n * sizeof(T), atEnd);                  \
        for (long i = 0; i < n * n; i++)                                       \
          a[i] = (T)ofMost(seed + 1 + i);                                      \
        for (long i = 0; i < 3 * MostRows; i++)                                \
          x[i] = (T)ofMost(seed + 3 * i);                                      \
        form##_##name(n, a, x);                                                \
        HASH_ELEMENTS(T, x, 3 * MostRows);                                     \
        printf(#form " " #name " %ld %d %u %lx\n", n, atEnd, seed, Hash);      \
      }

int main(void) {
  char *area = guardedPages(Bytes);
#define F(T, name, form, body) RUN(T, name, form)
  FORMS(double, f64)
  FORMS(float, f32)
}
