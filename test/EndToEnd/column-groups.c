//===- column-groups.c - columns of a triangle, in groups ---------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triangles and bands that go by columns, in place, each of which adds to elements that
// other columns begin with, or end with. Several of them share a sweep over the vector. Also
// what looks like it, but must stay in order. All arrays end at a page that cannot be
// read, or begin behind one.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1 -mllvm -tilesmith-min-work=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{compile} -ffp-contract=fast -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -ffp-contract=fast -o %t.ours && %{compare}
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 %s -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
#include "Inputs/checked-rows.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define FORM(T, name) __attribute__((noinline)) void name##_##T(long n, long w, const T *restrict a, T *restrict x, T *restrict y)

// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A column-major), Mx16{{.*}} for groups of rows
// CHECK-DAG: replaced 2-loop nest by GEMV f32 (A column-major), Mx32{{.*}} for groups of rows
#define FORMS(T)                                                               \
  FORM(T, upper) {                                                             \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j];                                                              \
      for (long k = 0; k < j; k++)                                             \
        x[k] += t * a[j * n + k];                                              \
      x[j] = t * a[j * n + j];                                                 \
    }                                                                          \
  }                                                                            \
  FORM(T, lower) {                                                             \
    for (long j = n - 1; j >= 0; j--) {                                        \
      T t = x[j];                                                              \
      for (long k = n - 1; k > j; k--)                                         \
        x[k] += t * a[j * n + k];                                              \
      x[j] *= a[j * n + j];                                                    \
    }                                                                          \
  }                                                                            \
  FORM(T, lower_upwards) {                                                     \
    for (long j = n - 1; j >= 0; j--) {                                        \
      T t = x[j];                                                              \
      for (long k = j + 1; k < n; k++)                                         \
        x[k] += t * a[j * n + k];                                              \
      x[j] *= a[j * n + j];                                                    \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_lower) {                                                       \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j] /= a[j * n + j];                                              \
      for (long k = j + 1; k < n; k++)                                         \
        x[k] -= t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_upper) {                                                       \
    for (long j = n - 1; j >= 0; j--) {                                        \
      T t = x[j] / a[j * n + j];                                               \
      x[j] = t;                                                                \
      for (long k = j - 1; k >= 0; k--)                                        \
        x[k] -= t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_unit) {                                                        \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j];                                                              \
      for (long k = j + 1; k < n; k++)                                         \
        x[k] -= t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_int) {                                                         \
    int m = n;                                                                 \
    const T(*restrict l)[m] = (const T(*)[m])a;                                \
    for (int j = 0; j < m; j++) {                                              \
      T t = x[j] / l[j][j];                                                    \
      x[j] = t;                                                                \
      for (int k = j + 1; k < m; k++)                                          \
        x[k] -= t * l[j][k];                                                   \
    }                                                                          \
  }                                                                            \
  FORM(T, packed) {                                                            \
    for (long j = 0, p = 0; j < n; j++) {                                      \
      T t = x[j];                                                              \
      for (long k = 0; k < j; k++)                                             \
        x[k] += t * a[p + k];                                                  \
      x[j] = t * a[p + j];                                                     \
      p += j + 1;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_packed) {                                                      \
    for (long j = 0, p = 0; j < n; j++) {                                      \
      T t = x[j] / a[p];                                                       \
      x[j] = t;                                                                \
      for (long k = j + 1; k < n; k++)                                         \
        x[k] -= t * a[p + k - j];                                              \
      p += n - j;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, band) {                                                              \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j];                                                              \
      for (long k = MAX(0, j - w); k < j; k++)                                 \
        x[k] += t * a[j * (w + 1) + w - j + k];                                \
      x[j] = t * a[j * (w + 1) + w];                                           \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_band) {                                                        \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j] / a[j * (w + 1)];                                             \
      x[j] = t;                                                                \
      for (long k = j + 1; k < MIN(n, j + w + 1); k++)                         \
        x[k] -= t * a[j * (w + 1) + k - j];                                    \
    }                                                                          \
  }                                                                            \
  /* A column changes what later ones begin with. */                           \
  FORM(T, next_element) {                                                      \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j];                                                              \
      for (long k = 0; k < MIN(n, j + 2); k++)                                 \
        x[k] += t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, far_element) {                                                       \
    for (long j = 0; j < n - 5; j++) {                                         \
      T t = x[j];                                                              \
      for (long k = 0; k < j + 5; k++)                                         \
        x[k] += t * a[j * n + k];                                              \
      x[j] = t;                                                                \
    }                                                                          \
  }                                                                            \
  FORM(T, element_ahead) {                                                     \
    for (long j = 0; j < n - 3; j++) {                                         \
      T t = x[j + 3];                                                          \
      for (long k = 0; k < j; k++)                                             \
        x[k] += t * a[j * n + k];                                              \
      x[j + 3] = t * a[j];                                                     \
    }                                                                          \
  }                                                                            \
  FORM(T, element_behind) {                                                    \
    for (long j = 3; j < n; j++) {                                             \
      T t = x[j - 3] * a[j];                                                   \
      x[j - 3] = t;                                                            \
      for (long k = 0; k < j; k++)                                             \
        x[k] += t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_gap) {                                                         \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j] / a[j * n + j];                                               \
      x[j] = t;                                                                \
      for (long k = j + 3; k < n; k++)                                         \
        x[k] -= t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, solve_late) {                                                        \
    for (long j = 2; j < n; j++) {                                             \
      T t = x[j] / a[j * n + j];                                               \
      x[j] = t;                                                                \
      for (long k = j - 1; k < n; k++)                                         \
        x[k] -= t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, finish_later) {                                                      \
    for (long j = 0; j < n; j++) {                                             \
      T t = y[j];                                                              \
      for (long k = j; k < n; k++)                                             \
        x[k] -= t * a[j * n + k];                                              \
      x[j] /= a[j * n + j];                                                    \
    }                                                                          \
  }                                                                            \
  FORM(T, all_elements) {                                                      \
    for (long j = 0; j < n; j++) {                                             \
      T t = x[j];                                                              \
      for (long k = 0; k < n; k++)                                             \
        x[k] += t * a[j * n + k];                                              \
    }                                                                          \
  }                                                                            \
  /* The next column's factor is what this one has left. */                    \
  FORM(T, handed_over) {                                                       \
    T t = x[n - 1];                                                            \
    for (long j = n - 1; j > 0; j--) {                                         \
      for (long k = j - 1; k >= 0; k--)                                        \
        x[k] -= t * a[j * n + k];                                              \
      t = x[j - 1] / a[j * n + j];                                             \
    }                                                                          \
  }                                                                            \
  /* The reference BLAS skips zeros. */                                        \
  FORM(T, without_zeros) {                                                     \
    for (long j = 0; j < n; j++)                                               \
      if (x[j] != 0) {                                                         \
        T t = x[j] /= a[j * n + j];                                            \
        for (long k = j + 1; k < n; k++)                                       \
          x[k] -= t * a[j * n + k];                                            \
      }                                                                        \
  }
FORMS(double)
FORMS(float)

#define ALL(T)                                                                 \
  CHECK(T, upper, n *n);                                                       \
  CHECK(T, lower, n *n);                                                       \
  CHECK(T, lower_upwards, n *n);                                               \
  CHECK(T, solve_lower, n *n);                                                 \
  CHECK(T, solve_upper, n *n);                                                 \
  CHECK(T, solve_unit, n *n);                                                  \
  CHECK(T, solve_int, n *n);                                                   \
  CHECK(T, packed, n *(n + 1) / 2);                                            \
  CHECK(T, solve_packed, n *(n + 1) / 2);                                      \
  CHECK(T, band, n *(w + 1));                                                  \
  CHECK(T, solve_band, n *(w + 1));                                            \
  CHECK(T, next_element, n *n);                                                \
  CHECK(T, far_element, n *n);                                                 \
  CHECK(T, element_ahead, n *n);                                               \
  CHECK(T, element_behind, n *n);                                              \
  CHECK(T, solve_gap, n *n);                                                   \
  CHECK(T, solve_late, n *n);                                                  \
  CHECK(T, finish_later, n *n);                                                \
  CHECK(T, all_elements, n *n);                                                \
  CHECK(T, handed_over, n *n);                                                 \
  CHECK(T, without_zeros, n *n)

int main(void) {
  static const long widths[] = {1, 25, 47, 70, 200};
  char *places[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (long n = 1; n < 240; n += n < 80 ? 9 : 7)
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
