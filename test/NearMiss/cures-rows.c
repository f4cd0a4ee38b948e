//===- cures-rows.c - triangles, and loops tuned by hand, and their cures --===//
//
// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See cures.c.

// RUN: %python %S/Inputs/cures.py %clang %tilesmith %s

//===--- Substitutions. ---------------------------------------------------===//

// EXPECT Substitution: sums in memory
void forward(long n, const double *restrict a, double *restrict x) {
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < i; j++)
      x[i] -= a[i * n + j] * x[j];
    x[i] /= a[i * n + i];
  }
}

void forward_cured(long n, const double *restrict a, double *restrict x) {
  for (long i = 0; i < n; i++) {
    double s = x[i];
    for (long j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

// EXPECT Substitution: the vector may be a part of the matrix
void forward_overlap(long n, const double *a, const double *b, double *x) {
  for (long i = 0; i < n; i++) {
    double s = b[i];
    for (long j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

void forward_overlap_cured(long n, const double *restrict a, const double *restrict b, double *restrict x) {
  for (long i = 0; i < n; i++) {
    double s = b[i];
    for (long j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

// EXPECT Substitution: the steps begin with the results that are known last
void backward(int n, const double *restrict a, const double *restrict b, double *restrict x) {
  for (int i = n - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = i + 1; j < n; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

void backward_cured(int n, const double *restrict a, const double *restrict b, double *restrict x) {
  for (int i = n - 1; i >= 0; i--) {
    double s = b[i];
    for (int j = n - 1; j > i; j--)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
}

double a0[400][400], b0[400], x0[400];

// EXPECT Substitution: global arrays
void of_globals(int n) {
  for (int i = 0; i < n; i++) {
    x0[i] = b0[i];
    for (int j = 0; j < i; j++)
      x0[i] -= a0[i][j] * x0[j];
    x0[i] = x0[i] / a0[i][i];
  }
}

void of_globals_cured(int n) {
  for (int i = 0; i < n; i++) {
    double s = b0[i];
    for (int j = 0; j < i; j++)
      s -= a0[i][j] * x0[j];
    x0[i] = s / a0[i][i];
  }
}

// EXPECT EarlyExit: it ends where a pivot is zero
int checked(int n, const double *restrict a, double *restrict x) {
  for (int i = 0; i < n; i++) {
    double s = x[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    if (a[i * n + i] == 0)
      return 0;
    x[i] = s / a[i * n + i];
  }
  return 1;
}

int checked_cured(int n, const double *restrict a, double *restrict x) {
  for (int i = 0; i < n; i++)
    if (a[i * n + i] == 0)
      return 0;
  for (int i = 0; i < n; i++) {
    double s = x[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    x[i] = s / a[i * n + i];
  }
  return 1;
}

//===--- What is made of a triangle's sums. -------------------------------===//

// EXPECT TriangleEpilogue: no substitution, but divided by elements
void divided(int n, const double (*a)[100], const double *x, const double *d, double *y) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      y[i] -= a[i][j] * x[j];
    y[i] /= d[i]; // <-
  }
}

void divided_cured(int n, const double (*a)[100], const double *x, const double *d, double *y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      y[i] -= a[i][j] * x[j];
  for (int i = 0; i < n; i++)
    y[i] /= d[i];
}

// EXPECT TriangleEpilogue: the sums begin with another vector
void from_other(int n, const double *restrict a, const double *restrict x, const double *restrict b,
                double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s / a[i * n + i]; // <-
  }
}

void from_other_cured(int n, const double *restrict a, const double *restrict x, const double *restrict b,
                      double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = b[i];
    for (int j = 0; j < i; j++)
      s -= a[i * n + j] * x[j];
    y[i] = s;
  }
  for (int i = 0; i < n; i++)
    y[i] /= a[i * n + i];
}

// EXPECT Diagonal: the step is left out around a row
void but_one(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      if (k == i) // <-
        continue;
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void but_one_cured(int n, const double *restrict a, const double *restrict b, double *restrict c) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

//===--- Sparse matrices: nothing cures these. -----------------------------===//

// EXPECT Sparse: rows times a vector
void csr(int n, const int *restrict start, const int *restrict column, const double *restrict value,
         const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = start[i]; k < start[i + 1]; k++)
      s += value[k] * x[column[k]];
    y[i] = s;
  }
}

// EXPECT Sparse: columns
void csc(int n, const int *restrict start, const int *restrict row, const double *restrict value,
         const double *restrict x, double *restrict y) {
  for (int j = 0; j < n; j++)
    for (int k = start[j]; k < start[j + 1]; k++)
      y[row[k]] += value[k] * x[j];
}

typedef struct {
  int n, *start, *column;
  double *value;
} matrix;

// EXPECT Sparse: in a structure
void csr_of(const matrix *m, const double *x, double *y) {
  for (int i = 0; i < m->n; i++) {
    double s = 0;
    for (int k = m->start[i]; k < m->start[i + 1]; k++)
      s += m->value[k] * x[m->column[k]];
    y[i] = s;
  }
}

// EXPECT Sparse: as many elements in each row
void ell(int n, int w, const int *restrict column, const double *restrict value, const double *restrict x,
         double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = 0; k < w; k++)
      s += value[i * w + k] * x[column[i * w + k]];
    y[i] = s;
  }
}

// EXPECT Sparse: the same, column by column
void ell_columns(long n, long w, const int *restrict column, const double *restrict value, const double *restrict x,
                 double *restrict y) {
  for (long k = 0; k < w; k++)
    for (long i = 0; i < n; i++)
      y[i] += value[k * n + i] * x[column[k * n + i]];
}

// EXPECT Sparse: as many elements in each row, times a full matrix
void ell_matrix(long n, long w, long m, const int *restrict column, const double *restrict value,
                const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++)
    for (long k = 0; k < w; k++)
      for (long j = 0; j < m; j++)
        y[i * m + j] += value[i * w + k] * x[column[i * w + k] * m + j];
}

// EXPECT Sparse: each element says where it is
void coo_matrix(long count, long m, const int *restrict row, const int *restrict column, const double *restrict value,
                const double *restrict x, double *restrict y) {
  for (long p = 0; p < count; p++)
    for (long j = 0; j < m; j++)
      y[row[p] * m + j] += value[p] * x[column[p] * m + j];
}

// EXPECT Sparse: diagonals, row by row
void diagonals_by_rows(long n, long count, const int *restrict offset, const double *restrict d,
                       const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = 0; k < count; k++) {
      long j = i + offset[k];
      if (j >= 0 && j < n)
        s += d[k * n + i] * x[j];
    }
    y[i] = s;
  }
}

// EXPECT Sparse: diagonals, one after the other
void diagonals(long n, long count, const int *restrict offset, const double *restrict d, const double *restrict x,
               double *restrict y) {
  for (long k = 0; k < count; k++) {
    long o = offset[k], first = o < 0 ? -o : 0, end = o < 0 ? n : n - o;
    for (long i = first; i < end; i++)
      y[i] += d[k * n + i] * x[i + o];
  }
}

//===--- Bands, of which a test leaves out what is beside them. -------------===//

// EXPECT Band: the steps are counted from the diagonal
void band(long n, long w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long k = -w; k <= w; k++)
      if (i + k >= 0 && i + k < n)
        s += a[i * (2 * w + 1) + k + w] * x[i + k];
    y[i] = s;
  }
}

void band_cured(long n, long w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long j = i > w ? i - w : 0; j < (i + w + 1 < n ? i + w + 1 : n); j++)
      s += a[i * (2 * w + 1) + j - i + w] * x[j];
    y[i] = s;
  }
}

// EXPECT Band: the same in 'int', with 'continue'
void band_int(int n, int w, const float *restrict a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) {
    float s = 0;
    for (int k = -w; k <= w; k++) {
      int j = i + k;
      if (j < 0 || j >= n)
        continue;
      s += a[i * (2 * w + 1) + k + w] * x[j];
    }
    y[i] = s;
  }
}

// EXPECT Band: in a full matrix
void band_in_full(long n, long w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long j = 0; j < n; j++)
      if (j - i <= w && i - j <= w)
        s += a[i * n + j] * x[j];
    y[i] = s;
  }
}

void band_in_full_cured(long n, long w, const double *restrict a, const double *restrict x, double *restrict y) {
  for (long i = 0; i < n; i++) {
    double s = 0;
    for (long j = i > w ? i - w : 0; j < (i + w + 1 < n ? i + w + 1 : n); j++)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}
