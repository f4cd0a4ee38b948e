//===- subscripts.c - subscripts that are no matrix product's -------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

//===--- A loop moves too few or too many of the arrays. ------------------===//

// EXPECT IndexRoles: k does not move A, so every term has the same factor
void diagonal_of_a(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][i] * b[k][j];
}

// EXPECT IndexRoles: k does not move B
void diagonal_of_b(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[j][j];
}

// EXPECT IndexRoles: one sum over j and k for each element of the diagonal
void trace_like(long n, double c[restrict n][n], const double a[restrict n][n],
                const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][i] += a[i][k] * b[k][j];
}

// EXPECT IndexRoles: k moves only A
void first_row_of_b(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[0][j];
}

// EXPECT IndexRoles: the sum is over j, and k moves all three arrays
void k_in_all(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][k] += a[i][k] * b[k][j];
}

// EXPECT IndexRoles: i moves all three arrays, and each row is a matrix-vector product of its own
void i_in_all(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[i][j];
}

// EXPECT IndexRoles: the leading dimension of C is 0, so all rows of the product add up in one
void rows_of_c_coincide(long n, double *restrict c, const double a[restrict n][n],
                        const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[j] += a[i][k] * b[k][j];
}

// EXPECT UsedAfter: all three loops sum into one element, which LLVM stores after them
void one_element(long n, double *restrict c, const double a[restrict n][n],
                 const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        *c += a[i][k] * b[k][j];
}

// EXPECT IndexRoles: both factors are moved by all three loops
void convolution_of_both(long n, double c[restrict n][n], const double *restrict a,
                         const double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i + j + k] * b[i + j - k];
}

// EXPECT VaryingScalar: a row times itself, shifted; LLVM keeps the one factor for the next term
void autocorrelation(long n, double c[restrict n][n], const double a[restrict n][n + 1]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * a[i][k + 1];
}

// EXPECT IndexRoles: A depends on i, j and k
void three_index_factor(long n, double c[restrict n][n], const double a[restrict n][n][n],
                        const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][j][k] * b[k][j];
}

// EXPECT IndexRoles: a 4-loop contraction whose second sum moves only A
void sum_of_slices(long n, double c[restrict n][n], const double a[restrict n][n][n],
                   const double b[restrict n][n]) {
  for (long t = 0; t < n; t++)
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        for (long k = 0; k < n; k++)
          c[i][t] += a[t][i][k] * b[t][j];
}

//===--- Subscripts that no strides describe. -----------------------------===//

// EXPECT NotAffine: the table may name a row of C twice, and then the order of the terms is another one
void scattered_rows(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n], const long *restrict row) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[row[i]][j] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: the table for columns of C may name one twice
void scattered_columns(long n, double c[restrict n][n], const double a[restrict n][n],
                       const double b[restrict n][n], const int *restrict column) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][column[j]] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: which element of B is used depends on i, j and k
void gathered_by_three(long n, double c[restrict n][n], const double a[restrict n][n],
                       const double *restrict b, const long where[restrict n][n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[where[i][j][k]];
}

// EXPECT NotProduct: the products are looked up in a table, and are not what '*' would give
void looked_up(long n, int c[restrict n][n], const unsigned char a[restrict n][n],
               const unsigned char b[restrict n][n], const int table[restrict 256][256],
               int scale) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += scale * table[a[i][k]][b[k][j]];
}

// EXPECT NotAffine: a subscript of three counters that wraps around
void cyclic(long n, double c[restrict n][n], const double *restrict a,
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[(i + j + k) % n] * b[k][j];
}

// EXPECT NotAffine: the subscript is quadratic in i, and two rows of C share an element
void quadratic(long n, double *restrict c, const double a[restrict n][n],
               const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 2 * n; j++)
      for (long k = 0; k < n; k++)
        c[i * i + j] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: a subscript in which the counters meet bit by bit
void dyadic(long n, double c[restrict n][n], const double *restrict a,
            const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i ^ j ^ k] * b[k][j];
}

// EXPECT NotAffine: two columns of the product add up in one of C
void columns_pooled(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j / 2] += a[i][k] * b[k][j];
}

// EXPECT NotAffine: rows of a packed triangle of C overlap, as they start one element too early
void packed_rows_overlap(long n, double *restrict c, const double a[restrict n][n],
                         const double b[restrict n][n]) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i * (i - 1) / 2 + j] += a[i][k] * b[k][j];
}
