//===- cures-arithmetic.c - near misses by what is computed, and how ------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s -fno-math-errno

#include <math.h>
#include <stdlib.h>

// EXPECT OtherOperation: roots of a factor
void roots(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += sin(a[i * n + k]) * b[k * n + j]; // <-
}

void roots_cured(long n, const double *a, const double *b, double *c, double *of_a) {
  for (long i = 0; i < n * n; i++)
    of_a[i] = sin(a[i]);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += of_a[i * n + k] * b[k * n + j];
}

// EXPECT OtherOperation: the greatest partial sum
void greatest(long n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict m) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, most = 0;
      for (long k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        most = s > most ? s : most; // <-
      }
      c[i * n + j] = s;
      m[i * n + j] = most;
    }
}

// EXPECT NoUpdate: adds to another element each time
void next_element(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] = c[i * n + k] + a[i * n + k] * b[k * n + j]; // <-
}

void next_element_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] = c[i * n + j] + a[i * n + k] * b[k * n + j];
}

// EXPECT ComplexProduct: C is scaled in the same loops
void scaled_complex(long n, double _Complex beta, const double _Complex *a, const double _Complex *b,
                    double _Complex *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double _Complex s = beta * c[i * n + j]; // <-
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void scaled_complex_cured(long n, double _Complex beta, const double _Complex *a, const double _Complex *b,
                          double _Complex *c) {
  for (long i = 0; i < n * n; i++)
    c[i] = beta * c[i];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double _Complex s = c[i * n + j];
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Pragma: no vectors
void one_by_one(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma clang loop vectorize(disable)
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void one_by_one_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT IndexRoles: j moves one factor alone
void sums_of_rows(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) // <-
        c[i] += a[i * n + k] * b[k * n + j]; // <-
}

void sums_of_rows_cured(long n, const double *restrict a, const double *restrict b, double *restrict c,
                        double *restrict sums) {
  for (long k = 0; k < n; k++) {
    sums[k] = 0;
    for (long j = 0; j < n; j++)
      sums[k] += b[k * n + j];
  }
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      c[i] += a[i * n + k] * sums[k];
}

// EXPECT RowTable: rows by pointers, of a triangle
void triangle_of_tables(long n, double **a, double **b, double **c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k <= i; k++)
        c[i][j] += a[i][k] * b[k][j]; // <-
}

void triangle_of_tables_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k <= i; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT BoundVaries: rows grow by two
void steep(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= 2 * i; j++)
      for (long k = 0; k < n; k++)
        c[i * 2 * n + j] += a[i * n + k] * b[k * 2 * n + j];
}

// EXPECT NotAffine: pairs of steps change places
void butterfly(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[(k ^ 1) * n + j]; // <-
      c[i * n + j] = s;
    }
}

void butterfly_cured(long n, const double *a, const double *b, double *c, double *rows) {
  for (long k = 0; k < n; k++)
    for (long j = 0; j < n; j++)
      rows[k * n + j] = b[(k ^ 1) * n + j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * rows[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT NotAffine: squares of a counter
void squares(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * i * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void squares_cured(long n, const double *a, const double *b, double *c, double *rows) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      rows[i * n + k] = a[i * i * n + k];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += rows[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT OtherStore: all partial sums are kept
void history(long n, const double *a, const double *b, double *restrict c, double *restrict all) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        all[(i * n + j) * n + k] = c[i * n + j]; // <-
      }
}

// EXPECT EmptySum|SumInParts|Branch|Mask: elements without steps are set
void not_all_have_steps(long n, const long *begin, const double *restrict a, const double *restrict b,
                        double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      if (begin[i] < n)
        for (long k = 0; k < n; k++)
          s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT InitMismatch: more elements are set than summed
void sets_more(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i + 2; j++)
      c[i * n + j] = 0;
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

void sets_more_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i + 2; j++)
      c[i * n + j] = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT AttributeForbids: as small as can be
__attribute__((minsize))
void small_code(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void small_code_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT TooSmall: rotations
void rotations(const double a[3][3], const double b[3][3], double c[3][3]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double s = 0;
      for (int k = 0; k < 3; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT Compensated: compensated sums
void compensated(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, e = 0;
      for (long k = 0; k < n; k++) {
        double y = a[i * n + k] * b[k * n + j] - e, t = s + y;
        e = (t - s) - y;
        s = t;
      }
      c[i * n + j] = s;
    }
}

// EXPECT FusedCounter: one counter for rows and columns, and a sum that goes on
void fused(long n, const double *a, const double *b, double *c) {
  double s = 0;
  for (long t = 0; t < n * n; t++) {
    long i = t / n, j = t % n;
    for (long k = 0; k < n; k++)
      s += a[i * n + k] * b[k * n + j];
    c[t] = s;
  }
}

void fused_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
