//===- row-groups.c - rows that build on each other -------------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triangular systems with one right-hand side, and others whose rows need what
// rows before them have stored: full, packed and in bands, from both ends. Also
// what looks like it, but must not go in groups, or must stay in order there. All
// arrays end at a page that cannot be read, or begin behind one.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -o %t.ours && %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %{compile} -ffp-contract=fast -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -ffp-contract=fast -o %t.ours && %{compare}
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
// RUN: %clang -O1 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
#include "Inputs/checked-rows.h"

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define FORM(T, name) __attribute__((noinline)) void name##_##T(long n, long w, const T *restrict a, T *restrict x, T *restrict y)

// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A row-major), 16xK
// CHECK-DAG: replaced 2-loop nest by GEMV f32 (A row-major), 32xK
// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A table of rows), 16xK
#define FORMS(T)                                                               \
  FORM(T, forward) {                                                           \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s -= a[i * n + k] * x[k];                                              \
      x[i] = s / a[i * n + i];                                                 \
    }                                                                          \
  }                                                                            \
  FORM(T, backward) {                                                          \
    for (long i = n - 1; i >= 0; i--) {                                        \
      T s = x[i];                                                              \
      for (long k = n - 1; k > i; k--)                                         \
        s -= a[i * n + k] * x[k];                                              \
      x[i] = s / a[i * n + i];                                                 \
    }                                                                          \
  }                                                                            \
  /* LLVM makes a phi of the row's place, which is zero in the first row. */    \
  FORM(T, rows_of_an_array) {                                                  \
    const T(*restrict l)[n] = (const T(*)[n])a;                                \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s -= l[i][k] * x[k];                                                   \
      x[i] = s / l[i][i];                                                      \
    }                                                                          \
  }                                                                            \
  FORM(T, rows_by_int) {                                                       \
    int m = n;                                                                 \
    const T(*restrict l)[m] = (const T(*)[m])a;                                \
    for (int i = 0; i < m; i++) {                                              \
      T s = x[i];                                                              \
      for (int k = 0; k < i; k++)                                              \
        s -= l[i][k] * x[k];                                                   \
      x[i] = s / l[i][i];                                                      \
    }                                                                          \
  }                                                                            \
  FORM(T, apart) {                                                             \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s += a[k * n + i] * y[k];                                              \
      y[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  FORM(T, packed) {                                                            \
    for (long i = 0, p = 0; i < n; i++) {                                      \
      T s = x[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s -= a[p + k] * x[k];                                                  \
      x[i] = s / a[p + i];                                                     \
      p += i + 1;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, packed_upper) {                                                      \
    for (long i = 0, p = 0; i < n; i++) {                                      \
      T s = x[i] * a[p];                                                       \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[p + k - i] * x[k];                                              \
      x[i] = s;                                                                \
      p += n - i;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, band) {                                                              \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      for (long k = MAX(0, i - w); k < i; k++)                                 \
        s -= a[i * (w + 1) + w - i + k] * x[k];                                \
      x[i] = s / a[i * (w + 1) + w];                                           \
    }                                                                          \
  }                                                                            \
  FORM(T, symmetric_band) {                                                    \
    for (long i = 0; i < n; i++) {                                             \
      T s = 0, t = x[i];                                                       \
      y[i] += t * a[i * (w + 1)];                                              \
      for (long k = i + 1; k < MIN(n, i + w + 1); k++) {                       \
        y[k] += t * a[i * (w + 1) + k - i];                                    \
        s += a[i * (w + 1) + k - i] * x[k];                                    \
      }                                                                        \
      y[i] += s;                                                               \
    }                                                                          \
  }                                                                            \
  FORM(T, symmetric_packed) {                                                  \
    for (long i = 0, p = 0; i < n; i++) {                                      \
      T s = 0, t = x[i];                                                       \
      for (long k = 0; k < i; k++) {                                           \
        y[k] += t * a[p + k];                                                  \
        s += a[p + k] * x[k];                                                  \
      }                                                                        \
      y[i] += s + t * a[p + i];                                                \
      p += i + 1;                                                              \
    }                                                                          \
  }                                                                            \
  /* A row of a group would read what one before it stores. */                 \
  FORM(T, stores_ahead) {                                                      \
    for (long i = 0; i < n - 3; i++) {                                         \
      T s = x[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s -= a[i * n + k] * x[k];                                              \
      x[i + 3] = s;                                                            \
    }                                                                          \
  }                                                                            \
  /* Rows make the steps of their own element, too, or all of them. */         \
  FORM(T, own_element) {                                                       \
    for (long i = 0; i < n; i++) {                                             \
      T s = y[i];                                                              \
      for (long k = 0; k <= i; k++)                                            \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s * (T)0.01;                                                      \
    }                                                                          \
  }                                                                            \
  FORM(T, all_elements) {                                                      \
    for (long i = 0; i < n; i++) {                                             \
      T s = y[i];                                                              \
      for (long k = 0; k < n; k++)                                             \
        s += a[i * n + k] * x[k];                                              \
      x[i] = s * (T)0.01;                                                      \
    }                                                                          \
  }                                                                            \
  /* What is stored changes elements of rows that come later. */               \
  FORM(T, stores_steps) {                                                      \
    for (long i = 0; i < n; i++) {                                             \
      T s = y[i], t = x[i];                                                    \
      for (long k = 0; k < n; k++) {                                           \
        s += a[i * n + k] * x[k];                                              \
        x[k] -= t * a[i * n + k];                                              \
      }                                                                        \
      y[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  /* The next row needs what was there before this one stored. */              \
  FORM(T, handed_over) {                                                       \
    T before = 0;                                                              \
    for (long i = 0; i < n; i++) {                                             \
      T t = x[i], s = t / 2 + before;                                          \
      for (long k = 0; k < i; k++)                                             \
        s -= a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
      before = t;                                                              \
    }                                                                          \
  }                                                                            \
  /* Within another loop. */                                                   \
  FORM(T, several) {                                                           \
    int m = n;                                                                 \
    for (int j = 0; j < 2; j++)                                                \
      for (int i = 0; i < m; i++) {                                            \
        T s = j ? y[i] : x[i];                                                 \
        for (int k = 0; k < i; k++)                                            \
          s -= a[i * m + k] * x[k];                                            \
        x[i] = s / a[i * m + i];                                               \
      }                                                                        \
  }                                                                            \
  FORM(T, right_hand_sides) {                                                  \
    int m = n / 2;                                                             \
    for (int j = 0; j < 2; j++)                                                \
      for (int i = 0; i < m; i++) {                                            \
        T s = x[j * m + i];                                                    \
        for (int k = 0; k < i; k++)                                            \
          s -= a[i * n + k] * x[j * m + k];                                    \
        x[j * m + i] = s / a[i * n + i];                                       \
      }                                                                        \
  }                                                                            \
  FORM(T, downwards) {                                                         \
    for (long i = n - 1; i >= 0; i--) {                                        \
      T s = y[i];                                                              \
      for (long k = 0; k < i; k++)                                             \
        s += a[i * n + k] * y[k];                                              \
      y[i] = s;                                                                \
    }                                                                          \
  }
FORMS(double)
FORMS(float)

#define ALL(T)                                                                 \
  CHECK(T, forward, n *n);                                                     \
  CHECK(T, backward, n *n);                                                    \
  CHECK(T, rows_of_an_array, n *n);                                            \
  CHECK(T, rows_by_int, n *n);                                                 \
  CHECK(T, apart, n *n);                                                       \
  CHECK(T, packed, n *(n + 1) / 2);                                            \
  CHECK(T, packed_upper, n *(n + 1) / 2);                                      \
  CHECK(T, band, n *(w + 1));                                                  \
  CHECK(T, symmetric_band, n *(w + 1));                                        \
  CHECK(T, symmetric_packed, n *(n + 1) / 2);                                  \
  CHECK(T, stores_ahead, n *n);                                                \
  CHECK(T, own_element, n *n);                                                 \
  CHECK(T, all_elements, n *n);                                                \
  CHECK(T, stores_steps, n *n);                                                \
  CHECK(T, downwards, n *n);                                                   \
  CHECK(T, handed_over, n *n);                                                 \
  CHECK(T, several, n *n);                                                     \
  CHECK(T, right_hand_sides, n *n)

int main(void) {
  static const long widths[] = {1, 3, 25, 40, 47, 70, 200};
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
