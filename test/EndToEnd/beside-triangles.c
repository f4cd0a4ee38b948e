//===- beside-triangles.c - no memory beside a triangle ---------*- C -*-===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A triangular factor may have no memory in front of the first element that is
// read, nor behind the last one: steps that no row makes, rows without steps,
// triangles whose corner is not between their elements.

// DEFINE: %{flags} = -march=native
// DEFINE: %{compile} = %clang -O2 %{flags} %s
// DEFINE: %{ours} = %{compile} -fpass-plugin=%tilesmith -mllvm -tilesmith-verify=1
// DEFINE: %{compare} = %t.ours > %t.printed && diff %t.expected %t.printed
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: %{ours} -Rpass=tilesmith -o %t.ours 2>&1 | FileCheck %s
// RUN: %{compare}
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// RUN: env TILESMITH='min-work=1;plan=tile=16x4 mc=32 nc=12 kc=5' %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -mavx2 -mfma
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// REDEFINE: %{flags} = -msse2
// RUN: %{compile} -o %t.plain && %t.plain > %t.expected
// RUN: env TILESMITH='min-work=1' %{ours} -o %t.ours && %{compare}
// CHECK-COUNT-24: replaced {{[23]}}-loop nest by
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/// Each has the first and the last element of A that is read, and the nest.
#define FORMS                                                                                                          \
  /* One element on the other side of the diagonal, with rows or steps outside. */                                    \
  F(after_rows, 1, (n - 2) * lda + n - 1, {                                                                            \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long p = i + 1; p < n; p++)                                                                                 \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(after_steps, 1, (n - 2) * lda + n - 1, {                                                                           \
    for (long p = 0; p < n; p++)                                                                                       \
      for (long i = 0; i < p; i++)                                                                                     \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(before_rows, lda, (n - 1) * lda + n - 2, {                                                                         \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long p = 0; p < i; p++)                                                                                     \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(before_steps, lda, (n - 1) * lda + n - 2, {                                                                        \
    for (long p = 0; p < n; p++)                                                                                       \
      for (long i = p + 1; i < n; i++)                                                                                 \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(after_sums, 1, (n - 2) * lda + n - 1, {                                                                            \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long j = 0; j < m; j++) {                                                                                   \
        double s = 0;                                                                                                  \
        for (long p = i + 1; p < n; p++)                                                                               \
          s += a[i * lda + p] * b[p * m + j];                                                                          \
        c[i * m + j] = s;                                                                                              \
      }                                                                                                                \
  })                                                                                                                   \
  F(before_sums, lda, (n - 1) * lda + n - 2, {                                                                         \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long j = 0; j < m; j++) {                                                                                   \
        double s = 0;                                                                                                  \
        for (long p = 0; p < i; p++)                                                                                   \
          s += a[i * lda + p] * b[p * m + j];                                                                          \
        c[i * m + j] = s;                                                                                              \
      }                                                                                                                \
  })                                                                                                                   \
  /* Further from the diagonal. */                                                                                     \
  F(far_from_diagonal, d, (n - 1) * lda + n - 1 + d, {                                                                 \
    for (long p = 0; p < n + d; p++)                                                                                   \
      for (long i = 0; i <= p - d; i++)                                                                                \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(long_steps, 0, (n - 1) * lda + n - 1, {                                                                            \
    for (long p = 0; p < n + 7; p++)                                                                                   \
      for (long i = p; i < n; i++)                                                                                     \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(few_rows, 5, 2 * lda + 7 + (n - 3), {                                                                              \
    for (long i = 0; i < 3; i++)                                                                                       \
      for (long p = i + 5; p < n + 5; p++)                                                                             \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  /* Columns bound the steps. */                                                                                       \
  F(columns_after, 1, (n - 2) * lda + n - 1, {                                                                         \
    for (long i = 0; i < m; i++)                                                                                       \
      for (long p = 0; p < n; p++)                                                                                     \
        for (long j = p + 1; j < n; j++)                                                                               \
          c[i * n + j] += b[i * n + p] * a[p * lda + j];                                                               \
  })                                                                                                                   \
  F(columns_before, lda, (n - 1) * lda + n - 2, {                                                                      \
    for (long i = 0; i < m; i++)                                                                                       \
      for (long p = 0; p < n; p++)                                                                                     \
        for (long j = 0; j < p; j++)                                                                                   \
          c[i * n + j] += b[i * n + p] * a[p * lda + j];                                                               \
  })                                                                                                                   \
  F(turned_before, lda, (n - 1) * lda + n - 2, {                                                                       \
    for (long j = 0; j < m; j++)                                                                                       \
      for (long p = 0; p < n; p++)                                                                                     \
        for (long i = 0; i < p; i++)                                                                                   \
          c[i * m + j] += a[p * lda + i] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(turned_after, 1, (n - 2) * lda + n - 1, {                                                                          \
    for (long j = 0; j < m; j++)                                                                                       \
      for (long p = 0; p < n; p++)                                                                                     \
        for (long i = p + 1; i < n; i++)                                                                               \
          c[i * m + j] += a[p * lda + i] * b[p * m + j];                                                               \
  })                                                                                                                   \
  /* In place, with and without something for the row itself. */                                                      \
  F(in_place, 1, (n - 2) * lda + n - 1, {                                                                              \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long j = 0; j < m; j++)                                                                                     \
        for (long p = i + 1; p < n; p++)                                                                               \
          c[i * m + j] += a[i * lda + p] * c[p * m + j];                                                               \
  })                                                                                                                   \
  F(in_place_steps, 1, (n - 2) * lda + n - 1, {                                                                        \
    for (long p = 0; p < n; p++)                                                                                       \
      for (long i = 0; i < p; i++)                                                                                     \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * c[p * m + j];                                                               \
  })                                                                                                                   \
  F(in_place_columns, lda, (n - 1) * lda + n - 2, {                                                                    \
    for (long j = 0; j < m; j++)                                                                                       \
      for (long p = 0; p < n; p++) {                                                                                   \
        double t = c[p + n * j];                                                                                       \
        for (long i = 0; i < p; i++)                                                                                   \
          c[i + n * j] += t * a[p * lda + i];                                                                          \
      }                                                                                                                \
  })                                                                                                                   \
  F(in_place_down, 1, (n - 2) * lda + n - 1, {                                                                         \
    for (long p = n - 1; p >= 0; p--) {                                                                                \
      for (long i = p + 1; i < n; i++)                                                                                 \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] -= a[p * lda + i] * c[p * m + j];                                                               \
      for (long j = 0; j < m; j++)                                                                                     \
        c[p * m + j] *= 2;                                                                                             \
    }                                                                                                                  \
  })                                                                                                                   \
  /* Vectors. */                                                                                                       \
  F(vector_before, 1, (n - 2) * lda + n - 1, {                                                                         \
    for (long p = 0; p < n; p++)                                                                                       \
      for (long i = 0; i < p; i++)                                                                                     \
        c[i] += b[p] * a[i * lda + p];                                                                                 \
  })                                                                                                                   \
  F(vector_sums, lda, (n - 1) * lda + n - 2, {                                                                         \
    for (long i = 0; i < n; i++) {                                                                                     \
      double s = 0;                                                                                                    \
      for (long p = 0; p < i; p++)                                                                                     \
        s += a[i * lda + p] * b[p];                                                                                    \
      c[i] = s;                                                                                                        \
    }                                                                                                                  \
  })                                                                                                                   \
  F(vector_after, 1, (n - 2) * lda + n - 1, {                                                                          \
    for (long i = 0; i < n; i++) {                                                                                     \
      double s = 0;                                                                                                    \
      for (long p = i + 1; p < n; p++)                                                                                 \
        s += a[i * lda + p] * b[p];                                                                                    \
      c[i] = s;                                                                                                        \
    }                                                                                                                  \
  })                                                                                                                   \
  /* The elements on the other side are in front of all rows, or behind them. */                                      \
  F(other_corner, 0, (n - 1) * lda, {                                                                                  \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long p = 0; p < n - i; p++)                                                                                 \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(other_corner_steps, 0, (n - 1) * lda, {                                                                            \
    for (long p = 0; p < n; p++)                                                                                       \
      for (long i = 0; i < n - p; i++)                                                                                 \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(other_corner_sums, 0, (n - 1) * lda, {                                                                             \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long j = 0; j < m; j++) {                                                                                   \
        double s = 0;                                                                                                  \
        for (long p = 0; p < n - i; p++)                                                                               \
          s += a[i * lda + p] * b[p * m + j];                                                                          \
        c[i * m + j] = s;                                                                                              \
      }                                                                                                                \
  })                                                                                                                   \
  F(last_corner, n - 1, (n - 1) * lda + n - 1, {                                                                       \
    for (long i = 0; i < n; i++)                                                                                       \
      for (long p = n - 1 - i; p < n; p++)                                                                             \
        for (long j = 0; j < m; j++)                                                                                   \
          c[i * m + j] += a[i * lda + p] * b[p * m + j];                                                               \
  })                                                                                                                   \
  F(vector_corner, 0, (n - 1) * lda, {                                                                                 \
    for (long i = 0; i < n; i++) {                                                                                     \
      double s = 0;                                                                                                    \
      for (long p = 0; p < n - i; p++)                                                                                 \
        s += a[i * lda + p] * b[p];                                                                                    \
      c[i] = s;                                                                                                        \
    }                                                                                                                  \
  })

#define F(name, first, last, ...)                                                                                      \
  __attribute__((noinline)) static void name(long n, long m, long lda, long d, const double *restrict a,               \
                                             const double *restrict b, double *restrict c) __VA_ARGS__
FORMS
#undef F

/// So many doubles, with no memory behind or in front of them.
static double *allocate(long count, int ends_page) {
  size_t page = 4096, bytes = count * sizeof(double), length = (bytes + page - 1) / page * page;
  char *all = mmap(0, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(all + page, length, PROT_READ | PROT_WRITE);
  return (double *)(all + page + (ends_page ? length - bytes : 0));
}

enum { MAX = 140 };
static double b[MAX * MAX], c[MAX * MAX];

static void run(const char *name, long first, long last, long n, long m, long lda, long d,
                void (*nest)(long, long, long, long, const double *, const double *, double *)) {
  unsigned long sum = 0;
  for (int ends_page = 0; ends_page < 2; ends_page++) {
    long count = last - first + 1;
    double *a = allocate(count, ends_page);
    for (long i = 0; i < count; i++)
      a[i] = (i * 7 % 23) / 7. - 1;
    for (long i = 0; i < MAX * MAX; i++) {
      b[i] = (i * 5 % 19) / 9. - 1;
      c[i] = (i * 3 % 17) / 5. - 1;
    }
    nest(n, m, lda, d, a - first, b, c);
    for (long i = 0; i < MAX * MAX; i++) {
      unsigned long bits;
      memcpy(&bits, &c[i], sizeof bits);
      sum = sum * 31 + bits;
    }
  }
  printf("%s %ld %ld: %lx\n", name, n, m, sum);
}

int main(void) {
  static const long sizes[][3] = {{3, 5, 4}, {6, 9, 7}, {25, 9, 31}, {40, 17, 70}, {64, 40, 64}, {125, 40, 700}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    long n = sizes[i][0], m = sizes[i][1], lda = sizes[i][2], d = 3;
#define F(name, first, last, ...) run(#name, first, last, n, m, lda, d, name);
    FORMS
#undef F
  }
}
