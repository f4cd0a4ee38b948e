//===- bounds.c - nests whose extent the data decide ----------------------===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

// EXPECT BoundVaries|Branch: each row of A has a length of its own
void ragged(long n, double c[restrict n][n], const double a[restrict n][n],
            const double b[restrict n][n], const int *restrict length) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < length[i]; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries|Branch: the length of a sum depends on row and column
void ragged_sums(long n, double c[restrict n][n], const double a[restrict n][n],
                 const double b[restrict n][n], const int length[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k < length[i][j]; k++)
        s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}

// EXPECT Sparse: a matrix in compressed sparse rows
void sparse(long n, double c[restrict n][n], const double *restrict value,
            const int *restrict column, const int *restrict start, const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long p = start[i]; p < start[i + 1]; p++)
      for (long j = 0; j < n; j++)
        c[i][j] += value[p] * b[column[p]][j];
}

// EXPECT Sparse: the same, with the loop over the row inside
void sparse_by_columns(long n, double c[restrict n][n], const double *restrict value,
                       const int *restrict column, const int *restrict start,
                       const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = start[i]; p < start[i + 1]; p++)
        s += value[p] * b[column[p]][j];
      c[i][j] = s;
    }
}

// EXPECT UnknownTripCount|Branch: a zero ends each row of A
void sentinel(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long k = 0; a[i][k] != 0; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT UnknownTripCount: a chain of indices through a table
void linked_indices(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n], const int *restrict next) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k >= 0; k = next[k])
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT UnknownTripCount: k doubles
void doubling(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 1; k < n; k += k)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries: k goes in steps of i (Dirichlet's convolution)
void divisors(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = i; k < n; k += i)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries: the sum for an element has i * j terms
void quadratic_bound(long n, double c[restrict n][n], const double a[restrict n][n * n],
                     const double b[restrict n * n][n]) {
  for (long i = 1; i < n; i++)
    for (long j = 1; j < n; j++)
      for (long k = 0; k < i * j; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries|Branch: the number of columns shrinks whenever a row's first element is negative
void shrinking(long n, double c[restrict n][n], const double a[restrict n][n],
               const double b[restrict n][n]) {
  long columns = n;
  for (long i = 0; i < n; i++) {
    columns -= a[i][0] < 0;
    for (long j = 0; j < columns; j++)
      for (long k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
  }
}

// EXPECT BoundVaries|Branch: a sum goes on where the one before has ended
void continued(long n, double c[restrict n][n], const double *restrict a,
               const double b[restrict n][n], const int *restrict length) {
  long start = 0;
  for (long i = 0; i < n; i++) {
    for (long k = start; k < start + length[i]; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[k] * b[k][j];
    start += length[i];
  }
}

// EXPECT BoundVaries: as many terms as the element of C says before
void length_in_c(long n, int c[restrict n][n], const int a[restrict n][n],
                 const int b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < c[i][0]; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT Volatile: another thread may lower the bound at any time
void bound_is_volatile(long n, double c[restrict n][n], const double a[restrict n][n],
                       const double b[restrict n][n], const volatile long *limit) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < *limit; k++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries|Branch: which third of the terms is summed depends on i and j
void every_third(long n, double c[restrict n][n], const double a[restrict n][n],
              const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = (i + j) % 3; k < n; k += 3)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT UnknownTripCount|EarlyExit|BoundVaries: the row that is counted down to may also be one with a zero in front
void down_to_a_zero(long n, double c[restrict n][n], const double a[restrict n][n],
                    const double b[restrict n][n]) {
  for (long i = n; i-- > 0 && a[i][0] != 0;)
    for (long k = 0; k < i; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}

// EXPECT BoundVaries|UnknownTripCount|NotAffine: counted down in steps of two, an odd counter wraps around
void wraps_around(unsigned n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  for (unsigned i = n; i != 0; i -= 2)
    for (unsigned k = 0; k < i - 1; k++)
      for (unsigned j = 0; j < n; j++)
        c[i - 1][j] += a[i - 1][k] * b[k][j];
}

// EXPECT InitMismatch: a row of zeros that is longer than the row of sums
void zeros_beyond(int n, int l, int c[restrict n][n + 1], const int a[restrict n][l],
                  const int b[restrict n][l]) {
  for (int i = n; i-- > 0;) {
    for (int j = i + 2; j-- > 0;)
      c[i][j] = 0;
    for (int j = i + 1; j-- > 0;) {
      int s = 0;
      for (int k = l; k-- > 0;)
        s += a[i][k] * b[j][k];
      c[i][j] += s;
    }
  }
}

// EXPECT InitMismatch|OtherStore: the row of zeros is the one before
void zeros_of_another_row(int n, int l, int c[restrict n + 1][n], const int a[restrict n][l],
                          const int b[restrict n][l]) {
  for (int i = n; i-- > 0;) {
    for (int j = i + 1; j-- > 0;)
      c[i + 1][j] = 0;
    for (int j = i + 1; j-- > 0;) {
      int s = 0;
      for (int k = l; k-- > 0;)
        s += a[i][k] * b[j][k];
      c[i][j] += s;
    }
  }
}

// EXPECT BoundVaries: k goes down in tiles that go up, so it is not one index in order
void back_and_forth(long m, long n, double c[restrict m][n], const double a[restrict m][n],
                    const double b[restrict n][n]) {
  for (long i = 0; i < m; i++)
    for (long kk = 0; kk < n; kk += 16)
      for (long k = kk + 16 < n ? kk + 16 : n; k-- > kk;)
        for (long j = 0; j < n; j++)
          c[i][j] += a[i][k] * b[k][j];
}
