//===- tested-diagonals.c - a branch leaves out one side of a diagonal ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 'if (j <= i)' around the sum is a triangle, as the bound of a loop is: in the updates of a blocked Cholesky
// factorisation, whose factors are columns of the matrix that is updated, and with a diagonal anywhere, also beside the
// rectangle. What is stored on both sides, or on the other one, is not.
//
// RUN: %clang -O3 -march=native -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 -mllvm -tilesmith-verify=1 \
// RUN:     -Rpass=tilesmith -Rpass-missed=tilesmith %s -lm -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -lm -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s -lm -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include <math.h>
#include <stdio.h>

enum { BLOCK = 16 };
#define MIN(x, y) ((x) < (y) ? (x) : (y))

__attribute__((noinline)) static void column(long n, long k, long to, double *a) {
  for (long c = k; c < to; c++) {
    a[c * n + c] = sqrt(a[c * n + c]);
    for (long i = c + 1; i < n; i++)
      a[i * n + c] /= a[c * n + c];
    for (long i = c + 1; i < n; i++)
      for (long j = c + 1; j < to; j++)
        if (j <= i) // expected-remark@-1 {{go through it in blocks}}
          a[i * n + j] -= a[i * n + c] * a[j * n + c];
  }
}

__attribute__((noinline)) static void cholesky(long n, double *a) {
  for (long k = 0; k < n; k += BLOCK) {
    long to = MIN(k + BLOCK, n);
    column(n, k, to, a);
    for (long i = to; i < n; i++) // expected-remark {{SYRK f64}}
      for (long j = to; j < n; j++)
        if (j <= i)
          for (long p = k; p < to; p++)
            a[i * n + j] -= a[i * n + p] * a[j * n + p];
  }
}

// In tiles: those on the diagonal are cut, others are whole.
__attribute__((noinline)) static void cholesky_in_tiles(long n, double *a) {
  for (long k = 0; k < n; k += BLOCK) {
    long to = MIN(k + BLOCK, n);
    column(n, k, to, a);
    for (long ii = to; ii < n; ii += BLOCK)
      for (long jj = to; jj <= ii; jj += BLOCK)
        for (long i = ii; i < MIN(ii + BLOCK, n); i++) // expected-remark {{triangular GEMM f64}}
          for (long j = jj; j < MIN(jj + BLOCK, n); j++)
            if (j <= i) {
              double s = a[i * n + j];
              for (long p = k; p < to; p++)
                s -= a[i * n + p] * a[j * n + p];
              a[i * n + j] = s;
            }
  }
}

enum { M = 21, N = 37, K = 11 };
typedef const double Matrix[K];

#define SIDE(NAME, J, TEST)                                                                                            \
  __attribute__((noinline)) static void NAME(J m, J n, J far, Matrix *restrict a, Matrix *restrict b,                  \
                                             double c[restrict][N]) {                                                  \
    for (J i = 0; i < m; i++)                                                                                          \
      for (J j = 0; j < n; j++)                                                                                        \
        if (TEST)                                                                                                      \
          for (J k = 0; k < K; k++)                                                                                    \
            c[i][j] += a[i][k] * b[j][k];                                                                              \
  }
SIDE(below, long, j <= i + far)      // expected-remark {{triangular GEMM f64}}
SIDE(above, int, j - i > far)        // expected-remark {{triangular GEMM f64}}
SIDE(other_way, long, far - j >= -i) // expected-remark {{triangular GEMM f64}}
SIDE(a_band, long, j <= i && j + far >= i) // expected-remark {{bounded by two diagonals}}

// Elements on the other side become zero.
__attribute__((noinline)) static void cleared(long n, Matrix *restrict a, Matrix *restrict b, double c[restrict][N]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      if (j <= i) // expected-remark {{an 'if' inside the loops}}
        for (long k = 0; k < K; k++)
          s += a[i][k] * b[j][k];
      c[i][j] = s;
    }
}

// So do those on this side, before.
__attribute__((noinline)) static void set_before(long n, Matrix *restrict a, Matrix *restrict b, double c[restrict][N]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      c[i][j] = 0;
      if (j <= i) // expected-remark {{an 'if' inside the loops}}
        for (long k = 0; k < K; k++)
          c[i][j] += a[i][k] * b[j][k];
    }
}

static double a[N][K], b[N][K], c[M > N ? M : N][N], s[100 * 100];

static void fill(void) {
  for (int i = 0; i < N * K; i++)
    a[0][i] = i % 61 ? i * 7 % 11 - i * .3 : -0.0, b[0][i] = i % 97 ? i * 5 % 13 - i * .7 : INFINITY;
  for (int i = 0; i < N * N; i++)
    c[0][i] = i % 17 ? i * .1 : -0.0;
}

static void print(const double *x, int n) {
  for (int i = 0; i < n; i++)
    printf("%a\n", isnan(x[i]) ? NAN : x[i]);
}

static void factor(void (*With)(long, double *), long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      s[i * n + j] = (i * 37 + j * 53) % 101 * .01 + (i == j) * n;
  With(n, s);
  print(s, n * n);
}

int main(void) {
  static const int Far[] = {-1000, -N, -M, -4, -1, 0, 1, 5, M, N, 1000};
  for (long n = 0; n <= 100; n += n < 5 ? 1 : 19) {
    factor(cholesky, n);
    factor(cholesky_in_tiles, n);
  }
  for (int f = 0; f < 11; f++)
    for (int m = 0; m <= M; m += 7)
      for (int n = 0; n <= N; n += 1 + n) {
        fill(), below(m, n, Far[f], a, b, c), print(c[0], N * N);
        fill(), above(m, n, Far[f], a, b, c), print(c[0], N * N);
        fill(), other_way(m, n, Far[f], a, b, c), print(c[0], N * N);
        fill(), a_band(m, n, Far[f], a, b, c), print(c[0], N * N);
      }
  for (int n = 0; n <= N; n += 1 + n) {
    fill(), cleared(n, a, b, c), print(c[0], N * N);
    fill(), set_before(n, a, b, c), print(c[0], N * N);
  }
}
