//===- simd-reductions.c - sums of a simd loop in a larger sum ------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// '#pragma omp simd reduction(+: s)' on the last loop of a contraction with several sums, as in coupled-cluster codes:
// clang starts a sum of its own from zero there, and adds it to s. OpenMP leaves the order of the sum open, so the loops
// are replaced with the bits of those without the pragma. Partial sums of the source's own are another matter: only
// integers, and numbers with -ffast-math, may be added in another order. Those who ask for vectors by other hints
// permit that only within the loop.
//
// RUN: %clang -O3 -march=native -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O3 -march=native -w -fopenmp-simd -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 \
// RUN:     -mllvm -tilesmith-verify=1 -Rpass=tilesmith -Rpass-missed=tilesmith %s -o %t.tilesmith -Xclang -verify
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result
// RUN: %clang -O2 -ffp-contract=off -w %s -o %t.plain && %t.plain > %t.expected
// RUN: %clang -O2 -ffp-contract=off -w -fopenmp-simd -fpass-plugin=%tilesmith -mllvm -tilesmith-min-work=1 %s \
// RUN:     -o %t.tilesmith
// RUN: %t.tilesmith > %t.result && cmp %t.expected %t.result

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { H = 3, P = 5 };

// Six indices.
__attribute__((noinline)) static void doubles(long h, long p, double t[restrict][H][P][P], double v[restrict][P][P][P],
                                              double r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++) // expected-remark {{replaced 6-loop nest by GEMM f64}}
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++) // expected-remark 0-1 {{filter}}
        for (long b = 0; b < p; b++) {
          double s = 0;
          for (long c = 0; c < p; c++)
#pragma omp simd reduction(+ : s)
            for (long d = 0; d < p; d++)
              s += t[i][j][c][d] * v[c][d][a][b];
          r[i][j][a][b] += s;
        }
}

// The pragma on the outer one of the loops over steps, or on both.
__attribute__((noinline)) static void on_both(long h, long p, float t[restrict][H][P][P], float v[restrict][P][P][P],
                                              float r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++) // expected-remark {{replaced 6-loop nest by GEMM f32}}
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++)
        for (long b = 0; b < p; b++) {
          float s = r[i][j][a][b];
#pragma omp simd reduction(+ : s)
          for (long c = 0; c < p; c++)
#pragma omp simd reduction(+ : s)
            for (long d = 0; d < p; d++)
              s -= t[i][j][c][d] * v[c][d][a][b];
          r[i][j][a][b] = s;
        }
}

// Seven, with three sums.
__attribute__((noinline)) static void triples(long h, long p, double t[restrict][P][H][H][H],
                                              double v[restrict][P][H][H][H], double r[restrict][P][P][P]) {
  for (long a = 0; a < p; a++) // expected-remark {{replaced 7-loop nest by GEMM f64}}
    for (long b = 0; b < p; b++)
      for (long c = 0; c < p; c++)
        for (long d = 0; d < p; d++) {
          double s = 0;
          for (long m = 0; m < h; m++)
            for (long n = 0; n < h; n++)
#pragma omp simd reduction(+ : s)
              for (long o = 0; o < h; o++)
                s += t[a][b][m][n][o] * v[c][d][m][n][o];
          r[a][b][c][d] -= s;
        }
}

// The source's own partial sums.
__attribute__((noinline)) static void not_asked(long h, long p, double t[restrict][H][P][P], double v[restrict][P][P][P],
                                                double r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++)
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++)
        for (long b = 0; b < p; b++) {
          double s = 0;
          for (long c = 0; c < p; c++) {
            double part = 0;
            for (long d = 0; d < p; d++)
              part += t[i][j][c][d] * v[c][d][a][b];
            s += part; // expected-remark {{makes a sum of its own}}
          }
          r[i][j][a][b] += s;
        }
}

// A hint of clang's own, with the same marks in its IR, asks for vectors of the partial sum alone.
__attribute__((noinline)) static void safe(long h, long p, double t[restrict][H][P][P], double v[restrict][P][P][P],
                                           double r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++)
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++)
        for (long b = 0; b < p; b++) {
          double s = 0;
          for (long c = 0; c < p; c++) {
            double part = 0;
#pragma clang loop vectorize(assume_safety)
            for (long d = 0; d < p; d++)
              part += t[i][j][c][d] * v[c][d][a][b];
            s += part; // expected-remark {{makes a sum of its own}}
          }
          r[i][j][a][b] += s;
        }
}

// So does this pragma, where the sum of its loop is one of its own.
__attribute__((noinline)) static void apart(long h, long p, double t[restrict][H][P][P], double v[restrict][P][P][P],
                                            double r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++)
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++)
        for (long b = 0; b < p; b++) {
          double s = 0;
          for (long c = 0; c < p; c++) {
            double part = 0;
#pragma omp simd reduction(+ : part)
            for (long d = 0; d < p; d++) // expected-remark@-1 {{an inner loop makes a sum}}
              part += t[i][j][c][d] * v[c][d][a][b];
            s += part;
          }
          r[i][j][a][b] += s;
        }
}

__attribute__((noinline)) static void integers(long h, long p, int32_t t[restrict][H][P][P],
                                               int32_t v[restrict][P][P][P], int32_t r[restrict][H][P][P]) {
  for (long i = 0; i < h; i++) // expected-remark {{replaced 6-loop nest by GEMM i32}}
    for (long j = 0; j < h; j++)
      for (long a = 0; a < p; a++) // expected-remark 0-1 {{filter}}
        for (long b = 0; b < p; b++) {
          int32_t s = 0;
          for (long c = 0; c < p; c++) {
            int32_t part = 0;
            for (long d = 0; d < p; d++)
              part += t[i][j][c][d] * v[c][d][a][b];
            s += part;
          }
          r[i][j][a][b] += s;
        }
}

#define FILL(X, T)                                                                                                     \
  for (unsigned at = 0; at < sizeof(X) / sizeof(T); at++)                                                              \
  ((T *)X)[at] = at % 53 ? (T)(at * 7 % 11 - at * .3) : (T) - 0.0
#define PRINT(X, T)                                                                                                    \
  for (unsigned at = 0; at < sizeof(X) / sizeof(T); at++)                                                              \
  printf("%a\n", isnan((double)((T *)X)[at]) ? NAN : (double)((T *)X)[at])

static double t[H][H][P][P], v[P][P][P][P], r[H][H][P][P], t7[P][P][H][H][H], v7[P][P][H][H][H], r7[P][P][P][P];
static float tf[H][H][P][P], vf[P][P][P][P], rf[H][H][P][P];
static int32_t ti[H][H][P][P], vi[P][P][P][P], ri[H][H][P][P];

int main(void) {
  for (long h = 0; h <= H; h++)
    for (long p = 0; p <= P; p++)
      for (int special = 0; special < 2; special++) {
        FILL(t, double); FILL(v, double); FILL(r, double); FILL(t7, double); FILL(v7, double); FILL(r7, double);
        FILL(tf, float); FILL(vf, float); FILL(rf, float); FILL(ti, int32_t); FILL(vi, int32_t); FILL(ri, int32_t);
        if (special)
          t[0][0][1][1] = INFINITY, v[1][1][2][1] = NAN, tf[0][1][0][2] = NAN, ti[0][0][1][1] = INT32_MIN;
        doubles(h, p, t, v, r), on_both(h, p, tf, vf, rf), triples(h, p, t7, v7, r7), integers(h, p, ti, vi, ri);
        PRINT(r, double); PRINT(rf, float); PRINT(r7, double); PRINT(ri, int32_t);
        not_asked(h, p, t, v, r);
        PRINT(r, double);
        safe(h, p, t, v, r);  // not printed: clang may sum in any order here
        apart(h, p, t, v, r); // and here
      }
}
