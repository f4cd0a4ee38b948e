//===- cures.c - near misses, and what they are when the remark is followed ===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function stands in front of another one, of the same name and '_cured':
// what one gets by doing what the remark says. It is replaced.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s -fno-math-errno

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===--- Rows. ------------------------------------------------------------===//

// EXPECT RowSetBefore: a layer, of which two loops start a row and one finishes it
void bias(long m, long n, long l, const double *restrict a, const double *restrict b,
          const double *restrict bias, double *restrict c) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[i * n + j] = bias[j]; // <-
    for (long j = 0; j < n; j++)
      c[i * n + j] += bias[n + j];
    for (long k = 0; k < l; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
    for (long j = 0; j < n; j++)
      c[i * n + j] = c[i * n + j] > 0 ? c[i * n + j] : 0;
  }
}

void bias_cured(long m, long n, long l, const double *restrict a, const double *restrict b,
                const double *restrict bias, double *restrict c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      c[i * n + j] = bias[j] + bias[n + j];
  for (long i = 0; i < m; i++) {
    for (long k = 0; k < l; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
    for (long j = 0; j < n; j++)
      c[i * n + j] = c[i * n + j] > 0 ? c[i * n + j] : 0;
  }
}

// EXPECT RowBuffer: sums in a row that the caller gives
void row_buffer(long m, long n, long l, const double *restrict a, const double *restrict b, double *restrict c,
                double *restrict row) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      row[j] = 0;
    for (long k = 0; k < l; k++)
      for (long j = 0; j < n; j++)
        row[j] += a[i * l + k] * b[k * n + j]; // <-
    for (long j = 0; j < n; j++)
      c[i * n + j] = row[j];
  }
}

void row_buffer_cured(long m, long n, long l, const double *restrict a, const double *restrict b, double *restrict c,
                      double *restrict row) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < n; j++)
      c[i * n + j] = 0;
    for (long k = 0; k < l; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * l + k] * b[k * n + j];
  }
}

// EXPECT RowBuffer: a local array
void local_row(long m, long l, const double *restrict a, const double (*restrict b)[256], double (*restrict c)[256]) {
  for (long i = 0; i < m; i++) {
    double row[256];
    for (long j = 0; j < 256; j++)
      row[j] = 0;
    for (long k = 0; k < l; k++)
      for (long j = 0; j < 256; j++)
        row[j] += a[i * l + k] * b[k][j]; // <-
    for (long j = 0; j < 256; j++)
      c[i][j] = row[j] > 0 ? row[j] : 0;
  }
}

void local_row_cured(long m, long l, const double *restrict a, const double (*restrict b)[256],
                     double (*restrict c)[256]) {
  for (long i = 0; i < m; i++) {
    for (long j = 0; j < 256; j++)
      c[i][j] = 0;
    for (long k = 0; k < l; k++)
      for (long j = 0; j < 256; j++)
        c[i][j] += a[i * l + k] * b[k][j];
  }
  for (long i = 0; i < m; i++)
    for (long j = 0; j < 256; j++)
      c[i][j] = c[i][j] > 0 ? c[i][j] : 0;
}

// EXPECT RowBuffer: an array of variable length
void variable_row(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) {
    double row[n];
    for (int j = 0; j < n; j++)
      row[j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        row[j] += a[i * n + k] * b[k * n + j]; // <-
    for (int j = 0; j < n; j++)
      c[i * n + j] = row[j];
  }
}

void variable_row_cured(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c[i * n + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// EXPECT RowBuffer: A = A * B, a row at a time
void in_place(long n, double *restrict a, const double *restrict b, double *restrict row) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      row[j] = s; // <-
    }
    for (long j = 0; j < n; j++)
      a[i * n + j] = row[j];
  }
}

void in_place_cured(long n, double *restrict a, const double *restrict b, double *restrict rows) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      rows[i * n + j] = s;
    }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      a[i * n + j] = rows[i * n + j];
}

// EXPECT RowBuffer: memset, and memcpy behind
void heap_row(long n, const double *a, const double *b, double *c) {
  double *row = malloc(n * sizeof *row);
  for (long i = 0; i < n; i++) {
    memset(row, 0, n * sizeof *row);
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        row[j] += a[i * n + k] * b[k * n + j]; // <-
    memcpy(c + i * n, row, n * sizeof *row);
  }
  free(row);
}

void heap_row_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++) {
    memset(c + i * n, 0, n * sizeof *c);
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

// EXPECT Allocation: a row for each iteration
void row_each(long n, const double *a, const double *b, double **c) {
  for (long i = 0; i < n; i++) {
    c[i] = calloc(n, sizeof **c); // <-
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i * n + k] * b[k * n + j];
  }
}

void row_each_cured(long n, const double *a, const double *b, double **c) {
  for (long i = 0; i < n; i++)
    c[i] = calloc(n, sizeof **c);
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i * n + k] * b[k * n + j];
}

// EXPECT RowBefore: each row of a recurrent layer needs the one before
void recurrent(long times, long n, const double *restrict x, const double *restrict w, double *restrict h) {
  for (long t = 1; t < times; t++) {
    for (long j = 0; j < n; j++)
      h[t * n + j] = x[t * n + j];
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        h[t * n + j] += h[(t - 1) * n + k] * w[k * n + j]; // <-
  }
}

void recurrent_cured(long times, long n, const double *restrict x, const double *restrict w, double *restrict h) {
  for (long t = 1; t < times; t++)
    for (long j = 0; j < n; j++) {
      double s = x[t * n + j];
      for (long k = 0; k < n; k++)
        s += h[(t - 1) * n + k] * w[k * n + j];
      h[t * n + j] = s;
    }
}

//===--- Sums. ------------------------------------------------------------===//

// EXPECT InnerSum: the inner sum is subtracted
void subtracted(long n, long l, long r, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < l; p++) {
        double q = 0;
        for (long k = 0; k < r; k++)
          q += a[(i * l + p) * r + k] * b[(p * r + k) * n + j];
        s -= q; // <-
      }
      c[i * n + j] = s;
    }
}

void subtracted_cured(long n, long l, long r, const double *restrict a, const double *restrict b, double *restrict c,
                      double *restrict sums) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long p = 0; p < l; p++) {
        double q = 0;
        for (long k = 0; k < r; k++)
          q += a[(i * l + p) * r + k] * b[(p * r + k) * n + j];
        sums[(i * n + j) * l + p] = q;
      }
  for (long i = 0; i < n * n; i++) {
    c[i] = 0;
    for (long p = 0; p < l; p++)
      c[i] -= sums[i * l + p];
  }
}

// EXPECT PartialSum: a sum for each block of steps
void partial(long n, long l, long r, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < l; p++) {
        double q = 0;
        for (long k = 0; k < r; k++)
          q += a[(i * l + p) * r + k] * b[(p * r + k) * n + j];
        s += q; // <-
      }
      c[i * n + j] = s;
    }
}

void partial_cured(long n, long l, long r, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < l; p++)
        for (long k = 0; k < r; k++)
          s += a[(i * l + p) * r + k] * b[(p * r + k) * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Diagonal: one step is left out
void all_but_one(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        if (k != i)
          s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void all_but_one_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < i; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = i + 1; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT SumTile: even and odd steps
void even_and_odd(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double even = 0, odd = 0;
      for (long k = 0; k + 1 < n; k += 2) {
        even += a[i * n + k] * b[k * n + j];
        odd += a[i * n + k + 1] * b[(k + 1) * n + j];
      }
      c[i * n + j] = even + odd;
    }
}

void even_and_odd_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT SumTile: four sums, and the steps that are left over
void four_and_rest(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
      long k = 0;
      for (; k + 3 < n; k += 4) {
        s0 += a[i * n + k] * b[j * n + k];
        s1 += a[i * n + k + 1] * b[j * n + k + 1];
        s2 += a[i * n + k + 2] * b[j * n + k + 2];
        s3 += a[i * n + k + 3] * b[j * n + k + 3];
      }
      for (; k < n; k++)
        s0 += a[i * n + k] * b[j * n + k];
      c[i * n + j] = s0 + s1 + s2 + s3;
    }
}

void four_and_rest_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[j * n + k];
      c[i * n + j] = s;
    }
}

// EXPECT NotProduct: three factors
void weighted(long n, const double *a, const double *b, const double *w, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j] * w[k]; // <-
}

void weighted_cured(long n, const double *a, const double *b, const double *w, double *c, double *aw) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      aw[i * n + k] = a[i * n + k] * w[k];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += aw[i * n + k] * b[k * n + j];
}

// EXPECT ScaledSum: the sum decays
void decays(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s = 0.5 * (s + a[i * n + k] * b[k * n + j]); // <-
      c[i * n + j] = s; // <-
    }
}

void decays_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = 0.5 * s;
    }
}

// EXPECT UsedAfter: one sum goes on through all elements
double goes_on(long n, const double *a, const double *b, double *c) {
  double s = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  return s;
}

double goes_on_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  double all = 0;
  for (long i = 0; i < n * n; i++)
    all += c[i];
  return all;
}

// EXPECT VaryingScalar: the sum is not set to zero again
void not_reset(long n, const double *a, const double *b, double *c) {
  double s = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void not_reset_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

//===--- Branches. --------------------------------------------------------===//

// EXPECT Branch: small elements are skipped
void skips_small(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      if (fabs(a[i * n + k]) > 1e-9) // <-
        for (long j = 0; j < n; j++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void skips_small_cured(long n, const double *restrict a, const double *restrict b, double *restrict c,
                       double *restrict large) {
  for (long i = 0; i < n * n; i++)
    large[i] = fabs(a[i]) > 1e-9 ? a[i] : 0;
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += large[i * n + k] * b[k * n + j];
}

// EXPECT Branch: one of two arrays, by row
void chosen(long n, long m, const double *restrict a, const double *restrict b, const double *restrict d,
            double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) // <-
      for (long k = 0; k < n; k++) // <-
        c[i * n + j] += i < m ? a[i * n + k] * b[k * n + j] : d[i * n + k] * b[k * n + j]; // <-
}

void chosen_cured(long n, long m, const double *restrict a, const double *restrict b, const double *restrict d,
                  double *restrict c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  for (long i = m; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += d[i * n + k] * b[k * n + j];
}

// EXPECT Branch: the first step sets, the others add
void first_sets(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) // <-
        c[i * n + j] = k ? c[i * n + j] + a[i * n + k] * b[k * n + j] : a[i * n + k] * b[k * n + j]; // <-
}

void first_sets_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      c[i * n + j] = a[i * n] * b[j];
  for (long i = 0; i < n; i++)
    for (long k = 1; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT Branch: a switch over modes
void modes(long n, const double *a, const double *b, double *c, const int *mode) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) // <-
        switch (mode[i]) { // <-
        case 0:
          c[i * n + j] += a[i * n + k] * b[k * n + j];
          break;
        case 1:
          c[i * n + j] -= a[i * n + k] * b[k * n + j];
          break;
        default:
          c[i * n + j] = 0;
        }
}

void modes_cured(long n, const double *a, const double *b, double *c, const int *mode, double *signs_a) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      signs_a[i * n + k] = mode[i] == 0 ? a[i * n + k] : mode[i] == 1 ? -a[i * n + k] : 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] += signs_a[i * n + k] * b[k * n + j];
}

// EXPECT Branch: the diagonal is left out
void off_diagonal(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      if (i == j) // <-
        continue;
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s; // <-
    }
}

void off_diagonal_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < i; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (long i = 0; i < n; i++)
    for (long j = i + 1; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Branch: every second row
void odd_rows(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++) {
    if (i % 2) // <-
      continue;
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  }
}

void odd_rows_cured(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i += 2)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Mask: rows of a mask
void masked_rows(long n, const char *restrict use, const double *restrict a, const double *restrict b,
                 double *restrict c) {
  for (long i = 0; i < n; i++)
    if (use[i]) // <-
      for (long j = 0; j < n; j++) {
        double s = 0;
        for (long k = 0; k < n; k++)
          s += a[i * n + k] * b[k * n + j];
        c[i * n + j] = s;
      }
}

void masked_rows_cured(long n, const char *restrict use, const double *restrict a, const double *restrict b,
                       double *restrict c, double *restrict all) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      all[i * n + j] = s;
    }
  for (long i = 0; i < n; i++)
    if (use[i])
      for (long j = 0; j < n; j++)
        c[i * n + j] = all[i * n + j];
}

// EXPECT Mask: elements of a mask
void masked(long n, const char *restrict use, const double *restrict a, const double *restrict b,
            double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      if (use[i * n + j]) { // <-
        double s = 0;
        for (long k = 0; k < n; k++)
          s += a[i * n + k] * b[k * n + j];
        c[i * n + j] = s;
      }
}

void masked_cured(long n, const char *restrict use, const double *restrict a, const double *restrict b,
                  double *restrict c, double *restrict all) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      all[i * n + j] = s;
    }
  for (long i = 0; i < n * n; i++)
    if (use[i])
      c[i] = all[i];
}

// EXPECT ConditionalLoad: another array where an element is negative
void other_if_negative(long n, const double *restrict a, const double *restrict b, const double *restrict d,
                       double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      double x = a[i * n + k] < 0 ? d[k] : a[i * n + k]; // <-
      for (long j = 0; j < n; j++)
        c[i * n + j] += x * b[k * n + j];
    }
}

void other_if_negative_cured(long n, const double *restrict a, const double *restrict b, const double *restrict d,
                             double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      double x = a[i * n + k], y = d[k];
      for (long j = 0; j < n; j++)
        c[i * n + j] += (x < 0 ? y : x) * b[k * n + j];
    }
}

// EXPECT TruthValues: a step from one set to another by '&&', until one is found
void reached(long n, const unsigned char *restrict a, const unsigned char *restrict b, unsigned char *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        if (a[i * n + k] && b[k * n + j]) {
          c[i * n + j] = 1; // <-
          break;
        }
}

void reached_cured(long n, const unsigned char *restrict a, const unsigned char *restrict b,
                   unsigned char *restrict c) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] |= (a[i * n + k] != 0) & (b[k * n + j] != 0);
}

// EXPECT TruthValues: the same by '||', with k innermost
void reached_dots(long n, const int *restrict a, const int *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] = c[i * n + j] || (a[i * n + k] && b[k * n + j]); // <-
}

void reached_dots_cured(long n, const int *restrict a, const int *restrict b, int *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * n + j] |= (a[i * n + k] != 0) & (b[k * n + j] != 0);
}

//===--- Ends of loops. ---------------------------------------------------===//

// EXPECT EarlyExit: stops at a value that is no number
int checked(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        if (isnan(a[i * n + k])) // <-
          return 1;
        s += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = s;
    }
  return 0;
}

int checked_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n * n; i++)
    if (isnan(a[i]))
      return 1;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  return 0;
}

// EXPECT EarlyExit: gives up when a sum is too large
int gives_up(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      if (s > 1e300) // <-
        return -1;
      c[i * n + j] = s;
    }
  return 0;
}

int gives_up_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (long i = 0; i < n * n; i++)
    if (c[i] > 1e300)
      return -1;
  return 0;
}

volatile int stop;

// EXPECT EarlyExit: another thread may stop it
void can_be_stopped(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n && !stop; i++) // <-
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void can_be_stopped_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT UnknownTripCount: to an element that is negative
void to_sentinel(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; a[i * n + k] >= 0; k++) // <-
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void to_sentinel_cured(long n, long length, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < length; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT UnknownTripCount: a counter that is no integer
void no_integer(long n, const double *a, const double *b, double *c) {
  for (float i = 0; i < n; i++) // <-
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[(long)i * n + k] * b[k * n + j];
      c[(long)i * n + j] = s;
    }
}

void no_integer_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT UnknownTripCount: a step that may be anything
void any_step(int n, int step, const double *a, const double *b, double *c) {
  for (int i = 0; i != n; i += step) // <-
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void any_step_cured(int n, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i += 2)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

// EXPECT BoundVaries: rows of any length
void ragged(long n, const long *length, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < length[i]; k++) // <-
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void ragged_cured(long n, const long *length, const double *restrict a, const double *restrict b,
                  double *restrict c) {
  long l = length[0];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < l; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT TwoDiagonals: a band, cut off at its lower end alone, with unsigned numbers
void half_band(size_t n, size_t w, const double *restrict a, const double *restrict b, double *restrict c) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double s = 0;
      for (size_t k = i > w ? i - w : 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

void half_band_cured(size_t n, size_t w, const double *restrict a, const double *restrict b, double *restrict c) {
  long rows = n, width = w;
  for (long i = 0; i < rows; i++)
    for (long j = 0; j < rows; j++) {
      double s = 0;
      for (long k = i > width ? i - width : 0; k < rows; k++)
        s += a[i * rows + k] * b[k * rows + j];
      c[i * rows + j] = s;
    }
}

//===--- What else is done. -----------------------------------------------===//

// EXPECT Call: a message for each row
void tells_rows(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    printf("row %ld\n", i); // <-
  }
}

void tells_rows_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  printf("%ld rows\n", n);
}

// EXPECT Call: each element is printed
void prints(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
      printf("%g ", s); // <-
    }
    puts("");
  }
}

void prints_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      printf("%g ", c[i * n + j]);
    puts("");
  }
}

// EXPECT Call: a message now and then, in the loop over k
void tells_steps(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        if (k % 100 == 0)
          printf("%ld\n", k); // <-
      }
      c[i * n + j] = s;
    }
}

void tells_steps_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Assembly: a barrier for the compiler
void barrier(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
        __asm__ volatile("" ::: "memory"); // <-
      }
      c[i * n + j] = s;
    }
}

void barrier_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  __asm__ volatile("" ::: "memory");
}

// EXPECT OtherStore: something else is counted
void counts(long n, const double *restrict a, const double *restrict b, double *restrict c, double *restrict used) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++) {
        c[i * n + j] += a[i * n + k] * b[k * n + j];
        used[j] += b[k * n + j]; // <-
      }
}

void counts_cured(long n, const double *restrict a, const double *restrict b, double *restrict c,
                  double *restrict used) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        used[j] += b[k * n + j];
}

// EXPECT Volatile: a volatile matrix
void changing(long n, const volatile double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void changing_cured(long n, const volatile double *a, const double *b, double *c, double *now) {
  for (long i = 0; i < n * n; i++)
    now[i] = a[i];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += now[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Volatile: rows are counted for other threads
void counts_rows(long n, const double *a, const double *b, double *c, _Atomic int *done) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
    atomic_fetch_add(done, 1); // <-
  }
}

void counts_rows_cured(long n, const double *a, const double *b, double *c, _Atomic int *done) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  atomic_fetch_add(done, n);
}

// EXPECT Volatile: sums that are atomic
void atomic_sums(int n, const int *a, const int *b, _Atomic int *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * b[k * n + j]; // <-
}

void atomic_sums_cured(int n, const int *a, const int *b, _Atomic int *c, int *sums) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      sums[i * n + j] = 0;
      for (int k = 0; k < n; k++)
        sums[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  for (int i = 0; i < n * n; i++)
    c[i] += sums[i];
}

//===--- Types. -----------------------------------------------------------===//

// EXPECT LongDouble: long double throughout
void extended(long n, const long double *a, const long double *b, long double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void extended_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT LongDouble: four times as long as float
void quadruple(long n, const __float128 *a, const __float128 *b, __float128 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      __float128 s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void quadruple_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT ElementType: 128 bits
void wide(long n, const long *a, const long *b, __int128 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      __int128 s = 0;
      for (long k = 0; k < n; k++)
        s += (__int128)a[i * n + k] * b[k * n + j];
      c[i * n + j] = s; // <-
    }
}

void wide_cured(long n, const long *a, const long *b, long *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      long s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT HalfSum: half precision without such vectors
void halves(long n, const _Float16 *a, const _Float16 *b, _Float16 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      _Float16 s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s; // <-
    }
}

void halves_cured(long n, const _Float16 *a, const _Float16 *b, float *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float s = 0;
      for (long k = 0; k < n; k++)
        s += (float)a[i * n + k] * (float)b[k * n + j];
      c[i * n + j] = s;
    }
}

typedef double v4 __attribute__((vector_size(32)));

// EXPECT HandVectorized: vectors of the source's own
void own_vectors(long n, const double *a, const v4 *b, v4 *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n / 4; j++) {
      v4 s = {0};
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * (n / 4) + j]; // <-
      c[i * (n / 4) + j] = s;
    }
}

void own_vectors_cured(long n, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

//===--- Subscripts. ------------------------------------------------------===//

// EXPECT NotAffine: rows that an array chooses
void rows_of(long n, long m, const int *row, const double *a, const double *b, double *c) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[row[i] * n + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void rows_of_cured(long n, long m, const int *row, const double *a, const double *b, double *c, double *chosen) {
  for (long i = 0; i < m; i++)
    for (long k = 0; k < n; k++)
      chosen[i * n + k] = a[row[i] * n + k];
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += chosen[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT NotAffine: steps that an array chooses
void steps_of(long n, const int *step, const double *a, const double *b, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * b[step[k] * n + j]; // <-
      c[i * n + j] = s;
    }
}

void steps_of_cured(long n, const int *step, const double *a, const double *b, double *c, double *chosen) {
  for (long k = 0; k < n; k++)
    for (long j = 0; j < n; j++)
      chosen[k * n + j] = b[step[k] * n + j];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += a[i * n + k] * chosen[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT NotAffine: rows of a triangle, one behind the other
void packed_rows(long n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k <= i; k++)
        s += a[i * (i + 1) / 2 + k] * b[k * n + j]; // <-
      c[i * n + j] = s;
    }
}

void packed_rows_cured(long n, const double *restrict a, const double *restrict b, double *restrict c,
                       double *restrict whole) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k <= i; k++)
      whole[i * n + k] = a[i * (i + 1) / 2 + k];
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k <= i; k++)
        s += whole[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}

// EXPECT Recurrence: the square of a matrix in its own place
void squared(long n, double *a) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        a[i * n + j] += a[i * n + k] * a[k * n + j]; // <-
}

void squared_cured(long n, const double *a, double *c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      c[i * n + j] = a[i * n + j];
      for (long k = 0; k < n; k++)
        c[i * n + j] += a[i * n + k] * a[k * n + j];
    }
}
