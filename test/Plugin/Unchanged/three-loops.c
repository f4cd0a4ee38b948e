//===- three-loops.c - three-loop nests that are no products --------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Inputs/same_object.py %clang %tilesmith %s -march=native -g

// Shortest paths, and how many edges they have.
void with_edges(long n, long d[n][n], int edges[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) {
          d[i][j] = d[i][k] + d[k][j];
          edges[i][j] = edges[i][k] + edges[k][j];
        }
}

// Shortest paths of a type that no kernel is made of.
void of_wide(long n, __int128 d[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++) {
        __int128 path = d[i][k] + d[k][j];
        d[i][j] = path < d[i][j] ? path : d[i][j];
      }
}

// A sum of sums.
void sum_plus(long n, const double *A, const double *B, double *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] + B[k * n + j];
}

// The second factor has the wrong subscripts.
void hadamard_sum(long n, const double *A, const double *B, double *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[i * n + j];
}

// Small constant nests, which full unrolling takes first.
int a4[4][4], b4[4][4], c4[4][4];
void xor_4x4x4(void) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        c4[i][j] ^= a4[i][k] & b4[k][j];
}

double a8[8][8], b8[8][8], c8[8][8], w8[8];
void weighted_8x8x8(void) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      double s = 0;
      for (int k = 0; k < 8; k++)
        s += a8[i][k] * b8[j][k] * w8[k];
      c8[i][j] = s;
    }
}

// Every element depends on the ones before it.
void factorise(long n, double A[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = k + 1; i < n; i++) {
      A[i][k] /= A[k][k];
      for (long j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];
    }
}

void solve(int n, int m, const double *L, double *X) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (int k = 0; k < i; k++)
        X[i * m + j] -= L[i * n + k] * X[k * m + j];
      X[i * m + j] /= L[i * n + i];
    }
}

// A product whose sum may stop early.
int until(long n, const double *A, const double *B, double *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) {
        if (A[i * n + k] < 0)
          return 0;
        C[i * n + j] += A[i * n + k] * B[k * n + j];
      }
  return 1;
}

// Volatile accesses happen as written.
void watched(long n, const volatile double *A, const double *B, double *C) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        C[i * n + j] += A[i * n + k] * B[k * n + j];
}
