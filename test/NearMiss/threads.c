//===- threads.c - OpenMP inside the loops --------------------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -fopenmp
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -fopenmp -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -fopenmp
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -fopenmp -march=native

// EXPECT Volatile|none: each term is added atomically
void atomic_terms(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
#pragma omp atomic
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Volatile: each sum is added atomically
void atomic_sums(long n, int c[restrict n][n], const int a[restrict n][n],
                 const int b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      int s = 0;
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
#pragma omp atomic
      c[i][j] += s;
    }
}

// EXPECT Volatile|none: threads share out k, and the order of the terms is any
void shared_out(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
#pragma omp parallel for
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
#pragma omp atomic
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT RuntimeCall|Call: one thread at a time adds a row
void critical_rows(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
#pragma omp parallel for
  for (long k = 0; k < n; k++)
    for (long i = 0; i < n; i++) {
#pragma omp critical
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// EXPECT LoneSum: each sum is cut in pieces, one for each thread
void reduced(long n, double c[restrict n][n], const double a[restrict n][n],
             const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
#pragma omp parallel for reduction(+ : s)
      for (long k = 0; k < n; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT LoneSum: each element is a task of its own
void tasks(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
#pragma omp task
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT EarlyExit: a thread that finds a NaN cancels the others
void cancelled(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
      if (c[i][j] != c[i][j]) {
#pragma omp cancel for
      }
    }
}
