//===- complex.c - C: complex numbers -------------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -ffast-math, the data are such that all orders of summation give the same.
//
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native -fcx-limited-range
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native -fcx-limited-range -ffp-contract=off
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t %s -- %clang -O3 -march=native
// RUN: env TILESMITH=min-work=1 %python %S/same_result.py --plugin %tilesmith --work %t --unmarked %s -- %clang -O2 -march=native -ffast-math -DEXACT

#include "forms.h"

typedef double _Complex cdouble;
typedef float _Complex cfloat;

FORM void flat(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void ikj(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *restrict C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        C[i * n + j] += A[i * k + p] * B[p * n + j];
}

FORM void jki(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int j = 0; j < n; j++)
    for (int p = 0; p < k; p++)
      for (int i = 0; i < m; i++)
        C[i + j * m] += A[i + p * m] * B[p + j * k];
}

FORM void sum(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cdouble s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

FORM void scaled(int m, int n, int k, cdouble alpha, const cdouble *A, const cdouble *B, cdouble beta, cdouble *C) { // REPLACED; at -O2 MISSED: VaryingScalar
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cdouble s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = alpha * s + beta * C[i * n + j];
    }
}

FORM void conjugated(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cdouble s = 0;
      for (int p = 0; p < k; p++)
        s += __builtin_conj(A[i * k + p]) * B[p * n + j];
      C[i * n + j] = s;
    }
}

// Both factors along k, the second one conjugated: A * B^H.
FORM void hermitian(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cdouble s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * __builtin_conj(B[j * k + p]);
      C[i * n + j] = s;
    }
}

FORM void floats(int m, int n, int k, const cfloat *A, const cfloat *B, cfloat *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cfloat s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

static cdouble GlobalA[M][K], GlobalB[K][N], GlobalC[M][N];
FORM void globals(void) { // REPLACED
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int p = 0; p < K; p++)
        GlobalC[i][j] += GlobalA[i][p] * GlobalB[p][j];
}

// A real factor.
FORM void real_by_complex(int m, int n, int k, const double *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      cdouble s = 0;
      for (int p = 0; p < k; p++)
        s += A[i * k + p] * B[p * n + j];
      C[i * n + j] = s;
    }
}

// Real and imaginary parts by hand: in pairs.
FORM void pairs(int m, int n, int k, const double (*A)[2], const double (*B)[2], double (*C)[2]) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++) {
        C[i * n + j][0] += A[i * k + p][0] * B[p * n + j][0] - A[i * k + p][1] * B[p * n + j][1];
        C[i * n + j][1] += A[i * k + p][0] * B[p * n + j][1] + A[i * k + p][1] * B[p * n + j][0];
      }
}

struct Complex {
  double Re, Im;
};

static struct Complex times(struct Complex X, struct Complex Y) {
  return (struct Complex){X.Re * Y.Re - X.Im * Y.Im, X.Re * Y.Im + X.Im * Y.Re};
}

static struct Complex plus(struct Complex X, struct Complex Y) {
  return (struct Complex){X.Re + Y.Re, X.Im + Y.Im};
}

FORM void structs(int m, int n, int k, const struct Complex *A, const struct Complex *B, struct Complex *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      struct Complex s = {0, 0};
      for (int p = 0; p < k; p++)
        s = plus(s, times(A[i * k + p], B[p * n + j]));
      C[i * n + j] = s;
    }
}

// ... and in two arrays each: all in one statement, as four sums, and as four loops.
FORM void two_arrays(int m, int n, int k, const double *Ar, const double *Ai, const double *Br, const double *Bi, // REPLACED
                     double *Cr, double *Ci) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++) {
        Cr[i * n + j] += Ar[i * k + p] * Br[p * n + j] - Ai[i * k + p] * Bi[p * n + j];
        Ci[i * n + j] += Ar[i * k + p] * Bi[p * n + j] + Ai[i * k + p] * Br[p * n + j];
      }
}

FORM void two_arrays_sums(int m, int n, int k, const double *Ar, const double *Ai, const double *Br, const double *Bi, // REPLACED
                          double *restrict Cr, double *restrict Ci) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double r = 0, x = 0;
      for (int p = 0; p < k; p++) {
        r += Ar[i * k + p] * Br[p * n + j];
        r -= Ai[i * k + p] * Bi[p * n + j];
        x += Ar[i * k + p] * Bi[p * n + j];
        x += Ai[i * k + p] * Br[p * n + j];
      }
      Cr[i * n + j] = r;
      Ci[i * n + j] = x;
    }
}

FORM void four_products(int m, int n, int k, const double *Ar, const double *Ai, const double *Br, const double *Bi, // REPLACED: 4
                        double *Cr, double *Ci) {
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        Cr[i * n + j] += Ar[i * k + p] * Br[p * n + j];
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        Cr[i * n + j] -= Ai[i * k + p] * Bi[p * n + j];
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        Ci[i * n + j] += Ar[i * k + p] * Bi[p * n + j];
  for (int i = 0; i < m; i++)
    for (int p = 0; p < k; p++)
      for (int j = 0; j < n; j++)
        Ci[i * n + j] += Ai[i * k + p] * Br[p * n + j];
}

// Only the real parts: every second element.
FORM void real_parts(int m, int n, int k, const cdouble *A, const cdouble *B, cdouble *C) { // REPLACED
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        __real__ C[i * n + j] += __real__ A[i * k + p] * __real__ B[p * n + j];
}

enum { SIZE = 2 * (M * N + N * K + K * M) };
static double Storage[3][SIZE];
static float FloatStorage[3][SIZE];

static void fill(void) {
  for (int x = 0; x < 3; x++)
    for (long i = 0; i < SIZE; i++)
      Storage[x][i] = value(x, i), FloatStorage[x][i] = (float)value(x, i);
}

#define RUN(FORM, ...)                                                                                                 \
  do {                                                                                                                 \
    fill();                                                                                                            \
    FORM(__VA_ARGS__);                                                                                                 \
    for (long i = 0; i < 2 * M * N + 20; i++)                                                                          \
      show(#FORM, i, Storage[2] + i, sizeof(double));                                                                  \
  } while (0)

int main(void) {
  cdouble Alpha = 2, Beta = -3;
  __imag__ Alpha = 5, __imag__ Beta = 4;
  void *A = Storage[0], *B = Storage[1], *C = Storage[2];
  RUN(flat, M, N, K, A, B, C);
  RUN(ikj, M, N, K, A, B, C);
  RUN(jki, M, N, K, A, B, C);
  RUN(sum, M, N, K, A, B, C);
  RUN(scaled, M, N, K, Alpha, A, B, Beta, C);
  RUN(conjugated, M, N, K, A, B, C);
  RUN(hermitian, M, N, K, A, B, C);
  RUN(real_by_complex, M, N, K, A, B, C);
  RUN(pairs, M, N, K, A, B, C);
  RUN(structs, M, N, K, A, B, C);
  double *Ai = Storage[0] + M * K, *Bi = Storage[1] + K * N, *Ci = Storage[2] + M * N;
  RUN(two_arrays, M, N, K, A, Ai, B, Bi, C, Ci);
  RUN(two_arrays_sums, M, N, K, A, Ai, B, Bi, C, Ci);
  RUN(four_products, M, N, K, A, Ai, B, Bi, C, Ci);
  RUN(real_parts, M, N, K, A, B, C);

  floats(M, N, K, (void *)FloatStorage[0], (void *)FloatStorage[1], (void *)FloatStorage[2]);
  for (long i = 0; i < 2 * M * N + 20; i++)
    show("floats", i, FloatStorage[2] + i, sizeof(float));
  memcpy(GlobalA, A, sizeof GlobalA), memcpy(GlobalB, B, sizeof GlobalB);
  globals();
  for (long i = 0; i < M * N; i++)
    show("globals", i, &GlobalC[i / N][i % N], sizeof(cdouble));
  return 0;
}
