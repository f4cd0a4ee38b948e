//===- symmetric.c - symmetric and triangular nests that are no products --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

//===--- A triangle times a matrix (TRMM). --------------------------------===//

// EXPECT Factorisation: rows run upwards, so row i is a sum of rows that have been updated
void trmm_wrong_way(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < i; k++)
        b[i][j] += a[i][k] * b[k][j];
}

// EXPECT Factorisation: the same for the other triangle, from the last row upwards
void trmm_upper_wrong_way(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++)
      for (long k = i + 1; k < m; k++)
        b[i][j] += a[k][i] * b[k][j];
}

// EXPECT Factorisation: the right way, but the diagonal's term reads the sum so far
void trmm_with_diagonal(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = m - 1; i >= 0; i--)
    for (long k = 0; k <= i; k++)
      for (long j = 0; j < n; j++)
        b[i][j] += a[i][k] * b[k][j];
}

// EXPECT Factorisation: the diagonal's term reads the zero that the sum begins with
void trmm_zeroed_first(long m, long n, double b[m][n], const double a[m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      b[i][j] = 0;
      for (long k = i; k < m; k++)
        b[i][j] += a[i][k] * b[k][j];
    }
}

// EXPECT Factorisation: each partial sum is stored, so the diagonal's term, which comes last, reads one
void trmm_diagonal_last(long m, long n, double b[m][n], const double a[m][m]) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++)
      for (long k = 0; k <= i; k++)
        b[i][j] += a[i][k] * b[k][j];
}

// EXPECT Factorisation: a lower triangular system is solved
void solve(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = b[i][j];
      for (long k = 0; k < i; k++)
        s -= a[i][k] * b[k][j];
      b[i][j] = s;
    }
}

// EXPECT Factorisation: an upper one, from the last row upwards
void solve_upwards(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++) {
      double s = b[i][j];
      for (long k = i + 1; k < m; k++)
        s -= a[i][k] * b[k][j];
      b[i][j] = s;
    }
}

// EXPECT Factorisation: with the diagonal, from the last row upwards: rows after it are finished
void trmm_finished_rows(long m, long n, double b[restrict m][n], const double a[restrict m][m]) {
  for (long i = m - 1; i >= 0; i--)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = i; k < m; k++)
        s += a[i][k] * b[k][j];
      b[i][j] = s;
    }
}

// EXPECT Factorisation: from the right: column j is a sum of columns that have been updated
void trmm_right_wrong_way(long m, long n, double b[restrict m][n], const double a[restrict n][n]) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < m; i++)
      for (long k = 0; k < j; k++)
        b[i][j] += b[i][k] * a[k][j];
}

// EXPECT Recurrence|VaryingScalar: rows are scaled as soon as they are finished, and then used by the next
void trmm_scaled(long m, long n, double b[restrict m][n], const double a[restrict m][m],
                 double alpha) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < i; k++)
        b[i][j] += a[i][k] * b[k][j];
      b[i][j] *= alpha;
    }
}

// EXPECT Factorisation: both factors are the triangle that is being updated
void triangle_of_b(long n, double c[restrict n][n], double b[restrict n][n]) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < i; j++) {
      for (long k = j; k < i; k++)
        b[i][j] += b[i][k] * b[k][j];
      c[i][j] = b[i][j];
    }
}

//===--- A matrix times its transposition (SYRK, SYR2K). ------------------===//

// EXPECT Recurrence: the result lies in the matrix
void syrk_in_place(long n, double a[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        a[i][j] += a[i][k] * a[j][k];
}

// EXPECT OtherStore: both triangles are updated, and the diagonal twice
void syrk_both_triangles(long n, double c[restrict n][n], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++) {
        c[i][j] += a[i][k] * a[j][k];
        c[j][i] += a[i][k] * a[j][k];
      }
}

// EXPECT VaryingScalar: it starts from the element across the diagonal, which may be new
void syrk_with_mirror_image(long n, double c[restrict n][n], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = c[j][i];
      for (long k = 0; k < n; k++)
        s += a[i][k] * a[j][k];
      c[i][j] = s;
    }
}

// EXPECT IndexRoles: the subscripts are in each other's place: a[i][i] for a[i][k]
void syrk_of_diagonal(long n, double c[restrict n][n], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][i] * a[j][k];
}

// EXPECT IndexRoles: the second product of a rank-2k update has j where k should stand
void syr2k_mixed_up(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[j][k] + b[i][j] * a[j][k];
}

// EXPECT Recurrence: the second product of a rank-2k update is taken from C
void syr2k_of_c(long n, double c[restrict n][n], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * c[j][k] + c[i][k] * a[j][k];
}

// EXPECT NotProduct: LDL^T decomposition: a rank-1 update by a column of the same matrix
void ldlt(long n, double a[n][n]) {
  for (long k = 0; k < n; k++)
    for (long i = k + 1; i < n; i++)
      for (long j = k + 1; j <= i; j++)
        a[i][j] -= a[i][k] * a[j][k] * a[k][k];
}

// EXPECT NotAffine: packed rows of the lower triangle that start one element too early, and overlap
void syrk_packed_rows_overlap(long n, double *restrict c, const double a[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      for (long k = 0; k < n; k++)
        c[i * (i - 1) / 2 + j] += a[i][k] * a[j][k];
}

//===--- A symmetric matrix times a matrix (SYMM). ------------------------===//

// EXPECT OtherStore: the sum over the upper half reads C instead of B
void symm_reads_c(long m, long n, double c[restrict m][n], const double a[restrict m][m],
                  const double b[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < i; k++) {
        c[k][j] += b[i][j] * a[i][k];
        s += c[k][j] * a[i][k];
      }
      c[i][j] += b[i][j] * a[i][i] + s;
    }
}

// EXPECT OtherStore|Recurrence|Branch, OtherStore: columns are 99 elements apart, so the last of one is the first of the next, and is set when others
// have been added there
void symm_short_columns(double *restrict c, const double a[restrict 100][100],
                        const double b[restrict 100][100], double beta) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++) {
      for (int k = 0; k < i; k++)
        c[k + 99 * j] += b[i][j] * a[i][k];
      c[i + 99 * j] = beta * c[i + 99 * j] + b[i][j] * a[i][i];
    }
}

// EXPECT Branch: which half of A is read is chosen by the data
void symm_by_the_data(long n, double c[restrict n][n], const double a[restrict n][n],
                      const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < n; k++)
        s += (a[i][k] > b[k][j] ? a[i][k] : a[k][i]) * b[k][j];
      c[i][j] = s;
    }
}

//===--- Shapes that are no triangles. ------------------------------------===//

// EXPECT BoundVaries|Branch: the edge of the domain is where the data say
void staircase(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n], const long *restrict edge) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < edge[i]; j++)
      for (long k = edge[j]; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries|Branch: the sum has i xor j terms
void bitwise_triangle(long n, double c[restrict n][n], const double a[restrict n][2 * n],
                      const double b[restrict 2 * n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < (i ^ j); k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Recurrence: a triangle of products whose antidiagonals add up in one element of C
void anti_triangle(long n, double *restrict c, const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; i + j < n; j++)
      for (long k = 0; k < n; k++)
        c[i + j] += a[i][k] * b[k][j];
}

//===--- One half of a matrix (SYMM). -------------------------------------===//

// EXPECT Branch: the halves are of two matrices
void two_halves(long m, long n, double c[restrict m][n], const double a[restrict m][m],
                const double b[restrict m][n], const double d[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < i ? a[i][k] : d[k][i]) * b[k][j];
}

// EXPECT Branch: the diagonal above the main one is read on the wrong side
void beside_the_diagonal(long m, long n, double c[restrict m][n], const double a[restrict m][m],
                         const double b[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < i + 2 ? a[i][k] : a[k][i]) * b[k][j];
}

// EXPECT Branch: below the diagonal, the row is another one
void shifted_half(long m, long n, double c[restrict m][n], const double a[restrict m + 1][m + 1],
                  const double b[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < i ? a[i + 1][k] : a[k][i]) * b[k][j];
}

// EXPECT Branch: the other half has another length of rows
void two_leading_dimensions(long m, long n, double c[restrict m][n], const double *restrict a,
                            const double b[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < i ? a[i * m + k] : a[k * n + i]) * b[k][j];
}

// EXPECT Branch: it is the column of C that is compared
void wrong_counter(long m, double c[restrict m][m], const double a[restrict m][m],
                   const double b[restrict m][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < j ? a[i][k] : a[k][i]) * b[k][j];
}

// EXPECT Branch: C is symmetric, and stored so that two elements are one
void half_of_c(long m, long n, double c[restrict m][m], const double a[restrict m][n],
               const double b[restrict n][m]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < n; k++)
        *(j < i ? &c[i][j] : &c[j][i]) += a[i][k] * b[k][j];
}

// EXPECT Branch: the same rows, as the comparison is with a parameter
void blocks(long m, long n, long p, double c[restrict m][n], const double a[restrict m][m],
            const double b[restrict m][n]) {
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < m; k++)
        c[i][j] += (k < p ? a[i][k] : a[k][i]) * b[k][j];
}

//===--- Diagonal elements of C. ------------------------------------------===//

// EXPECT OtherStore: after each element of the row, so before and after the product's
void diagonal_again_and_again(long n, double x, double c[restrict n][n], const double a[restrict n][n],
                              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
      c[i][i] *= x;
    }
}

// EXPECT OtherStore: that row comes later, the one before came earlier
void other_diagonal_elements(long n, double x, double c[restrict n + 1][n + 1],
                             const double a[restrict n][n], const double b[restrict n][n]) {
  for (long i = 1; i < n; i++) {
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    c[i + 1][i + 1] *= x;
    c[i - 1][i - 1] *= x;
  }
}

// EXPECT OtherStore: along the columns, which the loop over rows does not end
void diagonal_of_columns(long n, double x, double c[restrict n][n], const double a[restrict n][n],
                         const double b[restrict n][n]) {
  for (long k = 0; k < n; k++) {
    for (long i = 0; i < n; i++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
    c[k][k] *= x;
  }
}
