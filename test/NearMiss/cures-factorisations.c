//===- cures-factorisations.c - each step needs those before it -----------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// See cures.c. In blocks of 64 rows and columns, what a finished block does to all
// others is a product.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s -fno-math-errno

#include <math.h>

// EXPECT Factorisation: LU by rank-1 updates
void lu(long n, double *a) {
  for (long k = 0; k < n; k++)
    for (long i = k + 1; i < n; i++) {
      a[i * n + k] /= a[k * n + k];
      for (long j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
    }
}

void lu_cured(long n, double *a) {
  for (long b = 0; b < n; b += 64) {
    long e = b + 64 < n ? b + 64 : n;
    for (long k = b; k < e; k++)
      for (long i = k + 1; i < n; i++) {
        a[i * n + k] /= a[k * n + k];
        for (long j = k + 1; j < e; j++)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
      }
    for (long i = b + 1; i < e; i++)
      for (long k = b; k < i; k++)
        for (long j = e; j < n; j++)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
    for (long i = e; i < n; i++)
      for (long j = e; j < n; j++)
        for (long k = b; k < e; k++)
          a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}

// EXPECT Factorisation: with a search for the pivot, which may find none
int lu_with_pivots(int n, double *a) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[p * n + k]))
        p = i;
    if (a[p * n + k] == 0)
      return -1;
    if (p != k)
      for (int j = 0; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[p * n + j];
        a[p * n + j] = t;
      }
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= f * a[k * n + j];
    }
  }
  return 0;
}

// EXPECT Factorisation: Crout's order
void crout(long n, double a[n][n]) {
  for (long j = 0; j < n; j++) {
    for (long i = 0; i < n; i++) {
      double s = a[i][j];
      long m = i < j ? i : j;
      for (long k = 0; k < m; k++)
        s -= a[i][k] * a[k][j];
      a[i][j] = s;
    }
    for (long i = j + 1; i < n; i++)
      a[i][j] /= a[j][j];
  }
}

// EXPECT Factorisation: L beside U, which is known
void doolittle(int n, const double *a, double *l, const double *u) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (k < i)
        l[k * n + i] = 0;
      else if (k == i)
        l[k * n + i] = 1;
      else {
        double s = a[k * n + i];
        for (int j = 0; j < i; j++)
          s -= l[k * n + j] * u[j * n + i];
        l[k * n + i] = s / u[i * n + i];
      }
}

// EXPECT Factorisation: Cholesky in one loop over all elements, which may fail
int cholesky(long n, double a[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++) {
      double s = a[i][j];
      for (long k = 0; k < j; k++)
        s -= a[i][k] * a[j][k];
      if (i == j) {
        if (s <= 0)
          return 0;
        a[i][i] = sqrt(s);
      } else
        a[i][j] = s / a[j][j];
    }
  return 1;
}

int cholesky_cured(long n, double a[n][n]) {
  for (long b = 0; b < n; b += 64) {
    long e = b + 64 < n ? b + 64 : n;
    for (long i = b; i < n; i++)
      for (long j = b; j < e && j <= i; j++) {
        double s = a[i][j];
        for (long k = b; k < j; k++)
          s -= a[i][k] * a[j][k];
        if (i == j) {
          if (s <= 0)
            return 0;
          a[i][i] = sqrt(s);
        } else
          a[i][j] = s / a[j][j];
      }
    for (long i = e; i < n; i++)
      for (long j = e; j <= i; j++)
        for (long k = b; k < e; k++)
          a[i][j] -= a[i][k] * a[j][k];
  }
  return 1;
}

// EXPECT Factorisation: L beside A, with a choice for the diagonal
void cholesky_apart(int n, const double *a, double *l) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double s = 0;
      for (int k = 0; k < j; k++)
        s += l[i * n + k] * l[j * n + k];
      l[i * n + j] = i == j ? sqrt(a[i * n + i] - s) : (a[i * n + j] - s) / l[j * n + j];
    }
}

// EXPECT Factorisation: L D L^T
void with_diagonal(long n, double a[n][n], double *restrict d) {
  for (long j = 0; j < n; j++) {
    double s = a[j][j];
    for (long k = 0; k < j; k++)
      s -= a[j][k] * a[j][k] * d[k];
    d[j] = s;
    for (long i = j + 1; i < n; i++) {
      double t = a[i][j];
      for (long k = 0; k < j; k++)
        t -= a[i][k] * a[j][k] * d[k];
      a[i][j] = t / d[j];
    }
  }
}

// EXPECT Factorisation: Gauss-Jordan, all rows but the pivot's
void gauss_jordan(long n, double a[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      if (i != k) {
        double f = a[i][k] / a[k][k];
        for (long j = 0; j < n; j++)
          a[i][j] -= f * a[k][j];
      }
}

// EXPECT Factorisation: forward substitution, many right-hand sides
void solve(long n, long m, const double *restrict a, double *restrict x) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      double s = x[i * m + j];
      for (long k = 0; k < i; k++)
        s -= a[i * n + k] * x[k * m + j];
      x[i * m + j] = s / a[i * n + i];
    }
}

void solve_cured(long n, long m, const double *restrict a, double *restrict x) {
  for (long b = 0; b < n; b += 64) {
    long e = b + 64 < n ? b + 64 : n;
    for (long i = b; i < e; i++)
      for (long j = 0; j < m; j++) {
        double s = x[i * m + j];
        for (long k = b; k < i; k++)
          s -= a[i * n + k] * x[k * m + j];
        x[i * m + j] = s / a[i * n + i];
      }
    for (long i = e; i < n; i++)
      for (long j = 0; j < m; j++)
        for (long k = b; k < e; k++)
          x[i * m + j] -= a[i * n + k] * x[k * m + j];
  }
}

// EXPECT Factorisation: of a constant size
void solve64(double a[64][64], double x[64][64]) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      double s = x[i][j];
      for (int k = 0; k < i; k++)
        s -= a[i][k] * x[k][j];
      x[i][j] = s / a[i][i];
    }
}

// EXPECT Factorisation: the right-hand sides are copied row by row
void solve_copied(long n, const double *restrict a, const double *restrict b, double *restrict x) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++)
      x[i * n + j] = b[i * n + j];
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        x[i * n + j] -= a[i * n + k] * x[k * n + j];
  }
}

// EXPECT Factorisation: backwards
void solve_upper(long n, long m, const double *restrict a, double *restrict x) {
  for (long i = n - 1; i >= 0; i--)
    for (long j = 0; j < m; j++) {
      double s = x[i * m + j];
      for (long k = i + 1; k < n; k++)
        s -= a[i * n + k] * x[k * m + j];
      x[i * m + j] = s / a[i * n + i];
    }
}

// EXPECT Factorisation: by columns, as in Fortran
void solve_by_columns(long n, long m, const double *restrict a, double *restrict x) {
  for (long j = 0; j < m; j++)
    for (long k = 0; k < n; k++) {
      x[j * n + k] /= a[k * n + k];
      for (long i = k + 1; i < n; i++)
        x[j * n + i] -= a[k * n + i] * x[j * n + k];
    }
}

// EXPECT Factorisation: the inverse of a lower triangle
void inverse(long n, const double *restrict l, double *restrict x) {
  for (long j = 0; j < n; j++)
    for (long i = j; i < n; i++) {
      double s = i == j ? 1 : 0;
      for (long k = j; k < i; k++)
        s -= l[i * n + k] * x[k * n + j];
      x[i * n + j] = s / l[i * n + i];
    }
}
