//===- hand-optimised.c - unrolled, tiled and buffered sums with a catch --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s
// RUN: %python %S/../Plugin/Inputs/same_object.py %clang %tilesmith %s -march=native -g
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s
// RUN: %python %S/Inputs/reasons.py %clang %tilesmith %s -march=native

//===--- Unrolled over k. -------------------------------------------------===//

// EXPECT NotProduct: two products are multiplied with each other, and then added
void pairs(long n, double c[restrict n][n], const double a[restrict n][n],
           const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k + 1 < n; k += 2)
        s += (a[i][k] * b[k][j]) * (a[i][k + 1] * b[k + 1][j]);
      c[i][j] = s;
    }
}

// EXPECT NoUpdate|ScaledSum: two sums that change places in every step
void sums_change_places(long n, double c[restrict n][n], const double a[restrict n][n],
                        const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0, t = 1;
      for (long k = 0; k < n; k++) {
        double u = s + a[i][k] * b[k][j];
        s = t, t = u;
      }
      c[i][j] = s - t;
    }
}

// EXPECT NotProduct|IndexRoles|IndexRoles, TooSmall: a sum over two indices, which are unrolled, of products of three
void transformed_block(const float x[restrict 64], const float m[restrict 64], float y[restrict 64]) {
  for (int u = 0; u < 8; u++)
    for (int v = 0; v < 8; v++) {
      float s = 0;
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          s += x[i * 8 + j] * m[u * 8 + i] * m[v * 8 + j];
      y[u * 8 + v] = s;
    }
}

// EXPECT NotProduct|ScaledSum: the second copy of the step is a difference
void differing_copies(long n, double c[restrict n][n], const double a[restrict n][n],
                      const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long k = 0; k + 1 < n; k += 2) {
        s += a[i][k] * b[k][j];
        s -= a[i][k + 1] / b[k + 1][j];
      }
      c[i][j] = s;
    }
}

//===--- Unrolled over j. -------------------------------------------------===//

// EXPECT SumTile: four columns in steps of three, so every third column is updated twice
void columns_overlap(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j + 3 < n; j += 3) {
      double s0 = c[i][j], s1 = c[i][j + 1], s2 = c[i][j + 2], s3 = c[i][j + 3];
      for (long k = 0; k < n; k++) {
        s0 += a[i][k] * b[k][j];
        s1 += a[i][k] * b[k][j + 1];
        s2 += a[i][k] * b[k][j + 2];
        s3 += a[i][k] * b[k][j + 3];
      }
      c[i][j] = s0, c[i][j + 1] = s1, c[i][j + 2] = s2, c[i][j + 3] = s3;
    }
}

// EXPECT OtherStore: the second column is computed from the first one's sum in each step
void columns_coupled(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j + 1 < n; j += 2) {
      double s0 = 0, s1 = 0;
      for (long k = 0; k < n; k++) {
        s0 += a[i][k] * b[k][j];
        s1 += s0 * b[k][j + 1];
      }
      c[i][j] = s0;
      c[i][j + 1] = s1;
    }
}

// EXPECT OtherStore: the results of two columns are stored in each other's place in odd rows
void columns_swapped(long n, double c[restrict n][n], const double a[restrict n][n],
                     const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j + 1 < n; j += 2) {
      double s0 = 0, s1 = 0;
      for (long k = 0; k < n; k++) {
        s0 += a[i][k] * b[k][j];
        s1 += a[i][k] * b[k][j + 1];
      }
      c[i][j + (i & 1)] = s0;
      c[i][j + (~i & 1)] = s1;
    }
}

//===--- Rows in buffers. -------------------------------------------------===//

// EXPECT IndexRoles: a buffer for a row that is not set to zero for the next
void buffer_not_cleared(long n, double c[restrict n][64], const double a[restrict n][n],
                        const double b[restrict n][64]) {
  double row[64] = {0};
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j] += a[i][k] * b[k][j];
    for (long j = 0; j < 64; j++)
      c[i][j] = row[j];
  }
}

// EXPECT IndexRoles: the buffer starts from the row above
void buffer_from_above(long n, double c[restrict n + 1][64], const double a[restrict n][n],
                       const double b[restrict n][64]) {
  for (long i = 0; i < n; i++) {
    double row[64];
    for (long j = 0; j < 64; j++)
      row[j] = c[i][j];
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j] += a[i][k] * b[k][j];
    for (long j = 0; j < 64; j++)
      c[i + 1][j] = row[j];
  }
}

// EXPECT RowBuffer: the row is summed up from left to right while it is copied back
void buffer_scanned(long n, double c[restrict n][64], const double a[restrict n][n],
                    const double b[restrict n][64]) {
  for (long i = 0; i < n; i++) {
    double row[64] = {0};
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j] += a[i][k] * b[k][j];
    double s = 0;
    for (long j = 0; j < 64; j++)
      c[i][j] = s += row[j];
  }
}

// EXPECT RowBuffer: the row is divided by its own norm while it is copied back
void buffer_normalised(long n, double c[restrict n][64], const double a[restrict n][n],
                       const double b[restrict n][64]) {
  for (long i = 0; i < n; i++) {
    double row[64] = {0}, s = 0;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j] += a[i][k] * b[k][j];
    for (long j = 0; j < 64; j++)
      s += row[j] * row[j];
    for (long j = 0; j < 64; j++)
      c[i][j] = row[j] / s;
  }
}

// EXPECT IndexRoles: the finished row is copied to B, and used by the next
void buffer_into_b(long n, double b[restrict n][64], const double a[restrict n][n]) {
  for (long i = 0; i < n; i++) {
    double row[64] = {0};
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j] += a[i][k] * b[k][j];
    for (long j = 0; j < 64; j++)
      b[i][j] = row[j];
  }
}

// EXPECT Branch: the copy of a row of A is made once for two rows
void stale_copy(long n, double c[restrict n][n], const double a[restrict n][64],
                const double b[restrict 64][n]) {
  double row[64];
  for (long i = 0; i < n; i++) {
    if (i % 2 == 0)
      for (long k = 0; k < 64; k++)
        row[k] = a[i][k];
    for (long k = 0; k < 64; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += row[k] * b[k][j];
  }
}

// EXPECT IndexRoles: a copy of a row of A, from its end
void reversed_copy(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  double row[512];
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < n; k++)
      row[n - 1 - k] = a[i][k] + 1;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += row[k] * b[k][j];
  }
}

// EXPECT IndexRoles: a copy of a row of A, of which one element is changed
void changed_copy(long n, double c[restrict n][n], const double a[restrict n][n],
                  const double b[restrict n][n]) {
  double row[512];
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < n; k++)
      row[k] = a[i][k];
    row[i] = 1;
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += row[k] * b[k][j];
  }
}

// EXPECT IndexRoles: a copy of a row of A, whose columns the loops then change
void copy_of_changed(long n, double c[restrict n][n], double a[restrict n][n],
                     const double b[restrict n][n]) {
  double row[512];
  for (long i = 0; i < n; i++) {
    for (long k = 0; k < n; k++)
      row[k] = a[i][k] * 2;
    for (long k = 0; k < n; k++)
      a[k][i] = row[k];
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        c[i][j] += row[k] * b[k][j];
  }
}

// EXPECT RowBuffer: the buffer is a ring of 16 elements, in which columns share their place
void ring(long n, double c[restrict n][64], const double a[restrict n][n],
          const double b[restrict n][64]) {
  for (long i = 0; i < n; i++) {
    double row[16] = {0};
    for (long k = 0; k < n; k++)
      for (long j = 0; j < 64; j++)
        row[j % 16] += a[i][k] * b[k][j];
    for (long j = 0; j < 64; j++)
      c[i][j] = row[j % 16];
  }
}

//===--- Tiles. -----------------------------------------------------------===//

// EXPECT IndexRoles|OtherStore|SumTile: tiles of 32 columns, 33 wide, so their edges are updated twice
void tiles_overlap(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  for (long i = 0; i < n; i++)
    for (long jj = 0; jj + 33 <= n; jj += 32)
      for (long k = 0; k < n; k++)
        for (long j = jj; j < jj + 33; j++)
          c[i][j] += a[i][k] * b[k][j];
}

// EXPECT UsedAfter: the sum is not set back for the next tile of columns
void tiles_pile_up(long n, double c[restrict n][n], const double a[restrict n][n],
                   const double b[restrict n][n]) {
  double s = 0;
  for (long ii = 0; ii + 32 <= n; ii += 32)
    for (long i = ii; i < ii + 32; i++)
      for (long j = 0; j < n; j++) {
        for (long k = 0; k < n; k++)
          s += a[i][k] * b[k][j];
        c[i][j] = s;
      }
}

//===--- Batches. ---------------------------------------------------------===//

// EXPECT IndexRoles: in each batch, the factor is the result of the batch before
void chain_of_batches(long t, long n, double h[restrict t + 1][n], const double w[restrict t][n][n]) {
  for (long i = 0; i < t; i++)
    for (long k = 0; k < n; k++)
      for (long j = 0; j < n; j++)
        h[i + 1][j] += h[i][k] * w[i][k][j];
}

// EXPECT IndexRoles: each batch starts from the sum of the one before
void batches_pile_up(long t, long n, double c[restrict t][n][n], const double a[restrict t][n][n],
                     const double b[restrict t][n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      double s = 0;
      for (long p = 0; p < t; p++) {
        for (long k = 0; k < n; k++)
          s += a[p][i][k] * b[p][k][j];
        c[p][i][j] = s;
      }
    }
}

//===--- Several sums at once. --------------------------------------------===//

// EXPECT SumTile: sixteen sums over packed panels, for a block of 4x4 elements
void block_of_panels(long m, long n, long k, double alpha, const double *a, const double *b, double *c, long ld) {
  for (long j = 0; j < n; j += 4, b += 4 * k, c += 4 * ld) {
    const double *p = a;
    for (long i = 0; i < m; i += 4) {
      const double *q = b;
      double s00 = 0, s10 = 0, s20 = 0, s30 = 0, s01 = 0, s11 = 0, s21 = 0, s31 = 0;
      double s02 = 0, s12 = 0, s22 = 0, s32 = 0, s03 = 0, s13 = 0, s23 = 0, s33 = 0;
      for (long l = 0; l < k; l++, p += 4, q += 4) {
        s00 += p[0] * q[0], s10 += p[1] * q[0], s20 += p[2] * q[0], s30 += p[3] * q[0];
        s01 += p[0] * q[1], s11 += p[1] * q[1], s21 += p[2] * q[1], s31 += p[3] * q[1];
        s02 += p[0] * q[2], s12 += p[1] * q[2], s22 += p[2] * q[2], s32 += p[3] * q[2];
        s03 += p[0] * q[3], s13 += p[1] * q[3], s23 += p[2] * q[3], s33 += p[3] * q[3];
      }
      double *d = c + i;
      d[0] += alpha * s00, d[1] += alpha * s10, d[2] += alpha * s20, d[3] += alpha * s30, d += ld;
      d[0] += alpha * s01, d[1] += alpha * s11, d[2] += alpha * s21, d[3] += alpha * s31, d += ld;
      d[0] += alpha * s02, d[1] += alpha * s12, d[2] += alpha * s22, d[3] += alpha * s32, d += ld;
      d[0] += alpha * s03, d[1] += alpha * s13, d[2] += alpha * s23, d[3] += alpha * s33;
    }
  }
}

// EXPECT SumTile: two sums, of even and of odd steps
void even_and_odd(long n, long l, float *c, const float *a, const float *b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      float even = 0, odd = 0;
      for (long k = 0; k < l; k += 2) {
        even += a[i * l + k] * b[j * l + k];
        odd += a[i * l + k + 1] * b[j * l + k + 1];
      }
      c[i * n + j] = even + odd;
    }
}

typedef float quad __attribute__((vector_size(16), aligned(4)));

// EXPECT HandVectorized|HandVectorized, TooSmall: vectors of four columns, and a loop for the others
void vectors_and_others(long n, float *restrict c, const float *restrict a, const float *restrict b) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      long j = 0;
      for (; j + 3 < n; j += 4)
        *(quad *)&c[i * n + j] += a[i * n + k] * *(const quad *)&b[k * n + j];
      for (; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
