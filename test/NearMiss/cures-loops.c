//===- cures-loops.c - near misses of loops beside the product, and cures -===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s

#include <stddef.h>

//===--- Other loops in the nest. -------------------------------------------===//

// EXPECT ExtraLoop: a loop that may end early stands in front of each row
void checks_row(long n, double *restrict d, const double *restrict a, const double *restrict b,
                double *restrict c) {
  for (long i = 0; i < n; i++) {
    for (long p = 0; p < n; p++) { // <-
      if (d[p] < 0)                // <-
        break;
      d[p] += 1;
    }
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void checks_row_cured(long n, double *restrict d, const double *restrict a, const double *restrict b,
                      double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long p = 0; p < n; p++) {
      if (d[p] < 0)
        break;
      d[p] += 1;
    }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

#define TESTS(do, p) do(p) do(p + 1) do(p + 2) do(p + 3) do(p + 4) do(p + 5) do(p + 6) do(p + 7)
#define MORE_TESTS(do, p) TESTS(do, p) TESTS(do, p + 8) TESTS(do, p + 16) TESTS(do, p + 24)
#define ALL_TESTS(do) MORE_TESTS(do, 0) MORE_TESTS(do, 32) MORE_TESTS(do, 64) MORE_TESTS(do, 96) MORE_TESTS(do, 128)
#define COUNT(p)                                                               \
  if (d[i] > p)                                                                \
    over[p] = i;

// EXPECT LongBody: a long list of tests stands in front of each row
void tests_row(long n, const double *restrict d, long *restrict over, const double *restrict a,
               const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    ALL_TESTS(COUNT)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) // <-
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void tests_row_cured(long n, const double *restrict d, long *restrict over, const double *restrict a,
                     const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    ALL_TESTS(COUNT)
  }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

//===--- No loop over k. ----------------------------------------------------===//

// EXPECT UnrolledSum: something else is stored between the steps
void written_out(long n, const double *a, const double *b, double *c, double *d) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = c[i * n + j];
      s += a[i * n] * b[j];
      s += a[i * n + 1] * b[n + j];
      s += a[i * n + 2] * b[2 * n + j];
      s += a[i * n + 3] * b[3 * n + j];
      s += a[i * n + 4] * b[4 * n + j];
      s += a[i * n + 5] * b[5 * n + j];
      s += a[i * n + 6] * b[6 * n + j];
      s += a[i * n + 7] * b[7 * n + j];
      s += a[i * n + 8] * b[8 * n + j];
      d[j] = 1;
      s += a[i * n + 9] * b[9 * n + j];
      s += a[i * n + 10] * b[10 * n + j];
      s += a[i * n + 11] * b[11 * n + j];
      s += a[i * n + 12] * b[12 * n + j];
      s += a[i * n + 13] * b[13 * n + j];
      s += a[i * n + 14] * b[14 * n + j];
      s += a[i * n + 15] * b[15 * n + j];
      s += a[i * n + 16] * b[16 * n + j];
      s += a[i * n + 17] * b[17 * n + j];
      c[i * n + j] = s;
    }
}

void written_out_cured(long n, const double *a, const double *b, double *c, double *d) {
  for (long j = 0; j < n; j++)
    d[j] = 1;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = c[i * n + j];
      for (long k = 0; k < 18; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

//===--- Sums. --------------------------------------------------------------===//

// EXPECT NarrowSum: bits are counted in memory, in a narrower type
void bits(long n, const unsigned long *restrict a, const unsigned long *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += __builtin_popcountl(a[i * n + k] ^ b[k * n + j]);
}

void bits_cured(long n, const unsigned long *restrict a, const unsigned long *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int s = c[i * n + j];
      for (long k = 0; k < n; k++)
        s += __builtin_popcountl(a[i * n + k] ^ b[k * n + j]);
      c[i * n + j] = s;
    }
}

// EXPECT RankUpdate: one vector times another one, which nothing cures
void rank1(long n, const double *restrict x, const double *restrict y, double *restrict a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * n + j] += x[i] * y[j];
}

//===--- Bands times a matrix. --------------------------------------------===//

// EXPECT TwoDiagonals: rows of a band, with unsigned numbers
void band_rows(size_t n, size_t m, size_t w, const double *restrict a, const double *restrict b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t k = i > w ? i - w : 0; k <= (i + w < n - 1 ? i + w : n - 1); k++)
      for (size_t j = 0; j < m; j++)
        c[i * m + j] += a[i * n + k] * b[k * m + j];
}

// n and w are multiples of the number of rows.
void band_rows_cured(long n, long m, long w, const double *restrict a, const double *restrict b, double *restrict c) {
  enum { ROWS = 32 };
  for (long r = 0; r < n; r += ROWS) {
    const long first = r < w ? 0 : r + ROWS - 1 - w, last = r + ROWS + w > n ? n : r + w + 1;
    if (r >= w)
      for (long i = 0; i < ROWS; i++)
        for (long k = i; k < ROWS - 1; k++)
          for (long j = 0; j < m; j++)
            c[(r + i) * m + j] += a[(r + i) * n + r - w + k] * b[(r - w + k) * m + j];
    for (long i = r; i < r + ROWS; i++)
      for (long k = first; k < last; k++)
        for (long j = 0; j < m; j++)
          c[i * m + j] += a[i * n + k] * b[k * m + j];
    if (last < n)
      for (long i = 0; i < ROWS; i++)
        for (long k = 0; k < i; k++)
          for (long j = 0; j < m; j++)
            c[(r + i) * m + j] += a[(r + i) * n + last + k] * b[(last + k) * m + j];
  }
}

// EXPECT TwoDiagonals: the same, with sums in scalars
void band_sums(size_t n, size_t m, size_t w, const double *restrict a, const double *restrict b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double s = 0;
      for (size_t k = i > w ? i - w : 0; k <= (i + w < n - 1 ? i + w : n - 1); k++)
        s += a[i * n + k] * b[k * m + j];
      c[i * m + j] = s;
    }
}

// EXPECT TwoDiagonals: of signed numbers, by columns
void band_columns(long n, long m, long w, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = i > w ? i - w : 0; k < (i + w + 1 < n ? i + w + 1 : n); k++)
      for (long j = 0; j < m; j++)
        c[i + j * n] += a[i + k * n] * b[k + j * n];
}

// EXPECT TwoDiagonals: the lower half of a band
void lower_band(size_t n, size_t m, size_t w, const double *restrict a, const double *restrict b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double s = 0;
      for (size_t k = i > w ? i - w : 0; k <= i; k++)
        s += a[i * n + k] * b[k * m + j];
      c[i * m + j] = s;
    }
}
