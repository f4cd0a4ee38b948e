//===- overlap.c - nests in which C always overlaps itself or a factor ----===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What these arrays share does not depend on where they lie: the guard can never
// hold, and a fast path would never run.
//
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

// EXPECT Recurrence: C is its own first factor: each row is a sum of elements that are being updated
void times_matrix_in_place(long n, double c[restrict n][n], const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += c[i][k] * b[k][j];
}

// EXPECT Recurrence: C is its own second factor
void matrix_times_in_place(long n, double c[restrict n][n], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * c[k][j];
}

// EXPECT Recurrence: C is both factors
void square_in_place(long n, double c[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += c[i][k] * c[k][j];
}

// EXPECT Recurrence: SYRK into its own matrix
void syrk_in_place(long n, double a[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        a[i][j] += a[i][k] * a[j][k];
}

// EXPECT Recurrence: elements on a diagonal of the product add up in one element of C
void diagonals(long n, double *restrict c, const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i + j] += a[i][k] * b[k][j];
}

// EXPECT Recurrence: rows of C start every 50 elements, and are 100 long
void rows_overlap(double *restrict c, const double a[restrict 100][100],
                  const double b[restrict 100][100]) {
  for (long i = 0; i < 100; i++)
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i * 50 + j] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: columns of C are used again and again, modulo 8
void modulo_columns(double c[restrict 100][8], const double a[restrict 100][100],
                    const double b[restrict 100][100]) {
  for (long i = 0; i < 100; i++)
    for (long j = 0; j < 100; j++)
      for (long k = 0; k < 100; k++)
        c[i][j % 8] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: the 8-bit subscript always wraps around, as k goes to 300
void narrow_subscript(long n, double c[restrict n][n], const double a[restrict n][256],
                      const double b[restrict 300][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < 300; k++)
        c[i][j] += a[i][(unsigned char)k] * b[k][j];
}

// EXPECT Recurrence: the number of rows is C's own first element, which the sum changes
void bound_in_c(int c[restrict 64][64], const int a[restrict 64][64],
                const int b[restrict 64][64]) {
  for (int i = 0; i < c[0][0]; i++)
    for (int j = 0; j < 64; j++)
      for (int k = 0; k < 64; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Recurrence: the factor is C's own first element, which the sum changes
void factor_in_c(double c[restrict 64][64], const double a[restrict 64][64],
                 const double b[restrict 64][64]) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      for (int k = 0; k < 64; k++)
        c[i][j] += c[0][0] * (a[i][k] * b[k][j]);
}
