//===- buffered-rows.c - rows that are copied before they are read ----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row is copied to a buffer of the caller's, and then multiplied. The rest of the
// nest fills the buffer and scales y, in front of the kernel. Where that makes nothing,
// since there are fewer rows than a vector has, the product's own loops must fill the
// buffer again for each row.

// DEFINE: %{compile} = %clang -O1 -march=native %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: %{ours} -mllvm -tilesmith-vector-bits=128 -o %t.ours && %{compare}
// CHECK-COUNT-2: replaced 2-loop nest by GEMV
#include <stdio.h>
#include <string.h>

#define FORM(T)                                                                \
  __attribute__((noinline)) void lower_##T(long lda, long n, T alpha,          \
                                           const T *a, T *y, const T *x,       \
                                           T *given) {                         \
    T row[64];                                                                 \
    memcpy(row, given, sizeof(row));                                           \
    for (long i = 0; i < n; i++) {                                             \
      y[i] *= alpha;                                                           \
      for (long k = 0; k < i; k++)                                             \
        row[k] = a[k * lda + i];                                               \
      for (long k = 0; k < i; k++)                                             \
        y[i] += row[k] * x[k];                                                 \
    }                                                                          \
  }                                                                            \
  void check_##T(long lda, long n) {                                           \
    T a[64 * 64], x[64], y[64], given[64] = {0};                               \
    for (int i = 0; i < 64 * 64; i++)                                          \
      a[i] = i % 7 - (T)2.5;                                                   \
    for (int i = 0; i < 64; i++) {                                             \
      x[i] = i % 5 - (T)1.5;                                                   \
      y[i] = i + 1;                                                            \
    }                                                                          \
    lower_##T(lda, n, (T)1.25, a, y, x, given);                                \
    for (long i = 0; i < n; i++)                                               \
      printf("%a ", (double)y[i]);                                             \
    printf("\n");                                                              \
  }
FORM(float)
FORM(double)

int main(void) {
  for (long n = 1; n <= 40; n++)
    for (long lda = 0; lda <= n; lda += n) {
      check_float(lda, n);
      check_double(lda, n);
    }
}
