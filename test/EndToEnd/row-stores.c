//===- row-stores.c - what rows of a group store in their steps -*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves of symmetric matrices, packed and in bands, whose steps add to a sum and to
// another vector: two products for each group of rows. Also steps whose sums and
// stores need each other, which are left together. All arrays end at a page that
// cannot be read, or begin behind one.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// RUN: %{compile} -ffp-contract=fast -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -ffp-contract=fast -o %t.ours && %{compare}
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
#include "Inputs/checked-rows.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define FORM(T, name) __attribute__((noinline)) void name##_##T(long n, long w, const T *restrict a, T *restrict x, T *restrict y)

// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A table of rows), 16xK
// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A table of columns), Mx16
// CHECK-DAG: replaced 2-loop nest by GEMV f32 (A table of rows), 32xK
// CHECK-DAG: replaced 2-loop nest by GEMV f32 (A table of columns), Mx32
#define FORMS(T)                                                               \
  FORM(T, packed_upper) {                                                      \
    for (long i = 0, p = 0; i < n; p += ++i) {                                 \
      T s = 0, t = (T)0.75 * x[i];                                             \
      for (long k = 0; k < i; k++) {                                           \
        y[k] += t * a[p + k];                                                  \
        s += a[p + k] * x[k];                                                  \
      }                                                                        \
      y[i] += t * a[p + i] + (T)0.75 * s;                                      \
    }                                                                          \
  }                                                                            \
  FORM(T, packed_lower) {                                                      \
    for (long i = 0, p = 0; i < n; p += n - i, i++) {                          \
      T s = 0, t = (T)0.75 * x[i];                                             \
      y[i] += t * a[p];                                                        \
      for (long k = i + 1; k < n; k++) {                                       \
        y[k] += t * a[p + k - i];                                              \
        s += a[p + k - i] * x[k];                                              \
      }                                                                        \
      y[i] += (T)0.75 * s;                                                     \
    }                                                                          \
  }                                                                            \
  FORM(T, band_upper) {                                                        \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0, t = x[i];                                                       \
      for (long k = MAX(0, i - w); k < i; k++) {                               \
        y[k] += t * a[i * (w + 1) + w - i + k];                                \
        s += a[i * (w + 1) + w - i + k] * x[k];                                \
      }                                                                        \
      y[i] += t * a[i * (w + 1) + w] + s;                                      \
    }                                                                          \
  }                                                                            \
  /* An element is halved by each row: no sum of products. */                  \
  FORM(T, halved) {                                                        \
    for (long i = 0, p = 0; i < n; p += ++i) {                                 \
      T s = 0, t = x[i];                                                       \
      for (long k = 0; k < i; k++) {                                           \
        y[k] = y[k] * (T)0.5 + t * a[p + k];                                   \
        s += a[p + k] * x[k];                                                  \
      }                                                                        \
      y[i] += s;                                                               \
    }                                                                          \
  }                                                                            \
  /* A store needs the sum, or the sum what is stored. */                      \
  FORM(T, stores_sum) {                                                        \
    for (long i = 0, p = 0; i < n; p += ++i) {                                 \
      T s = 0;                                                                 \
      for (long k = 0; k < i; k++) {                                           \
        y[k] += s;                                                             \
        s += a[p + k] * x[k];                                                  \
      }                                                                        \
      y[i] += s;                                                               \
    }                                                                          \
  }                                                                            \
  FORM(T, sums_stored) {                                                       \
    for (long i = 0, p = 0; i < n; p += ++i) {                                 \
      T s = 0, t = (T)0.01 * x[i];                                             \
      for (long k = 0; k < i; k++) {                                           \
        y[k] += t * a[p + k];                                                  \
        s += a[p + k] * y[k];                                                  \
      }                                                                        \
      y[i] += (T)0.01 * s;                                                     \
    }                                                                          \
  }
FORMS(double)
FORMS(float)

#define ALL(T)                                                                 \
  CHECK(T, packed_upper, n *(n + 1) / 2);                                      \
  CHECK(T, packed_lower, n *(n + 1) / 2);                                      \
  CHECK(T, band_upper, n *(w + 1));                                            \
  CHECK(T, halved, n *(n + 1) / 2);                                        \
  CHECK(T, stores_sum, n *(n + 1) / 2);                                        \
  CHECK(T, sums_stored, n *(n + 1) / 2)

int main(void) {
  static const long widths[] = {3, 40, 70, 200};
  char *places[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (long n = 1; n < 240; n += n < 80 ? 19 : 7)
    for (unsigned i = 0; i < sizeof(widths) / sizeof(*widths); i++)
      for (int atEnd = 0; atEnd < 2; atEnd++) {
        long w = widths[i];
        int special = i % 3 == 2;
        ALL(double);
        ALL(float);
        printf("%ld %ld %lx\n", n, w, Hash);
      }
  return 0;
}
