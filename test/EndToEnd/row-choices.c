//===- row-choices.c - rows that choose, and rows backwards -----*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that build on each other, with a choice in front of their steps, and packed
// rows that run backwards. All arrays end at a page that cannot be read, or begin
// behind one.

// DEFINE: %{compile} = %clang -O3 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=256 -mllvm -tilesmith-min-work=1 -o %t.ours && %{compare}
// RUN: %clang -O2 %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 %s -fpass-plugin=%tilesmith -o %t.ours && %{compare}
#include "Inputs/checked-rows.h"

#define FORM(T, name) __attribute__((noinline)) void name##_##T(long n, long w, const T *restrict a, T *restrict x, T *restrict y)

// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A table of rows), 16xK
// CHECK-DAG: replaced 2-loop nest by GEMV f32 (A table of rows), 32xK
// CHECK-DAG: replaced 2-loop nest by GEMV f64 (A row-major), 16xK
#define FORMS(T)                                                               \
  /* Rows of a table run backwards. */                                         \
  FORM(T, packed_backwards) {                                                  \
    for (long i = n - 1, p = n * (n + 1) / 2 - 1; i >= 0; i--) {               \
      T s = x[i];                                                              \
      for (long k = n - 1; k > i; k--)                                         \
        s -= a[p - (n - 1 - k)] * x[k];                                        \
      x[i] = s / a[p - (n - 1 - i)];                                           \
      p -= n - i;                                                              \
    }                                                                          \
  }                                                                            \
  /* A choice in front of the steps: for all rows, and for each. */            \
  FORM(T, chosen_diagonal) {                                                   \
    for (long i = 0, p = 0; i < n; i++) {                                      \
      T s = x[i];                                                              \
      if (w & 1)                                                               \
        s *= a[p];                                                             \
      for (long k = i + 1; k < n; k++)                                         \
        s += a[p + k - i] * x[k];                                              \
      x[i] = s;                                                                \
      p += n - i;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, chosen_from_end) {                                                   \
    int p = n * (n + 1) / 2 - 1;                                               \
    for (int i = n - 1; i >= 0; i--) {                                         \
      T s = x[i];                                                              \
      if (w & 1)                                                               \
        s *= a[p];                                                             \
      for (int k = i - 1, q = p - 1; k >= 0; k--, q--)                         \
        s += a[q] * x[k];                                                      \
      x[i] = s;                                                                \
      p -= i + 1;                                                              \
    }                                                                          \
  }                                                                            \
  FORM(T, chosen_by_row) {                                                     \
    for (long i = 0; i < n; i++) {                                             \
      T s;                                                                     \
      if (y[i] > 0)                                                            \
        s = x[i] * a[i * n + i];                                               \
      else                                                                     \
        s = x[i] / y[i];                                                       \
      for (long k = 0; k < i; k++)                                             \
        s -= a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  }                                                                            \
  /* One side stores. */                                                       \
  FORM(T, stored_by_choice) {                                                  \
    for (long i = 0; i < n; i++) {                                             \
      T s = x[i];                                                              \
      if (s > 0)                                                               \
        y[i] = s * a[i * n + i];                                               \
      for (long k = 0; k < i; k++)                                             \
        s -= a[i * n + k] * x[k];                                              \
      x[i] = s;                                                                \
    }                                                                          \
  }
FORMS(double)
FORMS(float)

#define CHECK_APART(T, name, count)                                      \
  static __attribute__((noinline)) void check_##name##_##T(                    \
      long n, long w, int special, int atEnd, char **places) {                 \
    CHECK(T, name, count);                                                     \
  }

#define CHECKS(T)                                                              \
  CHECK_APART(T, packed_backwards, n *(n + 1) / 2)                             \
  CHECK_APART(T, chosen_diagonal, n *(n + 1) / 2)                              \
  CHECK_APART(T, chosen_from_end, n *(n + 1) / 2)                              \
  CHECK_APART(T, chosen_by_row, n *n)                                          \
  CHECK_APART(T, stored_by_choice, n *n)
CHECKS(double)
CHECKS(float)

#define ALL(T)                                                                 \
  check_packed_backwards_##T(n, w, special, atEnd, places);                    \
  check_chosen_diagonal_##T(n, w, special, atEnd, places);                     \
  check_chosen_from_end_##T(n, w, special, atEnd, places);                     \
  check_chosen_by_row_##T(n, w, special, atEnd, places);                       \
  check_stored_by_choice_##T(n, w, special, atEnd, places)

int main(void) {
  char *places[] = {guardedPages(Bytes), guardedPages(Bytes), guardedPages(Bytes)};
  for (long n = 1; n < 240; n += n < 80 ? 13 : 9)
    for (long w = 0; w < 2; w++)
      for (int special = 0; special < 2; special++)
        for (int atEnd = 0; atEnd < 2; atEnd++) {
          ALL(double);
          ALL(float);
          printf("%ld %ld %lx\n", n, w, Hash);
        }
  return 0;
}
